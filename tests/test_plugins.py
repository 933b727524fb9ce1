"""Other packages add formats and games by entry points, as docs/how-to/plugins.md shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT

EXAMPLES = ROOT / "docs" / "examples"
LINES = """
from expectitree import dumps, loads
from expectitree.files.rows import Format

UPPER = Format("upper", (".upper",), "capitals", is_foreign=True, home=__name__)
number = 1

def read(text, name, warn, exact_nodes):
    return loads(text.lower(), name=name, format="yaml")

def write(tree, warn):
    yield dumps(tree).upper()
"""


def run(
    *words: str, folder: Path = EXAMPLES, status: int = 0, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder with a plugin, as if it was installed there."""
    done = subprocess.run(
        [sys.executable, "-m", "expectitree", *words],
        cwd=folder, input=stdin, capture_output=True, encoding="utf-8", check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """Return a folder with the plugin of `LINES`."""
    (tmp_path / "upper.py").write_text(LINES, "utf-8")
    points = "[expectitree.formats]\nupper = upper:UPPER\n[expectitree.games]\none = upper:number\n"
    declare(tmp_path, points)
    return tmp_path


def declare(folder: Path, points: str) -> None:
    metadata = folder / "upper-1.0.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "entry_points.txt").write_text(points, "utf-8")


def test_the_guide_has_the_example_and_its_entry_points() -> None:
    guide = (ROOT / "docs" / "how-to" / "plugins.md").read_text("utf-8")
    for file in ("club.py", "launch.toml"):
        assert (EXAMPLES / file).read_text("utf-8") in guide
    points = (EXAMPLES / "club.dist-info" / "entry_points.txt").read_text("utf-8")
    for name, value in re.findall(r"^(\w+) = (.*)$", points, re.MULTILINE):
        assert f'{name} = "{value}"' in guide


def test_a_format_is_found_by_the_ending_and_by_its_name() -> None:
    assert '"value": 14' in run("eval", "launch.toml", "--format", "json").stdout
    text = (EXAMPLES / "launch.toml").read_text("utf-8")
    assert '"value": 14' in run(
        "eval", "-", "--from", "toml", "--format", "json", stdin=text
    ).stdout  # fmt: skip
    done = run("eval", "-", "--from", "toml", status=3, stdin="[")
    assert done.stderr.startswith("-: this is not TOML: ")
    done = run("eval", "-", "--from", "toml", status=3, stdin="max = [1, 'two']")
    assert done.stderr.startswith("-: #2: ")
    assert "TOML cannot be written" in run("convert", "launch.toml", "a.toml", status=3).stderr


@pytest.mark.slow
def test_a_format_is_written(plugin: Path) -> None:
    run("convert", "-", "a.upper", folder=plugin, stdin="max: {left: 1, right: 2}")
    assert (plugin / "a.upper").read_text("utf-8") == "MAX: {LEFT: 1, RIGHT: 2}\n"
    assert "▲ MAX 2" in run("eval", "a.upper", folder=plugin).stdout
    assert "▲ MAX 2" in run("eval", ".", folder=plugin).stdout
    written = run("convert", "a.upper", "-", "--format", "upper", folder=plugin).stdout
    assert written == "MAX: {LEFT: 1, RIGHT: 2}\n"


def test_a_game_is_found_by_its_name() -> None:
    assert '"value": -1' in run(
        "eval", "game:nim(stones=3)", "--depth", "9", "--format", "json"
    ).stdout  # fmt: skip
    done = run("eval", "game:nimm", "--depth", "9", status=3)
    assert "unknown game 'nimm' (did you mean 'nim'?): choose among 2048," in done.stderr


@pytest.mark.parametrize(
    ("points", "words", "message"),
    [
        (
            "[expectitree.formats]\nupper = gone:UPPER",
            ["a.upper"],
            "the plugin upper (gone:UPPER in expectitree.formats): importing it raises "
            "ModuleNotFoundError: No module named 'gone': update its package, or uninstall it",
        ),
        (
            "[expectitree.formats]\nupper = upper:number",
            ["-", "--from", "upper"],
            "the plugin upper (upper:number in expectitree.formats): found an object of type int, "
            "expected Format: correct its entry point, or uninstall it",
        ),
        (
            "[expectitree.games]\none = upper:number",
            ["game:one", "--depth", "2"],
            "the plugin one (upper:number in expectitree.games): found an object of type int, "
            "expected type: correct its entry point, or uninstall it",
        ),
    ],
)
def test_the_message_names_a_plugin_that_fails(
    plugin: Path, points: str, words: list[str], message: str
) -> None:
    declare(plugin, points)
    done = run("eval", *words, folder=plugin, status=3)
    assert done.stderr == f"{message}\n"


BROKEN = "[expectitree.formats]\nfirst = gone:UPPER\nupper = upper:UPPER\nsecond = upper:number\n"


def test_a_broken_plugin_does_not_block_a_sound_one(plugin: Path) -> None:
    declare(plugin, BROKEN)
    (plugin / "a.upper").write_text("MAX: [1, 2]")
    assert "▲ MAX 2" in run("eval", "a.upper", folder=plugin).stdout
    assert run("convert", "a.upper", "b.upper", folder=plugin).stderr.startswith("b.upper written")
    assert "▲ MAX 2" in run("eval", ".", folder=plugin).stdout
    assert "▲ MAX 2" in run(
        "eval", "-", "--from", "upper", folder=plugin, stdin="MAX: [1, 2]"
    ).stdout  # fmt: skip
    for words in (["a.third"], ["a.upper", "--from", "third"]):
        done = run("eval", *words, folder=plugin, status=3)
        for message in ("the plugin first (gone:UPPER", "the plugin second (upper:number"):
            assert message in done.stderr


@pytest.mark.slow
def test_plugins_are_looked_up_only_for_unknown_names_and_endings() -> None:
    code = (
        "import sys; sys.argv = ['expectitree', *sys.argv[1:]]\n"
        "from expectitree.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('importlib.metadata' in sys.modules)"
    )
    for words in (["eval", "launch.yaml"], ["eval", "game:pig", "--depth", "1"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=EXAMPLES, capture_output=True, encoding="utf-8", check=True,
        )  # fmt: skip
        assert done.stdout.splitlines()[-1] == "False"
