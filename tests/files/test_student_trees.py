"""A trial: trees as students type them who have not read the manual, and what becomes of them.

A row has a text, and its value and best action, perhaps with a warning; or the advice with which it
is refused.
"""

from __future__ import annotations

import re

import pytest
from helpers import cases

import expectitree as et

TREES = cases("students", "students")


def test_no_tree_occurs_twice() -> None:
    assert len({text for text, _ in TREES}) == len(TREES) >= 150


@pytest.mark.parametrize(("text", "expected"), TREES)
def test_a_tree_is_read_or_refused_with_advice(text: str, expected: str) -> None:
    result, _, warning = expected.partition("; warning: ")
    try:
        tree = et.loads(text)
    except et.FileError as error:
        assert result.startswith("error: ")
        message = error.problems[0].message
        assert result.removeprefix("error: ") in message
        for advice in re.findall(r"`((?:max|min|chance): [^`…]*)`", message):
            if "value:" not in advice:  # which has an error of its own
                assert et.loads(advice)
        return
    assert bool(tree.warnings) == bool(warning)
    assert warning in "".join(tree.warnings)
    found = et.evaluate(tree, exact=True)
    assert " ".join([str(found.value), *([found.best] if found.best else [])]) == result
