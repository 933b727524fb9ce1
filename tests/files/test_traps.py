"""Traps: texts that beginners write, as a teacher would collect them, and what the program says.

Each is read as its author meant it, or has a warning, or is refused; and the advice works.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from helpers import ROOT, cases
from test_docs import blocks

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.files import tree_files
from expectitree.searches.engine import search_tree

TRAPS = cases("writing", "traps")


def found_in(text: str) -> tuple[str, et.Tree | None]:
    """Return what the program says about a text, and its tree if it has one."""
    try:
        tree = et.loads(text, name="x.yaml")
    except FileError as error:
        return str(error), None
    return "\n".join(tree.warnings), tree


@pytest.mark.parametrize(("text", "says", "better", "value"), TRAPS)
def test_advice_about_a_trap_works(text: str, says: str, better: str, value: str) -> None:
    found, _ = found_in(text)
    assert says in found
    assert bool(says) == bool(found)
    for advice in re.findall(r"write `?((?:\w+: )?[\[{][^`]*[\]}])", says):
        pattern = re.escape(advice).replace("…", r"[^,}]+").replace(r",\ [^,}]+\]", r",\ .*\]")
        assert re.search(pattern, better), pattern
    after, tree = found_in(better)
    assert not after
    assert tree is not None
    assert value == "?" if tree.unknown else str(et.evaluate(tree, exact=True).value) == value


@pytest.mark.parametrize(
    "text",
    [
        "chance: {heads: 1, tails: 0}",
        "chance: {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 1}",
        "chance: {win: 1, draw: 0.5, lose: 0}",
        "chance: {a: 0.4, b: 0.5}",
        "chance: {rain: 30, sun: 70}",
        "chance: [0.5, 0.5]",
        "chance: [0.25, 3, 1, 0.5]",
        "chance: {1: 2, 2: 4, 3: 8}",
        "chance: {a: 0.5, b: {max: [0.5, 1]}}",
        "{event: test, chance: {plus: 0.4, minus: 0.6}}",
        "max: {a: 0.5, b: 0.5}",
        "max: {0: 1, 1: 2}",
        "max: {bid 0.5: 3, bid 1.5: 4}",
        "max: {40: 1, 60: 2}",
        "max: {invest 10%: 1, invest 20%: 2, wait: 0}",
        "max: {probability theory: 3, weight: 80}",
        "max: [0, 0, 100, 0]",
        "max: [000, 1]",
        "max: [0.3*10, 0.7*20]",
        "chance: {gain: 5, loss: -3, cash: 2}",
        "max: {a: {cost: 0, utility: 3}, b: {reward: -2, utility: 7}}",
    ],
)
def test_ordinary_trees_cause_no_warning(text: str) -> None:
    found, tree = found_in(text)
    assert not found
    assert tree is not None


def test_no_file_of_the_project_causes_a_warning() -> None:
    folders = ("trees", "docs", "studies", "expectitree", "benchmarks")
    files = [Path(file) for folder in folders for file in tree_files(str(ROOT / folder))]
    texts = [file.read_text("utf-8") for file in files]
    for document in ROOT.glob("docs/**/*.md"):
        texts += blocks(document, "yaml")
    trees = [tree for _, tree in map(found_in, texts) if tree is not None]  # not parts of files
    assert len(trees) > 50
    assert not [warning for tree in trees for warning in tree.warnings]


# ---- The table of the documentation.

TABLE = (ROOT / "docs/reference/errors.md").read_text("utf-8").partition("## First guesses")[2]
ROWS = re.findall(r"^\| `(.*?)` \| (.*) \|$", TABLE.partition("\n## ")[0], re.MULTILINE)


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_the_table_of_first_guesses_is_right(text: str, expected: str) -> None:
    found, tree = found_in(text)
    if expected.startswith("error: "):
        assert tree is None
        assert expected.removeprefix("error: ") in found
        return
    assert tree is not None
    value, _, warning = expected.partition("; warning: ")
    assert f"value: {search_tree(tree).value}" == value
    assert len(tree.warnings) == bool(warning)
    assert warning in found


@pytest.mark.parametrize(
    ("text", "hint", "whole"),
    cases("writing", "hints"),
)  # fmt: skip
def test_the_text_that_a_message_shows_is_yaml(text: str, hint: str, whole: str) -> None:
    """The hint has to be right for whoever copies it; an error may remain elsewhere."""
    (found,) = re.findall(hint, found_in(text)[0])
    assert isinstance(yaml.safe_load(whole.replace("{}", found, 1).replace("{}", "1")), dict)
