"""The program in `docs/background/pruning.md` is the definition of the depth-first searches.

In fractions, the engine must enter every node as often as the program does, with the same last
window, and find the same intervals.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from helpers import ROOT
from random_trees import PRUNED, Case

from expectitree import Kind, Search, Tree
from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import INFINITY

PAGE = (ROOT / "docs" / "background" / "pruning.md").read_text("utf-8")
STAR1, EXAMPLE, STAR2 = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def program(chosen: Algorithm) -> dict[str, Any]:
    """Return the names of the page's program, with the `search_chance` of an algorithm."""
    names: dict[str, Any] = {}
    exec(STAR1, names)
    search, star1, total = names["search"], names["star1"], names["total"]

    def search_if_there(node: Any, alpha: Any, beta: Any, probe: int | None = None) -> Any:
        is_there = probe is None or len(node) == 1 or probe < len(node) - 1
        return search(node, alpha, beta, probe) if is_there else None

    def alphabeta(outcomes: Any, *_: Any) -> Any:
        """Alpha-beta makes no chance cuts."""
        for _, child in outcomes:
            search(child, -INFINITY, INFINITY)
        return total(outcomes)

    def cyclic(outcomes: Any, alpha: Any, beta: Any) -> Any:
        """Star2.5 in rounds."""
        for rank in range(chosen.probes):
            star1(outcomes, alpha, beta, rank)
        return star1(outcomes, alpha, beta)

    def sequential(outcomes: Any, alpha: Any, beta: Any) -> Any:
        """Star2.5 with all probes of an outcome before those of the next."""
        for i, (p, child) in enumerate(outcomes):
            for rank in range(chosen.probes):
                low, high = total(outcomes)
                if high <= alpha or low >= beta:
                    return low, high
                if child[0] != "chance":
                    low, high = total(outcomes[:i] + outcomes[i + 1 :])
                    search_if_there(child, (alpha - high) / p, (beta - low) / p, rank)
        return star1(outcomes, alpha, beta)

    names["search"] = search_if_there
    if not chosen.chance_cuts:
        names["search_chance"] = alphabeta
    elif chosen.name == "star2":
        exec(STAR2, names)
    elif chosen.name == "star2.5":
        names["search_chance"] = sequential if chosen.probe_order == "sequential" else cyclic
    return names


def nested(tree: Tree) -> list[Any]:
    """Return the nodes of a tree as the page's program has them, without outcomes with p = 0."""
    columns, nodes = tree.columns, list[Any]()
    for n, kind in enumerate(columns.kind):
        branches = range(columns.first[n], columns.last[n])
        children: list[Any] = [nodes[columns.child[b]] for b in branches]
        if kind == Kind.TERMINAL:
            children = [columns.utility[n]]
        elif kind == Kind.CHANCE:
            pairs = zip([columns.probability[b] for b in branches], children, strict=True)
            children = ["chance", *(pair for pair in pairs if pair[0])]
        else:
            children = ["max" if kind == Kind.MAX else "min", *children]
        nodes.append(children)
    return nodes


def test_the_example_of_the_page_prints_what_the_page_says(capsys: Any) -> None:
    names: dict[str, Any] = {}
    exec(STAR1 + EXAMPLE, names)
    exec(STAR2, names)
    printed = capsys.readouterr().out
    assert printed == "(2.1, 2.1) 11\n"
    assert "`(2.1, 2.1)`" in PAGE
    assert "after 11 visits" in PAGE
    lines = [line for line in (STAR1 + STAR2).splitlines() if line]
    assert len(lines) <= 60


@pytest.mark.parametrize(
    "seeds", [range(60), pytest.param(range(60, 1000), marks=pytest.mark.slow)]
)
def test_the_engine_does_what_the_program_of_the_page_does(seeds: range) -> None:
    compared = 0
    for seed in seeds:
        case = Case(seed)
        for chosen in PRUNED:
            for found in (case.run(chosen), case.run_in_window(chosen)):
                compared += is_compared(case.tree(), chosen, replace(found, exact=True))
    assert compared > 5 * len(seeds)


def is_compared(tree: Tree, chosen: Algorithm, found: Search) -> bool:
    """Compare a search with the program; return whether the program enters the root at all."""
    names, nodes = program(chosen), nested(tree)
    lower, upper = map(list, tree.inherited_bounds(found.root_bounds))
    interval = {id(node): ends for node, *ends in zip(nodes, lower, upper, strict=True)}
    alpha, beta = found.alpha[-1], found.beta[-1]
    low, high = interval[id(nodes[-1])]
    is_open = low < high and high > alpha and low < beta
    if len(tree) == 1 or not is_open or alpha == beta:
        return False

    names["interval"].update(interval)
    names["search"](nodes[-1], alpha, beta)
    visits = Counter(id(node) for node, *_ in names["entries"])
    if tree.is_sharing:  # a sum that is added up anew is never stale, so it may prune a little more
        assert sum(found.visits) >= 0.9 * visits.total()
        return True
    windows = {id(node): window for node, *window in names["entries"] if len(node) > 1}
    for n, node in enumerate(nodes):
        assert found.visits[n] == visits[id(node)]
        assert (found.lower[n], found.upper[n]) == tuple(names["interval"][id(node)])
        if len(node) > 1 and visits[id(node)]:
            assert [found.alpha[n], found.beta[n]] == windows[id(node)]
    return True
