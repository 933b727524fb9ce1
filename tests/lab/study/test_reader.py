"""Study files: their grammar."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.study.studies import SMALL, SMALL_RUNS, records, run_remaining, study_of, time_limit

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
