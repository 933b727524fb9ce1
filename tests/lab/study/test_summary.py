"""Means, intervals, published figures and their tables."""

from __future__ import annotations

import csv
import io
import json
import math
import random
import statistics
from fractions import Fraction
from pathlib import Path

import pytest
from helpers import ROOT
from lab.study.studies import (
    SMALL_RUNS,
    SMALL_TREES,
    records,
    run_remaining,
    run_study,
    study_of,
    summary_of,
)

import expectitree as et
from expectitree.base.means import mean
from expectitree.base.numbers import exact_text
from expectitree.base.tree.transform import in_fractions
from expectitree.lab.study.spec import Study
from expectitree.lab.study.text import render
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Outcome
from expectitree.text.console import text_console, to_strings

# Student's t, two-sided 95%, by degrees of freedom, from published tables.
T = {
    1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262,
    10: 2.228, 15: 2.131, 20: 2.086, 29: 2.045, 40: 2.021, 60: 2.000, 120: 1.980, 1000: 1.962,
}  # fmt: skip


@pytest.mark.parametrize("degrees", T)
def test_intervals_match_student_t(degrees: int) -> None:
    values = [random.Random(degrees).randrange(100) for _ in range(degrees + 1)]
    found = mean(values)
    half = T[degrees] * statistics.stdev(values) / math.sqrt(degrees + 1)
    assert found.value == pytest.approx(statistics.mean(values))
    assert found.half == pytest.approx(half, rel=1e-3)


def test_a_single_value_has_no_interval() -> None:
    assert (mean([3.0]).value, mean([3.0]).half) == (3.0, None)
    assert mean([3.0, 3.0, 3.0]).half == 0


def test_the_summary_is_computed_from_the_records(small: tuple[Study, Path]) -> None:
    """Each figure equals an independent computation."""
    summary = summary_of(*small)
    assert len(summary.rows) == 5 * 5
    for row in summary.rows:
        of_row = [r for r in records(small[1]) if r["tree"] == dict(row.tree)]
        found = [r["runs"][row.algorithm.full_name] for r in of_row]
        assert row.trees == len(of_row) == (1 if row.tree.get("order") == "best" else 4)
        assert row.leaves_total == statistics.mean(r["leaves"] for r in of_row)
        shares = [100 * f["leaves"] / r["leaves"] for f, r in zip(found, of_row, strict=True)]
        nodes = [100 * f["nodes"] / r["nodes"] for f, r in zip(found, of_row, strict=True)]
        leaves, visits = ([f[name] for f in found] for name in ("leaves", "visits"))
        for one, values in (
            (row.leaf_share, shares),
            (row.node_share, nodes),
            (row.leaves, leaves),
            (row.visits, visits),
        ):
            assert one.value == pytest.approx(statistics.mean(values))
            if row.trees == 1:
                assert one.half is None
            else:
                assert one.half == pytest.approx(3.182 * statistics.stdev(values) / 2, rel=1e-3)
        assert row.seconds == statistics.median(f["seconds"] for f in found)


def test_csv_and_json_have_the_same_figures(
    published: tuple[Path, ...], small: tuple[Study, Path]
) -> None:
    summary = summary_of(*small)
    rows = list(csv.DictReader(io.StringIO(run_study(*published, "--format", "csv"))))
    found = json.loads(run_study(*published, "--format", "json"))
    assert found["trees"] == {"done": SMALL_TREES, "total": SMALL_TREES}
    assert (found["seed"], found["title"], found["file"]) == (
        11,
        "A *title*, with | in it",
        str(published[0]),
    )
    for row, line, one in zip(summary.rows, rows, found["rows"], strict=True):
        names = ("family", "pattern", "branching", "order", "end", "skew")
        assert {name: line[name] for name in names if line[name]} == one["tree"] == dict(row.tree)
        for name, value in row.figures.items():
            if name != "published":
                assert one[name] == value
                text = "" if value is None else str(value)
                assert line[name] == (exact_text(value) if isinstance(value, float) else text)
        assert (one["probes"], one["probe_order"]) == SMALL_RUNS[row.algorithm.full_name][1:]


@pytest.mark.slow
def test_ballards_best_case_is_reproduced_exactly(tmp_path: Path) -> None:
    """Floats give the published figures, and fractions do, too."""
    options = ("--results", tmp_path / "results", "--format", "json", "--jobs", "2")
    output = run_study("studies/ballard-best.yaml", *options)
    rows = json.loads(output)["rows"]
    assert len(rows) == 5 * 2
    for row in rows:
        tree = et.generate(
            "ballard", branching=int(row["tree"]["branching"]), pattern="max,chance,min"
        )
        tree = in_fractions(et.prepare(tree, order="best"))
        counts = search_tree(tree, row["algorithm"]).counts
        assert f"{counts.leaves_visited}/{counts.leaves_total}" == row["published"]
        assert f"{row['leaves']:.0f}/{row['leaves_total']:.0f}" == row["published"]
        assert row["leaf_share"] == pytest.approx(100 * float(Fraction(row["published"])))


SHIPPED = sorted(path.name for path in (ROOT / "studies").glob("*.yaml"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_studies_fit_into_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert [
        line for line in run_study(f"studies/{name}", "--report").splitlines() if len(line) > 80
    ] == []


def test_the_table_is_readable_in_ascii(small: tuple[Study, Path]) -> None:
    console = text_console(80, unicode=False)
    text = "".join(to_strings(render(summary_of(*small), console.options), console))
    assert text.isascii()
    assert "95% interval" in text


LIMITS = """
trees: {family: ballard, branching: [2, 3]}
algorithms: [star2, best-first: {goal: [value, action]}, limit]
repetitions: 3
"""


def test_the_limit_row_agrees_with_the_limit_command(tmp_path: Path) -> None:
    study, path = study_of(tmp_path, LIMITS), tmp_path / "results.jsonl"
    run_remaining(study, path)
    for record in records(path):
        parameters = {name: value for name, value in record["tree"].items() if name != "family"}
        tree = et.generate("ballard", **parameters, seed=record["seed"])
        limit, runs = et.limit(tree, ["star2"]), record["runs"]
        assert runs["limit"]["leaves"] == limit.exact.count
        assert runs["limit"]["nodes"] >= runs["limit"]["leaves"] + 1
        for name, goal in (("best-first", "value"), ("best-first (action)", "action")):
            search = search_tree(tree, "best-first", goal=goal)
            assert runs[name]["leaves"] == search.counts.leaves_visited
            assert runs[name]["value"] == (
                search.value if search.outcome is Outcome.VALUE else None
            )
        assert runs["limit"]["leaves"] <= runs["best-first"]["leaves"]
