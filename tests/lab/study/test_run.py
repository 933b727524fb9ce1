"""A study gives the same figures for every order and number of processes."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lab.study.studies import (
    GRID,
    GRID_TREES,
    PATIENCE,
    SMALL,
    SMALL_RUNS,
    SMALL_TREES,
    assert_complete,
    figures,
    record_keys,
    records,
    run_remaining,
    spec_in,
    started,
    study_of,
)

import expectitree as et
from expectitree.lab.study.results import Results
from expectitree.lab.study.run import find_tasks, perform
from expectitree.lab.study.spec import Study

GOLDEN = {  # branching and repetition -> its seed, and the leaves that each search visits
    ("2", 0): (260086920056002759, [7, 6, 6, 6, 7]),
    ("2", 1): (669837823190336185, [7, 7, 7, 7, 7]),
    ("2-3", 0): (444754577960580555, [13, 13, 13, 13, 13]),
    ("2-3", 1): (957062856196499699, [8, 7, 7, 7, 8]),
    ("3", 0): (681470967025479943, [25, 21, 21, 21, 25]),
    ("3", 1): (353563058954400802, [27, 27, 27, 27, 27]),
}


def test_seeds_and_counts_match_the_recorded_ones(small: tuple[Study, Path]) -> None:
    """Published results must stay reproducible."""
    found = {
        (r["tree"]["branching"], r["repetition"]): (
            r["seed"],
            [r["runs"][name]["leaves"] for name in SMALL_RUNS],
        )
        for r in records(small[1])
        if r["tree"].get("order") != "best" and r["repetition"] < 2
    }
    assert found == GOLDEN


def test_each_tree_can_be_generated_from_its_record(small: tuple[Study, Path]) -> None:
    """The record contains the seed, and a direct search finds the same counts."""
    found = records(small[1])
    assert len(found) == SMALL_TREES
    for record in found:
        tree = et.generate(**(record["tree"] | {"seed": record["seed"]}))
        assert (record["nodes"], record["leaves"]) == (len(tree), tree.leaves)
        assert set(record["runs"]) == set(SMALL_RUNS)
        for name, (algorithm, probes, order) in SMALL_RUNS.items():
            search = et.evaluate(tree, algorithm, probes=probes, probe_order=order)
            run = record["runs"][name]
            assert run.pop("seconds") >= 0
            counts = {"leaves": search.counts.leaves_visited, "nodes": search.counts.visited}
            counts |= {"visits": search.counts.visits, "cuts": search.counts.cuts}
            assert run == {"value": search.value, **counts}


def test_seeds_differ_and_depend_only_on_seed_parameters_and_repetition(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    before = {key[:2]: key[2] for key in record_keys(small[1]) if "best" not in key[0]}
    assert len(set(before.values())) == len(before) == 12
    study = study_of(
        tmp_path,
        "seed: 11\nrepetitions: 6\nalgorithms: star2\ntrees:\n"
        '- {family: uniform, skew: 1, end: 0.2, branching: 2-3, pattern: "max,chance,min"}\n'
        "- {order: random, branching: [5, 3, 2], family: ballard}\n",
    )
    run_remaining(study, tmp_path / "results")
    after = {key[:2]: key[2] for key in record_keys(tmp_path / "results")}
    assert {key: after[key] for key in before} == before
    other = study_of(tmp_path, SMALL.replace("seed: 11", "seed: 12"))
    run_remaining(other, tmp_path / "other")
    assert not {key[2] for key in record_keys(tmp_path / "other") if "best" not in key[0]} & set(
        before.values()
    )


def test_results_do_not_depend_on_the_order_of_tasks(
    small: tuple[Study, Path], tmp_path: Path
) -> None:
    for seed in range(3):
        kept = Results(str(tmp_path / f"results{seed}"))
        tasks = find_tasks(small[0], kept)
        Random(seed).shuffle(tasks)
        with kept.writing():
            for task in tasks:
                kept.add(perform(task))
        assert figures(small[0], Path(kept.path)) == figures(*small)


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_processes(
    grid: tuple[Study, list[Any]], tmp_path: Path
) -> None:
    with started(spec_in(tmp_path, GRID), "--jobs", "3", "--format", "json") as process:
        output, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert_complete(grid, tmp_path / "spec.results.jsonl")
    found = json.loads(output)
    assert found["trees"] == {"done": GRID_TREES, "total": GRID_TREES}
    assert [row["leaf_share"] for row in found["rows"]] == [row[5].value for row in grid[1]]


def test_tasks_are_short(grid: tuple[Study, list[Any]]) -> None:
    """A task takes a few tenths of a second, since its results are written together."""
    for task in find_tasks(grid[0], Results("")):
        assert 1 <= len(task.trees) <= 50
