"""Warnings about nodes that are valid, but that people write when they mean something else.

Each function returns a message, which is empty if the node is as people write it on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, cast

from expectitree.base.errors import NumberError
from expectitree.base.numbers import Number, quote, to_fraction, to_probability
from expectitree.files.grammar.document import Data
from expectitree.files.grammar.keys import NODE_KEYS
from expectitree.files.grammar.outcomes import (
    are_probabilities,
    is_marked,
    label_numbers,
    label_warning,
    label_with_p,
)
from expectitree.files.grammar.words import (
    SYNONYMS,
    flow_text,
    is_number,
    key_list,
    text_or_quoted,
)
from expectitree.tree.formulas import REST
from expectitree.tree.model import Kind

if TYPE_CHECKING:
    from fractions import Fraction

_MAX_SHOWN = 4  # outcomes in a message
_MAX_TURNED = 20  # outcomes in a mapping that is shown whole, to be copied
_NEARLY = 1e-6  # a distance of sums that are compared exactly afterwards
# Patterns, compiled when they are first used: most files need none.
_PRODUCT = r"([0-9./%]+)\s*\*\s*([^*]+)"
_RANGE = r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)"
_KEYS = frozenset(NODE_KEYS)
_P_WORDS = frozenset(word for word, key in SYNONYMS.items() if key == "p")
_NOT_WHOLE = r"[./%,]|[ -](?:in|of)[ -]|[^\x00-\x7f]"  # in labels with probabilities
_THREE_ZEROS = "000"  # hardly a number, but the end of 1,000


def node_warning(
    kind: Kind, names: Sequence[str], children: Data, parameters: Collection[str]
) -> str:
    """Return the warning about a node whose branches have no p.

    `names` are the labels of all its branches; none if a branch has no label.
    """
    if kind != Kind.CHANCE:
        return _player_warning(kind, names, children)
    if isinstance(children, list) and not names:
        return _list_warning(children) or _product_warning(children)
    return (
        label_warning(names, children, parameters)
        or _turned_warning(children)
        or _product_warning(children)
    )


def turned(children: Data) -> str:
    """Return children with utilities and probabilities exchanged, if they were the other way round.

    Return nothing if they probably were not. Utilities of only 0 and 1 are those of a game that is
    won or lost.
    """
    if not isinstance(children, tuple) or not 2 <= len(children) <= _MAX_TURNED:
        return ""
    labels, texts = [label for label, _ in children], [text for _, text in children]
    if not is_marked("".join(text for text in texts if isinstance(text, str))):
        return ""
    ps: list[Fraction] = []
    for text in texts:
        if (p := _probability(text)) is None:
            return ""
        ps.append(p)
    total: Any = sum(ps)
    if all(p in (0, 1) for p in ps) or 100 * abs(total - 1) > 1:
        return ""
    labels = [text_or_quoted(label) for label in labels]
    if not all(map(is_number, labels)):
        pairs = zip(labels, texts, strict=True)
        items = [f"{label}: {{p: {p}, utility: …}}" for label, p in pairs]
        return f"{{{', '.join(items)}}}" if total == 1 else ""
    if total != 1:
        texts[-1] = REST
    elif len(set(ps)) == 1:
        return f"[{', '.join(labels)}]"
    pairs = zip(texts, labels, strict=True)
    if len(set(texts)) == len(texts):
        return f"{{{', '.join(f'{p}: {utility}' for p, utility in pairs)}}}"
    return f"[{', '.join(f'{{p: {p}, utility: {utility}}}' for p, utility in pairs)}]"


def label_hint(label: str, kind: Kind, children: Sequence[tuple[str, Data]]) -> str:
    """Return the warning about a label that is probably meant as a key."""
    if label not in _KEYS and label.lower() not in _P_WORDS:
        return ""
    child, others = dict(children)[label], [pair for pair in children if pair[0] != label]
    is_p = label == "p" or label not in _KEYS
    if is_p and label != "p" and not _probability(child):
        return ""
    hint = "if it was meant as a key, move it one level up"
    if is_p and isinstance(child, str) and kind == Kind.CHANCE and others:
        first = label_with_p(others[0][0], child, (others[0],))
        hint = f"if it was meant as a key, give each outcome its own p, as in {first}"
        if others[0][0] == "utility":
            item = flow_text((("p", child), others[0]))
            hint = f"if these are keys, write a list: `chance: [{item}, …]`"
    return f"{quote(label)} is read as a label here; {hint}"


def utility_warning(text: str) -> str:
    """Return the warning about a utility such as `(500)` or `10-15`."""
    if text[:1] == "(" and is_number(number := text[1:-1]):
        return f"{text} is read as {number}: write {number}, or -{number} if it is negative"
    ends = re.fullmatch(_RANGE, text)
    if ends is None or to_fraction(ends[1]) >= to_fraction(ends[2]):
        return ""
    low, high = ends.groups()
    hint = f'write {low} - {high}; for a range, write {{utility: "?", bounds: [{low}, {high}]}}'
    return f"{quote(text)} is read as a difference: if that is right, {hint}"


def is_doubtful(kind: Kind, texts: Sequence[Data], numbers: Sequence[Number]) -> bool:
    """Return whether a list of numbers may be a mistake, so that it is not read at once."""
    if kind == Kind.CHANCE and 0 < numbers[0] < 1:
        total: Any = sum(numbers[:-1:2])
        return abs(total - 1) < _NEARLY and bool(_list_warning(texts))
    return _THREE_ZEROS in texts


def _player_warning(kind: Kind, names: Sequence[str], children: Data) -> str:
    """Return the warning about actions that seem to be outcomes."""
    if isinstance(children, list):
        return _zeros_warning(children)
    if not re.search(_NOT_WHOLE, "\n".join(names)):
        return ""
    found = f"the labels {_shown(names)} of this {kind.name} node"
    hint = f"if chance decides here, write chance in place of {kind.name.lower()}"
    if are_probabilities(children):
        total = sum(to_probability(name, exact=True) for name in names if name != REST)
        is_sum = total == 1 or REST in names and total < 1
        return f"{found} are probabilities that sum to 1: {hint}" if is_sum else ""
    numbers = label_numbers(names)
    if len(numbers) < 2 or sum(number for number, _ in numbers) != 1:
        return ""
    first = label_with_p(names[0], numbers[0][1], children)
    return f"{found} contain numbers that sum to 1: {hint}, and a p, as in {first}"


def _turned_warning(children: Data) -> str:
    """Return the warning about `label: probability`."""
    mapping = turned(children)
    if not mapping:
        return ""
    texts = [text for _, text in children]
    found = f"the utilities {_shown(texts, is_quoted=False)} of this CHANCE node sum to"
    total = "1" if f"{REST}:" not in mapping and f": {REST}" not in mapping else "about 1"
    return f"{found} {total}: if they are probabilities, write `chance: {mapping}`"


def _product_warning(children: Data) -> str:
    """Return the warning about utilities that are multiplied by their probabilities."""
    labels = [label for label, _ in children] if isinstance(children, tuple) else []
    items = [child for _, child in children] if labels else children
    texts = [dict(item).get("utility") if isinstance(item, tuple) else item for item in items]
    matches = [re.fullmatch(_PRODUCT, text) for text in texts if isinstance(text, str)]
    products = [(match[1], match[2]) for match in matches if match is not None]
    if len(products) < max(2, len(texts)):
        return ""
    for at in (0, 1):  # the probabilities are the first factors, or the second ones
        numbers = [_probability(factors[at]) for factors in products]
        if sum(p or 0 for p in numbers) == 1 and None not in numbers:
            break
    else:
        return ""
    node = f"{{p: {products[0][at]}, utility: {text_or_quoted(products[0][1 - at])}}}"
    first = f"{text_or_quoted(labels[0])}: {node}" if labels else node
    found = f"factors of the utilities, such as {products[0][at]} of {texts[0]}, sum to 1"
    return f"{found}: if they are probabilities, by which CHANCE multiplies itself, write {first}"


def _list_warning(children: Sequence[Data]) -> str:
    """Return the warning about `[0.7, 100, 0.3, 0]`: probabilities between the utilities."""
    ps = [_probability(text) for text in children[:-1:2]]
    if len(children) % 2 or len(ps) < 2 or None in ps or sum(p for p in ps if p) != 1:
        return _zeros_warning(children)
    if all(p in (0, 1) for p in ps) or not all(isinstance(one, str) for one in children):
        return ""
    pairs = zip(children[::2], children[1::2], strict=True)
    items = ", ".join(f"{{p: {p}, utility: {utility}}}" for p, utility in pairs)
    found = f"every other number of {flow_text(list(children))} is read as a utility, and these"
    return f"{found} sum to 1: if they are probabilities, write `chance: [{items}]`"


def _zeros_warning(children: Sequence[Data]) -> str:
    """Return the warning about `[1,000, 2]`: a comma within a number."""
    at = children.index(_THREE_ZEROS) if _THREE_ZEROS in children else 0
    if not at or not isinstance(children[at - 1], str):
        return ""
    first = children[at - 1]
    found = f"{first},{_THREE_ZEROS} is read as two numbers"
    return f"{found}: for one, write {first}{_THREE_ZEROS}; for two, write {first}, 0"


def _probability(text: Data) -> Fraction | None:
    """Return the probability that a text is, None if it is none."""
    try:
        found = to_probability(text, exact=True) if isinstance(text, str) else None
    except NumberError:
        return None
    return cast("Fraction | None", found)


def _shown(texts: Sequence[str], is_quoted: bool = True) -> str:
    """Return the first of some texts as a list for a message."""
    shown = [*texts[:_MAX_SHOWN], *(["…"] if len(texts) > _MAX_SHOWN else [])]
    return key_list(shown) if is_quoted and "…" not in shown else ", ".join(shown)
