"""Reading and writing .efg files: the games of Gambit, and probabilities of floats."""

from __future__ import annotations

from collections import Counter

import pytest
from foreign.efg_games import GAMES
from helpers import loads

import expectitree as et
from expectitree import Kind
from expectitree.searches.engine import search_tree


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("exact", [True, False])
def test_the_readable_games_of_gambit_have_their_published_values(name: str, exact: bool) -> None:
    game = GAMES[name]
    tree = loads(game.text, name=f"{name}.efg", exact=exact)
    counts = Counter(tree.columns.kind)
    players = counts[Kind.MAX] + counts[Kind.MIN]
    assert (counts[Kind.CHANCE], players, counts[Kind.TERMINAL]) == game.nodes
    value = search_tree(tree).value
    assert value == game.value if exact else value == pytest.approx(float(game.value))
    again = loads(et.dumps(tree, "efg"), exact=exact)
    assert search_tree(again).value == pytest.approx(value, rel=0 if exact else 1e-12)


# ---- Writing.


def written(text: str, exact: bool = True) -> tuple[str, list[str]]:
    """Return the .efg text of a tree in YAML, without the head, and the warnings."""
    warnings: list[str] = []
    found = et.dumps(loads(text, exact=exact), "efg", warn=warnings.append)
    return found, warnings


def test_probabilities_of_floats_are_repaired_to_sum_to_1() -> None:
    text, warnings = written("chance: [1, 2, 3]", exact=False)
    assert '"#1" 0.3333333333333333 "#2" 0.3333333333333333 "#3" 0.3333333333333334' in text
    assert warnings == [
        "probabilities must sum to exactly 1: changed the last ones at 1 chance node by rounding "
        "errors"
    ]
    text, warnings = written("chance: [1, 2, 3]")
    assert '"#1" 1/3 "#2" 1/3 "#3" 1/3' in text
    assert warnings == []
    thirds = "chance: [{p: 1/3, utility: 1}, {p: 2/3, utility: 2}, {p: 0, utility: 3}]"
    text, _ = written(thirds, exact=False)
    assert '"#2" 0.6666666666666667 "#3" 0 }' in text
