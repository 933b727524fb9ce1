"""Check the values that a student wrote at the nodes of a tree, and explain the first wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from rich.console import ConsoleOptions, RenderableType

from expectitree.analysis.evaluate.reasons import reasons
from expectitree.analysis.evaluate.sentences import explanation_lines
from expectitree.analysis.verify.report import agrees_as_written
from expectitree.base.errors import NumberError, TreeError
from expectitree.base.numbers import message_text, to_number
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import message_path
from expectitree.base.tree.transform import in_fractions
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import Document, Place, Problems
from expectitree.files.grammar.words import described
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.text.console import characters, line, safe
from expectitree.text.phrases import plural

BEST = "best"  # the key of the best action
_FORM = "expected the path of a node and its value on every line, such as `a2/#1: 4.5`"


@dataclass(frozen=True)
class Marked:
    """Answers that were checked, up to the first wrong one: children before their parents."""

    search: Search
    right: int  # before the wrong one
    wrong: tuple[int, str, str] | None  # a branch, what is written, and what is right
    missing: int  # nodes without an answer


def mark(tree: Tree, file: str) -> Marked:
    """Check a file of answers; raise `FileError` if it names no node of the tree, or no number.

    A value is right if it equals the node's, with or without what the branch to the node pays, or
    is that number rounded to two or more decimals.
    """
    search = search_tree(in_fractions(tree))
    tree, best = search.tree, None
    text, name = read_text(file)
    document = parse(text, name) if text.strip() else Document(name, "")
    problems = Problems(document)
    answers: dict[int, tuple[int, str, Fraction]] = {}  # by node: the branch and what is written
    for at, (path, text) in enumerate(document.root if isinstance(document.root, tuple) else ()):
        try:
            branch = tree.find_branch(path)
            node = tree.root_id if branch == NONE else tree.columns.child[branch]
            answers[node] = branch, str(text), Fraction(to_number(str(text), exact=True))
        except TreeError as error:
            if path == BEST:
                best = str(text)
            else:
                problems.add(Place(document.root, at, True), "the answers", str(error))
        except NumberError as error:
            problems.add(Place(document.root, at), message_path(path), str(error))
    if not answers and best is None and not problems.found:
        problems.add(Place(), "the answers", f"found {described(document.root)}, {_FORM}")
    if problems.found:
        raise problems.failure()
    inner = sum(kind != Kind.TERMINAL for kind in tree.columns.kind)
    missing = inner - sum(tree.columns.kind[node] != Kind.TERMINAL for node in answers)
    for right, (node, (branch, text, number)) in enumerate(sorted(answers.items())):
        values = search.lower[node], search.interval_of_branch(branch)[0]
        if not any(_is_right(text, number, Fraction(value)) for value in values):
            expected = " or ".join(dict.fromkeys(map(message_text, values)))
            return Marked(search, right, (branch, text, expected), missing)
    if best is not None and best not in search.ties:
        return Marked(search, len(answers), (NONE, f"{BEST}: {best}", str(search.best)), missing)
    return Marked(search, len(answers) + (best is not None), None, missing)


def _is_right(text: str, number: Fraction, value: Fraction) -> bool:
    has_two_decimals = len(text.partition(".")[2]) >= 2
    return number == value or has_two_decimals and agrees_as_written(text, number, value)


def answer_lines(marked: Marked, options: ConsoleOptions) -> Iterator[RenderableType]:
    """Yield the first wrong answer and why it is wrong; or that all answers are right."""
    tree, signs = marked.search.tree, characters(options)
    missing = f"; no answer at {plural(marked.missing, 'node')}" if marked.missing else ""
    if marked.wrong is None:
        right = plural(marked.right, "answer")
        yield line((signs.yes, "good"), f" {right} right, none wrong{missing}")
        return
    branch, text, value = marked.wrong
    node = tree.root_id if branch == NONE else tree.columns.child[branch]
    where = message_path(tree.path_of(tree.parent_of(branch), branch) if branch != NONE else "/")
    right = f" ({marked.right} right before it)" if marked.right else ""
    yield line(
        (signs.no, "bad"), f" {safe(f'{where}: found {text}, expected {value}', options)}{right}"
    )
    yield from explanation_lines(reasons(marked.search, node, branch), options)
