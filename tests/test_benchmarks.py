"""The benchmarks run: a change of the package must not break one of them unnoticed."""

import json
import subprocess
import sys

import pytest

from benchmarks import storm
from tests.helpers import ROOT

# Others take a minute, or start processes and clusters of their own.
PARTS = ["read_json", "search", "engines", "insight", "sensitivities", "best_first", "games"]


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_benchmark_measures_all_its_rows(part: str) -> None:
    command = [sys.executable, "-m", "benchmarks", part, "--quick", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert rows
    assert all(row["figure"] > 0 for row in rows if row["figure"] is not None)


@pytest.mark.slow
def test_the_solver_is_measured_without_storm() -> None:
    found = storm.ours(storm.MODELS["gambler to 300"](), 1)
    low, high = found["interval"]
    assert 0 <= high - low <= storm.WIDTH
    assert found["loops"] > 0
    assert found["before"] > 0
