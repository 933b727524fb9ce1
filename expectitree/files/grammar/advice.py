"""What to write instead of texts that people often write first; `doubts` is about valid ones.

A function returns a message, which is empty if the text is probably no such mistake.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from expectitree.base.names import nearest
from expectitree.base.numbers import escape, exact_text, quote
from expectitree.base.reading import to_fraction
from expectitree.base.tree.model import Kind
from expectitree.files.grammar.document import Data, Keys, Pairs
from expectitree.files.grammar.doubts import NEARLY, label_hint, sum_to_1, turned
from expectitree.files.grammar.keys import BODY_KEYS, KINDS, NODE_KEYS, ROOT_KEYS, SCHEMA_KEY
from expectitree.files.grammar.trail import Frame, Trail
from expectitree.files.grammar.traps import trap
from expectitree.files.grammar.values import (
    NO_NAMES,
    NOT_KNOWN_WORDS,
    are_probabilities,
    is_marked,
    is_probability,
)
from expectitree.files.grammar.words import (
    KIND_SYNONYMS,
    MAX_DEPTH,
    MAX_SHOWN,
    SPLIT,
    SYNONYMS,
    flow_text,
    in_braces,
    is_number,
    key_list,
    node_pairs,
    unknown_key,
    whole_number,
)

_MAX_SEEN = 20  # keys of a mapping that are compared with the known keys, which takes time
_MAX_LENGTH = 100  # characters of a key that may be a label
_CALLS = r"(?:[-+.,/0-9\s]|(?:max|min|chance)\s*=?\s*[(\[]|[)\]])+"
_LIST = "\nwrite one of "  # before the list of all keys, which one message of a file has
_WRAPPERS = ("root", "tree", "game", "start", "top")  # keys that hold the whole tree
_OTHER_KINDS = {  # by what `_kind_word` returns, also for words of no kind
    "": ", or the same with min or chance",
    "max or min": ", or `min: {}` for the opponent",
}
_OF_BRANCH = ("p", "cost", "reward", "note")
_BESIDE_LABELS = {"label", *_OF_BRANCH, *ROOT_KEYS}
_P = {"p", *(word for word, key in SYNONYMS.items() if key == "p")}
_CHILDREN = {*KIND_SYNONYMS, *(word for word, key in SYNONYMS.items() if key == "children")}
_LONG = 200  # characters of outcomes, which are shown whole
_MAX_WEIGHTS = 100  # of outcomes, which are summed for each
_NUMBER = r"([-+]?[0-9.]+(?:/[0-9]+)?%?)"
_TWO_NUMBERS = re.compile(rf"\(?{_NUMBER}\)?(?:\s+|\s*[@:x]\s*)\(?(?:p\s*=\s*)?{_NUMBER}\)?")
_PAIR = re.compile(r"\(([^(),]+), ([^(),]+)\)")
_PAIRS = re.compile(rf"{_PAIR.pattern}(?:, {_PAIR.pattern})*")


def unknown_keys(
    item: Pairs, unknown: Sequence[str], trail: Trail, is_named: bool
) -> Iterator[tuple[str, str]]:
    """Yield the unknown keys of the trail's current child, each with a message."""
    frame, values, is_root = trail.frames[-1], dict(item), item is trail.document.root
    is_wrapper = unknown[0].lower() in _WRAPPERS and isinstance(values[unknown[0]], tuple)
    if is_wrapper and is_root and len(unknown) == 1:
        hint = "remove it, and move what is below it one level up"
        yield unknown[0], f"the key {quote(unknown[0])} is not needed\n{hint}"
        return
    if frame.kind == Kind.CHANCE and any(SYNONYMS.get(key) == "p" for key in unknown):
        frame.branches.setdefault("p", {})[len(frame.ids)] = None  # one error is enough
    is_item = bool(frame.kind) and isinstance(frame.container, list) and not is_named
    likeness = 0.8 if len(unknown) > 1 else 0.6
    labels = tuple(pair for pair in item if pair[0] in unknown)
    is_label = is_item and len(labels) == 1 and values.keys() <= {*unknown, *_OF_BRANCH}
    if (labels == item or is_label) and _are_labels(labels, likeness, most=0.5):
        message = bare(item, is_item)
        if is_label:
            message = _label_of_item(item, *labels[0])
    elif in_braces(item):
        message = bare([*values], is_item)
    else:
        message = _labels_beside_keys(unknown, values, is_root)
    if message:
        yield unknown[0], message
        return
    allowed = trail.allowed_keys(is_named)
    hints = set()  # one may be about several keys
    for key in unknown:
        place, hint = [name for name, _ in item].index(key), ""
        if whole := whole_number(item, place):
            if item[place - 1][0] == "p" and frame.kind == Kind.CHANCE:
                frame.branches["p"][len(frame.ids)] = None  # one error is enough
            hint = f"{SPLIT} write `{whole}`"
        elif frame.kind == Kind.CHANCE and SYNONYMS.get(key.lower()) == "p":
            hint = weight_hint(key, frame)
        hint = hint or _hint(key, values, allowed)
        if not hint or hint not in hints:
            yield key, _unknown_key(key, hint, trail, allowed)
        hints.add(hint)


def _unknown_key(key: str, hint: str, trail: Trail, allowed: list[str]) -> str:
    if key in ROOT_KEYS or key == SCHEMA_KEY:
        return f"the key {quote(key)} is for the root alone\nmove it there"
    message = unknown_key(key, allowed, hint)
    if trail.listed == allowed:
        message, _, _ = message.partition(_LIST)
    elif _LIST in message:
        trail.listed = allowed
    return message


def weight_hint(key: str, frame: Frame) -> str:
    """Return the p to write for the current outcome, if each has a weight under that key."""
    if len(frame.items) > _MAX_WEIGHTS:
        return ""
    written: list[Any] = [dict(item).get(key) for item in frame.items if isinstance(item, tuple)]
    weights = [*map(to_fraction, filter(is_number, written))]
    total = sum(weights)
    if len(weights) < len(frame.items) or total <= 1 + NEARLY or min(weights) < 0:
        return ""
    weight = weights[len(frame.ids)]
    if total == 100:
        return f"write `p: {exact_text(weight)}%`"
    return f"write `p: {weight / total}`"


def _label_of_item(item: Pairs, label: str, child: Data) -> str:
    """Return the message for a label in a list, as in `- rain: 5`."""
    others = [pair for pair in item if pair[0] != label]
    form = flow_text((("label", label), *others, *node_pairs(corrected(child) or child)))
    return f"unknown key {quote(label)}\na label in a list is written `{form}`"


def _labels_beside_keys(unknown: Sequence[str], values: Keys, is_root: bool) -> str:
    """Return the message for labels next to the keys of their parent; nothing for other keys."""
    pairs = tuple((key, values[key]) for key in unknown)
    if not _are_labels(pairs, 0.6):
        return ""
    labels = key_list(unknown[:MAX_SHOWN])
    for kind in KINDS:
        if kind in values and (not values[kind] or isinstance(values[kind], tuple)):
            hint = f"for a label, indent {labels} below `{kind}:`"
            if is_root and all(is_number(text) for _, text in pairs):
                hint += f"; for a parameter, write `parameters: {flow_text(pairs)}`"
            return f"unknown key {quote(unknown[0])}\n{hint}"
    keys = [key for key in values if key not in unknown]
    if len(unknown) == 1 or not keys or not {*keys} <= _BESIDE_LABELS:
        return ""
    return (
        f"the labels {labels} are next to {key_list(keys)}\nwrite `chance: "
        f"{flow_text(pairs)}`, or the same with max or min"
    )


def bare(data: Data, is_item: bool = True, kind: str = "max") -> str:
    """Return the message for a list or a mapping of nodes that lacks its kind."""
    text = flow_text(data)
    for name in _names_of_nodes(data):
        return (
            f"found {quote(name)} as the name of a node\ndefine it under the root's `nodes:`, "
            f"and write `{{ref: {name}}}` where it is meant"
        )
    if mapping := turned(data):
        return f"found {text} without a kind\nif these are probabilities, write `chance: {mapping}`"
    node = corrected(data, kind)
    if node == ():  # no key of it is known, or a part would be lost
        form = "a mapping with max, min, chance or utility"
        return f"found {text}, expected a node\nwrite {form}{', and its p' * (not kind)}"
    form = flow_text(node)
    if not isinstance(node, tuple):
        return f"found {text}, expected a node\nwrite {form}, without the brackets"
    is_known = isinstance(data, list) and _word(data[0]) in KIND_SYNONYMS
    more = _OTHER_KINDS[""] * (node[0][0] == "max" and not is_known)
    if not is_item:
        form = form[1:-1]
    return f"found {text} without a kind\nwrite `{form}`{more}"


class _NotKeptError(Exception):
    """A part of a node has no place in the grammar's form, or its role is not clear."""


def corrected(node: Data, kind: str = "max", depth: int = MAX_DEPTH) -> Data:
    """Return a node as the grammar has it, for a message that shows some levels of it.

    Words and forms that people use are replaced; `kind` is that of a list or of labels without one,
    and empty below CHANCE. Return `()` if a part of the node would be lost.
    """
    with suppress(_NotKeptError):
        return _corrected(node, kind, depth)
    return ()


def _corrected(node: Data, kind: str, depth: int) -> Data:
    if not isinstance(node, (list, tuple)) or not node or not depth:
        return node
    if isinstance(node, list):
        return _corrected_list(node, kind, depth)
    if are_probabilities(node):
        return (("chance", _corrected_children(node, "chance", depth)),)
    if _are_labels(node, most=0.5):
        kind = _kind_of(node, kind or "max")
        return ((kind, _corrected_children(node, kind, depth)),)
    word, values, pairs = _kind_word(node), dict(node), dict[str, Data]()
    of_children, of_p = _keys_of_lists(values)
    if len(values) < len(node):  # a key occurs twice
        raise _NotKeptError
    for key, value in values.items():
        name = _meant_key(key, values)
        if key == of_p or _is_kind(key, value):
            continue
        if key == of_children:
            name = KIND_SYNONYMS.get(key.lower(), word) or _kind_of(value, kind or "max")
            name = name.partition(" or ")[0]
            if of_p:
                name, value = "chance", _with_ps(value, values[of_p], depth)
            value = _corrected_children(value, name, depth)
        elif name == "utility" and of_children:
            name = "estimate"
        if name not in NODE_KEYS or name in pairs:
            raise _NotKeptError
        pairs[name] = value
    return tuple(pairs.items())


def _meant_key(key: str, values: Keys) -> str:
    """Return the key that a word is probably meant as; the word itself if that is not known."""
    word = key.lower()
    meant = SYNONYMS.get(word, word)
    if word in NODE_KEYS or (meant == "ref" and not isinstance(values[key], str)):
        return word
    if meant != "ref":
        return meant
    if is_number(values[key]):
        return "utility"
    others = {SYNONYMS.get(other, other) for other in values}
    return "ref" if others.isdisjoint((*BODY_KEYS, "children")) else "label"


def _keys_of_lists(values: Keys) -> tuple[str, str]:
    """Return the key of a node's children, and that of a list of p next to them; or nothing."""
    lists = [key for key, value in values.items() if isinstance(value, (list, tuple))]
    lists.sort(key=lambda key: key not in KINDS and key.lower() in _P)  # `probability` may be both
    of_children = next((key for key in lists if key.lower() in _CHILDREN), "")
    of_p = [key for key in lists if key.lower() in _P and key not in (of_children, *KINDS)]
    return of_children, of_p[0] if of_children and of_p else ""


def _with_ps(children: Data, ps: Data, depth: int = MAX_DEPTH) -> Data:
    """Return outcomes with the p of a list next to each; raise `_NotKeptError` if that fails."""
    labels, nodes = _columns(children)
    if not isinstance(ps, list) or len(ps) != len(nodes):
        raise _NotKeptError
    pairs = zip(ps, nodes, strict=True)
    outcomes = [(("p", p), *node_pairs(_corrected(node, "", depth - 1))) for p, node in pairs]
    return tuple(zip(labels, outcomes, strict=True)) if labels else outcomes


def subtree_hint(data: Data) -> str:
    """Return what to write for a node in place of a value, as in `utility: {min: [1, 2]}`."""
    keys = {key for key, _ in data} if isinstance(data, tuple) else set()
    if len(keys & KINDS.keys()) != 1 or not keys <= {*NODE_KEYS}:
        return ""
    form = f"`{flow_text(data)[1:-1]}`" if len(data) == 1 else "its keys"
    return f"write {form} in its place"


def _columns(children: Data) -> tuple[Sequence[str], Sequence[Data]]:
    """Return the labels of children, which a list has not, and the children."""
    if isinstance(children, tuple) and children:
        labels, nodes = zip(*children, strict=True)
        return labels, nodes
    return (), children if isinstance(children, list) else ()


def _kind_of(children: Data, kind: str) -> str:
    """Return chance if one of the children has a p, or if they are such as `- 0.3: 5`.

    Raise `_NotKeptError` for pairs such as `[0.3, 5]`, which no player has.
    """
    if kind != "chance" and all(map(_is_marked_pair, _columns(children)[1])):
        raise _NotKeptError
    nodes = [node for node in _columns(children)[1] if isinstance(node, tuple)]
    pairs = [pair for node in nodes for pair in node]
    has_p = any(key in _P and isinstance(p, str) for key, p in pairs)
    are_pairs = isinstance(children, list) and {*map(len, nodes)} == {1} and len(nodes) > 1
    return "chance" if has_p or (are_pairs and are_probabilities(pairs)) else kind


def _corrected_list(items: list[Data], kind: str, depth: int) -> Data:
    if isinstance(items[0], tuple) and len(items[0]) == 1:
        key, value = items[0][0]
        if key in KINDS and isinstance(value, str):  # `[chance: 10, 20]`
            return ((key, [value, *items[1:]]),)
    if len(items) == 1:
        return _corrected(items[0], kind, depth)
    word = KIND_SYNONYMS.get(_word(items[0]), "")
    if word:  # `[min, 3, 12]`
        kind, items = word.partition(" or ")[0], items[1:]
    elif (not kind and len(items) == 2) or not (_columns(items[0])[1] or is_number(items[0])):
        raise _NotKeptError  # it may be a pair
    else:
        kind = _kind_of(items, kind or "max")
    return ((kind, _corrected_children(items, kind, depth)),)


def _corrected_children(children: Data, kind: str, depth: int) -> Data:
    if _kind_of(children, kind) != kind:
        raise _NotKeptError
    if pairs := _pairs_meant(kind, children, depth):
        return pairs
    below = {"max": "min", "chance": ""}.get(kind, "max")
    shown = children[: MAX_SHOWN + 1]
    if isinstance(children, list):
        return [_corrected(child, below, depth - 1) for child in shown]
    return tuple((label, _corrected(child, below, depth - 1)) for label, child in shown)


def _kind_word(item: Pairs) -> str:
    """Return the kind that a mapping's words mean, as in `type: chance` and `Max: [1, 2]`."""
    for key, value in item:
        word = key.lower()
        if isinstance(value, str):
            word = value.lower() * _is_kind(key, value)
        if word in KIND_SYNONYMS:
            return KIND_SYNONYMS[word]
    return ""


def _is_kind(key: str, value: Data) -> bool:
    """Return whether a key and its value are such as `type: random` or `node: max`."""
    words = {"type": {*KIND_SYNONYMS}, "ref": {*KINDS}}
    return _word(value) in words.get(SYNONYMS.get(key.lower(), ""), ())


def _word(data: Data) -> str:
    """Return a text in small letters, and nothing for other data, which may be large."""
    return data.lower() if isinstance(data, str) else ""


def _kind_hint(item: Pairs) -> str:
    """Return what to write for a node with other words for its kind; nothing if it has none."""
    word, node, values = _kind_word(item), dict(corrected(item)), dict(item)
    of_children, of_p = _keys_of_lists(values)
    if not node and of_p:
        return lists_hint(values[of_p], values[of_children])
    if not node and word and of_children:
        return f"write {word} in place of {quote(of_children)}"
    for kind in KINDS:
        if kind in node:
            text = flow_text(node[kind], _LONG)
            more = _OTHER_KINDS.get(word, "") * (kind == "max")
            return f"write `{kind}: {text}`{more.format(text)}"
    return ""


def _names_of_nodes(data: Data) -> list[str]:
    """Return the keys that are children elsewhere, as in `{A: {max: [B]}, B: {min: [1, 2]}}`."""
    if not isinstance(data, tuple):
        return []
    values = [value for _, node in data if isinstance(node, tuple) for _, value in node]
    lists = [value for value in values if isinstance(value, list)]
    named = {name for names in lists for name in names if isinstance(name, str)}
    return [key for key, _ in data if key in named]


def report_pairs(trail: Trail, text: str = "(") -> bool:
    """Report children that are pairs in a list, once, and skip them; return whether they are.

    `text` is the current child, if it is text.
    """
    frame = trail.frames[-1]
    place = len(frame.ids)
    keys = [key for key, _ in frame.container] if frame.is_labelled else []
    is_node = len([*filter(KINDS.get, keys)]) == 1 and {*keys} <= {*NODE_KEYS}
    if not frame.kind or ("(" not in text and not is_node):
        return False
    if is_node:
        fault = _keys_as_labels(frame, frame.container)
    elif keys and keys[place] in KINDS and text == "(":
        fault = _keys_as_labels(frame, frame.container[place : place + 1])
    elif place:  # the first child has shown that they are no pairs
        return False
    else:
        fault = _fault_of_pairs(frame.kind, frame.container)
    if fault:
        trail.report(frame.place(place), fault, of_parent=True)
        frame.items = frame.items[: place + 1]
    return bool(fault)


def _keys_as_labels(frame: Frame, pairs: Pairs) -> str:
    """Return the message about keys of a node where the frame's labels should be."""
    frame.branches.pop("label", None)
    reason = f"found keys of a node without a kind, {key_list(dict(pairs))}"
    item = flow_text(corrected(pairs) or pairs)
    return f"{reason}\nwrite a list, `{frame.kind.name.lower()}: [{item}, …]`"


def text_hint(text: str, trail: Trail, names: Collection[str], is_form: bool) -> str:
    """Return what to write instead of a text that is not a number, the trail's current child.

    `names` are those of nodes. `is_form` is whether the message ends with how numbers are written.
    """
    frame = trail.frames[-1]
    label = frame.label(len(frame.ids))
    if hint := trap("missing space", text):
        return hint
    if text in names:
        return f"; for the node under `nodes:`, write `{{ref: {escape(text)}}}`"
    hint = _form_hint(text) if text else _label_alone_hint(frame, label)
    if not hint and is_form:
        hint = _numbers_hint(text, frame.kind)
    if not hint and frame.is_labelled:
        hint = label_hint(label, frame.kind, frame.container).replace("\n", "; ")
    if not hint and text.lower() in NOT_KNOWN_WORDS:
        hint = 'a terminal that is not known yet is {utility: "?"}'
    if hint:
        return f"; {hint}"
    if is_form:
        return ", or for an inner node a mapping with max, min or chance"
    return ""


def _label_alone_hint(frame: Frame, label: str) -> str:
    """Return what to write for a label without a value, such as `-40,000` or `win 5`."""
    if frame.is_labelled and (whole := whole_number(frame.container, len(frame.ids))):
        return f"{SPLIT} write `{whole}`"
    return trap("label alone", label[:_MAX_LENGTH])


def _form_hint(text: str) -> str:
    if node := node_form(text):
        return f"for a node, write `{node}`"
    return trap("call", text[:_MAX_LENGTH].lower())


def _numbers_hint(text: str, kind: Kind) -> str:
    if kind == Kind.CHANCE and (outcome := outcome_hint(text[:_MAX_LENGTH])):
        return f"for an outcome, {outcome}"
    numbers = text.split()
    if len(text) < _MAX_LENGTH and len(numbers) > 1 and all(map(is_number, numbers)):
        return f"for several numbers, write `{', '.join(numbers)}`"
    return ""


def _fault_of_pairs(kind: Kind, children: Data) -> str:
    """Return the message about children such as `- a: 1`, `(0.7, 100)` or `rain: [0.3, 5]`."""
    name = kind.name.lower()
    values = dict(children) if isinstance(children, tuple) else {}
    of_children, of_p = _keys_of_lists(values)
    if of_p and len(values) == 2 and kind == Kind.CHANCE:
        return f"found a list of p: {lists_hint(values[of_p], values[of_children])}"
    if not values and all(isinstance(item, str) for item in children):
        text = ", ".join(children)
        node = node_form(f"{name}({text})")
        if not _PAIRS.fullmatch(text):
            return f"YAML has no parentheses: write `{node}`" * ("{" in node)
        children = [[*pair] for pair in _PAIR.findall(text)]
    meant = _pairs_meant(name, children)
    if not meant:
        return ""
    form = "a mapping, " * isinstance(meant, tuple)
    reason = f"a {kind.name} node has pairs such as {flow_text(children[:1])[1:-1]}"
    return f"{reason}\nwrite {form}`{name}: {flow_text(meant, _LONG)}`"


def _pairs_meant(kind: str, children: Data, depth: int = MAX_DEPTH) -> Data:
    """Return children such as `- a: 1`, `[0.7, 100]` or `rain: [0.3, 5]` as the grammar has them.

    Return `()` for others.
    """
    labels, nodes = _columns(children)
    items = [*map(_pair, nodes)]
    if labels:
        items = [[label, *item] for label, item in zip(labels, items, strict=True)]
    lengths = {*map(len, items)}
    if not lengths <= {*range(2 + bool(labels), 3 + (kind == "chance"))}:
        return ()
    firsts, lasts = ([item[place] for item in items] for place in (-2, -1))
    if sum_to_1(lasts) and not sum_to_1(firsts) and all(map(is_number, firsts)):
        firsts, lasts = lasts, firsts
    pairs = []
    for item, p, last in zip(items[: MAX_SHOWN + 1], firsts, lasts, strict=False):
        key, child = p, (node := corrected(last, depth=depth - 1))
        if len(item) == 3:
            key, child = item[0], is_probability(p) and node and (("p", p), *node_pairs(node))
        pairs.append((key, child))
    are_by_p = kind == "chance" and are_probabilities(pairs)
    if (not are_by_p and any(is_number(key) for key, _ in pairs)) or not _are_labels(pairs):
        return ()
    if kind == "chance" and lengths == {2} and not are_by_p and sum_to_1(lasts):  # labels and p
        return ()
    if len(dict(pairs)) == len(pairs):
        return tuple(pairs)
    return [(("p", p), *node_pairs(node)) for p, node in pairs if are_by_p]


def _pair(item: Data) -> list[Data]:
    """Return the parts of a pair such as `a: 1`, `[0.7, 100]` or `[100, p: 0.7]`."""
    if isinstance(item, tuple) and len(item) == 1 and item[0][0] not in NODE_KEYS:
        return [*item[0]]
    if not isinstance(item, list) or not all(isinstance(part, str) for part in item[:-1]):
        return []
    if item and isinstance(item[-1], tuple) and [*dict(item[-1])] == ["p"]:
        return [item[-1][0][1], *item[:-1]]
    return item


def _is_marked_pair(node: Data) -> bool:
    """Return whether a node is a list such as `[0.3, 5]`."""
    texts = node if isinstance(node, list) and len(node) == 2 else []
    return any(isinstance(p, str) and is_marked(p) and is_probability(p) for p in texts)


def lists_hint(ps: Data, children: Data) -> str:
    """Return what to write for a list of probabilities next to children."""
    hint = "write one next to each outcome"
    with suppress(_NotKeptError):
        hint += f", `chance: {flow_text(_with_ps(children, ps), _LONG)}`"
    return hint


def node_form(text: str) -> str:
    """Return the node that `max(1, min(2, 3))` or `max = [1, 2]` means; nothing for other text."""
    if len(text) > _MAX_LENGTH or not re.fullmatch(_CALLS, text, re.IGNORECASE):
        return ""
    node = re.sub(r"([A-Za-z]+)\s*=?\s*[(\[]", lambda kind: f"{{{kind[1].lower()}: [", text)
    node = re.sub(r"[)\]]", "]}", node)
    if node[0] + node[-1] != "{}" or node.count("{") != node.count("}"):
        return ""
    return node[1:-1]


def outcome_hint(text: str) -> str:
    """Return what to write for an outcome such as `0.3 10`, `10 (0.3)` or `+10 p=0.5`."""
    pair = _TWO_NUMBERS.fullmatch(text)
    numbers = pair.groups() if pair else ()
    ps = [number for number in numbers if is_marked(number) and is_probability(number)]
    if not ps:
        return ""
    utility = numbers[numbers[0] == ps[0]]
    if is_number(utility):
        return f"write `{{p: {ps[0]}, utility: {utility}}}`"
    return ""


def list_form(children: Pairs, key_is: str) -> str:
    """Return how a mapping from probabilities to nodes is written as a list."""
    shown = children[: MAX_SHOWN + 1]
    nodes = [((key_is, key), *node_pairs(child)) for key, child in shown]
    return flow_text(nodes, _LONG)


def _are_labels(pairs: Pairs, likeness: float = 0.8, most: float = 0) -> bool:
    """Return whether the keys of pairs are probably labels, and not wrong keys.

    At most that share of them is like a key, as `h` is, which some write for `estimate`.
    """
    alike = 0
    for key, value in pairs[:_MAX_SEEN]:
        word = key.lower()
        if not value or (isinstance(value, str) and value[0] not in "+-.0123456789"):
            return False
        if not 0 < len(key) <= _MAX_LENGTH or word in NODE_KEYS or word in ROOT_KEYS:
            return False
        is_known = word in SYNONYMS or word in KIND_SYNONYMS
        alike += bool(is_known or nearest(word, NODE_KEYS, likeness))
    return alike <= most * len(pairs)


def _children_hint(key: str, values: Keys) -> str:
    """Return what to write instead of a key that has to do with a node's children, or nothing."""
    if (hint := subtree_hint(values[key])) and key.lower() not in KIND_SYNONYMS:
        return hint
    of_children, of_p = _keys_of_lists(values)
    if not BODY_KEYS.keys().isdisjoint(values):
        return lists_hint(values[of_p], values[of_children]) if key == of_p else ""
    if of_children and (key in (of_children, of_p) or _is_kind(key, values[key])):
        return _kind_hint((*values.items(),))
    return ""


def _hint(key: str, values: Keys, allowed: list[str]) -> str:
    """Return what to write instead of a key that people use for another; nothing if unknown."""
    value, word = values[key], key.lower()
    text, is_inner = flow_text(value), isinstance(value, (list, tuple))
    if word in allowed:
        hint = _kind_hint(((key, value),)) or f"write `{word}: {text}`"
        return f"keys are in small letters\n{hint}"
    meant = _meant_key(key, values) if word in SYNONYMS else ""
    if hint := _children_hint(key, values):
        return hint
    place = ["node", *({"title", "label"} & {*allowed}), *({"nodes", *KINDS} & values.keys())]
    form, first = "text", ""
    if not value:
        form = "nothing"
    elif isinstance(value, list) and is_number(value[0]):
        form, first = "numbers", value[0]
    subject = f"{' '.join(place)}| {meant} {form} {key}"
    if hint := trap("key", subject, value=text, first=first):
        return hint
    near = is_inner and nearest(word, {*allowed} - {*KINDS} - {*values}, 0.8)
    if near:
        return f"write `{near}: {text}`"
    if meant == "utility" and any(isinstance(values.get(kind), (list, tuple)) for kind in KINDS):
        meant = "estimate"
    if meant not in NODE_KEYS or is_inner != (meant == "bounds") or str(value).lower() in NO_NAMES:
        return ""
    if meant == "p" and meant not in allowed:
        return "a p is for the outcomes of CHANCE\nremove it"
    if meant in values:
        return f"keep `{meant}: {flow_text(values[meant])}` alone"
    return f"write `{meant}: {text}`"
