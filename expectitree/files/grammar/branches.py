"""The branches of a node that is being read: their labels, and the probabilities of outcomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from expectitree.errors import NumberError, TreeError
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.keys import NODE_KEYS, NOT_KNOWN, ONLY_UTILITIES, place_of
from expectitree.files.grammar.problems import MOST_PROBLEMS
from expectitree.files.grammar.words import described
from expectitree.numbers import Number, escape, message_text, quote, to_probability
from expectitree.tree.builder import TreeBuilder, label_at
from expectitree.tree.paths import message_path

Warn = Callable[[str], None]

_UNREAD: Any = object()  # stands for a probability that could not be read


class Frame:
    """A node whose children are being read (or, at the bottom of the stack, what holds the root)."""

    # What few nodes have is a class attribute until it is there: making a frame is a fifth of
    # reading JSON.
    written: list[Number] | None = None  # probabilities, where given
    about: dict[str, Any] | None = None  # estimate, bounds, note
    notes: dict[int, str] | None = None  # beside a ref, by the child's place
    memo: object = None  # what this node is known by, where it is shared
    place = Place()
    differ = False  # the labels are known to

    def __init__(self, kind: int, items: Sequence[Data], container: Data, nested: int) -> None:
        self.kind = kind  # 0 at the bottom of the stack
        self.items = items  # the children as written
        self.container = container  # what holds them in the document
        self.nested = nested  # nodes within nodes in the text
        self.ids: list[int] = []  # of the children that are in the table
        self.labels: Any = None  # a list, or a tuple where nothing is left to say of them


class Branches:
    """Reads what belongs to branches, for one document; `report` and `path` are the reader's."""

    def __init__(
        self,
        name: str,
        builder: TreeBuilder,
        report: Callable[..., None],
        path: Callable[..., str],
        warn: Warn | None,
    ) -> None:
        self.name, self.builder, self.exact = name, builder, builder.exact
        self.report, self.path, self.warn = report, path, warn
        self.warnings = 0
        self.probabilities: dict[str, Number] = {}  # by their text

    def read_labels(self, frame: Frame, pairs: Data) -> None:
        """Take the keys of a mapping as the labels of its values, looking at each."""
        frame.labels = []
        for index, (key, _) in enumerate(pairs):
            frame.labels.append(
                self.checked_label(key, index + 1, Place(pairs, index, True), f"#{index + 1}")
            )

    def doubt_labels(self, labels: Sequence[str]) -> None:
        """Warn of labels that look like keys one level too deep."""
        for label in labels:
            if label in NODE_KEYS and self.warn is not None:
                self.warn(
                    f"{self.name}: {message_path(self.path(own=True))}: {quote(label)} is read as a label here; "
                    "if it was meant as a key, indent it less"
                )

    def checked_label(
        self, label: str, place: int, where: Place, child: str | None = None
    ) -> str | None:
        try:
            return label_at(str(label), place)
        except TreeError as error:
            self.report(where, str(error), child=child)
            return None

    def read_label(self, frame: Frame, place: int, item: Data, value: Data) -> None:
        where = place_of(item, "label")
        if not frame.kind:
            self.report(
                place_of(item, "label", True),
                "the root has no branch that a label could name: use title",
            )
        elif frame.container.__class__ is tuple:
            self.report(
                place_of(item, "label", True),
                "a label beside a label: here the mapping's key is the label",
            )
        elif not isinstance(value, str):
            self.report(where, f"found {described(value)} as a label, expected text")
        else:
            frame.labels = frame.labels or []
            frame.labels.extend([None] * (place - len(frame.labels)))
            frame.labels.append(self.checked_label(value, place + 1, where))

    def check_labels(self, frame: Frame, labels: list[str | None]) -> None:
        """Report each label that a sibling has already."""
        if len(set(labels)) + max(labels.count(None) - 1, 0) == len(labels):
            return
        seen: set[str] = set()
        for index, label in enumerate(labels):
            if label is not None and label in seen:
                where = Place(frame.container, index, frame.container.__class__ is tuple)
                item = frame.items[index]
                if frame.container.__class__ is list and isinstance(item, tuple):
                    where = place_of(item, "label")
                self.report(
                    where,
                    f"duplicate label {quote(label)} among siblings: give each its own",
                    own=True,
                )
            seen.add(label or "")

    def takes_p(self, frame: Frame, value: Data) -> bool:
        """Give an outcome a probability that was read before; say whether it is one."""
        known = self.probabilities.get(value) if value.__class__ is str else None
        if known is None or frame.kind != 3:
            return False
        if frame.written is None:
            frame.written = []
        frame.written.append(known)
        return True

    def read_p(self, frame: Frame, item: Data, value: Data) -> None:
        if self.takes_p(frame, value):
            return
        if frame.written is None:
            frame.written = []
        where = place_of(item, "p")
        if frame.kind != 3:
            above = (
                "the root has no branch"
                if not frame.kind
                else f"at a {('', 'MAX', 'MIN')[frame.kind]} node a player picks"
            )
            self.report(
                where._replace(of_key=True),
                f"a p is for the outcomes of CHANCE, and {above}: take it out",
            )
            return
        if not isinstance(value, str):
            self.report(
                where,
                f"{described(value)} is no probability: write a number between 0 and 1, such as 1/3 or 10%",
            )
            known = _UNREAD
        else:
            try:
                known = self.probabilities[value] = to_probability(value, self.exact)
            except NumberError as error:
                self.report(where, f"{error}{ONLY_UTILITIES if value == NOT_KNOWN else ''}")
                known = _UNREAD
        frame.written.append(known)

    def distribution(self, frame: Frame) -> Sequence[Number]:
        """Return the probabilities of a chance node whose outcomes are all read."""
        count, written = len(frame.ids), frame.written
        if written and len(written) < count:
            for index, item in enumerate(frame.items):
                if not isinstance(item, tuple) or "p" not in dict(item):
                    label = frame.labels[index] if frame.labels else None
                    message = (
                        f"the outcome {escape(label or f'#{index + 1}')} has no p, and {len(written)} of its "
                        f"siblings {'has' if len(written) == 1 else 'have'} one: give every outcome a p, or none"
                    )
                    self.report(Place(frame.container, index), message, own=True)
                    break
            return []
        if written and _UNREAD in written:
            return []
        try:
            probabilities, divided = self.builder.distribution(written, count)
        except TreeError as error:
            self.report(Place(frame.container, 0), str(error), own=True)
            return []
        if divided is not None and self.warn is not None:
            self.warnings += 1
            if self.warnings <= MOST_PROBLEMS:
                self.warn(
                    f"{self.name}: {message_path(self.path(own=True))}: the probabilities sum to "
                    f"{message_text(divided)}, not 1; each was divided by that sum"
                )
            elif self.warnings == MOST_PROBLEMS + 1:
                self.warn(f"{self.name}: there are more such sums, divided out alike")
        return probabilities


def are_plain(labels: Sequence[str]) -> bool:
    """Say whether labels need no closer look: they differ, none is empty, and none could be `#k`."""
    return len(set(labels)) == len(labels) and "" not in labels and "#" not in "".join(labels)
