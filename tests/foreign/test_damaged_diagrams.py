"""Damaged files of SilverDecisions: a tree or a message, and never another exception."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

from files.samples import read
from foreign.diagrams import STALL, chance, decision, edge, file_of, terminal

import expectitree as et
from expectitree.files.formats import FORMATS
from expectitree.searches.engine import search_tree

ROW = FORMATS["silverdecisions"]
VALUES = (
    None, True, False, 0, -1, 1e308, 2.5, "", " ", "#", "1/2", "1 1/2", "-", "1/0", "x", "x = 1",
    "x + y", "exp(1000)", "9" * 500, "1e999", "(" * 300, "a\nb;c=2", "\u2028", "é = 1", [], {}, [1],
    ["1", "2"], {"a": 1}, {"mathjs": "Fraction", "n": 1, "d": 3}, {"mathjs": "Fraction", "d": 0},
    "decision", "chance", "terminal", "maxi-min", "min-max", "criterion2", "2.0", "random()",
)  # fmt: skip
KEYS = (
    "SilverDecisions", "rule", "viewMode", "data", "trees", "code", "texts", "type", "name",
    "payoff", "probability", "childEdges", "childNode", "computed", "expressionScope", "title",
)  # fmt: skip
PIECES = ('"', "{", "}", "[", "]", ",", ":", "\\", "null", "1", "/", "#", "-", "\\ud800", "\0", "é")


def valid_files() -> list[str]:
    bet = chance(edge("win", "8*x", terminal(), "1/4"), edge("lose", "-1 1/2", terminal(), "#"))
    small = file_of(decision(edge("stay", 1, terminal()), edge("bet", "-x", bet)), code="x = 1/3")
    two = decision(
        edge("a", "1/2", terminal()), edge("b", "-3", chance(edge("", 2, terminal(), 1)))
    )
    return [small, file_of(two, terminal()), STALL.read_text("utf-8")]


def containers(data: Any) -> Iterator[Any]:
    """Yield every object and list in some data."""
    if isinstance(data, (dict, list)):
        yield data
        for value in data.values() if isinstance(data, dict) else data:
            yield from containers(value)


def mutated(text: str, source: random.Random) -> str:
    """Return a text with a few changes of its values, its keys or its characters."""
    if source.random() < 0.6:
        data = json.loads(text)
        for _ in range(source.randint(1, 3)):
            found = source.choice([*containers(data)])
            keys = list(found) if isinstance(found, dict) else list(range(len(found)))
            if not keys:
                continue
            key, value = source.choice(keys), source.choice(VALUES)
            if source.random() < 0.3:
                del found[key]
            elif source.random() < 0.2 and isinstance(found, dict):
                found[source.choice(KEYS)] = found[key]
            elif source.random() < 0.2:
                value = source.choice([*containers(data)])
                found[key] = json.loads(json.dumps(value))
            else:
                found[key] = deepcopy(value)  # a later change must not change `VALUES`
        return json.dumps(data)
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(text))
        end = at + source.choice((0, 1, 1, 5, 60))
        text = text[:at] + source.choice((*PIECES, "", text[at : at + 40])) + text[end:]
    return text


def is_tree(text: str, exact: bool) -> bool:
    """Read and write a file; return whether it is a tree."""
    try:
        tree = read(text, exact=exact, format=ROW.name)
        again = read(et.dumps(tree, "yaml"), exact=exact)
        values = [Fraction(search_tree(one).value) for one in (tree, again)]
    except et.ExpectitreeError:
        return False
    assert abs(values[0] - values[1]) <= abs(values[0]) / 10**9
    return True


def test_valid_files_are_trees() -> None:
    assert all(is_tree(text, exact) for text in valid_files() for exact in (False, True))
