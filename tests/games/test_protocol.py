"""The protocol: the games keep to it, and its documentation names all that a game may have."""

from __future__ import annotations

import re
from pathlib import Path

from expectitree.games import calls, rules
from expectitree.games.protocol import Game


def test_the_checks_ask_for_what_the_protocol_has() -> None:
    members = {name for name, one in vars(Game).items() if callable(one) and name[0] != "_"}
    attributes = {name for name, one in vars(Game).items() if isinstance(one, property)}
    sources = [Path(module.__file__).read_text("utf-8") for module in (calls, rules)]
    source = "".join(sources)
    assert members == {*calls.METHODS}
    assert attributes == {*re.findall(r'\.attribute\("(\w+)"', source)}


def test_the_optional_methods_that_are_used_are_those_documented() -> None:
    documented = {*re.findall(r"- `(\w+)\(", str(Game.__doc__))}
    assert {*calls.OPTIONAL, "pack"} == documented
