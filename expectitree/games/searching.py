"""Search a game from its rules, or write out its tree."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import Number
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.model import Tree
from expectitree.games.calls import Warn, naming_errors
from expectitree.games.engine import Engine, Numbers, Progress, check_depth, rules_of, whole_tree
from expectitree.games.found import GameSearch
from expectitree.games.protocol import Game
from expectitree.games.rules import Estimate, Options


@naming_errors()
def search(
    game: Game | str,
    *,
    depth: int | None = None,
    algorithm: str | Algorithm = "star2",
    state: Any = None,
    deepen: bool = False,
    max_rows: int | None = None,
    seconds: float | None = None,
    max_visits: int | None = None,
    bounds: Bounds | None = None,
    window: Bounds | None = None,
    merge: bool = True,
    exact: bool = False,
    numbers: Numbers = "auto",
    estimate: Estimate | None = None,
    warn: Warn | None = None,
    width: Number = 0,
    progress: Progress | None = None,
    **options: int | str | None,
) -> GameSearch:
    """Search a game from its rules: make only the nodes that the search asks for.

    A game whose numbers are whole, fractions, or texts such as "0.1" is computed in fractions up to
    1,000 nodes, and each number that the search returns is rounded once. A game that gives floats
    is computed in floats.

        >>> import expectitree as et
        >>> found = et.search("game:pig(target=10)", depth=5)
        >>> found.best, round(found.value, 4), found.grown.evaluations
        ('roll', 0.4889, 56)

    The result is a `GameSearch` of the tree that has grown, in which nodes that the search did not
    enter are leaves with unknown utilities. That tree is made when it is first read, by the same
    search run again. `Search.grown` counts what the search needed. The algorithm expectiminimax
    makes the whole tree first, without `deepen`, `seconds` and `max_visits`; a large one by the
    game's method `expand`, if it has that.

    Args:
        game: A game (`Game` explains the methods), or its name, such as "game:pig(target=20)",
            "open_spiel:backgammon", or "path/to/file.py:Class". A game or a state of `pyspiel`
            works too.
        depth: How many plies deep to search. At this depth, states are worth their estimates.
            Without it, `seconds` are needed: the search deepens until the time is up.
        algorithm: A key of `ALGORITHMS`, or what `algorithm` returns.
        state: The state to start from; by default the start of the game.
        deepen: Search to depth 1, then 2, and so on. At each depth, sort the players' moves by
            the intervals found at the previous depth. A value that is that of the whole game stays.
        max_rows: Stop before the tree has more rows (nodes) than this. By default 5 million,
            times the environment variable EXPECTITREE_BUDGET.
        seconds: Stop after this time.
        max_visits: Stop after this many visits of nodes, counted at each depth.
        bounds: `(lower, upper)` of all values, in place of the game's.
        window: `(alpha, beta)`, as for `evaluate`. With `deepen`, it is that of each depth.
        merge: Search equal states once if they have the same number of plies left.
        exact: Compute in fractions whatever the numbers of the game, and return each number as a
            `Fraction`. A float counts as the decimal that Python prints.
        numbers: "float" computes in floats, "fraction" in fractions, "auto" in fractions until the
            game gives a float, or the tree has 1,000 nodes, and goes on in floats.
        estimate: A function of a state, in place of the game's estimates; or text such
            as "rollouts:100", the mean of that many random games.
        warn: Called with a message if there are no estimates.
        width: With `goal="moves"`: how wide the interval of a move may be.
        progress: With `deepen`: called with the search of each depth that was finished, which has
            `move`, `line` and `grown`. If it returns True, the search ends.
        options: Those of the algorithm, such as `probes=3`. With `goal="moves"`, the search first
            finds the value, in half of the time, then searches each move at the root until its
            value is known, or lies in an interval that is no wider than `width`.

    Returns:
        The search. If it was stopped, its outcome is `Outcome.STOPPED`, and the intervals contain
        the values; with `deepen`, it is the last search that was finished.

    Raises:
        GameError: The game is unknown or breaks the rules of the protocol.
        SearchError: The algorithm is unknown, or cannot be limited; or the depth is out of range.
    """
    engine = Engine(
        game, exact=exact, numbers=numbers, merge=merge, bounds=bounds, estimate=estimate,
        warn=warn, max_rows=max_rows,
    )  # fmt: skip
    limits: dict[str, Any] = {"depth": depth, "seconds": seconds, "max_visits": max_visits}
    about: dict[str, Any] = {"window": window, "width": width, "progress": progress, **options}
    return engine.search(state, algorithm=algorithm, deepen=deepen, **limits, **about)


@naming_errors()
def write_out(
    game: Game | str,
    *,
    depth: int,
    state: Any = None,
    max_rows: int | None = None,
    bounds: Bounds | None = None,
    merge: bool = True,
    exact: bool = False,
    estimate: Estimate | None = None,
    warn: Warn | None = None,
) -> Tree:
    """Return the whole tree of a game to a depth, with estimates at inner nodes.

        >>> import expectitree as et
        >>> tree = et.write_out("game:pig(target=10)", depth=5)
        >>> len(tree), et.evaluate(tree, "star1").best
        (164, 'roll')

    With `merge`, equal states with the same number of plies left are one node. If several branches
    of a node lead to the same child, they become one, with the sum of their probabilities.

    Args:
        game: As for `search`.
        depth: How many plies deep the tree is.
        state: As for `search`.
        max_rows: The most rows that the tree may have. By default 5 million, times the environment
            variable EXPECTITREE_BUDGET.
        bounds: As for `search`.
        merge: As for `search`.
        exact: Keep numbers as `Fraction` at any size, and if the game gives floats.
        estimate: As for `search`.
        warn: As for `search`.

    Raises:
        GameError: As for `search`, and if the tree needs more than `max_rows` rows.
    """
    check_depth(depth)
    rules = rules_of(game, Options(exact or None, merge, bounds, estimate, warn, max_rows))
    start = rules.start if state is None else state
    tree, _ = whole_tree(rules, start, depth, EXACT_NODES, estimates=True)  # as in its text
    return replace(tree, estimated=frozenset())  # or the tree could not be saved as text
