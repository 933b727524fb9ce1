"""Broken files of Radiant and broken payoff tables: hostile inputs."""

from __future__ import annotations

import random

import pytest
from files.formats.test_csv import COPIER, THOMPSON
from files.formats.test_radiant import CONTRACT, TYPED
from files.samples import TREES
from files.test_bad_files import mutated, outcome

from expectitree.errors import FileError
from expectitree.text.problems import problem_lines

SEEDS = {
    "radiant": (CONTRACT, TYPED, "name: x\ntype: decision\na: &a\n    payoff: 1\nb: *a\n"),
    "csv": (
        THOMPSON,
        COPIER.replace(",", ";"),
        'a\t"b ""c"\t$ d\nx\t"1,000"\t(5)\n',
        ',a,b\np,1/3,2/3\nx,5%,"-$1,000.5"\n',
    ),
}


@pytest.mark.parametrize("format", SEEDS)
def test_each_format_has_many_broken_files(format: str) -> None:
    """Their exact messages are in `bad/`."""
    assert sum(name.startswith(f"{format}-") for name in TREES) >= 25


def check_mutations(format: str, count: int, seed: int) -> None:
    """Read mutated files; each error has a place, and its text is on lines of its own."""
    chosen, seeds = random.Random(seed), SEEDS[format]
    refused = 0
    for n in range(count):
        text = mutated(chosen, seeds[n % len(seeds)])
        found = outcome(text, format=format, exact=n % 2 == 0, warn=[].append)
        if isinstance(found, FileError):
            refused += 1
            assert all(p.line and p.column for p in found.problems), ascii(text)
            assert all(line.isprintable() for line in problem_lines(found, 80)), ascii(text)
    assert count / 50 < refused < count - count / 50


@pytest.mark.parametrize("format", SEEDS)
def test_mutated_files_are_read_or_refused(format: str) -> None:
    check_mutations(format, 400, seed=5)


@pytest.mark.slow
@pytest.mark.parametrize("format", SEEDS)
def test_ten_thousand_mutated_files_are_read_or_refused(format: str) -> None:
    check_mutations(format, 10_000, seed=6)
