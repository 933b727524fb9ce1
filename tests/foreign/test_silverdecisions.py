"""Files of SilverDecisions are read; their values are those that it stores."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import pytest
from foreign.diagrams import (
    RULES,
    STALL,
    Json,
    chance,
    decision,
    edge,
    file_of,
    payoff,
    random_diagram,
    read,
    terminal,
    tree_of,
)
from helpers import for_each
from oracle import definitions

import expectitree as et
from expectitree.searches.engine import search_tree

# ---- Reading.


def test_a_diagram_becomes_a_tree() -> None:
    tree = et.load(STALL)
    assert et.dumps(tree) == (
        "title: A stall at the fair\n"
        "source: Written for the tests\n"
        "parameters:\n"
        "  sun: 0.6380582951222076\n"
        "  rent: 5/2\n"
        "  price: rent + 1\n"
        "  price_2: price - 1/3\n"
        "  rent_2: 0\n"
        "  sun_2: sun/2\n"
        "note: stall\n"
        "max:\n"
        "  small stall: {cost: rent, chance: {sunny: {p: sun, utility: 6*price}, "
        "rain: {p: rest, utility: 2*price}}}\n"
        "  large stall:\n"
        "    reward: -2*rent\n"
        '    note: "where?"\n'
        "    max:\n"
        "      open: {chance: {sunny: {p: sun_2, utility: 10*price_2}, "
        "rain: {p: rest, utility: price_2}}}\n"
        "      ask first:\n"
        "        cost: 1.5\n"
        "        chance:\n"
        "          - {p: 1/6, reward: 3^2/2, note: answer, "
        "max: {go: 9 + 1/4, stop: 0.5}}\n"
        "          - {p: 5/12, utility: -exp(1/2)}\n"
        '          - {p: 5/12, utility: "max(2, rent^2)"}\n'
        "  stay: {note: home, utility: 1}\n"
    )


def test_notes_say_what_was_left_out() -> None:
    notes: list[str] = []
    et.load(STALL, warn=notes.append)
    assert [note.removeprefix(f"{STALL}: ") for note in notes] == [
        "the parameter rent_2 is not used",
        "this is the first of 2 trees: --tree 2 reads the second",
        "large stall: left out 'fee(x) = x^2/2', which is not an assignment such as x = 2",
    ]


def test_another_tree_of_the_file_is_read_by_its_number() -> None:
    second = et.load(STALL, tree=2)
    assert search_tree(second).value == Fraction(11, 2)
    assert [branch.label for branch in second.find("c").branches] == ["#1", "#2"]
    for tree in (3, 0, -1):
        with pytest.raises(et.FileError) as caught:
            et.load(STALL, tree=tree)
        assert f"there is no tree {tree} among the 2 trees of the file" in str(caught.value)


@pytest.mark.parametrize(("rule", "kinds"), RULES.items())
def test_a_rule_sets_the_kinds(rule: str, kinds: tuple[str, str]) -> None:
    root = decision(
        edge("sure", 1, terminal()), edge("risk", 2, chance(edge("", 3, terminal(), 1)))
    )
    tree, notes = read(file_of(root, rule=rule))
    assert (tree.root.kind.name, tree.find("risk").kind.name) == kinds
    left_out = [] if kinds[1] == "CHANCE" else [f"the rule {rule} uses no probabilities: left out"]
    assert notes == left_out


def test_errors_have_their_place_and_their_path() -> None:
    inner = chance(edge("a", 1, terminal(), "1/3"), edge("b", 1, terminal(), "1/2"))
    problems = {
        "[1]": "expected a JSON object with the key SilverDecisions",
        '{"SilverDecisions": "0.5", "trees": []}': "expected an object with the trees as data",
        file_of(): "there is no tree 1 among the 0 trees of the file",
        file_of(decision(), rule="minmax"): "found 'minmax' as rule, expected one of expected",
        file_of(decision()): "/: a decision node has no edges: add one, or make it a terminal",
        file_of(decision(edge("go", "1 + f(2)", terminal()))): "go: unknown function 'f'",
        file_of(decision(edge("go", "x", terminal())), code="y = 1"): "go: unknown parameter 'x'",
        file_of(decision(edge("go", [1], terminal()))): "go: a list is not a number",
        file_of(decision(edge("go", 0, {"type": "end"}))): "go: found 'end' as type, expected",
        file_of(decision({"name": "go"})): "go: found null, expected a node",
        file_of(decision(edge("go", 0, inner))): "go: the probabilities sum to 5/6, expected 1",
        file_of(terminal() | {"childEdges": [5]}): "/: found a list as childEdges, expected a list",
    }
    for text, message in problems.items():
        with pytest.raises(et.FileError) as caught:
            et.loads(text, format="silverdecisions")
        assert message in str(caught.value)
        assert caught.value.problems[0].line == 1


def test_the_view_mode_sets_the_criterion() -> None:
    root = decision({"name": "go", "payoff": ["3", "5"], "childNode": terminal()})
    for mode, value in (("criterion1", 3), ("criterion2", 5), ("twoCriteria", 3)):
        notes: list[str] = []
        tree = et.loads(file_of(root, viewMode=mode), name="x.json", warn=notes.append)
        assert search_tree(tree).value == value
        found = f"this is the tree for criterion {2 if value == 5 else 1}"
        assert notes == [f"x.json: {found}: left out the payoffs of the other criterion"]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1165 891810/1849771", Fraction(1165 * 1849771 + 891810, 1849771)),
        ("-2 3/4", Fraction(-11, 4)),
        (" 5 ", 5),
        (0.1, Fraction(1, 10)),
        ("2*(1 + 3)^2/4", 8),
        ("-2^2", -4),  # as in mathjs
        ("2^-1", Fraction(1, 2)),
        ("2 # two", 2),
        ("max(1, 2, abs(-3))", 3),
    ],
)
def test_payoffs_are_numbers_or_formulas(written: object, value: Fraction) -> None:
    assert search_tree(tree_of(file_of(decision(edge("go", written, terminal()))))).value == value


def test_assignments_in_nodes_shadow_those_above() -> None:
    inner = decision(edge("", "x", terminal()), code="x = x + 1\ny = 3")
    outer = decision(edge("", "x", terminal()), edge("", 0, inner), code="x = 2; x = x*5")
    tree, notes = read(file_of(outer, code="# the start\nx = 1"))
    values = [terminal.utility for terminal, _ in tree.walk() if terminal.utility is not None]
    assert values == [10, 11]
    assert [*tree.parameters] == ["x", "x_2", "x_3", "x_4", "y"]
    assert notes == [f"the parameter {name} is not used" for name in ("x", "y")]


def test_names_become_names_of_the_grammar() -> None:
    tree = tree_of(
        file_of(
            decision(edge("", "zysk_ż + max_2 + if_", terminal())),
            code="zysk_ż = 1\nrest = 2\nmax_2 = 4\nif_ = 8",
        )
    )
    assert [*tree.parameters] == ["zysk__", "rest_2", "max_2", "if_"]
    assert search_tree(tree).value == 13


def test_empty_and_repeated_names_give_no_labels() -> None:
    root = decision(*(edge(name, 1, terminal()) for name in ("a", "b", "a", "", "#9", "#")))
    tree, notes = read(file_of(root))
    assert [branch.label for branch in tree.root.branches] == ["#1", "b", "#3", "#4", "#5", "#"]
    assert notes == ["/: left out the name 'a': a label is unique"]


def test_several_outcomes_may_share_the_rest() -> None:
    root = chance(*(edge("", k, terminal(), p) for k, p in ((6, "1/2"), (9, "#"), (3, " # "))))
    assert search_tree(tree_of(file_of(root))).value == 6


@pytest.mark.parametrize("depth", [305, 2_000, 100_000])
def test_a_very_deep_tree_is_an_error(depth: int) -> None:
    opening = '{"type": "decision", "childEdges": [{"payoff": 0, "childNode": '
    root = opening * depth + '{"type": "terminal"}' + "}]}" * depth
    with pytest.raises(et.FileError) as caught:
        et.loads(f'{{"SilverDecisions": "1.2.0", "data": {{"trees": [{root}]}}}}')
    (problem,) = caught.value.problems
    assert problem.message == "the text nests more than 300 nodes: cut the tree at a node above"


# ---- Values.


@for_each("seed", range(10), range(10, 20))
def test_values_are_those_of_every_rule(seed: int) -> None:
    root = random_diagram(random.Random(seed), 4)
    for rule in RULES:
        tree = tree_of(file_of(root, rule=rule))
        assert search_tree(tree).value == payoff(root, rule) == definitions(tree)[tree.root_id]


@pytest.mark.parametrize("rule", RULES)
def test_values_are_those_that_silverdecisions_stored(rule: str) -> None:
    """Its fractions have denominators of up to 10^7."""
    file = json.loads(STALL.read_text("utf-8"))
    for number, root in enumerate(file["data"]["trees"], 1):
        tree = tree_of(json.dumps({**file, "rule": rule}), tree=number)
        search = search_tree(tree)
        found = [search.value_of(tree.path_of(n)) for n in tree.first_paths.order]
        assert found == pytest.approx(stored_payoffs(root, rule), rel=1e-9, abs=1e-9)


def stored_payoffs(node: Json, rule: str) -> list[float]:
    """Return the payoffs stored for a node and all below, parents first; one may be `-1 1/2`."""
    text = node["computed"][rule]["payoff"][0]
    found = [float(sum(map(Fraction, text.strip("-").split()))) * (-1 if text[0] == "-" else 1)]
    for one in node["childEdges"]:
        found += stored_payoffs(one["childNode"], rule)
    return found
