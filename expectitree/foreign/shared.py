"""What several formats need: places of translated items, messages in a format's words, formulas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from itertools import chain, count, islice
from typing import Any

from expectitree.base.errors import FileError
from expectitree.base.expressions.syntax import Apply, Expression, Name, Number, fold, text_of
from expectitree.files.grammar.document import Data, Document, Mark, Place
from expectitree.files.rows import Warn
from expectitree.tree.formulas import sum_of
from expectitree.tree.model import Tree

_MAX_NOTES = 20
_NUMBER_LABEL = re.compile("#[0-9]+")


class Translated:
    """Remembers which items of a file the items of a translated structure come from."""

    def __init__(self, source: Document) -> None:
        self.source = source
        self.places: dict[int, Sequence[Place]] = {}  # by the id of a list or mapping

    def mapping(self, fields: Mapping[str, tuple[Data, Place]]) -> Data:
        """Return a mapping of fields, each with the place that it comes from."""
        found = tuple((key, value) for key, (value, _) in fields.items())
        self.places[id(found)] = [place for _, place in fields.values()]
        return found

    def document(self, root: Data) -> Document:
        """Return the translated document."""
        found = replace(self.source, root=root, shared=frozenset(), has_labels=True)
        return replace(found, locate=self.locate)

    def locate(self, places: Sequence[Place]) -> Sequence[Mark | None]:
        """Return line and column of places in the translated structure."""
        known = [(self.places.get(id(place.container)), place.at) for place in places]
        return self.source.locate([origins[at] if origins else Place() for origins, at in known])


def labels_of(names: Sequence[str]) -> list[str | None]:
    """Return a label for each name: None if it is empty, repeated, or a place such as `#1`."""
    counts = Counter(names)
    unfit = {name for name in counts if counts[name] > 1 or _NUMBER_LABEL.fullmatch(name)}
    return [None if name in unfit else name or None for name in names]


def free_name(base: str, is_taken: Callable[[str], bool], separator: str = "_") -> str:
    """Return a name that is not taken: the base, or else with the first free number from 2 on."""
    numbered = (f"{base}{separator}{number}" for number in count(2))
    return next(name for name in chain([base], numbered) if not is_taken(name))


@contextmanager
def own_words(words: Mapping[str, str]) -> Iterator[None]:
    """Raise a `FileError` with other words in its messages: those of a format."""
    try:
        yield
    except FileError as error:
        problems = []
        for problem in error.problems:
            message = problem.message
            for theirs, own in words.items():
                message = message.replace(theirs, own)
            problems.append(replace(problem, message=message))
        raise FileError(problems, error.stopped) from None


def warn_of(notes: Sequence[str], name: str, warn: Warn | None) -> None:
    """Warn of the first notes about a text."""
    if warn is None:
        return
    for note in islice(notes, _MAX_NOTES):
        warn(f"{name}: {note}")
    if len(notes) > _MAX_NOTES:
        warn(f"{name}: more such notes are left out")


# ---- Writing.


def payoff_of(tree: Tree, b: int) -> tuple[Any, Any]:
    """Return what a branch pays, with the utility of a terminal at its end: as written, its value.

    It is written as a formula or as a number.
    """
    columns, formulas, n = tree.columns, tree.formulas, tree.columns.child[b]
    value: Any = tree.reward_of(b)
    written = value if formulas is None else formulas.rewards.get(b, value)
    if columns.kind[n]:
        return written, value
    utility: Any = columns.utility[n]
    own = utility if formulas is None else formulas.nodes.get(n, utility)
    return sum_of(own, written), value + utility


def formula_text(
    formula: Expression, names: Mapping[str, str], has_operation: Callable[[str], bool]
) -> str | None:
    """Return a formula with other names and plain decimals; None if an operation is missing."""

    def combine(part: Expression, operands: list[Any]) -> Expression | None:
        if isinstance(part, Number):
            return Number(plain_decimal(text_of(part)))
        if isinstance(part, Name):
            return Name(names[part.name])
        if None in operands or not has_operation(part.operation):
            return None
        return Apply(part.operation, tuple(operands))

    found = fold(formula, combine)
    return None if found is None else text_of(found)


def plain_decimal(text: str) -> str:
    """Return a number without a percent sign or an exponent."""
    if text.isdigit():
        return text
    sign, digits, exponent = Decimal(text.removesuffix("%")).as_tuple()
    assert isinstance(exponent, int)  # it is finite
    exponent -= 2 if text.endswith("%") else 0
    return f"{Decimal((sign, digits, exponent)):f}"
