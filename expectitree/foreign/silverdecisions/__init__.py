"""Read and write decision trees of SilverDecisions (.json), and read their results."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.base.numbers import escape
from expectitree.files.formats.json import parse
from expectitree.files.grammar.document import MAX_NESTED, NESTED_TOO_DEEPLY
from expectitree.files.grammar.reader import read_tree
from expectitree.files.rows import Warn
from expectitree.foreign.shared import own_words, warn_of
from expectitree.foreign.silverdecisions.reader import Results, Translation, find_results
from expectitree.foreign.silverdecisions.structure import DiagramReader
from expectitree.foreign.silverdecisions.writer import DiagramWriter
from expectitree.tree.builder import SUM_HINT
from expectitree.tree.model import Tree

# Texts in messages of the grammar and of JSON, and their replacements here.
_WORDS = {
    SUM_HINT: "correct them, or write # for one of them",
    "`p: rest`": "#",
    ", or a percentage such as 50%": "",
    NESTED_TOO_DEEPLY: f"the tree has more than {MAX_NESTED} edges on one path, expected fewer",
}


def read(
    text: str, name: str, warn: Warn | None, exact_nodes: int, tree: int | None = None
) -> Tree:
    """Return a tree of a text by its number, the first if that is None."""
    with own_words(_WORDS):
        reader = DiagramReader(parse(text, name))
        diagram, rule = reader.read(tree), reader.rule()
        document = Translation(reader, diagram, rule).document()
        found = read_tree(document, warn, exact_nodes=exact_nodes)
    warn_of(reader.notes, escape(name), "notes", warn)
    return found


def read_results(text: str, name: str) -> Iterator[tuple[Results, Tree]]:
    """Yield the results that a text stores, with their tree, by tree and by rule.

    Raises `FileError` with every problem.
    """
    with own_words(_WORDS):
        for results in find_results(DiagramReader(parse(text, name))):
            yield results, read_tree(results.document)


def write(tree: Tree, warn: Warn | None = None) -> Iterator[str]:
    """Yield the text of a tree piece by piece; raise `TreeError` for a payoff that is too large."""
    return DiagramWriter(tree, warn).text()
