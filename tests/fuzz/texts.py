"""Hostile texts: damaged files of each text format, formulas and values of parameters."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from random import Random
from typing import Any
from unittest import mock

from base.expressions import test_evaluation
from decide.sensitivity import parameterised
from files import bad_cases, samples
from foreign import efg_games, test_damaged_diagrams
from foreign.test_csv import COPIER, THOMPSON
from foreign.test_radiant import CONTRACT
from fuzz.cases import Target
from fuzz.damage import GAME_PIECES, mutated
from oracle import definition
from random_texts import RandomText

import expectitree as et
from expectitree.base.algorithms import ALGORITHMS
from expectitree.base.errors import FileError, NumberError
from expectitree.base.expressions.evaluation import FLOATS, FRACTIONS, evaluate
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import text_of
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.files import load, loads
from expectitree.files.grammar import expect
from expectitree.files.grammar.keys import NODE_KEYS, ROOT_KEYS, SCHEMA_KEY
from expectitree.searches.engine import search_tree

STRETCH = 100  # nodes that any text may have; a longer one may have a node per byte


@dataclass(frozen=True)
class Hostile:
    """A damaged file and how it is read."""

    content: str | bytes
    name: str
    options: dict[str, Any] = field(default_factory=dict)


def exact_nodes(exact: bool) -> int:
    """Return how many nodes a tree of fractions may have; 0 to read floats."""
    return EXACT_NODES if exact else 0


def some_options(random: Random) -> dict[str, Any]:
    """Return whether to read fractions, as an option."""
    return {"exact_nodes": exact_nodes(random.random() < 0.5)}


def check_message(error: et.ExpectitreeError) -> None:
    """Check that a message has nothing that a terminal would obey."""
    assert str(error)
    assert all(line.isprintable() for line in str(error).splitlines()), ascii(str(error))


def check_refusal(error: FileError, has_place: bool = True) -> None:
    """Check that a refusal has a message with a line and a column."""
    check_message(error)
    assert all(line.isprintable() for line in bad_cases.shown_lines(error))
    if has_place:
        assert all(problem.line and problem.column for problem in error.problems), error.problems


def check_file(made: Hostile) -> bool:
    """Read a file and use its tree, or check its refusal; return whether it was read."""
    options = {"warn": lambda message: None, **made.options}
    try:
        if isinstance(made.content, bytes):
            tree = load(io.BytesIO(made.content), **options)
        else:
            tree = loads(made.content, name=made.name, **options)
    except FileError as error:
        check_refusal(error, has_place=isinstance(made.content, str) and made.name != "-")
        return False
    except et.TransformError as error:  # the option does not fit the file
        check_message(error)
        return False
    assert len(tree) <= max(STRETCH, len(made.content))
    use(tree)
    return True


def use(tree: et.Tree) -> None:
    """Evaluate, show and write a tree that came from a damaged file."""
    repr(tree)
    try:
        found = search_tree(tree, "star2")
        et.to_text(found)
        et.to_json(found)
        again = loads(et.dumps(tree), exact_nodes=exact_nodes(tree.exact))
    except et.ExpectitreeError as error:
        check_message(error)
        return
    assert len(again) == len(tree)


def files(
    seeds: Sequence[str],
    damage: Callable[[Random, str], str],
    *names: str,
    **options: Sequence[Any],
) -> Target:
    """Return a target that damages one of some texts, and reads it by one of some names.

    Each option of the reader has one of its values, or is left out if that is None.
    """

    def make(random: Random) -> Hostile:
        text, name = damage(random, random.choice(seeds)), random.choice(names)
        drawn = {key: random.choice(values) for key, values in options.items()}
        given = {key: value for key, value in drawn.items() if value is not None}
        return Hostile(text, name, some_options(random) | given)

    return Target(make, check_file, is_hostile=True)


TREES = (*samples.SEEDS, *(RandomText(seed).text for seed in range(60)))
IN_JSON = tuple(text for text in (*samples.SEEDS, *TREES) if text.startswith('{"'))
RADIANT = (CONTRACT, "name: x\ntype: decision\na: &a\n    payoff: 1\nb: *a\n")
TABLES = (
    THOMPSON,
    COPIER.replace(",", ";"),
    'a\t"b ""c"\t$ d\nx\t"1,000"\t(5)\n',
    ',a,b\np,1/3,2/3\nx,5%,"-$1,000.5"\n',
)
GAMES = [
    *(game.text for game in efg_games.GAMES.values()),
    # Probabilities of 16 digits, and a third player who has no move.
    'EFG 2 R "" { "Ann" "Bob" }\n'
    'c "" 1 "" { "a" 0.3333333333333333 "b" 0.3333333333333333 "c" 0.3333333333333333 } 0\n'
    't "" 1 "" { 3, -3 }\nt "" 2 "" { 6, -6 }\nt "" 3 "" { 9, -9 }\n',
    'EFG 2 R "" { "A" "B" "C" }\np "" 1 1 "" { "l" "r" } 0\n'
    'p "" 2 2 "" { "x" } 0\nt "" 1 "" { 1, -1, 0 }\nt "" 2 "" { 0, 0, 0 }\n',
]


TOKEN = re.compile(r"""[\w./%+-]+|'[^']*'|"[^"]*"|.""", re.DOTALL)
OTHERS = [
    *(*NODE_KEYS, *ROOT_KEYS, *expect.KEYS, *expect.RUN_KEYS, *ALGORITHMS, SCHEMA_KEY, "MAX", "a",
        "s"),
    *("0", "1", "0.5", "1/2", "50%", "1e-3", "-1", "+.5", "7.", "rest", "1e400", "inf", "-.Inf",
        "'1'", '"1/3"', "0x10", "1_0"),
    *("'?'", "'??'", "?"),
    *("no", "on", "true", "'#1'", "'#2'", "12:30", "2024-01-02", "''", "{}", "[]", "[0, 1]",
        "{ref: s}"),
]  # fmt: skip


def one_word(random: Random, text: str) -> str:
    """Return a tree file with one or two tokens exchanged, or with some characters changed."""
    if random.random() < 0.4:
        return mutated(random, text)
    tokens = TOKEN.findall(text)
    places = [at for at, token in enumerate(tokens) if token[0] not in " :,{}[]"]
    for _ in range(random.choice((1, 1, 1, 2))):
        at, token = random.choice(places), random.choice(OTHERS)
        # In JSON a word is quoted.
        is_quoted = tokens[at].startswith('"') and random.random() < 0.8
        tokens[at] = json.dumps(token.strip("\"'")) if is_quoted else token
    return "".join(tokens)


def damaged_bytes(random: Random) -> Hostile:
    """Return a tree file with a few other bytes."""
    content = bytearray(random.choice(samples.SEEDS).encode())
    for _ in range(random.randint(1, 3)):
        content[random.randrange(len(content))] = random.randrange(256)
    return Hostile(bytes(content), "-", some_options(random))


def check_in_python(made: Hostile) -> bool:
    """Read a file as if libyaml were missing."""
    with mock.patch("expectitree.files.formats.yaml.yaml.__with_libyaml__", False):
        return check_file(made)


# ---- SilverDecisions' diagrams.


@cache
def diagrams() -> list[str]:
    """Return valid diagrams."""
    return test_damaged_diagrams.valid_files()


def damaged_diagram(random: Random) -> Hostile:
    """Return a damaged diagram of SilverDecisions."""
    text = test_damaged_diagrams.mutated(random.choice(diagrams()), random)
    return Hostile(text, "x.json", some_options(random))


def check_diagram(made: Hostile) -> bool:
    """Read, write and verify a diagram."""
    return test_damaged_diagrams.is_tree(str(made.content), bool(made.options["exact_nodes"]))


# ---- Expressions.


def expression(random: Random) -> str:
    """Return the text of a random formula, damaged or not."""
    text = text_of(test_evaluation.random_tree(random, random.randint(0, 5)))
    if random.random() < 0.7:
        pieces = (
            "(",
            ")",
            "^",
            "9" * 40,
            "1e400",
            "exp(",
            "log(",
            "sqrt(",
            "^9^9^9",
            "x",
            "é",
            ",",
        )
        for _ in range(random.randint(1, 3)):
            at = random.randrange(len(text) + 1)
            text = text[:at] + random.choice(pieces) + text[at + random.choice((0, 0, 1, 3)) :]
    return text


def check_expression(text: str) -> bool:
    """Parse and evaluate a formula in both domains."""
    values = test_evaluation.VALUES
    floats = {name: float(number) for name, number in values.items()}
    try:
        tree = parse(text, [*values])
        exact = evaluate(tree, FRACTIONS, values)
        near = evaluate(tree, FLOATS, floats)
    except NumberError as error:
        check_message(error)
        return False
    assert isinstance(exact, Fraction)
    assert isinstance(near, float)
    return True


SETTINGS = ("0", "1", "1/3", "25%", "0.9", "-1", "2", "nan", "inf", "1e400", "", "x", "a", "1/0",
    "9" * 50, "0.1", "é")  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A tree with parameters, and new values of some."""

    seed: int
    exact: bool
    values: dict[str, str]


def setting(random: Random) -> Setting:
    """Return values of parameters, one of which may be derived or unknown."""
    names = random.sample(("a", "a", "b", "b", "derived", "c"), random.choice((1, 1, 2)))
    values = {name: random.choice(SETTINGS) for name in names}
    return Setting(random.getrandbits(32), random.random() < 0.5, values)


def check_setting(made: Setting) -> bool:
    """Set parameters, and compare the value with its definition."""
    tree = parameterised.random_tree(made.seed, made.exact)
    try:
        moved = tree.with_parameters(**made.values)
        found = search_tree(moved, "star2")
    except et.ExpectitreeError as error:
        check_message(error)
        return False
    expected = moved.root_reward + definition(moved.root)
    near = 0 if made.exact else 20 * found.eps  # Amounts that cancel may be great.
    assert abs(found.value - expected) <= near, (found.value, expected)
    return True


YAML = files(TREES, one_word, "x.yaml", "-")
TARGETS: dict[str, Target] = {
    "yaml": YAML,
    "yaml-in-python": YAML._replace(check=check_in_python),
    "json": files(IN_JSON, one_word, "x.json"),
    "bytes": Target(damaged_bytes, check_file, is_hostile=True),
    "efg": files(
        GAMES,
        partial(mutated, pieces=GAME_PIECES), "g.efg",
        max_player=(None, "2", "Bob"),
    ),
    "radiant": files(
        RADIANT, mutated, "r.yaml",
        format=("radiant",), minimize=(None, True),
    ),
    "csv": files(
        TABLES, mutated, "t.csv",
        format=("csv",), minimize=(None, True), transpose=(None, True), probabilities=(None, "p"),
    ),
    "silverdecisions": Target(damaged_diagram, check_diagram, is_hostile=True),
    "formulas": Target(expression, check_expression, is_hostile=True),
    "parameters": Target(setting, check_setting, is_hostile=True),
}  # fmt: skip
