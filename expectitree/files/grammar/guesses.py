"""Errors for texts that people often write first: the messages show what to write instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.files.grammar.document import Data
from expectitree.files.grammar.keys import KINDS, NODE_KEYS, ROOT_KEYS, SCHEMA_KEY
from expectitree.files.grammar.outcomes import are_probabilities, is_probability
from expectitree.files.grammar.trail import Trail
from expectitree.files.grammar.words import (
    KIND_SYNONYMS,
    SYNONYMS,
    flow_text,
    kind_hint,
    nearest_words,
    unknown_key,
)
from expectitree.numbers import quote
from expectitree.tree.model import Kind

_MOST_SEEN = 20  # keys of a mapping that are compared with the known keys, which takes time
_LONGEST = 100  # characters of a key that may be a label
_TAKEN = {*NODE_KEYS, *ROOT_KEYS, *SYNONYMS, *KIND_SYNONYMS}
_WIDE = 60  # characters of the user's text in a message


def unknown_keys(
    item: Sequence[tuple[str, Data]], unknown: Sequence[str], trail: Trail, is_named: bool
) -> Iterator[tuple[str, str]]:
    """Yield the unknown keys of the trail's current child, each with a message."""
    frame, allowed, values = trail.frames[-1], trail.allowed_keys(is_named), dict(item)
    if frame.kind == Kind.CHANCE and any(SYNONYMS.get(key) == "p" for key in unknown):
        frame.branches.setdefault("p", {})[len(frame.ids)] = None  # one error is enough
    is_item = bool(frame.kind) and isinstance(frame.container, list) and not is_named
    if unknown and len(unknown) == len(item) and _are_labels(item, 0.8 if unknown[1:] else 0.6):
        message = bare(item, is_item)
        if is_item and len(item) == 1:
            (label, child), *_ = item
            pair = child[0] if isinstance(child, tuple) else ("utility", child)
            hint = f"a label in a list is written `{flow_text((('label', label), pair), _WIDE)}`"
            message = f"unknown key {quote(label)}: {hint}"
        yield unknown[0], message
        return
    for key in unknown:
        if key in ROOT_KEYS or key == SCHEMA_KEY:
            yield key, f"the key {quote(key)} is for the root alone: move it there"
        else:
            hint = _hint(key, values, allowed)
            yield key, f"unknown key {quote(key)}: {hint}" if hint else unknown_key(key, allowed)


def bare(data: Data, is_item: bool = True) -> str:
    """Return the message for a list or a mapping of nodes that lacks its kind."""
    text = flow_text(data, _WIDE)
    kind = "chance" if isinstance(data, tuple) and are_probabilities(data) else "max"
    braces = "{}" if is_item else ("", "")
    more = "" if kind == "chance" else ", or the same with min or chance"
    return f"found {text} without a kind: write `{braces[0]}{kind}: {text}{braces[1]}`{more}"


def report_pairs(trail: Trail) -> bool:
    """Report children that are pairs in a list, once, and skip them; return whether they are."""
    frame = trail.frames[-1]
    if frame.ids or not frame.kind or not isinstance(frame.container, list):
        return False
    fault = _fault_of_pairs(frame.kind, frame.container)
    if fault:
        trail.report(frame.place(0), fault, own=True)
        frame.items = frame.items[:1]
    return bool(fault)


def _fault_of_pairs(kind: Kind, items: Sequence[Data]) -> str:
    """Return the message for children such as `- a: 1` or `[0.7, 100]`."""
    pairs: list[tuple[str, Data]] = []
    for item in items:
        if isinstance(item, tuple) and len(item) == 1 and item[0][0] not in NODE_KEYS:
            pairs += item
        elif kind == Kind.CHANCE and isinstance(item, list) and len(item) == 2:
            if not isinstance(item[0], str) or not is_probability(item[0]):
                return ""
            pairs.append((item[0], item[1]))
        else:
            return ""
    if len(dict(pairs)) < len(pairs) or not _are_labels(pairs):
        return ""
    found = f"a {kind.name} node has a list of pairs such as {flow_text(items[0], _WIDE)}"
    return f"{found}: write a mapping, `{kind.name.lower()}: {flow_text(tuple(pairs), _WIDE)}`"


def _are_labels(pairs: Sequence[tuple[str, Data]], likeness: float = 0.8) -> bool:
    """Return whether the keys of pairs are probably labels, and not wrong keys."""
    for key, value in pairs[:_MOST_SEEN]:
        word = key.lower()
        is_node = not isinstance(value, str) or value[:1] in "+-.0123456789"
        if (
            not is_node
            or not value
            or not 0 < len(key) <= _LONGEST
            or word in NODE_KEYS
            or word in ROOT_KEYS
        ):
            return False
        if word in SYNONYMS or word in KIND_SYNONYMS or nearest_words(word, NODE_KEYS, likeness):
            return False
    return True


def _hint(key: str, values: dict[str, Data], allowed: list[str]) -> str:
    """Return what to write instead of a key that people use for another; nothing if unknown."""
    value, word = values[key], key.lower()
    text = flow_text(value, _WIDE)
    if word in allowed:
        return f"keys are in small letters: write `{word}: {text}`"
    is_inner = isinstance(value, (list, tuple))
    if is_inner and word in KIND_SYNONYMS:
        return kind_hint(word, "{}: " + text)
    meant = SYNONYMS.get(word, "")
    if meant == "utility" and any(kind in values for kind in KINDS):
        meant = "estimate"
    if meant == "label" and meant not in allowed:
        is_root = "title" in allowed
        return f"write `title: {text}`" if is_root else "the label is the key of the mapping above"
    if not meant or is_inner != (meant == "bounds" or meant == "children"):
        return ""
    if meant == "p" and meant not in allowed:
        return "a p is for the outcomes of CHANCE: take it out"
    if meant in values:
        return f"keep `{meant}: {flow_text(values[meant], _WIDE)}` alone"
    if meant == "children":
        return f"write `max: {text}`, or the same with min or chance"
    return f"write `{meant}: {text}`"
