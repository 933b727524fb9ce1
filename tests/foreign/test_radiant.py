"""Radiant's YAML: published values, the repairs before YAML, and round trips."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers import loads, run_main

import expectitree as et
from expectitree.base.errors import FileError, TreeError
from expectitree.foreign.radiant import _identifiers as identifiers
from expectitree.searches.engine import search_tree

# The contract of the help page of Radiant (O2 in the list of published trees).
CONTRACT = """\
name: A film
variables:
    lawyer fee: 5000
    P(flop): 0.3
    P(hit): 0.6
    P(smash): 1 - P(flop) - P(hit)
type: decision
Movie:
    cost: lawyer fee
    type: chance
    Flop:
        p: P(flop)
        payoff: 200000
    Hit:
        p: P(hit)
        payoff: 1000000
    Smash:
        p: P(smash)
        payoff: 3000000
TV:
    payoff: 900000
"""


def read(text: str, **options: Any) -> tuple[et.Tree, list[str]]:
    """Return the tree of a text, and the warnings."""
    warnings: list[str] = []
    options = {"format": "radiant", **options}
    return loads(text, name="t.yaml", warn=warnings.append, **options), warnings


def value(text: str, **options: Any) -> Any:
    """Return the value of a text."""
    return search_tree(read(text, **options)[0]).value


def lines_of(tree: et.Tree) -> tuple[str, list[str]]:
    """Return a tree in Radiant's YAML, and the warnings."""
    warnings: list[str] = []
    return et.dumps(tree, "radiant", warn=warnings.append), warnings


# ---- Reading.


def test_the_published_values_of_the_contract() -> None:
    """Radiant: 955000, and 960000 without fees; from fees of 60000, TV is best."""
    tree, warnings = read(CONTRACT, format=None)
    assert (search_tree(tree).value, search_tree(tree).best) == (955_000, "Movie")
    assert search_tree(tree.with_parameters(lawyer_fee=0)).value == 960_000
    assert search_tree(tree.with_parameters(lawyer_fee=60_001)).best == "TV"
    found = et.sensitivity(tree, "lawyer_fee", range=(0, 80_000))
    assert [threshold.exact for threshold in found.thresholds] == [60_000]
    assert not warnings


def test_variables_become_parameters_with_their_names_as_descriptions() -> None:
    tree, _ = read(CONTRACT)
    assert {name: one.description for name, one in tree.parameters.items()} == {
        "lawyer_fee": "lawyer fee",
        "P_flop": "P(flop)",
        "P_hit": "P(hit)",
        "P_smash": "P(smash)",
    }
    assert tree.parameters["P_smash"].bases == ("P_flop", "P_hit")
    assert tree.title == "A film"


def test_keys_may_have_capital_letters_and_labels_are_text() -> None:
    text = CONTRACT.replace("payoff", "Payoff").replace("TV:", "yes:").replace("Flop:", "0.5:")
    tree, _ = read(text)
    assert search_tree(tree).value == 955_000
    assert [branch.label for branch in tree.root.branches] == ["Movie", "yes"]


def test_a_decision_minimizes_on_demand() -> None:
    """The cost is subtracted as before, as Radiant does with Min."""
    assert value(CONTRACT, minimize=True) == 900_000
    text = CONTRACT.replace("    payoff: 900000", "    type: decision\n    a:\n        payoff: 1")
    tree, _ = read(text, minimize=True)
    assert {node.kind.name for node, _ in tree.walk()} == {"MIN", "CHANCE", "TERMINAL"}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_file_is_recognised(line_end: str) -> None:
    assert value(CONTRACT.replace("name", "Name").replace("\n", line_end), format=None) == 955_000


def test_a_cost_at_the_root_is_paid_before_the_first_move() -> None:
    text = "name: x\ncost: 5\ntype: chance\na:\n    p: 0.5\n    payoff: 10\nb:\n    p: 0.5\n    "
    tree, _ = read(text + "payoff: 20\n")
    assert (tree.root_reward, et.evaluate(tree).value) == (-5, 10)


def test_what_is_ignored_gives_a_warning() -> None:
    text = (
        "name: x\ntype: decision\np: 1\na:\n    payoff: 7\n    p: 0.5\n    type: decision\n"
        "    b:\n        payoff: 3\n        cost: 1\n"
    )
    tree, warnings = read(text)
    assert et.evaluate(tree).value == 2
    assert warnings == [
        "t.yaml: /: the p of a node that is not an outcome is ignored",
        "t.yaml: a: the p of a node that is not an outcome is ignored",
        "t.yaml: a: the payoff of a node with branches is ignored, as in Radiant",
        "t.yaml: a/b: a cost at an end node is subtracted; Radiant ignores it",
    ]


def test_an_alias_is_an_error() -> None:
    """A text that doubles 60 times would be long."""
    text = "name: x\ntype: decision\nn0: &n0\n    payoff: 1\n"
    for n in range(1, 60):
        text += f"n{n}: &n{n}\n    type: decision\n    a: *n{n - 1}\n    b: *n{n - 1}\n"
    with pytest.raises(FileError, match="n0: an alias repeats this node: repeat its lines"):
        read(text)


def test_names_of_variables_are_replaced_longest_first() -> None:
    names = ["fee", "fee 2", "fee_2", "P(S)", "S", "P(S|+)", "P(S|-)", "max", "2nd", "é", "(", "x"]
    assert identifiers(names) == {
        "fee": "fee",
        "fee 2": "fee_2_2",
        "fee_2": "fee_2",
        "P(S)": "P_S",
        "S": "S",
        "P(S|+)": "P_S_2",
        "P(S|-)": "P_S_3",
        "max": "max_2",
        "2nd": "_2nd",
        "é": "variable",
        "(": "variable_2",
        "x": "x",
    }
    text = (
        "name: x\nvariables:\n    S: 2\n    P(S): 3\n    S 2: 5\ntype: decision\na:\n    payoff: "
    )
    assert value(f"{text}S*100 + P(S)*10 + S 2\n") == 235


def test_a_text_that_nests_too_deeply_is_an_error() -> None:
    for count in (305, 2000):
        lines = [f"{' ' * n}a:\n{' ' * n} type: decision\n" for n in range(count)]
        with pytest.raises(FileError, match="more than 298 nodes in each other: cut the tree"):
            read(
                "name: x\ntype: decision\n"
                + "".join(lines).removesuffix("type: decision\n")
                + "payoff: 1"
            )


# ---- Writing.


def test_the_contract_is_written_with_the_names_of_its_parameters() -> None:
    names = {"lawyer fee": "lawyer_fee", "P(flop)": "P_flop", "P(hit)": "P_hit"}
    expected = CONTRACT.replace("P(smash)", "P_smash")
    for old, new in names.items():
        expected = expected.replace(old, new)
    assert lines_of(read(CONTRACT)[0]) == (
        expected,
        ["left out the ranges, the units and the descriptions of parameters"],
    )


def test_what_is_written_differently_is_reported() -> None:
    tree = et.loads(
        "title: t\nparameters: {p: {value: 1/2, unit: $}, p2: 5%, q: p^2}\n"
        "min: {'Success (50%)': {reward: 2, utility: p}, cost: q,"
        " x: {chance: [{p: q, utility: 1/3}, {p: rest, utility: p2}]}}"
    )
    assert lines_of(tree) == (
        "name: t\n"
        "variables:\n"
        "    p_2: 1/2\n"
        "    p2: 0.05\n"
        "    q: 0.25\n"
        "type: decision\n"
        '"Success /50%/":\n'
        "    payoff: p_2 + 2\n"
        "cost_:\n"
        "    payoff: q\n"
        "x:\n"
        "    type: chance\n"
        "    outcome 1:\n"
        "        p: q\n"
        "        payoff: 1/3\n"
        "    outcome 2:\n"
        "        p: 1 - q\n"
        "        payoff: p2\n",
        [
            "decisions minimize, but the file cannot show that: choose Min in Radiant, and read "
            "the file with --minimize",
            "the parameter p is called p_2",
            "left out the ranges, the units and the descriptions of parameters",
            "formulas with powers, functions or many terms are replaced by their values",
            "Radiant needs labels without signs such as ( or #: some are changed",
        ],
    )


def test_names_that_radiant_and_pyrsm_read_otherwise_change() -> None:
    names = ["no", "cost", "rate", "rates", "a", "safe"]
    parameters = ", ".join(f"{name}: {n}" for n, name in enumerate(names))
    tree = et.loads(f"parameters: {{{parameters}}}\nmax: {{x: {' + '.join(names)}, y: 1}}")
    text, _ = lines_of(tree)
    assert "payoff: no_2 + cost_2 + rate_2 + rates + a_2 + safe\n" in text
    variables = [line.split(":")[0].strip() for line in text.split("type")[0].splitlines()[2:]]
    assert not [a for a in variables for b in variables if a != b and a in b]


def test_fractions_are_kept_with_variables_and_rounded_without() -> None:
    """Radiant evaluates fractions only in a file with variables."""
    text = "chance: [{p: 1/3, utility: 3000000000}, {p: rest, utility: 1e-9}]"
    without, warnings = lines_of(et.loads(text))
    assert "p: 0.3333333333333333\n    payoff: 3000000000.0\n" in without
    assert "payoff: 0.000000001\n" in without
    assert "fractions are rounded to decimals of 17 digits" in warnings
    tree = et.loads(f"parameters: {{a: 1}}\n{text}".replace("1e-9", "a"))
    assert "p: 1/3\n" in lines_of(tree)[0]
    assert search_tree(read(lines_of(tree)[0])[0]).value == search_tree(tree).value


def test_trees_that_radiant_cannot_hold_are_refused() -> None:
    for text, message in {
        "utility: 5": "Radiant's YAML cannot hold trees of one terminal: write the tree as ",
        "max: [{utility: '?'}, 1]": "#1: Radiant's YAML cannot hold unknown utilities",
        "max: [{min: [1, 2]}]": "Radiant's YAML cannot hold two players",
        "{attitude: {exponential: 9}, max: [1, 2]}": "Radiant's YAML cannot hold attitudes to risk",
    }.items():
        with pytest.raises(TreeError) as caught:
            lines_of(et.loads(text))
        assert str(caught.value).startswith(message)
    with pytest.raises(TreeError, match="a: a number of 603 characters cannot be written"):
        lines_of(et.loads(f"max: {{a: {{cost: {'7' * 201}, utility: 1/{'3' * 200}}}}}"))


def test_a_file_is_converted_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("contract.yaml").write_text(CONTRACT)
    assert run_main("convert", "contract.yaml", "ours.yaml").status == 0
    assert run_main("convert", "ours.yaml", "again.yaml", "--format", "radiant").status == 0
    assert value(Path("again.yaml").read_text()) == 955_000
    done = run_main("eval", "contract.yaml", "--set", "lawyer_fee=0")
    assert "expected value 960,000\n" in done.out
