"""Study files: their grammar and the error messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.study.studies import SMALL, SMALL_RUNS, plan, records, run_remaining, study_of, time_limit

from expectitree.base.errors import FileError


def test_lists_of_values_make_a_grid(tmp_path: Path) -> None:
    study = study_of(tmp_path, SMALL)
    assert [tuple(tree.values()) for tree in study.trees] == [
        ("ballard", "2", "random"), ("ballard", "2", "best"), ("ballard", "3", "random"),
        ("ballard", "3", "best"),
        ("uniform", "max,chance,min", "2-3", "0.2", "1"),
    ]  # fmt: skip
    assert sorted(chosen.full_name for chosen in study.algorithms) == sorted(SMALL_RUNS)
    assert (study.repetitions, study.seed) == (4, 11)


def test_trees_without_randomness_are_searched_once(tmp_path: Path) -> None:
    trees = "[{family: ballard, order: best}, {family: uniform, seed: [5, 6]}]"
    study = study_of(tmp_path, f"trees: {trees}\nalgorithms: star1\nrepetitions: 9\n")
    run_remaining(study, tmp_path / "results")
    found = records(tmp_path / "results")
    assert [record["repetition"] for record in found] == [0, 0, 0]
    assert sorted(record["seed"] for record in found if record["tree"]["family"] == "uniform") == [
        5,
        6,
    ]


# A spec with § before each mistake, and the messages in the same order.
WRONG = {
    "unknown key": ("trees: {family: ballard}\nalgorithms: star1\n§repetition: 3\n",
        ["unknown key 'repetition'"]),
    "several at once": (
        "trees: {family: ballard, branching: §x}\nalgorithms: [§star9]\nrepetitions: §0\nseed: "
        "§-1\n",
        ["'x' as branching, expected a whole number", "unknown algorithm 'star9'",
         "'0', expected a whole number from 1", "'-1', expected a whole number from 0"],
    ),
    "types": (
        "title: §[a]\nsource: §{a: b}\ntrees: §3\nalgorithms: [§[star1]]\nrepetitions: §[1]\nseed: "
        "§1.5\n",
        ["a list, expected text", "a mapping, expected text",
            "'3', expected a mapping with a family",
         "a list, expected a name", "a list, expected a whole number",
         "'1.5', expected a whole number"],
    ),
    "empty lists": ("trees: §[]\nalgorithms: star1\n", ["an empty list, expected at least one of "
                                                        "trees"]),
    "no algorithms": ("trees: {family: ballard}\nalgorithms: §[]\n",
        ["an empty list, expected at least one of alg"]),
    "nothing at all": ("trees:§\nalgorithms:§\n", ["nothing, expected a mapping",
        "unknown algorithm ''"]),
    "no family": ("trees: [§{branching: 3}]\nalgorithms: star1\n",
        ["no key family: choose ballard"]),
    "unknown family": ("trees: {family: §ballot}\nalgorithms: star1\n",
        ["unknown family 'ballot'"]),
    "unknown parameter": (
        "trees: {family: ballard, §branchin: 3}\nalgorithms: star1\n",
        ["unknown key 'branchin' (did you mean 'branching'?)"],
    ),
    "a parameter of another family": ("trees: {family: uniform, §order: best}\nalgorithms: star1\n",
        ["key 'order'"]),
    "duplicate key": (
        "trees: {family: ballard, branching: 3, §branching: 4}\nalgorithms: star1\n§algorithms: "
        "star2\n",
        ["duplicate key 'branching'", "duplicate key 'algorithms'"],
    ),
    "the same trees": (
        "trees: §[{family: ballard, branching: [3, 4]}, {branching: 4, family: ballard}]\n"
        "algorithms: star1\n", ["the same trees are listed twice: ballard, branching 4"]),
    "duplicate algorithm": ("trees: {family: ballard}\nalgorithms: §[star1, Star1]\n",
        ["algorithm is listed twice"]),
    "probes of star1": (
        "trees: {family: ballard}\nalgorithms: [§star1: {probes: 2}, §star2: {probes: 2}]\n",
        ["star2.5 only, not for star1", "star2.5 only, not for star2"],
    ),
    "probes": (
        "trees: {family: ballard}\nalgorithms: [star2.5: {probes: [1, §0, §two], probe-order: §up, "
        "§probe: 1}]\n",
        ["'0', expected a whole", "'two', expected", "'up', expected cyclic or sequential",
            "unknown key 'probe'"],
    ),
    "no figure": ("trees: {family: ballard}\nalgorithms: star1\npublished: [§{branching: 4}]\n",
        ["no figure"]),
    "figures that are none": (
        "trees: {family: ballard}\nalgorithms: star1\npublished: [{star1: §much}, {star1: §3/0}, "
        "{star1: §-1}]\n",
        ["'much', expected per cent", "'3/0', expected per cent", "'-1', expected per cent"],
    ),
    "the limit of games": (
        "trees: {game: 'game:pig', depth: 2}\nalgorithms: §[star1, limit]\n",
        ["limit is for trees without shared nodes, and those of games share them: remove it"],
    ),
    "keys of former versions": (
        "trees: {family: ballard}\nalgorithms: star1\n§plot: {x: probes}\n§table: wide\n",
        ["remove this key, and plot the table of --format csv", "a study has one table: remove"],
    ),
    "no spec": ("§max: [1, 2]\n", ["unknown key 'max'", "no key trees", "no key algorithms"]),
    "a list": ("§- a\n", ["a list, expected a mapping with trees and algorithms"]),
    "unknown game": ("trees: {game: §'game:pigs', depth: 3}\nalgorithms: star1\n", ["'pigs'"]),
    "no game": ("trees: {game: §pig, depth: 3}\nalgorithms: star1\n", ["'pig' is not a game"]),
    "no depth": ("trees: [§{game: 'game:pig'}]\nalgorithms: star1\n", ["no key depth"]),
    "parameters of games": (
        "trees: {game: 'game:pig', depth: §-1, random-moves: §x, order: §up, §die: 6,"
        " seed: §1.5}\nalgorithms: star1\n",
        ["'-1', expected a whole", "'x', expected a whole", "'up', expected given, inner",
         "unknown key 'die'", "'1.5', expected a whole"],
    ),
    "estimates": (
        "trees:\n- {game: 'game:pig', depth: 3, estimate: §nowhere.py:f}\n"
        "- {game: 'game:pig', depth: 3, estimate: §f}\nalgorithms: star1\n",
        ["cannot be read", "'f' is not a function"],
    ),
    "a game's file": ("trees: {game: §'nowhere.py:Game', depth: 3}\nalgorithms: star1\n",
        ["cannot be read"]),
    "a game and a family": (
        "trees: {family: ballard, §game: 'game:pig'}\nalgorithms: star1\n", ["unknown key 'game'"]),
    "a missing key": ("§trees: {family: ballard}\n", ["no key algorithms"]),
    "no YAML": ("trees: §[{family: ballard}\nalgorithms: star1\n", ["this is not YAML"]),
    "an empty file": ("§", ["the document is empty"]),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_each_mistake_is_reported_with_its_place(name: str, tmp_path: Path) -> None:
    marked, messages = WRONG[name]
    parts = marked.split("§")
    before = ["".join(parts[: n + 1]) for n in range(len(parts) - 1)]
    places = {(text.count("\n") + 1, len(text) - text.rfind("\n")) for text in before}
    with pytest.raises(FileError) as caught:
        plan(tmp_path, "".join(parts))
    problems = caught.value.problems
    assert {(p.line, p.column) for p in problems} == places, str(caught.value)
    assert len(problems) == len(messages)
    for message in messages:
        assert any(message in problem.message for problem in problems), str(caught.value)


REFUSED = [
    "{family: ballard, order: up}", "{family: ballard, branching: 2-4}",
    "{family: uniform, utilities: '5,1'}", "{family: uniform, utilities: '0.5,1'}",
    "{family: ballard, branching: 1000000, plies: 64}",
    f"{{family: ballard, plies: 1{'0' * 400}}}",
]  # fmt: skip


@pytest.mark.parametrize("tree", REFUSED, ids=lambda tree: tree[9:50])
def test_parameters_refused_by_a_family_are_reported_with_their_place(
    tree: str, tmp_path: Path
) -> None:
    """They are reported before the first search, which would be wasted otherwise."""
    with time_limit(5), pytest.raises(FileError) as caught:
        plan(tmp_path, f"algorithms: star1\ntrees:\n- {{family: ballard}}\n- {tree}\n")
    assert [problem.line for problem in caught.value.problems] == [4]
    assert caught.value.problems[0].column


@pytest.mark.parametrize(
    "rest",
    [
        "published: [{star1: 10, star1: 20}]",
        "published: [{star1: inf}]",
        f"seed: {'0' * 31}{'9' * 5000}",
        "published: [{branching: 3, star1: 84}]",
        "published: [{star2: 84}]",
    ],
)
def test_entries_without_effect_are_errors(rest: str, tmp_path: Path) -> None:
    with pytest.raises(FileError):
        study_of(
            tmp_path, f"trees: {{family: ballard, branching: [4, 5]}}\nalgorithms: star1\n{rest}\n"
        )


def test_a_huge_grid_is_refused_immediately(tmp_path: Path) -> None:
    """10^8 kinds of trees fit in one line."""
    many, some = (f"[{', '.join(map(str, range(1, end)))}]" for end in (1000, 60))
    text = (
        f"trees: {{family: uniform, branching: {many}, plies: {some}, seed: {many}, "
        "skew: [0, 1, 2]}\n"
    )
    with time_limit(3), pytest.raises(FileError, match=r":2:\d+: "):
        study_of(tmp_path, f"algorithms: star1\n{text}")


GOOD = """
title: "Some: trees"
source: a book
trees:
  - {family: ballard, pattern: "max,chance", branching: [2, 3], order: [random, best]}
  - family: uniform
    branching: 2-3
    real: [true, false]
    utilities: "0,9"
algorithms: [star1, star2.5: {probes: [1, 2], probe-order: cyclic}]
repetitions: 3
seed: 4
published:
  - {branching: 2, star1: 84.1}
  - {probes: 2, star2.5: 3/4}
"""
PIECES = (
    "", "0", "-1", "3", "1e9", "9" * 30, "0" * 31 + "9" * 5000, "[]", "{}", "null", "x", '"', "é",
    "&a ", "*a", "true",
    "- ", ": ", "nan", "inf", "1/3", "[a, b]", "{a: b}", "star2", "uniform", "exact", "probes",
    "family",
    "\n", "\t", "1_0",
)  # fmt: skip
