"""How the commands show the problems of a file, and warnings about trees."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import in_a_terminal, run_main

import expectitree as et

BAD = "max:\n  bet: {chance: {0.7: 100, 0.2: 0}}\n  sell: {value: 750}\n"


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the name of a file with two problems in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("bad.yaml").write_text(BAD, "utf-8")
    return "bad.yaml"


TEXT = "max: {bet: {chance: {win 0.6: 5, lose 0.4: 1}}, pass: 2}"
FOUND = "bet: the labels 'win 0.6' and 'lose 0.4' contain numbers that sum to 1"


def test_a_warning_is_printed_once_after_the_answer(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(TEXT)
    words = [sys.executable, "-m", "expectitree", "eval", "-e", TEXT, str(tmp_path / "x.yaml")]
    output = subprocess.run(words, stdout=-1, stderr=subprocess.STDOUT, check=True).stdout.decode()
    *answer, first, _, second, help = output.splitlines()
    assert answer[-1].startswith("best ")
    assert first.startswith(f"-e: warning: {FOUND}")
    assert second.startswith(f"{tmp_path / 'x.yaml'}: warning: {FOUND}")
    assert help.startswith("help: ")


@pytest.mark.parametrize(
    "words",
    ["eval", "eval --order best", "eval --attitude exponential=9", "compare", "limit", "risk",
     "rescale --map 2*u+3", "sensitivity --strategies", "trace", "verify"],
)  # fmt: skip
def test_json_has_the_warnings(words: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(TEXT)
    (tmp_path / "y.yaml").write_text("max: [1, 2]")
    for name, count in (("x.yaml", 1), ("y.yaml", 0)):
        done = run_main(*words.split(), str(tmp_path / name), "--format", "json")
        found = json.loads(done.out.splitlines()[0]).get("warnings", [])
        assert [FOUND in warning for warning in found] == [True] * count
        assert done.err.count("warning: ") == count


def test_a_tree_keeps_its_warnings() -> None:
    passed: list[str] = []
    for tree in (et.loads(TEXT, name="x", warn=passed.append), et.loads(TEXT, name="x")):
        (found,) = tree.warnings
        assert found.startswith(f"x: {FOUND}")
        assert repr(tree) == "<Tree 5 nodes, 3 leaves, 1 warning>"
    assert passed == [found]
    assert et.from_dict({"chance": {"win 0.6": 5, "lose 0.4": 1}}).warnings
    assert et.loads("{parameters: {x: 1, y: 2}, max: [1]}").warnings[1:]
    assert not et.loads("max: [1, 2]").warnings


# ---- In a terminal.


WRAPPED = """\
bad.yaml:2:18: error: bet: the probabilities sum to 0.9,
expected 1
2 | bet: {chance: {0.7: 100, 0.2: 0}}
  |                ^
help: correct them, write `rest` for one, or divide sums
from 0.98 to 1.02 with --normalize (`normalize: true`); for
labels, write `[{label: 0.7, utility: 100}, {label: 0.2,
utility: 0}]`
bad.yaml:3:10: error: sell: unknown key 'value'
3 | sell: {value: 750}
  |        ^
help: write `utility: 750`
"""
USAGE = """\
Usage: expectitree convert [OPTIONS] IN|GAME OUT
expectitree: error: no such option '--tables'. Did you mean
'--probabilities'?
help: expectitree convert --help
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_wraps_messages_between_words(bad: str) -> None:
    assert in_a_terminal("eval", bad, NO_COLOR="1").out == WRAPPED
    colored = in_a_terminal("eval", bad).out
    assert colored.startswith("\033[1;36mbad.yaml:2:18: \033[0m\033[1;31merror: \033[0mbet: the")
    assert "\033[1;31m               ^\033[0m\n" in colored
    verified = in_a_terminal("verify", bad, columns=64, NO_COLOR="1").out
    assert "".join(f"    {line}\n" for line in WRAPPED.splitlines()) in verified
    usage = in_a_terminal("convert", "--tables", NO_COLOR="1").out
    assert usage.startswith(USAGE.rstrip())
    assert max(map(len, usage.splitlines())) <= 60
    assert "\033[1;31merror: \033[0mno such option" in in_a_terminal("convert", "--tables").out
    assert "\033[35mwarning: \033[0mbet: the" in in_a_terminal("eval", "-e", TEXT).out
