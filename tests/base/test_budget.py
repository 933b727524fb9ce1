"""Hostile inputs end with an error that says what was counted, in little memory."""

from __future__ import annotations

import json
import os
import random
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import expectitree as et
from expectitree.base import budget

MIB = 2**20


def odd(digits: int, chosen: random.Random) -> int:
    return chosen.randrange(10 ** (digits - 1), 10**digits) | 1


def without_common_factors(count: int) -> dict[str, Any]:
    """Return a chance node whose probabilities have denominators of 200 digits."""
    chosen = random.Random(1)
    rows = [{"p": f"1/{odd(200, chosen)}", "utility": i} for i in range(count)]
    return {"chance": [*rows, {"p": "rest", "utility": 1}], "expect": {"value": 1}}


def nearly_one(count: int) -> dict[str, Any]:
    """Return the same with probabilities that sum to 1 within 1e-9, which are normalised."""
    chosen = random.Random(2)
    bottoms = [odd(195, chosen) for _ in range(count)]
    rows = [{"p": f"{bottom // count}/{bottom}", "utility": 1} for bottom in bottoms]
    return {"chance": rows, "expect": {"value": 1}}


def deep(count: int, p: str) -> dict[str, Any]:
    nodes: dict[str, Any] = {f"n{count}": {"utility": 5}}
    for i in range(count):
        rest = {"p": "rest", "ref": f"n{i + 1}"}
        nodes[f"n{i}"] = {"chance": [{"p": p, "utility": i}, rest]}
    return {"nodes": nodes, "max": [{"ref": "n0"}], "expect": {"value": 1}}


def wide_utilities(count: int) -> dict[str, Any]:
    chosen = random.Random(3)
    return {"chance": [f"1/{odd(190, chosen)}" for _ in range(count)], "expect": {"value": 1}}


def run(
    folder: Path, *words: str, most: int = 700, factor: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the program with a limit of memory, in MiB of address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most * MIB, most * MIB))

    environment = {**os.environ, "EXPECTITREE_BUDGET": factor, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-m", "expectitree", *words],
        cwd=folder, env=environment, preexec_fn=limit, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tree", "value"),
    [
        (without_common_factors(3_000), "1"),
        (without_common_factors(20_000), "1"),
        (nearly_one(3_000), "1"),
        (deep(3_000, "1e-300"), "5"),
        (wide_utilities(5_000), "2.56033e-190"),
    ],
    ids=["coprime", "more of them", "normalised", "deep", "utilities"],
)
def test_long_fractions_are_rounded(tree: dict[str, Any], value: str, tmp_path: Path) -> None:
    """Exact values would have hundreds of thousands of digits."""
    (tmp_path / "x.json").write_text(json.dumps(tree))
    done = run(tmp_path, "eval", "--exact", "x.json")
    assert f"\nvalue {value}\n" in re.sub(" +", " ", done.stdout)
    done = run(tmp_path, "verify", "x.json")
    assert done.returncode == (value != "1")
    shown = "1 of 1 expectation kept" if value == "1" else f"expected 1, found {value}\n"
    assert shown in done.stdout


@pytest.mark.slow
def test_an_honest_tree_passes(tmp_path: Path) -> None:
    """50,000 tosses one after the other, and 20,000 outcomes of 17 digits."""
    (tmp_path / "x.json").write_text(json.dumps(deep(50_000, "1/2")))
    assert run(tmp_path, "eval", "--exact", "x.json", most=2_000).returncode == 0
    chosen = random.Random(4)
    rows = [{"p": f"{chosen.random() / 2e4:.19f}", "utility": i} for i in range(20_000)]
    (tmp_path / "x.json").write_text(
        json.dumps({"chance": [*rows, {"p": "rest", "utility": 0.123456789012345}]})
    )
    assert run(tmp_path, "eval", "--exact", "x.json", most=2_000).returncode == 0


@pytest.mark.slow
def test_a_table_is_refused_before_it_is_expanded(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    count = 60_000_000
    entries = pa.struct([("child", pa.uint32()), ("probability", pa.float64())])
    part = pa.table(
        {
            "kind": pa.array(["TERMINAL"] * 10_000).dictionary_encode(),
            "utility": pa.array([0.0] * 10_000),
            "branches": pa.array([[]] * 10_000, pa.list_(entries)),
        }
    )
    with parquet.ParquetWriter(tmp_path / "x.parquet", part.schema, compression="zstd") as writer:
        rows = pa.concat_tables([part] * 1_000)
        for _ in range(count // len(rows)):
            writer.write_table(rows.combine_chunks())
    assert (tmp_path / "x.parquet").stat().st_size < MIB
    done = run(tmp_path, "eval", "x.parquet", most=1_500)
    assert done.returncode == 3
    assert "x.parquet: error: 60,000,000 rows in a file of" in done.stderr
    assert "rows are read" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [["eval", "/dev/zero"], ["study", "s.yaml", "--report"]], ids=str)
def test_an_endless_file_is_not_read_to_its_end(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "trees: [{family: ballard}]\nalgorithms: [star1]\nrepetitions: 1\n"
    )
    (tmp_path / "s.results.jsonl").symlink_to("/dev/zero")
    done = run(tmp_path, *words, factor="0.1", most=1_000)
    assert done.returncode == 3
    assert "more than 102 MiB of text: set EXPECTITREE_BUDGET=1 for ten times" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "status", "found"),
    [
        (["risk", "x.json"], 0, "Dominance is not tested."),  # of 3,000 actions, in pairs
        (["sensitivity", "x.json", "--strategies"], 2, "at least 3,000 strategies, and at most"),
    ],
    ids=["risk", "sensitivity"],
)
def test_pairs_and_strategies_are_bounded(
    words: list[str], status: int, found: str, tmp_path: Path
) -> None:
    chosen = random.Random(5)
    nodes = [{"chance": [chosen.randrange(10**9) for _ in range(31)]} for _ in range(3_000)]
    (tmp_path / "x.json").write_text(json.dumps({"max": nodes}))
    done = run(tmp_path, *words)
    assert done.returncode == status
    assert found in (done.stderr if status else done.stdout)


def test_the_factor_is_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("x", "0", "-1", "nan", "inf", "1e10"):
        monkeypatch.setenv("EXPECTITREE_BUDGET", wrong)
        with pytest.raises(et.NumberError, match=r"above 0 and at most 1e\+09, such as 10"):
            et.load("trees/risk.yaml")
    monkeypatch.setenv("EXPECTITREE_BUDGET", "2.5")
    assert budget.most(10) == 25
    assert budget.more() == "set EXPECTITREE_BUDGET=25 for ten times as much"


def test_the_factor_multiplies_the_defaults_of_options(monkeypatch: pytest.MonkeyPatch) -> None:
    """An option says the number itself."""
    tree = et.loads("bounds: [0, 9]\nmax: [{min: [1, 2, 3]}, {min: [4, 5, 6]}]")
    shared = {f"s{i}": {"min": [{"ref": f"s{i + 1}"}] * 2} for i in range(8)}
    nodes = et.loads(
        json.dumps({"nodes": {**shared, "s8": {"utility": 1}}, "max": [{"ref": "s0"}]})
    )
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.00001")
    with pytest.raises(et.AnalysisError, match="at most 0 are accepted unless --max-leaves"):
        et.limit(tree)
    assert et.limit(tree, max_leaves=6).exact.count <= 6
    with pytest.raises(et.TransformError, match=r"limit is 100: .* set EXPECTITREE_BUDGET=0.0001 "):
        et.dumps(nodes, format="efg")
    with pytest.raises(et.GameError, match=r"more than 50 rows .* allow more with --max-rows"):
        et.write_out("game:pig(target=10)", depth=5)
    assert len(et.write_out("game:pig(target=10)", depth=5, max_rows=1_000)) == 164
    assert et.search("game:pig(target=10)", depth=5).outcome.name == "STOPPED"


def test_only_a_limit_that_the_user_asks_for_reads_the_clock() -> None:
    """The same file succeeds on a quiet machine and on a busy one."""
    measures = {
        "searches/engine.py",
        "searches/engines.py",
        "searches/problem.py",
        "lab/study/run.py",
        "base/interrupts.py",
    }
    asked = {
        "games/engine.py",
        "games/loops.py",
        "games/searching.py",
        "games/solve/report.py",
        "games/solve/states.py",
    }
    package = Path(et.__file__).parent
    reads = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"^\s*(from time import|import time)", path.read_text(), re.MULTILINE)
    }
    assert reads <= measures | asked


def _exact() -> et.Tree:
    powers = ", ".join(f"'a^{i} - {i}*b'" for i in range(1, 9))
    ranges = "{a: {value: 0.3, range: [0, 1]}, b: {value: 0.1, range: [0, 1]}}"
    return et.loads(f"parameters: {ranges}\nmax: [{powers}]")


def _sampled() -> et.Tree:
    return et.loads("parameters: {a: {value: 0.3, range: [0, 1]}}\nmax: ['exp(a)', 1.2]")


@pytest.mark.parametrize(
    ("ask", "factor", "message"),
    [
        (lambda: et.sensitivity(_exact(), "a"), "1e-6", "evaluating 9 nodes .* more than 20 steps"),
        (
            lambda: et.sensitivity(_sampled(), "a"),
            "1e-5",
            "evaluating 3 nodes .* more than 200 st",
        ),
        (
            lambda: et.tornado(_sampled(), ["a"]),
            "1e-5",
            "evaluating 3 nodes .* more than 200 steps",
        ),
        (lambda: et.sensitivity_map(_exact(), "a", "b"), "1e-6", "a map .* would take too long"),
        (
            lambda: et.risk_tolerances(_sampled(), 1, 9),
            "1e-5",
            "values of R .* more than 200 steps",
        ),
    ],
)
def test_the_factor_multiplies_steps(
    ask: Callable[[], Any], factor: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        monkeypatch.setenv("EXPECTITREE_BUDGET", factor)
        with pytest.raises(et.ExpectitreeError, match=message):
            ask()
        monkeypatch.setenv("EXPECTITREE_BUDGET", "0.1")
        ask()
