"""The variants of an exercise: trees of one form, each with enough cuts and one best action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice, product, zip_longest
from math import ceil, floor, gcd, lcm, log10
from operator import itemgetter
from random import Random
from typing import Any

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import AnalysisError, TreeError
from expectitree.base.numbers import Number, decimal_text, exact_text, is_finite, to_exact
from expectitree.base.tree.columns import NO_BOUNDS, Bounds
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.transform import in_decimals, in_fractions, without_formulas
from expectitree.lab.families import expected_nodes, generate
from expectitree.picture.content import Style
from expectitree.picture.diagram import LEGIBLE, Diagram, diagram
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.text.phrases import chance_text, interval_text, plural

MAX_NODES = 200  # of a tree that a page may have room for
TRIES = 300  # trees for each variant that is wanted
EVEN_TRIES = 10  # at least, to choose variants with other best actions
SEEDS = 1_000_000  # of the trees of one sheet: its own seed, times this, and the next ones
WIDTH, HEIGHT = 510.0, 628.0  # points that a page of A4 has for a tree
_GREATEST_SCALE = 1.3  # at which a small tree is drawn


@dataclass(frozen=True)
class Variant:
    """One exercise: a searched tree, and the seed that made it."""

    name: str
    seed: int
    search: Search
    windows: bool

    def diagram(self, is_solved: bool = False, high: float = HEIGHT) -> tuple[Diagram, bool]:
        """Return the exercise, or its solution in the same places, in points on a page of A4.

        Also return whether the page must be turned to read it.
        """
        evaluation = Evaluation("", self.search, self.windows)
        for is_turned, direction in product((False, True), ("down", "right")):
            style = Style(
                None, direction=direction, title=False, blank=not is_solved, solution=is_solved
            )
            found = diagram(evaluation, style)
            width, height = WIDTH, high
            if is_turned:
                width, height = high, WIDTH
            scale = min(width / found.width, height / found.height, _GREATEST_SCALE)
            if found.least_width <= found.width * scale:
                return found._replace(scale=scale), is_turned
        raise AnalysisError(
            f"the tree has {plural(len(self.search.tree), 'node')}, which do not fit a page of A4 "
            f"with text of {LEGIBLE:g} points\ntake a tree with fewer nodes or shorter labels"
        )

    @property
    def answers(self) -> dict[str, str]:
        """The answers by the names that the page and the key print."""
        search, counts = self.search, self.search.counts
        found = {"Value": decimal_text(search.value)}
        if search.best is not None:
            found["Best action"] = search.best
        if search.algorithm.prunes:
            leaves = f"{counts.leaves_visited} of {counts.leaves_total}"
            found |= {"Cuts": f"{counts.cuts}", "Leaves visited": leaves}
        return found


@dataclass(frozen=True)
class Wanted:
    """How many variants a sheet has, and of which kind."""

    number: int
    seed: int = 0
    min_cuts: int = 0
    bounds: Bounds | None = None  # that the search knows
    windows: bool = False  # whether alpha and beta are asked for


@dataclass(frozen=True)
class Sheet:
    """Several variants of an exercise, and what to do with each."""

    title: str
    task: str
    variants: Sequence[Variant]

    @property
    def columns(self) -> list[str]:
        """The headings of the table of answers."""
        return ["Variant", *self.variants[0].answers, "Seed"]

    @property
    def rows(self) -> list[list[str]]:
        """The rows of the table of answers."""
        return [[one.name, *one.answers.values(), str(one.seed)] for one in self.variants]


def task_of(search: Search, windows: bool) -> str:
    """Return what to do on a page."""
    tree, algorithm, ends = search.tree, search.algorithm, search.root_bounds
    if not algorithm.prunes:
        return "Write the value of each node on its line, and mark the best action at the root."
    noun = "utility"
    if tree.columns.pays:
        noun = "total"
    interval = interval_text(*ends).replace(" ", "\xa0")
    known = f" Every {noun} lies in {interval}." * is_finite(ends[0])
    window = ", with its alpha and beta on entry" * windows
    return (
        f"Search the tree with {algorithm.full_name}, in the order in which it is drawn.{known} "
        f"Write the value or the bound (such as ≤\xa05) that you find at each node that you "
        f"visit{window}. Cross out each branch that a cut leaves."
    )


def make_variants(
    source: Tree | str, algorithm: Algorithm, wanted: Wanted, **parameters: Any
) -> list[Variant]:
    """Return variants of a tree with other numbers, or trees of a family with `parameters`.

    No two are equal. Each has a unique best action, if the root is a player's, and the search makes
    enough cuts. If possible, each action is best in as many variants as any other, and no
    probability is rounded where it is printed. Raises `AnalysisError` if too few trees are so.
    """
    if not algorithm.proves:
        raise AnalysisError(f"{algorithm.name} only estimates values\nchoose another search")
    nodes = expected_nodes(source, **parameters) if isinstance(source, str) else len(source)
    if nodes > MAX_NODES:
        raise AnalysisError(
            f"the tree has {nodes:,.0f} nodes, expected at most {MAX_NODES} for a page\ntake fewer "
            "plies or branches"
        )
    by_best: dict[str | None, list[tuple[int, Search]]] = {}  # by the best action
    seen: set[str] = set()
    most_cuts, number, min_cuts = 0, wanted.number, wanted.min_cuts
    for tries, (seed, tree) in enumerate(_trees(source, wanted, parameters)):
        if len(seen) >= number and tries >= EVEN_TRIES * number:
            break
        tree = _prepared(tree, wanted.bounds or usual_bounds(tree, algorithm))
        search = search_tree(tree, algorithm, bounds=wanted.bounds)  # which checks them
        most_cuts = max(most_cuts, search.cuts)
        numbers = repr(tree.columns)
        if search.cuts >= min_cuts and numbers not in seen and len(search_tree(tree).ties) <= 1:
            seen.add(numbers)
            by_best.setdefault(search.best, []).append((seed, search))
    if len(seen) >= number:
        turns = filter(None, chain.from_iterable(zip_longest(*by_best.values())))
        chosen = enumerate(sorted(islice(turns, number), key=itemgetter(0)), 1)
        return [Variant(f"{i}", seed, search, wanted.windows) for i, (seed, search) in chosen]
    hint = "take fewer variants, a larger tree, other utilities or bounds, or another -a"
    if most_cuts < min_cuts:
        hint = (
            "alphabeta cuts where MAX and MIN alternate (--pattern max,min), star1 and star2 also "
            "at CHANCE nodes, if they have bounds; take such trees, larger ones, or fewer cuts"
        )
    cuts = f" and {plural(min_cuts, 'cut')} or more by {algorithm.name} (at most {most_cuts})"
    raise AnalysisError(
        f"found {len(seen)} of {number} variants with a unique best action{cuts * (min_cuts > 0)} "
        f"among {TRIES * number:,} trees\n{hint}"
    )


def _trees(
    source: Tree | str, wanted: Wanted, parameters: Mapping[str, Any]
) -> Iterator[tuple[int, Tree]]:
    """Yield trees with their seeds: first those whose printed probabilities are exact."""
    first = wanted.seed * SEEDS
    for is_round, seed in product((True, False), range(first, first + TRIES * wanted.number)):
        if isinstance(source, str):
            tree = in_fractions(generate(source, seed=seed, **parameters))
        else:
            try:
                tree = redrawn(source, seed, is_round)
            except TreeError:  # these values of the parameters do not fit together
                continue
            except OverflowError:
                raise AnalysisError(
                    "the numbers of the tree are too far apart\nwrite numbers of similar sizes"
                ) from None
        if not is_round or _is_printed_exactly(tree):
            yield seed, tree.changed(title=None, source=None)


def uneven(variants: Sequence[Variant]) -> str:
    """Return which action is best too often, in words; empty if each is in as many variants."""
    tree = variants[0].search.tree
    ((best, count),) = Counter(variant.search.best for variant in variants).most_common(1)
    if best is None or count <= ceil(len(variants) / len(tree.branches_of(tree.root_id))):
        return ""
    return (
        f"the best action is {best} in {count} of {len(variants)} variants: trees in which another "
        "is best are rare; ask for fewer cuts, or for a larger tree"
    )


def _is_printed_exactly(tree: Tree) -> bool:
    """Return whether a student who computes with the printed probabilities finds the values."""
    probabilities = enumerate(tree.columns.probability)
    return all(Fraction(chance_text(tree, b)) == to_exact(p) for b, p in probabilities)


def _prepared(tree: Tree, bounds: Bounds | None) -> Tree:
    """Return the tree without notes, which are about the original, and with these bounds alone.

    So its file has what the search of the key knows.
    """
    formulas = tree.formulas
    if formulas.written is not None:
        formulas = replace(formulas, written=_prepared(formulas.written, bounds))
    local = {} if bounds is None else {tree.root_id: bounds}
    return tree.changed(notes={}, branch_notes={}, local_bounds=local, formulas=formulas)


def usual_bounds(tree: Tree, algorithm: Algorithm) -> Bounds | None:
    """Return the bounds that a search by hand starts with; None without any.

    Alpha-beta needs none. A search that needs bounds would use those of the leaves if the tree
    stated none, and a student does not know the leaves.
    """
    if algorithm.prunes and not algorithm.needs_bounds:
        return None
    return tree.local_bounds.get(tree.root_id, NO_BOUNDS if algorithm.prunes else None)


def redrawn(tree: Tree, seed: int, is_round: bool = True) -> Tree:
    """Return the tree with other numbers.

    If parameters have ranges, they get other values there, and all else follows; these have a digit
    more unless `is_round`. Otherwise, the terminals get other utilities between the least and the
    greatest one. The bounds of the root are kept, or are those of the utilities.

        >>> import expectitree as et
        >>> tree = et.loads("max: {sell: 750, drill: {chance: [2500, 0, 1500]}}")
        >>> [node.utility for node, path in redrawn(tree, 1).walk() if node.utility is not None]
        [250.0, 2250.0, 2000.0, 500.0]
    """
    tree, random = in_decimals(tree), Random(seed)
    ranges = {name: one.range for name, one in tree.parameters.items() if one.range}
    ends = tree.utility_ends
    if ranges:
        parts = 20
        if is_round:
            parts = 2
        values = {name: _multiple(*limits, parts, random) for name, limits in ranges.items()}
        tree = tree.with_parameters(**values)
        ends = tree.utility_ends
    else:
        columns = tree.columns._replace(utility=_new_utilities(tree, random))
        tree = without_formulas(tree.changed(columns=columns, expect=None))
    ends = tree.local_bounds.get(tree.root_id, ends)
    bounds = {} if tree.columns.pays else {tree.root_id: ends}  # bounds are for totals
    return replace(tree, local_bounds=bounds)


def _multiple(low: Number, high: Number, parts: int, random: Random) -> str:
    """Return a multiple of 5, 0.5, 0.05, … in a range, which has at least twice so many parts."""
    low, high = to_exact(low), to_exact(high)
    if low == high:
        return exact_text(low)
    step = Fraction(10) ** floor(log10((high - low) / parts)) / 2
    first, last = ceil(low / step), floor(high / step)
    return exact_text(step * (first + _place(random, last - first + 1)))


def _place(random: Random, count: int) -> int:
    """Return a place, counted from 0; it is the same in every version of Python."""
    return int(random.random() * count)


def _new_utilities(tree: Tree, random: Random) -> list[Any]:
    """Return other utilities of the terminals, between the least and the greatest one.

    They are multiples of the greatest number that divides all utilities, so that whole numbers and
    amounts of money look as before. In a group, utilities keep their order, and equal ones stay
    equal.
    """
    least, greatest = tree.utility_ends
    if not is_finite(least):
        raise AnalysisError("no utility of the tree is known\nwrite the least and the greatest one")
    new: list[Any] = [*tree.columns.utility]
    old = {
        n: Fraction(new[n] if new[n] == new[n] else least)  # an unknown one gets one, too
        for n, kind in enumerate(tree.columns.kind)
        if kind == Kind.TERMINAL
    }
    groups = _groups(tree, old)
    levels = [sorted({old[n] for n in group}) for group in groups]
    scale = lcm(*(utility.denominator for utility in old.values()))
    step = Fraction(gcd(*(int(utility * scale) for utility in old.values())) or 1, scale)
    if (greatest - least) / step < 2 * max(map(len, levels)) - 2:
        step /= 10  # otherwise, the order would leave no choice
    steps = int((greatest - least) / step) + 1
    for group, utilities in zip(groups, levels, strict=True):
        places: set[int] = set()
        while len(places) < len(utilities):
            places.add(_place(random, steps))
        images = dict(zip(utilities, sorted(places), strict=True))
        for n in group:
            new[n] = least + step * images[old[n]]
    return new


def _groups(tree: Tree, utilities: Mapping[int, Fraction]) -> list[list[int]]:
    """Return the terminals in groups, by what their labels mean; one without a label is alone.

    A chance node's labelled outcomes are a group, with those of the nodes that have the same labels
    and utilities: oil pays more than none, and as much after a test as before. Actions with the
    same label are a group.
    """
    alike: dict[Hashable, list[int]] = {}
    for n, kind in enumerate(tree.columns.kind):
        ends = {tree.columns.child[b]: tree.label[b] for b in tree.branches_of(n)}
        ends = {child: label for child, label in ends.items() if label and child in utilities}
        outcomes = tuple((label, utilities[child]) for child, label in ends.items())
        for child, label in ends.items():
            meaning: Hashable = label
            if kind == Kind.CHANCE:
                meaning = outcomes
            alike.setdefault(meaning, []).append(child)
    group_of = {n: [n] for n in utilities}  # the same list for all of a group
    for members in alike.values():
        merged = [*dict.fromkeys(n for member in members for n in group_of[member])]
        group_of |= dict.fromkeys(merged, merged)
    return [*{id(group): group for group in group_of.values()}.values()]
