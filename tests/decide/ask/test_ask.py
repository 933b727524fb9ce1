"""`expectitree ask`: the conversation, the file of answers, and the output at the end."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from click.testing import Result
from helpers import ROOT, in_a_terminal, invoke, run_main

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.decide.ask.answers import AnswersFile, answers_name
from expectitree.files import tree_files

LAUNCH = ROOT / "docs" / "examples" / "launch.yaml"
# The search asks for `good` before `bad`, whatever its guide.
TREE = """\
title: Bet or not
bounds: [0, 9]
note: In euros.
max:
  sure: 4
  bet:
    chance:
      heads: {p: 3/4, min: {good: {utility: "?", note: Ask Ann.}}}
      tails: {p: 1/4, min: {bad: {utility: "?", bounds: [0, 1]}}}
"""
GOOD, BAD = "bet/heads/good", "bet/tails/bad"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bet.yaml"
    path.write_text(TREE, "utf-8")
    return path


def ask(*arguments: str, typed: str = "") -> Result:
    return invoke("ask", *arguments, stdin=typed)


def answer_lines(name: str = "bet.answers.yaml") -> str:
    """Return the lines of an answers file, without comments."""
    return "".join(
        line for line in Path(name).read_text("utf-8").splitlines(True) if not line.startswith("#")
    )


# ---- The conversation.


def test_a_conversation_asks_saves_and_shows_the_decision(tree: Path) -> None:
    result = ask("bet.yaml", typed="2\n1/2\n")
    assert result.exit_code == 0
    assert result.stderr == (
        """\
Bet or not

In euros.

The decision maker is MAX, who prefers large totals.
2 utilities are not known; perhaps not all of them are needed. Type ? for help.
Answers are kept in bet.answers.yaml.

Question 1: what is it worth when
  ▲ MAX     plays  bet
  ● CHANCE  draws  heads  p 0.75
  ▼ MIN     plays  good
  Ask Ann.
a number from 0 to 9: 2

"""
    )
    assert result.stdout == (
        """\
sure is best: it is worth 4, and nothing else is worth more than 1.75.
★ sure  4
  bet   [1.5, 1.75]
Answered: 1 of 2 unknown utilities. The others cannot change the decision.
To see the whole tree, run the same command with --show. To correct an answer,
edit bet.answers.yaml.
"""
    )
    assert answer_lines() == f"{GOOD}: 2\n"


def test_a_question_shows_what_is_paid_on_the_way(tree: Path) -> None:
    tree.write_text(
        """
bounds: [0, 100]
max:
  sell: 40
  test: {cost: 5, chance: {up: {p: 1/2, reward: 2, utility: "?"}, down: {p: 1/2, utility: 30}}}
"""
    )
    result = ask("bet.yaml", "--exact", typed="60\n")
    assert result.exit_code == 0
    question = result.stderr.split("Question 1: ")[1]
    assert question.startswith(
        """\
what is it worth when
  \u25b2 MAX     plays  test         cost 5
  \u25cf CHANCE  draws  up    p 0.5  reward 2
  Leave out the rewards and costs on the way: they are added to the answer.
a number from 3 to 103: """
    )
    assert result.stdout.startswith("test is best: it is worth 41, and nothing else")
    assert ask("bet.yaml", "--exact", "--goal", "value").stdout.startswith("The value is 41, with")


def test_the_same_command_continues(tree: Path) -> None:
    result = ask("bet.yaml", "--goal", "value", typed="8\n")
    assert result.exit_code == 1
    state = "the value is in [6, 6.25]; the best so far is bet, for certain"
    assert f"{state}; 1 not known\n" in result.stderr
    assert result.stdout.startswith(f"Not decided: {state}.\n")
    assert result.stdout.endswith("To go on, run the same command again.\n")
    result = ask("bet.yaml", "--goal", "value", typed="1/3\n")
    assert result.exit_code == 0
    assert result.stderr.startswith("1 answer from bet.answers.yaml\n")
    assert "Question 2: what is it worth when" in result.stderr
    assert "a number from 0 to 1: 1/3\n" in result.stderr
    assert result.stdout.startswith("The value is 6.08333, with bet.\n")
    assert "Answered: 2 of 2 unknown utilities.\n" in result.stdout
    assert answer_lines() == f"{GOOD}: 8\n{BAD}: 1/3\n"
    exact = ask("bet.yaml", "--goal", "value", "--exact")
    assert exact.stdout.startswith("The value is 73/12, with bet.\n")
    assert exact.stderr == "2 answers from bet.answers.yaml\n"


@pytest.mark.parametrize("typed", ["", "quit\n", "Q\n", "?\nquit"])
def test_quitting_immediately_shows_the_bounds_so_far(tree: Path, typed: str) -> None:
    result = ask("bet.yaml", typed=typed)
    assert result.exit_code == 1
    assert (
        result.stdout
        == """\
Not decided: the best so far is sure, wrong by at most 3.
★ sure  4
  bet   [0, 7]
Answered: 0 of 2 unknown utilities.
To go on, run the same command again.
"""
    )
    assert not Path("bet.answers.yaml").exists()


def test_a_bad_answer_is_asked_for_again(tree: Path) -> None:
    result = ask("bet.yaml", typed="\nfour\nshw\n10\n-1e999\n1/0\ntrue\n2\n")
    assert result.exit_code == 0
    assert result.stderr.count("Question") == 1
    for expected in (
        "Type a number, or ? for help.",
        "'four' is not a number: write a decimal such as 2, -4.5e3 or .9, or a fraction",
        "(did you mean 'show'?)",
        f"the utility 10 of {GOOD} lies outside its bounds [0, 9]: correct the",
        "'-1e999' has too large an exponent",
        "divides by zero",
        "true is not a number",
    ):
        assert expected in result.stderr
    assert answer_lines() == f"{GOOD}: 2\n"


def test_commands_print_help_and_draw_the_tree(tree: Path) -> None:
    shown = ask("bet.yaml", "--goal", "value", typed="?\nshow\n").stderr
    assert "\n  show " in shown
    assert "\n  quit " in shown
    assert "├── sure  4\n└── bet   ● CHANCE [0, 7]" in shown


def test_ctrl_c_does_not_wait_for_the_choice_of_the_next_question(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer was saved before."""
    times = []

    def answer(inquiry: et.Inquiry, *what: Any) -> None:
        times.append(monotonic())
        signal.raise_signal(signal.SIGINT)
        while monotonic() < times[0] + 5:
            pass

    monkeypatch.setattr(et.Inquiry, "answer", answer)
    done = run_main("ask", "bet.yaml", "--goal", "value", stdin="8\n1\n")
    assert monotonic() - times[0] < 2  # half a second where no other process runs
    assert done.status == 130
    assert done.err.endswith("expectitree: interrupted\n")
    assert answer_lines() == f"{GOOD}: 8\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_waits_for_the_answer(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = AnswersFile.add

    def add(file: AnswersFile, path: str, utility: str) -> None:
        signal.raise_signal(signal.SIGINT)
        sleep(0.5)
        before(file, path, utility)

    monkeypatch.setattr(AnswersFile, "add", add)
    assert run_main("ask", "bet.yaml", "--goal", "value", stdin="8\n1\n").status == 130
    assert answer_lines() == f"{GOOD}: 8\n"


def test_a_long_label_wraps(tree: Path) -> None:
    result = invoke("ask", str(LAUNCH), "--no-save", stdin="700\n450\n", COLUMNS="40")
    words = " ".join(result.stderr.split())
    assert "rival cuts its price" in words
    assert "rival copies the" in words
    assert max(map(len, result.stderr.splitlines())) <= 50


def test_the_ends_of_the_offered_interval_are_valid_answers(tree: Path) -> None:
    text = 'max: {a: {utility: "?", bounds: [1/3, 2/3]}, b: 0.5}'
    for more in ((), ("--exact",)):  # a rounded decimal could lie outside
        assert "a number from 1/3 to 2/3: " in ask("-e", text, *more).stderr
        for end in ("1/3", "2/3"):
            assert ask("-e", text, *more, typed=f"{end}\n").exit_code == 0


def test_exact_shows_fractions_on_the_way_to_a_leaf(tree: Path) -> None:
    text = '{chance: [{p: 1/3, cost: 2/7, utility: "?"}, {p: 2/3, utility: 1}]}'
    assert "#1  p 1/3  cost 2/7\n" in ask("-e", text, "--exact").stderr
    assert "#1  p 1/3  cost 0.285714\n" in ask("-e", text).stderr


def test_a_tree_after_e_has_no_answers_file(tree: Path) -> None:
    text = 'max: [{utility: "?", bounds: [1, 2]}, 3]'
    result = ask("-e", text)
    assert (result.exit_code, result.stderr) == (0, "")
    assert (
        result.stdout
        == """\
#2 is best: it is worth 3, and nothing else is worth more than 2.
  #1  [1, 2]
★ #2  3
Answered: 0 of 1 unknown utility. No answer can change the decision.
"""
    )
    text = 'min: [{utility: "?"}, {utility: "?"}]'
    result = ask("-e", text, "--bounds=0,1", "--no-save", typed="0\n")
    assert result.exit_code == 0
    proof = "#1 is best: it is worth 0, and nothing else is worth less than 0.\n"
    assert result.stdout.startswith(proof)
    result = ask("-e", text, "--answers", "kept.yaml", typed="0\n")
    state = "the best so far is #1, and it may be wrong by any amount; 1 not known\n"
    assert state in result.stderr
    assert "a number: 0" in result.stderr
    assert answer_lines("kept.yaml") == '"#1": 0\n'
    assert result.stdout.endswith("To go on, run the same command again.\n")
    assert sorted(os.listdir()) == ["bet.yaml", "kept.yaml"]


def test_a_root_without_actions_has_a_value_and_a_shared_leaf_counts_once(tree: Path) -> None:
    text = """{nodes: {x: {utility: "?"}}, chance: {
      a: {p: 0, ref: x}, b: {ref: x, p: 1/2, note: N}, c: {max: [{ref: x}, 1], p: 1/2}}}"""
    result = ask("-e", text, "--exact", typed="1/3\n")
    assert (
        "  ● CHANCE  draws  b  p 0.5\n  N\n  3 branches lead here: the answer counts for all of "
        "them.\n" in result.stderr
    )
    assert result.stdout == "The value is 2/3.\nAnswered: 1 of 1 unknown utility.\n"
    result = ask("-e", 'utility: "?"', typed="\n5")
    assert "Question 1: what is it worth?\na number: " in result.stderr
    assert result.stdout == "The value is 5.\nAnswered: 1 of 1 unknown utility.\n"


def test_long_routes_and_many_actions_are_shortened(tree: Path) -> None:
    text = '{utility: "?"}'
    for _ in range(30):
        text = f'{{min: {{"{"x" * 90}": {text}}}}}'
    result = ask("-e", f"{{bounds: [-1, 1], max: [{text}, {', '.join('0' * 40)}]}}", typed="0.5")
    assert "  … 19 more steps\n" in result.stderr
    assert max(map(len, (result.stderr + result.stdout).splitlines())) <= 80
    assert "  … 21 more\n" in result.stdout


def test_a_tree_without_unknown_utilities_asks_nothing(tree: Path) -> None:
    result = ask("-e", "max: [1, 2]")
    assert result.exit_code == 0
    known = "every utility is known, so there is nothing to ask: use expectitree eval"
    assert result.stderr == f"-e: {known}\n"
    proof = "#2 is best: it is worth 2, and nothing else is worth more than 1."
    assert result.stdout == f"{proof}\n  #1  1\n★ #2  2\n"


# ---- Output.


def test_json_has_the_fields_of_the_inquiry(tree: Path) -> None:
    result = ask("bet.yaml", "--goal", "value", "--format", "json", typed="8\n")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == {
        "file": "bet.yaml", "title": "Bet or not", "decision_maker": "MAX",
        "goal": "value", "done": False, "best": "bet", "loss": 0,
        "value": None, "interval": [6, 6.25],
        "actions": [{"label": "sure", "interval": [4, 4]}, {"label": "bet", "interval": [6, 6.25]}],
        "bounds": [0, 9], "bounds_from": "file", "unknown": {"total": 2, "answered": 1},
        "answers": {GOOD: 8},
        "next": {"path": BAD, "bounds": [0, 1]},
    }  # fmt: skip
    found = json.loads(ask("bet.yaml", "--show", "--exact", "--format", "json").stdout)
    assert (found["done"], found["best"], found["loss"]) == (True, "bet", 0)
    assert (found["answers"], found["next"]) == ({GOOD: "8"}, None)
    found = json.loads(ask("-e", 'chance: [{utility: "?"}]', "--show", "--format", "json").stdout)
    assert (found["best"], found["loss"], found["actions"]) == (None, "inf", [])
    assert (found["bounds"], found["bounds_from"]) == (["-inf", "inf"], "none")


def test_show_asks_nothing(tree: Path) -> None:
    ask("bet.yaml", typed="2\n")
    result = ask("bet.yaml", "--show")
    assert result.exit_code == 0
    assert result.stderr == "1 answer from bet.answers.yaml\n"
    assert "good  2" in result.stdout
    assert "bad: ?" in result.stdout
    assert "sure is best" in result.stdout
    assert ask("bet.yaml", "--show", "--no-save", "--answers", "none.yaml").exit_code == 1


def test_o_writes_the_tree_with_its_answers(tree: Path) -> None:
    result = ask("bet.yaml", "--goal", "value", "-o", "some.yaml", typed="1/3\n")
    assert result.exit_code == 0  # The action is certain, whatever the other utility is.
    written = et.load("some.yaml")
    assert written.columns.utility[written.find(GOOD).id] == Fraction(1, 3)
    assert [written.path_of(n) for n in written.unknown] == [BAD]
    assert "some.yaml written: 7 nodes; next: expectitree ask some.yaml" in result.stderr
    result = ask("bet.yaml", "-o", "some.yaml")
    assert result.exit_code == 2
    assert "some.yaml exists already" in result.stderr
    assert ask("bet.yaml", "-o", "some.yaml", "--force").exit_code == 0
    assert ask("bet.yaml", "-o", "-").exit_code == 2
    assert ask("bet.yaml", "-o", "some.json").exit_code == 0
    assert et.load("some.json").find(GOOD).utility == 1 / 3
    result = ask("bet.yaml", "--no-save", "--answers", "no.yaml", "-o", "quit.yaml", typed="quit\n")
    assert result.exit_code == 1
    assert len(et.load("quit.yaml").unknown) == 2


# ---- The file of answers.


def test_a_full_disk_ends_the_questions(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        done = run_main("ask", "bet.yaml", "--goal", "value", stdin="8\n0.5\n")
    assert done.status == 3
    assert done.err.endswith(
        "bet.answers.yaml: the answer cannot be written: No space left on device: correct that, "
        "and run the same command again to go on\n"
    )
    assert Path("bet.answers.yaml").read_bytes() == b""
    assert ask("bet.yaml", "--goal", "value", typed="8\n0.5\n").exit_code == 0
    assert answer_lines() == f"{GOOD}: 8\n{BAD}: 0.5\n"


def test_an_answers_file_that_cannot_be_written_is_an_error(tree: Path) -> None:
    result = ask("bet.yaml", "--answers", "bet.yaml/answers.yaml", typed="2\n")
    assert isinstance(result.exception, FileError)
    hint = "name another file with --answers, or keep no answers with --no-save"
    assert hint in str(result.exception)


def test_answers_of_other_people_stay(tree: Path) -> None:
    file = AnswersFile("bet.answers.yaml", "bet.yaml")
    assert file.read()[0] == []
    file.add("a", "1")
    with open("bet.answers.yaml", "a", encoding="utf-8") as other:
        other.write("b: 2 # no line end")
    file.add("c", "3")
    assert answer_lines() == "a: 1\nb: 2 # no line end\nc: 3\n"


@pytest.mark.parametrize("content", [f"{{{BAD}: 1}}\n", f"  {BAD}: 1\n"])
def test_lines_that_cannot_be_added_are_an_error(tree: Path, content: str) -> None:
    Path("bet.answers.yaml").write_text(content, "utf-8")
    result = ask("bet.yaml", typed="2\n")
    assert "no line can be added here: expected one `path: utility` a line" in str(result.exception)
    assert Path("bet.answers.yaml").read_text("utf-8") == content
    assert json.loads(ask("bet.yaml", "--show", "--format", "json").stdout)["answers"] == {BAD: 1}


def test_answers_written_in_advance_count(tree: Path) -> None:
    Path("bet.answers.yaml").write_text(f"# by Bob\n\n{BAD}: .5  # a guess\n", "utf-8")
    result = ask("bet.yaml", "--goal", "value", typed="8\n")
    assert result.exit_code == 0
    assert result.stderr.startswith("1 answer from bet.answers.yaml\n")
    kept = Path("bet.answers.yaml").read_text("utf-8")
    assert kept == f"# by Bob\n\n{BAD}: .5  # a guess\n{GOOD}: 8\n"


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        (f"{GOOD}: 10\n", [f"bet.answers.yaml:1:17: {GOOD}: the utility 10 of {GOOD} lies outside "
                           f"its bounds [0, 9]"]),
        ("bet/tail: 1\nnil: 2\n", ["bet.answers.yaml:1:1: bet/tail: no node bet/tail: the",
            "2:1: nil: no node"]),
        (f"{GOOD}: [1]\n", ["found a list, expected the path of a leaf and its utility"]),
        (f"{BAD}: 1\n{BAD}: 0\n", ["bad is known, 1, and now 0: correct the one or the other"]),
        ("- 1\n", ["found a list, expected the path"]),
        ("4\n", ["found '4', expected the path"]),
        ("".join(f"x{i}: 1\n" for i in range(30)), ["x19",
            "reading stopped after 21 errors; there may be more"]),
        ("".join(f"x{i}: [1]\n" for i in range(30)), ["x19",
            "reading stopped after 21 errors; there may be more"]),
        ("a: b: c\n", ["this is not YAML"]),
    ],
)  # fmt: skip
def test_answers_that_do_not_fit_are_reported_with_their_place(
    tree: Path, content: str, problems: list[str]
) -> None:
    Path("bet.answers.yaml").write_text(content, "utf-8")
    result = ask("bet.yaml", typed="2\n")
    assert isinstance(result.exception, FileError)
    for problem in problems:
        assert problem in str(result.exception)
    if "lies outside" in problems[0] or "no node" in problems[0]:
        assert str(result.exception).endswith(
            "bet.answers.yaml: these answers do not fit the tree: correct these lines, or name the "
            "answers to this tree with --answers"
        )
    assert Path("bet.answers.yaml").read_text("utf-8") == content


def test_an_answer_that_has_moved_into_the_tree_is_harmless(tree: Path) -> None:
    ask("bet.yaml", typed="2\n")
    tree.write_text(TREE.replace('{utility: "?", note: Ask Ann.}', "2"), "utf-8")
    result = ask("bet.yaml")
    assert (result.exit_code, result.exception) == (0, None)


@pytest.mark.parametrize("content", ["", "# nothing\n", "\ufeff# nothing"])
def test_a_file_without_answers_receives_the_first_one(tree: Path, content: str) -> None:
    Path("bet.answers.yaml").write_text(content, "utf-8")
    assert ask("bet.yaml", typed="2\n").exit_code == 0
    kept = et.files.parse(Path("bet.answers.yaml").read_text("utf-8"), "a.yaml")
    assert kept.root == ((GOOD, "2"),)


def test_the_answers_file_is_next_to_the_tree() -> None:
    assert answers_name("a/b.yaml") == "a/b.answers.yaml"
    assert answers_name("b.tree") == "b.tree.answers.yaml"


def test_any_path_can_be_written_and_read_again(tree: Path) -> None:
    paths = ["a/b", "#1", "/", "it's: so", 'say "x"', "a\\/b", "é", "a\x07b", "no", "1.0"]
    paths += ["x" * 2000, "- a", " b "]
    file = AnswersFile("odd.answers.yaml", "t\x07.yaml")
    for path in paths:
        file.add(path, "1/3")
    answers, _ = AnswersFile("odd.answers.yaml", "t.yaml").read()
    assert [(path, utility) for path, utility, _ in answers] == [(p, "1/3") for p in paths]
    assert Path("odd.answers.yaml").read_text("utf-8").startswith("# Answers to `expectitree ask t")


def test_a_folder_of_trees_leaves_answers_out(tree: Path) -> None:
    ask("bet.yaml", typed="2\n")
    assert list(tree_files(".")) == ["./bet.yaml"]
    assert invoke("verify", ".").exit_code == 0


# ---- The command line.


WRONG = {
    "": "One tree is asked about",
    "-e 1 bet.yaml": "One tree is asked about",
    "-": "Standard input brings the answers, not the tree",
    "bet.yaml --answers a.json": "Answers are kept in YAML",
    "bet.yaml --answers ./bet.yaml": "Answers are kept in ./bet.yaml: name another",
    "bet.yaml --bounds 1": "write LOWER,UPPER",
    "bet.yaml --goal both": "'both' is not one of",
    "bet.yaml -o bet.answers.yaml": "Answers are kept in bet.answers.yaml: name",
    "bet.yaml --answers x.yaml -o ./x.yaml": "Answers are kept in x.yaml: name another",
}


@pytest.mark.parametrize("words", WRONG)
def test_wrong_usage_exits_with_status_2(tree: Path, words: str) -> None:
    result = ask(*words.split())
    assert result.exit_code == 2
    assert WRONG[words] in result.stderr


@pytest.mark.slow
def test_the_program_works_without_unicode_and_without_a_terminal(tree: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run: Any = {"capture_output": True, "encoding": "utf-8", "env": environment}
    command = [sys.executable, "-m", "expectitree", "ask"]
    done = subprocess.run([*command, "bet.yaml"], input="\xff\n2\n", **run)
    assert done.returncode == 0
    assert "  CHANCE  draws  heads  p 0.75\n" in done.stderr
    assert "* sure  4\n" in done.stdout
    assert (done.stdout + done.stderr).isascii()
    Path("bad.yaml").write_text("nil: 2\n", "utf-8")
    done = subprocess.run([*command, "bet.yaml", "--answers", "bad.yaml"], input="", **run)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 4  # an error with its line and a caret, and what to do
    done = subprocess.run([*command, "bet.yaml", "--answers", "no/where.yaml"], input="2\n", **run)
    assert done.returncode == 3
    assert done.stderr == (
        "no/where.yaml: answers cannot be kept here: No such file or directory: name another file "
        "with --answers, or keep no answers with --no-save\n"
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_ctrl_c_in_a_terminal_ends_the_conversation_without_a_traceback(tree: Path) -> None:
    talk = (b"0 to 9: ", b"8\n"), (b"0 to 1: ", b"\x03")
    done = in_a_terminal("ask", "bet.yaml", "--goal", "value", talk=talk)
    assert done.status == 1
    assert "To go on, run the same command again." in done.out
    assert "Traceback" not in done.out
    assert answer_lines() == f"{GOOD}: 8\n"


def test_the_answers_in_the_documents_are_the_fewest_that_decide() -> None:
    found = ask(str(LAUNCH), "--show", "--format", "json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["unknown"] == {"total": 8, "answered": 0}
    expert = str(LAUNCH.parent / "launch-expert.answers.yaml")
    found = ask(str(LAUNCH), "--answers", expert, "--exact")
    assert found.exit_code == 0
    assert " ".join(found.stdout.split()).startswith(
        "license the design is best: it is worth 180, and nothing else is worth more than 154.4. "
    )
    for leaf in range(3):  # None of the three may be missing.
        inquiry = et.inquire(et.load(LAUNCH))
        for number, line in enumerate(answer_lines(expert).splitlines()):
            if number != leaf:
                path, utility = line.split(": ")
                inquiry.answer(utility, path)
        assert not inquiry.is_done
