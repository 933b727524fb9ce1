"""Probabilities of outcomes that are keys of a mapping, and `rest`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from expectitree.base.errors import NumberError, TreeError
from expectitree.base.numbers import Number, message_text, to_probability
from expectitree.base.rounding import sum_of
from expectitree.files.grammar.document import Data
from expectitree.files.grammar.words import flow_text
from expectitree.tree.builder import SUM_HINT
from expectitree.tree.formulas import REST

_NUMBER = re.compile(r"[0-9.+-][0-9.eE/%+-]*")  # roughly, to reject most labels quickly
_MAX_SHOWN = 4  # outcomes in a message


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
