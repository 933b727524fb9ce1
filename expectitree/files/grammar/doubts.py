"""Warnings about nodes that are valid, but were probably meant otherwise.

A function returns a message, which is empty if the text is probably meant as it is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from expectitree.base.errors import NumberError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import names_in
from expectitree.base.numbers import Number, quote
from expectitree.base.reading import to_fraction, to_probability
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Kind
from expectitree.files.grammar import words
from expectitree.files.grammar.document import Data, Pairs
from expectitree.files.grammar.keys import NODE_KEYS
from expectitree.files.grammar.values import (
    are_probabilities,
    is_marked,
    is_probability,
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
_EQUAL = "these outcomes are equally likely\nif that is wrong"
NEARLY = 1e-6  # a distance of sums that are compared exactly afterwards
_THREE_ZEROS = "000"  # hardly a number, but the end of 1,000


def node_warning(
    kind: Kind, names: Sequence[str], children: Data, parameters: Collection[str]
) -> str:
    """Return the warning about a node whose branches have no p.

    `names` are the labels of all its branches; none if a branch has no label. `parameters` are the
    names of the file's parameters.
    """
    if kind == Kind.CHANCE and (warning := _product_warning(children)):
        return warning
    if isinstance(children, list) and (kind != Kind.CHANCE or not names):
        return _list_warning(kind, children)
    if kind != Kind.CHANCE:
        return _player_warning(kind, names, children)
    return _label_warning(names, children, parameters) or _turned_warning(children)


def turned(children: Data) -> str:
    """Return children with utilities and probabilities exchanged, if they were the other way round.

    Return nothing if they probably were not. Utilities of only 0 and 1 are those of a game that is
    won or lost.
    """
    if not isinstance(children, tuple) or not 2 <= len(children) <= _MAX_TURNED:
        return ""
    texts = [text for _, text in children]
    if None in map(_probability, texts):  # stops at the first, which saves time
        return ""
    ps = [*map(_probability, texts)]
    if 100 * abs(sum(ps) - 1) > 1 or set(ps) <= {0, 1}:
        return ""
    labels = [words.text_or_quoted(label) for label, _ in children]
    if not all(map(words.is_number, labels)):
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
MAY_BE_KEYS = {*NODE_KEYS, *(word for word, key in words.SYNONYMS.items() if key == "p")}


def label_hint(label: str, kind: Kind, children: Pairs) -> str:
    """Return the warning about a label that is probably meant as a key."""
    is_p = label == "p" or label not in NODE_KEYS
    if label not in NODE_KEYS and words.SYNONYMS.get(label.lower()) != "p":
        return ""
    child, others = dict(children)[label], [pair for pair in children if pair[0] != label]
    if is_p and isinstance(child, str) and not _probability(child):
        return ""
    hint = "if it was meant as a key, move it one level up"
    if is_p and isinstance(child, str) and kind == Kind.CHANCE and others:
        first = label_with_p(others[0][0], child, (others[0],))
        hint = f"if it was meant as a key, give each outcome its own p, as in `{first}`"
        if others[0][0] == "utility":
            item = words.flow_text((("p", child), others[0]))
            hint = f"if these are keys, write a list: `chance: [{item}, …]`"
    return f"{quote(label)} is read as a label here\n{hint}"


def label_with_p(label: str, p: str, children: Data, at: int = 0) -> str:
    """Return the outcome `at` with a p, as in a file."""
    is_list = isinstance(children, list)
    node = words.node_pairs(children[at] if is_list else children[at][1])
    shown = (("p", p), *[pair for pair in node if pair[0] != "label"][:1])
    if is_list:
        return words.flow_text((("label", label), *shown))
    return f"{words.flow_text(label)}: {words.flow_text(shown)}"


def _turned_warning(children: Data) -> str:
    """Return the warning about `label: probability`."""
    mapping = turned(children)
    if not mapping:
        return ""
    texts = [text for _, text in children]
    total = "1"
    if sum(map(_probability, texts)) != 1:
        total = "about 1"
    return (
        f"the utilities {_shown(texts)} of this CHANCE node sum to {total}\nif they are "
        f"probabilities, write `chance: {mapping}`"
    )


def is_doubtful(kind: Kind, texts: Sequence[Data], numbers: Sequence[Number]) -> bool:
    """Return whether a list of numbers may be a mistake, so that it is not read at once."""
    if kind == Kind.CHANCE and 0 < numbers[0] < 1:
        total: Any = sum(numbers[:-1:2])
        return abs(total - 1) < NEARLY and bool(_list_warning(kind, texts))
    return _THREE_ZEROS in texts


def are_simple(labels: Sequence[str]) -> bool:
    """Return whether the labels of a player's actions are certainly right."""
    are_distinct = all(labels) and len({*labels}) == len(labels)
    is_simple = not re.search(_NOT_SIMPLE, "\n".join(labels))
    return are_distinct and is_simple and MAY_BE_KEYS.isdisjoint(map(str.lower, labels))


def _player_warning(kind: Kind, names: Sequence[str], children: Pairs) -> str:
    """Return the warning about actions that seem to be outcomes."""
    if not re.search(_NOT_WHOLE, "\n".join(names)):
        return ""
    found = f"the labels {_shown(names)} of this {kind.name} node"
    hint = f"if chance decides here, write chance in place of {kind.name.lower()}"
    if are_probabilities(children):
        total = sum(_probability(name) for name in names if name != REST)
        if total == 1 or (REST in names and total < 1):
            return f"{found} are probabilities that sum to 1\n{hint}"
        return ""
    numbers = _label_numbers(names)
    if len(numbers) < 2 or sum(number for number, _ in numbers) != 1:
        return ""
    first = label_with_p(names[0], numbers[0][1], children)
    return f"{found} contain numbers that sum to 1\n{hint}, and a p, as in `{first}`"


def _list_warning(kind: Kind, children: Sequence[Data]) -> str:
    """Return the warning about `[0.7, 100, 0.3, 0]`, or about `[1,000, 2]`."""
    ps = [_probability(text) for text in children[:-1:2]]
    if kind != Kind.CHANCE or len(children) % 2 or len(ps) < 2 or None in ps or sum(ps) != 1:
        return _zeros_warning(children)
    if set(ps) <= {0, 1} or not all(isinstance(text, str) for text in children):
        return ""
    pairs = zip(children[::2], children[1::2], strict=True)
    items = ", ".join(f"{{p: {p}, utility: {utility}}}" for p, utility in pairs)
    return (
        f"every other number of {words.flow_text(children)} is read as a utility, and these "
        f"sum to 1\nif they are probabilities, write `chance: [{items}]`"
    )


def _product_warning(children: Data) -> str:
    """Return the warning about `{win: 0.3*10, lose: 0.7*20}`: each p is in the utility."""
    items = children[:_MAX_SUMMED]
    if isinstance(children, tuple):
        items = [text for _, text in items]
    if len(items) < 2 or not all(isinstance(text, str) and "*" in text for text in items):
        return ""
    pairs = [(p.strip(), u.strip()) for p, _, u in (text.partition("*") for text in items)]
    ps = [_probability(p) for p, _ in pairs]
    if None in ps or sum(ps) != 1:
        return ""
    meant: Data = [(("p", p), ("utility", u)) for p, u in pairs]
    if isinstance(children, tuple):
        meant = tuple((label, node) for (label, _), node in zip(children, meant, strict=False))
    found = f"the factors {_shown([p for p, _ in pairs])} of equally likely utilities sum to 1"
    form = words.flow_text(meant)
    return f"{found}\nif they are probabilities, write `chance: {form}`"


def _zeros_warning(children: Sequence[Data]) -> str:
    """Return the warning about `[1,000, 2]`: a comma within a number."""
    at = children.index(_THREE_ZEROS) if _THREE_ZEROS in children else 0
    if not at or not isinstance(children[at - 1], str):
        return ""
    first = children[at - 1]
    return (
        f"{first},{_THREE_ZEROS} is read as two numbers\nfor one, write "
        f"`{first}{_THREE_ZEROS}`; for two, write `{first}, 0`"
    )


def _label_warning(names: Sequence[str], children: Data, parameters: Collection[str]) -> str:
    """Return the warning about labels of equally likely outcomes that seem to be probabilities."""
    if isinstance(children, tuple):
        marked = next((name for name in names if is_marked(name) and is_probability(name)), "")
        other = next((name for name in names if not any(map(str.isdigit, name))), "")
        if marked and other:
            return (
                f"{quote(marked)} is read as a label, because {quote(other)} is one: "
                f"{_EQUAL}, write `chance: {{{marked}: …, rest: …}}`, or give each a p"
            )
        if not parameters:  # `p` may be one that is not defined yet, next to `1-p`
            parameters = {name[1:].strip(" -") for name in names if name[:1] == "1"} & {*names}
        others = [name for name in names if name.lower() != REST]
        rest = [name for name in names if name.lower() == REST]
        if rest and others and all(map(_only_number, others)):
            return _read_as_labels(rest, REST, names, children)
        if _are_formulas(others, parameters):
            return _read_as_labels(others[: words.MAX_SHOWN], others[0], names, children)
    numbers = _label_numbers(names)
    if len(numbers) < 2:
        return ""
    whole, sign = 1, ""
    if all(value.denominator == 1 for value, _ in numbers):
        whole, sign = 100, "%"
    if sum(value for value, _ in numbers) != whole:
        return ""
    return (
        f"the labels {_shown(names)} contain numbers that sum to {whole}: {_EQUAL}, write a "
        f"p, as in `{label_with_p(names[0], numbers[0][1] + sign, children)}`"
    )


def _read_as_labels(meant: Sequence[str], p: str, names: Sequence[str], children: Pairs) -> str:
    """Return the warning about labels that are meant as probabilities; `p` is that of the first."""
    are = "are read as labels" if len(meant) > 1 else "is read as a label"
    outcome = label_with_p(meant[0], p, children, names.index(meant[0]))
    return f"{words.key_list(meant)} {are}: {_EQUAL}, give each a p, as in `{outcome}`"


def _label_numbers(names: Sequence[str]) -> list[tuple[Fraction, str]]:
    """Return the only number in each label, with its text; nothing if a label has none."""
    numbers = [number for name in names[:_MAX_SUMMED] if (number := _only_number(name))]
    if len(numbers) < len(names):
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


def _probability(text: Data) -> Any:
    """Return the probability that a text is, as a fraction; None if it is none."""
    if isinstance(text, str) and is_probability(text):
        return to_probability(text, exact=True)
    return None


def _shown(texts: Sequence[str]) -> str:
    """Return the first of some texts as a list for a message."""
    if len(texts) <= words.MAX_SHOWN:
        return words.key_list(texts)
    return ", ".join([*texts[: words.MAX_SHOWN], "…"])
