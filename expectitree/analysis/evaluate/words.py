"""What a search found, in words: its value, numbers, intervals, sums, and names of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from expectitree.base.numbers import Number, cell_text, display_text, factor_text, is_finite
from expectitree.base.tree import paths
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind
from expectitree.searches.result import Outcome, Search
from expectitree.text.console import characters, safe
from expectitree.text.phrases import TIED, interval_text, plural, plus_text

if TYPE_CHECKING:
    from rich.console import ConsoleOptions

Terms = Iterable[tuple[Number, Number]]  # probabilities and what each is multiplied by
_MAX_NAME_LENGTH = 32  # columns of a path


def visited_text(search: Search, noun: str) -> str:
    """Return how many nodes or leaves were visited: `5 of 8 leaves`; of a game, `5 leaves`."""
    counts = search.counts
    visited, total = counts.visited, counts.total
    if noun == "leaf":
        visited, total = counts.leaves_visited, counts.leaves_total
    return plural(visited, noun) if search.grown else f"{visited:,} of {plural(total, noun)}"


def value_text(search: Search, write: Callable[[Number], str] = display_text) -> str:
    """Return the tree's value: `4`, or `in [2, 5]` where the search does not know it."""
    lower, upper = search.interval_of_branch(NONE)
    if search.outcome is Outcome.VALUE:
        return write(lower)
    return f"in {interval_text(lower, upper, write)}"


def residue(search: Search) -> Number:
    """Return the size up to which a computed number is 0 apart from rounding errors.

    It is 1e-14 of the greatest utility or reward, and at most a millionth of the least that is not
    0.
    """
    if search.tree.exact:
        return 0
    columns = search.tree.columns
    terminals = zip(columns.kind, columns.utility, strict=True)
    sizes = [abs(float(u)) for kind, u in terminals if u and not kind]
    sizes += [abs(float(r)) for r in (*columns.reward, search.tree.root_reward) if r]
    return min(1e-14 * max(sizes), 1e-6 * min(sizes)) if sizes else 0.0


class Words:
    """Puts what a search found into words: numbers, intervals, sums, and names of nodes."""

    def __init__(self, search: Search, options: ConsoleOptions) -> None:
        self.search, self.tree, self.options = search, search.tree, options
        self.columns, self.characters = search.tree.columns, characters(options)
        self.residue = residue(search)
        self._names: dict[tuple[int, int], str] = {}

    def number(self, value: Number) -> str:
        """Return a number, 0 for a rounding error."""
        return cell_text(value, self.residue)

    def between(self, lower: Number, upper: Number) -> str:
        """Return an interval that does not break: `in [2, 5]`."""
        return f"in {interval_text(lower, upper, self.number)}".replace(" ", TIED)

    def label(self, parent: int, branch: int) -> str:
        """Return a branch's label."""
        return safe(self.tree.branch_label(parent, branch), self.options)

    def name(self, node: int, branch: int | None = None) -> str:
        """Return the symbol of a node's kind and its path, or the end of a long path.

        `branch` is the last step of the path; by default it is that of the node's first path.
        """
        if branch is None:
            branch = self.tree.first_paths.branch[node]
        if (node, branch) not in self._names:
            symbol = self.characters.kinds[Kind(self.columns.kind[node]).name]
            self._names[node, branch] = symbol + (self._path_end(branch) or paths.ROOT)
        return self._names[node, branch]

    def _path_end(self, branch: int) -> str:
        parent, first_branch = self.tree.first_paths.parent, self.tree.first_paths.branch
        text = ""
        while branch >= 0:
            above = self.tree.parent_of(branch)
            label = safe(paths.join([self.tree.branch_label(above, branch)]), self.options)
            longer = f"{label}/{text}" if text else label
            if text and cell_len(longer) > _MAX_NAME_LENGTH:
                return f"{self.characters.ellipsis}/{text}"
            text = longer
            branch = first_branch[above] if parent[above] >= 0 else -1
        return text

    def product(self, p: Number, end: Number) -> str:
        """Return a term of an expectation: `0.9·2`."""
        factor = factor_text(self.number(end))
        if p == 1:
            return factor
        return f"{factor_text(cell_text(p))}{self.characters.times}{factor}"

    def sum(self, terms: Terms) -> str:
        """Return an expectation: `0.9·2 + 0.1·3`, or `(1 + 2 + 6)/3` if all p are equal."""
        possible = [(p, end) for p, end in terms if p]
        if len(possible) > 1 and all(p == possible[0][0] for p, _ in possible):
            ends = " + ".join(factor_text(self.number(end)) for _, end in possible)
            return f"({ends})/{len(possible)}"
        return " + ".join(self.product(p, end) for p, end in possible)

    def summed(self, terms: Terms, value: Number, reward: Number = 0) -> str:
        """Return the value of a branch, after the sum that makes it, with the branch's reward."""
        text = self.number(value)
        sums = self.sum(terms)
        if reward and is_finite(value):
            before: Any = value
            sums = f"{sums or self.number(before - reward)}{self.paid(reward)}"
        return f"{sums} = {text}" if sums and sums != text else text

    def paid(self, reward: Number) -> str:
        """Return a branch's reward as the last part of a sum."""
        return plus_text(reward)

    def sides(self, limit: Number, others: Terms, p: Number, reward: Number) -> str:
        """Return how an outcome's window follows from its CHANCE node's: `(2.1 - 0.1·4) / 0.9`.

        `reward` is that of the branch to the CHANCE node, which `limit` includes.
        """
        rest = plus_text(-reward)
        rest += "".join(f" - {self.product(q, end)}" for q, end in others)
        if p == 1:
            return self.number(limit) + rest
        top = f"({self.number(limit)}{rest})" if rest else self.number(limit)
        return f"{top} / {factor_text(cell_text(p))}"

    def quotient(
        self, limit: Number, others: Terms, p: Number, found: Number, reward: Number
    ) -> str:
        """Return the end of an outcome's window, after the quotient that makes it."""
        sides, text = self.sides(limit, others, p, reward), self.number(found)
        return f"{text} = {sides}" if sides != text else text
