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


# From the tables of Render, Stair and Hanna; Anderson, Sweeney and Williams; Hillier and Lieberman;
# Taylor; the rest are exercises, in the languages of their books.
TEXTBOOKS = {
    "Thompson": (
        "Alternative,Favorable Market ($),Unfavorable Market ($),EMV ($)\n"
        'Large plant,"$200,000","-$180,000","$10,000"\n'
        'Small plant,"$100,000","-$20,000","$40,000"\n'
        "Do nothing,$0,$0,$0\nProbabilities,0.50,0.50,\n",
        40_000, "Small plant",
    ),
    "condominiums": (
        "Decision Alternative,Strong Demand s1,Weak Demand s2,Expected Value\n"
        "Small complex d1,8,7,7.8\nMedium complex d2,14,5,12.2\nLarge complex d3,20,-9,14.2\n"
        "Prior Probability,0.8,0.2,1.0\n",
        Fraction("14.2"), "Large complex d3",
    ),
    "Goferbroke": (
        "Alternative,Oil,Dry\nDrill for oil,700,-100\nSell the land,90,90\n"
        "Prior probability,25%,75%\n",
        100, "Drill for oil",
    ),
    "Southern Textile": (
        "Decision,Good Conditions (.60),Poor Conditions (.40)\n"
        'Apartment building,"50,000","30,000"\n'
        'Office building,"100,000","-40,000"\nWarehouse,"30,000","10,000"\n',
        44_000, "Office building",
    ),
    "states in rows": (
        "state,P(s),a1,a2\ns1,0.4,55,26\ns2,0.1,43,38\ns3,0.3,29,43\ns4,0.2,15,51\n", 38, "a1"
    ),
    "newsvendor": (
        "Demand,Probability,Stock 5,Stock 6,Stock 7\n5,.3,25,22,19\n6,.5,25,30,27\n7,.2,25,30,35\n"
        "EMV,,25,27.6,26.2\n",
        Fraction("27.6"), "Stock 6",
    ),
    "German": (
        "sep=;\r\n;Konjunktur gut;Konjunktur schlecht;Zeilenminimum\r\n"
        "Anlage A;1.200,50 €;-300,00 €;-300,00 €\r\nAnlage B;400,00 €;100,00 €;100,00 €\r\n"
        "Eintrittswahrscheinlichkeit;0,4;0,6;\r\n",
        Fraction("300.2"), "Anlage A",
    ),
    "German, states in rows": (
        "Umweltzustand;Wahrscheinlichkeit (in %);Kauf;Miete\nHoch;25;8,5;4\nNormal;50;5;4,5\n"
        "Tief;25;-3;2\nErwartungswert;100;3,875;3,75\n",
        Fraction("3.875"), "Kauf",
    ),
    "French": (
        ";Favorable;Défavorable;Moyenne\nInvestir;1 000,5;-200;400,25\nAttendre;300;100;200\n"
        "Probabilité;0,5;0,5;\n",
        Fraction("400.25"), "Investir",
    ),
    "Spanish": (
        "Estado de la naturaleza;Probabilidad;Invertir;Esperar\nBueno;0,7;50;30\nMalo;0,3;-20;10\n"
        "Máximo;;50;30\n",
        29, "Invertir",
    ),
    "Italian": (",Alto,Basso\nProbabilità,0.2,0.8\nA,10,1\nB,4,3\n", Fraction("3.2"), "B"),
    "Indian": (
        'Course of action,Good,Fair,Poor,EMV\nExpand,"₹ 5,00,000","₹ 1,00,000","-₹ 3,00,000",'
        '"₹ 2,00,000"\nHold,"Rs. 2,00,000","Rs. 1,50,000",Rs. 0,"Rs. 1,37,500"\n'
        "Prob.,0.5,0.25,0.25,1\n",
        200_000, "Expand",
    ),
    "tabs": ("\tup\tdown\nWkt.\t60 %\t40 %\nbuy\t3\t-1\nsell\t1\t1\n", Fraction("1.4"), "buy"),
    "regret": (
        ",s1,s2,Max Regret,Row Max,Laplace\na,10,0,5,10,5\nb,4,5,6,5,4.5\nCol. Max,10,5,,,\n",
        5, "a",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "value", "best"), TEXTBOOKS.values(), ids=TEXTBOOKS)
def test_a_textbook_table_has_its_value(text: str, value: Fraction, best: str) -> None:
    assert solution(text)[:2] == (value, best)


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
    "name",
    [
        "Priority",
        "probabilistic",
        "Project",
        "P1",
        "Plan P",
        "W",
        "Probe",
        "P(good|s)",
        "Prior to",
        "P high",
    ],
)
def test_a_row_under_another_word_is_an_action(name: str) -> None:
    tree, _ = read(f",good,bad\n{PAYOFFS}{name},40,-60\n")
    assert labels(tree)[0] == ["build", "wait", name]


@pytest.mark.parametrize(
    "row",
    [
        *("Prob (%),40,60", "P,40,60", "P,40%,60%", "P,40 %,60 %", "Prob (%),0.4,0.6"),
        *("P,2/5,3/5", "P,4e-1,.6", '"P (%)","40.0","60.0"', "Wahrscheinlichkeit in %,40,60"),
    ],
)
def test_probabilities_are_numbers_from_0_to_1_or_percentages(row: str) -> None:
    assert solution(f",good,bad\n{row}\n{PAYOFFS}") == (14, "wait", [])


@pytest.mark.parametrize(
    "names",
    [
        *(("good (0.4)", "bad (0.6)"), ("good (.4)", "bad (.6)"), ("good [40%]", "bad [60 %]")),
        *(("good 40%", "bad 60%"), ("good, p = 0.4", "bad, p=0.6"), ("State 1 0.4", "State 2 0.6")),
        *(("good (2/5)", "bad (3/5)"), ("good (0,4)", "bad (0,6)"), ("0.4", "0.6")),
    ],
)
def test_names_carry_probabilities(names: Sequence[str]) -> None:
    header = ",".join(f'"{name}"' for name in names)
    value, best, (warning,) = solution(f",{header}\n{PAYOFFS}")
    assert (value, best) == (14, "wait")
    assert "if the probabilities are others, add a row or column `probability`" in warning
    rows = [f'"{name}",{row}' for name, row in zip(names, ("100,20", "-50,10"), strict=True)]
    assert solution("\n".join([",build,wait", *rows]))[:2] == (14, "wait")
    assert solution(f",{header}\n{PAYOFFS}p,0.5,0.5\n") == (25, "build", [])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (f",good,bad\n{PAYOFFS}P,.4,.6\n", {"transpose": True}, "4:1: these are the probabilities"),
        (f",good,bad\n{PAYOFFS}P,.4,.6\nprior,.5,.5\n", {}, "5:1: these are probabilities, too"),
        (f",good,bad\n{PAYOFFS}", {"probabilities": "god"}, "'god' (did you mean 'good'?)"),
        (",good,bad,P\nx,1,2,.5\nP(s),.4,.6,1\n", {}, "1:11: these are probabilities, too"),
        (",good,bad,EMV\nx,1,2,9\ny,1,2,9\nP,.5,.5\n", {}, "4:6: the cell is empty: write a prob"),
        ("state,P\ns1,.5\ns2,.5\n", {}, "the table has no actions"),
        (",a (0.33),b (0.33),c (0.33)\nx,1,2,3\n", {}, "1:2: the probabilities sum to 0.99"),
        ("d,x\nhigh: 16.7%,1\nlow: 83.4%,2\n", {}, "2:1: the probabilities sum to 1.001"),
        ("state,P,a\ns1,.5,1\ns2,,1\n", {}, "3:4: the cell is empty: write a probability"),
        ("state,P,a\ns1,40,1\ns2,50,1\n", {}, "2:4: the probabilities sum to 0.9, expected 1"),
        ("state,P,a\ns1,.5,1\ns2,.5\n", {}, "3:4: a/s2: the cell is empty"),
        (",a\nx,-\n", {}, "2:3: x/a: '-' may be 0 or a missing number"),
        (",a\nx,$ -\n", {}, "2:3: x/a: '$ -' may be 0"),
        ("sep=;\n;a\nx;y\n", {}, "3:3: x/a: 'y' is not a number"),
        ("sep=;\n", {}, "the table has no states"),
        (f",a\nx,{'9' * 200_000}\n", {}, "(200,000 characters) is too long for a number"),
        (f",a\nx,{'1' * 200_000}%%\n", {}, "is too long for a number"),
        (f",a,b\nx,1,2\np,{'0' * 200_000},1\n", {}, "is too long for a number"),
    ],
)
def test_what_is_unclear_is_an_error(text: str, options: Any, message: str) -> None:
    with pytest.raises(et.FileError) as caught:
        read(text, **options)
    assert message in str(caught.value)


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
