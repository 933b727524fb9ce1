"""What messages say to write: each such text is read where it is meant to stand."""

from __future__ import annotations

import re

import pytest
from files.bad_cases import CASES
from files.test_student_trees import TREES
from files.test_traps import TRAPS
from helpers import cases

import expectitree as et
from expectitree.base.errors import FileError

CRITERIA = "criteria: [cost, effect, price]\nobjective: cost + effect + price\n"
NODES = "nodes: {A: pr, B: 1, C: 1}\nparameters: {pr: 0.5, fee: 1}\n"
# Where a text belongs, by its first word or sign; `$` is the text.
PLACES = {
    **dict.fromkeys(("max", "min", "chance"), "$"),
    **dict.fromkeys(("utility", "label"), "max: [{$}, 0]"),
    "label": "max: [{$, utility: 0}]",
    "estimate": "{max: [1], $}",
    "bounds": "{max: [1], $}",
    "cost": "max: [{$, utility: 1}]",
    "reward": f"{CRITERIA}max: [{{$, utility: {{cost: 1}}}}]",
    "p": "chance: [{$, utility: 1}, {p: rest, utility: 0}]",
    "ref": "max: [{$}, 1]",
    "until": "nodes: {Z: {$, max: [1]}}\nmax: [{ref: Z, with: {cycle: 0}}]",
    "with": "max: [{ref: A, $}, 1]",
    **dict.fromkeys(("title", "parameters", "normalize"), "$\nmax: [1]"),
    "expect": "$\nmax: [5]",
    "criteria": "$\nobjective: cost + life\nmax: [0]",
    "objective": "criteria: [cost, effect]\n$\nmax: [0]",
    "by": "parameters: {age: 40, m: {$, table: {40: 1, 50: 2}}}\nmax: [m]",
    "table": "parameters: {age: 40, m: {by: age, $}}\nmax: [m]",
    "{": "max: [$, 0]",
    "{p": "chance: [$, {p: rest, utility: 0}]",
    '"': "title: $\nmax: [1]",
    "'": "title: $\nmax: [1]",
}
LABELS = {True: "chance: {$, rest: 0}", False: "max: {$}"}  # whether it is a probability
NOT_OURS = ("payoff", "type")  # keys of a format that no tree file has
BARE = re.compile(r"[\w.-]+:?|[:?] |expectitree .*|\{ref: NAME\}")  # the name of a key, a command


def replacements(message: str) -> list[str]:
    """Return the texts between backticks that have more than the name of a key."""
    texts = re.findall(r"`((?:\"`|`\"|[^`])+)`", message)
    return [text for text in texts if not BARE.fullmatch(text)]


def filled(text: str) -> str:
    """Return a text with something in place of each `…`."""
    text = text.replace("[…]", "[1]").replace("{…}", "{x: 1}").replace(": …", ": 1")
    return text.replace(", …", ", {p: rest, utility: 0}" if "{p: " in text else "")


def placed(text: str) -> str:
    """Return a whole file with the text of a message in its place."""
    word = re.split(r":\s", text)[0]
    if re.fullmatch(r"[\d., -]+", text):
        return f"max: [{text}]"
    place = PLACES.get(word) or PLACES.get(text[0]) or LABELS["." in word and word[0].isdigit()]
    if "{cost: " in text:
        place = f"{CRITERIA}max: [{{$, utility: {{cost: 1}}}}]".replace(
            ", utility: {cost: 1}", "" if word == "utility" else ", utility: {cost: 1}"
        )
    head = NODES if word != "until" and re.search(r"\bref\b|\bwith\b|fee", place + text) else ""
    return head + place.replace("$", filled(text))


def said(text: str) -> str:
    try:
        return "\n".join(et.loads(text, name="x.yaml").warnings)
    except FileError as error:
        return str(error)


FILES = [case.message for case in CASES.values()]
SAID = [*map(said, [row[0] for row in (*TRAPS, *TREES)])]


@pytest.mark.parametrize(("messages", "least"), [(FILES, 80), (SAID, 150)])
def test_what_a_message_says_to_write_is_read(messages: list[str], least: int) -> None:
    """An ellipsis may be anything, and the rest of the file is right."""
    texts = [text for message in messages for text in replacements(message)]
    texts = [text for text in texts if text.partition(":")[0] not in NOT_OURS]
    assert len(texts) > least
    refused = {}
    for text in {*texts}:
        try:
            et.loads(placed(text), name="x.yaml")
        except FileError as error:
            refused[text] = str(error)
    assert not refused


NESTED = cases("writing", "nested")


@pytest.mark.parametrize(("text", "meant"), NESTED)
@pytest.mark.parametrize("name", ["x.yaml", "x.json"])
def test_a_node_is_rewritten_as_a_whole_and_once(text: str, meant: str, name: str) -> None:
    if (name == "x.json") != (text[0] == "{"):
        return
    with pytest.raises(FileError) as caught:
        et.loads(text, name=name)
    assert str(caught.value).count(f"`{meant}`") == 1
    assert et.loads(placed(meant))
