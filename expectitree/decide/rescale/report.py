"""Compare a tree with the same tree under a map of its utilities.

The map applies to totals, so rewards are first folded into the utilities. A positive affine map
changes no decision. A map that only keeps the order may change any decision above a chance node
(Russell & Norvig, Artificial Intelligence, A Modern Approach, Figure 5.12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, TransformError
from expectitree.base.numbers import (
    Number,
    escape,
    is_finite,
    message_text,
    returned,
    to_exact,
    to_nearest_float,
)
from expectitree.decide.rescale.scales import AFFINE, NEITHER, MapClass, Scale, classify, scale_of
from expectitree.searches.engine import check_known, search_tree
from expectitree.searches.result import PLAYERS, Search
from expectitree.text.json_values import json_path
from expectitree.tree.columns import Bounds
from expectitree.tree.folding import fold_rewards
from expectitree.tree.model import Kind, Tree, check_tree, rounded
from expectitree.tree.scans import shifted
from expectitree.tree.transform import map_utilities

FOLDED = "The map applies to totals: values include all rewards and costs paid on the way."
_BOUNDS = "The bounds in the file are left out: the map does not increase on all of them."
_MAX_UNUSED = 3  # entries of a map that a remark names


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
        pairs: Each utility (and estimate) and its image, the least first.
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
    pairs: tuple[tuple[Number, Number], ...] = ()
    after: Search | None = None
    changes: frozenset[int] = frozenset()
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

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        kind, asked = self.tree.columns.kind, {}
        if self.answer is not None:
            named = {name: getattr(self.answer, name) for name in ("answer", "reason", "tried")}
            asked = {"any": named}
        strategy = [
            {"path": json_path(self.tree, n), "kind": Kind(kind[n]).name, **self._fields_at(n)}
            for n in self.strategy
        ]
        return {
            "map": self._map_fields(),
            **self._fields_at(self.tree.root_id),
            "strategy": strategy,
            "strategy_changed": len(self.changed_nodes),
            "remarks": self.remarks,
            **asked,
        }

    def _map_fields(self) -> dict[str, Any] | None:
        if self.scale is None or self.map_class is None:
            return None
        found = self.map_class
        line = {"slope": found.slope, "offset": found.offset} if found.name == AFFINE else {}
        return {"text": self.scale.text, "class": found.name, **line, "pairs": self.pairs}

    def _fields_at(self, node: int) -> dict[str, Any]:
        found: dict[str, Any] = {"before": None, "after": None, "changed": node in self.changes}
        for when, search in (("before", self.before), ("after", self.after)):
            if search is not None:
                ties = [search.tree.branch_label(node, b) for b in search.best_branches(node)]
                best = ties[0] if ties else None
                found[when] = {"value": search.lower[node], "best": best, "ties": ties}
        return found


def rescale(
    tree: Tree,
    map: str | Mapping[Any, Any],
    *,
    bounds: Bounds | None = None,
    engine: str = "auto",
    exact: bool = False,
    file: str = "",
) -> Rescaling:
    """Compare a tree with the same tree under a map of its utilities.

    A positive affine map changes no decision. Another map may, above a chance node. If branches
    pay, the map applies to totals: the report is about the tree with the rewards in its utilities.
    Irrational images have 60 digits.

        >>> import expectitree as et
        >>> found = et.rescale(et.load("example:aima-5.12-left"), "10^u")
        >>> found.before.best, found.after.best
        ('a1', 'a2')

    Args:
        tree: The tree.
        map: A formula of the utility `u`, or a mapping such as `{2: 20}` or "2=20", which leaves
            other utilities as they are. Estimates go through the map too, and so do bounds, if the
            map increases on them.
        bounds: `(lower, upper)` of the root, as for `evaluate`.
        engine: As for `evaluate`.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        AnalysisError: A positive affine map changed a decision in floating point.
        NumberError: The text is not a map.
        SearchError: As for `evaluate`.
        TransformError: A utility has no image, or paths with different sums of rewards lead to one
            node.
    """
    check_tree(tree, "rescale")
    return returned_report(rescaled(tree, scale_of(map), bounds, engine, file), exact)


def rescaled(tree: Tree, scale: Scale, bounds: Bounds | None, engine: str, file: str) -> Rescaling:
    """Return the report on a map, with numbers as they were computed."""
    tree, bounds, remarks = fold(tree, bounds)
    numbers = numbers_of(tree)
    images = {u: scale.image(u) for u in numbers}
    remarks += _unused_names(scale, numbers)
    map_class = classify(images)
    ends = {end for pair in tree.local_bounds.values() for end in pair if is_finite(end)}
    try:
        with_ends = images | {end: scale.image(end) for end in ends}
        with_bounds = not ends or classify(with_ends).name != NEITHER
    except TransformError:
        with_bounds = False
    if with_bounds:
        images = with_ends
    else:
        remarks += (_BOUNDS,)
    before = search_tree(tree, bounds=bounds, engine=engine)
    mapped: dict[Number, Number] = {u: image for u, (image, _) in images.items()}
    if not tree.exact:
        mapped = {u: to_nearest_float(image) for u, image in mapped.items()}
    changed = map_utilities(tree, mapped.__getitem__, with_bounds=with_bounds)
    error = max(error for _, error in images.values()) if tree.exact else 0
    after = search_tree(rounded(changed) if error else changed, engine=engine)
    if error:  # of utilities alone, so it does not grow on the way to the root
        after = replace(after, tree=changed, own_eps=after.eps + 2 * error)
    if map_class.name == AFFINE and before.eps:  # a large offset costs digits, which is not a tie
        after = replace(after, own_eps=max(float(map_class.slope) * before.eps, after.eps))
    changes = frozenset(
        n
        for n, kind in enumerate(tree.columns.kind)
        if kind in PLAYERS and {*before.best_branches(n)} != {*after.best_branches(n)}
    )
    if map_class.name == AFFINE and changes:
        path = escape(tree.path_of(min(changes)))
        reason = "floating point keeps too few digits of the mapped utilities: use --exact"
        raise AnalysisError(f"{path}: a positive affine map changed the best actions: {reason}")
    pairs = tuple((u, mapped[u]) for u in numbers)
    for (u, x), (v, y) in pairwise(pairs):
        if y <= x and map_class.name != NEITHER:
            two = f"{message_text(u)} and {message_text(v)}"
            remarks += (f"{two} become equal in floating point: use --exact.",)
            break
    return Rescaling(file, before, scale, map_class, pairs, after, changes, remarks)


def returned_report(report: Rescaling, exact: bool) -> Rescaling:
    """Return a report with numbers as they were computed, or rounded to floats."""
    return replace(
        report,
        before=replace(report.before, rounds=not exact),
        after=report.after and replace(report.after, rounds=not exact),
        map_class=returned(report.map_class, exact),
        pairs=returned(report.pairs, exact),
    )


def fold(tree: Tree, bounds: Bounds | None) -> tuple[Tree, Bounds | None, tuple[str, ...]]:
    """Return a tree with its rewards in the utilities, its root's bounds, and remarks on that."""
    folded = fold_rewards(tree)
    if folded is tree:
        return tree, bounds, ()
    if bounds is not None:
        bounds = shifted(bounds[0], tree.root_reward), shifted(bounds[1], tree.root_reward)
    return folded, bounds, (FOLDED,)


def numbers_of(tree: Tree) -> list[Number]:
    """Return the different utilities and estimates, the least first.

    Raises `SearchError` where a utility is not known yet.
    """
    check_known(tree)
    return sorted({u for u in tree.columns.utility if u is not None and u == u})


def _unused_names(scale: Scale, numbers: Sequence[Number]) -> tuple[str, ...]:
    """Return a remark on the entries of a map that name no number of the tree, if there are any.

    Raises `TransformError` if no entry names one.
    """
    known = set(numbers)
    unused = [u for u in scale.names if u not in known and to_nearest_float(u) not in known]
    if not unused:
        return ()
    more = ", …" if len(unused) > _MAX_UNUSED else ""
    named = ", ".join(map(message_text, unused[:_MAX_UNUSED])) + more
    if len(unused) < len(scale.names):
        entries = f"{len(unused)} of {len(scale.names)} entries"
        return (f"{entries} of the map match no utility of the tree: {named}.",)
    nearest = sorted(sorted(numbers, key=lambda u: abs(to_exact(u) - unused[0]))[:2])
    raise TransformError(
        f"no terminal is worth {named} (and no estimate is): utilities run from "
        f"{message_text(numbers[0])} to {message_text(numbers[-1])}; nearest to "
        f"{message_text(unused[0])}: {', '.join(map(message_text, nearest))}"
    )


def _reached(search: Search) -> set[int]:
    """Return the nodes that play reaches when it follows the first best actions."""
    tree, chosen = search.tree, search.strategy_branches
    reached = {tree.root_id}
    for n in range(tree.root_id, -1, -1):  # parents first
        if n in reached:
            branches = [chosen[n]] if n in chosen else tree.branches_of(n)
            reached |= {tree.columns.child[b] for b in branches if tree.columns.probability[b]}
    return reached
