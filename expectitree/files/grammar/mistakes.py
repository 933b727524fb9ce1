"""Warnings about nodes that are valid, but that people write when they mean something else.

Each function returns a message, which is empty if the node is as people write it on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from expectitree.base.errors import NumberError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import names_in
from expectitree.base.numbers import quote, to_fraction, to_probability
from expectitree.files.grammar.document import Data
from expectitree.files.grammar.keys import NODE_KEYS
from expectitree.files.grammar.outcomes import is_marked, is_probability
from expectitree.files.grammar.words import flow_text, is_number, key_list, text_or_quoted
from expectitree.tree.formulas import REST
from expectitree.tree.model import Kind

_MAX_SHOWN = 4  # outcomes in a message
_MAX_TURNED = 20  # outcomes in a mapping that is shown whole, to be copied
_MAX_SUMMED = 1_000  # labels, whose sum takes time
_MAX_LABEL_LENGTH = 200  # characters of a label that is searched for a number
_MAX_NUMBER_LENGTH = 20  # characters of a number in a label
_LABEL_NUMBER = re.compile(
    r"(?<![A-Za-z0-9./])(?:[pP]r?_?)?(([0-9]+\s?/\s?[0-9]+|[0-9]*[.,]?[0-9]+)\s?%?)(?![\w./%])"
)
_KEYS = frozenset(NODE_KEYS)
THREE_ZEROS = "000"  # hardly a number, but the end of 1,000


def node_warning(
    kind: Kind, names: Sequence[str], children: Data, parameters: Collection[str]
) -> str:
    """Return the warning about a node whose branches have no p.

    `names` are the labels of all its branches; none if a branch has no label. `parameters` are the
    names of the file's parameters.
    """
    if isinstance(children, list) and not names:
        return _zeros_warning(children)
    if kind != Kind.CHANCE:
        return ""
    return _label_warning(names, children, parameters) or _turned_warning(children)


def turned(children: Data) -> str:
    """Return children with utilities and probabilities exchanged, if they were the other way round.

    Return nothing if they probably were not. Utilities of only 0 and 1 are those of a game that is
    won or lost.
    """
    if not isinstance(children, tuple) or not 2 <= len(children) <= _MAX_TURNED:
        return ""
    texts = [text for _, text in children]
    if not all(isinstance(text, str) and is_probability(text) for text in texts):
        return ""
    ps: Any = [to_probability(text, exact=True) for text in texts]
    if sum(ps) != 1 or set(ps) <= {0, 1}:
        return ""
    labels = [text_or_quoted(label) for label, _ in children]
    pairs = [*zip(texts, labels, strict=True)]
    if not all(map(is_number, labels)):
        return f"{{{', '.join(f'{label}: {{p: {p}, utility: …}}' for p, label in pairs)}}}"
    if len(set(texts)) == len(texts):
        return f"{{{', '.join(f'{p}: {utility}' for p, utility in pairs)}}}"
    return f"[{', '.join(f'{{p: {p}, utility: {utility}}}' for p, utility in pairs)}]"


def label_hint(label: str, kind: Kind, children: Sequence[tuple[str, Data]]) -> str:
    """Return the warning about a label that is probably meant as a key."""
    if label not in _KEYS:
        return ""
    child, others = dict(children)[label], [pair for pair in children if pair[0] != label]
    hint = "if it was meant as a key, move it one level up"
    if label == "p" and isinstance(child, str) and kind == Kind.CHANCE and others:
        first = label_with_p(others[0][0], child, (others[0],))
        hint = f"if it was meant as a key, give each outcome its own p, as in {first}"
        if others[0][0] == "utility":
            item = flow_text((("p", child), others[0]))
            hint = f"if these are keys, write a list: `chance: [{item}, …]`"
    return f"{quote(label)} is read as a label here; {hint}"


def label_with_p(label: str, p: str, children: Data, at: int = 0) -> str:
    """Return the outcome `at` with a p, as in a file."""
    child = children[at] if isinstance(children, list) else children[at][1]
    own = child if isinstance(child, tuple) else (("utility", child),)
    own = (("p", p), *[pair for pair in own if pair[0] != "label"][:1])
    if isinstance(children, list):
        return flow_text((("label", label), *own))
    return f"{flow_text(label)}: {flow_text(own)}"


def _turned_warning(children: Data) -> str:
    """Return the warning about `label: probability`."""
    mapping = turned(children)
    if not mapping:
        return ""
    texts = [text for _, text in children]
    shown = ", ".join([*texts[:_MAX_SHOWN], *(["…"] if len(texts) > _MAX_SHOWN else [])])
    found = f"the utilities {shown} of this CHANCE node sum to 1"
    return f"{found}: if they are probabilities, write `chance: {mapping}`"


def _zeros_warning(children: Sequence[Data]) -> str:
    """Return the warning about `[1,000, 2]`: a comma within a number."""
    at = children.index(THREE_ZEROS) if THREE_ZEROS in children else 0
    if not at or not isinstance(children[at - 1], str):
        return ""
    first = children[at - 1]
    found = f"{first},{THREE_ZEROS} is read as two numbers"
    return f"{found}: for one, write {first}{THREE_ZEROS}; for two, write {first}, 0"


def _label_warning(names: Sequence[str], children: Data, parameters: Collection[str]) -> str:
    """Return the warning about labels of equally likely outcomes that seem to be probabilities."""
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
    numbers = [number for name in names[:_MAX_SUMMED] if (number := _only_number(name))]
    if len(numbers) < max(2, len(names)):
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
    found = _LABEL_NUMBER.findall(label) if len(label) <= _MAX_LABEL_LENGTH else []
    if len(found) != 1 or len(found[0][0]) > _MAX_NUMBER_LENGTH:
        return None
    text = found[0][0].replace(" ", "").replace(",", ".")
    try:
        return to_fraction(text.rstrip("%")) / (100 if text[-1] == "%" else 1), text
    except NumberError:
        return None
