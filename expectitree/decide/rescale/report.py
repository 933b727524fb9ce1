"""Compare a tree with the same tree under a map of its utilities.

The map applies to totals, so rewards are first folded into the utilities. A positive affine map
changes no decision. A map that only keeps the order may change any decision above a chance node
(Russell & Norvig, Artificial Intelligence, A Modern Approach, Figure 5.12).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import nsmallest
from itertools import pairwise
from typing import TypeAlias

from expectitree.base import budget
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, NumberError, TransformError
from expectitree.base.expressions.evaluation import DIGITS, evaluate, rounded_fractions
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import Expression
from expectitree.base.numbers import Number, escape, message_text, quote, to_exact
from expectitree.base.reading import to_fraction
from expectitree.base.rounding import UNIT, Rounded, round_once
from expectitree.base.tree.folding import fold_rewards
from expectitree.base.tree.model import Tree, check_tree
from expectitree.base.tree.transform import in_decimals, map_utilities
from expectitree.decide.records import Amount, Fields, Records, attributes
from expectitree.searches.engine import search_tree
from expectitree.searches.result import PLAYERS, Search
from expectitree.searches.unknown import check_known

AFFINE, ORDERED, NEITHER = "positive affine", "order-preserving", "neither"
UTILITY = "u"  # its name in a formula
FOLDED = "The map applies to totals: values include all rewards and costs paid on the way."
_BOUNDS = "The bounds in the file are left out of the rescaled tree."
MAX_NODES = 50_000  # of a tree that is evaluated in fractions (two seconds)
Images: TypeAlias = Mapping[Amount, tuple[Fraction, Number]]  # with their errors
_MAX_UNUSED = 3  # entries of a map that a remark names


@dataclass(frozen=True)
class Scale:
    """A map of utilities: a formula, or the images of some of them; the others stay."""

    text: str  # the map, for people
    names: Mapping[Fraction, Fraction] = field(default_factory=dict)
    formula: Expression | None = None

    def image(self, u: Amount) -> tuple[Fraction, Number]:
        """Return the image of a utility, and by how much it may be off: 0 unless irrational.

        The error of 60 digits shows with 30 more. Raises `TransformError` if there is no image.
        """
        if self.formula is None:
            return self.names.get(u, u), 0
        irrational: list[object] = []
        exact = rounded_fractions(note=lambda: irrational.append(None))
        try:
            image: Fraction = evaluate(self.formula, exact, {UTILITY: u})
            if not irrational:
                return image, 0
            better = evaluate(self.formula, rounded_fractions(DIGITS + 30), {UTILITY: u})
        except NumberError as error:
            hint = "the map must be defined at every utility and estimate, so choose another one"
            raise TransformError(f"{error}\n{hint}") from None
        return Rounded.of(better), 2 * abs(better - image) + to_exact(UNIT) * abs(better)


@dataclass(frozen=True)
class MapClass:
    """The class of a map on some utilities: `AFFINE`, `ORDERED` or `NEITHER`."""

    name: str
    slope: Number = Fraction(0)  # of an affine one: u -> slope * u + offset
    offset: Number = Fraction(0)
    witness: tuple[tuple[Number, Number], ...] = ()  # two: u < v, but f(u) >= f(v)


@dataclass(frozen=True)
class Rescaling(Shown):
    """One tree before and after a map of its utilities; `rescale` makes it.

        >>> import expectitree as et
        >>> et.rescale(et.load("example:aima-5.12-left"), {2: 20, 3: 30, 4: 400}).changed
        True

    Attributes:
        file: The name of the tree in outputs.
        before: The search of the tree.
        scale: The map.
        map_class: The class of the map, such as positive affine, with utilities that show it.
        pairs: Each utility (and estimate) and its image, the least first.
        after: The search of the tree after the map.
        changes: The ids of the nodes where the set of best actions changes.
        remarks: Sentences for the user.
    """

    question = "rescale"
    has_decider = True

    file: str
    before: Search
    scale: Scale
    map_class: MapClass
    pairs: tuple[tuple[Number, Number], ...]
    after: Search
    changes: frozenset[int]
    remarks: tuple[str, ...]

    @property
    def tree(self) -> Tree:
        """The tree before, with all rewards in its utilities."""
        return self.before.tree

    @property
    def changed(self) -> bool:
        """Whether the map changes the set of best actions at the root, ties included."""
        return self.tree.root_id in self.changes

    @property
    def actions(self) -> list[tuple[str, Number, Number]]:
        """The actions at the root: label, value before, and value after the map."""
        if self.tree.root.kind not in PLAYERS:
            return []
        before, after = self.before.lower, self.after.lower
        return [
            (branch.label, before[branch.child.id], after[branch.child.id])
            for branch in self.tree.root.branches
        ]

    def to_records(self) -> Records:
        """Return a flat dict for each action, with its value `before` and `after` the map."""
        actions = round_once(tuple(self.actions), self.before.exact)
        return [
            {"file": self.file, "action": label, "before": before, "after": after}
            for label, before, after in actions
        ]

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        about: Fields = {"text": self.scale.text, "class": self.map_class.name}
        if self.map_class.name == AFFINE:
            about |= attributes(self.map_class, "slope", "offset")
        return {
            "map": {**about, "pairs": self.pairs},
            "before": attributes(self.before, "value", "best", "ties"),
            "after": attributes(self.after, "value", "best", "ties"),
            "changed": self.changed,
            "actions": [
                {"label": label, "before": before, "after": after}
                for label, before, after in self.actions
            ],
            "remarks": self.remarks,
        }


def rescale(
    tree: Tree, map: str | Mapping[Number, Number], *, exact: bool = False, file: str = ""
) -> Rescaling:
    """Compare a tree with the same tree under a map of its utilities.

    A positive affine map changes no decision. Another map may, above a chance node. If branches
    pay, the map applies to totals: the report is about the tree with the rewards in its utilities.
    Everything is computed in fractions; irrational images have 60 digits.

        >>> import expectitree as et
        >>> found = et.rescale(et.load("example:aima-5.12-left"), "10^u")
        >>> found.before.best, found.after.best
        ('a1', 'a2')

    Args:
        tree: The tree, of at most 50,000 nodes.
        map: A formula of the utility `u`, or a mapping such as `{2: 20}` or "2=20", which leaves
            other utilities as they are. Estimates go through the map too; bounds are left out.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.
        file: The name of the tree in outputs.

    Raises:
        NumberError: The text is not a map.
        SearchError: As for `evaluate`.
        TransformError: A utility has no image, or paths with different sums of rewards lead to one
            node.
        TooMuchWorkError: The tree has too many nodes.
    """
    check_tree(tree, "rescale")
    limit = budget.most(MAX_NODES)
    if len(tree) > limit:
        raise budget.TooMuchWorkError(
            f"utilities are mapped in fractions, and a tree of {len(tree):,} nodes is too large: "
            f"the limit is {limit:,} nodes: {budget.more()}"
        )
    whole, scale = in_decimals(tree), scale_of(map)
    folded = fold_rewards(whole)
    numbers = numbers_of(folded)
    images = {u: scale.image(u) for u in numbers}
    remarks = (FOLDED,) * (folded is not whole) + _unused_names(scale, numbers)
    remarks += (_BOUNDS,) * bool(folded.local_bounds)
    map_class = classify(images)
    before, after = _searches(folded, images, map_class)
    changes = frozenset(
        n
        for n, kind in enumerate(folded.columns.kind)
        if kind in PLAYERS and {*before.best_branches(n)} != {*after.best_branches(n)}
    )
    if map_class.name == AFFINE and changes:
        path = escape(folded.path_of(min(changes)))
        raise AnalysisError(f"{path}: rounding changes the best actions, as this map cannot do")
    keeps = exact and tree.exact
    return Rescaling(
        file,
        replace(before, exact=keeps),
        scale,
        round_once(map_class, keeps),
        round_once(tuple((u, images[u][0]) for u in numbers), keeps),
        replace(after, exact=keeps),
        changes,
        remarks,
    )


def _searches(tree: Tree, images: Images, map_class: MapClass) -> tuple[Search, Search]:
    """Search a tree, and that of the images, whose errors do not grow on the way to the root."""
    before = search_tree(tree)
    changed = map_utilities(tree, lambda u: images[u][0])
    error = max(error for _, error in images.values())
    if error:
        after = search_tree(changed.rounded)
        after = replace(after, tree=changed, own_eps=after.eps + 2 * error)
    else:
        after = search_tree(changed)
    if map_class.name == AFFINE and before.eps:
        after = replace(after, own_eps=max(map_class.slope * before.eps, after.eps))
    return before, after


def numbers_of(tree: Tree) -> list[Amount]:
    """Return the different utilities and estimates, the least first.

    Raises `SearchError` where a utility is not known yet.
    """
    check_known(tree)
    return sorted({u for u in tree.columns.utility if u is not None and u == u})


def _unused_names(scale: Scale, numbers: Sequence[Amount]) -> tuple[str, ...]:
    """Return a remark on the entries of a map that name no number of the tree, if there are any.

    Raises `TransformError` if no entry names one.
    """
    unused = [u for u in scale.names if u not in {*numbers}]
    if not unused:
        return ()
    named = ", ".join(map(message_text, unused[:_MAX_UNUSED])) + ", …" * (len(unused) > _MAX_UNUSED)
    if len(unused) < len(scale.names):
        entries = f"{len(unused)} of {len(scale.names)} entries"
        return (f"{entries} of the map match no utility of the tree: {named}.",)
    nearest = sorted(nsmallest(2, numbers, key=lambda u: abs(u - unused[0])))
    raise TransformError(
        f"no terminal is worth {named} (and no estimate is): utilities run from "
        f"{message_text(numbers[0])} to {message_text(numbers[-1])}; nearest to "
        f"{message_text(unused[0])}: {', '.join(map(message_text, nearest))}"
    )


# ---- Maps, and their classes.


def scale_of(given: str | Mapping[Number, Number]) -> Scale:
    """Return the map that a formula in `u`, pairs such as `2=20,3=30`, or a mapping describes."""
    if isinstance(given, Mapping):
        images = {to_exact(u): to_exact(image) for u, image in given.items()}
    elif not isinstance(given, str):
        hint = "write a formula in u such as 'u^2', or a mapping such as {2: 20}"
        raise TransformError(f"found a map of type {type(given).__name__}\n{hint}")
    elif "=" in given and "(" not in given:  # a formula has `=` within if(…) only
        images = _read_pairs(given)
    else:
        return Scale(given, formula=parse(given, (UTILITY,)))
    pairs = (f"{message_text(u)}={message_text(image)}" for u, image in images.items())
    return Scale(", ".join(pairs), images)


def _read_pairs(text: str) -> dict[Fraction, Fraction]:
    images: dict[Fraction, Fraction] = {}
    for pair in text.split(","):
        utility, _, image = (part.strip() for part in pair.partition("="))
        if (u := to_fraction(utility)) in images:
            raise NumberError(f"the utility {quote(utility)} occurs twice\nkeep one")
        images[u] = to_fraction(image)
    return images


def classify(images: Images) -> MapClass:
    """Return the class of a map, given as the image and its error by utility.

    The map is affine if the slopes between neighbours are equal within their errors. Raises
    `TransformError` if two images are equal within theirs.
    """
    points = [(u, *images[u]) for u in sorted(images)]
    slopes = []
    for (u, image, error), (v, other, other_error) in pairwise(points):
        if abs(other - image) <= error + other_error > 0:
            raise TransformError(
                f"{message_text(u)} and {message_text(v)} both become {message_text(image)} when "
                "they are rounded to 60 digits\nchoose a map that tells them apart"
            )
        if other <= image:
            return MapClass(NEITHER, witness=((u, image), (v, other)))
        slopes.append(((other - image) / (v - u), (error + other_error) / (v - u)))
    if any(abs(s - t) > error + slack for (s, error), (t, slack) in pairwise(slopes)):
        return MapClass(ORDERED)
    (u, image, _), (v, other, _) = points[0], points[-1]
    slope = Fraction(1)
    if slopes:
        slope = (other - image) / (v - u)
    line = slope, image - slope * u
    if any(error for *_, error in points):
        line = Rounded.of(line[0]), Rounded.of(line[1])
    return MapClass(AFFINE, *line)
