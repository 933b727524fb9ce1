"""A tree as text, piece by piece, so that the text may be larger than memory.

A node that several branches lead to is written once, under the root's `nodes`, and as a `ref`
elsewhere. The same goes for a part that would nest too deeply. A node whose children are all
terminals is on one line if it fits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from expectitree.base.errors import NumberError, TreeError
from expectitree.base.expressions.parser import ExpressionError, parse
from expectitree.base.expressions.syntax import Expression, text_of
from expectitree.base.numbers import Number, escape, number_text, quote
from expectitree.base.reading import to_fraction
from expectitree.base.tree import scans
from expectitree.base.tree.columns import NONE, Column, Readable, Repeated, zeros
from expectitree.base.tree.formulas import Amount, Amounts, is_formula, payment_of
from expectitree.base.tree.model import Kind, Tree
from expectitree.files.grammar.document import Fields, FormulaText, NumberText
from expectitree.files.grammar.expect import written_expectation
from expectitree.files.grammar.keys import KINDS
from expectitree.files.grammar.values import NOT_KNOWN, are_probabilities, is_marked

_NESTED = 100  # nodes within nodes; the grammar allows 300, but people like fewer
_WIDE = 110  # characters of a node on one line, unless its children are plain numbers
_MAX_ON_A_LINE = 1_000  # children
_MAX_LABEL_LENGTH = 100  # characters of a key: YAML allows 1,024 bytes, and an escape takes ten
_CHANCE = int(Kind.CHANCE)  # an attribute of an enum is slow to read
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


class Notation:
    """How a text format writes texts, numbers, lists, mappings and a tree: here as JSON.

    Another format overrides what it writes otherwise.
    """

    opening = "{\n"  # before the root's keys
    closing = "\n}\n"  # after them
    margin = "  "  # before each of the root's keys
    separator = ",\n"  # between the items of a list or a mapping over several lines
    item_head = ""  # before an item of a list over several lines

    def quoted(self, text: str) -> str:
        """Return a text, in quotes if it needs them: in JSON, every text."""
        return json.dumps(text, ensure_ascii=not text.isprintable()).replace("\x7f", "\\u007f")

    def number(self, text: str) -> str:
        """Return a number from its text in the grammar; JSON has no fractions."""
        if _JSON_NUMBER.fullmatch(text):
            return text
        return json.dumps(text)

    def brackets(self, is_mapping: bool, margin: str) -> tuple[str, str]:
        """Return the texts before and after the items of a list or a mapping over several lines."""
        opening, closing = "{}" if is_mapping else "[]"
        return f" {opening}\n", f"\n{margin}{closing}"

    def block(self, head: str, indent: int, fields: list[str]) -> tuple[str, int, str]:
        """Return how a mapping over several lines starts, after `head`: its fields but the last.

        Also return the indent of that last field, and how the mapping ends.
        """
        return f"{head}{{{''.join(f'{field}, ' for field in fields)}", indent, "}"

    def fits(self, fields: list[str]) -> bool:
        """Return whether the format allows these fields in a mapping on one line."""
        return True

    def text(self, text: str) -> str:
        """Return a text as the format writes it; raise `TreeError` if it is not Unicode."""
        try:
            text.encode()
        except UnicodeEncodeError:
            raise TreeError(
                f"half of a surrogate pair in {quote(text)} cannot be written\nwrite the "
                "character itself"
            ) from None
        return self.quoted(text)

    def key(self, key: str) -> str:
        """Return a key with its colon."""
        return f"{self.text(key)}:"

    def formula(self, text: str) -> str:
        """Return a formula, in quotes if it needs them."""
        return self.text(text)

    def number_key(self, number: str) -> str:
        """Return a key with its colon from a number, which is given as `number` returns it."""
        if number[0] == '"':
            return f"{number}:"
        return f'"{number}":'

    def flow_key(self, key: str) -> str:
        """Return a key with its colon, in a mapping on one line."""
        return self.key(key)

    def any_key(self, key: object) -> str:
        """Return a key with its colon, in a mapping on one line; it may be a number."""
        if isinstance(key, NumberText):
            return self.number_key(self.number(key))
        return self.flow_key(str(key))

    def flow(self, value: Any) -> str:
        """Return a mapping, a list, a text or a number on one line."""
        if isinstance(value, Mapping):
            pairs = [f"{self.any_key(key)} {self.flow(item)}" for key, item in value.items()]
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join([self.flow(item) for item in value])}]"
        if isinstance(value, NumberText):
            return self.number(value)
        if isinstance(value, FormulaText):
            return self.formula(value)
        if isinstance(value, str):
            return self.text(value)
        return self.number(number_text(value))


def tree_text(tree: Tree, notation: Notation) -> Iterator[str]:
    """Yield the text of a tree, none of whose terminals is an estimate."""
    formulas = tree.formulas
    if formulas.written is not None:
        about = ("title", "source", "unit", "expect", "parameters", "attitude")
        fields = {name: getattr(tree, name) for name in about}
        tree = formulas.written.changed(**fields)  # with the replacements of its refs
    return _TreeWriter(tree, notation).document()


@dataclass(slots=True)
class Block:
    """A node whose children are being written, each on lines of its own."""

    children: Iterator[tuple[str, list[str], int]]  # before it, the fields of its branch, the node
    indent: int
    closing: str  # the text after the last child
    separator: str = ""  # the text before the next child


class _TreeWriter:
    def __init__(self, tree: Tree, notation: Notation) -> None:
        self.tree, self.columns, self.notation = tree, tree.columns, notation
        self.formulas = formulas = tree.formulas
        self.kinds: dict[int, str] = {kind: key for key, kind in KINDS.items()}
        self.kinds[Kind.TERMINAL] = tree.utility_key
        self.named = _named(tree)  # [N] the number in a node's name, 0 if it has no name
        self.pays = tree.columns.pays or bool(formulas.rewards)
        self.defined: Fields = {}  # the definitions of events, as plain data
        self.written_parameters = tree.parameters
        if formulas.defined:
            from expectitree.base.tree.bayes import written_parameters
            from expectitree.files.grammar.definitions import written_definitions

            self.defined = written_definitions(formulas.defined)
            self.written_parameters = written_parameters(tree)
        self.known = {*tree.parameters}  # the names in formulas
        self.known.update(*formulas.replaced.values())
        # Whether terminals are utilities and no more, so that a list of them may be plain.
        self.criteria = tree.criteria
        is_bare = not formulas or (bool(tree.parameters) and not self.criteria)
        self.is_plain = is_bare and not (
            self.pays or tree.notes or tree.local_bounds or tree.unknown
        )
        self.equal: dict[int, Number] = {}  # count of outcomes -> probability if equally likely
        self.number_text = cache(lambda value: notation.number(number_text(value)))
        self.keys = lru_cache(maxsize=1)(self._keys)

    def root_fields(self) -> list[str]:
        """Return the keys of the root alone, without the named nodes."""
        tree, notation = self.tree, self.notation
        about: Fields = {"title": tree.title, "source": tree.source, "unit": tree.unit}
        if tree.attitude is not None:
            from expectitree.files.grammar.definitions import written_attitude

            about["attitude"] = written_attitude(tree.attitude)
        if tree.expect is not None:
            about["expect"] = written_expectation(tree.expect)
        fields = self.pairs(about)
        margin, separator = notation.margin, notation.separator
        opening, closing = notation.brackets(True, margin)
        criteria = {}
        if self.criteria:
            criteria = {name: criterion.about for name, criterion in self.criteria.by_name.items()}
            if not any(criteria.values()):
                fields.append(self.pair("criteria", [*criteria]))
                criteria = {}
        blocks = {"parameters": [*self.parameters()]}
        for key, written in (("criteria", criteria), ("events", self.defined)):
            blocks[key] = [self.pair(name, about) for name, about in written.items()]
        for key, pairs in blocks.items():
            if pairs:
                lines = separator.join([f"{margin}  {pair}" for pair in pairs])
                fields.append(f"{notation.key(key)}{opening}{lines}{closing}")
        if self.criteria:
            objective = notation.formula(text_of(self.criteria.objective))
            fields.append(self.field("objective", objective))
        return fields + self.payment(tree.root_id, NONE)

    def document(self) -> Iterator[str]:
        """Yield the root's keys, the named nodes, and the tree."""
        tree, notation, fields = self.tree, self.notation, self.root_fields()
        margin, separator = notation.margin, notation.separator
        opening, closing = notation.brackets(True, margin)
        yield notation.opening
        is_ref = bool(self.named[tree.root_id])  # the root repeats
        for field in fields + ([] if is_ref else self.own_fields(tree.root_id)):
            yield f"{margin}{field}{separator}"
        if not isinstance(self.named, Repeated):
            yield f"{margin}{notation.key('nodes')}{opening}"
            names = (n for n in tree.first_paths.order if self.named[n])
            items: Iterator[tuple[str, list[str], int]] = (
                (f"{margin}  {self.name(n)}: ", [], n) for n in names
            )
            yield from self.below(Block(items, len(margin) + 2, closing))
            yield separator
        if is_ref:
            yield f"{margin}{self.ref(tree.root_id)}{notation.closing}"
            return
        text, block = self.body(
            tree.root_id, self.value(tree.root_id), margin, len(margin), notation.closing
        )
        yield text
        if block is not None:
            yield from self.below(block)

    def below(self, block: Block) -> Iterator[str]:
        """Yield the children of a block, everything below them, and its closing text."""
        stack = [block]
        while stack:
            block = stack[-1]
            child = next(block.children, None)
            if child is None:
                yield stack.pop().closing
                continue
            text, inner = self.node(block.indent, *child)
            yield f"{block.separator}{text}"
            block.separator = self.notation.separator
            if inner is not None:
                stack.append(inner)

    def node(self, indent: int, head: str, fields: list[str], n: int) -> tuple[str, Block | None]:
        """Return a node after `head`: all on one line if it fits, or the text before a block."""
        if n == NONE:  # a ref, which is among the fields
            if self.notation.fits(fields):
                return f"{head}{_mapping(fields)}", None
            start, indent, end = self.notation.block(head, indent, fields[:-1])
            return f"{start}{fields[-1]}{end}", None
        fields, value = fields + self.own_fields(n), self.value(n)
        line = self.line(n, fields, value)
        if line is not None:
            return f"{head}{line}", None
        return self.body(n, value, *self.notation.block(head, indent, fields))

    def body(
        self, n: int, value: str | None, start: str, indent: int, end: str
    ) -> tuple[str, Block | None]:
        """Return the kind of a node as a key after `start`, and its value or its children."""
        start = f"{start}{self.notation.key(self.kinds[self.columns.kind[n]])}"
        if value is not None:
            return f"{start} {value}{end}", None
        margin, is_mapping = " " * indent, bool(self.keys(n))
        opening, closing = self.notation.brackets(is_mapping, margin)
        head = "" if is_mapping else self.notation.item_head
        children = self.children(n, f"{margin}  {head}")
        return f"{start}{opening}", Block(children, indent + 2, f"{closing}{end}")

    def children(self, n: int, margin: str) -> Iterator[tuple[str, list[str], int]]:
        """Yield the children of a node; one that has a name is a `ref` among the fields."""
        child, keys, head = self.columns.child, self.keys(n), margin
        labelled, equal = keys == "label", keys == "p" or self.is_equally_likely(n)
        for b in self.tree.branches_of(n):
            fields = self.branch_fields(n, b, labelled, equal)
            if labelled:
                head = f"{margin}{self.notation.key(self.tree.branch_label(n, b))} "
            elif keys:
                p = self.number(self.columns.probability[b], n)
                head = f"{margin}{self.notation.number_key(p)} "
            target = self.formulas.links.get(child[b], child[b])
            if self.named[target]:
                yield head, [*fields, self.ref(target), *self.replacements(b)], NONE
            else:
                yield head, fields, target

    # ---- Parts that fit on one line.

    def line(self, n: int, fields: list[str], value: str | None) -> str | None:
        """Return a node on one line, None if it does not fit."""
        if value is None or not self.notation.fits(fields):
            return None
        kind = self.columns.kind[n]
        if not (kind or fields or self.is_unknown(n)) and self.is_bare(n):
            return value
        return _mapping([*fields, self.field(self.kinds[kind], value)])

    def value(self, n: int) -> str | None:
        """Return the utility or the children of a node on one line, None if they do not fit."""
        tree, kind, child = self.tree, self.columns.kind, self.columns.child
        if not kind[n]:
            return self.utility(n)
        branches = tree.branches_of(n)
        if len(branches) > _MAX_ON_A_LINE:
            return None
        links = self.formulas.links
        if any(kind[child[b]] or self.named[child[b]] or child[b] in links for b in branches):
            return None
        if self.is_plain and not self.labels(n) and self.is_equally_likely(n):
            return f"[{', '.join([self.utility(child[b]) for b in branches])}]"
        items = []
        for head, fields, c in self.children(n, ""):
            item = self.line(c, fields + self.own_fields(c), self.utility(c))
            if item is None:
                return None
            items.append(f"{head}{item}")
        opening, closing = "{}" if self.keys(n) else "[]"
        whole = f"{opening}{', '.join(items)}{closing}"
        if len(whole) <= _WIDE:
            return whole
        return None

    def name(self, n: int) -> str:
        named, name = self.formulas.named, f"n{self.named[n]}"
        while name in named.values():
            name += "_"
        return self.notation.text(named.get(n, name))

    def ref(self, n: int) -> str:
        return self.field("ref", self.name(n))

    # ---- Keys and values.

    def field(self, key: str, value: str) -> str:
        """Return a key and its value, which is written as the notation has it."""
        return f"{self.notation.key(key)} {value}"

    def pair(self, key: str, value: object) -> str:
        return self.field(key, self.notation.flow(value))

    def pairs(self, about: Fields) -> list[str]:
        return [self.pair(key, value) for key, value in about.items() if value is not None]

    def is_unknown(self, n: int) -> bool:
        utility = self.columns.utility[n]
        return bool(utility != utility)

    def is_bare(self, n: int) -> bool:
        """Return whether a terminal is its utility alone; a formula needs the root's parameters."""
        needs_key = self.criteria or not self.tree.parameters
        return n not in self.formulas.nodes or not needs_key

    def formula(self, expression: Expression) -> str:
        """Return the text of a formula; a formula that is a single number is written as one.

        Of an objective of amounts, return the amounts.
        """
        if isinstance(expression, Amounts) and self.criteria:
            return _mapping([self.field(name, self.formula(p)) for name, p in expression.amounts])
        text = text_of(expression)
        try:
            to_fraction(text)
        except NumberError:
            return self.notation.formula(text)
        return self.notation.number(text)

    def reward(self, reward: Expression, n: int, b: int) -> str:
        """Return the formula of a reward; a sum of several may exceed the limits of the grammar."""
        if isinstance(reward, Amounts):
            return self.formula(reward)
        text = text_of(reward)
        try:
            parse(text, self.known)
        except ExpressionError as error:
            path = escape(self.tree.path_of(n, b))
            raise TreeError(
                f"{path}: a formula of {len(text):,} characters, a sum of rewards, cannot be "
                f"written: {error.lines}"
            ) from None
        return self.formula(reward)

    def parameters(self) -> Iterator[str]:
        for name, parameter in self.written_parameters.items():
            about: Fields = {"range": parameter.range, "unit": parameter.unit}
            about["description"] = parameter.description
            if parameter.distribution is not None:
                about["distribution"] = parameter.distribution.written
                drawn = self.tree.parameters  # a parameter that is set has no distribution
                pairs = parameter.correlation.items()
                about["correlation"] = {k: x for k, x in pairs if drawn[k].distribution} or None
            if parameter.table:
                value = _mapping(self.pairs({**parameter.table, **about}))
            elif fields := self.pairs(about):
                value = _mapping([self.field("value", self.formula(parameter.value)), *fields])
            else:
                value = self.formula(parameter.value)
            yield self.field(name, value)

    def utility(self, n: int) -> str:
        return self.amount(self.formulas.nodes.get(n, self.columns.utility[n]), n)

    def amount(self, value: Amount, n: int) -> str:
        """Return a number or a formula at a node, or `?`."""
        if is_formula(value):
            return self.formula(value)
        if value != value:
            return self.notation.text(NOT_KNOWN)
        return self.number(value, n)

    def number(self, value: Number, n: int) -> str:
        try:
            return self.number_text(value)
        except TreeError as error:
            raise TreeError(f"{escape(self.tree.path_of(n))}: {error.lines}") from None

    def branch_fields(self, n: int, b: int, labelled: bool, equal: bool) -> list[str]:
        tree, fields = self.tree, []
        if not labelled and tree.label[b] is not None:
            fields.append(self.pair("label", tree.label[b]))
        if self.columns.kind[n] == Kind.CHANCE and not equal:
            p = self.formulas.probabilities.get(b, self.columns.probability[b])
            fields.append(self.field("p", self.amount(p, n)))
        if self.pays:
            fields += self.payment(n, b)
        if b in tree.branch_notes:
            fields.append(self.pair("note", tree.branch_notes[b]))
        return fields

    def replacements(self, b: int) -> list[str]:
        """Return the formulas that replace parameters below a branch as a field, if there are."""
        replaced = self.formulas.replaced.get(b, {})
        pairs = [self.field(name, self.formula(part)) for name, part in replaced.items()]
        if not pairs:
            return []
        return [self.field("with", _mapping(pairs))]

    def payment(self, n: int, b: int) -> list[str]:
        """Return the reward of a branch of node n as a field."""
        return self.paid(self.formulas.rewards.get(b, self.tree.reward_of(b)), n, b)

    def paid(self, reward: Amount, n: int, b: int = NONE) -> list[str]:
        """Return a reward at node n as a field; a negative one is a cost."""
        if is_formula(reward):
            key, formula = payment_of(reward)
            return [self.field(key, self.reward(formula, n, b))]
        if reward < 0:
            return [self.field("cost", self.number(-reward, n))]
        if not reward:
            return []
        return [self.field("reward", self.number(reward, n))]

    def own_fields(self, n: int) -> list[str]:
        tree, formulas, fields = self.tree, self.formulas, []
        if self.columns.kind[n] and (n in formulas.nodes or not self.is_unknown(n)):
            fields.append(self.field("estimate", self.utility(n)))
        if n in formulas.endings:
            condition, utility = formulas.endings[n]
            fields.append(self.field("until", self.notation.formula(text_of(condition))))
            if utility:
                fields.append(self.field(tree.utility_key, self.amount(utility, n)))
        if n in tree.local_bounds:
            ends = ", ".join(self.number(end, n) for end in tree.local_bounds[n])
            fields.append(self.field("bounds", f"[{ends}]"))
        if n in formulas.events:
            fields.append(self.pair("event", formulas.events[n]))
        if n in formulas.at_nodes:
            fields += self.paid(formulas.at_nodes[n], n)
        if n in tree.notes:
            fields.append(self.pair("note", tree.notes[n]))
        return fields

    def labels(self, n: int) -> list[str]:
        label = self.tree.label
        if isinstance(label, Repeated):
            return []
        return [text for b in self.tree.branches_of(n) if (text := label[b]) is not None]

    def _keys(self, n: int) -> str:
        """Return whether children are written by their `label` or by their `p`; nothing for a list.

        In a mapping, `#k` labels those without a label. A label that is too long for a key, or that
        would be read as a probability, is next to its node, in a list.
        """
        labels, is_chance = self.labels(n), self.columns.kind[n] == _CHANCE
        if labels:
            is_list = is_chance and are_probabilities([*zip(labels, labels, strict=True)])
            if is_list or max(map(len, labels)) > _MAX_LABEL_LENGTH:
                return ""
            return "label"
        if not is_chance or self.is_equally_likely(n):
            return ""
        if self.columns.first[n] in self.formulas.probabilities:
            return ""
        probability = self.columns.probability
        keys = [self.number(probability[b], n) for b in self.tree.branches_of(n)]
        is_short = max(map(len, keys)) <= _MAX_LABEL_LENGTH
        is_mapping = is_short and len(set(keys)) == len(keys) and all(map(is_marked, keys))
        if is_mapping:
            return "p"
        return ""

    def is_equally_likely(self, n: int) -> bool:
        """Return whether a reader finds the probabilities without any `p`."""
        formulas, branches = self.formulas, self.tree.branches_of(n)
        if self.columns.kind[n] != _CHANCE:
            return True
        if formulas.events.get(n) in formulas.defined:
            return True
        if branches[0] in formulas.probabilities:
            return False
        probability = self.columns.probability
        count = len(branches)
        if count not in self.equal:
            self.equal[count] = (probability[branches[0]] * 0 + 1) / count
        return all(probability[b] == self.equal[count] for b in branches)


def _mapping(fields: Sequence[str]) -> str:
    return f"{{{', '.join(fields)}}}"


def _named(tree: Tree) -> Readable[int]:
    """Return [N] the number of each node under `nodes`, in the order of a walk; 0 of the others."""
    order, depth = tree.first_paths.order, tree.first_paths.depth
    formulas = tree.formulas
    # The note of a branch is next to a `ref`, and so are its replacements.
    noted = {tree.columns.child[b] for b in (*tree.branch_notes, *formulas.replaced)}
    noted -= formulas.links.keys()
    noted.update(formulas.links.values(), formulas.endings, formulas.at_nodes)
    numbers: Column = zeros("i", len(tree))
    if tree.is_sharing:
        tree.columns.scan(scans.number_shared, order, numbers)
    elif tree.heights[-1] < _NESTED and not noted:
        return Repeated(0, len(tree))
    count = 0
    for n in order:
        if numbers[n] or n in noted or (depth[n] and depth[n] % _NESTED == 0):
            count += 1
            numbers[n] = count
    if count:
        return numbers
    return Repeated(0, len(tree))
