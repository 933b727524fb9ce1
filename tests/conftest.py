"""How much the property tests do: `pytest` the same examples every time, `--hypothesis-profile=long` new ones."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("quick", max_examples=150, deadline=None, derandomize=True, database=None)
settings.register_profile("long", max_examples=20_000, deadline=None, database=None)
settings.load_profile("quick")
