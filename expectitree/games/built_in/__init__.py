"""Games that come with the package, each a plain class that shows how to write one."""

from __future__ import annotations

# The module and the class of each name: `game:pig`.
BUILT_IN: dict[str, tuple[str, str]] = {
    "2048": ("twenty48", "Twenty48"),
    "blackjack": ("blackjack", "Blackjack"),
    "dice": ("dice", "Dice"),
    "einstein": ("einstein", "Einstein"),
    "pig": ("pig", "Pig"),
}
