"""Warnings about nodes that are valid, but were probably meant otherwise.

They are rows of a table: a function returns the facts of its message, or None if the node is
probably meant as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias
from unicodedata import normalize

from expectitree.base.errors import NumberError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import names_in
from expectitree.base.numbers import Number, quote
from expectitree.base.reading import to_fraction, to_probability
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Kind
from expectitree.files.grammar.document import Data, Pairs
from expectitree.files.grammar.keys import NODE_KEYS
from expectitree.files.grammar.values import are_probabilities, is_marked, is_probability
from expectitree.files.grammar.words import (
    MAX_SHOWN,
    SYNONYMS,
    flow_text,
    is_number,
    key_list,
    node_pairs,
    text_or_quoted,
)

_MAX_TURNED = 20  # outcomes in a mapping that is shown whole, to be copied
_MAX_SUMMED = 1_000  # labels, whose sum takes time
_MAX_LABEL_LENGTH = 200  # characters of a label that is searched for a number
_MAX_NUMBER_LENGTH = 20  # characters of a number in a label
_QUOTIENT = r"[0-9]+(?:\s?/\s?|[ -](?:in|out of)[ -])[0-9]+"  # such as 1/6 and `1 in 6`
_LABEL_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9./])(?:[pP]r?_?)?(({_QUOTIENT}|[0-9]*[.,]?[0-9]+)\s?%?)(?![\w./%])"
)
_NOT_WHOLE = r"[./%,]|[ -](?:in|of)[ -]|[^\x00-\x7f]"  # in labels with probabilities
_NOT_SIMPLE = rf"{_NOT_WHOLE}|#"  # in labels of actions
NEARLY = 1e-6  # a distance of sums that are compared exactly afterwards
_THREE_ZEROS = "000"  # hardly a number, but the end of 1,000

Facts: TypeAlias = Mapping[str, object] | None


class Written(NamedTuple):
    """A node whose branches have no p, as it is written."""

    kind: Kind
    names: Sequence[str]  # the labels of all branches; none if a branch has no label
    children: Data
    parameters: Collection[str]  # the names of the file's parameters


def _products(node: Written) -> Facts:
    """Find `{win: 0.3*10, lose: 0.7*20}`: each p is in the utility."""
    items = node.children[:_MAX_SUMMED]
    if isinstance(items, tuple):
        items = [text for _, text in items]
    are_products = all(isinstance(text, str) and "*" in text for text in items)
    if node.kind != Kind.CHANCE or not are_products:
        return None
    pairs = [[part.strip() for part in text.split("*", 1)] for text in items]
    ps = [p for p, _ in pairs]
    if len(ps) < 2 or not sum_to_1(ps):
        return None
    meant: Data = [(("p", p), ("utility", u)) for p, u in pairs]
    if isinstance(node.children, tuple):
        meant = tuple(
            (label, child) for (label, _), child in zip(node.children, meant, strict=False)
        )
    return {"ps": _shown(ps), "form": flow_text(meant)}


def _pairs(node: Written) -> Facts:
    """Find `[0.7, 100, 0.3, 0]`."""
    children, ps = node.children, _probabilities(node.children[:-1:2])
    if node.kind != Kind.CHANCE or len(children) % 2 or len(ps) < 2 or sum(ps) != 1:
        return None
    if {*ps} <= {0, 1} or not all(isinstance(text, str) for text in children):
        return None
    pairs = zip(children[::2], children[1::2], strict=True)
    items = ", ".join(f"{{p: {p}, utility: {utility}}}" for p, utility in pairs)
    return {"texts": flow_text(children), "items": items}


def _zeros(node: Written) -> Facts:
    """Find `[1,000, 2]`: a comma within a number."""
    place = node.children.index(_THREE_ZEROS) if _THREE_ZEROS in node.children else 0
    if place and isinstance(node.children[place - 1], str):
        return {"first": node.children[place - 1]}
    return None


def _shares_of_player(node: Written) -> Facts:
    """Find actions that are probabilities."""
    names = node.names
    if not are_probabilities(node.children):
        return None
    total = sum(_probabilities([name for name in names if name != REST]))
    if total == 1 or (REST in names and total < 1):
        return {"names": _shown(names)}
    return None


def _numbers_of_player(node: Written) -> Facts:
    """Find actions such as `win 70%`, whose numbers sum to 1."""
    numbers = _label_numbers(node.names)
    if (
        not re.search(_NOT_WHOLE, "\n".join(node.names))
        or sum(number for number, _ in numbers) != 1
    ):
        return None
    first = label_with_p(node.names[0], numbers[0][1], node.children)
    return {"names": _shown(node.names), "first": first}


def _number_beside_word(node: Written) -> Facts:
    """Find `{0.7: 5, lose: 1}`: because of one label, all are labels."""
    marked = next((name for name in node.names if is_marked(name) and is_probability(name)), "")
    other = next((name for name in node.names if not any(map(str.isdigit, name))), "")
    if marked and other and isinstance(node.children, tuple):
        return {"marked": quote(marked), "other": quote(other), "p": marked}
    return None


def _labels_as_p(node: Written) -> Facts:
    """Find `{30: 5, rest: 1}` and `{pr: 5, 1 - pr: 1}`."""
    names, parameters = node.names, node.parameters
    if not isinstance(node.children, tuple):
        return None
    if not parameters:  # `p` may be one that is not defined yet, next to `1-p`
        parameters = {name[1:].strip(" -") for name in names if name[:1] == "1"} & {*names}
    meant = [name for name in names if name.lower() == REST]
    others = [name for name in names if name.lower() != REST]
    p = REST
    if not meant or not others or not all(map(_only_number, others)):
        if not _are_formulas(others, parameters):
            return None
        meant, p = others[:MAX_SHOWN], others[0]
    are = "are read as labels" if len(meant) > 1 else "is read as a label"
    first = label_with_p(meant[0], p, node.children, names.index(meant[0]))
    return {"names": key_list(meant), "are": are, "first": first}


def _numbers_in_labels(node: Written) -> Facts:
    """Find `{win 0.6: 5, lose 0.4: 1}` and `{70: 5, 30: 1}`."""
    numbers = _label_numbers(node.names)
    whole, sign = 1, ""
    if all(value.denominator == 1 for value, _ in numbers):
        whole, sign = 100, "%"
    if sum(number for number, _ in numbers) != whole:
        return None
    p = numbers[0][1] + sign
    first = label_with_p(node.names[0], p, node.children)
    if isinstance(node.children, tuple) and all(map(is_number, node.names)):
        first = f"{p}: {flow_text(node.children[0][1])}"
    return {"names": _shown(node.names), "whole": whole, "first": first}


def _turned(node: Written) -> Facts:
    """Find `{good: 0.4, bad: 0.6}`: utilities that are probabilities."""
    mapping = turned(node.children)
    if not mapping:
        return None
    texts = [text for _, text in node.children]
    about = "" if sum_to_1(texts) else "about "
    return {"texts": _shown(texts), "about": about, "mapping": mapping}


_PLAYER = "the labels {names} of this {kind} node"
_WRITE_CHANCE = "\nif chance decides here, write chance in place of {word}"
_EQUAL = "these outcomes are equally likely\nif that is wrong"
_IF_P = "\nif they are probabilities, write `chance: "
_PRODUCTS = _products, f"the factors {{ps}} of equally likely utilities sum to 1{_IF_P}{{form}}`"
# By the form of a node: functions that find what it is probably meant as, and messages.
DOUBTS: dict[str, Sequence[tuple[Callable[[Written], Facts], str]]] = {
    "list": (
        _PRODUCTS,
        (
            _pairs,
            "every other number of {texts} is read as a utility, and these sum to 1"
            f"{_IF_P}[{{items}}]`",
        ),
        (
            _zeros,
            "{first},000 is read as two numbers\nfor one, write `{first}000`; for two, write "
            "`{first}, 0`",
        ),
    ),
    "actions": (
        (_shares_of_player, f"{_PLAYER} are probabilities that sum to 1{_WRITE_CHANCE}"),
        (
            _numbers_of_player,
            f"{_PLAYER} contain numbers that sum to 1{_WRITE_CHANCE}, and a p, as in `{{first}}`",
        ),
    ),
    "outcomes": (
        _PRODUCTS,
        (
            _number_beside_word,
            "{marked} is read as a label, because {other} is one: "
            f"{_EQUAL}, write `chance: {{{{{{p}}: …, rest: …}}}}`, or give each a p",
        ),
        (_labels_as_p, f"{{names}} {{are}}: {_EQUAL}, give each a p, as in `{{first}}`"),
        (
            _numbers_in_labels,
            f"the labels {{names}} contain numbers that sum to {{whole}}: {_EQUAL}, write a p, "
            "as in `{first}`",
        ),
        (
            _turned,
            f"the utilities {{texts}} of this CHANCE node sum to {{about}}1{_IF_P}{{mapping}}`",
        ),
    ),
}


def node_warning(node: Written) -> str:
    """Return the warning about a node whose branches have no p; nothing if there is none."""
    form, name = "actions", node.kind.name
    if isinstance(node.children, list) and (node.kind != Kind.CHANCE or not node.names):
        form = "list"
    elif node.kind == Kind.CHANCE:
        form = "outcomes"
    for find, message in DOUBTS[form]:
        if facts := find(node):
            return message.format(kind=name, word=name.lower(), **facts)
    return ""


def turned(children: Data) -> str:
    """Return children with utilities and probabilities exchanged, if they were the other way round.

    Return nothing if they probably were not. Utilities of only 0 and 1 are those of a game that is
    won or lost.
    """
    if not isinstance(children, tuple) or not 2 <= len(children) <= _MAX_TURNED:
        return ""
    texts = [text for _, text in children]
    ps = _probabilities(texts)
    if 100 * abs(sum(ps) - 1) > 1 or {*ps} <= {0, 1}:
        return ""
    labels = [text_or_quoted(label) for label, _ in children]
    if not all(map(is_number, labels)):
        outcomes = zip(labels, texts, strict=True)
        items = ", ".join(f"{label}: {{p: {p}, utility: …}}" for label, p in outcomes)
        if sum(ps) == 1:
            return f"{{{items}}}"
        return ""
    if sum(ps) != 1:
        texts[-1] = REST
    pairs = [*zip(texts, labels, strict=True)]
    if len(set(texts)) == len(texts):
        return f"{{{', '.join(f'{p}: {utility}' for p, utility in pairs)}}}"
    return f"[{', '.join(f'{{p: {p}, utility: {utility}}}' for p, utility in pairs)}]"


# Words, in small letters, that `label_hint` may warn of.
MAY_BE_KEYS = {*NODE_KEYS, *(word for word, key in SYNONYMS.items() if key == "p")}


def label_hint(label: str, kind: Kind, children: Pairs) -> str:
    """Return the warning about a label that is probably meant as a key."""
    is_p = label == "p" or label not in NODE_KEYS
    if label not in NODE_KEYS and SYNONYMS.get(label.lower()) != "p":
        return ""
    child, others = dict(children)[label], [pair for pair in children if pair[0] != label]
    if is_p and isinstance(child, str) and not sum(_probabilities([child])):
        return ""
    hint = "if it was meant as a key, move it one level up"
    if is_p and isinstance(child, str) and kind == Kind.CHANCE and others:
        first = label_with_p(others[0][0], child, (others[0],))
        hint = f"if it was meant as a key, give each outcome its own p, as in `{first}`"
        if others[0][0] == "utility":
            item = flow_text((("p", child), others[0]))
            hint = f"if these are keys, write a list: `chance: [{item}, …]`"
    return f"{quote(label)} is read as a label here\n{hint}"


def label_with_p(label: str, p: str, children: Data, index: int = 0) -> str:
    """Return the outcome `at` with a p, as in a file."""
    is_list = isinstance(children, list)
    node = node_pairs(children[index] if is_list else children[index][1])
    shown = (("p", p), *[pair for pair in node if pair[0] != "label"][:1])
    if is_list:
        return flow_text((("label", label), *shown))
    return f"{flow_text(label)}: {flow_text(shown)}"


def is_doubtful(kind: Kind, texts: Sequence[Data], numbers: Sequence[Number]) -> bool:
    """Return whether a list of numbers may be a mistake, so that it is not read at once."""
    if kind == Kind.CHANCE and 0 < numbers[0] < 1:
        total: Any = sum(numbers[:-1:2])
        return abs(total - 1) < NEARLY and bool(node_warning(Written(kind, (), texts, ())))
    return _THREE_ZEROS in texts


def are_simple(labels: Sequence[str]) -> bool:
    """Return whether the labels of a player's actions are certainly right."""
    are_distinct = all(labels) and len({*labels}) == len(labels)
    is_simple = not re.search(_NOT_SIMPLE, "\n".join(labels))
    return are_distinct and is_simple and MAY_BE_KEYS.isdisjoint(map(str.lower, labels))


def _label_numbers(names: Sequence[str]) -> list[tuple[Fraction, str]]:
    """Return the only number in each label, with its text; nothing if a label has none."""
    numbers = [number for name in names[:_MAX_SUMMED] if (number := _only_number(name))]
    if len(numbers) < max(2, len(names)):
        return []
    return numbers


def _are_formulas(labels: Sequence[str], parameters: Collection[str]) -> bool:
    """Return whether labels are formulas, and one of them uses a parameter."""
    formulas = []
    try:
        if parameters:
            formulas = [parse(label, parameters) for label in labels]
    except NumberError:
        return False
    return any(map(names_in, formulas))


@lru_cache(maxsize=1_000)
def _only_number(label: str) -> tuple[Fraction, str] | None:
    """Return the only number in a label, and its text; None if there is none, or another."""
    if not label.isascii():
        label = normalize("NFKC", label).replace("\N{FRACTION SLASH}", "/")  # ½ becomes 1/2
    if len(label) > _MAX_LABEL_LENGTH:
        return None
    matches = _LABEL_NUMBER.findall(label)
    if len(matches) != 1 or len(matches[0][0]) > _MAX_NUMBER_LENGTH:
        return None
    text = re.sub(r"[ -]*(?:in|out of)[ -]*", "/", matches[0][0])
    text = text.replace(" ", "").replace(",", ".")
    number = text.rstrip("%")
    whole = 1 if number == text else 100
    try:
        return to_fraction(number) / whole, text
    except NumberError:
        return None


def sum_to_1(texts: Sequence[Data]) -> bool:
    """Return whether texts are probabilities that sum to 1."""
    return bool(sum(_probabilities(texts)) == 1)


def _probabilities(texts: Sequence[Data]) -> list[Any]:
    """Return the probabilities that texts are, as fractions; none if one of them is none."""
    if all(isinstance(text, str) and is_probability(text) for text in texts):
        return [to_probability(text, exact=True) for text in texts]
    return []


def _shown(texts: Sequence[str]) -> str:
    """Return the first of some texts as a list for a message."""
    if len(texts) <= MAX_SHOWN:
        return key_list(texts)
    return ", ".join([*texts[:MAX_SHOWN], "…"])
