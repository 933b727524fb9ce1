"""Formulas in tree files: they survive being written, and their errors have places."""

from __future__ import annotations

import contextlib
import math
import sys
from dataclasses import replace
from typing import Any

import pytest

import expectitree as et
from expectitree.base.errors import FileError, TreeError
from expectitree.base.tree.folding import fold_with_formulas
from expectitree.base.tree.formulas import sum_of


def test_text_is_written_as_people_write_it() -> None:
    text = """\
parameters:
  pr: {value: 0.3, range: [0.1, 0.9], unit: "$", description: "of oil, here"}
  fee: 1/3
  "no": 2*fee
  half: 50%
cost: fee
max:
  - -fee
  - "max(pr, 2)"
  - {note: x, utility: pr}
  - estimate: pr^2
    event: oil
    chance:
      dry: {p: pr, cost: 2*fee, utility: 1}
      wet: {p: 1 - 2*pr, reward: fee - 1, utility: "no"}
      "?": {p: rest, max: [half, 3]}
"""
    assert et.dumps(et.loads(text)) == text
    without = "max: [{utility: 2*3}, {utility: 4}]\n"
    assert et.loads(without).formulas
    assert et.dumps(et.loads(without)) == "max: [{utility: 2*3}, 4]\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{parameters: {x: 1}, max: [x + y]}", (1, 32)),
        ("{parameters: {x: 1}, max: ['x + y']}", (1, 33)),
        ('{parameters: {x: 1}, max: ["x + y"]}', (1, 33)),
        ('{parameters: {x: 1}, max: ["x \\u002b y"]}', (1, 28)),  # an escape: its start
        ("{parameters: {x: 1}, max: [x\n  + y]}", (1, 28)),  # two lines: their start
        ("parameters: {x: 1}\nmax:\n  - |\n    x + y\n", (3, 5)),
        ('{"parameters": {"x": 1}, "max": ["x + y"]}', (1, 39)),
    ],
)
def test_an_error_is_at_its_place_in_the_text(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(FileError) as caught:
        et.loads(text, name="x.json" if text.startswith('{"') else "x.yaml")
    problem = caught.value.problems[0]
    assert (problem.line, problem.column) == place
    assert "unknown parameter 'y'" in problem.message


def test_tables_hold_numbers(tmp_path: Any) -> None:
    text = "{parameters: {x: 2}, expect: {value: 4, at: [{set: {x: 3}, value: 9}]}, max: [x^2, x]}"
    path = tmp_path / "t.arrow"
    et.save(et.loads(text), path)
    tree = et.load(path)
    assert et.evaluate(tree).value == 4
    assert not tree.formulas
    assert tree.parameters == {}
    assert tree.expect is not None
    assert tree.expect.at == ()


def test_a_formula_without_value_does_not_hide_the_error_of_another() -> None:
    """Its number is not needed, since it is below an outcome of probability 0."""
    text = "chance: {never: {p: 0, utility: 1/(1-1)}, always: {p: 1, utility: exp(1)}}"
    tree = et.loads(text)
    assert et.evaluate(tree).value == math.e
    assert 0 < tree.error < 1e-50


def test_a_sum_of_rewards_that_is_too_long_to_be_written_is_refused() -> None:
    tree = et.loads(f"{{parameters: {{a: 1}}, max: [{{reward: {'a+' * 150}a, utility: 2}}]}}")
    assert tree.formulas
    (reward,) = tree.formulas.rewards.values()
    tree = replace(tree, formulas=replace(tree.formulas, rewards={0: sum_of(reward, reward)}))
    with pytest.raises(TreeError, match=r"^#1: a formula .* cannot be written: "):
        et.dumps(tree)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("first", ["1", "a{}"])
def test_a_chain_of_parameters_is_read_in_linear_time(order: int, first: str) -> None:
    """100,000 parameters, each derived from another, take seconds; here calls are counted."""

    def count_calls(length: int) -> int:
        chain = [f"a0: {first.format(length - 1)}"]
        chain += [f"a{i}: a{i - 1} + 1" for i in range(1, length)]
        text = f"{{parameters: {{{', '.join(chain[::order])}}}, max: [a{length - 1}]}}"
        calls = []
        sys.setprofile(lambda *_: calls.append(None))
        with contextlib.suppress(et.FileError):
            assert et.evaluate(et.loads(text), exact=True).value == length
        sys.setprofile(None)
        return len(calls)

    count_calls(10)  # what is imported or cached
    assert count_calls(160) < 4.2 * count_calls(40)


# ---- Payoffs.


def test_a_payoff_is_a_utility_and_written_as_it_was_read() -> None:
    text = (
        "title: Land\nparameters: {price: 2500}\nmax:\n  sell: {payoff: price*0.3, note: now}\n"
        "  drill:\n    cost: 250\n    chance:\n      oil: {p: 0.5, payoff: price}\n"
        "      none: {p: rest, payoff: 0}\n"
    )
    tree = et.loads(text)
    assert (et.evaluate(tree).value, et.evaluate(tree).best) == (1000, "drill")
    same = et.loads(text.replace("payoff", "utility"))
    for found, other in ((tree, same), (fold_with_formulas(tree, print), same)):
        for format in ("yaml", "json"):
            made = et.dumps(found, format)
            assert "payoff" in made
            assert "utility" not in made
            assert et.evaluate(et.loads(made)).value == et.evaluate(other).value
    assert et.dumps(tree).replace("payoff", "utility") == et.dumps(same)
    with pytest.raises(FileError, match="two kinds in one node, 'payoff' and 'utility'"):
        et.loads("max: [{payoff: 1, utility: 1}]")
