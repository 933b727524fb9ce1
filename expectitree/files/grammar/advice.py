"""What to write instead of texts that people often write first: errors, and warnings.

A function returns a message, which is empty if the text is probably no such mistake.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from expectitree.base.errors import NumberError
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import names_in
from expectitree.base.names import nearest
from expectitree.base.numbers import Number, escape, exact_text, quote, to_fraction, to_probability
from expectitree.base.tree.formulas import REST
from expectitree.base.tree.model import Kind
from expectitree.files.grammar import words
from expectitree.files.grammar.document import Data
from expectitree.files.grammar.keys import KINDS, NODE_KEYS, ROOT_KEYS, SCHEMA_KEY
from expectitree.files.grammar.trail import Frame, Trail
from expectitree.files.grammar.values import (
    NOT_KNOWN_WORDS,
    are_probabilities,
    is_marked,
    is_probability,
)

_MAX_SEEN = 20  # keys of a mapping that are compared with the known keys, which takes time
_MAX_LENGTH = 100  # characters of a key that may be a label
_MAX_LABELS = 4  # in a message
# A label in braces that includes its number.
_MISSING_COLON = r"(\w[^:=]*?)\s*(?:[:=]|->|\s)\s*([-+.]?[0-9][0-9./e]*)"
_CALLS = r"(?:[-+.,/0-9\s]|(?:max|min|chance)\s*=?\s*[(\[]|[)\]])+"
_OPEN_CALL = r"(max|min|chance)\(([^()]+)"  # YAML splits `max(1, 2)` between braces
_LIST = ": expected one of "  # before the list of all keys, which one message of a file has
_WRAPPERS = ("root", "tree", "game", "start", "top")  # keys that hold the whole tree
_SEARCH_WORDS = ("algorithm", "alpha", "beta", "depth", "search")
_BESIDE_LABELS = {"label", "p", "cost", "reward", "note", *ROOT_KEYS}
_WIDE = 60  # characters of the user's text in a message
_MAX_SHOWN = 4  # outcomes in a message
_MAX_TURNED = 20  # outcomes in a mapping that is shown whole, to be copied
_MAX_WEIGHTS = 100  # of outcomes, which are summed for each
_MAX_SUMMED = 1_000  # labels, whose sum takes time
_MAX_LABEL_LENGTH = 200  # characters of a label that is searched for a number
_MAX_NUMBER_LENGTH = 20  # characters of a number in a label
_NUMBER = r"([-+]?[0-9.]+(?:/[0-9]+)?%?)"
_TWO_NUMBERS = re.compile(rf"\(?{_NUMBER}\)?(?:\s+|\s*[@:x]\s*)\(?(?:p\s*=\s*)?{_NUMBER}\)?")
_PAIR = re.compile(r"\(([^(),]+), ([^(),]+)\)")
_PAIRS = re.compile(rf"{_PAIR.pattern}(?:, {_PAIR.pattern})*")
_QUOTIENT = r"[0-9]+(?:\s?/\s?|[ -](?:in|out of)[ -])[0-9]+"  # such as 1/6 and `1 in 6`
_LABEL_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9./])(?:[pP]r?_?)?(({_QUOTIENT}|[0-9]*[.,]?[0-9]+)\s?%?)(?![\w./%])"
)
_NOT_WHOLE = r"[./%,]|[ -](?:in|of)[ -]|[^\x00-\x7f]"  # in labels with probabilities
_NEARLY = 1e-6  # a distance of sums that are compared exactly afterwards
_THREE_ZEROS = "000"  # hardly a number, but the end of 1,000


# ---- Errors.


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
    if frame.kind == Kind.CHANCE and any(words.SYNONYMS.get(key) == "p" for key in unknown):
        frame.branches.setdefault("p", {})[len(frame.ids)] = None  # one error is enough
    is_item = bool(frame.kind) and isinstance(frame.container, list) and not is_named
    if len(unknown) == len(item) and _are_labels(item, 0.8 if unknown[1:] else 0.6, most=0.5):
        message = bare(item, is_item)
        if is_item and len(item) == 1:
            (label, child), *_ = item
            pair = child[0] if isinstance(child, tuple) else ("utility", child)
            hint = (
                f"a label in a list is written `{words.flow_text((('label', label), pair), _WIDE)}`"
            )
            message = f"unknown key {quote(label)}: {hint}"
        yield unknown[0], message
        return
    if message := _labels_beside_keys(unknown, values, item is trail.document.root):
        yield unknown[0], message
        return
    allowed = trail.allowed_keys(is_named)
    for key in unknown:
        at = [name for name, _ in item].index(key)
        if whole := words.whole_number(item, at):
            if item[at - 1][0] == "p" and frame.kind == Kind.CHANCE:
                frame.branches["p"][len(frame.ids)] = None  # one error is enough
            hint = f"YAML splits text between braces at a comma: write `{whole}`"
            yield key, f"unknown key {quote(key)}: {hint}"
        else:
            is_weight = frame.kind == Kind.CHANCE and words.SYNONYMS.get(key.lower()) == "p"
            hint = weight_hint(key, frame) if is_weight else ""
            hint = hint or _hint(key, values, allowed)
            yield key, _unknown_key(key, hint, trail, allowed)


def _unknown_key(key: str, hint: str, trail: Trail, allowed: list[str]) -> str:
    if key in ROOT_KEYS or key == SCHEMA_KEY:
        return f"the key {quote(key)} is for the root alone: move it there"
    message = f"unknown key {quote(key)}: {hint}" if hint else words.unknown_key(key, allowed)
    if trail.listed == allowed:
        message, _, _ = message.partition(_LIST)
    elif _LIST in message:
        trail.listed = allowed
    return message


def weight_hint(key: str, frame: Frame) -> str:
    """Return the p to write for the current outcome, if each has a weight under that key."""
    if len(frame.items) > _MAX_WEIGHTS:
        return ""
    found: list[Any] = [dict(item).get(key) for item in frame.items if isinstance(item, tuple)]
    weights = [to_fraction(weight) for weight in found if words.is_number(weight)]
    total = sum(weights)
    if len(weights) < len(frame.items) or total <= 1 + _NEARLY or min(weights) < 0:
        return ""
    weight = weights[len(frame.ids)]
    if total == 100:
        return f"write `p: {exact_text(weight)}%`"
    is_whole = weight.denominator == total.denominator == 1
    return f"write `p: {f'{weight}/{total}' if is_whole else weight / total}`"


def _labels_beside_keys(unknown: Sequence[str], values: dict[str, Data], is_root: bool) -> str:
    """Return the message for labels next to the keys of their parent; nothing for other keys."""
    pairs = tuple((key, values[key]) for key in unknown)
    if not _are_labels(pairs, 0.6):
        return ""
    labels = words.key_list(unknown[:_MAX_LABELS])
    for kind in KINDS:
        if kind in values and (not values[kind] or isinstance(values[kind], tuple)):
            hint = f"for a label, indent {labels} below `{kind}:`"
            if is_root and all(words.is_number(text) for _, text in pairs):
                hint += f"; for a parameter, write `parameters: {words.flow_text(pairs, _WIDE)}`"
            return f"unknown key {quote(unknown[0])}: {hint}"
    keys = [key for key in values if key not in unknown]
    if len(unknown) == 1 or not keys or not {*keys} <= _BESIDE_LABELS:
        return ""
    hint = f"write `chance: {words.flow_text(pairs, _WIDE)}`, or the same with max or min"
    return f"the labels {labels} are next to {words.key_list(keys)}: {hint}"


def bare(data: Data, is_item: bool = True) -> str:
    """Return the message for a list or a mapping of nodes that lacks its kind."""
    text = words.flow_text(data, _WIDE)
    if isinstance(data, list) and len(data) == 1 and words.is_number(data[0]):
        return f"found {text}, expected a node: write {data[0]}, without the brackets"
    for name in _names_of_nodes(data):
        hint = f"define it under the root's `nodes:`, and write `{{ref: {name}}}` where it is meant"
        return f"found {quote(name)} as the name of a node: {hint}"
    if mapping := turned(data):
        return f"found {text} without a kind: if these are probabilities, write `chance: {mapping}`"
    kind, more = "max", ", or the same with min or chance"
    if isinstance(data, tuple) and are_probabilities(data):
        kind, more = "chance", ""
    node = f"{kind}: {text}"
    return f"found {text} without a kind: write `{f'{{{node}}}' if is_item else node}`{more}"


def _names_of_nodes(data: Data) -> list[str]:
    """Return the keys that are children elsewhere, as in `{A: {max: [B]}, B: {min: [1, 2]}}`."""
    nodes = data if isinstance(data, tuple) else ()
    lists = [one for _, node in nodes if isinstance(node, tuple) for _, one in node]
    named = {
        one for some in lists if isinstance(some, list) for one in some if one.__class__ is str
    }
    return [key for key, _ in nodes if key in named]


def report_pairs(trail: Trail, text: str = "(") -> bool:
    """Report children that are pairs in a list, once, and skip them; return whether they are.

    `text` is the current child, if it is text.
    """
    frame = trail.frames[-1]
    if not frame.kind or "(" not in text:
        return False
    at = len(frame.ids)
    if isinstance(frame.container, list):
        fault = "" if at else _fault_of_pairs(frame.kind, frame.container)
    elif (key := frame.container[at][0]) in KINDS and text == "(":
        item = words.flow_text((frame.container[at],))
        hint = f"write a list, `{frame.kind.name.lower()}: [{item}, …]`"
        fault = f"the key {quote(key)} is a label here, and its node has no kind: {hint}"
        frame.branches.pop("label", None)
    else:
        fault = "" if at else _fault_of_labelled_pairs(frame.kind, frame.container)
    if fault:
        trail.report(frame.place(at), fault, own=True)
        frame.items = frame.items[: at + 1]
    return bool(fault)


def text_hint(text: str, trail: Trail, names: Collection[str], is_form: bool) -> str:
    """Return what to write instead of a text that is not a number, the trail's current child.

    `names` are those of nodes. `is_form` is whether the message ends with how numbers are written.
    """
    frame = trail.frames[-1]
    at, label = len(frame.ids), trail.label()
    whole = words.whole_number(frame.container, at) if frame.is_labelled and not text else ""
    missing = "" if text else re.fullmatch(_MISSING_COLON, label[:_MAX_LENGTH])
    call = re.fullmatch(_OPEN_CALL, text[:_MAX_LENGTH].lower())
    outcome = outcome_hint(text[:_MAX_LENGTH]) if is_form and frame.kind == Kind.CHANCE else ""
    if re.match(r"[A-Za-z]\w*:", text):
        return "; or is a space missing after the colon?"
    if text in names:
        return f"; for the node under `nodes:`, write `{{ref: {escape(text)}}}`"
    if whole:
        return f"; YAML splits text between braces at a comma: write `{whole}`"
    if missing:
        return f"; or is `: ` missing, as in `{escape(missing[1][:_WIDE])}: {missing[2]}`?"
    if node := node_form(text) or call and f"{{{call[1]}: [{escape(call[2])}, …]}}":
        return f"; for a node, write `{node}`"
    if outcome:
        return f"; for an outcome, {outcome}"
    numbers = text.split() if is_form and len(text) < _MAX_LENGTH else []
    if numbers[1:] and all(map(words.is_number, numbers)):
        return f"; for several numbers, write `{', '.join(numbers)}`"
    if frame.is_labelled and (meant := label_hint(label, frame.kind, frame.container)):
        return f"; {meant}"
    if text.lower() in NOT_KNOWN_WORDS:
        return '; a terminal that is not known yet is {utility: "?"}'
    return ", or for an inner node a mapping with max, min or chance" if is_form else ""


def _fault_of_pairs(kind: Kind, items: Sequence[Data]) -> str:
    """Return the message about children such as `- a: 1`, `[0.7, 100]` or `(0.7, 100)`."""
    name = kind.name.lower()
    if all(isinstance(item, str) for item in items):
        text = ", ".join(items)
        node = node_form(f"{name}({text})")
        if not _PAIRS.fullmatch(text):
            return f"YAML has no parentheses: write `{node}`" if "{" in node else ""
        items = [[*pair] for pair in _PAIR.findall(text)]
    pairs: list[tuple[str, Data]] = []
    for item in items:
        if isinstance(item, tuple) and len(item) == 1 and item[0][0] not in NODE_KEYS:
            pairs += item
        elif not isinstance(item, list) or not all(isinstance(one, str) for one in item[:-1]):
            return ""
        elif len(item) == 2 and (is_probability(item[0]) or not words.is_number(item[0])):
            pairs.append((item[0], item[1]))
        elif len(item) == 3 and kind == Kind.CHANCE and is_probability(item[1]):
            pairs.append((item[0], (("p", item[1]), ("utility", item[2]))))
        else:
            return ""
    are_by_p = kind == Kind.CHANCE and are_probabilities(pairs)
    if not are_by_p and any(words.is_number(key) for key, _ in pairs) or not _are_labels(pairs):
        return ""
    found = f"a {kind.name} node has a list of pairs such as {words.flow_text(items[0], _WIDE)}"
    if len(dict(pairs)) == len(pairs):
        return f"{found}: write a mapping, `{name}: {words.flow_text(tuple(pairs), _WIDE)}`"
    return f"{found}: write `chance: {list_form(pairs, 'p')}`" if are_by_p else ""


def _fault_of_labelled_pairs(kind: Kind, children: Sequence[tuple[str, Data]]) -> str:
    """Return the message about children such as `rain: [0.3, 5]` or `rain: {0.3: 5}`."""
    if kind != Kind.CHANCE:
        return ""
    meant = {words.SYNONYMS.get(key.lower(), key): value for key, value in children}
    if isinstance(meant.pop("p", None), list) and len(meant) == 1:
        ps = next(value for key, value in children if key == "p" or words.SYNONYMS.get(key) == "p")
        return f"found a list of p: {lists_hint(ps, next(iter(meant.values())))}"
    pairs = []
    for label, pair in children:
        pair = [*pair[0]] if isinstance(pair, tuple) and len(pair) == 1 else pair
        if not isinstance(pair, list) or len(pair) != 2:
            return ""
        p, node = pair
        if isinstance(node, tuple) and "p" in dict(node):  # `[5, p: 0.3]`
            p, node = dict(node)["p"], p
        if not isinstance(p, str) or not is_probability(p):
            return ""
        pairs.append((label, (("p", p), ("utility", node))))
    found = f"a CHANCE node has pairs of a probability and a utility, such as {children[0][0]}"
    return f"{found}: write `chance: {words.flow_text(tuple(pairs), _WIDE)}`"


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
    is_whole = node[0] + node[-1] == "{}" and node.count("{") == node.count("}")
    return node[1:-1] if is_whole else ""


def outcome_hint(text: str) -> str:
    """Return what to write for an outcome such as `0.3 10`, `10 (0.3)` or `+10 p=0.5`."""
    pair = _TWO_NUMBERS.fullmatch(text)
    numbers = pair.groups() if pair else ()
    ps = [number for number in numbers if is_marked(number) and is_probability(number)]
    if not ps:
        return ""
    utility = numbers[numbers[0] == ps[0]]
    return f"write `{{p: {ps[0]}, utility: {utility}}}`" if words.is_number(utility) else ""


def list_form(children: Sequence[tuple[str, Data]], key_is: str) -> str:
    """Return how a mapping from probabilities to nodes is written as a list."""
    items = []
    for key, child in children[:_MAX_SHOWN]:
        first = child[0] if isinstance(child, tuple) and child else ("utility", child)
        items.append(words.flow_text(((key_is, key), first)))
    more = ", …" if len(children) > _MAX_SHOWN else ""
    return f"[{', '.join(items)}{more}]"


def _are_labels(pairs: Sequence[tuple[str, Data]], likeness: float = 0.8, most: float = 0) -> bool:
    """Return whether the keys of pairs are probably labels, and not wrong keys.

    At most that share of them is like a key, as `h` is, which some write for `estimate`.
    """
    alike = 0
    for key, value in pairs[:_MAX_SEEN]:
        word = key.lower()
        if not value or isinstance(value, str) and value[0] not in "+-.0123456789":
            return False
        if not 0 < len(key) <= _MAX_LENGTH or word in NODE_KEYS or word in ROOT_KEYS:
            return False
        is_known = word in words.SYNONYMS or word in words.KIND_SYNONYMS
        alike += bool(is_known or nearest(word, NODE_KEYS, likeness))
    return alike <= most * len(pairs)


def _hint(key: str, values: dict[str, Data], allowed: list[str]) -> str:
    """Return what to write instead of a key that people use for another; nothing if unknown."""
    value, word = values[key], key.lower()
    text, is_inner = words.flow_text(value, _WIDE), isinstance(value, (list, tuple))
    if word in allowed:
        return f"keys are in small letters: write `{word}: {text}`"
    if is_inner and word in words.KIND_SYNONYMS:
        return words.kind_hint(word, "{}: " + text)
    meant = words.SYNONYMS.get(word, "")
    is_kind = isinstance(value, str) and value.lower() in words.KIND_SYNONYMS
    if meant in ("type", "children") or is_kind and _kind_of_children(values):
        return _kind_of_children(values)
    if hint := _hint_of_another_place(key, values, allowed):
        return hint
    if meant == "utility" and any(isinstance(values.get(kind), (list, tuple)) for kind in KINDS):
        meant = "estimate"
    if meant not in NODE_KEYS or is_inner != (meant == "bounds"):
        return ""
    if meant == "p" and meant not in allowed:
        return "a p is for the outcomes of CHANCE: remove it"
    if meant in values:
        return f"keep `{meant}: {words.flow_text(values[meant], _WIDE)}` alone"
    return f"write `{meant}: {text}`"


def _hint_of_another_place(key: str, values: dict[str, Data], allowed: list[str]) -> str:
    """Return what to write for a key whose value has another form or place; nothing for others."""
    value, is_root = values[key], "title" in allowed
    text, meant = words.flow_text(value, _WIDE), words.SYNONYMS.get(key.lower(), "")
    if setting := re.fullmatch(r"(\w+)\s?=\s?(\S+)", "" if value else key):
        return f"write `{setting[1]}: {setting[2]}`"
    if key in _SEARCH_WORDS and is_root:
        return "a search has its options on the command line: try `expectitree eval --help`"
    if key in _WRAPPERS and "nodes" in values:
        return f"write `ref: {text}`"
    if meant == "label" and meant not in allowed:
        return f"write `title: {text}`" if is_root else "the label is the key of the mapping above"
    if meant == "p" and isinstance(value, list):
        return lists_hint(value, values.get("chance"))
    if meant == "utility" and isinstance(value, list) and value and words.is_number(value[0]):
        return f"a terminal has one utility, that of MAX: write `utility: {value[0]}`"
    if meant == "utility" and is_root and any(kind in values for kind in KINDS):
        return f"for the result, write `expect: {{value: {text}}}`"
    return ""


def _kind_of_children(values: dict[str, Data]) -> str:
    """Return what to write for keys such as `type: chance` and `children: [1, 2]`."""
    meant = {words.SYNONYMS.get(key.lower()): value for key, value in values.items()}
    if "children" not in meant:
        return ""
    text = words.flow_text(meant["children"], _WIDE)
    names = [value.lower() for value in values.values() if isinstance(value, str)]
    for name in names:
        if name in words.KIND_SYNONYMS:
            return words.kind_hint(name, "{}: " + text)
    return f"write `max: {text}`, or the same with min or chance"


# ---- Warnings about valid nodes.


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
    if not all(isinstance(text, str) and is_probability(text) for text in texts):
        return ""
    ps: Any = [to_probability(text, exact=True) for text in texts]
    if 100 * abs(sum(ps) - 1) > 1 or set(ps) <= {0, 1}:
        return ""
    labels = [words.text_or_quoted(label) for label, _ in children]
    if not all(map(words.is_number, labels)):
        outcomes = zip(labels, texts, strict=True)
        items = ", ".join(f"{label}: {{p: {p}, utility: …}}" for label, p in outcomes)
        return f"{{{items}}}" if sum(ps) == 1 else ""
    if sum(ps) != 1:
        texts[-1] = REST
    pairs = [*zip(texts, labels, strict=True)]
    if len(set(texts)) == len(texts):
        return f"{{{', '.join(f'{p}: {utility}' for p, utility in pairs)}}}"
    return f"[{', '.join(f'{{p: {p}, utility: {utility}}}' for p, utility in pairs)}]"


# Words, in small letters, that `label_hint` may warn of.
MAY_BE_KEYS = {*NODE_KEYS, *(word for word, key in words.SYNONYMS.items() if key == "p")}


def label_hint(label: str, kind: Kind, children: Sequence[tuple[str, Data]]) -> str:
    """Return the warning about a label that is probably meant as a key."""
    is_p = label == "p" or label not in NODE_KEYS
    if is_p and label != "p" and words.SYNONYMS.get(label.lower()) != "p":
        return ""
    child, others = dict(children)[label], [pair for pair in children if pair[0] != label]
    if is_p and isinstance(child, str) and not _probability(child):
        return ""
    hint = "if it was meant as a key, move it one level up"
    if is_p and isinstance(child, str) and kind == Kind.CHANCE and others:
        first = label_with_p(others[0][0], child, (others[0],))
        hint = f"if it was meant as a key, give each outcome its own p, as in {first}"
        if others[0][0] == "utility":
            item = words.flow_text((("p", child), others[0]))
            hint = f"if these are keys, write a list: `chance: [{item}, …]`"
    return f"{quote(label)} is read as a label here; {hint}"


def label_with_p(label: str, p: str, children: Data, at: int = 0) -> str:
    """Return the outcome `at` with a p, as in a file."""
    child = children[at] if isinstance(children, list) else children[at][1]
    own = child if isinstance(child, tuple) else (("utility", child),)
    own = (("p", p), *[pair for pair in own if pair[0] != "label"][:1])
    if isinstance(children, list):
        return words.flow_text((("label", label), *own))
    return f"{words.flow_text(label)}: {words.flow_text(own)}"


def _turned_warning(children: Data) -> str:
    """Return the warning about `label: probability`."""
    mapping = turned(children)
    if not mapping:
        return ""
    texts = [text for _, text in children]
    shown = ", ".join([*texts[:_MAX_SHOWN], *(["…"] if len(texts) > _MAX_SHOWN else [])])
    total = "1" if f"{REST}:" not in mapping and f": {REST}" not in mapping else "about 1"
    found = f"the utilities {shown} of this CHANCE node sum to {total}"
    return f"{found}: if they are probabilities, write `chance: {mapping}`"


def is_doubtful(kind: Kind, texts: Sequence[Data], numbers: Sequence[Number]) -> bool:
    """Return whether a list of numbers may be a mistake, so that it is not read at once."""
    if kind == Kind.CHANCE and 0 < numbers[0] < 1:
        total: Any = sum(numbers[:-1:2])
        return abs(total - 1) < _NEARLY and bool(_list_warning(kind, texts))
    return _THREE_ZEROS in texts


def _player_warning(kind: Kind, names: Sequence[str], children: Sequence[tuple[str, Data]]) -> str:
    """Return the warning about actions that seem to be outcomes."""
    if not re.search(_NOT_WHOLE, "\n".join(names)):
        return ""
    found = f"the labels {_shown(names)} of this {kind.name} node"
    hint = f"if chance decides here, write chance in place of {kind.name.lower()}"
    if are_probabilities(children):
        total = sum(to_probability(name, exact=True) for name in names if name != REST)
        is_sum = total == 1 or REST in names and total < 1
        return f"{found} are probabilities that sum to 1: {hint}" if is_sum else ""
    numbers = _label_numbers(names)
    if len(numbers) < 2 or sum(number for number, _ in numbers) != 1:
        return ""
    first = label_with_p(names[0], numbers[0][1], children)
    return f"{found} contain numbers that sum to 1: {hint}, and a p, as in {first}"


def _list_warning(kind: Kind, children: Sequence[Data]) -> str:
    """Return the warning about `[0.7, 100, 0.3, 0]`, or about `[1,000, 2]`."""
    ps = [_probability(text) for text in children[:-1:2]]
    if kind != Kind.CHANCE or len(children) % 2 or len(ps) < 2 or None in ps or sum(ps) != 1:
        return _zeros_warning(children)
    if set(ps) <= {0, 1} or not all(isinstance(one, str) for one in children):
        return ""
    pairs = zip(children[::2], children[1::2], strict=True)
    items = ", ".join(f"{{p: {p}, utility: {utility}}}" for p, utility in pairs)
    found = (
        f"every other number of {words.flow_text(list(children))} is read as a utility, and these"
    )
    return f"{found} sum to 1: if they are probabilities, write `chance: [{items}]`"


def _product_warning(children: Data) -> str:
    """Return the warning about `{win: 0.3*10, lose: 0.7*20}`: each p is in the utility."""
    items = [one[-1] if isinstance(children, tuple) else one for one in children[:_MAX_SUMMED]]
    if len(items) < 2 or not all(isinstance(text, str) and "*" in text for text in items):
        return ""
    pairs = [(p.strip(), u.strip()) for p, _, u in (text.partition("*") for text in items)]
    if not all(is_probability(p) for p, _ in pairs) or sum(_probability(p) for p, _ in pairs) != 1:
        return ""
    meant: Any = [(("p", p), ("utility", u)) for p, u in pairs]
    if isinstance(children, tuple):
        meant = tuple((label, one) for (label, _), one in zip(children, meant, strict=False))
    found = f"the factors {_shown([p for p, _ in pairs])} of equally likely utilities sum to 1"
    return f"{found}: if they are probabilities, write `chance: {words.flow_text(meant, _WIDE)}`"


def _zeros_warning(children: Sequence[Data]) -> str:
    """Return the warning about `[1,000, 2]`: a comma within a number."""
    at = children.index(_THREE_ZEROS) if _THREE_ZEROS in children else 0
    if not at or not isinstance(children[at - 1], str):
        return ""
    first = children[at - 1]
    found = f"{first},{_THREE_ZEROS} is read as two numbers"
    return f"{found}: for one, write {first}{_THREE_ZEROS}; for two, write {first}, 0"


def _label_warning(names: Sequence[str], children: Data, parameters: Collection[str]) -> str:
    """Return the warning about labels of equally likely outcomes that seem to be probabilities."""
    if isinstance(children, tuple):
        marked = next((name for name in names if is_marked(name) and is_probability(name)), "")
        other = next((name for name in names if not any(map(str.isdigit, name))), "")
        if marked and other:
            found = f"{quote(marked)} is read as a label, because {quote(other)} is one"
            hint = f"write {{{marked}: …, rest: …}}, or give each a p"
            return f"{found}: these outcomes are equally likely; if that is wrong, {hint}"
        if not parameters:  # `p` may be one that is not defined yet, next to `1-p`
            parameters = {name[1:].strip(" -") for name in names if name[:1] == "1"} & {*names}
        others = [name for name in names if name.lower() != REST]
        rest = [name for name in names if name.lower() == REST]
        rest = rest if others and all(map(_only_number, others)) else []
        if rest or _are_formulas(others, parameters):
            meant = rest or others[:_MAX_SHOWN]
            are = "is read as a label" if len(meant) == 1 else "are read as labels"
            found = f"{words.key_list(meant)} {are}"
            at, p = names.index(meant[0]), REST if rest else meant[0]
            hint = f"give each a p, as in {label_with_p(meant[0], p, children, at)}"
            return f"{found}: these outcomes are equally likely; if that is wrong, {hint}"
    numbers = _label_numbers(names)
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


def _label_numbers(names: Sequence[str]) -> list[tuple[Fraction, str]]:
    """Return the only number in each label, with its text; nothing if a label has none."""
    numbers = [number for name in names[:_MAX_SUMMED] if (number := _only_number(name))]
    return numbers if len(numbers) == len(names) else []


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
    if not label.isascii():
        label = normalize("NFKC", label).replace("\N{FRACTION SLASH}", "/")  # ½ becomes 1/2
    found = _LABEL_NUMBER.findall(label) if len(label) <= _MAX_LABEL_LENGTH else []
    if len(found) != 1 or len(found[0][0]) > _MAX_NUMBER_LENGTH:
        return None
    text = re.sub(r"[ -]*(?:in|out of)[ -]*", "/", found[0][0])
    text = text.replace(" ", "").replace(",", ".")
    try:
        return to_fraction(text.rstrip("%")) / (100 if text[-1] == "%" else 1), text
    except NumberError:
        return None


def _probability(text: Data) -> Any:
    """Return the probability that a text is, as a fraction; None if it is none."""
    is_one = isinstance(text, str) and is_probability(text)
    return to_probability(text, exact=True) if is_one else None


def _shown(texts: Sequence[str]) -> str:
    """Return the first of some texts as a list for a message."""
    if len(texts) <= _MAX_SHOWN:
        return words.key_list(texts)
    return ", ".join([*texts[:_MAX_SHOWN], "…"])
