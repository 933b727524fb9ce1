"""First guesses: the table of the documentation shows what happens to each."""

from __future__ import annotations

import re

import pytest
import yaml
from helpers import ROOT

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.searches.engine import search_tree

TABLE = (ROOT / "docs/reference/errors.md").read_text("utf-8").partition("## First guesses")[2]
ROWS = re.findall(r"^\| `(.*?)` \| (.*) \|$", TABLE.partition("\n## ")[0], re.MULTILINE)


def test_every_row_is_checked() -> None:
    assert len(ROWS) == TABLE.partition("\n## ")[0].count("\n|") - 2 > 25


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_the_table_of_first_guesses_is_right(text: str, expected: str) -> None:
    if expected.startswith("error: "):
        with pytest.raises(FileError) as caught:
            et.loads(text, name="x.yaml")
        assert expected.removeprefix("error: ") in str(caught.value)
        return
    warnings: list[str] = []
    tree = et.loads(text, name="x.yaml", warn=warnings.append)
    value, _, warning = expected.partition("; warning: ")
    assert f"value: {search_tree(tree).value}" == value
    assert len(warnings) == bool(warning)
    assert warning in "".join(warnings)


@pytest.mark.parametrize(
    ("text", "hint", "whole"),
    [
        ("chance: {1/2: 100, 1/2: {max: [1, 2]}}", r"list: (\[.*\])$", "chance: {}"),
        ("chance: {0: 1, 0.5: 2, 1: 3}", r"labels write (\[.*\])$", "chance: {}"),
        ("chance: {win 0.7: 100, lose 0.3: 0}", r"as in (.*)$",
         "chance: [{}, {p: rest, max: [1]}]"),
        ("chance: {'a: 0.7': 1, \"b's 0.3\": 0}", r"as in 'a: 0.7': (.*)$", "chance: [{}, {}]"),
        ("chance: {\"b's 0.3\": {min: [1]}, x=0.7: 0}", r"as in (.*)$", "max: {{}}"),
        ("chance: [{label: '[b] 70%', max: [1]}, {label: '30%', max: [0]}]", r"as in (.*)$",
         "chance: [{}, {p: rest, max: [1]}]"),
        ("max: [{'a: b': 1}, {'- x': 2}]", r"`max: (.*)`$", "max: {}"),
        ("max: [1, {'- x': 2}]", r"written `(.*)`$", "max: [{}]"),
        ("max: [{name: '[x]', utility: 2}]", r"write `(.*)`$", "max: [{{}, utility: 2}]"),
        ("max: {a:1, b: 2}", r"as in `(.*)`\?$", "max: {{}}"),
        ("{'a, b': 1, '{': {chance: [1]}}", r"write `(.*)`, or", "{}"),
    ],
)  # fmt: skip
def test_the_text_that_a_message_shows_is_yaml(text: str, hint: str, whole: str) -> None:
    """The hint has to be right for whoever copies it; an error may remain elsewhere."""
    said: list[str] = []
    try:
        et.loads(text, name="x.yaml", warn=said.append)
    except FileError as error:
        said = [str(error)]
    (found,) = re.findall(hint, said[0])
    assert isinstance(yaml.safe_load(whole.replace("{}", found, 1).replace("{}", "1")), dict)
