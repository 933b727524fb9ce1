"""Paths: labels joined by `/`, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expectitree.base.tree import paths as path

LABELS = st.lists(st.text(st.sampled_from("ab/\\#1. é\n"), min_size=1, max_size=5), max_size=6)


@given(LABELS)
def test_split_is_the_inverse_of_join(labels: list[str]) -> None:
    assert path.split(path.join(labels)) == labels


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ([], "/"),
        (["a2", "#1"], "a2/#1"),
        (["a/b", "c"], "a\\/b/c"),
        (["a\\"], "a\\\\"),
        (["a\\", "b"], "a\\\\/b"),
        (["/"], "\\/"),
        (["\\/"], "\\\\\\/"),
    ],
)
def test_examples_are_joined_and_split(labels: list[str], text: str) -> None:
    assert path.join(labels) == text
    assert path.split(text) == labels


def test_the_root_has_two_spellings() -> None:
    assert path.split("/") == path.split("") == []


def test_a_trailing_backslash_is_literal() -> None:
    assert path.split("a\\") == ["a\\"]
