"""Other packages add formats, games and searches by entry points, as docs/how-to shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT, sentences

import expectitree as et

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


@pytest.mark.slow
def test_a_format_is_found_by_the_ending_and_by_its_name() -> None:
    assert '"value": 14' in run("eval", "launch.toml", "--format", "json").stdout
    text = (EXAMPLES / "launch.toml").read_text("utf-8")
    assert '"value": 14' in run(
        "eval", "-", "--from", "toml", "--format", "json", stdin=text
    ).stdout  # fmt: skip
    done = run("eval", "-", "--from", "toml", status=3, stdin="[")
    assert done.stderr.startswith("-: error: this is not TOML: ")
    done = run("eval", "-", "--from", "toml", status=3, stdin="max = [1, 'two']")
    assert done.stderr.startswith("-: error: #2: ")
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
    assert "unknown game 'nimm' (did you mean 'nim'?): choose among 2048," in sentences(done.stderr)


SAMPLING = (EXAMPLES / "sampling.py").read_text("utf-8")
PRUNING = """
import expectitree as et
from expectitree.searches.problem import Found

def run(problem):
    found, tree = Found.of(problem), problem.tree
    for node, kind in enumerate(problem.columns.kind):
        if kind == et.Kind.TERMINAL:
            found.lower[node] = found.upper[node] = problem.columns.utility[node]
        elif kind == et.Kind.MAX:
            ends = [found.lower[problem.columns.child[b]] for b in tree.branches_of(node)]
            found.lower[node] = found.upper[node] = max(ends)
        found.visits[node] = 1
    return found

ROW = et.Algorithm("row", "Only MAX.", run)
WORDS = et.Algorithm("words", "Returns no Found.", lambda problem: "none")
FAULT = et.Algorithm("fault", "Raises.", lambda problem: problem.gone)
NOTHING = et.Algorithm("nothing", "Proves nothing.", Found.of)
SHORT = et.Algorithm("short", "Forgets a row.", lambda problem: Found(*[[0, 1]] * 7))
TEXT = et.Algorithm("text", "Has texts.", lambda problem: Found(*["text"] * 7))
GUESS = et.Algorithm("guess", "Has no estimate.", Found.of, proves=False)
number = 1
"""
NAMES = ("row", "words", "fault", "nothing", "guess", "short", "text")
ROWS = "".join(f"{name} = upper:{name.upper()}\n" for name in NAMES)


@pytest.fixture
def searches(tmp_path: Path) -> Path:
    """Return a folder with the searches of `PRUNING`."""
    (tmp_path / "upper.py").write_text(PRUNING, "utf-8")
    declare(tmp_path, f"[expectitree.algorithms]\n{ROWS}number = upper:number\ngone = gone:ROW\n")
    (tmp_path / "a.yaml").write_text("max: {left: {max: [1, 4]}, right: 3}", "utf-8")
    return tmp_path


def test_the_guide_has_the_search_and_its_entry_point() -> None:
    guide = (ROOT / "docs" / "how-to" / "add-a-search.md").read_text("utf-8")
    points = (EXAMPLES / "sampling.dist-info" / "entry_points.txt").read_text("utf-8")
    assert SAMPLING in guide
    assert f'[project.entry-points."{points[1:].splitlines()[0][:-1]}"]' in guide
    assert 'sampling = "sampling:SAMPLING"' in guide


@pytest.mark.slow
def test_a_search_is_in_every_command_that_searches(tmp_path: Path) -> None:
    text = run("eval", "risk.yaml", "-a", "sampling").stdout
    assert "value     ≈ 54.5\nproved    in [9, 100]\n" in text
    assert "best" not in text
    rows = run("compare", "risk.yaml", "-a", "sampling", "-a", "star1").stdout.splitlines()
    assert rows[4].split()[:4] == ["sampling", "≈", "54.5", "-"]
    traced = run("trace", "risk.yaml", "-a", "sampling", "--max-visits", "3").stdout
    assert "Enter ▲ / (MAX), in [9, 100]" in traced
    assert traced.endswith("stopped after 3 visits. The\nvalue is ≈ 9.\n")
    study = tmp_path / "study.yaml"
    study.write_text(
        "{trees: [{family: uniform, branching: 2, plies: 3}], repetitions: 3, "
        "algorithms: [star1, sampling]}"
    )
    lines = run("study", str(study), "--jobs", "2").stdout.splitlines()
    assert [line.split()[0] for line in lines if line.startswith(("star1", "sampling"))] == [
        "star1", "sampling"
    ]  # fmt: skip


def test_a_search_searches_games_and_counts_its_own_visits() -> None:
    done = run("eval", "game:pig(target=10)", "--depth", "3", "-a", "sampling", "--format", "json")
    found = json.loads(done.stdout)
    assert (found["value"], found["best"], found["ties"]) == (None, None, [])
    assert found["interval"] == [-1, 1]
    assert -1 < found["estimate"] < 1
    assert found["nodes"]["visits"] >= 1_000


@pytest.mark.slow
def test_a_search_that_proves_is_one_like_ours(searches: Path) -> None:
    done = run("eval", "a.yaml", "-a", "row", folder=searches)
    assert "value     4\nbest      left\n" in done.stdout
    assert (
        "the same value"
        in run("compare", "a.yaml", "-a", "star2", "-a", "row", folder=searches).stdout
    )
    assert (
        "row visited 3 of 3 leaves" in run("trace", "a.yaml", "-a", "row", folder=searches).stdout
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        ("words", 2, "the search words returns an object of type str, expected Found: correct it"),
        ("fault", 2, "the search fault raises AttributeError: 'Problem' object has no attribute"),
        ("nothing", 2, "the search nothing returns [1, 4] and the estimate None, expected an int"),
        ("guess", 2, "the search guess returns [1, 4] and the estimate None, expected an estimate"),
        ("short", 2, "the search short returns columns of other lengths, expected 5 rows, one fo"),
        ("text", 2, "the search text returns columns of other lengths, expected 5 rows, one for"),
        ("raw", 2, "unknown algorithm 'raw' (did you mean 'row'?): choose among expectiminimax,"),
        ("number", 3, "the plugin number (upper:number in expectitree.algorithms): found an"),
        ("gone", 3, "the plugin gone (gone:ROW in expectitree.algorithms): importing it raises"),
    ],
)
def test_the_message_names_a_search_that_fails(
    searches: Path, name: str, status: int, message: str
) -> None:
    done = run("eval", "a.yaml", "-a", name, folder=searches, status=status)
    assert message in sentences(done.stderr)
    assert "Traceback" not in sentences(done.stderr)


@pytest.mark.slow
def test_an_estimate_is_not_a_value() -> None:
    lines = run("eval", "risk.yaml", "-a", "sampling", "--windows").stdout.splitlines()
    assert sum("alpha 9, beta 100" in line for line in lines) == 3
    for words, status, message in (
        (["sheet", "uniform", "-a", "sampling", "-o", "a.html"], 2, "only estimates values"),
        (["eval", "risk.yaml", "-a", "sampling", "--strategy"], 2, "sampling only estimates the"),
        (["eval", "money.yaml", "-a", "sampling", "--attitude", "exponential=9"], 2, "attitude"),
        (["eval", "launch.yaml", "-a", "sampling"], 2, "is not known yet"),
        (["eval", "risk.yaml", "-a", "sampling", "--engine", "compiled"], 2, "is not compiled"),
    ):
        assert message in run(*words, status=status).stderr


def test_an_algorithm_needs_a_function() -> None:
    with pytest.raises(TypeError):
        et.Algorithm("mcts", "mine", in_order=False)  # type: ignore[call-arg]
    with pytest.raises(et.SearchError, match="as run of the algorithm mcts, expected a function"):
        et.Algorithm("mcts", "mine", 5)  # type: ignore[arg-type]


@pytest.mark.slow
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
    assert sentences(done.stderr) == f"{message}\n"


BROKEN = "[expectitree.formats]\nfirst = gone:UPPER\nupper = upper:UPPER\nsecond = upper:number\n"


@pytest.mark.slow
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
            assert message in sentences(done.stderr)


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
