"""What to write instead of texts that people often write first; `doubts` is about valid ones.

A function returns a message, which is empty if the text is probably no such mistake.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from expectitree.base.names import nearest
from expectitree.base.numbers import escape, exact_text, quote
from expectitree.base.reading import to_fraction
from expectitree.base.tree.model import Kind
from expectitree.files.grammar.document import Data, Keys, Pairs
from expectitree.files.grammar.doubts import NEARLY, label_hint, turned
from expectitree.files.grammar.keys import KINDS, NODE_KEYS, ROOT_KEYS, SCHEMA_KEY
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
_BESIDE_LABELS = {"label", "p", "cost", "reward", "note", *ROOT_KEYS}
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
    if len(unknown) == len(values) and _are_labels(item, likeness, most=0.5):
        yield unknown[0], _labels_alone(item, is_item)
        return
    if message := _labels_beside_keys(unknown, values, is_root):
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


def _labels_alone(item: Pairs, is_item: bool) -> str:
    """Return the message for labels without a kind; `is_item` is whether they are in a list."""
    if not is_item or len(item) > 1:
        return bare(item, is_item)
    [(label, child)] = item
    form = flow_text((("label", label), *node_pairs(corrected(child))))
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


def bare(data: Data, is_item: bool = True) -> str:
    """Return the message for a list or a mapping of nodes that lacks its kind."""
    text = flow_text(data)
    for name in _names_of_nodes(data):
        return (
            f"found {quote(name)} as the name of a node\ndefine it under the root's `nodes:`, "
            f"and write `{{ref: {name}}}` where it is meant"
        )
    if mapping := turned(data):
        return f"found {text} without a kind\nif these are probabilities, write `chance: {mapping}`"
    node = corrected(data)
    if node == ():  # no key of it is known
        return f"found {text}, expected a node\nwrite a mapping with max, min, chance or utility"
    form = flow_text(node)
    if not isinstance(node, tuple):
        return f"found {text}, expected a node\nwrite {form}, without the brackets"
    more = ", or the same with min or chance" * (node[0][0] == "max")
    if not is_item:
        form = form[1:-1]
    return f"found {text} without a kind\nwrite `{form}`{more}"


def corrected(node: Data, kind: str = "max", depth: int = MAX_DEPTH) -> Data:
    """Return a node as the grammar has it, for a message that shows some levels of it.

    Words and forms that people use are replaced; `kind` is that of a list or of labels without one.
    """
    if not isinstance(node, (list, tuple)) or not node or not depth:
        return node
    if isinstance(node, list):
        return _corrected_list(node, kind, depth)
    if are_probabilities(node):
        return (("chance", _corrected_children(node, "chance", depth)),)
    if _are_labels(node, most=0.5):
        return ((kind, _corrected_children(node, kind, depth)),)
    word, pairs = _kind_word(node), []
    for key, value in node:
        name = SYNONYMS.get(key.lower(), key.lower())
        is_inner = isinstance(value, (list, tuple))
        if is_inner and (key.lower() in KIND_SYNONYMS or name == "children"):
            name = KIND_SYNONYMS.get(key.lower(), word or kind).partition(" or ")[0]
            pairs.append((name, _corrected_children(value, name, depth)))
        elif name in NODE_KEYS and (not is_inner or key.lower() in NODE_KEYS):
            if name == "utility" and word:
                name = "estimate"
            pairs.append((name, value))
    return tuple(pairs)


def _corrected_list(items: list[Data], kind: str, depth: int) -> Data:
    pairs = [pair for item in items if isinstance(item, tuple) for pair in item]
    if len(pairs) == len(items) and _are_labels(pairs):  # `[left: 1, right: 2]`
        return corrected(tuple(pairs), kind, depth)
    if isinstance(items[0], tuple) and items[0]:
        key, value = items[0][0]
        if key in KINDS and isinstance(value, str):  # `[chance: 10, 20]`
            return ((key, [value, *items[1:]]),)
    if len(items) == 1:
        return corrected(items[0], kind, depth)
    if "p" in dict(pairs):
        kind = "chance"
    return ((kind, _corrected_children(items, kind, depth)),)


def _corrected_children(children: Data, kind: str, depth: int) -> Data:
    below = "min" if kind == "max" else "max"
    shown = children[: MAX_SHOWN + 1]
    if isinstance(children, list):
        return [corrected(child, below, depth - 1) for child in shown]
    return tuple((label, corrected(child, below, depth - 1)) for label, child in shown)


def _kind_word(item: Pairs) -> str:
    """Return the kind that a mapping's words mean, as in `type: chance` and `Max: [1, 2]`."""
    for key, value in item:
        word = value if isinstance(value, str) else key
        if word.lower() in KIND_SYNONYMS:
            return KIND_SYNONYMS[word.lower()]
    return ""


def _kind_hint(item: Pairs) -> str:
    """Return what to write for a node with other words for its kind; nothing if it has none."""
    word, node = _kind_word(item), dict(corrected(item))
    for kind in KINDS:
        if kind in node:
            text = flow_text(node[kind])
            return f"write `{kind}: {text}`{_OTHER_KINDS.get(word, '').format(text)}"
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
    elif frame.is_labelled:
        fault = _fault_of_labelled_pairs(frame.kind, frame.container)
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
    item = flow_text(corrected(pairs))
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


def _fault_of_pairs(kind: Kind, items: Sequence[Data], shown: str = "") -> str:
    """Return the message about children such as `- a: 1`, `[0.7, 100]` or `(0.7, 100)`."""
    name = kind.name.lower()
    if all(isinstance(item, str) for item in items):
        text = ", ".join(items)
        node = node_form(f"{name}({text})")
        if not _PAIRS.fullmatch(text):
            if "{" in node:
                return f"YAML has no parentheses: write `{node}`"
            return ""
        items = [[*pair] for pair in _PAIR.findall(text)]
    pairs: list[tuple[str, Data]] = []
    for item in items:
        if isinstance(item, tuple) and len(item) == 1 and item[0][0] not in NODE_KEYS:
            pairs += item
        elif not isinstance(item, list) or not all(isinstance(part, str) for part in item[:-1]):
            return ""
        elif len(item) == 2 and (is_probability(item[0]) or not is_number(item[0])):
            pairs.append((item[0], item[1]))
        elif len(item) == 3 and kind == Kind.CHANCE and is_probability(item[1]):
            pairs.append((item[0], (("p", item[1]), ("utility", item[2]))))
        else:
            return ""
    are_by_p = kind == Kind.CHANCE and are_probabilities(pairs)
    if (not are_by_p and any(is_number(key) for key, _ in pairs)) or not _are_labels(pairs):
        return ""
    reason = f"a {kind.name} node has pairs such as {shown or flow_text(items[0])}"
    if len(dict(pairs)) == len(pairs):
        return f"{reason}\nwrite a mapping, `{name}: {flow_text(tuple(pairs))}`"
    if are_by_p:
        return f"{reason}\nwrite `chance: {list_form(pairs, 'p')}`"
    return ""


def _fault_of_labelled_pairs(kind: Kind, children: Pairs) -> str:
    """Return the message about children such as `rain: [0.3, 5]` or `rain: {0.3: 5}`."""
    if kind != Kind.CHANCE:
        return ""
    meant = {SYNONYMS.get(key.lower(), key): value for key, value in children}
    ps = meant.pop("p", None)
    if isinstance(ps, list) and len(meant) == 1:
        return f"found a list of p: {lists_hint(ps, *meant.values())}"
    items = []
    for label, pair in children:
        if isinstance(pair, tuple) and len(pair) == 1:
            pair = [*pair[0]]
        if not isinstance(pair, list) or len(pair) != 2:
            return ""
        p, node = pair
        if isinstance(node, tuple) and "p" in dict(node):  # `[5, p: 0.3]`
            p, node = dict(node)["p"], p
        items.append([label, p, node])
    return _fault_of_pairs(kind, items, flow_text(children[:1])[1:-1])


def lists_hint(ps: Sequence[Data], children: Data) -> str:
    """Return what to write for a list of probabilities next to a list of outcomes."""
    hint = "write one next to each outcome"
    if not isinstance(children, list) or len(children) != len(ps):
        return hint
    return f"{hint}, `chance: {list_form([*zip(ps, children, strict=True)], 'p')}`"


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
    return flow_text(nodes, 200)  # its outcomes are shown whole


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


def _hint(key: str, values: Keys, allowed: list[str]) -> str:
    """Return what to write instead of a key that people use for another; nothing if unknown."""
    value, word = values[key], key.lower()
    text, is_inner = flow_text(value), isinstance(value, (list, tuple))
    if word in allowed:
        hint = _kind_hint(((key, value),)) or f"write `{word}: {text}`"
        return f"keys are in small letters\n{hint}"
    if is_inner and word in KIND_SYNONYMS:
        return _kind_hint(((key, value),))
    meant = SYNONYMS.get(word, "")
    has_children = any(SYNONYMS.get(key.lower()) == "children" for key in values)
    if has_children and (meant in ("type", "children") or str(value).lower() in KIND_SYNONYMS):
        return _kind_hint((*values.items(),))
    place = ["node", *({"title", "label"} & {*allowed}), *({"nodes", *KINDS} & values.keys())]
    form, first = "text", ""
    if not value:
        form = "nothing"
    elif isinstance(value, list) and is_number(value[0]):
        form, first = "numbers", value[0]
    subject = f"{' '.join(place)}| {meant} {form} {key}"
    if hint := trap("key", subject, value=text, first=first):
        return hint
    if meant == "p" and isinstance(value, list):
        return lists_hint(value, values.get("chance"))
    if meant == "utility" and any(isinstance(values.get(kind), (list, tuple)) for kind in KINDS):
        meant = "estimate"
    if meant not in NODE_KEYS or is_inner != (meant == "bounds") or str(value).lower() in NO_NAMES:
        return ""
    if meant == "p" and meant not in allowed:
        return "a p is for the outcomes of CHANCE\nremove it"
    if meant in values:
        return f"keep `{meant}: {flow_text(values[meant])}` alone"
    return f"write `{meant}: {text}`"
