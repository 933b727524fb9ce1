"""The mutation run makes every change that it knows, each in its place."""

from __future__ import annotations

from pathlib import Path

from tests.mutation.mutants import mutants_of

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
