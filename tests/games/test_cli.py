"""A GAME in place of a FILE on the command line, and what is shown of its search."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from helpers import ROOT, error_of, invoke, run_main

import expectitree as et
from expectitree.searches.engine import search_tree

PIG = "game:pig(target=10)"
RISK = str(ROOT / "trees" / "risk.yaml")
PRUNING = [name for name, algorithm in et.ALGORITHMS.items() if algorithm.prunes]
# A game that goes on for ever: MAX adds 1 or 2, or chance does.
COUNTING = """
    class Counting:
        title = "Counting"
        start = 0
        utility_bounds = (0, 100)

        def turn(self, state):
            return "chance" if state % 2 else "max"

        def moves(self, state):
            return [(1, 0.5), (2, 0.5)] if state % 2 else [1, 2]

        def play(self, state, move):
            return state + move

        def value(self, state):
            return state
"""


def data_of(page: str) -> Any:
    """Return the data of a page that replays searches."""
    found = re.search(r'id="data"[^>]*>([^<]*)<', page)
    assert found is not None
    return json.loads(zlib.decompress(b64decode(found[1])))


def words(text: str) -> str:
    """Return a text without its line breaks."""
    return " ".join(text.split())


@pytest.fixture
def counting(tmp_path: Path) -> str:
    """Return the name of a game in a file."""
    file = tmp_path / "counting.py"
    file.write_text(dedent(COUNTING) + "\n\ndef low(state):\n    return state / 2\n")
    return f"{file}:Counting"


# ---- eval


def test_eval_searches_a_game_by_star2() -> None:
    assert invoke("eval", PIG, "--depth", "3").stdout.splitlines() == [
        "Pig to 10",
        "game:pig(target=10) to depth 3",
        "",
        "▲ MAX 0.333333",
        "├─★ roll  ● CHANCE 0.333333  p 1/6 each",
        "│   ├── 1  ▼ MIN 0 = min(roll: 0, hold: 0)",
        "│   ├── 2  ▲ MAX 0.2 = max(roll: 0.2, hold: 0.2)",
        "│   ├── 3  ▲ MAX 0.3 = max(roll: 0.3, hold: 0.3)",
        "│   ├── 4  ▲ MAX 0.4 = max(roll: 0.4, hold: 0.4)",
        "│   ├── 5  ▲ MAX 0.5 = max(roll: 0.5, hold: 0.5)",
        "│   └── 6  ▲ MAX 0.6 = max(roll: 0.6, hold: 0.6)",
        "└── hold  ▼ MIN [−1, 0.183333]",
        "    │   alpha cut after 1 of 2: at most 0.183333 ≤ alpha 0.333333; 1 branch not",
        "    │   visited",
        "    ├── roll  ● CHANCE [−0.483333, 0.183333]",
        "    │     of mean(1: 0, 2: −0.2, 3: −0.3, 4: −0.4, 5: ?, 6: ?)",
        "    │     chance cut while probing, after 4 of 6: even if the rest were 1, at",
        "    │     most 0.183333 ≤ alpha 0.333333; 2 branches not visited",
        "    └─╫ hold  ?",
        "",
        "algorithm   star2",
        "value       0.333333",
        "best        roll",
        "depth       3",
        "nodes       25 visited, 6 more visits; 28 made, 1 merged",
        "evaluations 15",
        "leaves      15 of 15 are estimates",
        "cycles      1 position repeats: `expectitree solve` gives the value of the whole",
        "            game",
        "cuts        2",
        "bounds      [−1, 1] of the game",
    ]


def test_many_unvisited_moves_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "wide.py"
    moves = "range(40, 0, -2) if state else range(2, 42, 2)"
    wide = dedent(COUNTING).replace("[1, 2]", moves).replace("state % 2", "state < 0")
    file.write_text(wide.replace('else "max"', 'else "max" if state else "min"'))
    done = invoke("eval", f"{file}:Counting", "--depth", "2")
    assert "├── 4   ▲ MAX [44, 100]\n│     of max(40: 44, 38: 42, 36: 40, " in done.stdout


def test_a_depth_is_required() -> None:
    assert "choose with --depth D how many plies deep to search it" in error_of("eval", PIG)


def test_options_of_a_search(counting: str) -> None:
    for file, options, line in (
        (PIG, ("--depth", "3", "-a", "expectiminimax"), "30 of 30 visited\n"),
        (PIG, ("--depth", "3", "--bounds", "-2,2"), "bounds      [−2, 2] from --bounds\n"),
        (PIG, ("--depth", "3", "--exact"), "value       1/3\n"),
        (counting, ("--depth", "2", "--play", "1"), "value       4.25\n"),
        (
            counting,
            ("--depth", "2", "--play", "1", "--estimate", counting.replace("Counting", "low")),
            "value       2.125\n",
        ),
    ):
        assert line in invoke("eval", file, *options).stdout, options


def test_explain_and_strategy_of_a_game() -> None:
    done = invoke("eval", PIG, "--depth", "3", "--explain", "hold/hold")
    assert "hold/hold was not entered (cut): its value is in [−1, 1]." in done.stdout
    assert "hold" not in invoke("eval", PIG, "--depth", "1", "--strategy").stdout.split("value")[0]


# ---- Limits.


def test_a_search_that_is_stopped_says_why() -> None:
    done = invoke("eval", PIG, "--depth", "8", "--max-visits", "4", "--rows", "1")
    assert done.exit_code == 1
    assert "stopped     depth 8 is not finished: the limit of visits was reached\n" in done.stdout
    done = invoke("eval", PIG, "--depth", "8", "--max-rows", "300")
    assert done.exit_code == 1
    assert "depth 8 is not finished: Pig to 10: more than 300 rows" in words(done.stdout)
    done = invoke("eval", "game:pig", "--depth", "40", "--seconds", "0.05", "--rows", "1")
    assert done.exit_code == 1
    assert "depth 40 is not finished: the limit of 0.05 s was reached" in words(done.stdout)


def test_deepening_reports_the_last_depth_that_is_finished() -> None:
    limits = ("--deepen", "--max-rows", "300", "--rows", "1")
    done = invoke("eval", PIG, "--depth", "9", *limits)
    assert done.exit_code == 1
    assert "is finished, depth" in words(done.stdout)
    assert "value       0." in done.stdout
    found = json.loads(invoke("eval", PIG, "--depth", "9", *limits, "--format", "json").stdout)
    reached = found["game"]["depth"]
    whole = et.evaluate(et.write_out(PIG, depth=reached))
    assert found["value"] == pytest.approx(whole.value)
    assert invoke("eval", PIG, "--depth", "5", "--deepen").exit_code == 0


def test_a_stopped_search_can_be_traced_and_has_no_strategy() -> None:
    done = invoke("trace", PIG, "--depth", "6", "--max-rows", "60")
    assert done.exit_code == 1
    assert "was stopped after" in words(done.stdout)
    error = error_of("eval", PIG, "--depth", "6", "--max-rows", "60", "--strategy")
    assert "give it more --seconds, --max-rows or --max-visits" in error


# ---- Positions.


def test_moves_choose_the_position_which_is_shown() -> None:
    done = invoke("eval", PIG, "--depth", "1", "--play", "roll,6")
    assert "game:pig(target=10) to depth 1, after roll,6\n" in done.stdout
    assert "│   MAX 0, MIN 0; MAX's turn, 6 points\n" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--play", "rol"), "at the start there is no move 'rol' (did you mean 'roll'?)"),
        (("--start", "x"), "has no notation for positions (a method parse)"),
        (("--order", "best"), "--order best needs the whole tree"),
        (("--engine", "compiled"), "cannot be compiled: remove --engine compiled"),
        (("--set", "a=1"), "write a game's parameters in its name"),
        (("--attitude", "exponential=3"), "--attitude needs the tree of game:pig"),
        (("-a", "expectiminimax", "--deepen"), "--deepen is for pruning searches"),
    ],
)
def test_wrong_options(options: tuple[str, ...], message: str) -> None:
    assert message in error_of("eval", PIG, "--depth", "2", *options)


@pytest.mark.parametrize(
    "option",
    ["--start=x", "--play=roll", "--no-merge", "--max-rows=9", "--deepen",
     "--seconds=1", "--estimate=a.py:f"],
)  # fmt: skip
def test_an_option_for_games_needs_a_game(option: str) -> None:
    error = error_of("eval", RISK, option)
    assert f"{option.partition('=')[0]} is for games, such as game:pig" in error


# ---- Games in files.


def test_wrong_games(tmp_path: Path) -> None:
    text = COUNTING.replace("state + move", "1 / 0")
    (tmp_path / "bad.py").write_text(dedent(text))
    for name, message in (
        (f"{tmp_path / 'bad.py'}:Counting", "play(0, 1) raises ZeroDivisionError"),
        (f"{tmp_path / 'none.py'}:Game", "the file cannot be read: no such file or directory"),
        ("game:pigg", "unknown game 'pigg' (did you mean 'pig'?)"),
    ):
        assert message in error_of("eval", name, "--depth", "3", status=3)


def test_texts_of_a_game_cannot_control_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    text = dedent(COUNTING).replace('"Counting"', '"Count\\x1b[2J\\ning"')
    file.write_text(text + "\n    def label(self, state, move):\n        return f'\\x1b{move}'\n")
    done = run_main("eval", f"{file}:Counting", "--depth", "2")
    assert "\x1b" not in done.out
    assert "\\x1b1" in done.out
    text = text.replace("start = 0", "start = State(0)").replace(
        "return state + move", "return State(state + move)"
    )
    file.write_text("class State(int):\n    def __str__(self):\n        return 1 / 0\n" + text)
    error = error_of("eval", f"{file}:Counting", "--depth", "2", "--play", "1", status=3)
    assert "str(1) raises ZeroDivisionError" in error


def test_an_error_of_one_game_does_not_stop_the_others() -> None:
    done = invoke("eval", "game:pigg", PIG, "--depth", "2")
    assert done.exit_code == 3
    assert "value       0" in done.stdout


def test_a_file_may_have_a_colon_in_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game:pig").write_text("max: [1, 2]")
    assert "value     2\n" in invoke("eval", "game:pig").stdout


def test_a_report_does_not_replace_the_file_of_a_game(counting: str) -> None:
    file = counting.rpartition(":")[0]
    before = Path(file).read_text()
    done = invoke("eval", counting, "--depth", "2", "-o", file)
    assert done.exit_code == 2
    assert Path(file).read_text() == before


# ---- Other commands.


@pytest.mark.parametrize("algorithm", [name for name in PRUNING if name != "best-first"])
@pytest.mark.parametrize("limit", [(), *(("--max-rows", str(rows)) for rows in range(5, 90, 28))])
def test_without_merging_a_trace_makes_the_visits_of_the_search(
    algorithm: str, limit: tuple[str, ...]
) -> None:
    about = (PIG, "--depth", "4", "-a", algorithm, "--no-merge", *limit, "--format", "json")
    found = json.loads(invoke("eval", *about).stdout)
    end = json.loads(invoke("trace", *about).stdout.splitlines()[-1])
    assert end["nodes"] == found["nodes"]


def test_pictures_and_pages_of_a_game(tmp_path: Path) -> None:
    picture, page = tmp_path / "a.svg", tmp_path / "a.html"
    assert invoke("draw", PIG, "--depth", "3", "-o", str(picture)).exit_code == 0
    assert "star2 visited 25 nodes and 15 leaves, 2 cuts" in picture.read_text()
    assert invoke("draw", PIG, "--depth", "3", "-o", str(page)).exit_code == 0
    assert data_of(page.read_text())["traces"][0]["about"]["game"]["depth"] == 3
    several = ("-a", "star1", "-a", "star2", "-o", str(page), "--force")
    assert invoke("draw", PIG, "--depth", "3", *several).exit_code == 0
    assert all("game" not in trace["about"] for trace in data_of(page.read_text())["traces"])


def test_positions_are_shown_in_traces_and_pages(tmp_path: Path) -> None:
    board = "1 2 3 . .\n4 5 . . .\n6 . . . f\n. . . e d\n. . c b a\nMAX's turn, roll 3"
    about = ("game:einstein", "--depth", "2", "--play", "3")
    lines = [line.strip() for line in invoke("trace", *about, "--limit", "2").stdout.splitlines()]
    assert "\n".join(lines[4:10]) == board
    assert "1 2 . 3 ." in lines
    page = tmp_path / "a.html"
    assert invoke("draw", *about, "-o", str(page)).exit_code == 0
    notes = data_of(page.read_text())["tree"]["notes"]
    assert board in notes.values()
    assert len(notes) == 4


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (("compare",), "expectiminimax              0.333333  roll     30      19   100%"),
        (("opponents",), "perfect         0  0.333333  roll"),
        (("rescale", "--map", "2*u"), "0.666667"),
        (("risk",), "roll ★   0.333333"),
    ],
)
def test_other_commands_write_the_tree_out(command: tuple[str, ...], expected: str) -> None:
    done = invoke(*command, PIG, "--depth", "3")
    assert done.exit_code == 0
    assert expected in done.stdout
    error = error_of(*command, PIG, "--depth", "9", "--max-rows", "500", status=3)
    assert "choose a smaller --depth, or allow more with --max-rows" in error


@pytest.mark.parametrize(
    "command",
    [("ask",), ("information", "--event", "x"),
     ("sensitivity", "-p", "x")],
)  # fmt: skip
def test_commands_that_refuse_games_say_what_to_do(command: tuple[str, ...]) -> None:
    done = invoke(*command, PIG)
    assert done.exit_code == 2
    hint = f"write its tree to a file first, with `expectitree convert '{PIG}' tree.yaml --depth D`"
    assert hint in words(done.stderr)


# ---- convert


@pytest.mark.parametrize("ending", ["yaml", "json", "arrow"])
def test_convert_writes_a_game_out(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"pig.{ending}"
    done = invoke("convert", PIG, str(file), "--depth", "4")
    assert done.exit_code == 0
    assert f"{file} written: 70 nodes; next: expectitree eval {file}" in words(done.stderr)
    tree = et.load(str(file))
    assert tree.title == "Pig to 10"
    assert tree.find("roll/1").estimate == 0
    assert tree.find("roll/2").estimate == pytest.approx(0.2)
    assert et.evaluate(tree).value == pytest.approx(et.search(PIG, depth=4).value)
    assert invoke("eval", str(file), "--depth", "2").exit_code == 0  # at its estimates


def test_text_is_exact(tmp_path: Path) -> None:
    done = invoke("convert", PIG, "-", "--depth", "1", "--play", "roll")
    tree = et.loads(done.stdout)
    assert str(search_tree(tree).value) == "1/3"
    assert tree.source == "game:pig(target=10) to depth 1, after roll"


def test_a_tree_that_is_too_large_leaves_no_file(tmp_path: Path) -> None:
    file = tmp_path / "pig.yaml"
    large = ("convert", PIG, str(file), "--depth", "9", "--max-rows", "1000", "--force")
    assert "more than 1,000 rows at depth 9: choose a smaller --depth" in error_of(*large, status=3)
    assert not list(tmp_path.iterdir())
    file.write_text("max: [1, 2]")
    assert run_main(*large).status == 3
    assert file.read_text() == "max: [1, 2]"


def test_convert_needs_a_depth_for_a_game_and_takes_none_for_a_file(tmp_path: Path) -> None:
    out = str(tmp_path / "a.yaml")
    assert invoke("convert", PIG, out).exit_code == 2
    assert "--depth is for games" in error_of("convert", RISK, out, "--depth", "2")


# ---- Python


def test_records_and_repr_of_a_game_have_no_totals() -> None:
    found = et.search(PIG, depth=3)
    assert repr(found) == "<Search star2: 0.333333, depth 3, 25 nodes, 15 evaluations>"
    (record,) = found.to_records()
    assert record["nodes_total"] is None
    assert record["leaves_total"] is None
    assert (record["rows"], record["evaluations"], record["merged"]) == (28, 15, 1)


def test_options_of_files_are_refused_for_games() -> None:
    for words in (["eval", "game:pig"], ["convert", "game:pig", "-"]):
        message = error_of(*words, "--depth", "3", "--from", "efg")
        assert "--from, --normalize and the options of other programs' files are not" in message


def test_solve_and_verify_a_game(tmp_path: Path) -> None:
    policy = tmp_path / "policy.csv"
    done = run_main(
        "solve", "game:pig(target=3)", "--exact", "--play", "roll,3", "--policy", str(policy)
    )
    assert done.status == 0
    assert "value      1\n" in done.out
    assert done.err == f"{policy} written\n"
    done = run_main("solve", "game:pig(target=3)", "--width", "0")
    assert done.status == 1
    assert "wider      than 0, because floats are rounded" in done.out
    done = run_main("solve", "game:pig", "--play", "run")
    assert (done.status, "there is no move 'run'" in done.err) == (2, True)
    done = run_main("verify", "game:pig(target=3)", "-v")
    assert "100 games: expected no fault of the rules, found turn, moves, play, value" in done.out
    assert done.out.endswith("\n1 game, 1 without a fault\n")
    assert run_main("verify", "game:pig", "--write").status == 2
