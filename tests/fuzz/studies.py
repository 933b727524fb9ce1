"""Hostile studies, and hostile files of their results."""

from __future__ import annotations

import re
from functools import cache
from random import Random

from foreign import test_damaged_diagrams
from fuzz.cases import Target, scratch
from fuzz.texts import check_refusal
from lab.study import test_reader
from lab.study.studies import SMALL, plan, run_remaining, study_of

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.lab.study.report import summarize
from expectitree.lab.study.results import Results
from expectitree.lab.study.spec import Study


def damaged_study(random: Random) -> str:
    """Return a study with one or two pieces or words exchanged."""
    words = re.split(r"(\W+)", test_reader.GOOD)  # a word, what separates it from the next, …
    for _ in range(random.randint(1, 2)):
        at = random.randrange(len(words))
        if random.random() < 0.5:
            words[at // 2 * 2] = random.choice((*words[::2], "1", "2", "3"))
        else:
            words[at : at + random.choice((1, 1, 1, 3, 5))] = [random.choice(test_reader.PIECES)]
    return "".join(words)


def check_study(text: str) -> bool:
    """Plan a study, or check its refusal."""
    try:
        plan(scratch(), text)
    except FileError as error:
        check_refusal(error)
        return False
    return True


@cache
def small() -> tuple[Study, list[str]]:
    """Return a study and the lines of its results, with the same times in every process."""
    study, path = study_of(scratch(), SMALL), scratch() / "whole.jsonl"
    run_remaining(study, path)
    return study, re.sub(r'"seconds": [^}]+', '"seconds": 0.5', path.read_text()).splitlines()


def damaged_results(random: Random) -> str:
    """Return results with a line changed, cut or repeated."""
    lines = random.sample(small()[1], random.randint(1, 5))
    at = random.randrange(len(lines))
    if random.random() < 0.8:
        lines[at] = test_damaged_diagrams.mutated(lines[at], random)
    else:
        lines[at] = random.choice((lines[at] * 2, "", "null", lines[at][:-3], "[" * 9_999))
    return "\n".join(lines) + random.choice(("\n", "\n", "\r\n", ""))


def check_results(text: str) -> bool:
    """Read and show results, or check their refusal."""
    path = scratch() / "results.jsonl"
    path.write_text(text, "utf-8", errors="surrogatepass")
    kept = Results(str(path))
    try:
        kept.read()
        found = summarize(small()[0], kept)
    except FileError as error:
        check_refusal(error)
        return False
    et.to_text(found)
    et.to_json(found)
    return True


TARGETS = {
    "studies": Target(damaged_study, check_study, is_hostile=True),
    "results": Target(damaged_results, check_results, is_hostile=True),
}
