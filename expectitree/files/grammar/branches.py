"""The branches of a node that is being read: their labels, and the probabilities of outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from expectitree.base.errors import ExpectitreeError, TreeError, WarningText
from expectitree.base.expressions.syntax import Name
from expectitree.base.numbers import Number, escape, message_text, quote
from expectitree.base.reading import to_probability, written_like
from expectitree.base.rounding import sum_of
from expectitree.base.tree.builder import TreeBuilder, label_at
from expectitree.base.tree.columns import NORMALIZED, SUM_TOLERANCE, Labels
from expectitree.base.tree.formulas import P_REST, REST, Amount, is_formula, negative_of
from expectitree.base.tree.model import Kind
from expectitree.base.tree.paths import message_path
from expectitree.files.grammar.advice import list_form, lists_hint, weight_hint
from expectitree.files.grammar.document import MAX_PROBLEMS, Data, Place, place_of
from expectitree.files.grammar.doubts import MAY_BE_KEYS, Written, label_hint, node_warning
from expectitree.files.grammar.keys import BRANCH_VALUES, NODE_KEYS, PAYMENTS
from expectitree.files.grammar.trail import Frame, Trail
from expectitree.files.grammar.values import HINT_OF_SUM, REST_AS_VALUE, ValueReader, is_probability
from expectitree.files.grammar.words import flow_text, is_number
from expectitree.files.rows import Warn

CHANCE = int(Kind.CHANCE)  # an attribute of an enum is slow to read
_WHY_NO_P = {
    Kind.TERMINAL: "the root has no branch",
    Kind.MAX: "at a MAX node a player picks",
    Kind.MIN: "at a MIN node a player picks",
}


class BranchReader:
    """Reads the values at the branches of one document."""

    def __init__(self, trail: Trail, values: ValueReader, builder: TreeBuilder, warn: Warn) -> None:
        self.trail, self.values, self.builder, self.warn = trail, values, builder, warn
        self.warnings = 0
        self.has_costs = False  # whether a branch has a cost, which makes its total smaller

    def read(self, frame: Frame, item: Data, key: str, data: Data) -> None:
        """Read a value that the current child has for its branch."""
        message = ""
        if key == "p":
            if frame.kind != CHANCE:
                why = _WHY_NO_P[frame.kind]
                message = f"a p is for the outcomes of CHANCE, and {why}\nremove it"
                if frame.kind:
                    message += f", or write chance in place of {frame.kind.name.lower()}"
                if isinstance(data, (list, tuple)):
                    message = f"a list of p: {lists_hint(data, dict(item).get('chance'))}"
            elif frame.is_keyed_by_p:
                p = frame.text_of_p(len(frame.ids))
                message = f"the key {quote(p)} is this outcome's p already\nremove this p"
                message += f"; if the key is a label, write a list: `[{{label: {p}, p: …}}, …]`"
                frame.branches["p"][len(frame.ids)] = None
        elif key in ("label", "with"):
            message = _fault_of_place(frame, item, key)
        if message:
            self.trail.report(place_of(item, key, True), message)
            return
        is_whole = key == "p" and isinstance(data, str) and data.isdecimal() and data != "0"
        if is_whole and (hint := weight_hint("p", frame)):
            self.trail.report(place_of(item, key), f"{quote(data)} is not a probability\n{hint}")
            value = None
        elif key in PAYMENTS:
            value, key = self.payment(item, key, data), "reward"
        else:
            value = self.values.attempt(BRANCH_VALUES[key], data, item, key)
        frame.branches.setdefault(key, {})[len(frame.ids)] = value

    def payment(self, item: Data, key: str, data: Data) -> Amount:
        """Return what a reward or a cost pays MAX; 0 after a report.

        Report a reward next to a cost, and warn of a negative cost.
        """
        value: Amount | None = self.values.attempt(BRANCH_VALUES[key], data, item, key)
        if value is None:
            return 0
        if key == "cost" and any(pair[0] == "reward" for pair in item):
            message = "a reward and a cost at one node\nwrite one of them, with the difference"
            if self.values.criteria:
                message = "a reward and a cost at one node\nwrite the cost in the reward"
            self.trail.report(place_of(item, key, True), message)
        is_ours = not self.trail.document.has_labels
        if key == "cost" and is_ours and not is_formula(value) and value < 0:
            gain = message_text(-value)
            hint = f"if that is right, write `reward: {gain}`; otherwise write `cost: {gain}`"
            self.warn_of(
                f"a cost of {message_text(value)} pays MAX {gain}\n{hint}", of_parent=False
            )
        if key != "cost" or self.values.criteria:
            return value
        self.has_costs |= is_ours
        return negative_of(value)

    def read_keys(self, frame: Frame) -> None:
        """Read the probabilities that are the keys of a mapping; equal keys are two outcomes."""
        read: dict[int, Any] = {}
        for index, (key, _) in enumerate(frame.container):
            place = Place(frame.container, index, True)
            try:
                read[index] = self.values.probability(key)
            except ExpectitreeError as error:
                read[index] = None
                self.trail.report(place, error, index=index)
        frame.branches["p"] = read

    def labels(self, frame: Frame) -> Labels | None:
        """Return the labels of a node's branches as the column holds them, None if it has none."""
        written = frame.branches.get("label")
        if written is None:
            return None
        seen: set[str | None] = {None}
        may_be_keys = frame.is_labelled and not self.trail.document.has_labels
        for index, label in written.items():
            try:
                written[index] = None if label is None else label_at(label, index + 1)
            except TreeError as error:
                written[index] = None
                self.trail.report(frame.place_of_label(index), error, index=index)
            if written[index] in seen and written[index] is not None:
                message = f"duplicate label {quote(label)} among siblings\ngive each its own"
                if frame.is_labelled and label in NODE_KEYS:
                    item = flow_text(frame.container[: len({k for k, _ in frame.container})])
                    message = (
                        f"the key {quote(label)} occurs twice\nwrite a list, "
                        f"`{frame.kind.name.lower()}: [{item}, …]`"
                    )
                elif frame.is_labelled and is_number(frame.items[index]) and frame.kind == CHANCE:
                    p = f"{label}%: {frame.items[index]}"
                    message += f"; for a probability, write `{p}`" * is_probability(f"{label}%")
                self.trail.report(frame.place_of_label(index), message, of_parent=True)
            seen.add(label)
            if may_be_keys and label and label.lower() in MAY_BE_KEYS:
                self.warn_of(label_hint(label, frame.kind, frame.container))
        return [*map(written.get, range(len(frame.ids)))]

    def distribution(self, frame: Frame) -> Sequence[Number]:
        """Return the probabilities of a chance node whose outcomes are all read."""
        count, written = len(frame.ids), frame.branches.get("p")
        if written and len(written) < count:
            index = next(index for index in range(count) if index not in written)
            siblings = f"{len(written)} of its siblings have one"
            if len(written) == 1:
                siblings = "1 of its siblings has one"
            message = f"the outcome {escape(frame.label(index))} has no p, and {siblings}"
            message = f"{message}\ngive every outcome a p, or none"
            self.trail.report(frame.place(index), message, of_parent=True)
            return []
        if written and None in written.values():
            return []
        numbers = [*written.values()] if written else None
        if self.values.has_formulas and written and any(map(is_formula, written.values())):
            for index, p in written.items():
                if not is_formula(p):  # a number, or `rest`
                    text = frame.text_of_p(index)
                    written[index] = Name(REST) if p == REST else self.values.parse(text)
            numbers = self.values.constants([*written.values()]) if self.values.normalizes else None
            if not numbers:
                frame.formulas = written
                return []
        try:
            if self.values.has_rest and written and REST in written.values():
                texts = {
                    index: frame.text_of_p(index) for index, p in written.items() if p is not REST
                }
                numbers = _with_rest(written, texts)
            if not frame.is_keyed_by_p:
                return self.divided(numbers, count)
            return self.divided(numbers, count, rest=REST_AS_VALUE)
        except TreeError as error:
            place = frame.place(0)
            if frame.is_keyed_by_p:
                place = Place(frame.container, 0, True)
                labels = list_form(frame.container, "label")
                error = error.with_hint(f"{error.hint}; for labels, write `{labels}`")
            self.trail.report(place, error, of_parent=True)
            return []

    def divided(
        self,
        written: Sequence[Number] | None,
        count: int,
        about: str = "",
        rest: str = P_REST,
    ) -> Sequence[Number]:
        """Return probabilities that sum to 1: divided by their sum, with a warning, if it is near.

        The warning begins with `about`. Raise `TreeError` for any other sum, with `rest` to write.
        """
        tolerance = NORMALIZED if self.values.normalizes else SUM_TOLERANCE
        try:
            probabilities, divisor = self.builder.distribution(written, count, tolerance)
        except TreeError as error:
            raise error.with_hint(HINT_OF_SUM.format(rest)) from None
        if divisor is not None:
            self.warn_of(
                f"{about}the probabilities sum to {message_text(divisor)}, not 1; each was "
                "divided by that sum"
            )
        return probabilities

    def check(self, frame: Frame) -> None:
        """Warn if a node whose branches are all read was probably meant otherwise."""
        if self.trail.document.has_labels or frame.branches.get("p") or frame.about.get("event"):
            return
        names = [name for name in frame.branches.get("label", {}).values() if name is not None]
        if len(names) < len(frame.ids):
            names = []
        if names or (isinstance(frame.container, list) and _has_texts(frame.container)):
            parameters = self.values.parameters or ()
            self.warn_of(node_warning(Written(frame.kind, names, frame.container, parameters)))

    def warn_of(self, message: str, of_parent: bool = True) -> None:
        """Warn of something at the node that is being closed, but not too often.

        Without `own`, it is at the current child. An empty message is none. After an error there is
        no warning: its advice may be about the same mistake.
        """
        if not message or self.trail.found:
            return
        self.warnings += 1
        name, path = self.trail.document.name, message_path(self.trail.path(of_parent))
        if self.warnings <= MAX_PROBLEMS:
            self.warn(WarningText(name, message, path))
        elif self.warnings == MAX_PROBLEMS + 1:
            self.warn(WarningText(name, "more such warnings are left out"))


def _has_texts(children: Sequence[Data]) -> bool:
    return any(isinstance(child, str) for child in children)


def _fault_of_place(frame: Frame, item: Data, key: str) -> str:
    """Return the message about a label or a `with` where there can be none, or nothing."""
    if key == "label" and not frame.kind:
        return "the root has no branch that a label could name\nuse title"
    if key == "label" and frame.is_labelled:
        return "a label next to a label: here the mapping's key is the label\nremove this one"
    if key == "with" and all(pair[0] != "ref" for pair in item):
        return "a with without a ref\nwrite it next to the `ref` of a node under `nodes`"
    if key == "with" and not frame.kind:
        return "a with at the root\nchange the values under `parameters`"
    return ""


def _with_rest(written: Mapping[int, Any], texts: Mapping[int, str]) -> list[Number]:
    """Return the probabilities, with a number in place of each `rest`.

    Several `rest` share equally what the others leave of 1. That is computed exactly, from the
    texts of the others: 0.7 leaves 0.3.
    """
    others = [to_probability(text, exact=True) for text in texts.values()]
    total = sum_of(others)
    if total > 1:
        raise TreeError(
            f"the probabilities sum to {message_text(total)} without the rest, expected at "
            "most 1\ncorrect them"
        )
    share = written_like(others, (1 - total) / (len(written) - len(texts)))
    return [share if value is REST else value for value in written.values()]
