"""Compare a tree with the same tree under a map of its utilities.

A positive affine map changes no decision. A map that only keeps the order may change any decision
above a chance node (Russell & Norvig, Artificial Intelligence, A Modern Approach, Figure 5.12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, NamedTuple

from expectitree.analysis.rescale.scales import (
    AFFINE,
    ORDERED,
    Image,
    MapClass,
    Scale,
    as_number,
    classify,
    scale_of,
    unknown_names,
)
from expectitree.display import Shown
from expectitree.errors import AnalysisError, TransformError
from expectitree.numbers import Number, escape, is_finite, message_text, to_exact
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.searches.setup import ROUNDING_EPS
from expectitree.searches.unknown import check_known
from expectitree.tree.columns import Bounds, Column, Columns
from expectitree.tree.model import Kind, Tree, check_tree
from expectitree.tree.transform import map_utilities

MAX, MIN = 1, 2  # kinds, as compiled loops have them
_SAME = 4  # tolerances within which the values of two searches agree


@dataclass(frozen=True)
class Answer:
    """Whether an order-preserving map changes the decision at the root."""

    answer: str  # yes, no or unknown
    reason: str  # a key of `text.REASONS`
    tried: int = 0  # maps
    action: str | None = None  # the decision: the first action that is best in fractions


class Remark(NamedTuple):
    """Something to know about a map; `numbers` are those that its sentence mentions."""

    kind: str  # a key of `text.REMARKS`
    numbers: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Rescaling(Shown):
    """One file's tree before and after a map; of a question that found no map, the tree before."""

    file: str
    before: Search
    scale: Scale | None = None
    map_class: MapClass | None = None
    pairs: Sequence[tuple[Number, Number]] = ()  # each utility and its image, the least first
    after: Search | None = None
    remarks: tuple[Remark, ...] = ()
    answer: Answer | None = None

    @property
    def tree(self) -> Tree:
        """The tree before."""
        return self.before.tree

    @cached_property
    def changed(self) -> bool:
        """Whether the map changes the set of best actions at the root, ties included."""
        return self.changed_at(self.tree.root_id)

    def changed_at(self, node: int) -> bool:
        """Say whether the map changes the set of best actions at a node."""
        if self.after is None:
            return False
        best = [list(search.best_branches(node)) for search in (self.before, self.after)]
        return best[0] != best[1]

    @cached_property
    def strategy(self) -> Sequence[int]:
        """The inner nodes that optimal play reaches before or after, parents first."""
        if self.after is None:
            return []
        reached = _reached(self.before) | _reached(self.after)
        return [n for n in self.tree.first_paths.order if n in reached]

    @cached_property
    def changed_nodes(self) -> frozenset[int]:
        """The nodes of `strategy` where the map changes the set of best actions."""
        return frozenset(n for n in self.strategy if self.changed_at(n))


def rescale(
    tree: Tree,
    scale: Scale | Mapping[Any, Any] | Callable[[Number], Any],
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    file: str = "",
) -> Rescaling:
    """Return a tree's values and best actions before and after a map of its utilities.

    `scale` is a `Scale`, a function, or a mapping such as {2: 20}, which leaves other utilities as
    they are. Estimates go through the map too, and so do bounds, unless the map falls on them.
    `bounds` and `engine` are those of `evaluate`; `file` names the tree in the report.

    If the map is positive affine, every node is checked: its value goes through the map, and its
    best actions stay. Raises `TransformError` where a utility has no image, and `AnalysisError`
    where that check fails.
    """
    check_tree(tree)
    utilities, estimates = numbers_of(tree)
    if isinstance(scale, Mapping):
        check_names(map(to_exact, scale), utilities | estimates)
    scale = scale_of(scale)
    ordered = sorted(utilities)
    images = {u: scale.rule(u) for u in ordered}
    if scale.rises:
        _check_rising(images)
    map_class = classify(list(images.items()), scale.bends)
    images |= {estimate: scale.rule(estimate) for estimate in estimates - utilities}
    rounded = {u: as_number(u, image, tree.exact) for u, image in images.items()}
    remarks = []
    if scale.kind == "table" and (unused := unknown_names(scale.names, rounded)):
        if len(unused) == len(scale.names):
            raise TransformError(
                f"the table {scale.text} names none of the tree's utilities, which run from "
                f"{message_text(min(utilities))} to {message_text(max(utilities))}"
            )
        remarks.append(Remark("unused", (*unused[:3], len(unused), len(scale.names))))
    with_bounds = True
    try:
        _map_ends(tree, scale, rounded)
    except TransformError as error:
        with_bounds = False
        remarks.append(Remark("bounds", (str(error),)))
    mapped = map_utilities(tree, rounded.__getitem__, with_bounds=with_bounds)
    before = evaluate(tree, bounds=bounds, engine=engine)
    after = evaluate(mapped, engine=engine)
    pairs = [(u, rounded[u]) for u in ordered]
    if map_class.name == AFFINE:
        after = _with_eps_of(before, after, map_class.slope)
        _check_affine(before, after, map_class)
    elif map_class.name == ORDERED and not tree.exact:
        close: Any = after.eps
        equal = ((u, v) for (u, x), (v, y) in pairwise(pairs) if y - x <= close)
        remarks += [Remark("equal", two) for two in islice(equal, 1)]
    return Rescaling(file, before, scale, map_class, pairs, after, tuple(remarks))


def check_names(names: Iterable[Fraction], numbers: Set[Number]) -> None:
    """Raise `TransformError` where a map names a utility that is none of these numbers."""
    for name in unknown_names(names, numbers):
        raise TransformError(
            f"no terminal is worth {message_text(name)} (and no estimate is): utilities run from "
            f"{message_text(min(numbers))} to {message_text(max(numbers))}"
        )


def _check_rising(images: Mapping[Number, Image]) -> None:
    """Raise `TransformError` where floats lose the difference between two images."""
    for (u, image), (v, other) in pairwise(images.items()):
        if not image < other:
            raise TransformError(
                f"{message_text(u)} and {message_text(v)} both become {message_text(float(image))} "
                "in floating point, though the map tells them apart: choose a gentler map (for "
                "--exp an R nearer 0)"
            )


def _reached(search: Search) -> set[int]:
    """Return the inner nodes that play reaches when it follows the first best actions."""
    tree, chosen = search.tree, search.strategy_branches
    kind, child, probability = tree.columns.kind, tree.columns.child, tree.columns.probability
    reached: set[int] = set()
    waiting = [tree.root_id]
    while waiting:
        n = waiting.pop()
        if n in reached or kind[n] == Kind.TERMINAL:
            continue
        reached.add(n)
        branches = [chosen[n]] if n in chosen else tree.branches_of(n)
        waiting += [child[b] for b in branches if probability[b]]
    return reached


def numbers_of(tree: Tree) -> tuple[set[Number], set[Number]]:
    """Return the different utilities of a tree, and its different estimates.

    Raises `SearchError` where a utility is not known yet.
    """
    check_known(tree)
    utilities: set[Number] = set()
    estimates: set[Number] = set()
    for kind, value in zip(tree.columns.kind, tree.columns.utility, strict=True):
        if not kind:
            utilities.add(value)
        elif value is not None and value == value:
            estimates.add(value)
    return utilities, estimates


def _map_ends(tree: Tree, scale: Scale, images: dict[Number, Number]) -> None:
    """Add the images of all finite bounds; raise `TransformError` where they have none."""
    ends = {end for pair in tree.local_bounds.values() for end in pair if is_finite(end)}
    if not tree.local_bounds:
        return
    found = {end: as_number(end, scale.rule(end), tree.exact) for end in ends - images.keys()}
    for (u, image), (v, other) in pairwise(sorted((images | found).items())):
        if other < image:
            raise TransformError(
                f"the map falls between {message_text(u)} and {message_text(v)}, "
                f"from {message_text(image)} to {message_text(other)}"
            )
    images.update(found)


def _with_eps_of(before: Search, after: Search, slope: Image) -> Search:
    """Return the search after an affine map with the scaled tolerance of the search before it.

    The engine's own tolerance is 1e-9 of the greatest utility, so that a large offset would make
    everything a tie.
    """
    if before.tree.exact:
        return after
    greatest = max(abs(float(u)) for u in after.tree.utility_range)
    return replace(after, eps=max(float(slope) * float(before.eps), ROUNDING_EPS * greatest))


def _check_affine(before: Search, after: Search, found: MapClass) -> None:
    """Raise `AnalysisError` where a value or a best action did not go through an affine map."""
    exact = before.tree.exact
    slope: Any = found.slope if exact else float(found.slope)
    offset: Any = found.offset if exact else float(found.offset)
    slack: Any = 0
    if not exact:
        # The rounding errors of an expectation grow with its greatest summand, on either side.
        greatest, mapped = (
            max(abs(float(u)) for u in s.tree.utility_range) for s in (before, after)
        )
        slack = max(_SAME * after.eps, 1e-9 * max(mapped, slope * greatest, abs(offset)))
    columns = before.tree.columns
    n = before.tree.scan(
        first_breach, columns, before.lower, after.lower, slope,
        offset, slack, before.eps, after.eps,
    )  # fmt: skip
    if n < 0:
        return
    path = escape(before.tree.path_of(n))
    if exact:
        raise AnalysisError(
            f"{path}: a positive affine map changed the best actions here: this is a defect of "
            "expectitree, please report it with the tree"
        )
    raise AnalysisError(
        f"{path}: floating point keeps too few digits of the mapped utilities to tell the actions "
        "apart as before: use --exact"
    )


def first_breach(
    tree: Columns, before: Column, after: Column, slope: Any,
    offset: Any, slack: Any, eps_before: Any, eps_after: Any,
) -> int:  # fmt: skip
    """Return the first node where an affine map fails, or -1.

    There the value is not slope * v* + offset, or other children are best.
    """
    kind, first, last, child = tree.kind, tree.first, tree.last, tree.child
    for n in range(len(kind)):
        if abs(slope * before[n] + offset - after[n]) > slack:
            return n
        if kind[n] == MAX or kind[n] == MIN:
            for b in range(first[n], last[n]):
                c = child[b]
                was_best = abs(before[c] - before[n]) <= eps_before
                if was_best != (abs(after[c] - after[n]) <= eps_after):
                    return n
    return -1
