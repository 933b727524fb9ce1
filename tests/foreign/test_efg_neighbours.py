"""Games that Gambit reads: what we write, and what it computes."""

from __future__ import annotations

import io
import random
import re
from fractions import Fraction
from typing import Any

import pytest
from files.samples import ODD_TEXTS
from foreign.efg_games import GAMES
from random_trees import REWARDS, build, random_rows

import expectitree as et
from expectitree.searches.engine import search_tree

pytestmark = pytest.mark.extra


def in_gambit(text: str) -> Any:
    pygambit = pytest.importorskip("pygambit")
    return pygambit.read_efg(io.BytesIO(text.encode()))


def gambit_value(game: Any) -> Fraction:
    """Return the payoff of the first player in a Nash equilibrium, which Gambit computes.

    It is the minimax value, which all equilibria of a game of constant sum have. Gambit wants two
    players, and a decision for each. (Its `lp_solve` of 16.7 finds 0 for some negative values.)
    """
    pygambit = pytest.importorskip("pygambit")
    first = next(iter(game.players)).label
    if len(game.players) == 1:
        game.add_player("MIN")
        for outcome in game.outcomes:
            outcome["MIN"] = -outcome[first]
    for player in game.players:
        if not player.infosets:
            leaf = next(node for node in game.nodes if node.is_terminal)
            game.append_move(leaf, player, ["only"])
    solved = pygambit.nash.lcp_solve(game, rational=True, use_strategic=False)
    return Fraction(str(solved.equilibria[0].payoff(first)))


def random_tree(seed: int, exact: bool) -> et.Tree:
    random_ = random.Random(seed)
    return build(random_rows(random_, rewards=random_.choice([(0,), *REWARDS])), exact=exact)


@pytest.mark.parametrize("name", GAMES)
def test_gambit_computes_the_published_values(name: str) -> None:
    # Gambit refuses the repeated node names of its own files.
    text = re.sub(r'\b([cpt]) "[^"]*"', r'\1 ""', GAMES[name].text)
    assert gambit_value(in_gambit(text)) == GAMES[name].value


@pytest.mark.parametrize("exact", [True, False])
def test_gambit_reads_what_we_write_and_writes_what_we_read(exact: bool) -> None:
    for seed in range(60):
        tree = random_tree(seed, exact)
        if tree.unfolded > 2_000:
            continue
        game = in_gambit(et.dumps(tree, "efg"))
        assert len(game.nodes) == tree.unfolded
        again = et.loads(game.to_efg())
        value = search_tree(again).value
        assert value == pytest.approx(search_tree(tree).value, rel=0 if exact else 1e-9, abs=1e-9)


def test_gambit_computes_the_values_of_random_trees() -> None:
    compared = 0
    for seed in range(1_000, 1_200):
        tree = random_tree(seed, exact=True)
        if tree.unfolded > 60:
            continue
        compared += 1
        assert gambit_value(in_gambit(et.dumps(tree, "efg"))) == search_tree(tree).value, seed
    assert compared > 40


def test_gambit_accepts_odd_labels() -> None:
    builder = et.TreeBuilder()
    labels = [text for text in ODD_TEXTS if not text.startswith("#")]
    tree = builder.build(builder.max(dict.fromkeys(labels, 1)), title="".join(labels))
    game = in_gambit(et.dumps(tree, "efg"))
    assert len(game.root.children) == len(labels)
