"""The layout of payoff tables, as textbooks and spreadsheets of several countries write them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest

import expectitree as et

PAYOFFS = "build,100,-50\nwait,20,10\n"
LAPLACE = "found no row or column `probability`"


def read(text: str, **options: Any) -> tuple[et.Tree, list[str]]:
    """Return the tree of a table, exact, and the warnings without the name of the file."""
    warnings: list[str] = []
    tree = et.loads(text, name="t.csv", warn=warnings.append, **options)
    return tree, [warning.removeprefix("t.csv: ") for warning in warnings]


def solution(text: str, **options: Any) -> tuple[Fraction, str | None, list[str]]:
    """Return the value, the best action, and the warnings without that of equal probabilities."""
    tree, warnings = read(text, **options)
    found = et.evaluate(tree, exact=True)
    return found.value, found.best, [one for one in warnings if not one.startswith(LAPLACE)]


def labels(tree: et.Tree) -> tuple[list[str | None], list[str | None]]:
    """Return the actions and the states."""
    actions = tree.root.branches
    return [b.label for b in actions], [b.label for b in actions[0].child.branches]


def turned(text: str) -> str:
    """Return a table with rows and columns exchanged."""
    rows = [line.split(",") for line in text.splitlines()]
    return "\n".join(map(",".join, zip(*rows, strict=True)))


NAMES = (
    *("P", "p", "Pr", "P(s)", "P(sj)", "P(S_j)", "p(θ)", "P (state)", "P in %", "w(z)", "Prob."),
    *("Probs", "Prob (%)", "Prob. of state", "Probability (p)", "Prior", "Priors", "Prior prob."),
    *("A priori probability", "State probabilities", "Estimated probability", "Likelihood"),
    *("Wahrscheinlichkeit", "Eintrittswahrscheinlichkeiten", "Wahrsch.", "W'keit", "probabilité"),
    *("Probabilités a priori", "Probabilidad", "probabilidades", "Probabilità", "Kans", "Proba"),
    *("waarschijnlijkheid", "Sannolikhet", "Todennäköisyys", "Prawdopodobieństwo", "Вероятность"),
    *("Pravděpodobnost", "Valószínűség", "Olasılık", "概率", "確率"),
)


@pytest.mark.parametrize("name", NAMES)
def test_a_row_and_a_column_under_a_usual_word_are_the_probabilities(name: str) -> None:
    row = f",good,bad\n{PAYOFFS}{name},0.4,0.6\n"
    for text in (row, turned(row), row.replace(",", ";").replace("0.", "0,")):
        assert solution(text) == (14, "wait", [])
        assert labels(read(text)[0]) == (["build", "wait"], ["good", "bad"])


@pytest.mark.parametrize(
    "text",
    [
        f",a\nx,{'9' * 200_000}\n",
        f",a\nx,{'1' * 200_000}%%\n",
        f",a,b\nx,1,2\np,{'0' * 200_000},1\n",
    ],
)
def test_a_very_long_number_is_an_error(text: str) -> None:
    with pytest.raises(et.FileError, match="is too long for a number"):
        read(text)


def written(
    names: Sequence[str], shares: Sequence[Fraction], rows: Sequence[Sequence[int]], random: Random
) -> tuple[str, dict[str, Any]]:
    """Return a table in a random layout, with summaries, and the options to read it."""
    percent = random.random() < 0.5
    scale, best = (100 if percent else 1), random.choice([max, min])
    name, options = random.choice(
        [("P(s)", {}), ("Wahrscheinlichkeit", {}), ("weights", {"probabilities": "weights"})]
    )
    lines = [["", *(f"s{at}" for at in range(len(shares)))]]
    lines += [[action, *map(str, row)] for action, row in zip(names, rows, strict=True)]
    lines.append(["Col. Max", *(str(max(column)) for column in zip(*rows, strict=True))])
    means = [sum(p * u for p, u in zip(shares, row, strict=True)) for row in rows]
    summaries = {
        "EMV": means,
        "Row max": list(map(max, rows)),
        "Total": list(map(sum, rows)),
        "Row min": list(map(min, rows)),
    }
    for title, numbers in random.sample(sorted(summaries.items()), random.randint(0, 3)):
        cells = [title, *(f"{float(number):.4f}" for number in numbers), ""]
        lines = [[*line, cell] for line, cell in zip(lines, cells, strict=True)]
    chances = [name, *(f"{float(scale * share):g}" for share in shares)]
    chances += [""] * (len(lines[0]) - len(chances))
    lines.insert(random.randint(1, len(rows) + 2), chances)
    if random.random() < 0.5:
        lines = [*map(list, zip(*lines, strict=True))]
    return "\n".join(map(",".join, lines)), {**options, "minimize": best is min}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_a_random_table_has_its_value_in_every_layout(seed: int) -> None:
    random = Random(seed)
    states, actions = random.randint(2, 5), random.randint(2, 5)
    cuts = [0, *sorted(random.sample(range(1, 20), states - 1)), 20]
    shares = [Fraction(end - start, 20) for start, end in pairwise(cuts)]
    rows = [[random.randint(-99, 99) for _ in shares] for _ in range(actions)]
    names = random.sample(["build", "wait", "Max", "EV", "p1", "Average", "sell", "hold"], actions)
    text, options = written([f"{name} it" for name in names], shares, rows, random)
    means = [sum(p * u for p, u in zip(shares, row, strict=True)) for row in rows]
    best = min if options["minimize"] else max
    assert solution(text, **options)[0] == best(means)


@pytest.mark.parametrize("name", ["P", "P(s)", "Probability", "Prior", "Wahrscheinlichkeit"])
def test_a_line_of_probabilities_without_numbers_is_an_error(name: str) -> None:
    for text in (f"State,Buy,Rent\nUp,10,4\n{name},,\n", f",a,b\n{name},,\n{PAYOFFS}"):
        with pytest.raises(et.FileError, match="no probability is written here"):
            et.loads(text, format="csv")
