"""The mutation run: which changes it makes, and what its list of equivalent mutants names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from tests.mutation.__main__ import AREAS, EQUIVALENT, ROOT, equivalents, modules_of, sample_of
from tests.mutation.mutants import mutants_of
from tests.mutation.running import Checkout, Verdict

MODULE = '''
"""A module."""
LIMIT = 3


def capped(numbers: list[int], *, low: int = 0) -> int | None:
    """Return the greatest number, at most `LIMIT`."""
    if not numbers:
        return None
    for number, _ in zip(numbers, numbers, strict=True):
        if number < low and number != LIMIT:
            raise ValueError(f"{number} is below {low - 1}")
    return min(max(numbers, default=0), LIMIT)
'''
CHANGES = [
    ("3", "(4)"),
    ("0", "(1)"),
    ("not numbers", "(numbers)"),
    ("not numbers", "False"),
    ("not numbers", "True"),
    ("number < low", "(number <= low)"),
    ("number < low", "(number >= low)"),
    ("number < low and number != LIMIT", "(number < low or number != LIMIT)"),
    ("number < low and number != LIMIT", "False"),
    ("number < low and number != LIMIT", "True"),
    ("number != LIMIT", "(number == LIMIT)"),
    ('raise ValueError(f"{number} is below {low - 1}")', "pass"),
    ("min", "max"),
    ("min(max(numbers, default=0), LIMIT)", "None"),
    ("max", "min"),
    ("max(numbers, default=0)", "max(numbers)"),
    ("0", "(1)"),
]


def test_every_change_of_a_module_is_made_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    mutants = mutants_of(tmp_path, "module.py")
    assert sorted((m.before, m.after) for m in mutants) == sorted(CHANGES)
    for mutant in mutants:
        changed = mutant.apply(MODULE.encode()).decode()
        compile(changed, "module.py", "exec")
        assert changed != MODULE
        assert MODULE.splitlines()[mutant.line - 1].find(mutant.before.splitlines()[0]) >= 0
    assert {m.function for m in mutants} == {"", "capped"}


def test_a_sample_has_as_many_mutants_of_each_area() -> None:
    chosen = sample_of(list(AREAS), 30, seed=1)
    assert [area for area, _ in chosen].count("games") == 4
    assert {area for area, _ in chosen} == {*AREAS}
    assert chosen == sample_of(list(AREAS), 30, seed=1)
    assert chosen != sample_of(list(AREAS), 30, seed=2)
    assert {*sample_of(list(AREAS), 30, seed=1)} < {*sample_of(list(AREAS), 60, seed=1)}


def test_each_module_belongs_to_one_area() -> None:
    modules = [name for area in AREAS for name in modules_of(area)]
    assert len(modules) == len({*modules}) > 100


def test_the_listed_equivalent_mutants_exist_and_have_reasons() -> None:
    listed = yaml.safe_load(EQUIVALENT.read_text())
    assert len(equivalents()) == sum(len(entry["changes"]) for entry in listed)
    assert all(len(reason) > 20 for reason in equivalents().values())
    modules = {path for path, *_ in equivalents()}
    assert {*equivalents()} <= {m.key for path in modules for m in mutants_of(ROOT, path)}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the limit of memory is one of Unix")
def test_tests_kill_a_mutant_or_let_it_survive(tmp_path: Path) -> None:
    """One test of `join` judges mutants of it, and of a function that it does not call."""
    checkout = Checkout(ROOT, tmp_path)
    mutants = mutants_of(ROOT, "expectitree/tree/paths.py")
    (join,) = (m for m in mutants if (m.function, m.after) == ("join", "None"))
    (other,) = (m for m in mutants if (m.function, m.after) == ("message_path", "None"))
    test = "tests/tree/test_paths.py::test_split_is_the_inverse_of_join"
    killed = checkout.judge(join, {test: 1.0})
    assert killed.word == "killed"
    assert test in killed.by
    assert checkout.judge(other, {test: 1.0}) == Verdict("survived", "", 1)
    assert checkout.judge(other, {}) == Verdict("never run", "", 0)
    text = (tmp_path / "expectitree/tree/paths.py").read_bytes()
    assert text == (ROOT / "expectitree/tree/paths.py").read_bytes()
