"""Errors for texts that people often write first: the messages show what to write instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.base.names import nearest
from expectitree.base.numbers import quote
from expectitree.files.grammar.document import Data
from expectitree.files.grammar.keys import KINDS, NODE_KEYS, ROOT_KEYS, SCHEMA_KEY
from expectitree.files.grammar.mistakes import turned
from expectitree.files.grammar.outcomes import are_probabilities, is_probability, list_form
from expectitree.files.grammar.trail import Trail
from expectitree.files.grammar.words import (
    KIND_SYNONYMS,
    SYNONYMS,
    flow_text,
    is_number,
    key_list,
    kind_hint,
    unknown_key,
    whole_number,
)
from expectitree.tree.model import Kind

_MAX_SEEN = 20  # keys of a mapping that are compared with the known keys, which takes time
_MAX_LENGTH = 100  # characters of a key that may be a label
_MAX_LABELS = 4  # in a message
_LIST = ": expected one of "  # before the list of all keys, which one message of a file has
_WRAPPERS = ("root", "tree", "game", "start", "top")  # keys that hold the whole tree
_BESIDE_LABELS = {"label", "p", "cost", "reward", "note", *ROOT_KEYS}
_WIDE = 60  # characters of the user's text in a message


def unknown_keys(
    item: Sequence[tuple[str, Data]], unknown: Sequence[str], trail: Trail, is_named: bool
) -> Iterator[tuple[str, str]]:
    """Yield the unknown keys of the trail's current child, each with a message."""
    frame, values = trail.frames[-1], dict(item)
    wrapper = unknown[0].lower() in _WRAPPERS and isinstance(values[unknown[0]], tuple)
    if wrapper and item is trail.document.root and not unknown[1:]:
        hint = "remove it, and move what is below it one level up"
        yield unknown[0], f"the key {quote(unknown[0])} is not needed: {hint}"
        return
    if frame.kind == Kind.CHANCE and any(SYNONYMS.get(key) == "p" for key in unknown):
        frame.branches.setdefault("p", {})[len(frame.ids)] = None  # one error is enough
    is_item = bool(frame.kind) and isinstance(frame.container, list) and not is_named
    if len(unknown) == len(item) and _are_labels(item, 0.8 if unknown[1:] else 0.6):
        message = bare(item, is_item)
        if is_item and len(item) == 1:
            (label, child), *_ = item
            pair = child[0] if isinstance(child, tuple) else ("utility", child)
            hint = f"a label in a list is written `{flow_text((('label', label), pair), _WIDE)}`"
            message = f"unknown key {quote(label)}: {hint}"
        yield unknown[0], message
        return
    if message := _labels_beside_keys(unknown, values):
        yield unknown[0], message
        return
    allowed = trail.allowed_keys(is_named)
    for key in unknown:
        at = [name for name, _ in item].index(key)
        if whole := whole_number(item, at):
            if item[at - 1][0] == "p" and frame.kind == Kind.CHANCE:
                frame.branches["p"][len(frame.ids)] = None  # one error is enough
            hint = f"YAML splits text between braces at a comma: write `{whole}`"
            yield key, f"unknown key {quote(key)}: {hint}"
        else:
            yield key, _unknown_key(key, values, trail, allowed)


def _unknown_key(key: str, values: dict[str, Data], trail: Trail, allowed: list[str]) -> str:
    if key in ROOT_KEYS or key == SCHEMA_KEY:
        return f"the key {quote(key)} is for the root alone: move it there"
    hint = _hint(key, values, allowed)
    message = f"unknown key {quote(key)}: {hint}" if hint else unknown_key(key, allowed)
    if trail.listed == allowed:
        message, _, _ = message.partition(_LIST)
    elif _LIST in message:
        trail.listed = allowed
    return message


def _labels_beside_keys(unknown: Sequence[str], values: dict[str, Data]) -> str:
    """Return the message for labels next to the keys of their parent; nothing for other keys."""
    pairs = tuple((key, values[key]) for key in unknown)
    if not _are_labels(pairs, 0.6):
        return ""
    labels = key_list(unknown[:_MAX_LABELS])
    for kind in KINDS:
        if kind in values and (not values[kind] or isinstance(values[kind], tuple)):
            hint = f"for a label, indent {labels} below `{kind}:`"
            return f"unknown key {quote(unknown[0])}: {hint}"
    keys = [key for key in values if key not in unknown]
    if len(unknown) == 1 or not keys or not {*keys} <= _BESIDE_LABELS:
        return ""
    hint = f"write `chance: {flow_text(pairs, _WIDE)}`, or the same with max or min"
    return f"the labels {labels} are next to {key_list(keys)}: {hint}"


def bare(data: Data, is_item: bool = True) -> str:
    """Return the message for a list or a mapping of nodes that lacks its kind."""
    text = flow_text(data, _WIDE)
    if isinstance(data, list) and len(data) == 1 and is_number(data[0]):
        return f"found {text}, expected a node: write {data[0]}, without the brackets"
    if mapping := turned(data):
        return f"found {text} without a kind: if these are probabilities, write `chance: {mapping}`"
    kind, more = "max", ", or the same with min or chance"
    if isinstance(data, tuple) and are_probabilities(data):
        kind, more = "chance", ""
    node = f"{kind}: {text}"
    return f"found {text} without a kind: write `{f'{{{node}}}' if is_item else node}`{more}"


def report_pairs(trail: Trail) -> bool:
    """Report children that are pairs in a list, once, and skip them; return whether they are."""
    frame = trail.frames[-1]
    if frame.ids or not frame.kind:
        return False
    if isinstance(frame.container, list):
        fault = _fault_of_pairs(frame.kind, frame.container)
    else:
        fault = _fault_of_labelled_pairs(frame.kind, frame.container)
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
    if not _are_labels(pairs):
        return ""
    found = f"a {kind.name} node has a list of pairs such as {flow_text(items[0], _WIDE)}"
    if len(dict(pairs)) == len(pairs):
        return f"{found}: write a mapping, `{kind.name.lower()}: {flow_text(tuple(pairs), _WIDE)}`"
    is_by_p = kind == Kind.CHANCE and are_probabilities(pairs)
    return f"{found}: write `chance: {list_form(pairs, 'p')}`" if is_by_p else ""


def _fault_of_labelled_pairs(kind: Kind, children: Sequence[tuple[str, Data]]) -> str:
    """Return the message for children such as `rain: [0.3, 5]`."""
    pairs = []
    for label, pair in children:
        if kind != Kind.CHANCE or not isinstance(pair, list) or len(pair) != 2:
            return ""
        p, node = pair
        if not isinstance(p, str) or not is_probability(p):
            return ""
        pairs.append((label, (("p", p), ("utility", node))))
    found = f"a CHANCE node has pairs of a probability and a utility, such as {children[0][0]}"
    return f"{found}: write `chance: {flow_text(tuple(pairs), _WIDE)}`"


def _are_labels(pairs: Sequence[tuple[str, Data]], likeness: float = 0.8) -> bool:
    """Return whether the keys of pairs are probably labels, and not wrong keys."""
    for key, value in pairs[:_MAX_SEEN]:
        word = key.lower()
        if not value or isinstance(value, str) and value[0] not in "+-.0123456789":
            return False
        if not 0 < len(key) <= _MAX_LENGTH or word in NODE_KEYS or word in ROOT_KEYS:
            return False
        if word in SYNONYMS or word in KIND_SYNONYMS or nearest(word, NODE_KEYS, likeness):
            return False
    return True


def _hint(key: str, values: dict[str, Data], allowed: list[str]) -> str:
    """Return what to write instead of a key that people use for another; nothing if unknown."""
    value, word = values[key], key.lower()
    text, is_inner = flow_text(value, _WIDE), isinstance(value, (list, tuple))
    if word in allowed:
        return f"keys are in small letters: write `{word}: {text}`"
    if is_inner and word in KIND_SYNONYMS:
        return kind_hint(word, "{}: " + text)
    meant = SYNONYMS.get(word, "")
    if meant in ("type", "children"):
        return _kind_of_children(values)
    if meant == "utility" and any(isinstance(values.get(kind), (list, tuple)) for kind in KINDS):
        meant = "estimate"
    if meant == "label" and meant not in allowed:
        is_root = "title" in allowed
        return f"write `title: {text}`" if is_root else "the label is the key of the mapping above"
    if meant not in NODE_KEYS or is_inner != (meant == "bounds"):
        return ""
    if meant == "p" and meant not in allowed:
        return "a p is for the outcomes of CHANCE: remove it"
    if meant in values:
        return f"keep `{meant}: {flow_text(values[meant], _WIDE)}` alone"
    return f"write `{meant}: {text}`"


def _kind_of_children(values: dict[str, Data]) -> str:
    """Return what to write for keys such as `type: chance` and `children: [1, 2]`."""
    meant = {SYNONYMS.get(key.lower()): value for key, value in values.items()}
    if "children" not in meant:
        return ""
    word, text = flow_text(meant.get("type", "")).lower(), flow_text(meant["children"], _WIDE)
    if word in KIND_SYNONYMS:
        return kind_hint(word, "{}: " + text)
    return f"write `max: {text}`, or the same with min or chance"
