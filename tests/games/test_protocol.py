"""The protocol: the games keep to it, and its documentation names all that a game may have."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import expectitree as et
from expectitree.games import rules
from expectitree.games.protocol import Game


def test_the_checks_ask_for_what_the_protocol_has() -> None:
    members = {name for name, one in vars(Game).items() if callable(one) and name[0] != "_"}
    attributes = {name for name, one in vars(Game).items() if isinstance(one, property)}
    source = Path(rules.__file__).read_text("utf-8")
    assert members == {*rules.METHODS}
    assert attributes == {*re.findall(r'_attribute\("(\w+)"', source)}


def test_the_optional_methods_that_are_used_are_those_documented() -> None:
    documented = {*re.findall(r"- `(\w+)\(", str(Game.__doc__))}
    sources = [Path(path).read_text("utf-8") for path in Path(rules.__file__).parent.glob("*.py")]
    used = {name for text in sources for name in re.findall(r'getattr\([\w.]*game, "(\w+)"', text)}
    assert used - {"utility_bounds"} == documented


def test_the_example_is_a_game_without_a_base_class() -> None:
    lines = re.findall(r"^\s+(?:>>>|\.\.\.) (.*)$", inspect.getdoc(Game) or "", re.MULTILINE)
    assert "class Die:" in lines
    scope: dict[str, type] = {}
    exec("\n".join(lines), scope)
    found = et.search(scope["Die"](), depth=5, algorithm="expectiminimax")
    assert abs(found.value - 14 / 3) < 1e-9
