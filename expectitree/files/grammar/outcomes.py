"""Probabilities of outcomes that are keys of a mapping, `rest`, or parts of labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from expectitree.base.errors import NumberError, TreeError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import names_in
from expectitree.base.numbers import Number, message_text, quote, to_fraction, to_probability
from expectitree.base.rounding import sum_of
from expectitree.files.grammar.document import Data
from expectitree.files.grammar.words import flow_text, is_number, key_list
from expectitree.tree.builder import SUM_HINT
from expectitree.tree.formulas import REST

if TYPE_CHECKING:
    from fractions import Fraction

_NUMBER = re.compile(r"[0-9.+-][0-9.eE/%+-]*")  # roughly, to reject most labels quickly
_QUOTIENT = r"[0-9]+(?:\s?/\s?|[ -](?:in|out of)[ -])[0-9]+"  # such as 1/6 and `1 in 6`
_LABEL_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9./])(?:[pP]r?_?)?(({_QUOTIENT}|[0-9]*[.,]?[0-9]+)\s?%?)(?![\w./%])"
)
_MAX_SHOWN = 4  # outcomes, or labels, in a message
_MAX_SUMMED = 1_000  # labels, whose sum takes time
_MAX_LABEL_LENGTH = 200  # characters of a label that is searched for a number
_MAX_LENGTH = 20  # characters of a number in a label


def is_probability(key: str) -> bool:
    """Return whether a key is a valid `p`: a number from 0 to 1."""
    if not _NUMBER.fullmatch(key):
        return False
    try:
        to_probability(key, exact=True)
    except NumberError:
        return False
    return True


def is_marked(key: str) -> bool:
    """Return whether a key, or several joined, has a sign that labels seldom have."""
    return "." in key or "/" in key or "%" in key


def are_probabilities(children: Sequence[tuple[str, Data]]) -> bool:
    """Return whether the keys of a chance node's children are probabilities, and not labels.

    Each is a probability or `rest`. At least one has a decimal point, `/` or `%`: 0 and 1 alone
    are labels.
    """
    keys = [key for key, _ in children if key != REST]
    return is_marked("".join(keys)) and all(map(is_probability, keys))


def with_rest(written: Mapping[int, Any], texts: Mapping[int, str]) -> list[Number]:
    """Return the probabilities, with a number in place of each `rest`.

    Several `rest` share equally what the others leave of 1. That is computed exactly, from the
    texts of the others: 0.7 leaves 0.3.
    """
    total = sum_of([to_probability(text, exact=True) for text in texts.values()])
    if total > 1:
        found = f"the probabilities sum to {message_text(total)} without the rest"
        raise TreeError(f"{found}, expected at most 1: {SUM_HINT}")
    share = (1 - total) / (len(written) - len(texts))
    return [share if value is REST else value for value in written.values()]


def list_form(children: Sequence[tuple[str, Data]], key_is: str) -> str:
    """Return how a mapping from probabilities to nodes is written as a list."""
    items = []
    for key, child in children[:_MAX_SHOWN]:
        first = child[0] if isinstance(child, tuple) and child else ("utility", child)
        items.append(flow_text(((key_is, key), first)))
    more = ", …" if len(children) > _MAX_SHOWN else ""
    return f"[{', '.join(items)}{more}]"


def pair_hint(texts: Sequence[str]) -> str:
    """Return how a probability and a utility are written, if two texts are that, in any order."""
    if len(texts) != 2:
        return ""
    ps = [is_marked(text) and is_probability(text) for text in texts]
    if sum(ps) != 1 or not is_number(utility := texts[ps.index(False)]):
        return ""
    return f"write {{p: {texts[ps.index(True)]}, utility: {utility}}}"


def with_ps(item: Data, ps: Sequence[Data]) -> str:
    """Return how the children of a chance node are written with their probabilities, to go on."""
    children = dict(item).get("chance")
    if not isinstance(children, (list, tuple)) or len(children) != len(ps):
        return ""
    items = [child for _, child in children] if isinstance(children, tuple) else children
    if not all(isinstance(one, str) for one in (*items, *ps)):
        return ""
    pairs = [(("p", p), ("utility", utility)) for p, utility in zip(ps, items, strict=True)]
    if isinstance(children, tuple):
        labels = [label for label, _ in children]
        return f", `chance: {flow_text(tuple(zip(labels, pairs, strict=True)), 200)}`"
    return f", `chance: {flow_text(pairs, 200)}`"


def label_warning(names: Sequence[str], children: Data, parameters: Collection[str]) -> str:
    """Return the warning about labels of equally likely outcomes that seem to be probabilities.

    `parameters` are the names of the file's parameters.
    """
    if isinstance(children, tuple):
        marked = next((name for name in names if is_marked(name) and is_probability(name)), "")
        other = next((name for name in names if not any(map(str.isdigit, name))), "")
        if marked and other:
            found = f"{quote(marked)} is read as a label, because {quote(other)} is one"
            hint = f"write {{{marked}: …, rest: …}}, or give each a p"
            return f"{found}: these outcomes are equally likely; if that is wrong, {hint}"
        others = [name for name in names if name.lower() != REST]
        rest = [name for name in names if name.lower() == REST]
        rest = rest if others and all(map(_only_number, others)) else []
        if rest or _are_formulas(others, parameters):
            meant = rest or others[:_MAX_SHOWN]
            are = "is read as a label" if len(meant) == 1 else "are read as labels"
            found = f"{key_list(meant)} {are}"
            at, p = names.index(meant[0]), REST if rest else meant[0]
            hint = f"give each a p, as in {label_with_p(meant[0], p, children, at)}"
            return f"{found}: these outcomes are equally likely; if that is wrong, {hint}"
    numbers = label_numbers(names)
    if len(numbers) < 2:
        return ""
    total = sum(value for value, _ in numbers)
    is_whole = all(value.denominator == 1 for value, _ in numbers)
    if total != (100 if is_whole else 1):
        return ""
    shown = ", ".join(map(quote, names[:_MAX_SHOWN])) + (", …" if names[_MAX_SHOWN:] else "")
    found = f"the labels {shown} contain numbers that sum to {total}"
    p = numbers[0][1] + ("%" if is_whole else "")
    hint = f"write a p, as in {label_with_p(names[0], p, children)}"
    return f"{found}, but these outcomes are equally likely; if that is wrong, {hint}"


def label_numbers(names: Sequence[str]) -> list[tuple[Fraction, str]]:
    """Return the only number in each label, with its text; nothing if a label has none."""
    numbers = []
    for name in names if len(names) <= _MAX_SUMMED else ():
        number = _only_number(name)
        if number is None:
            return []
        numbers.append(number)
    return numbers


def _are_formulas(labels: Sequence[str], parameters: Collection[str]) -> bool:
    """Return whether labels are formulas, and one of them uses a parameter."""
    try:
        formulas = [parse(label, parameters) for label in labels] if parameters else []
    except NumberError:
        return False
    return any(map(names_in, formulas))


@lru_cache(maxsize=1_000)
def _only_number(label: str) -> tuple[Fraction, str] | None:
    """Return the only number in a label, and its text; None if there is none, or another."""
    if len(label) > _MAX_LABEL_LENGTH:
        return None
    if not label.isascii():
        label = normalize("NFKC", label).replace("\N{FRACTION SLASH}", "/")  # ½ becomes 1/2
    found = _LABEL_NUMBER.findall(label)
    if len(found) != 1 or len(found[0][0]) > _MAX_LENGTH:
        return None
    text = re.sub(r"[ -]*(?:in|out of)[ -]*", "/", found[0][0])
    text = text.replace(" ", "").replace(",", ".")
    try:
        return to_fraction(text.rstrip("%")) / (100 if text[-1] == "%" else 1), text
    except NumberError:
        return None


def label_with_p(label: str, p: str, children: Data, at: int = 0) -> str:
    """Return the outcome `at` with a p, as in a file."""
    child = children[at] if isinstance(children, list) else children[at][1]
    own = child if isinstance(child, tuple) else (("utility", child),)
    own = (("p", p), *[pair for pair in own if pair[0] != "label"][:1])
    if isinstance(children, list):
        return flow_text((("label", label), *own))
    return f"{flow_text(label)}: {flow_text(own)}"
