"""Random inputs for everything that reads input or computes a result.

A target makes an input from a seed and checks it. Differential targets compare results with
independent definitions. Hostile targets damage files, expressions and command lines: each input is
read, or refused with a message that has a place, in a few seconds and in little memory. Round trips
write a tree in a format and read it back.

    python -m pytest tests/test_fuzz.py -m slow -n auto --inputs 100000 --seed 7
    python -m pytest tests/test_fuzz.py -m slow -k yaml --inputs 1 --seed 1234

To add a target, add a row to `TARGETS` of a module in `tests/fuzz`. A test with a parameter `seed`
or `case` becomes a target by its name alone.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fuzz import properties, round_trips, studies, tables, texts, words
from fuzz.cases import Target, text_of_input

TARGETS: dict[str, Target] = {
    **properties.TARGETS,
    **round_trips.TARGETS,
    **texts.TARGETS,
    **studies.TARGETS,
    **tables.TARGETS,
    **words.TARGETS,
}
MAX_SECONDS = 10  # of processor time for a hostile input
MAX_MEMORY = 500 << 20  # bytes by which a hostile input may raise the peak


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_random_inputs(name: str, pytestconfig: pytest.Config, tmp_path: Path) -> None:
    """Run a target; of many hostile inputs, some are read and some are refused."""
    target, found = TARGETS[name], {True: 0, False: 0, None: 0}
    first: int = pytestconfig.getoption("seed")
    count: int = pytestconfig.getoption("inputs") or (300 if target.is_hostile else 10)
    for seed in range(first, first + count):
        (tmp_path / "seed").write_text(str(seed))  # for an input that ends the process
        made: Any = None
        try:
            made = target.make(Random(f"{name} {seed}"))
            found[checked(target, made)] += 1
        except pytest.skip.Exception:
            pass
        except BaseException as error:
            error.add_note(f"target {name}, --seed {seed}, input: {text_of_input(made)[:1000]}")
            raise
    assert min(found[True], found[False]) >= (target.is_hostile and count >= 100), found


def checked(target: Target, made: Any) -> bool | None:
    """Check an input, and the time and the memory of a hostile one."""
    peak, started = peak_memory(), time.process_time()
    is_read = target.check(made)
    if target.is_hostile and time.process_time() - started > MAX_SECONDS:
        # The first time may include an import or a compilation.
        started = time.process_time()
        target.check(made)
        assert time.process_time() - started <= MAX_SECONDS, "the input takes too long"
    grown = peak_memory() - peak
    assert not target.is_hostile or grown <= MAX_MEMORY, f"needs {grown >> 20} MiB more"
    return is_read


def peak_memory() -> int:
    """Return the peak of this process in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10
