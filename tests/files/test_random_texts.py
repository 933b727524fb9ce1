"""Random tree files in every spelling: the reader finds the tree that each one means.

Two judges know what a file means: the rows from which `RandomText` wrote it, and `value_of_text`,
which reads it with PyYAML and computes in fractions.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
import yaml
from files.samples import content_of, read
from files.test_schema import parsed_by_editor, schema_errors
from helpers import LONG
from hypothesis import given
from hypothesis import strategies as st
from oracle import definition
from random_texts import RandomText

import expectitree as et
from expectitree.searches.engine import search_tree

KINDS = ("max", "min", "chance")
FEATURES = {
    "yaml", "json", "alias", "ref", "list", "labels as keys", "label in a list",
    "probabilities as keys", "equally likely", "rest", "several rest", "percent", "fraction",
    "exponent", "decimal without digits on one side", "formula", "parameters",
    "parameter with a range", "bare terminal", "estimate",
    "event", "unknown utility", "bounds", "bounds at a terminal", "infinite end", "note at a node",
    "note at a branch", "title", "source", "reward", "cost", "expect",
    "$schema", "event with a prior", "attitude",
}  # fmt: skip
TEXTS = st.integers(0, 2**32 - 1).map(RandomText)


def without_expect(tree: et.Tree) -> list[object]:
    content = content_of(tree)
    return [*content[:3], *content[4:]]


def value_of_text(text: str) -> Any:
    """Return the value of a tree file, or None if a utility in it is not known."""
    root = yaml.load(text, yaml.BaseLoader)
    parameters: dict[str, Any] = {}
    for _ in range(3):  # parameters may be derived from later ones
        for name, given_as in root.get("parameters", {}).items():
            written = given_as["value"] if isinstance(given_as, dict) else given_as
            if all(word in parameters for word in re.findall("[a-z]+", written)):
                parameters[name] = number(written, parameters)

    def worth(node: Any) -> Any:
        """Return the value of a node, with the reward that is written at it."""
        if isinstance(node, str):
            return number(node, parameters)
        reward = number(node.get("reward", "0"), parameters)
        reward -= number(node.get("cost", "0"), parameters)
        if "ref" in node:
            return reward + worth(root["nodes"][node["ref"]])
        if "utility" in node:
            return reward + number(node["utility"], parameters)
        kind = next(k for k in KINDS if k in node)
        children = node[kind]
        nodes = [*children.values()] if isinstance(children, dict) else children
        values = [worth(child) for child in nodes]
        if kind == "chance":
            event = root.get("events", {}).get(node.get("event"))
            if event is not None:  # the prior has the labels of the children
                labels = children if isinstance(children, dict) else [c["label"] for c in nodes]
                nodes = [{"p": event["prior"][label]} for label in labels]
                children = []
            shares = probabilities(children, nodes, parameters)
            return reward + sum(p * v for p, v in zip(shares, values, strict=True))
        return reward + (max if kind == "max" else min)(values)

    try:
        return worth(root)
    except UnknownError:
        return None


class UnknownError(Exception):
    """A utility is not known."""


def probabilities(children: Any, nodes: list[Any], parameters: dict[str, Any]) -> list[Any]:
    """Return the probabilities of outcomes: keys, values of `p`, or equal ones."""
    keys = [*children] if isinstance(children, dict) else []
    numbers = [key for key in keys if re.fullmatch(r"[-+.0-9e/%]*[0-9][-+.0-9e/%]*", key)]
    others = [key for key in keys if key not in numbers]
    if numbers and set(others) <= {"rest"} and re.search("[./%]", "".join(numbers)):
        written = keys
    elif any(isinstance(node, dict) and "p" in node for node in nodes):
        written = [node["p"] for node in nodes]
    else:
        return [Fraction(1, len(nodes))] * len(nodes)
    known = [number(p, parameters) for p in written if p != "rest"]
    left = Fraction(1 - sum(known)) / max(1, len(written) - len(known))
    return [left if p == "rest" else number(p, parameters) for p in written]


def number(text: str, parameters: dict[str, Any]) -> Any:
    """Return the value of a number or a formula: Python's own arithmetic, in fractions."""
    if text == "?":
        raise UnknownError
    code = re.sub(
        r"(?<![\w.])([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?(%?)",
        lambda found: f"(Fraction('{found[1]}{found[2] or ''}') / {100 if found[3] else 1})",
        text,
    )
    code = code.replace("^", "**").replace("if(", "choose(")
    names = {
        "Fraction": Fraction, "min": min, "max": max, "abs": abs, "choose": lambda a, b, c: b if a
        else c, "sqrt": root_of, "log": lambda x: Fraction(math.log(x)),
        "exp": lambda x: Fraction(math.exp(x)), **parameters,
    }  # fmt: skip
    return Fraction(eval(code, {"__builtins__": {}}, names))


def root_of(square: Fraction) -> Fraction:
    return Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))


def with_another_x(tree: et.Tree) -> Any:
    """Return the tree at another value of a parameter, or the kind of error that this causes."""
    try:
        return content_of(tree.with_parameters(x="5/2")) if tree.parameters else None
    except et.ExpectitreeError as error:  # for example, the probabilities no longer sum to 1
        return type(error)


@pytest.mark.slow
@given(drawn=TEXTS)
def test_every_spelling_gives_the_tree_that_it_means(drawn: RandomText) -> None:
    tree = et.loads(drawn.text, name=f"x.{drawn.suffix}")
    assert without_expect(tree) == without_expect(drawn.tree()), drawn.text
    events = tree.formulas.events
    assert {*events.values()} == drawn.named_events
    value = value_of_text(drawn.text)
    if value is None:
        assert tree.unknown
        return
    assert value == drawn.root_reward + definition(drawn.tree().root), drawn.text
    assert (tree.attitude is not None) == drawn.has_attitude
    if tree.attitude is not None:  # the value is a certainty equivalent
        return
    for name in ("expectiminimax", "star2", "best-first"):
        found = search_tree(tree, name)
        assert abs(found.value - value) <= found.eps  # 0, unless the fractions become too long
    assert all(check.kept for check in et.verify(tree).checks)


@pytest.mark.slow
@given(drawn=TEXTS)
def test_every_spelling_is_valid_and_written_again_without_loss(drawn: RandomText) -> None:
    assert schema_errors(parsed_by_editor(drawn.text, f"x.{drawn.suffix}")) == []
    for exact in (True, False):
        tree = read(drawn.text, name=f"x.{drawn.suffix}", exact=exact)
        for format in ("yaml", "json"):
            text = et.dumps(tree, format)
            again = read(text, name=f"x.{format}", exact=exact)
            assert content_of(again) == content_of(tree), text
            assert again.parameters == tree.parameters
            assert with_another_x(again) == with_another_x(tree), text


@given(drawn=TEXTS)
def test_a_float_is_the_nearest_to_each_number(drawn: RandomText) -> None:
    """Formulas are computed in floats, so they may differ in their last digits."""
    if not drawn.features["formula"]:
        tree = read(drawn.text, exact=False, name=f"x.{drawn.suffix}")
        expected = drawn.tree(exact=False)
        for found, meant in zip(tree.columns.stored, expected.columns.stored, strict=True):
            assert len(found) == len(meant)
        numbers = sorted(map(str, tree.columns.utility))
        assert numbers == sorted(map(str, expected.columns.utility))


@pytest.mark.slow
def test_the_random_texts_have_every_feature() -> None:
    found: Counter[str] = Counter()
    for seed in range(400):
        found.update(set(+RandomText(seed).features))
    assert FEATURES - {name for name, count in found.items() if count >= 5} == set()
    assert set(found) == FEATURES


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(1_000), marks=pytest.mark.slow),
        pytest.param(range(1_000, 5_000), marks=LONG),
    ],
)
def test_many_random_texts(seeds: range) -> None:
    for seed in seeds:
        test_every_spelling_gives_the_tree_that_it_means.hypothesis.inner_test(RandomText(seed))
