"""Compare a tree with the same tree under a map of its utilities.

The map applies to totals, so rewards are first folded into the utilities. A positive affine map
changes no decision. A map that only keeps the order may change any decision above a chance node
(Russell & Norvig, Artificial Intelligence, A Modern Approach, Figure 5.12).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import compress, pairwise
from typing import Any

from expectitree import compiling
from expectitree.decide.rescale.scales import (
    AFFINE,
    NEITHER,
    ORDERED,
    Image,
    MapClass,
    Scale,
    as_number,
    classify,
    scale_of,
)
from expectitree.display import Shown
from expectitree.errors import AnalysisError, TransformError
from expectitree.numbers import (
    Number,
    escape,
    is_finite,
    message_text,
    returned,
    to_exact,
    to_nearest_float,
)
from expectitree.rounding import UNIT, Rounded
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.searches.unknown import check_known
from expectitree.tree.columns import Bounds, Column, Columns
from expectitree.tree.folding import fold_rewards
from expectitree.tree.model import Tree, check_tree
from expectitree.tree.scans import shifted
from expectitree.tree.transform import in_floats, map_utilities

MAX, MIN = 1, 2  # kinds, as compiled loops have them
FOLDED = "The map applies to totals: values include all rewards and costs paid on the way."
_MOST_UNUSED = 3  # entries of a map that a remark names


@dataclass(frozen=True)
class Answer:
    """The answer to whether an order-preserving map changes the decision at the root."""

    answer: str  # yes, no or unknown
    reason: str
    tried: int = 0  # maps
    action: str | None = None  # the decision: the first action that is best in fractions


@dataclass(frozen=True)
class Rescaling(Shown):
    """One tree before and after a map of its utilities; `rescale` makes it.

        >>> import expectitree as et
        >>> found = et.rescale(et.load("example:aima-5.12-left"), {2: 20, 3: 30, 4: 400})
        >>> found.before.best, found.after.best, found.changed
        ('a1', 'a2', True)

    Attributes:
        file: The name of the tree in outputs.
        before: The search of the tree.
        scale: The map.
        map_class: The class of the map, such as positive affine, with utilities that show it.
        pairs: Each utility and its image, the least first.
        after: The search of the tree after the map.
        changes: The ids of the nodes where the set of best actions changes.
        remarks: Sentences for the user.
        answer: Whether an order-preserving map changes the decision, if that was asked.
    """

    question = "rescale"

    file: str
    before: Search
    scale: Scale | None = None
    map_class: MapClass | None = None
    pairs: Sequence[tuple[Number, Number]] = ()  # each utility and its image, the least first
    after: Search | None = None
    changes: frozenset[int] = frozenset()  # the nodes where the set of best actions changes
    remarks: tuple[str, ...] = ()
    answer: Answer | None = None

    @property
    def tree(self) -> Tree:
        """The tree before, with all rewards in its utilities."""
        return self.before.tree

    @property
    def changed(self) -> bool:
        """Whether the map changes the set of best actions at the root, ties included."""
        return self.tree.root_id in self.changes

    @cached_property
    def strategy(self) -> Sequence[int]:
        """The inner nodes that optimal play reaches before or after, parents first."""
        if self.after is None:
            return []
        kind, reached = self.tree.columns.kind, _reached(self.before) | _reached(self.after)
        return [n for n in self.tree.first_paths.order if n in reached and kind[n]]

    @cached_property
    def changed_nodes(self) -> frozenset[int]:
        """The nodes of `strategy` where the set of best actions changes."""
        return self.changes.intersection(self.strategy)


def rescale(
    tree: Tree,
    scale: Scale | Mapping[Any, Any] | Callable[[Number], Any],
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    exact: bool = False,
    file: str = "",
) -> Rescaling:
    """Compare a tree with the same tree under a map of its utilities.

    A positive affine map changes no decision. Another map may, above a chance node. If branches
    pay, the map applies to totals: the report is about the tree with the rewards in its utilities.
    Irrational images have 60 digits. With a function that returns floats, the tree is rescaled in
    floats.

        >>> import expectitree as et
        >>> found = et.rescale(et.load("example:aima-5.12-left"), lambda u: 10**u)
        >>> found.before.best, found.after.best
        ('a1', 'a2')

    Args:
        tree: The tree.
        scale: A function, or a mapping such as `{2: 20}`, which leaves other utilities as they are.
            Estimates go through the map too, and so do bounds, unless the map falls on them.
        bounds: `(lower, upper)` of the root, as for `evaluate`.
        engine: As for `evaluate`.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A positive affine map changed a decision in floating point.
        SearchError: As for `evaluate`.
        TransformError: A utility has no image, or paths with different sums of rewards lead to one
            node.
    """
    check_tree(tree, "rescale")
    tree, bounds, folding = fold(tree, bounds)
    scale = scale_of(scale)
    utilities, mapped = _mapped(tree, scale)
    if tree.exact and any(isinstance(image, float) for image in mapped.values()):
        tree = in_floats(tree)
        utilities, mapped = _mapped(tree, scale)
    ordered = sorted(utilities)
    images = {u: as_number(u, image, tree.exact) for u, image in mapped.items()}
    map_class = classify([(u, mapped[u]) for u in ordered])
    line = map_class.slope, map_class.offset
    if not tree.exact and not all(map(is_finite, map(to_nearest_float, line))):
        raise TransformError("the map is too steep for floating point: use --exact, or another map")
    if scale.rises and map_class.witness is not None:
        (u, image), (v, _) = map_class.witness
        raise TransformError(
            f"{message_text(u)} and {message_text(v)} both become "
            f"{message_text(to_nearest_float(image))} when they are rounded, though the map tells "
            "them apart: choose a gentler map (for --exp an R nearer 0)"
        )
    remarks = [*folding, *_unused_names(scale, images)]
    ends = {end for pair in tree.local_bounds.values() for end in pair if is_finite(end)}
    with_bounds = True
    try:
        images |= {end: as_number(end, scale.image(end), tree.exact) for end in ends}
    except TransformError:
        with_bounds = False
    if ends and any(y < x for (_, x), (_, y) in pairwise(sorted(images.items()))):
        with_bounds = False
    if not with_bounds:
        remarks.append(
            "The bounds in the file are left out: the map falls on them, or ends before them."
        )
    before = search_tree(tree, bounds=bounds, engine=engine)
    changed = map_utilities(tree, images.__getitem__, with_bounds=with_bounds)
    rounded = [abs(image) for image in images.values() if isinstance(image, Rounded)]
    if rounded:
        changed = replace(changed, error=UNIT * max(rounded))
    after = search_tree(changed, engine=engine)
    if map_class.name == AFFINE:
        after = _with_eps_of(before, after, map_class.slope)
    changes = _changes(before, after)
    if map_class.name == AFFINE and changes:
        reason = "this is a defect of expectitree, please report it with the tree"
        if not tree.exact:
            reason = "floating point keeps too few digits of the mapped utilities: use --exact"
        path = escape(tree.path_of(min(changes)))
        raise AnalysisError(f"{path}: a positive affine map changed the best actions: {reason}")
    pairs = [(u, images[u]) for u in ordered]
    if map_class.name != NEITHER and not tree.exact:
        # An affine map keeps ties, so that only what rounding makes equal is new.
        close = after.eps if map_class.name == ORDERED else 0
        for (u, x), (v, y) in pairwise(pairs):
            if y - x <= close:
                two = f"{message_text(u)} and {message_text(v)}"
                remarks.append(f"{two} become equal in floating point: use --exact.")
                break
    found = Rescaling(file, before, scale, map_class, pairs, after, changes, tuple(remarks))
    return returned_report(found, exact)


def returned_report(report: Rescaling, exact: bool) -> Rescaling:
    """Return a report with numbers as they were computed, or rounded to floats."""
    before = replace(report.before, rounds=not exact)
    after = report.after and replace(report.after, rounds=not exact)
    pairs = [returned(pair, exact) for pair in report.pairs]
    return replace(report, before=before, after=after, pairs=pairs)


def _mapped(tree: Tree, scale: Scale) -> tuple[set[Number], dict[Number, Image]]:
    """Return the different utilities of a tree, and the images of these and of its estimates."""
    utilities, estimates = numbers_of(tree)
    return utilities, {u: scale.image(u) for u in utilities | estimates}


def fold(tree: Tree, bounds: Bounds | None) -> tuple[Tree, Bounds | None, tuple[str, ...]]:
    """Return a tree with its rewards in the utilities, its root's bounds, and remarks on that."""
    folded = fold_rewards(tree)
    if folded is tree:
        return tree, bounds, ()
    if bounds is not None:
        bounds = shifted(bounds[0], tree.root_reward), shifted(bounds[1], tree.root_reward)
    return folded, bounds, (FOLDED,)


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


def _unused_names(scale: Scale, images: Mapping[Number, Number]) -> list[str]:
    """Return a remark on the entries of a map that name no number of the tree, if there are any.

    Raises `TransformError` if no entry names one.
    """
    unused = scale.unknown_names(images)
    if not unused:
        return []
    more = ", …" if len(unused) > _MOST_UNUSED else ""
    named = ", ".join(map(message_text, unused[:_MOST_UNUSED])) + more
    if len(unused) == len(scale.names):
        nearest = sorted(sorted(images, key=lambda u: abs(to_exact(u) - unused[0]))[:2])
        raise TransformError(
            f"no terminal is worth {named} (and no estimate is): utilities run from "
            f"{message_text(min(images))} to {message_text(max(images))}; nearest to "
            f"{message_text(unused[0])}: {', '.join(map(message_text, nearest))}"
        )
    entries = f"{len(unused)} of {len(scale.names)} entries"
    return [f"{entries} of the map match no utility of the tree: {named}."]


def _reached(search: Search) -> set[int]:
    """Return the nodes that play reaches when it follows the first best actions."""
    tree, chosen = search.tree, search.strategy_branches
    reached = {tree.root_id}
    waiting = [tree.root_id]
    while waiting:
        n = waiting.pop()
        branches = [chosen[n]] if n in chosen else tree.branches_of(n)
        below = {tree.columns.child[b] for b in branches if tree.columns.probability[b]} - reached
        reached |= below
        waiting += below
    return reached


def _with_eps_of(before: Search, after: Search, slope: Fraction) -> Search:
    """Return the search after an affine map with the scaled `eps` of the search before it.

    A large offset costs digits, which is not a tie.
    """
    if before.tree.exact:
        return after
    return replace(after, own_eps=max(float(slope) * before.eps, after.eps))


def _changes(before: Search, after: Search) -> frozenset[int]:
    """Return the nodes where other children are best after a map than before."""
    changed = compiling.zeros("B", len(before.tree))
    before.tree.scan(
        mark_changes, before.tree.columns, before.lower, after.lower, before.eps, after.eps, changed
    )
    return frozenset(compress(range(len(changed)), changed))


def mark_changes(
    tree: Columns, before: Column, after: Column, eps_before: Any, eps_after: Any, changed: Column
) -> None:
    """Write 1 to `changed[N]` where other children are best after a map than before."""
    kind, first, last, child = tree.kind, tree.first, tree.last, tree.child
    for n in range(len(kind)):
        if kind[n] == MAX or kind[n] == MIN:
            for b in range(first[n], last[n]):
                c = child[b]
                was_best = abs(before[c] - before[n]) <= eps_before
                if was_best != (abs(after[c] - after[n]) <= eps_after):
                    changed[n] = 1
