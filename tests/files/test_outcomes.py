"""Probabilities that are keys, `rest`, and labels that seem to be probabilities."""

from __future__ import annotations

import json
from fractions import Fraction
from unittest import mock

import pytest
from files.samples import content_of, read
from helpers import cases
from hypothesis import given
from hypothesis import strategies as st

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.files.grammar import reader
from expectitree.searches.engine import search_tree

F = Fraction
LABELS = [  # mappings whose keys are labels
    "{0: 1, 1: 2}",
    "{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6}",
    "{rest: 1}",
    "{rest: 1, sleep: 2}",
    "{0: 1, rest: 2}",
    "{1e-1: 1, 9e-1: 2}",
    "{0.7: 1, 1.3: 2}",
    "{3/2: 1, 1/2: 2}",
    "{-0.5: 1, 1.5: 2}",
    "{0.5: 1, x: 2}",
    "{.: 1, /: 2, '%': 3}",
    "{30 %: 1, 70 %: 2}",
]


@pytest.mark.parametrize(("children", "p"), cases("probabilities", "probabilities"))
def test_probabilities_are_read(children: str, p: str) -> None:
    """Floats are the nearest to the exact probabilities: 0.7 leaves 0.3."""
    expected = [*map(F, p.split())]
    for exact in (True, False):
        tree = read(f"chance: {children}", exact=exact)
        assert [*tree.columns.probability] == [x if exact else float(x) for x in expected]
        if children.startswith("{") and "a:" not in children:
            assert [branch.label for branch in tree.root.branches] == [
                f"#{place}" for place in range(1, len(expected) + 1)
            ]


@pytest.mark.parametrize("p", ["1 - 80%", "4*5%", "5%/25%", "x/500%", "(20%)", "1-40%-40%"])
def test_a_formula_may_end_in_a_percentage(p: str) -> None:
    text = f"{{parameters: {{x: 1}}, chance: [{{p: {p}, utility: 1}}, {{p: rest, utility: 2}}]}}"
    tree = et.loads(text)
    assert tree.columns.probability[0] == F(1, 5)
    assert content_of(et.loads(et.dumps(tree))) == content_of(tree)


@pytest.mark.parametrize("p", ["1/5%", "-5%", "50 %", "1e3%", "%", "x%"])
def test_a_number_with_a_percent_sign_is_a_decimal(p: str) -> None:
    with pytest.raises(FileError, match="is not a probability"):
        et.loads(f"chance: [{{p: '{p}', utility: 1}}, {{p: rest, utility: 2}}]")


@pytest.mark.parametrize("children", LABELS)
def test_other_keys_are_labels(children: str) -> None:
    tree = et.loads(f"chance: {children}")
    labels = [key.strip().strip("'") for key in children.strip("{}").split(":")[0:1]]
    assert [branch.label for branch in tree.root.branches][:1] == labels
    assert len({branch.p for branch in tree.root.branches}) == 1


def test_an_outcome_with_its_probability_for_a_key_may_have_any_key_but_p() -> None:
    text = """
chance:
  1/2: {label: win, note: n, bounds: [0, 9], max: [1, 2]}
  1/3: {ref: a}
  1/6: {label: other, note: m, ref: a}
nodes: {a: {chance: {0.5: 2, rest: 4}}}
"""
    tree = et.loads(text)
    assert [branch.label for branch in tree.root.branches] == ["win", "#2", "other"]
    assert search_tree(tree).value == F(1, 2) * 2 + F(1, 2) * 3
    assert tree.branch_notes == {tree.columns.first[tree.root_id] + 2: "m"}


def test_all_formats_and_python_read_probabilities() -> None:
    expected = content_of(et.loads("chance: [{p: 0.7, utility: 1}, {p: 0.3, utility: 2}]"))
    in_json = '{"chance": {"0.7": 1, "0.3": 2}}'
    for text in ("chance: {0.7: 1, 0.3: 2}", "chance: {'0.7': 1, rest: 2}", in_json):
        assert content_of(et.loads(text)) == expected
    for data in ({0.7: 1, 0.3: 2}, {F(7, 10): 1, "rest": 2}):
        assert content_of(et.from_dict({"chance": data})) == expected


# ---- Writing.


@pytest.mark.parametrize(
    ("children", "written"),
    [
        ("[{p: 0.7, utility: 100}, {p: 0.3, utility: 0}]", "{0.7: 100, 0.3: 0}"),
        ("[{p: 1/6, utility: 1}, {p: 5/6, max: [1]}]", "\n  1/6: 1\n  5/6: {max: [1]}"),
        ("[{p: 0.5, utility: 1}, {p: 0.5, utility: 0}]", "[1, 0]"),
        ("[{p: 0.4, utility: 1}, {p: 0.4, utility: 0}, {p: 0.2, utility: 0}]",
         "[{p: 0.4, utility: 1}, {p: 0.4, utility: 0}, {p: 0.2, utility: 0}]"),
        ("{1.0: 1, 0.0: 2}", "[{p: 1, utility: 1}, {p: 0, utility: 2}]"),
        ("{1.0: 1}", "[1]"),
        ("{0.7: {label: win, utility: 1}, 0.3: 2}",
         "{win: {p: 0.7, utility: 1}, '#2': {p: 0.3, utility: 2}}"),
        ("{0.7: {note: a, utility: 1}, rest: {utility: '?'}}",
         "{0.7: {note: a, utility: 1}, 0.3: {utility: '?'}}"),
    ],
)  # fmt: skip
def test_a_tree_is_written_with_the_fewest_words(children: str, written: str) -> None:
    tree = et.loads(f"chance: {children}")
    text = et.dumps(tree)
    assert text.replace('"', "'") == f"chance: {written}\n".replace(": \n", ":\n")
    for format in ("yaml", "json"):
        again = et.loads(et.dumps(tree, format), name=f"x.{format}")
        assert content_of(again) == content_of(tree)


# ---- Warnings.


@pytest.mark.parametrize(
    ("children", "warning"),
    cases("probabilities", "labels"),
)  # fmt: skip
def test_labels_that_seem_to_be_probabilities_cause_a_warning(children: str, warning: str) -> None:
    text = f"{{parameters: {{pr: 0.5}}, max: [pr, {{chance: {children}}}]}}"
    warnings = et.loads(text, name="x.yaml").warnings
    assert warnings == ((f"x.yaml: #2: {warning}",) if warning else ())


def test_a_probability_too_small_for_floats_is_refused_in_trees_of_floats_alone() -> None:
    tiny = "chance: {0.0e-1: 1, 1.0e-330: 2, rest: 3}"
    with pytest.raises(FileError, match="too small for floating point; use --exact"):
        read(tiny, exact=False)
    assert et.loads(tiny).columns.probability[1] == F(1, 10**330)


ANY_LABELS = st.one_of(
    st.sampled_from(["a", "A", "b c", "#1", "#2", "p", "utility", "P", "0.3", "1/3", "50%", "rest",
                     "1 in 6", "½", "", "é", "x\ty", "1", "prob", "max"]),
    st.text(max_size=4),
)  # fmt: skip


@given(st.lists(ANY_LABELS, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_labels_that_are_read_at_once_are_read_as_one_by_one(
    labels: list[str], for_max: bool, above: bool
) -> None:
    body = ", ".join(f"{json.dumps(label)}: {at}" for at, label in enumerate(labels))
    text = f'{{"{"max" if for_max else "min"}": {{{body}}}}}'
    text = f'{{"chance": {{"one": {text}, "two": 3}}}}' if above else text
    at_once = outcome_of(text)
    with mock.patch.object(reader, "are_simple", return_value=False):
        one_by_one = outcome_of(text)
    assert at_once == one_by_one


def outcome_of(text: str) -> tuple[object, list[str]]:
    """Return the content of a tree or its error, and the warnings of reading it."""
    warnings: list[str] = []
    try:
        return content_of(et.loads(text, name="x.json", warn=warnings.append)), warnings
    except et.FileError as error:
        return str(error), warnings
