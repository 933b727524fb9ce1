"""What several formats need: translation into the grammar's structure, names, formulas."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, count
from typing import TypeAlias, TypeVar
from unicodedata import combining, normalize

from expectitree.base.errors import (
    NESTED,
    FileError,
)
from expectitree.base.numbers import escape
from expectitree.base.tree import paths
from expectitree.base.tree.model import Tree
from expectitree.files.grammar.document import (
    Data,
    Document,
    Mark,
    Place,
    Problems,
    TooManyProblemsError,
    warn_of_each,
)
from expectitree.files.grammar.reader import read_tree
from expectitree.files.rows import Warn

Field: TypeAlias = tuple[Data, Place]  # a value, and where it is written
Fields: TypeAlias = dict[str, Field]  # of a mapping, by key
Path: TypeAlias = tuple[str, ...]  # the labels from the root
Node = TypeVar("Node")
Read = TypeVar("Read")
_NUMBER_LABEL = re.compile("#[0-9]+")


class Translation:
    """The translation of a file into the structure that the grammar reads."""

    def __init__(self, source: Document) -> None:
        self.source = source
        self.problems = Problems(source)
        self.notes: list[str] = []  # warnings
        # By the id of a list or mapping in the result, where its items come from.
        self.places: dict[int, Sequence[Place]] = {}

    def tree(self, root: Callable[[], Data], warn: Warn, exact_nodes: int) -> Tree:
        """Return the tree of what a function translates; raise `FileError` with every problem."""
        translated = self.checked(root)
        document = replace(self.source, root=translated, shared=frozenset(), has_labels=True)
        tree = read_tree(replace(document, locate=self.locate), warn, exact_nodes=exact_nodes)
        self.warn_of_notes(warn)
        return tree

    def warn_of_notes(self, warn: Warn) -> None:
        """Pass the first notes on."""
        warn_of_each(warn, escape(self.source.name), self.notes)

    def checked(self, read: Callable[[], Read]) -> Read:
        """Return what a function reads; raise `FileError` with every problem that it reports."""
        with suppress(TooManyProblemsError):
            result = read()
        self.raise_any()
        return result

    def raise_any(self) -> None:
        """Raise `FileError` if there are problems so far."""
        if self.problems.found:
            raise self.problems.failure()

    def mapping(self, fields: Fields) -> Data:
        """Return a mapping, and remember where its items come from."""
        pairs = tuple((key, value) for key, (value, _) in fields.items())
        self.places[id(pairs)] = [place for _, place in fields.values()]
        return pairs

    def locate(self, places: Sequence[Place]) -> Sequence[Mark | None]:
        """Return line and column of places in the result."""
        known = [(self.places.get(id(place.container)), place.at) for place in places]
        return self.source.locate([origins[at] if origins else Place() for origins, at in known])

    def report(self, place: Place, path: Sequence[str], message: str) -> None:
        """Report a problem; `path` has the labels from the root."""
        self.problems.add(place, paths.join(path), message)

    def note(self, path: Sequence[str], message: str) -> None:
        """Note something that is left out or ignored."""
        self.notes.append(f"{paths.message_path(paths.join(path))}: {message}")


def walk(root: Node, open: Callable[[Node], Iterable[Node]]) -> None:
    """Open a node, and those that `open` returns: the first, with all below it, before the next."""
    stack = [root]
    while stack:
        stack += reversed([*open(stack.pop())])


def labels_of(names: Sequence[str]) -> list[str | None]:
    """Return a label for each name: None if it is empty, repeated, or a place such as `#1`."""
    counts = Counter(names)
    unfit = {name for name in counts if counts[name] > 1 or _NUMBER_LABEL.fullmatch(name)}
    return [None if name in unfit else name or None for name in names]


def without_accents(text: str) -> str:
    """Return a text whose letters and digits are as plain as Unicode has them."""
    return "".join(c for c in normalize("NFKD", text) if not combining(c))


def free_name(base: str, taken: Container[str], separator: str = "_") -> str:
    """Return a name that is not taken: the base, or else with the first free number from 2 on."""
    numbered = (f"{base}{separator}{number}" for number in count(2))
    return next(name for name in chain([base], numbered) if name not in taken)


def identifier(title: str) -> str:
    """Return a name of letters, digits and _ that does not begin with a digit."""
    return re.sub("[^A-Za-z0-9_]+|^(?=[0-9])", "_", title)


@contextmanager
def own_hints(hints: Mapping[str, str]) -> Iterator[None]:
    """Raise a `FileError` with other hints for some kinds of errors: those of a format."""
    hints = {NESTED: "cut the tree at a node above", **hints}
    try:
        yield
    except FileError as error:
        problems = [
            problem.with_hint(hints.get(problem.kind, problem.hint)) for problem in error.problems
        ]
        raise FileError(problems, error.stopped) from None
