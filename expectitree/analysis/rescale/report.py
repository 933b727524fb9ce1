"""Utilities through a map: what the map is on a tree's utilities, and what it does to values and best actions.

A map that is positive affine changes no decision. One that only keeps the order may change every
one that has chance below it (Russell & Norvig, Artificial Intelligence, A Modern Approach, Figure
5.12).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from expectitree import compiling
from expectitree.analysis.rescale.scales import (
    AFFINE,
    NEITHER,
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
from expectitree.numbers import Number, display_text, escape, is_finite, message_text, to_exact
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.searches.setup import ROUNDING_EPS
from expectitree.searches.unknown import check_known
from expectitree.tree.model import Bounds, Column, Kind, Tree, check_tree
from expectitree.tree.transform import map_utilities

_SAME = 4  # eps, within which values agree that two searches computed


@dataclass(frozen=True)
class Answer:
    """Whether some order-preserving map changes the decision at the root."""

    answer: str  # yes, no or unknown
    reason: str
    tried: int = 0  # maps
    action: str | None = (
        None  # the decision that it is about: the first action that is best, exactly
    )


@dataclass(frozen=True)
class Rescaling(Shown):
    """One file's tree before and after a map; of a question that found no map, the tree before."""

    file: str
    before: Search
    scale: Scale | None = None
    map_class: MapClass | None = None
    pairs: Sequence[tuple[Number, Number]] = ()  # each utility and its image, the least first
    after: Search | None = None
    remarks: tuple[str, ...] = ()
    answer: Answer | None = None

    @property
    def tree(self) -> Tree:
        """The tree before."""
        return self.before.tree

    @cached_property
    def changed(self) -> bool:
        """Whether the best actions at the root are others after the map: a tie that appears or vanishes is a change."""
        return self.changed_at(len(self.tree) - 1)

    def changed_at(self, node: int) -> bool:
        """Say whether the best actions at a node are others after the map."""
        kind, _, first, child, _ = self.tree.columns
        if self.after is None or kind[node] not in (Kind.MAX, Kind.MIN):
            return False
        begin, end = first[node], first[node + 1]
        is_max = kind[node] == Kind.MAX
        limits = [
            search.lower[node] - search.eps if is_max else search.lower[node] + search.eps
            for search in (self.before, self.after)
        ]
        found: bool = compiling.run(
            differs, child, self.before.lower, self.after.lower, begin, end, *limits, is_max,
            rows=0 if self.tree.exact else end - begin,
        )  # fmt: skip
        return found

    @cached_property
    def strategy(self) -> Sequence[int]:
        """The inner nodes that optimal play reaches before or after, parents first, in the order of a walk."""
        if self.after is None:
            return []
        reached = _reached(self.before) | _reached(self.after)
        return [n for n in self.tree.first_paths.order if n in reached]

    @cached_property
    def changed_nodes(self) -> frozenset[int]:
        """The nodes of `strategy` where a player decides, and the best actions are others after the map."""
        return frozenset(n for n in self.strategy if self.changed_at(n))


def rescale(
    tree: Tree,
    scale: Scale | Mapping[Any, Any] | Callable[[Number], Any],
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    file: str = "",
) -> Rescaling:
    """Return a tree's values and best actions before and after a map of its utilities and estimates.

    `scale` is one of `analysis.scales`, or a mapping such as {2: 20} (utilities that it does not
    name stay), or a function.

    Bounds in the tree go through the map too, where it never falls on them; else they are left out
    and a remark says so. `bounds` and `engine` are those of `evaluate`, `file` is what the report
    calls the tree. Of a positive affine map it is checked at every node that values go through it
    and best actions stay. Raises `TransformError` where a utility has no image, `AnalysisError`
    where that check fails.
    """
    check_tree(tree)
    utilities, estimates = numbers_of(tree)
    if isinstance(scale, Mapping) and (
        unknown := unknown_names(map(to_exact, scale), utilities | estimates)
    ):
        least, greatest = min(utilities), max(utilities)
        raise TransformError(
            f"no terminal is worth {message_text(unknown[0])} (and no estimate is): utilities run from {message_text(least)} to "
            f"{message_text(greatest)}"
        )
    scale = scale_of(scale)
    ordered = sorted(utilities)
    images = {u: scale.rule(u) for u in ordered}
    if scale.rises:
        _check_rising(images)
    map_class = classify(list(images.items()), scale.bends)
    for estimate in estimates - utilities:
        images[estimate] = scale.rule(estimate)
    rounded = {u: as_number(u, image, tree.exact) for u, image in images.items()}
    remarks = [*_unused_names(scale, rounded)]
    if scale.kind == "power" and min(rounded) < 0:
        remarks.append("Negative utilities keep their sign: u becomes -|u|^K.")
    fault = _map_ends(tree, scale, rounded)
    if fault:
        remarks.append(f"The bounds in the file are left out of the rescaled tree: {fault}.")
    mapped = map_utilities(tree, rounded.__getitem__, with_bounds=not fault)
    before = evaluate(tree, bounds=bounds, engine=engine)
    after = evaluate(mapped, engine=engine)
    pairs = [(u, rounded[u]) for u in ordered]
    if map_class.name != NEITHER:
        together = next((two for two in pairwise(pairs) if two[0][1] == two[1][1]), None)
        if together:
            u, v, image = map(message_text, (together[0][0], *together[1]))
            remarks.append(f"In floating point {u} and {v} both become {image}: use --exact.")
        close: Any = after.eps
        near = next((two for two in pairwise(pairs) if 0 < two[1][1] - two[0][1] <= close), None)
        if near:
            u, v = message_text(near[0][0]), message_text(near[1][0])
            remarks.append(
                f"{u} and {v} become so nearly equal, by {display_text(close, 2)} or less, that they tie."
            )
    if map_class.name == AFFINE:
        after = _with_eps_of(before, after, map_class.slope)
        _check_affine(before, after, map_class)
    return Rescaling(file, before, scale, map_class, pairs, after, tuple(remarks))


def _check_rising(images: Mapping[Number, Image]) -> None:
    """Refuse a map that tells all utilities apart where floating point does not."""
    for (u, image), (v, other) in pairwise(images.items()):
        if not image < other:
            raise TransformError(
                f"{message_text(u)} and {message_text(v)} both become {display_text(float(image))} in floating point, though the map "
                "tells them apart: choose a gentler one (for --exp an R nearer 0)"
            )


def _reached(search: Search) -> set[int]:
    """Return the inner nodes that play reaches which follows the first best actions."""
    kind, _, first, child, probability = search.tree.columns
    chosen = search.strategy_branches
    root = len(kind) - 1
    reached = {root} if kind[root] else set()
    waiting = list(reached)
    while waiting:
        n = waiting.pop()
        ways = (
            [chosen[n]]
            if n in chosen
            else [b for b in range(first[n], first[n + 1]) if probability[b] > 0]
        )
        below = {child[b] for b in ways if kind[child[b]]} - reached
        reached |= below
        waiting += below
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


def _unused_names(scale: Scale, numbers: Iterable[Number]) -> Iterator[str]:
    if scale.kind == "table" and (unused := unknown_names(scale.names, numbers)):
        few = ", ".join(map(message_text, unused[:5])) + (", …" if len(unused) > 5 else "")
        entries = f"{len(unused):,} of {len(scale.names):,} entries of the table are"
        yield f"{entries} of no utility of this tree: {few}."


def _map_ends(tree: Tree, scale: Scale, images: dict[Number, Number]) -> str:
    """Add the images of all finite ends of bounds, or return why bounds cannot go through the map."""
    ends = {end for pair in tree.local_bounds.values() for end in pair if is_finite(end)}
    if not tree.local_bounds:
        return ""
    try:
        found = {end: as_number(end, scale.rule(end), tree.exact) for end in ends - images.keys()}
    except TransformError as error:
        return str(error)
    every = images | found
    for u, v in pairwise(sorted(every)):
        image, other = every[u], every[v]
        if other < image:
            return f"the map falls between {message_text(u)} and {message_text(v)}, from {message_text(image)} to {message_text(other)}"
    images.update(found)
    return ""


def _with_eps_of(before: Search, after: Search, slope: Image) -> Search:
    """Return the search after an affine map with the tolerance before it, scaled: what ties then, ties now.

    The engine's own, 1e-9 of the greatest utility, would make everything a tie where the map adds
    much.
    """
    if before.tree.exact:
        return after
    greatest = max(abs(float(u)) for u in after.tree.utility_range)
    return replace(after, eps=max(float(slope) * float(before.eps), ROUNDING_EPS * greatest))


def _check_affine(before: Search, after: Search, found: MapClass) -> None:
    """Check at every node that its value went through the map, and that the best actions are the same."""
    exact = before.tree.exact
    slope: Any = found.slope if exact else float(found.slope)
    offset: Any = found.offset if exact else float(found.offset)
    slack: Any = 0
    if not exact:
        # What sums of p * v lose is in proportion to the greatest summand, of either side.
        greatest, mapped = (
            max(abs(float(u)) for u in s.tree.utility_range) for s in (before, after)
        )
        slack = max(_SAME * after.eps, 1e-9 * max(mapped, slope * greatest, abs(offset)))
    columns = before.tree.columns
    n = before.tree.scan(
        first_breach, columns.kind, columns.first, columns.child, before.lower, after.lower, slope, offset, slack,
        before.eps, after.eps,
    )  # fmt: skip
    if n < 0:
        return
    path = escape(before.tree.path_of(n))
    if exact:
        raise AnalysisError(
            f"{path}: a positive affine map changed what is best here: this is a defect of expectitree, please report "
            "it with the tree"
        )
    raise AnalysisError(
        f"{path}: floating point keeps too few digits of the mapped utilities to tell the actions apart as before: "
        "use --exact"
    )


def first_breach(
    kind: Column, first: Column, child: Column, before: Column, after: Column, slope: Any, offset: Any, slack: Any,
    eps_before: Any, eps_after: Any,
) -> int:  # fmt: skip
    """Return the first node whose value is not slope * v* + offset, or whose best actions are others; else -1."""
    for n in range(len(kind)):
        if abs(slope * before[n] + offset - after[n]) > slack:
            return n
        k = kind[n]
        if k == 1:  # MAX
            for b in range(first[n], first[n + 1]):
                c = child[b]
                if (before[c] >= before[n] - eps_before) != (after[c] >= after[n] - eps_after):
                    return n
        elif k == 2:  # MIN
            for b in range(first[n], first[n + 1]):
                c = child[b]
                if (before[c] <= before[n] + eps_before) != (after[c] <= after[n] + eps_after):
                    return n
    return -1


def differs(
    child: Column,
    before: Column,
    after: Column,
    begin: int,
    end: int,
    limit: Any,
    limit_after: Any,
    is_max: bool,
) -> bool:
    """Say whether the children that reach the limit before and after are not the same ones."""
    for b in range(begin, end):
        c = child[b]
        was = before[c] >= limit if is_max else before[c] <= limit
        now = after[c] >= limit_after if is_max else after[c] <= limit_after
        if was != now:
            return True
    return False
