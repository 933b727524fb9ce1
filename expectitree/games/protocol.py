"""The protocol of a game that can be searched from its rules, and a check of its parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, TypeAlias

from expectitree.base.errors import GameError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, quote

State: TypeAlias = Any
Move: TypeAlias = Any  # of a player, or an outcome of chance
Turn: TypeAlias = Literal["max", "min", "chance"] | None

NOUNS: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number"}


class Game(Protocol):
    """The rules of a game for MAX, MIN and chance, from which a search makes a tree.

    Write a class with these attributes and methods. It needs no base class:

        >>> from fractions import Fraction
        >>> class Die:
        ...     title = "Roll a die up to three times, stop when you like, and get the number shown"
        ...     utility_bounds = (1, 6)
        ...     start = (3, 0)  # the rolls that are left, and the number shown: 0 while it rolls
        ...     def turn(self, state):
        ...         return "chance" if state[1] == 0 else "max" if state[0] > 0 else None
        ...     def moves(self, state):
        ...         faces = [(face, Fraction(1, 6)) for face in range(1, 7)]
        ...         return faces if state[1] == 0 else ["keep", "roll"]
        ...     def play(self, state, move):
        ...         if state[1] == 0:
        ...             return (state[0] - 1, move)
        ...         return (state[0], 0) if move == "roll" else (0, state[1])
        ...     def value(self, state):
        ...         return state[1] or 3.5
        >>> import expectitree as et
        >>> et.search(Die(), depth=5, exact=True).value
        Fraction(14, 3)

    Results must depend on the state alone, and no method may change a state. `moves` and `play` are
    called only if the game is not over. Depth counts branches: a move is one ply, and so is an
    outcome of chance. The class is called without arguments, or with keyword arguments if the
    command line gives them: `game:pig(target=20)`.

    A game may have more methods:

    - `key(state)`: States with equal keys at the same depth have equal futures, and become one
      node. Without it, the state is the key if it is hashable; other states are not merged.
    - `bounds(state)`: Numbers that enclose `value` at the state and at all states after it. Tight
      bounds let a search skip more. Without it, they are `utility_bounds`.
    - `label(state, move)`: The name of the move or outcome. Without it, it is `str(move)`.
    - `same_turn(state)`: Whether the state only continues the turn of the state before it, so that
      the branch to it costs no ply. Without it, every branch costs one.
    - `text(state)`: The state as people read it, such as a board of several lines. Commands show it
      at the root, in traces, pages and errors. Without it, they show `str(state)` at the root.
    - `parse(text)`: The state that a text describes, for the option `--start`. It raises
      `ValueError` if the text does not describe a state. Errors quote its docstring.
    - `expand(states)`: What the other methods return, for many states at once: columns of numbers
      in NumPy. It makes large trees quickly (docs/how-to/games.md).
    - `pack(state)`: The whole numbers of a state, as `expand` takes them, or None if it has none.
    - `reward(state, move)`: What a move or an outcome pays MAX; a cost is negative. Only `solve`
      knows rewards.

    For `solve`, a game whose plays may never end has an attribute: `endless`, what endless play is
    worth to MAX, or `discount`, by which each move multiplies what comes after it.
    """

    @property
    def title(self) -> str:
        """Return the name of the game."""

    @property
    def start(self) -> State:
        """Return the state in which the game starts."""

    @property
    def utility_bounds(self) -> tuple[Number, Number]:
        """Return numbers that enclose every number that `value` gives."""

    def turn(self, state: State) -> Turn:
        """Return whose turn it is: "max", "min", "chance", or None if the game is over."""

    def moves(self, state: State) -> Iterable[Move]:
        """Return the moves of the player; for chance, pairs of an outcome and its probability.

        Probabilities are positive and sum to 1. Floats and `Fraction` are allowed.
        """

    def play(self, state: State, move: Move) -> State:
        """Return the state after a move, or after an outcome of chance."""

    def value(self, state: State) -> Number | None:
        """Return the utility to MAX if the game is over; otherwise an estimate of it.

        None means that there is no estimate. A node at the depth limit is worth its estimate, even
        if it is the turn of chance.
        """


def check_parameters(
    owner: str, given: Mapping[str, Any], known: Mapping[str, Any], takes_any: bool = False
) -> None:
    """Raise `GameError` if a parameter is not known, or not of the type of its default."""
    for name, value in given.items():
        if name in known:
            default = known[name]
            kind = type(default)
            if kind in NOUNS and type(value) is not kind and (kind, type(value)) != (float, int):
                raise GameError(
                    f"{owner}: the parameter {name} is {quote(str(value))}, expected "
                    f"{NOUNS[kind]}, such as {default}"
                )
        elif not takes_any:
            has = f"its parameters are {', '.join(known)}" if known else "it has none"
            raise GameError(
                f"{owner} has no parameter {quote(name)}{did_you_mean(name, known)}: {has}"
            )
