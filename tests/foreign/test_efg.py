"""Reading and writing .efg files: the mapping, the refusals, and the options."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from files.samples import exact_at
from foreign.efg_games import GAMES
from helpers import Done, loads, run_main

import expectitree as et
from expectitree import Kind
from expectitree.searches.engine import search_tree

HEAD = 'EFG 2 R "" { "Ann" "Bob" }\n'


def read(text: str, **options: Any) -> tuple[et.Tree, list[str]]:
    """Return the exact tree of a text and the warnings."""
    warnings: list[str] = []
    tree = et.loads(text, name="g.efg", warn=warnings.append, **options)
    return tree, warnings


def refusal(text: str, **options: object) -> str:
    with pytest.raises(et.FileError) as caught:
        read(text, **options)
    return str(caught.value)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("exact", [True, False])
def test_the_readable_games_of_gambit_have_their_published_values(name: str, exact: bool) -> None:
    game = GAMES[name]
    tree = loads(game.text, name=f"{name}.efg", exact=exact)
    counts = Counter(tree.columns.kind)
    players = counts[Kind.MAX] + counts[Kind.MIN]
    assert (counts[Kind.CHANCE], players, counts[Kind.TERMINAL]) == game.nodes
    value = search_tree(tree).value
    assert value == game.value if exact else value == pytest.approx(float(game.value))
    again = loads(et.dumps(tree, "efg"), exact=exact)
    assert search_tree(again).value == pytest.approx(value, rel=0 if exact else 1e-12)


def test_the_parts_of_a_game_become_those_of_a_tree() -> None:
    text = """
    EFG 2 D "Title" { "Ann" "Bob" } "A comment"
    p "start" 1 1 "set" { "go" "" "same" "same" } 7 "entry fee" { -2, 2 }
      c "luck" 1 "" { "good" 1/3 "bad" 2/3 } 1 "bonus" { 1 -1 }
      t "here" 2 "prize" { 9, -9 }
      t "" 0
      p "" 2 1 "" { "#2" "say \\"hi\\"" } 0 t "" 3 "" { .5, -.5 } t "" 2
    t "same" 3 t "" 4 "" { 1e1,-10 }
    """
    tree, warnings = read(text)
    assert warnings == [
        "g.efg: found 4 actions with no name, or with the name of a sibling: they are called #1, "
        "#2, … by their places"
    ]
    assert (
        et.dumps(tree)
        == """\
title: Title
cost: 2
note: "start; entry fee; A comment"
max:
  go: {reward: 1, note: "luck; bonus", chance: {good: {p: 1/3, note: "here; prize", utility: 9}, \
bad: {p: 2/3, utility: 0}}}
  "#2": {min: {"#1": 0.5, 'say "hi"': {note: prize, utility: 9}}}
  "#3": {note: same, utility: 0.5}
  "#4": 10
"""
    )


def test_a_constant_sum_is_noted_at_the_root_and_not_subtracted() -> None:
    tree, warnings = read(GAMES["centcs6"].text)
    assert tree.notes[tree.root_id] == "the payoffs sum to 3.2"
    assert exact_at(tree, "take").utility == Fraction(8, 5)
    assert warnings == []
    tree, _ = read(GAMES["e10"].text)
    assert tree.notes[tree.root_id] == "5 left"


def test_another_player_may_be_max() -> None:
    text = GAMES["centcs6"].text
    for player in ("2", "Bob"):
        tree, _ = read(text, max_player=player)
        assert tree.root.kind == Kind.MIN
        assert exact_at(tree, "take").utility == Fraction(8, 5)
        assert search_tree(tree).value == Fraction(16, 5) - GAMES["centcs6"].value
    with pytest.raises(et.TransformError) as caught:
        read(text, max_player="Bib")
    assert str(caught.value) == "there is no player 'Bib': the players are 1 'Ann', 2 'Bob'"


def test_imperfect_information_is_refused_at_the_first_two_nodes() -> None:
    text = HEAD + (
        'p "" 1 1 "" { "l" "m" "r" } 0\n'
        'p "" 2 2 "" { "l" "r" } 0\nt "" 1 "" { 1, -1 }\nt "" 1\n'
        'p "" 2 2 0\nt "" 1\nt "" 1\n'
        'p "" 2 2 0\nt "" 1\nt "" 1\n'
    )
    assert refusal(text).splitlines() == [
        'g.efg:3:1: information set 2 of player "Bob" has 3 nodes: the player cannot tell them '
        "apart (imperfect information); expectitree supports perfect information only",
        "g.efg:6:1: this is the second node of the information set",
    ]


def test_chance_nodes_may_share_an_information_set() -> None:
    text = HEAD + (
        'p "" 1 1 "" { "l" "r" } 0\nc "" 1 "" { "h" 1/4 "t" 3/4 } 0\nt "" 1 "" { 4, -4 }\nt "" 0\n'
        'c "" 1 0\nt "" 2 "" { 8, -8 }\nt "" 0\n'
    )
    assert et.evaluate(read(text)[0]).value == 2


def three(third: str, mover: int = 1) -> str:
    return (
        'EFG 2 R "" { "A" "B" "C" }\np "" 1 1 "" { "l" "r" } 0\n'
        f'p "" {mover} 2 "" {{ "x" }} 0\nt "" 1 "" {{ 1, -1, {third} }}\nt "" 2 "" {{ 0, 0, 0 }}\n'
    )


def test_a_third_player_is_refused_unless_idle() -> None:
    expected = "g.efg:1:12: found 3 players; expectitree supports only MAX and MIN"
    assert refusal(three("1")) == expected
    assert refusal(three("0", mover=3)) == expected
    tree, warnings = read(three("0", mover=2))
    assert (et.evaluate(tree).value, warnings) == (1, [])
    assert Kind.MIN in tree.columns.kind


THIRDS = HEAD + (
    'c "" 1 "" { "a" 0.3333333333333333 "b" 0.3333333333333333 "c" 0.3333333333333333 } 0\n'
    't "" 1 "" { 3, -3 }\nt "" 2 "" { 6, -6 }\nt "" 3 "" { 9, -9 }\n'
)


def test_probabilities_that_sum_to_nearly_1_are_normalised() -> None:
    tree, warnings = read(THIRDS.replace("0.3333333333333333", "0.33333333333"))
    assert search_tree(tree).value == 6
    assert warnings == [
        "g.efg: at 1 chance node the probabilities sum to nearly 1: each was divided by the sum"
    ]
    tree, warnings = read(THIRDS)  # as a program writes floats
    assert search_tree(tree).value == 6
    assert warnings == []
    assert refusal(THIRDS.replace("0.3333333333333333", "0.333")) == (
        "g.efg:2:1: the probabilities sum to 0.999, expected 1: correct the probabilities"
    )


# ---- Writing.


def written(text: str, exact: bool = True) -> tuple[str, list[str]]:
    """Return the .efg text of a tree in YAML, without the head, and the warnings."""
    warnings: list[str] = []
    found = et.dumps(loads(text, exact=exact), "efg", warn=warnings.append)
    return found, warnings


def test_a_tree_becomes_a_game() -> None:
    text = """
    title: Title
    reward: 1
    max: {a: {p: 1, utility: 2}, b: {cost: 1/3, min: {x: 0, y: {reward: 2, chance: [1, 2]}}}}
    """.replace("p: 1, ", "")
    assert (
        written(text)[0]
        == """\
EFG 2 R "Title" { "MAX" "MIN" }
""

p "" 1 1 "" { "a" "b" } 1 "" { 1, -1 }
t "" 2 "" { 2, -2 }
p "" 2 1 "" { "x" "y" } 3 "" { -1/3, 1/3 }
t "" 4 "" { 0, 0 }
c "" 1 "" { "#1" 0.5 "#2" 0.5 } 5 "" { 2, -2 }
t "" 6 "" { 1, -1 }
t "" 7 "" { 2, -2 }
"""
    )


def test_formulas_become_their_values() -> None:
    text = """
    parameters: {a: 2, b: a/3}
    cost: b
    max: {x: a, y: {reward: b, chance: {u: {p: b/2, utility: a^2}, v: {p: rest, utility: 0}}}}
    """
    tree = et.loads(text).with_parameters(a=1)
    game, warnings = written(et.dumps(tree))
    assert '{ "x" "y" } 1 "" { -1/3 }' in game
    assert '{ "u" 1/6 "v" 5/6 } 3 "" { 1/3 }' in game
    assert warnings == ["left out what Gambit's .efg cannot hold: parameters, formulas"]
    assert search_tree(et.loads(game)).value == search_tree(tree).value


def test_probabilities_of_floats_are_repaired_to_sum_to_1() -> None:
    text, warnings = written("chance: [1, 2, 3]", exact=False)
    assert '"#1" 0.3333333333333333 "#2" 0.3333333333333333 "#3" 0.3333333333333334' in text
    assert warnings == [
        "probabilities must sum to exactly 1: changed the last ones at 1 chance node by rounding "
        "errors"
    ]
    text, warnings = written("chance: [1, 2, 3]")
    assert '"#1" 1/3 "#2" 1/3 "#3" 1/3' in text
    assert warnings == []
    thirds = "chance: [{p: 1/3, utility: 1}, {p: 2/3, utility: 2}, {p: 0, utility: 3}]"
    text, _ = written(thirds, exact=False)
    assert '"#2" 0.6666666666666667 "#3" 0 }' in text


def test_labels_and_titles_become_printable_ascii() -> None:
    text, warnings = written(
        'title: "Ünder \\n way"\nmax: {é: 1, e: 2, "日": 3, "a\\\\b": 4, "x\\"": 5}'
    )
    assert 'R "Under way"' in text
    assert '{ "e" "e 2" "?" "a/b" "x\\"" }' in text
    assert warnings == [
        "Gambit's labels are printable ASCII: changed 4 labels",
        "Gambit's titles are printable ASCII: changed the title",
    ]
    assert et.loads(text).find('x"').utility == 5


def test_what_is_lost_is_named() -> None:
    text = """
    source: here
    expect: {value: 3}
    parameters: {fee: 1}
    bounds: [0, 9]
    max: {a: {estimate: 2, note: n, min: [{ref: s}, fee]}, b: {ref: s}}
    nodes: {s: {event: coin, chance: {h: 1, t: 5}}}
    """
    _, warnings = written(text)
    assert warnings == [
        "left out what Gambit's .efg cannot hold: source, notes, bounds, estimates, expect, "
        "events, parameters, formulas",
        "Gambit's .efg cannot share nodes, so each path gets its own: 6 nodes become 9",
    ]


def test_what_would_change_values_is_refused(tmp_path: Path) -> None:
    text = 'max: {a: 1, b: {min: [2, {utility: "?"}]}}'
    expected = (
        "b/#2: Gambit's .efg cannot hold unknown utilities: answer them first with expectitree ask"
    )
    with pytest.raises(et.TreeError) as caught:
        written(text)
    assert str(caught.value) == expected
    source = tmp_path / "a.yaml"
    source.write_text(text)
    done = run_main("convert", str(source), str(tmp_path / "a.efg"))
    assert (done.status, done.err) == (3, f"expectitree: {expected}\n")
    assert not (tmp_path / "a.efg").exists()


# ---- The command line.


@pytest.fixture
def game(tmp_path: Path) -> str:
    path = tmp_path / "game.efg"
    path.write_text(THIRDS)
    return str(path)


def done(*words: str) -> Done:
    return run_main(*words)


@pytest.mark.parametrize("command", ["eval", "compare", "trace", "limit", "opponents", "risk"])
def test_commands_read_games_with_their_options(command: str, game: str) -> None:
    found = done(command, "--max-player", "Zoe", game)
    assert found.status == 2
    assert "there is no player 'Zoe': the players are 1 'Ann', 2 'Bob'" in found.err


CENTIPEDE = HEAD + (
    'p "" 1 1 "" { "take" "pass" } 0 t "" 1 "" { 0.80, 0.20 }\n'
    'p "" 2 1 "" { "take" "pass" } 0 t "" 2 "" { 0.40, 1.60 } t "" 3 "" { 3.20, 0.80 }\n'
)


def test_a_game_that_is_not_of_constant_sum_is_refused() -> None:
    assert refusal(CENTIPEDE).startswith(
        "g.efg:3:33: not constant-sum: payoffs sum to 2 at line 3 and to 1 at line 2"
    )


def test_an_option_of_another_format_is_wrong_usage(game: str) -> None:
    found = done("convert", "--tree", "2", game, "-")
    assert found.status == 2
    assert "--tree is for SilverDecisions' JSON, and this is Gambit's .efg" in found.err


def test_a_game_is_found_by_its_text_or_by_an_option(game: str, tmp_path: Path) -> None:
    text = GAMES["e10"].text
    assert "value     1\n" in done("eval", "-e", text).out
    other = tmp_path / "game.txt"
    other.write_text(text)
    assert done("verify", str(other)).status == 0
    named = tmp_path / "game.yaml"
    named.write_text(text)
    assert done("eval", str(named)).status == 3
    assert done("eval", "--from", "efg", str(named)).status == 0


def test_an_outcome_is_paid_once_for_each_node_that_has_it() -> None:
    text = """
    p "" 1 1 "" { "a" "b" } 0
    p "" 1 2 "" { "x" "y" } 1 "paid" { 1, -1 } t "" 1
    p "" 2 1 "" { "z" } 1 t "" 2 "" { 5, -5 }
    c "" 1 "" { "h" 1 } 3 "" { 2, -2 } t "" 4 "" { 3, -3 }
    """
    tree, _ = read(HEAD + text)
    search = et.evaluate(tree)
    assert (search.value_of("a"), search.value_of("b"), search.value) == (7, 5, 7)
