"""Games that come with the package, each a plain class that shows how to write one."""

from __future__ import annotations

# The module and the class of each name: `game:pig`.
BUILT_IN: dict[str, tuple[str, str]] = {
    "2048": ("twenty48", "Twenty48"),
    "dice": ("dice", "Dice"),
    "einstein": ("einstein", "Einstein"),
    "pig": ("pig", "Pig"),
}
# Games that were built in: files of the repository, which the user names by their paths.
EXAMPLES: dict[str, str] = {
    "bear-off": "docs/examples/bear_off.py:BearOff",
    "blackjack": "docs/examples/blackjack.py:Blackjack",
    "cant-stop": "docs/examples/cant_stop.py:CantStop",
    "gridworld": "docs/examples/gridworld.py:Gridworld",
    "mines": "docs/examples/mines.py:Mines",
}
