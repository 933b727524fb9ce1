"""Traps: texts that beginners write, as a teacher would collect them, and what the program says.

Each is read as its author meant it, or has a warning, or is refused; and the advice works.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from helpers import ROOT
from test_docs import blocks

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.files import tree_files
from expectitree.searches.engine import search_tree

TRAPS = [  # the text, what the program says (nothing if it reads it rightly), the text that follows
    # the advice, and its value
    # ---- Outcomes and probabilities the other way round.
    ("chance: {1: 1/36, 2: 3/36, 3: 5/36, 4: 7/36, 5: 9/36, 6: 11/36}",
     "the utilities 1/36, 3/36, 5/36, 7/36, … of this CHANCE node sum to 1: if they are "
     "probabilities, write `chance: {1/36: 1, 3/36: 2, 5/36: 3, 7/36: 4, 9/36: 5, 11/36: 6}`",
     "chance: {1/36: 1, 3/36: 2, 5/36: 3, 7/36: 4, 9/36: 5, 11/36: 6}", "161/36"),
    ("chance: {0: 0.2, 10: 0.5, 100: 0.3}", "write `chance: {0.2: 0, 0.5: 10, 0.3: 100}`",
     "chance: {0.2: 0, 0.5: 10, 0.3: 100}", "35"),
    ("chance: {heads: 0.5, tails: 0.5}",
     "write `chance: {heads: {p: 0.5, utility: …}, tails: {p: 0.5, utility: …}}`",
     "chance: {heads: {p: 0.5, utility: 3}, tails: {p: 0.5, utility: 1}}", "2"),
    ("chance: {-5: 0.25, 10: 0.25, 20: 0.5}",
     "write `chance: [{p: 0.25, utility: -5}, {p: 0.25, utility: 10}, {p: 0.5, utility: 20}]`",
     "chance: [{p: 0.25, utility: -5}, {p: 0.25, utility: 10}, {p: 0.5, utility: 20}]", "45/4"),
    ("chance: {0: 0.333, 10: 0.333, 20: 0.333}",
     "sum to about 1: if they are probabilities, write "
     "`chance: [{p: 0.333, utility: 0}, {p: 0.333, utility: 10}, {p: rest, utility: 20}]`",
     "chance: [{p: 0.333, utility: 0}, {p: 0.333, utility: 10}, {p: rest, utility: 20}]",
     "1001/100"),
    ("{rain: 0.3, sun: 0.7}",
     "write `chance: {rain: {p: 0.3, utility: …}, sun: {p: 0.7, utility: …}}`",
     "chance: {rain: {p: 0.3, utility: 5}, sun: {p: 0.7, utility: 8}}", "71/10"),
    # ---- Probabilities in labels.
    ("chance: {p0.3: 5, p0.7: 4}", "write a p, as in p0.3: {p: 0.3, utility: 5}",
     "chance: {p0.3: {p: 0.3, utility: 5}, p0.7: {p: 0.7, utility: 4}}", "43/10"),
    ("chance: {1 in 6: 10, 5 in 6: 0}", "write a p, as in 1 in 6: {p: 1/6, utility: 10}",
     "chance: {1 in 6: {p: 1/6, utility: 10}, 5 in 6: {p: 5/6, utility: 0}}", "5/3"),
    ("chance: {1 out of 6: 10, 5 out of 6: 0}", "as in 1 out of 6: {p: 1/6, utility: 10}",
     "chance: {1 out of 6: {p: 1/6, utility: 10}, no: {p: rest, utility: 0}}", "5/3"),
    ("chance: {win 1 / 6: 10, lose 5 / 6: 0}", "as in win 1 / 6: {p: 1/6, utility: 10}",
     "chance: {win 1 / 6: {p: 1/6, utility: 10}, lose 5 / 6: {p: 5/6, utility: 0}}", "5/3"),
    ("chance: {heads_0.5: 10, tails_0.5: 0}", "as in heads_0.5: {p: 0.5, utility: 10}",
     "chance: {heads_0.5: {p: 0.5, utility: 10}, tails_0.5: {p: 0.5, utility: 0}}", "5"),
    ("chance: {win ¼: 8, lose ¾: 0}", "as in win ¼: {p: 1/4, utility: 8}",
     "chance: {win ¼: {p: 1/4, utility: 8}, lose ¾: {p: 3/4, utility: 0}}", "2"),
    ("chance: {p(rain)=0.3: 5, p(sun)=0.7: 3}", "as in 'p(rain)=0.3': {p: 0.3, utility: 5}",
     "chance: {'p(rain)=0.3': {p: 0.3, utility: 5}, sun: {p: 0.7, utility: 3}}", "18/5"),
    ("chance: {sunny (60 percent): 5, rainy (40 percent): 1}",
     "as in 'sunny (60 percent)': {p: 60%, utility: 5}",
     "chance: {'sunny (60 percent)': {p: 60%, utility: 5}, rainy: {p: 40%, utility: 1}}", "17/5"),
    ("max: {0.7: 100, 0.3: 0}",
     "the labels '0.7' and '0.3' of this MAX node are probabilities that sum to 1: if chance "
     "decides here, write chance in place of max", "chance: {0.7: 100, 0.3: 0}", "70"),
    ("min: {0.7: 100, rest: 0}", "write chance in place of min", "chance: {0.7: 100, rest: 0}",
     "70"),
    ("max: {win 70%: 100, lose 30%: 0}",
     "write chance in place of max, and a p, as in win 70%: {p: 70%, utility: 100}",
     "chance: {win 70%: {p: 70%, utility: 100}, lose 30%: {p: 30%, utility: 0}}", "70"),
    ("chance: {0.7: 100, else: 0}", "write {0.7: …, rest: …}", "chance: {0.7: 100, rest: 0}", "70"),
    # ---- Probabilities in other places.
    ("chance: {good: 5, bad: -3, probability: 0.4}",
     "give each outcome its own p, as in good: {p: 0.4, utility: 5}",
     "chance: {good: {p: 0.4, utility: 5}, bad: {p: rest, utility: -3}}", "1/5"),
    ("chance: {good: 5, bad: -3, prob: 40%}", "as in good: {p: 40%, utility: 5}",
     "chance: {good: {p: 40%, utility: 5}, bad: {p: rest, utility: -3}}", "1/5"),
    ("chance: {p: 0.5, utility: 10}", "write a list: `chance: [{p: 0.5, utility: 10}, …]`",
     "chance: [{p: 0.5, utility: 10}, {p: 0.5, utility: 4}]", "7"),
    ("chance:\n  p: 0.5\n  utility: 10\n  p: 0.5\n  utility: 20",
     "the key 'p' occurs twice: write a list, `chance: [{p: 0.5, utility: 10}, …]`",
     "chance: [{p: 0.5, utility: 10}, {p: 0.5, utility: 20}]", "15"),
    ("chance: [0.7, 100, 0.3, 0]",
     "write `chance: [{p: 0.7, utility: 100}, {p: 0.3, utility: 0}]`",
     "chance: [{p: 0.7, utility: 100}, {p: 0.3, utility: 0}]", "70"),
    ("chance: [[0.5, 10], [0.5, 20]]",
     "write `chance: [{p: 0.5, utility: 10}, {p: 0.5, utility: 20}]`",
     "chance: [{p: 0.5, utility: 10}, {p: 0.5, utility: 20}]", "15"),
    ("chance: [{0.5: 10}, {0.5: 20}]",
     "write `chance: [{p: 0.5, utility: 10}, {p: 0.5, utility: 20}]`",
     "chance: [{p: 0.5, utility: 10}, {p: 0.5, utility: 20}]", "15"),
    ("chance: {rain: [0.3, 5], sun: [0.7, 8]}",
     "write a mapping, `chance: {rain: {p: 0.3, utility: 5}, sun: {p: 0.7, utility: 8}}`",
     "chance: {rain: {p: 0.3, utility: 5}, sun: {p: 0.7, utility: 8}}", "71/10"),
    ("chance: [{weight: 3, utility: 10}, {weight: 7, utility: 20}]", "write `p: 3/10`",
     "chance: [{p: 3/10, utility: 10}, {p: 7/10, utility: 20}]", "17"),
    ("max: {a: {p: 0.5, utility: 1}, b: {p: 0.5, utility: 2}}",
     "remove it, or write chance in place of max",
     "chance: {a: {p: 0.5, utility: 1}, b: {p: 0.5, utility: 2}}", "3/2"),
    ("max: {a: {chance: 0.5, utility: 1}, b: 3}", "for a probability, write `p: 0.5`",
     "chance: {a: {p: 0.5, utility: 1}, b: {p: 0.5, utility: 3}}", "2"),
    # ---- Numbers.
    ("max: [1,000, 900]", "1,000 is read as two numbers: for one, write 1000", "max: [1000, 900]",
     "1000"),
    ("max: {a: 1,000, b: 900}", "write `a: 1000`", "max: {a: 1000, b: 900}", "1000"),
    ("max: {a: {utility: -40,000}, b: 900}", "write `utility: -40000`",
     "max: {a: {utility: -40000}, b: 900}", "900"),
    ("chance: {a: {p: 0,3, utility: 12}, b: {p: 0,7, utility: 0}}", "write `p: 0.3`",
     "chance: {a: {p: 0.3, utility: 12}, b: {p: 0.7, utility: 0}}", "18/5"),
    ("chance: {0,7: 100, 0,3: 0}", "write `0.7: 100`", "chance: {0.7: 100, 0.3: 0}", "70"),
    ("max: {left: {min: 3, 12}, right: 2}", "write `min: [3, 12]`",
     "max: {left: {min: [3, 12]}, right: 2}", "3"),
    *((f"max:\n  a: {text}\n  b: -999", f"write {number}", f"max: {{a: {number}, b: -999}}", value)
      for text, number, value in [
          ("1,000", "1000", "1000"), ("1'000", "1000", "1000"), ("1 000", "1000", "1000"),
          ("1_000", "1000", "1000"), ("1.000.000", "1000000", "1000000"),
          ("1.000,50", "1000.5", "2001/2"), ("0,3", "0.3", "3/10"), ("$1000", "1000", "1000"),
          ("-$5", "-5", "-5"), ("12 EUR", "12", "12"), ("5€", "5", "5"), ("10%", "0.1", "1/10"),
          ("\N{MINUS SIGN}3", "-3", "-3"), ("\N{EN DASH}3", "-3", "-3"), ("5k", "5000", "5000"),
          ("1.5 million", "1500000", "1500000"), ("½", "0.5", "1/2"), ("(500)", "-500", "-500"),
          ("5 points", "5", "5"),
      ]),
    ("max: {a: 2*3, b: 50 - 20}", "", "max: {a: 2*3, b: 50 - 20}", "30"),
    ("max: {a: 50 \N{MINUS SIGN} 20, b: 3}", "write - for minus", "max: {a: 50 - 20, b: 3}", "30"),
    ("max: {a: n/a, b: 3}", 'a terminal that is not known yet is {utility: "?"}',
     'max: {a: {utility: "?"}, b: 3}', "?"),
    ("max: {drill: {cost: -20, chance: [100, 0]}, wait: 0}",
     "a cost of -20 pays MAX 20: if that is right, write reward: 20; otherwise write cost: 20",
     "max: {drill: {cost: 20, chance: [100, 0]}, wait: 0}", "30"),
    # ---- Nodes.
    ("max: {drill: {cost: 70, dry: 0, wet: 120}, wait: 0}", "write `chance: {dry: 0, wet: 120}`",
     "max: {drill: {cost: 70, chance: {dry: 0, wet: 120}}, wait: 0}", "0"),
    ("max:\n  a: 3\nb: 4", "for a label, indent 'b' below `max:`", "max:\n  a: 3\n  b: 4", "4"),
    ("max:\na: 3\nb: 4", "for a label, indent 'a' and 'b' below `max:`", "max:\n  a: 3\n  b: 4",
     "4"),
    ("max:\n  a:3\n  b:4", "write a space after each colon, as in `a: 3`", "max:\n  a: 3\n  b: 4",
     "4"),
    ("max: {a = 3, b = 4}", "or is `: ` missing, as in `a: 3`?", "max: {a: 3, b: 4}", "4"),
    ("max: {a 3, b 4}", "or is `: ` missing, as in `a: 3`?", "max: {a: 3, b: 4}", "4"),
    ("max: (1, 2)", "write `max: [1, 2]`", "max: [1, 2]", "2"),
    ("max(1, 2)", "write `max: [1, 2]`", "max: [1, 2]", "2"),
    ("max: {a: [3], b: [4]}", "write 3, without the brackets", "max: {a: 3, b: 4}", "4"),
    *((f"{word}: [1, 3]", "write `chance: [1, 3]`", "chance: [1, 3]", "2")
      for word in ("avg", "average", "exp", "EXP", "expectation", "expectimax")),
    ("root: {max: [1, 2]}",
     "the key 'root' is not needed: remove it, and move what is below it one level up",
     "max: [1, 2]", "2"),
    ("player: max\nchildren: [1, 2]", "write `max: [1, 2]`", "max: [1, 2]", "2"),
    ("title: Risk: a tree\nmax: [1, 2]", "put text with a colon in quotes",
     'title: "Risk: a tree"\nmax: [1, 2]', "2"),
    ("max: {yes: 5, no: 3}", "", "max: {yes: 5, no: 3}", "5"),
]  # fmt: skip


def found_in(text: str) -> tuple[str, et.Tree | None]:
    """Return what the program says about a text, and its tree if it has one."""
    try:
        tree = et.loads(text, name="x.yaml")
    except FileError as error:
        return str(error), None
    return "\n".join(tree.warnings), tree


@pytest.mark.parametrize(("text", "says", "better", "value"), TRAPS)
def test_advice_about_a_trap_works(text: str, says: str, better: str, value: str) -> None:
    found, _ = found_in(text)
    assert says in found
    assert bool(says) == bool(found)
    for advice in re.findall(r"write `?((?:\w+: )?[\[{][^`]*[\]}])", says):
        pattern = re.escape(advice).replace("…", r"[^,}]+").replace(r",\ [^,}]+\]", r",\ .*\]")
        assert re.search(pattern, better), pattern
    after, tree = found_in(better)
    assert not after
    assert tree is not None
    assert value == "?" if tree.unknown else str(et.evaluate(tree, exact=True).value) == value


@pytest.mark.parametrize(
    "text",
    [
        "chance: {heads: 1, tails: 0}",
        "chance: {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 1}",
        "chance: {win: 1, draw: 0.5, lose: 0}",
        "chance: {a: 0.4, b: 0.5}",
        "chance: {rain: 30, sun: 70}",
        "chance: [0.5, 0.5]",
        "chance: [0.25, 3, 1, 0.5]",
        "chance: {1: 2, 2: 4, 3: 8}",
        "chance: {a: 0.5, b: {max: [0.5, 1]}}",
        "{event: test, chance: {plus: 0.4, minus: 0.6}}",
        "max: {a: 0.5, b: 0.5}",
        "max: {0: 1, 1: 2}",
        "max: {bid 0.5: 3, bid 1.5: 4}",
        "max: {40: 1, 60: 2}",
        "max: {invest 10%: 1, invest 20%: 2, wait: 0}",
        "max: {probability theory: 3, weight: 80}",
        "max: [0, 0, 100, 0]",
        "max: [000, 1]",
        "chance: {gain: 5, loss: -3, cash: 2}",
        "max: {a: {cost: 0, utility: 3}, b: {reward: -2, utility: 7}}",
    ],
)
def test_ordinary_trees_cause_no_warning(text: str) -> None:
    found, tree = found_in(text)
    assert not found
    assert tree is not None


def test_no_file_of_the_project_causes_a_warning() -> None:
    folders = ("trees", "docs", "studies", "expectitree", "benchmarks")
    files = [Path(file) for folder in folders for file in tree_files(str(ROOT / folder))]
    texts = [file.read_text("utf-8") for file in files]
    for document in ROOT.glob("docs/**/*.md"):
        texts += blocks(document, "yaml")
    trees = [tree for _, tree in map(found_in, texts) if tree is not None]  # not parts of files
    assert len(trees) > 50
    assert not [warning for tree in trees for warning in tree.warnings]


# ---- The table of the documentation.

TABLE = (ROOT / "docs/reference/errors.md").read_text("utf-8").partition("## First guesses")[2]
ROWS = re.findall(r"^\| `(.*?)` \| (.*) \|$", TABLE.partition("\n## ")[0], re.MULTILINE)


@pytest.mark.parametrize(("text", "expected"), ROWS)
def test_the_table_of_first_guesses_is_right(text: str, expected: str) -> None:
    found, tree = found_in(text)
    if expected.startswith("error: "):
        assert tree is None
        assert expected.removeprefix("error: ") in found
        return
    assert tree is not None
    value, _, warning = expected.partition("; warning: ")
    assert f"value: {search_tree(tree).value}" == value
    assert len(tree.warnings) == bool(warning)
    assert warning in found


@pytest.mark.parametrize(
    ("text", "hint", "whole"),
    [
        ("chance: {0: 1, 0.5: 2, 1: 3}", r"labels write (\[.*\])$", "chance: {}"),
        ("chance: {win 0.7: 100, lose 0.3: 0}", r"as in (.*)$",
         "chance: [{}, {p: rest, max: [1]}]"),
        ("chance: {'a: 0.7': 1, \"b's 0.3\": 0}", r"as in 'a: 0.7': (.*)$", "chance: [{}, {}]"),
        ("chance: {\"b's 0.3\": {min: [1]}, x=0.7: 0}", r"as in (.*)$", "max: {{}}"),
        ("chance: [{label: '[b] 70%', max: [1]}, {label: '30%', max: [0]}]", r"as in (.*)$",
         "chance: [{}, {p: rest, max: [1]}]"),
        ("max: [{'a: b': 1}, {'- x': 2}]", r"`max: (.*)`$", "max: {}"),
        ("max: [1, {'- x': 2}]", r"written `(.*)`$", "max: [{}]"),
        ("max: [{name: '[x]', utility: 2}]", r"write `(.*)`$", "max: [{{}, utility: 2}]"),
        ("max: {a:1, b: 2}", r"as in `(.*)`\?$", "max: {{}}"),
        ("{'a, b': 1, '{': {chance: [1]}}", r"write `(.*)`, or", "{}"),
    ],
)  # fmt: skip
def test_the_text_that_a_message_shows_is_yaml(text: str, hint: str, whole: str) -> None:
    """The hint has to be right for whoever copies it; an error may remain elsewhere."""
    (found,) = re.findall(hint, found_in(text)[0])
    assert isinstance(yaml.safe_load(whole.replace("{}", found, 1).replace("{}", "1")), dict)
