"""Check the values that a student wrote at the nodes of a tree, and explain the first wrong one."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from expectitree.analysis.evaluate.reasons import Reasons, reasons
from expectitree.analysis.verify.report import agrees_as_written, found_text
from expectitree.base.errors import NumberError, TreeError
from expectitree.base.reading import to_number
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import ROOT, message_path
from expectitree.base.tree.transform import in_fractions
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import Document, Place, Problems
from expectitree.files.grammar.words import described
from expectitree.searches.engine import search_tree
from expectitree.text.phrases import plural

Answer: TypeAlias = tuple[int, str, Fraction]  # the branch, what is written, its value
BEST = "best"  # the key of the best action
_FORM = "expected the path of a node and its value on every line, such as `a2/#1: 4.5`"


def check_answers(tree: Tree, file: str) -> tuple[str, Reasons | None]:
    """Return what is wrong first in a file of answers, and why; without a reason, all is right.

    Children come before their parents. A value is right if it equals the node's, with or without
    what the branch to the node pays, or is that number rounded to two or more decimals. Raises
    `FileError` if the file names no node of the tree, or no number.
    """
    search = search_tree(in_fractions(tree))
    tree = search.tree
    answers, best = _read(tree, file)
    for right, (node, (branch, written, number)) in enumerate(sorted(answers.items())):
        values = search.lower[node], search.interval_of_branch(branch)[0]
        has_two_decimals = len(written.partition(".")[2]) >= 2
        is_right = number in values or (
            has_two_decimals and any(agrees_as_written(written, number, value) for value in values)
        )
        if not is_right:
            expected = " or ".join(dict.fromkeys(map(found_text, values)))
            path = ROOT
            if branch != NONE:
                path = tree.path_of(tree.parent_of(branch), branch)
            fault = f"{message_path(path)}: found {written}, expected {expected}"
            if right:
                fault += f" ({right} right before it)"
            return fault, reasons(search, node, branch)
    if best is not None and best not in search.ties:
        return f"{BEST}: found {best}, expected {search.best}", reasons(search, tree.root_id, NONE)
    kind = tree.columns.kind
    missing = sum(kind[n] != Kind.TERMINAL and n not in answers for n in range(len(tree)))
    text = f"{plural(len(answers) + (best is not None), 'answer')} right, none wrong"
    if missing:
        text += f"; no answer at {plural(missing, 'node')}"
    return text, None


def _read(tree: Tree, file: str) -> tuple[dict[int, Answer], str | None]:
    """Return the answers of a file by node, and the best action if there is one."""
    text, name = read_text(file)
    document = Document(name, "")
    best = None
    if text.strip():
        document = parse(text, name)
    problems = Problems(document)
    root = document.root
    answers = {}
    if not isinstance(root, tuple):
        root = ()
    for at, (path, data) in enumerate(root):
        try:
            branch = tree.find_branch(path)
            node = tree.find(path).id
            answers[node] = branch, str(data), Fraction(to_number(str(data), exact=True))
        except TreeError as error:
            if path == BEST:
                best = str(data)
            else:
                problems.add(Place(root, at, True), "the answers", error.lines)
        except NumberError as error:
            problems.add(Place(root, at), message_path(path), error.lines)
    if not answers and best is None and not problems.found:
        problems.add(Place(), "the answers", f"found {described(document.root)}, {_FORM}")
    if problems.found:
        raise problems.failure()
    return answers, best
