"""`verify --answers`: the values of a student, and why the first wrong one is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import ROOT, run_main, sentences

import expectitree as et
from expectitree.analysis.verify.answers import check_answers

LEFT = str(ROOT / "trees/aima-5.12-left.yaml")
RIGHT = {
    "a1": "2.1",
    "a1/#1": "2",
    "a1/#2": "3",
    "a2/#1": "1",
    "a2/#2": "4",
    "a2": "1.3",
    "/": "2.1",
}


def checked(tmp_path: Path, answers: str, tree: str = LEFT, *words: str) -> tuple[int, list[str]]:
    file = tmp_path / "answers.yaml"
    file.write_text(answers, "utf-8")
    done = run_main("verify", tree, *words, "--answers", str(file))
    return done.status, (done.out or sentences(done.err).replace(f"{file}", "FILE")).splitlines()


def text_of(answers: dict[str, str]) -> str:
    return "".join(f"{path}: {value}\n" for path, value in answers.items())


def test_all_right(tmp_path: Path) -> None:
    answers = text_of(RIGHT | {"a2/#2": "4", "best": "a1"})
    assert checked(tmp_path, answers) == (0, ["✓ 8 answers right, none wrong"])
    some = text_of({"a2": "13/10", "a1": "2.10", "a2/#1/#1": "1"})
    found = checked(tmp_path, some)
    assert found == (0, ["✓ 3 answers right, none wrong; no answer at 5 nodes"])


@pytest.mark.parametrize("path", RIGHT)
def test_a_wrong_value_is_named(path: str, tmp_path: Path) -> None:
    status, lines = checked(tmp_path, text_of(RIGHT | {path: "7"}))
    assert status == 1
    assert lines[0].startswith(f"✗ {path}: found 7, expected {RIGHT[path]}")
    assert len(lines) > 1


def test_children_come_before_their_parents_whatever_the_order_of_the_lines(tmp_path: Path) -> None:
    wrong = {"/": "9", "a2": "8", "a2/#1": "3", "a2/#2": "4"}
    for answers in (wrong, dict(reversed(wrong.items()))):
        assert checked(tmp_path, text_of(answers)) == (
            1,
            [
                "✗ a2/#1: found 3, expected 1",
                "At ▼ a2/#1, MIN chooses #1 (as good: #2): it is worth 1.",
                "  #1 is worth 1.",
                "  #2 is worth 1.",
            ],
        )


def test_the_best_action(tmp_path: Path) -> None:
    status, lines = checked(tmp_path, text_of({"a1": "2.1", "best": "a2"}))
    assert (status, lines[0]) == (1, "✗ best: found a2, expected a1")


def test_a_value_may_be_rounded_to_two_decimals(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    tree = et.loads("chance: [1, 1, 3]")
    for is_right, texts in ((True, ("1.67", "1.667", "5/3")), (False, ("1.66", "1.7", "2"))):
        for text in texts:
            file.write_text(f"/: {text}")
            assert (check_answers(tree, str(file))[1] is None) == is_right


CUT = "{max: {a: {min: [7, 9]}, b: {min: [5, 1]}}}"
STAR = (
    "{bounds: [0, 10], max: {attack: {chance: {sunny: {min: [8, 9]}, rainy: {min: [4, 7]}}}, "
    "defend: {chance: {sunny: {min: [1, 3]}, rainy: {min: [4, 2]}}}}}"
)
PAID = "{max: {a: {min: [7, 9]}, b: {cost: 2, min: [5, 1]}}}"
BOUNDS = [  # the tree, the search, an answer, and what is expected in its place if it is wrong
    (CUT, None, "b: 5", "1"),
    (CUT, None, "b: <= 5", ""),
    (CUT, None, "b: ≤ 1", ""),
    (CUT, None, "b: ≤ 0.9", "1"),
    (CUT, None, "b: '>= 2'", "1"),
    (CUT, "alphabeta", "b: 5", ""),
    (CUT, "alphabeta", "b: 1", ""),
    (CUT, "alphabeta", "b: <= 5", ""),
    (CUT, "alphabeta", "b: <= 0", "<= 5"),
    (CUT, "alphabeta", "b: 4", "<= 5"),
    (CUT, "alphabeta", "b/#2: 5", "1"),
    (CUT, "alphabeta", "best: b", "a"),
    (CUT, "expectiminimax", "b: 5", "1"),
    (CUT.replace("max", "min"), "alphabeta", "b: 9", "1"),
    ("{max: [3, {min: [2, 1]}]}", None, "#2/#1: 2\n#2: 1\n# 7: 1", ""),
    ("{max: [3, {min: [2, 1]}]}", "alphabeta", "#2: 1.5", "<= 2"),
    (PAID, "alphabeta", "b: 5", ""),
    (PAID, "alphabeta", "b: 3", ""),
    (PAID, "alphabeta", "b: 4", "<= 5 or <= 3"),
    (STAR, "star1", "defend: 5.5", ""),
    (STAR, "star1", "defend: 0", "<= 5.5"),
    (STAR, "star1", "defend/sunny: 1", ""),
    (STAR, "star1", "defend/rainy: 10", "2"),
    (STAR, "alphabeta", "defend/rainy: 3", "2"),
    (STAR, "star2", "defend/sunny: 1", ""),
]


@pytest.mark.parametrize(("tree", "search", "answer", "expected"), BOUNDS)
def test_a_bound_is_right_if_it_is_true_or_what_the_search_finds(
    tree: str, search: str | None, answer: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / "tree.yaml").write_text(tree)
    words = ["-a", search] if search else []
    status, lines = checked(tmp_path, answer, str(tmp_path / "tree.yaml"), *words)
    assert status == bool(expected)
    assert lines[0].partition(", expected ")[2] == expected


def test_a_value_may_include_what_its_branch_pays(tmp_path: Path) -> None:
    tree = str(ROOT / "trees/rockefeller.yaml")
    for value in ("1250", "1000"):
        assert checked(tmp_path, f"install: {value}", tree)[0] == 0
    lines = checked(tmp_path, "install: 3", tree)[1]
    assert lines[0] == "✗ install: found 3, expected 1250 or 1000"


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("", "FILE: the answers: found nothing, expected the path of a node and its value"),
        ("[1, 2]", "FILE:1:1: the answers: found a list, expected the path of a node"),
        ("b/c: 2", "FILE:1:1: b/c: no node b/c: the branches of / are a1, a2"),
        ("a1: two", "FILE:1:5: a1: 'two' is not a number"),
        ("a1: inf", "FILE:1:5: a1: 'inf' is not finite"),
        ("a1: <= two", "FILE:1:5: a1: 'two' is not a number"),
        ("a1: [1, 2, 3]", "FILE:1:5: a1: found a list, expected a number or a bound"),
        ("a1: [-inf, 5]", "FILE:1:5: a1: found a list, expected a number or a bound"),
        ("a1:", "FILE:1:4: a1: found nothing, expected a number or a bound"),
        (
            "a1: {b: 8}",
            "FILE:1:5: a1: found a mapping, expected a number or a bound",
        ),
        ("a1: 2.1\n#3/#1: 7", "FILE:2:1: #3/#1: no node #3/#1: the branches of / are a1, a2"),
        ("best: #2", "FILE:1:6: best: found nothing as the best action"),
        ("best: A1", "FILE:1:1: best: no node A1: the branches of / are a1, a2"),
        ("best: {a1: 2}", "FILE:1:7: best: found a mapping as the best action"),
        (text_of({f"x{n}": "1" for n in range(30)}), "FILE:1:1: x0: no node x0: the"),
    ],
)
def test_a_file_that_is_no_answers_is_reported(answers: str, message: str, tmp_path: Path) -> None:
    status, lines = checked(tmp_path, answers)
    assert status == 3
    assert lines[0].startswith(message)


ADVICE = {
    "a1: {'#1': 8}": "write a line for each node, as in `a2/#1: 4` or `b: <= 5`",
    "best: #2": "write its label; '#2' is a comment in YAML: for text, write `\"#2\"`; for a "
    "comment, write a space after the #",
    "best: A1": "write a1",
    "/a1/1: 7": "write a1/#1",
    "root: 6": "write / for the root",
}


@pytest.mark.parametrize("answers", ADVICE)
def test_advice_is_what_to_write(answers: str, tmp_path: Path) -> None:
    assert checked(tmp_path, answers)[1][-1].endswith(f": {ADVICE[answers]}")


@pytest.mark.parametrize("words", [[LEFT], ["--write"], ["--format", "json"]])
def test_answers_are_for_one_file(words: list[str]) -> None:
    done = run_main("verify", LEFT, *words, "--answers", LEFT)
    assert done.status == 2
    assert "--answers is for one FILE" in sentences(done.err)
