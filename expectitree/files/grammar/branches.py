"""The branches of a node that is being read: their labels, and the probabilities of outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from expectitree.errors import NumberError, TreeError
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.keys import NODE_KEYS, place_of
from expectitree.files.grammar.problems import MOST_PROBLEMS
from expectitree.files.grammar.values import only_utilities
from expectitree.files.grammar.words import described
from expectitree.numbers import Number, escape, message_text, quote, to_probability
from expectitree.tree.builder import TreeBuilder, label_at
from expectitree.tree.model import Kind
from expectitree.tree.paths import message_path

Warn = Callable[[str], None]

CHANCE = int(Kind.CHANCE)  # an attribute of an enum is slow to read
_INVALID: Any = object()  # replaces a probability that could not be read
_WHY_NO_P = {
    Kind.TERMINAL: "the root has no branch",
    Kind.MAX: "at a MAX node a player picks",
    Kind.MIN: "at a MIN node a player picks",
}


@dataclass(slots=True)
class Frame:
    """A node whose children are being read; at the bottom of the stack, the holder of the root."""

    kind: Kind  # TERMINAL at the bottom of the stack
    items: Sequence[Data]  # the children as written
    container: Data  # the list or mapping that holds them
    nested: int  # nodes within nodes in the text
    about: dict[str, Any] | None = None  # estimate, bounds and note
    identity: object = None  # of a shared node
    place: Place | None = None  # of the estimate, if there is one
    ids: list[int] = field(default_factory=list)  # the children that the table holds already
    labels: list[str | None] | None = None  # may be shorter than the children
    probabilities: list[Number] | None = None  # as far as they are written
    notes: dict[int, str] | None = None  # of branches, by the child's place

    def label(self, at: int) -> str:
        """Return the label of a child, for a path."""
        labels = self.labels or []
        return (labels[at] if at < len(labels) else None) or f"#{at + 1}"


class BranchReader:
    """Reads the labels and probabilities of one document."""

    def __init__(
        self,
        name: str,
        builder: TreeBuilder,
        report: Callable[..., None],
        path: Callable[..., str],
        warn: Warn | None,
    ) -> None:
        self.name, self.builder = name, builder
        self.report, self.path, self.warn = report, path, warn
        self.warnings = 0
        self.probability = cache(lambda text: to_probability(text, builder.exact))

    def read_keys_as_labels(self, frame: Frame) -> None:
        """Take the keys of a mapping as the labels of its values."""
        keys = [str(key) for key, _ in frame.container]
        frame.labels = [*keys]
        for index, label in enumerate(keys):
            if not label or label[0] == "#":
                place = Place(frame.container, index, True)
                frame.labels[index] = None
                frame.labels[index] = self.checked_label(label, index, place)
            elif label in NODE_KEYS and self.warn is not None:
                path = message_path(self.path(own=True))
                self.warn(
                    f"{self.name}: {path}: {quote(label)} is read as a label here; "
                    "if it was meant as a key, indent it less"
                )

    def read_label(self, frame: Frame, item: Data, value: Data) -> None:
        """Read the `label` of the current child."""
        key, at = place_of(item, "label", True), len(frame.ids)
        if not frame.kind:
            self.report(key, "the root has no branch that a label could name: use title")
        elif isinstance(frame.container, tuple):
            self.report(key, "a label next to a label: here the mapping's key is the label")
        elif not isinstance(value, str):
            found = described(value)
            self.report(key._replace(of_key=False), f"found {found} as a label, expected text")
        else:
            labels = frame.labels = frame.labels or []
            labels += [None] * (at - len(labels))
            labels.append(self.checked_label(str(value), at, key._replace(of_key=False)))

    def checked_label(self, label: str, at: int, place: Place) -> str | None:
        try:
            return label_at(label, at + 1)
        except TreeError as error:
            self.report(place, str(error), at=at)
            return None

    def finish_labels(self, frame: Frame) -> None:
        """Fill up the labels, and report each one that a sibling has already."""
        labels = frame.labels = frame.labels or []
        labels += [None] * (len(frame.ids) - len(labels))
        if len(set(labels)) == len(labels):
            return
        seen: set[str | None] = set()
        for index, label in enumerate(labels):
            if label in seen and label is not None:
                is_key = isinstance(frame.container, tuple)
                place = Place(frame.container, index, is_key)
                if not is_key:
                    place = place_of(frame.items[index], "label")
                message = f"duplicate label {quote(label)} among siblings: give each its own"
                self.report(place, message, own=True)
            seen.add(label)

    def read_p(self, frame: Frame, item: Data, value: Data) -> None:
        """Read the `p` of the current child."""
        if frame.kind != CHANCE:
            message = f"a p is for the outcomes of CHANCE, and {_WHY_NO_P[frame.kind]}: take it out"
            self.report(place_of(item, "p", True), message)
            return
        try:
            if not isinstance(value, str):
                expected = "write a number between 0 and 1, such as 1/3 or 10%"
                raise NumberError(f"{described(value)} is not a probability: {expected}")
            probability = self.probability(value)
        except NumberError as error:
            self.report(place_of(item, "p"), f"{error}{only_utilities(value)}")
            probability = _INVALID
        if frame.probabilities is None:
            frame.probabilities = []
        frame.probabilities.append(probability)

    def distribution(self, frame: Frame) -> Sequence[Number]:
        """Return the probabilities of a chance node whose outcomes are all read."""
        count, written = len(frame.ids), frame.probabilities
        if written and len(written) < count:
            self.report_missing_p(frame, len(written))
            return []
        if written and _INVALID in written:
            return []
        try:
            probabilities, divisor = self.builder.distribution(written, count)
        except TreeError as error:
            self.report(Place(frame.container, 0), str(error), own=True)
            return []
        if divisor is not None and self.warn is not None:
            self.warnings += 1
            if self.warnings <= MOST_PROBLEMS:
                self.warn(
                    f"{self.name}: {message_path(self.path(own=True))}: the probabilities sum to "
                    f"{message_text(divisor)}, not 1; each was divided by that sum"
                )
            elif self.warnings == MOST_PROBLEMS + 1:
                self.warn(f"{self.name}: more such sums were divided out")
        return probabilities

    def report_missing_p(self, frame: Frame, count: int) -> None:
        """Report the first outcome without a `p`, where `count` siblings have one."""
        lacks_p = (not isinstance(item, tuple) or "p" not in dict(item) for item in frame.items)
        index = next(index for index, lacks in enumerate(lacks_p) if lacks)
        self.report(
            Place(frame.container, index),
            f"the outcome {escape(frame.label(index))} has no p, and {count} of its siblings "
            f"{'has' if count == 1 else 'have'} one: give every outcome a p, or none",
            own=True,
        )
