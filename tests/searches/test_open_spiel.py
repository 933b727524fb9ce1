"""Values compared with those of OpenSpiel."""

from __future__ import annotations

from random import Random

import pytest
from random_trees import build, random_rows

from expectitree import dumps, evaluate

OPENSPIEL_TREES = 300


@pytest.mark.extra
def test_openspiel_computes_the_same_values() -> None:
    import pyspiel
    from open_spiel.python.algorithms.minimax import expectiminimax

    compared, seed = 0, 0
    while compared < OPENSPIEL_TREES:
        tree = build(random_rows(Random(seed)), exact=False)
        seed += 1
        if len(tree) == 1:  # OpenSpiel does not accept a game without moves.
            continue
        state = pyspiel.load_efg_game(dumps(tree, "efg")).new_initial_state()
        value, _ = expectiminimax(state, 1000, lambda _: float("nan"), 0)
        assert evaluate(tree).value == pytest.approx(value, rel=1e-9, abs=1e-9), f"seed {seed - 1}"
        assert evaluate(tree, "star2").value == pytest.approx(value, rel=1e-9, abs=1e-9), (
            f"seed {seed - 1}"
        )
        compared += 1
