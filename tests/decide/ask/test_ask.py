"""`expectitree ask`: the conversation, the file of answers, and the output at the end."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from click.testing import Result
from helpers import ROOT, in_a_terminal, invoke, run_main

import expectitree as et
from expectitree.decide.ask.answers import AnswersFile, answers_name

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


def test_long_routes_and_many_actions_are_shortened(tree: Path) -> None:
    text = '{utility: "?"}'
    for _ in range(30):
        text = f'{{min: {{"{"x" * 90}": {text}}}}}'
    result = ask("-e", f"{{bounds: [-1, 1], max: [{text}, {', '.join('0' * 40)}]}}", typed="0.5")
    assert "  … 19 more steps\n" in result.stderr
    assert max(map(len, (result.stderr + result.stdout).splitlines())) <= 80
    assert "  … 21 more\n" in result.stdout


# ---- The file of answers.


def test_a_full_disk_ends_the_questions(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        done = run_main("ask", "bet.yaml", "--goal", "value", stdin="8\n0.5\n")
    assert done.status == 3
    assert done.err.endswith(
        "bet.answers.yaml: error: the answer cannot be written: No space left on device\n"
        "help: correct that, and run the same command again to go on\n"
    )
    assert Path("bet.answers.yaml").read_bytes() == b""
    assert ask("bet.yaml", "--goal", "value", typed="8\n0.5\n").exit_code == 0
    assert answer_lines() == f"{GOOD}: 8\n{BAD}: 0.5\n"


def test_answers_of_other_people_stay(tree: Path) -> None:
    file = AnswersFile("bet.answers.yaml", "bet.yaml")
    assert file.read()[0] == []
    file.add("a", "1")
    with open("bet.answers.yaml", "a", encoding="utf-8") as other:
        other.write("b: 2 # no line end")
    file.add("c", "3")
    assert answer_lines() == "a: 1\nb: 2 # no line end\nc: 3\n"


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


# ---- The command line.


@pytest.mark.slow
def test_the_program_works_without_unicode_and_without_a_terminal(tree: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    run: Any = {"capture_output": True, "encoding": "utf-8", "env": environment}
    command = [sys.executable, "-m", "expectitree", "ask"]
    done = subprocess.run([*command, "bet.yaml"], input="\xff\n2\n", **run)
    assert done.returncode == 0
    assert "  CHANCE  draws  heads  p 3/4\n" in done.stderr
    assert "* sure  4\n" in done.stdout
    assert (done.stdout + done.stderr).isascii()
    Path("bad.yaml").write_text("nil: 2\n", "utf-8")
    done = subprocess.run([*command, "bet.yaml", "--answers", "bad.yaml"], input="", **run)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 5  # an error with its line and a caret, and what to do
    done = subprocess.run([*command, "bet.yaml", "--answers", "no/where.yaml"], input="2\n", **run)
    assert done.returncode == 3
    assert done.stderr == (
        "no/where.yaml: error: answers cannot be kept here: No such file or directory\n"
        "help: name another file with --answers, or keep no answers with --no-save\n"
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
