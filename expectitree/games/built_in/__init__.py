"""Games that come with the package, each a plain class that shows how to write one."""

from __future__ import annotations

# The module and the class of each name: `game:pig`.
BUILT_IN: dict[str, tuple[str, str]] = {
    "2048": ("twenty48", "Twenty48"),
    "bear-off": ("bear_off", "BearOff"),
    "blackjack": ("blackjack", "Blackjack"),
    "cant-stop": ("cant_stop", "CantStop"),
    "dice": ("dice", "Dice"),
    "einstein": ("einstein", "Einstein"),
    "gridworld": ("gridworld", "Gridworld"),
    "mines": ("mines", "Mines"),
    "pig": ("pig", "Pig"),
}
