"""Payoff tables: published decisions, how cells are read, and the mapping to a tree."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from files.samples import exact_at

import expectitree as et
from expectitree.searches.engine import search_tree

# Render, Stair and Hanna, Quantitative Analysis for Management, chapter 3: Thompson Lumber.
THOMPSON = """\
,favorable market,unfavorable market
large plant,200000,-180000
small plant,100000,-20000
nothing,0,0
probability,0.5,0.5
"""
# The same chapter: the minimum of costs. A business school leases a copier for three years.
COPIER = """\
,10000 a month,20000 a month,30000 a month
machine A,950,1050,1150
machine B,850,1100,1350
machine C,700,1000,1300
probability,0.40,0.30,0.30
"""


def read(text: str, **options: Any) -> tuple[et.Tree, list[str]]:
    """Return the tree of a table, exact, and the warnings."""
    warnings: list[str] = []
    tree = et.loads(text, name="t.csv", warn=warnings.append, **options)
    return tree, warnings


def values(tree: et.Tree) -> list[object]:
    """Return the value of each action."""
    found = et.evaluate(tree)
    return [found.value_of(branch.label) for branch in tree.root.branches]


def test_thompson_lumber_has_the_published_values() -> None:
    """EMV 10,000, 40,000 and 0; EVPI 60,000."""
    tree, warnings = read(THOMPSON)
    assert values(tree) == [10_000, 40_000, 0]
    assert et.evaluate(tree).best == "small plant"
    found = et.information(tree, "state")
    assert (found.with_information, found.value, found.evpi) == (100_000, 40_000, 60_000)
    assert not warnings


def test_a_table_of_costs_is_minimized() -> None:
    """Published: machine C is the cheapest, 970; with perfect information 925."""
    tree, _ = read(COPIER, minimize=True)
    assert tree.root.kind.name == "MIN"
    assert values(tree) == [1040, 1075, 970]
    assert et.evaluate(tree).best == "machine C"
    assert et.information(tree, "state").with_information == 925


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["probability", "Probabilities", " P ", "Probability of state"])
def test_separators_line_ends_and_names_of_the_row(
    separator: str, line_end: str, name: str
) -> None:
    rows = THOMPSON.replace("probability", name).splitlines()
    text = line_end.join([rows[0], rows[-1], "", *rows[1:-1], ",,"]).replace(",", separator)
    assert et.dumps(read(text)[0]) == et.dumps(read(THOMPSON)[0])


NUMBERS = {
    "5": "5", "-1.5e3": "-1500", "1/3": "1/3", " 12.5% ": "1/8", "−3": "-3", "(3)": "-3",
    "$5": "5", "-$5": "-5", "$ -5": "-5", "€5.50": "11/2", '"200,000"': "200000",
    "₹ 5": "5", "-₹5": "-5", "5 ₹": "5", "Rs. 5": "5", "Rs 5.5": "11/2", "5 kr": "5", "US$ 5": "5",
    "R$5": "5", '"1,00,000"': "100000", '"₹ -12,34,567.5"': "-2469135/2", '"10,000"': "10000",
    '"$1,234,567.5"': "2469135/2", '"(1,000)"': "-1000", '"5"': "5",
}  # fmt: skip
WITH_COMMAS = {
    "5 €": "5", "(5 €)": "-5", "-1.234,5 €": "-2469/2", "1.234.567": "1234567", "1.234": "1234",
    "1 234,5": "2469/2", "1\u202f234": "1234", "1'234": "1234", "1,234": "617/500",
    "12,5 %": "1/8", "1/3": "1/3", "₺5,5": "11/2", "R$ 1.234,5": "2469/2",
}  # fmt: skip


@pytest.mark.parametrize(("cell", "value"), NUMBERS.items())
def test_numbers_of_spreadsheets_are_read(cell: str, value: str) -> None:
    tree, _ = read(f",a,b\nx,{cell},0\np,1/4,75%\n")
    assert exact_at(tree, "x/a").utility == Fraction(value)
    assert [branch.p for branch in tree.find("x").branches] == [0.25, 0.75]


@pytest.mark.parametrize(("cell", "value"), WITH_COMMAS.items())
@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_decimal_comma_anywhere_shows_how_all_numbers_are_written(
    cell: str, value: str, separator: str
) -> None:
    text = f";a;b\nx;{cell};0\np;0,25;75%\n".replace(";", separator)
    tree, warnings = read(text)
    assert exact_at(tree, "x/a").utility == Fraction(value)
    assert tree.find("x").branches[0].p == Fraction(1, 4)
    assert not warnings


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (";a;b\nx;1,234;0\np;0.25;0.75\n", "1234"),  # the points show it
        (";a;b\nx;1,234,567.5;0\n", "2469135/2"),
        (',a,b\nx,"1,234",0\n', "1234"),  # between commas, a decimal has a point
        (",a,b\nx,1.234,0\n", "617/500"),
        (',a,b\nx,"1,5",0\n', "3/2"),  # as Google Sheets writes it
        (',a,b\nx,"1,234","0,5"\n', "617/500"),
    ],
)
def test_thousands_and_decimals_are_distinguished_by_the_whole_table(text: str, value: str) -> None:
    assert exact_at(read(text)[0], "x/a").utility == Fraction(value)


def check_table(random: Random) -> None:
    """Compare a random table with the obvious definition."""
    states, actions = random.randint(1, 5), random.randint(1, 5)
    weights = [random.randint(1, 9) for _ in range(states)]
    shares = [Fraction(w, sum(weights)) for w in weights]
    rows = [[random.randint(-99, 99) for _ in range(states)] for _ in range(actions)]
    lines = [f"a{n}," + ",".join(map(str, row)) for n, row in enumerate(rows)]
    lines.insert(random.randint(0, actions), "P," + ",".join(map(str, shares)))
    text = "\n".join([",".join(["", *(f"s{n}" for n in range(states))]), *lines])
    means = [sum(p * u for p, u in zip(shares, row, strict=True)) for row in rows]
    assert search_tree(read(text)[0]).value == max(means)
    assert search_tree(read(text, minimize=True)[0]).value == min(means)
    best = sum(p * max(column) for p, column in zip(shares, zip(*rows, strict=True), strict=True))
    assert et.information(read(text)[0], "state", exact=True).evpi == best - max(means)


@pytest.mark.slow
def test_a_random_table_is_worth_its_best_mean() -> None:
    random = Random(4)
    for _ in range(200):
        check_table(random)
