"""Games that come with the package, each a plain class that shows how to write one."""

from __future__ import annotations

# The module and the class of each name: `game:pig`.
BUILT_IN: dict[str, tuple[str, str]] = {
    "einstein": ("einstein", "Einstein"),
    "pig": ("pig", "Pig"),
}
