"""What sensitivity, risk and information have in common on the command line."""

from __future__ import annotations

import pytest
from helpers import ROOT, invoke

TREE = str(ROOT / "trees" / "rockefeller.yaml")
COMMANDS = (("sensitivity", "-p", "pr"), ("risk",), ("information", "--event", "oil"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
@pytest.mark.parametrize("option", [("--bounds", "0,1"), ("--max-visits", "3"),
                                    ("--engine", "interpreted")])  # fmt: skip
def test_options_of_searches_do_not_exist(
    command: tuple[str, ...], option: tuple[str, str]
) -> None:
    assert option[0] not in invoke(command[0], "--help").stdout
    done = invoke(*command, TREE, *option)
    assert done.exit_code == 2
    assert f"No such option '{option[0]}'" in done.stderr
