"""What sensitivity, risk and information have in common on the command line."""

from __future__ import annotations

import pytest
from helpers import ROOT, invoke

TREE = str(ROOT / "trees" / "rockefeller.yaml")
COMMANDS = (("sensitivity", "-p", "pr"), ("risk",), ("information", "--event", "oil"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("option", [("--bounds", "0,1"), ("--max-visits", "3"),
                                    ("--engine", "interpreted")])  # fmt: skip
def test_options_of_searches_are_refused(command: tuple[str, ...], option: tuple[str, str]) -> None:
    done = invoke(*command, TREE, *option)
    assert done.exit_code == 2
    message = f"{option[0]} is for searches, and this command evaluates every node: remove it."
    assert message in " ".join(done.stderr.split())
