"""Read and write decision trees of SilverDecisions (.json), and read their results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from expectitree.errors import FileError
from expectitree.files.formats.json import parse
from expectitree.files.grammar.document import MOST_NESTED, NESTED_TOO_DEEPLY
from expectitree.files.grammar.problems import MOST_PROBLEMS
from expectitree.files.grammar.reader import read_tree
from expectitree.files.rows import Warn
from expectitree.foreign.silverdecisions.reader import Translation
from expectitree.foreign.silverdecisions.results import Results, find_results
from expectitree.foreign.silverdecisions.structure import DiagramReader
from expectitree.foreign.silverdecisions.writer import DiagramWriter
from expectitree.numbers import escape
from expectitree.tree.builder import SUM_HINT
from expectitree.tree.model import Tree

# Texts in messages of the grammar and of JSON, and their replacements here.
_MESSAGES = {
    SUM_HINT: "correct them, or write # for one of them",
    "`p: rest`": "#",
    ", or a percentage such as 50%": "",
    NESTED_TOO_DEEPLY: f"the tree has more than {MOST_NESTED} edges on one path, expected fewer",
}


def read(
    text: str, name: str, warn: Warn | None, exact_nodes: int, tree: int | None = None
) -> Tree:
    """Return a tree of a text by its number, the first if that is None."""
    with _own_messages():
        reader = DiagramReader(parse(text, name))
        diagram, rule = reader.read(tree), reader.rule()
        document = Translation(reader, diagram, rule).document()
        found = read_tree(document, warn, exact_nodes=exact_nodes)
    if warn is not None:
        more = len(reader.notes) > MOST_PROBLEMS
        for note in reader.notes[:MOST_PROBLEMS] + ["more such notes are left out"] * more:
            warn(f"{escape(name)}: {note}")
    return found


def read_results(text: str, name: str) -> Iterator[tuple[Results, Tree]]:
    """Yield the results that a text stores, with their tree, by tree and by rule.

    Raises `FileError` with every problem.
    """
    with _own_messages():
        for results in find_results(DiagramReader(parse(text, name))):
            yield results, read_tree(results.document)


def write(tree: Tree, warn: Warn | None = None) -> Iterator[str]:
    """Yield the text of a tree piece by piece; raise `TreeError` for a payoff that is too large."""
    return DiagramWriter(tree, warn).text()


@contextmanager
def _own_messages() -> Iterator[None]:
    """Raise errors with the words of SilverDecisions."""
    try:
        yield
    except FileError as error:
        problems = []
        for problem in error.problems:
            message = problem.message
            for theirs, own in _MESSAGES.items():
                message = message.replace(theirs, own)
            problems.append(replace(problem, message=message))
        raise FileError(problems, error.stopped) from None
