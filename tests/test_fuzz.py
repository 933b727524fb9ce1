"""The fuzzer: each target runs, and a run finds, names, repeats and survives planted defects."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fuzz.cases import random_of
from fuzz.targets import HIDDEN, TARGETS
from helpers import ROOT

NAMES = [name for name in TARGETS if name not in HIDDEN]
FUZZ = [sys.executable, "-m", "tests.fuzz"]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*FUZZ, *words], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", NAMES)
def test_every_target_runs(name: str) -> None:
    """Of hostile inputs, some are read and some are refused."""
    target, found = TARGETS[name], {True: 0, False: 0, None: 0}
    for number in range(100 if target.is_hostile else 3):
        found[target.check(target.make(random_of(name, 20, number)))] += 1
    assert min(found[True], found[False]) >= target.is_hostile, found


@pytest.mark.slow
def test_thousands_of_hostile_inputs_are_read_or_refused() -> None:
    """In other processes, which a damaged table may end."""
    names = [name for name in NAMES if TARGETS[name].is_hostile]
    done = run("--only", *names, "--seed", "21", "--inputs", "2000")
    assert done.returncode == 0, done.stdout
    for name in names:
        row = re.search(rf"^{name} +2,000 +\S+ +([\d,]+) +([\d,]+) +0 ", done.stdout, re.M)
        assert row is not None, done.stdout
        assert min(int(text.replace(",", "")) for text in row.groups()) > 20, row[0]


def test_planted_defects_are_found_and_repeated(tmp_path: Path) -> None:
    words = ("--only", "alarm", "--seed", "3", "--inputs", "60", "--jobs", "2", "--patience", "2")
    done = run(*words, "--keep", str(tmp_path / "kept"))
    assert done.returncode == 1, done.stderr
    counts = dict(re.findall(r"^(\d+) cases?: .*(planted|SIGKILL|running)", done.stdout, re.M))
    assert sorted(counts) == ["1", "2", "7"]
    assert re.search(r"^alarm +60 +\S+ +40 +10 +10 ", done.stdout, re.M)
    assert len([*(tmp_path / "kept").iterdir()]) == 3
    command = re.search(r"a planted defect.*\n +python -m (tests.fuzz .*)", done.stdout)
    assert command is not None
    again = subprocess.run(
        [sys.executable, "-m", *command[1].split()], cwd=ROOT, capture_output=True, text=True
    )  # fmt: skip
    assert (again.returncode, again.stdout) == (1, "fail\n")
    assert "AssertionError: a planted defect" in again.stderr


def test_an_interrupted_run_reports_what_it_did() -> None:
    words = [*FUZZ, "--only", "formulas", "--jobs", "1", "--minutes", "5"]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        text = process.communicate()[0]
    assert process.returncode == 130
    assert "\ninterrupted\n" in text
    assert re.search(r"^formulas +", text, re.M)
    assert re.search(r"^[\d,]+ inputs", text, re.M)


def test_an_unknown_target_is_reported() -> None:
    done = run("--only", "chess")
    assert done.returncode == 1
    assert done.stderr.startswith("no target 'chess': choose among expressions, ")
