"""Files of SilverDecisions are read, and verified by the results that they store."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path

import pytest
from foreign.diagrams import (
    RULES,
    STALL,
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
from helpers import for_each, run_main
from oracle import definitions

import expectitree as et
from expectitree.analysis.verify.report import verify_file
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
        'note: "stall\\nprices in $"\n'
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
        "          - {p: 1/6, reward: 4.5, note: answer, "
        "max: {go: 9.25, stop: 0.5}}\n"
        "          - {p: 5/12, utility: -exp(1/2)}\n"
        '          - {p: 5/12, utility: "max(2, rent^2)"}\n'
        "  stay: {note: home, utility: 1}\n"
    )


def test_notes_say_what_was_replaced_and_left_out() -> None:
    notes: list[str] = []
    et.load(STALL, warn=notes.append)
    assert [note.removeprefix(f"{STALL}: ") for note in notes] == [
        "the parameter rent_2 is not used",
        "this is the first of 2 trees: --tree 2 reads the second",
        "/: 'sun = random(0.5, 0.7)' is not one of expectitree's formulas: took the value "
        "0.6380582951222076 from the file",
        "large stall: left out 'fee(x) = x^2/2', which is not an assignment such as x = 2",
        "large stall/ask first/#1: the payoff 'fee(3)' is not one of expectitree's formulas: "
        "took the value 9/2 from the file",
    ]


def test_another_tree_of_the_file_is_read_by_its_number() -> None:
    second = et.load(STALL, tree=2)
    assert search_tree(second).value == Fraction(11, 2)
    assert [branch.label for branch in second.find("c").branches] == ["#1", "#2"]
    for tree in (3, 0, -1):
        with pytest.raises(et.FileError) as caught:
            et.load(STALL, tree=tree)
        assert str(caught.value).endswith(
            f"there is no tree {tree}: the file has 2 trees, so write --tree 1 or --tree 2"
        )
    one = file_of(decision(edge("a", 1, terminal())))
    with pytest.raises(et.FileError, match="no tree 2: the file has 1 tree, so remove --tree"):
        et.loads(one, tree=2)


@pytest.mark.parametrize(("rule", "kinds"), RULES.items())
def test_a_rule_sets_the_kinds(rule: str, kinds: tuple[str, str]) -> None:
    root = decision(
        edge("sure", 1, terminal()), edge("risk", 2, chance(edge("", 3, terminal(), 1)))
    )
    tree, notes = read(file_of(root, rule=rule))
    assert (tree.root.kind.name, tree.find("risk").kind.name) == kinds
    left_out = [] if kinds[1] == "CHANCE" else [f"the rule {rule} uses no probabilities: left out"]
    assert notes == left_out


def test_a_file_before_version_0_7_has_its_trees_at_the_root() -> None:
    root = chance(edge("a", 2, terminal(), "1/2"), edge("b", 2, terminal(), "x"))
    for one in root["childEdges"]:
        one["payoff"] = str(one["payoff"][0])
    old = {"SilverDecisions": "0.5.1", "trees": [root], "code": "x = 1/2", "texts": []}
    tree = tree_of(json.dumps(old))
    assert (
        tree.parameters["x"].value
        == et.loads("{parameters: {x: 1/2}, max: [1]}").parameters["x"].value
    )
    assert search_tree(tree).value == 2


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
        ({"mathjs": "Fraction", "s": -1, "n": 7, "d": 2}, Fraction(-7, 2)),
    ],
)
def test_payoffs_are_numbers_or_formulas(written: object, value: Fraction) -> None:
    assert search_tree(tree_of(file_of(decision(edge("go", written, terminal()))))).value == value


@pytest.mark.parametrize("written", ["5 % 3", "2 x", "f(2)", "round(1.5)", "x = 3", "[1, 2]", ""])
def test_the_stored_value_replaces_an_expression_beyond_the_grammar(written: str) -> None:
    one = edge("go", written, terminal()) | {"computed": {"payoff": ["2 1/2", "0"]}}
    tree, notes = read(file_of(decision(one), code="x = 1"))
    assert search_tree(tree).value == Fraction(5, 2)
    assert notes[-1].endswith("took the value 5/2 from the file")


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
    assert notes == ["/: left out the name 'a', which several edges have"]


def test_several_outcomes_may_share_the_rest() -> None:
    root = chance(*(edge("", k, terminal(), p) for k, p in ((6, "1/2"), (9, "#"), (3, " # "))))
    assert search_tree(tree_of(file_of(root))).value == 6


def test_another_version_is_noted() -> None:
    text = file_of(decision(edge("", 1, terminal())))
    _, notes = read(text.replace("1.2.0", "2.0"))
    assert notes == [
        "the file has version 2.0, and expectitree knows versions 0.5 to 1.2: check the result"
    ]


def test_many_notes_are_cut() -> None:
    computed = {"payoff": ["1", "0"]}
    edges = (edge(f"{k}", "round(1)", terminal()) | {"computed": computed} for k in range(30))
    _, notes = read(file_of(decision(*edges)))
    assert len(notes) == 21
    assert notes[-1] == "more such notes are left out"


def test_a_json_tree_with_a_label_of_that_name_is_ours() -> None:
    tree = et.loads('{"max": {"SilverDecisions": 1, "Gambit": 2}}', name="tools.json")
    assert search_tree(tree).best == "Gambit"


@pytest.mark.parametrize("depth", [305, 2_000, 100_000])
def test_a_very_deep_tree_is_an_error(depth: int) -> None:
    opening = '{"type": "decision", "childEdges": [{"payoff": 0, "childNode": '
    root = opening * depth + '{"type": "terminal"}' + "}]}" * depth
    with pytest.raises(et.FileError) as caught:
        et.loads(f'{{"SilverDecisions": "1.2.0", "trees": [{root}]}}')
    (problem,) = caught.value.problems
    assert problem.message == "the tree has more than 300 edges on one path, expected fewer"


@pytest.mark.parametrize("text", ["[1]", "{}", "5", '{"trees": []}', "null"])
def test_a_named_format_needs_its_version(text: str) -> None:
    with pytest.raises(et.FileError, match="expected a JSON object with the key SilverDecisions"):
        et.loads(text, format="silverdecisions")


# ---- Verifying stored results.


@for_each("seed", range(10), range(10, 20))
def test_stored_results_are_verified_for_every_rule_and_node(seed: int, tmp_path: Path) -> None:
    root = random_diagram(random.Random(seed), 4)
    values = {rule: payoff(root, rule) for rule in RULES}
    path = tmp_path / "file.json"
    path.write_text(file_of(root), "utf-8")
    found = verify_file(path)
    assert not found.broken
    assert len(found.checks) == len(RULES) * len(et.load(path))
    for rule, value in values.items():
        tree = tree_of(file_of(root, rule=rule))
        assert search_tree(tree).value == value == definitions(tree)[tree.root_id]


def test_results_that_silverdecisions_computed_are_kept() -> None:
    found = verify_file(STALL)
    assert len(found.checks) == 6 * (15 + 6)
    assert not found.broken


def test_results_of_standard_input_are_verified() -> None:
    done = run_main("verify", "--quiet", "-", stdin=STALL.read_text("utf-8"))
    assert (done.status, done.out) == (0, "1 file, 126 of 126 expectations kept\n")


def test_a_wrong_result_is_shown_with_its_place(tmp_path: Path) -> None:
    root = decision(edge("go", "1/2", chance(edge("win", "3", terminal(), "1"))))
    payoff(root, "maxi-max")
    text = json.dumps(json.loads(file_of(root, rule="max-max")), indent=1)
    path = tmp_path / "wrong.json"
    path.write_text(text.replace('"3 1/2"', '"3 1/3"', 1), "utf-8")
    done = run_main("verify", str(path))
    assert done.status == 1
    assert done.out.splitlines()[1:] == [
        "    ✓ maxi-max: value of /: expected 3.5, found 3.5",
        "    ✗ maxi-max: value of go: expected 10/3, found 3.5",
        "    ✓ maxi-max: value of go/win: expected 3, found 3",
        "",
        "1 file, 2 of 3 expectations kept",
    ]
    (line,) = (check.line for check in verify_file(path).broken)
    assert line is not None
    assert '"computed"' in text.splitlines()[line - 1]


def test_a_payoff_that_is_no_float_is_compared_with_a_stored_result(tmp_path: Path) -> None:
    root = decision(edge("go", "exp(1000)", terminal()), computed={"maxi-min": {"payoff": ["1"]}})
    path = tmp_path / "file.json"
    path.write_text(file_of(root), "utf-8")
    (check,) = verify_file(path).checks
    assert (check.expected, check.kept) == ("1", False)


def test_a_stored_result_that_is_not_a_number_is_an_error(tmp_path: Path) -> None:
    root = decision(edge("go", 1, terminal()), computed={"maxi-min": {"payoff": ["one"]}})
    path = tmp_path / "file.json"
    path.write_text(file_of(root), "utf-8")
    found = verify_file(path)
    assert found.error is not None
    assert found.error.problems[0].message == (
        "found 'one' as payoff for maxi-min, expected a number such as 1165 891810/1849771"
    )


def test_a_file_without_results_is_a_tree_without_expect(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(file_of(decision(edge("go", 1, terminal()))), "utf-8")
    assert run_main("verify", str(path)).out.splitlines()[0].endswith(": a tree, without expect")
    done = run_main("verify", "--write", str(path))
    assert "expect cannot be written into SilverDecisions' JSON" in done.err
