"""What messages say to write: each such text is read where it is meant to stand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator

import pytest
from files.bad_cases import CASES
from files.test_student_trees import TREES
from files.test_traps import TRAPS
from helpers import cases

import expectitree as et
from expectitree.base.errors import FileError, Problem
from expectitree.files.formats import FORMATS
from expectitree.files.grammar.document import Data, Place, Problems

CRITERIA = "criteria: [cost, effect, price]\nobjective: cost + effect + price\n"
NODES = "nodes: {A: pr, B: 1, C: 1}\nparameters: {p: 0.5, pr: 0.5, fee: 1}\n"
# Where a text belongs, by its first word or sign; `$` is the text.
PLACES = {
    **dict.fromkeys(("max", "min", "chance"), "$"),
    **dict.fromkeys(("utility", "label"), "max: [{$}, 0]"),
    "label": "max: [{$, utility: 0}]",
    "estimate": "{max: [1], $}",
    "bounds": "{max: [1], $}",
    "cost": "max: [{$, utility: 1}]",
    "reward": "max: [{$, utility: 1}]",
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
    "[": "{max: [1], bounds: $}",
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
    if word not in ("max", "min", "chance") and re.search(r"[^{]: \{p: ", text):
        place = "chance: {$, other: {p: rest, utility: 0}}"
    if "{cost: " in text:
        place = f"{CRITERIA}max: [{{$, utility: {{cost: 1}}}}]".replace(
            ", utility: {cost: 1}", "" if word == "utility" else ", utility: {cost: 1}"
        )
    needs_names = re.search(r"\bref\b|\bwith\b|\bfee\b|\{p: p", place + text)
    head = NODES if needs_names and word not in ("until", "parameters") else ""
    return head + place.replace("$", filled(text))


def said(text: str) -> str:
    try:
        return "\n".join(et.loads(text, name="x.yaml").warnings)
    except FileError as error:
        return str(error)


SAID = [*map(said, [row[0] for row in (*TRAPS, *TREES)])]


def test_what_a_message_says_to_write_is_read() -> None:
    """An ellipsis may be anything, and the rest of the file is right."""
    texts = [text for message in SAID for text in replacements(message)]
    assert len(texts) > 150
    refused = {}
    for text in {*texts}:
        try:
            et.loads(placed(text), name="x.yaml")
        except FileError as error:
            refused[text] = str(error)
    assert not refused, [*refused.items()]


# ---- What the help lines of `bad/` say to write, in place of what is wrong in the file.

# Texts that are right elsewhere in the file, or with other changes.
EXAMPLE = re.compile(
    r"normalize: true|until: cycle = 20|p: \S+|criteria: \[.*|.*\bNAME\b.*|\w+\(.*\)"
    r"|\[\{label: .*, …\]"
)
OWN = [name for name in CASES if re.search(r"(?<!\.bad)\.(yaml|json)$", name)]
OWN = [name for name in OWN if not name.startswith(("radiant-", "sd-"))]


def flow(data: Data) -> str:
    """Return a part of a document as JSON, which YAML reads too."""
    if isinstance(data, list):
        return f"[{', '.join(map(flow, data))}]"
    if isinstance(data, tuple):
        pairs = [f"{json.dumps(key)}: {flow(value)}" for key, value in data]
        return f"{{{', '.join(pairs)}}}"
    return json.dumps(data)


def changed(data: Data, old: Data, new: Data) -> Data:
    """Return a part of a document with another list or mapping in place of one of its own."""
    if data is old:
        return new
    if isinstance(data, list):
        return [changed(item, old, new) for item in data]
    if isinstance(data, tuple):
        return tuple((key, changed(value, old, new)) for key, value in data)
    return data


def joined(data: Data, new: Data) -> Data:
    """Return a mapping with the pairs of another one in place of its own and after them."""
    if isinstance(data, tuple) and isinstance(new, tuple):
        return tuple({**dict(data), **dict(new)}.items())
    return new


def with_new(root: Data, place: Place, new: Data) -> Iterator[Data]:
    """Yield the document with a text where it may be meant: at a place, next to it, above it."""
    container, at, *_ = place
    if isinstance(container, list):
        before, item, after = container[:at], container[at], container[at + 1 :]
        forms = [[*before, new, *after], [*before, joined(item, new), *after]]
    elif container is None:
        forms = []
    else:
        before, (key, item), after = container[:at], container[at], container[at + 1 :]
        forms = [(*before, (key, value), *after) for value in (new, joined(item, new))]
        if isinstance(new, tuple):
            forms += [(*container[:i], *new, *container[i + 1 :]) for i in range(len(container))]
            forms.append(joined(container, new))
    for form in (*forms, new):
        yield new if container is None else changed(root, container, form)
    yield joined(root, new)


def problems_of(text: str, name: str) -> dict[tuple[str | None, str], Problem]:
    try:
        et.loads(text, name=name)
    except FileError as error:
        return {(problem.path, problem.reason): problem for problem in error.problems}
    return {}


def numbers(data: Data) -> Counter[str]:
    """Return how often each number is in a document, as a key or a value; 50% as 50."""
    return Counter(re.findall(r"(?<=\")([-+.\d/]+)%?(?=\")", flow(data)))


def new_problems(found: Iterable[tuple[str | None, str]], known: Container[object]) -> list[str]:
    """Return the reasons of new problems; the names in an example need not be those of the file."""
    return [
        reason
        for path, reason in found
        if (path, reason) not in known
        and not re.search("unknown parameter|without a criterion", reason)
    ]


@pytest.mark.parametrize("name", OWN)
def test_what_a_help_line_says_to_write_mends_the_file(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is read where it is meant; then the error is gone, with no new one and no number less.

    A text after words such as `as in` is an example.
    """
    met: list[Problems] = []
    failure = Problems.failure
    monkeypatch.setattr(Problems, "failure", lambda self: met.append(self) or failure(self))
    before = problems_of(CASES[name].text, name)
    monkeypatch.undo()
    for place, problem in met[-1].found if met else ():
        for text in replacements(problem.hint):
            if EXAMPLE.fullmatch(text):
                continue
            new = FORMATS["yaml"].module.parse(filled(text), "x").root
            root = met[-1].document.root
            left = before.keys() - {(problem.path, problem.reason)}
            data, more = min(
                (
                    (data, new_problems(problems_of(flow(data), name), left))
                    for data in with_new(root, place, new)
                ),
                key=lambda pair: (len(pair[1]), len(numbers(root) - numbers(pair[0]))),
            )
            assert not more, (text, problem.reason)
            is_example = "…" in text or f"write `{text}`" not in problem.hint
            assert is_example or not numbers(root) - numbers(data), (text, problem.reason)


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
