"""Whether some order-preserving map of a tree's utilities changes the best action at the root.

The tree is first reduced to what order-preserving maps can tell apart: MIN and MAX over utilities
commute with them, so such a subtree is the utility that it comes to. Where what is left below the
root is chance alone, every action is a distribution over the utilities, and first-order stochastic
dominance decides (Hadar & Russell, Rules for Ordering Uncertain Prospects, 1969): one is as good as
another under every increasing map if and only if it is at least as likely to reach every threshold.
Where decisions lie below chance, dominance of what a player can make sure of is enough for a no,
and a search for a yes. A yes is always verified by evaluating the rescaled tree in fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, islice
from random import Random
from typing import Any, TypeAlias

from expectitree.analysis.rescale.reduced_game import (
    MOST_WORK,
    Budget,
    Game,
    UnknownError,
    Vector,
    distribution,
    envelopes,
    reduced,
    rivals,
)
from expectitree.analysis.rescale.report import Answer, Rescaling, rescale
from expectitree.analysis.rescale.scales import stepped
from expectitree.errors import TransformError
from expectitree.searches.engine import evaluate
from expectitree.tree.model import Bounds, Kind, Tree, check_tree
from expectitree.tree.transform import in_fractions

MOST_MAPS = 3_000  # that the search tries
_MOST_VERIFIED = (
    50_000  # nodes of a tree in floats that is evaluated in fractions as a whole (two seconds)
)

Steps: TypeAlias = (
    "Mapping[int, Fraction]"  # rank of a utility -> by how much those from there on are raised
)


def rescale_somehow(
    tree: Tree, *, bounds: Bounds | None = None, engine: str = "auto", file: str = ""
) -> Rescaling:
    """Return whether some order-preserving map changes the decision at the root, with an example that does.

    It is changed where the first best action is no longer among the best. The report's `answer` is
    `yes` with the rescaled tree, `no` with the reason why there is none, or `unknown` with how many
    maps were tried. Its parameters are those of `rescale`.
    """
    check_tree(tree)
    before = evaluate(tree, bounds=bounds, engine=engine)
    unmapped = Rescaling(file, before)
    root = len(tree) - 1
    kind = Kind(tree.columns.kind[root])
    if kind not in (Kind.MAX, Kind.MIN):
        return replace(
            unmapped, answer=Answer("no", f"the root is a {kind.name} node, where nobody decides")
        )
    exact = tree if tree.exact else in_fractions(tree) if len(tree) <= _MOST_VERIFIED else None
    # Floating point takes for a tie what exactly is none.
    best = next((before if exact is None or tree.exact else evaluate(exact)).best_branches(root))
    finder = _Finder(tree, best)
    try:
        found = finder.find()
        if isinstance(found, str):
            return replace(unmapped, answer=Answer("no", found, finder.tried, finder.label))
        report = _verified(tree, exact, finder, found, bounds, engine, file)
    except UnknownError as error:
        return replace(unmapped, answer=Answer("unknown", str(error), finder.tried, finder.label))
    text = "" if report.scale is None else report.scale.text
    reason = f"under the map {text}, another action is better"
    return replace(report, answer=Answer("yes", reason, finder.tried, finder.label))


def _verified(
    tree: Tree,
    exact: Tree | None,
    finder: _Finder,
    steps: Steps,
    bounds: Bounds | None,
    engine: str,
    file: str,
) -> Rescaling:
    """Return the report on a tree under some steps, or wider ones, that takes an action from among the best.

    It does so in fractions, and in the numbers of the tree; where floats take for a tie what none
    is, the report is that on the tree in fractions. (Of trees too large for that, the reduced game
    was evaluated in fractions.)
    """
    utilities = finder.game.utilities
    in_exact: Rescaling | None = None
    for factor in (1, 10, 1000):
        wider = {rank: factor * height for rank, height in steps.items()}
        if not finder.is_changed(wider):
            continue
        scale = stepped({utilities[rank]: height for rank, height in wider.items()})
        verified = None if exact is None else rescale(exact, scale, file=file)
        if verified is not None and not _is_lost(verified, finder.branch):
            continue
        if tree.exact and verified is not None:
            return verified
        in_exact = in_exact or verified
        with suppress(TransformError):  # what floats cannot hold
            report = rescale(tree, scale, bounds=bounds, engine=engine, file=file)
            if _is_lost(report, finder.branch):
                return report
    if in_exact is None:
        raise UnknownError("what the maps found change is lost in rounding: use --exact")
    remark = "These are fractions: floating point takes actions for ties that differ so little."
    return replace(in_exact, remarks=(*in_exact.remarks, remark))


def _is_lost(report: Rescaling, branch: int) -> bool:
    """Say whether an action at the root is not among the best after the map."""
    after = report.after
    return after is not None and not after.is_best(len(report.tree) - 1, branch)


class _Finder:
    """Looks for a map under which an action at the root is no longer best, or for the reason why there is none."""

    game: Game
    best: int  # the node that the action leads to
    others: Sequence[int]  # the nodes that the other ones lead to, as far as they matter

    def __init__(self, tree: Tree, branch: int) -> None:
        self.tree, self.branch = tree, branch
        self.label = tree.branch_label(len(tree) - 1, branch)
        self.tried = 0
        self.rounded = False  # dominance holds but for differences that are taken for rounding

    def find(self) -> Steps | str:
        """Return the steps of such a map, or the reason why there is none; raise `UnknownError` with what was done."""
        first = self.tree.columns.first
        root = len(self.tree) - 1
        if first[root + 1] - first[root] == 1:
            return "there is one action"
        self.game = game = reduced(self.tree)
        self.best = game.actions[self.branch - first[root]]
        self.others = rivals(game, self.best)
        kinds = set(game.columns.kind)
        if not self.others:
            return "all actions lead to the same"
        if Kind.CHANCE not in kinds:
            return "no chance lies above different outcomes, and MIN and MAX choose alike under every such map"
        if len(game.utilities) <= 2:
            return (
                "only two utilities make a difference, and of two every such map is positive affine"
            )
        if kinds <= {Kind.TERMINAL, Kind.CHANCE}:
            return self.by_dominance()
        if self.is_safe():
            return self.dominance(
                f"{self.label} can be played so that, whatever the opponent does, it"
            )
        return self.by_search()

    def dominance(self, who: str) -> str:
        """Return the sentence that says that an action dominates."""
        how = "least" if self.game.is_max else "most"
        rounding = ", but for rounding: --exact has none" if self.rounded else ""
        return (
            f"{who} is at {how} as likely as any other action to reach each utility (first-order stochastic "
            f"dominance{rounding})"
        )

    # ---- Chance alone below the root.

    def by_dominance(self) -> Steps | str:
        """Return the smallest step that makes another action better; none where the best one dominates them all."""
        game = self.game
        budget = Budget(
            "the distributions below its actions are too large to compare", MOST_WORK // 4
        )
        own = distribution(game, self.best, budget)
        smallest: tuple[Fraction, int] | None = None
        spread = game.utilities[-1] - game.utilities[0]
        sign = 1 if game.is_max else -1
        for other in self.others:
            theirs = distribution(game, other, budget)
            ranks = sorted(own.keys() | theirs.keys(), reverse=True)
            budget.take(len(ranks))
            ahead = sign * sum(
                (own.get(r, 0) - theirs.get(r, 0)) * game.utilities[r] for r in ranks
            )
            gained = Fraction(
                0
            )  # by how much likelier the other one is to reach a utility (at MIN: unlikelier)
            for rank in ranks[:-1]:  # all reach the last one
                gained += sign * (theirs.get(rank, 0) - own.get(rank, 0))
                self.rounded |= gained > 0
                if gained > game.slack:
                    height = _round_number_above(max(ahead / gained, spread / 10))
                    if smallest is None or height < smallest[0]:
                        smallest = height, rank
        if smallest is None:
            return self.dominance(self.label)
        self.tried = 1
        return {smallest[1]: smallest[0]}

    # ---- Decisions below chance.

    def is_safe(self) -> bool:
        """Say whether what the best action makes sure of dominates what every other one can hope for."""
        game = self.game
        try:
            budget = Budget("")
            mine = envelopes(game, [self.best], game.is_max, budget)[self.best]
            theirs = envelopes(game, self.others, not game.is_max, budget)
        except UnknownError:
            return False
        for slack in dict.fromkeys((Fraction(0), game.slack)):
            if all(
                any(
                    self.dominates(
                        own, game.denominator[self.best], vector, game.denominator[other], slack
                    )
                    for own in mine
                    for vector in theirs[other]
                )
                for other in self.others
            ):
                self.rounded = slack > 0
                return True
        return False

    def dominates(
        self, own: Vector, of_own: int, vector: Vector, of_vector: int, slack: Fraction
    ) -> bool:
        """Say whether a vector over one denominator is everywhere at least as good as another."""
        sign = 1 if self.game.is_max else -1
        least = min(sign * (x * of_vector - y * of_own) for x, y in zip(own, vector, strict=True))
        return bool(least >= -slack * of_own * of_vector)

    def by_search(self) -> Steps:
        """Return the steps of the first map that is found: tried in floats, and then in fractions."""
        columns = self.game.columns
        floats = columns._replace(probability=[float(p) for p in columns.probability])
        most = min(MOST_MAPS, MOST_WORK // len(columns.kind))
        try:
            base = [float(u) for u in self.game.utilities]
            size = max(map(abs, base))
            for steps in islice(self.candidates(), most):
                self.tried += 1
                images, raised = [], 0.0
                for rank, utility in enumerate(base):
                    raised += float(steps.get(rank, 0))
                    images.append(utility + raised)
                if self.gain(self.game.values(images, floats)) > 1e-11 * (
                    size + raised
                ) and self.is_changed(steps):
                    return steps
        except OverflowError:
            raise UnknownError(
                "its utilities are beyond floating point, in which maps are tried"
            ) from None
        if not self.tried:
            raise UnknownError("the tree is too large to try maps on it")
        raise UnknownError(
            f"of {self.tried:,} maps that were tried none changes it, and dominance does not exclude that another does"
        )

    def gain(self, values: Sequence[Any]) -> Any:
        """Return by how much the best of the other actions is better, for the player at the root."""
        base = values[self.best]
        if self.game.is_max:
            return max(values[c] for c in self.others) - base
        return base - min(values[c] for c in self.others)

    def is_changed(self, steps: Steps) -> bool:
        """Say whether another action is better under a map, in fractions."""
        images, raised = [], Fraction(0)
        for rank, utility in enumerate(self.game.utilities):
            raised += steps.get(rank, 0)
            images.append(utility + raised)
        return bool(self.gain(self.game.values(images)) > 0)

    def candidates(self) -> Iterator[Steps]:
        """Yield steps to try: single ones, pairs, and then at random; the same ones every time.

        First come those at thresholds that another action is likelier to reach: a step that is high
        enough makes the rest negligible, so one of them succeeds unless floats end before.
        """
        utilities = self.game.utilities
        ranks = range(1, len(utilities))
        unit = _power_of_ten((utilities[-1] - utilities[0]) / 1000)
        heights = [m * unit * 10**e for e in range(7) for m in (1, 2, 5)]
        likelier = self.likelier_thresholds()
        for rank in likelier:
            for height in [*heights, *(unit * 10**e for e in range(7, 16))]:
                yield {rank: height}
        for rank in _spread_out(ranks, 100):
            for height in heights[3::2]:
                yield {rank: height}
        for low, high in combinations(_spread_out(ranks, 12), 2):
            for one in heights[6:15:3]:
                for other in heights[6:15:3]:
                    yield {low: one, high: other}
        random = Random(0)
        while True:
            count = random.randint(1, min(6, len(ranks)))
            yield {rank: random.choice(heights) for rank in sorted(random.sample(ranks, count))}

    def likelier_thresholds(self) -> list[int]:
        """Return ranks that another action is likelier to reach, if both play for just that; at most 20."""
        game = self.game
        try:
            vectors = envelopes(game, [self.best, *self.others], None, Budget(""))
        except UnknownError:
            return []
        sign = 1 if game.is_max else -1
        own = game.shares(vectors, self.best)
        found: dict[int, None] = {}
        for other in self.others:
            for place, (mine, theirs) in enumerate(
                zip(own, game.shares(vectors, other), strict=True)
            ):
                if sign * (theirs - mine) > game.slack:
                    found[place + 1] = None
        return _spread_out(sorted(found), 20)


def _spread_out(ranks: Sequence[int], most: int) -> list[int]:
    """Return at most so many of some ranks, the first and the last among them."""
    count = len(ranks)
    return (
        list(ranks)
        if count <= most
        else [ranks[i * (count - 1) // (most - 1)] for i in range(most)]
    )


def _round_number_above(value: Fraction) -> Fraction:
    """Return the least of …, 0.5, 1, 2, 5, 10, … that is greater than a positive value."""
    unit = _power_of_ten(value)
    return next(m * unit for m in (1, 2, 5, 10) if m * unit > value)


def _power_of_ten(value: Fraction) -> Fraction:
    """Return the greatest power of ten that is at most a positive value."""
    unit = Fraction(1)
    while unit > value:
        unit /= 10
    while unit * 10 <= value:
        unit *= 10
    return unit
