"""Parts of sentences: how a node is called, and how a number comes about."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from expectitree.numbers import Number, cell_text
from expectitree.searches.result import Search
from expectitree.text.look import Look, cell_width
from expectitree.tree import paths
from expectitree.tree.model import Kind, Tree

Terms = Iterable[tuple[Number, Number]]  # p and what it is multiplied with
TIED = "\N{NO-BREAK SPACE}"  # where no line is to be broken; `untied` makes it a blank
_LONGEST_NAME = 32  # columns of a path


def untied(line: str) -> str:
    """Return a line as it is written, once it is broken."""
    return line.replace(TIED, " ")


def name(tree: Tree, look: Look, node: int, branch: int | None = None) -> str:
    """Return the path of a node, or its end where that is long, with the mark of its kind.

    The last step is `branch`, where it was come to by another than that of its first path.
    """
    parent, first_branch = tree.first_paths.parent, tree.first_paths.branch
    symbol = look.characters.kinds[Kind(tree.columns.kind[node]).name]
    branch = first_branch[node] if branch is None else branch
    text = ""
    while branch >= 0:
        above = tree.parent_of(branch)
        label = look.shown(paths.join([tree.branch_label(above, branch)]))
        longer = f"{label}/{text}" if text else label
        if text and cell_width(longer) > _LONGEST_NAME:
            return f"{symbol}{look.characters.ellipsis}/{text}"
        text = longer
        branch = first_branch[above] if parent[above] >= 0 else -1
    return symbol + (text or paths.ROOT)


def residue(search: Search) -> Number:
    """Return the size up to which a computed number is what rounding left of 0: nothing that anybody wrote.

    It is 1e-14 of the greatest utility, which sums may lose, but always far less than the least
    utility that is not 0.
    """
    if search.tree.exact:
        return 0
    sizes = [
        abs(u)
        for k, u in zip(search.tree.columns.kind, search.tree.columns.utility, strict=True)
        if not k and u
    ]
    return min(1e-14 * max(sizes), 1e-6 * min(sizes)) if sizes else 0.0


def sum_text(terms: Terms, number: Callable[[Number], str], times: str) -> str:
    """Return an expectation written out: `0.9·2 + 0.1·3`, or `(1 + 2 + 6)/3` where all are equally likely."""
    possible = [(p, end) for p, end in terms if p]
    if len(possible) > 1 and all(p == possible[0][0] for p, _ in possible):
        return f"({' + '.join(_factor(end, number) for _, end in possible)})/{len(possible)}"
    return " + ".join(product_text(p, end, number, times) for p, end in possible)


def quotient_text(
    limit: Number, others: Terms, p: Number, number: Callable[[Number], str], times: str
) -> str:
    """Return how a window's end goes through a CHANCE node: `(2.1 - 0.1·4) / 0.9`."""
    rest = "".join(f" - {product_text(q, end, number, times)}" for q, end in others)
    top = f"({number(limit)}{rest})" if rest else number(limit)
    return top if p == 1 else f"{top} / {_share(p)}"


def product_text(p: Number, end: Number, number: Callable[[Number], str], times: str) -> str:
    """Return a term of an expectation: `0.9·2`."""
    return _factor(end, number) if p == 1 else f"{_share(p)}{times}{_factor(end, number)}"


def _share(p: Number) -> str:
    text = cell_text(p)
    return f"({text})" if "/" in text else text


def _factor(end: Number, number: Callable[[Number], str]) -> str:
    text = number(end)
    return f"({text})" if text.startswith("-") or "/" in text else text
