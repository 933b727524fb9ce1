"""`Target`, a row of a fuzz table: a function that makes an input from a seed, and its check."""

from __future__ import annotations

import atexit
import inspect
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from random_trees import Case

import expectitree as et

Draw = Callable[[Random], Any]


class Target(NamedTuple):
    """A row of `TARGETS`.

    `check` raises an exception for a defect. It returns True for an input that was read, False for
    one that was refused with a message, and None if the target does not read
    its input. The time and the memory of a hostile input are limited.
    """

    make: Callable[[Random], Any]
    check: Callable[[Any], bool | None]
    is_hostile: bool = False


@cache
def scratch() -> Path:
    """Return a folder of this process for files."""
    folder = tempfile.TemporaryDirectory(prefix="fuzz-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


# ---- Tests as targets.


@dataclass(frozen=True)
class Call:
    """A test and its arguments."""

    test: Callable[..., Any]
    arguments: dict[str, Any]

    def run(self) -> None:
        """Call the test."""
        self.test(**self.arguments)


def draw_seed(random: Random) -> int:
    """Return the seed of a generator of the tests."""
    return random.getrandbits(32)


def draw_case(random: Random) -> Case:
    """Return a random tree of the tests of searches."""
    return Case(draw_seed(random), random.random() < 0.5)


class Folders:
    """A substitute for pytest's `tmp_path_factory`, with the method that the tests use."""

    def getbasetemp(self) -> Path:
        """Return the folder of this process."""
        return scratch()


DRAWS: dict[str, Draw] = {
    "seed": draw_seed,
    "case": draw_case,
    "exact": lambda random: random.random() < 0.5,
    "pays": lambda random: random.random() < 0.5,
    "random": lambda random: Random(draw_seed(random)),
    "most": lambda random: random.randint(1, 40),
    "tmp_path_factory": lambda random: Folders(),
}


def from_tests(*tests: Callable[..., Any], **draws: Draw) -> Target:
    """Return a target that runs one of some tests, with arguments drawn by their names.

    A test of Hypothesis runs without Hypothesis, so that a case follows from its seed alone.
    """
    plain = [
        test.hypothesis.inner_test if hasattr(test, "hypothesis") else inspect.unwrap(test)
        for test in tests
    ]
    names = {test: [*inspect.signature(test).parameters] for test in plain}
    known = {**DRAWS, **draws}

    def make(random: Random) -> Call:
        test = random.choice(plain)
        return Call(test, {name: known[name](random) for name in names[test]})

    return Target(make, Call.run)


# ---- Inputs as text.


def text_of_input(made: Any) -> str:
    """Return an input as text, for whoever repeats a case."""
    if hasattr(made, "content"):
        return text_of_input(made.content)
    if isinstance(made, Call):
        lines = [f"{made.test.__module__}.{made.test.__name__}"]
        for name, value in made.arguments.items():
            if isinstance(value, Case):
                lines.append(f"bounds {value.bounds}, window {value.window}; as fractions:")
                value = et.dumps(value.tree())
            lines.append(f"{name}: {value}")
        return "\n".join(lines)
    return repr(made)
