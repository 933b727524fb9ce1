"""Fractions in a file stay fractions: thresholds, JSON and long numbers, without 17-digit decimals.

The examples are those of a decision analyst who computed each number independently.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from helpers import objects

import expectitree as et

F = Fraction

LARGE = """
parameters: {large: {value: 500, range: [0, 6000]}}
max:
  large: {chance: {win: {p: 30/38, utility: large}, lose: {p: rest, utility: -1000}}}
  small: {chance: {win: {p: 1/38, utility: 1500}, lose: {p: 37/38, utility: 0}}}
"""
LARGER = LARGE.replace("1500", "116500")
THIRD = """
parameters: {a: 1/3, b: {value: 4/36, range: [0, 1]}}
max: {x: {chance: {u: {p: b, utility: a}, v: {p: rest, utility: 2}}}, y: a + 1/13}
"""
EVENTS = """
events:
  fault: {prior: {yes: 4/36, no: rest}}
  test: {test_of: fault, likelihood: {alarm: {yes: 30/38, no: 1/38}, quiet: {yes: rest, no: rest}}}
max:
  test:
    cost: 1/3
    event: test
    chance:
      alarm: {max: {stop: 0, go: {event: fault, chance: {yes: -38, no: 1/3}}}}
      quiet: {max: {stop: 0, go: {event: fault, chance: {yes: -38, no: 1/3}}}}
  stop: 0
  go: {event: fault, chance: {yes: -38, no: 1/3}}
"""
GAME = """
max:
  safe: 1/3
  bold: {min: {a: {chance: {x: {p: 30/38, utility: 1/7}, y: {p: rest, utility: 1/13}}}, b: 4/36}}
  wild: {min: [4/9, 1/38]}
"""


@pytest.mark.parametrize(
    "words",
    [
        ("sensitivity", "-e", LARGE, "-p", "large"),
        ("sensitivity", "-e", LARGER, "--tornado"),
        ("sensitivity", "-e", THIRD, "-p", "b", "--until", "x = y"),
        ("sensitivity", "-e", THIRD, "-p", "b", "-p", "a=0..1", "--grid", "4"),
        ("sensitivity", "-e", THIRD, "-p", "b", "--everywhere"),
        ("sensitivity", "-e", THIRD, "--strategies"),
        ("sensitivity", "-e", THIRD, "--add", "x"),
        ("risk", "-e", LARGE),
        ("risk", "-e", THIRD),
        ("information", "-e", EVENTS, "--event", "fault"),
        ("limit", "-e", GAME),
        ("limit", "-e", THIRD),
    ],
    ids=lambda words: " ".join(word for word in words if "\n" not in word),
)
def test_no_number_is_a_decimal_of_17_digits(words: tuple[str, ...]) -> None:
    for found in objects(*words, "--exact"):
        text = json.dumps(found)
        # Square roots, and quotients of counts of leaves, are floats.
        text = re.sub(r'"(sd|ratio)": [\d.]+', "", text)
        assert re.search(r'"-?\d+/\d+"', text)
        assert not re.findall(r"\d{14,}", text)


def test_ends_of_a_range_may_be_long_numbers() -> None:
    tree = et.loads("{parameters: {a: 0.5}, max: {x: a, y: 1/4}}")
    low, high = F(1, 10**500), 1 - F(1, 3 * 10**450)
    found = et.sensitivity(tree, "a", range=(low, high))
    assert (found.pieces[0].start, found.pieces[-1].end) == (low, high)
    assert found.value_at(high) == high
    assert found.value_at(0.75) == found.value_at("3/4") == F(3, 4)
    assert found.value_at(0.1) == F(1, 4)
