"""What is best while parameters are uncertain: the report behind `simulate`.

All draws are evaluated at once (`strategies.py`). The value of information about parameters is that
of deciding when they are known (Raiffa and Schlaifer, Applied Statistical Decision Theory, 1961).
For some of the parameters, decisions know the regression on these (Strong, Oakley and Brennan,
Medical Decision Making 34, 2014).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from expectitree.base.errors import AnalysisError, install_hint
from expectitree.base.expressions.syntax import names_in
from expectitree.base.tree.criteria import tree_of
from expectitree.base.tree.formulas import Distribution
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.parameters import parameter_values
from expectitree.base.tree.report import TreeReport, check_one_decider
from expectitree.decide.frontier.report import weighed_parts
from expectitree.decide.records import Fields, Labels, Records, attributes
from expectitree.decide.sensitivity.parameters import Ends, Range, range_of
from expectitree.decide.simulation.figures import (
    ActionValue,
    Designs,
    Estimated,
    Groups,
    Knowledge,
    Study,
)
from expectitree.searches.engine import search_tree
from expectitree.searches.progress import report
from expectitree.searches.result import PLAYERS

if TYPE_CHECKING:
    from expectitree.decide.simulation.draws import Array
    from expectitree.decide.simulation.strategies import Strategies

DRAWS, SEED = 10_000, 1  # by default
MIN_DRAWS = 100
POINTS = 50  # between those of a curve


@dataclass(frozen=True)
class Plane:
    """The increments of effect and cost of each action, to the first one."""

    effect: str  # the name of the criterion that the weight multiplies
    cost: str
    weight: str  # the name of the parameter
    wtp: float  # its value
    first: str  # the first action
    increments: Mapping[str, tuple[Array, Array]]  # effect and cost in each draw, by action


@dataclass(frozen=True, eq=False)
class Simulation(TreeReport):
    """The values of the first actions while parameters are uncertain; `simulate` makes it.

        >>> import expectitree as et
        >>> tree = et.loads("{parameters: {p: {distribution: 'beta(2, 2)'}}, max: {sure: 4, bet: "
        ...                 "{chance: {win: {p: p, utility: 10}, lose: {p: rest, utility: 0}}}}}")
        >>> found = et.simulate(tree)
        >>> found.best, round(found.actions[0].share, 1), round(found.evpi.value, 1)
        (('bet',), 0.4, 0.5)

    Attributes:
        file: The name of the tree in outputs.
        tree: The tree.
        draws: The number of draws.
        seed: The seed of the random numbers.
        value: The value of deciding now: the greatest mean of all strategies; for MIN, the least.
        best: The actions with that mean.
        actions: One for each action at the root, in order; its later decisions are those that are
            best on average, except in its `share`.
        evpi: The expected value of perfect information about all parameters.
        evppi: That about each parameter or set of probabilities, and about those that are known
            together, the greatest first.
        evsi: The expected value of the results of each study.
        sample: The draws of each parameter, as arrays.
        values: The value of each action in each draw, as arrays.
        criteria: The amount of each criterion for each action in each draw, as arrays.
        plane: The increments of effect and cost, if the objective is a net benefit with a weight
            that is known, such as `wtp*effect - cost`.
    """

    question = "simulation"
    has_decider = True
    has_plot = True

    draws: int
    seed: int
    value: Estimated
    best: Labels
    actions: tuple[ActionValue, ...]
    evpi: Estimated
    evppi: tuple[Knowledge, ...]
    evsi: tuple[Study, ...]
    sample: Mapping[str, Array] = field(repr=False)
    values: tuple[Array, ...] = field(repr=False)
    criteria: Mapping[str, Array] = field(repr=False)
    plane: Plane | None = field(repr=False)

    def to_records(self) -> Records:
        """Return a flat dict for each draw: the rows of a table for pandas or polars.

        Each has `file`, `draw` from 1, the parameters, and `value of ACTION` for each action, then
        the same for each criterion, such as `cost of ACTION`.
        """
        columns = dict(self.sample)
        for name, table in {"value": self.values, **self.criteria}.items():
            for action, values in zip(self.actions, table, strict=True):
                columns[f"{name} of {action.action or 'the tree'}"] = values
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [
            {"file": self.file, "draw": i, **dict(zip(columns, row, strict=True))}
            for i, row in enumerate(rows, 1)
        ]


@dataclass(frozen=True)
class Point:
    """The decision at a value of the parameter of a curve."""

    at: Fraction
    best: str  # the action with the greatest mean; for MIN, the least
    shares: tuple[float, ...]  # of the draws in which each action would be best
    evpi: Estimated
    evppi: tuple[Knowledge, ...]  # about the parameters that are known together
    evsi: tuple[Study, ...]

    @property
    def worth(self) -> dict[str, Estimated]:
        """What knowing in advance is worth: EVPI, EVPPI and EVSI, by their headings."""
        parts = {f"EVPPI {group.name}": group.evppi for group in self.evppi}
        studies = {f"EVSI {study.name}": study.evsi for study in self.evsi}
        return {"EVPI": self.evpi, **parts, **studies}


@dataclass(frozen=True)
class Acceptability(TreeReport):
    """The share of draws in which each action is best, by a parameter; `acceptability` makes it."""

    question = "simulation"
    has_decider = True
    has_plot = True

    draws: int
    seed: int
    range: Range  # the parameter that moves
    actions: Labels
    points: tuple[Point, ...]

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        return self.range.json_fields() | attributes(self, "draws", "seed", "actions", "points")

    def to_records(self) -> Records:
        """Return a flat dict for each point: the parameter, `best`, `evpi`, and the shares."""
        shares = [f"share of {action}" for action in self.actions]
        return [
            {"file": self.file, self.range.name: point.at, "best": point.best}
            | {name.lower(): worth.value for name, worth in point.worth.items()}
            | dict(zip(shares, point.shares, strict=True))
            for point in self.points
        ]


def simulate(
    tree: Tree,
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    file: str = "",
    known: Groups = (),
    studies: Designs = (),
) -> Simulation:
    """Return the values of the first actions for draws of the uncertain parameters.

        >>> import expectitree as et
        >>> tree = et.loads("{parameters: {x: {distribution: 'normal(0, 1)'}}, max: {a: x, b: 0}}")
        >>> round(et.simulate(tree, draws=100_000).evpi.value, 2)  # 1/sqrt(2*pi)
        0.4

    Args:
        tree: The tree. A parameter that `Tree.with_parameters` has set is certain.
        draws: The number of draws.
        seed: The seed of the random numbers.
        file: The name of the tree in outputs. Files of draws are looked up in its folder.
        known: Tuples of parameters that are known together, such as `[("a", "b")]`.
        studies: Tuples of a parameter and a number of observations, such as `("p", 100)`; the
            standard deviation of an observation follows if that is not yes or no.

    Raises:
        AnalysisError: No parameter has a distribution, both players decide, a formula has no value
            in one of the draws, or a parameter in `known` or `studies` is certain.
        FileError: A file of draws cannot be read.
        TreeError: The tree has an attitude to risk.
    """
    sample = _sample(tree, draws, seed, file)
    from expectitree.decide.simulation.knowledge import Decisions, estimated
    from expectitree.decide.simulation.strategies import Strategies, nothing

    strategies = Strategies(tree, sample)
    decisions = Decisions(strategies)
    groups: dict[tuple[bool, str], list[str]] = {}  # the sets of probabilities are apart
    for name in sample:
        distribution = cast("Distribution", tree.parameters[name].distribution)
        group = False, name
        if distribution.kind == "dirichlet":
            group = True, distribution.source
        groups.setdefault(group, []).append(name)
    evppi = []
    for position, ((_, label), names) in enumerate(groups.items(), 1):
        # The last probability of a set is 1 minus the others.
        gain = decisions.gain_from(names[: len(names) - 1 or 1])
        evppi.append(Knowledge(label, tuple(names), gain))
        report(position, len(groups))
    evppi += decisions.evppi(known)
    evppi.sort(key=lambda one: -one.evppi.value)
    trees = {name: tree_of(tree, name) for name in tree.criteria.by_name}
    criteria = strategies.amounts(trees, nothing) if trees else {}
    actions = tuple(decisions.actions(criteria))
    return Simulation(
        file,
        tree,
        draws,
        seed,
        value=estimated(decisions.now),
        best=tuple(one.action for one in actions if one.is_best and one.action is not None),
        actions=actions,
        evpi=decisions.evpi,
        evppi=tuple(evppi),
        evsi=decisions.evsi(studies, seed),
        sample=sample,
        values=tuple(decisions.values),
        criteria=criteria,
        plane=_plane(tree, sample, criteria),
    )


def _sample(tree: Tree, draws: int, seed: int, file: str) -> Fields:
    """Return the draws of a tree's uncertain parameters."""
    check_tree(tree, "simulate")
    check_one_decider(tree, "simulate")
    if draws < MIN_DRAWS:
        raise AnalysisError(f"found {draws} draws\nwrite {MIN_DRAWS} or more")
    search_tree(tree)  # raises what is wrong with the tree
    if not any(one.distribution for one in tree.parameters.values()):
        raise AnalysisError(
            "no parameter has a distribution\nwrite it under `parameters`, as in "
            '`pr: {value: 0.5, distribution: "beta(12, 12)"}`'
        )
    try:
        from expectitree.decide.simulation.draws import check_size, draw
    except ModuleNotFoundError:
        raise AnalysisError(f"simulate needs NumPy\n{install_hint('fast')}") from None
    check_size(len(tree), draws)
    return draw(tree.parameters, draws, seed, os.path.dirname(file))


def _plane(tree: Tree, sample: Fields, criteria: Mapping[str, Array]) -> Plane | None:
    """Return the increments to the first action, if they are those of a net benefit."""
    values: Fields = parameter_values(tree)
    names = [name for name in names_in(tree.criteria.objective) if name in values]
    if len(names) != 1 or names[0] in sample or tree.root.kind not in PLAYERS:
        return None
    parts, is_icer = weighed_parts(tree, names[0]) or ({}, False)
    if not is_icer:
        return None
    effect, cost = parts
    effects, costs = (criteria[name] - criteria[name][0] for name in parts)
    labels = [branch.label for branch in tree.root.branches]
    increments = dict(zip(labels[1:], zip(effects[1:], costs[1:], strict=True), strict=True))
    return Plane(effect, cost, names[0], float(values[names[0]]), labels[0], increments)


# ---- The acceptability curve.


def acceptability(
    tree: Tree,
    parameter: str,
    *,
    range: Ends | None = None,
    draws: int = DRAWS,
    known: Groups = (),
    studies: Designs = (),
    seed: int = SEED,
    file: str = "",
) -> Acceptability:
    """Return the share of draws in which each action is best, for values of one parameter.

        >>> import expectitree as et
        >>> tree = et.loads("{parameters: {effect: {distribution: 'normal(2, 1)'}, wtp: 5}, max: "
        ...                 "{treat: wtp*effect - 10, wait: 0}}")
        >>> found = et.acceptability(tree, "wtp", range=(0, 10))
        >>> [round(point.shares[0], 1) for point in found.points[::10]]
        [0.0, 0.0, 0.3, 0.6, 0.8, 0.8]

    Args:
        tree: The tree.
        parameter: The name of the parameter that moves, such as the willingness to pay.
        range: Its least and greatest value; by default, those in the file.
        draws: The number of draws.
        known: Parameters that are known together, as for `simulate`.
        studies: The studies, as for `simulate`.
        seed: The seed of the random numbers.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: As for `simulate`, or no player decides at the root.
    """
    moved = range_of(tree, parameter, range)
    places = moved.places(POINTS)
    sample = _sample(tree.with_parameters(**{parameter: places[0]}), draws, seed, file)
    import numpy as np

    from expectitree.decide.simulation.knowledge import Decisions
    from expectitree.decide.simulation.strategies import Strategies

    if tree.root.kind not in PLAYERS:
        raise AnalysisError("a curve compares actions, and no player decides at the root")
    labels, points = tuple(branch.label for branch in tree.root.branches), []

    def strategies_at(place: Fraction) -> Strategies:
        return Strategies(tree, {**sample, parameter: np.full(draws, float(place))})

    is_weight = weighed_parts(tree, parameter) is not None
    first, last = (strategies_at(place) for place in (places[0], places[-1]))
    for at, place in enumerate(places):
        if is_weight:
            decisions = Decisions(first.towards(last, at / POINTS))
        else:
            decisions = Decisions(strategies_at(place))
        means = tree.gain_sign * decisions.values.mean(axis=1)
        best, shares = labels[int(means.argmax())], tuple(decisions.shares)
        worth = decisions.evpi, decisions.evppi(known), decisions.evsi(studies, seed)
        points.append(Point(place, best, shares, *worth))
        report(at + 1, len(places))
    return Acceptability(file, tree, draws, seed, moved, labels, tuple(points))
