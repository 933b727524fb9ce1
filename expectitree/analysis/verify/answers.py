"""Check the values that a student wrote at the nodes of a tree, and explain the first wrong one."""

from __future__ import annotations

from fractions import Fraction

from expectitree.analysis.evaluate.reasons import Reasons, reasons
from expectitree.analysis.verify.report import agrees_as_written
from expectitree.base.errors import NumberError, TreeError
from expectitree.base.numbers import message_text, to_number
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import ROOT, message_path
from expectitree.base.tree.transform import in_fractions
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import Document, Place, Problems
from expectitree.files.grammar.words import described
from expectitree.searches.engine import search_tree
from expectitree.text.phrases import plural

BEST = "best"  # the key of the best action
_FORM = "expected the path of a node and its value on every line, such as `a2/#1: 4.5`"


def check_answers(tree: Tree, file: str) -> tuple[str, Reasons | None]:
    """Return what is wrong first in a file of answers, and why; without a reason, all is right.

    Children come before their parents. A value is right if it equals the node's, with or without
    what the branch to the node pays, or is that number rounded to two or more decimals. Raises
    `FileError` if the file names no node of the tree, or no number.
    """
    search = search_tree(in_fractions(tree))
    tree, best = search.tree, None
    text, name = read_text(file)
    document = parse(text, name) if text.strip() else Document(name, "")
    problems = Problems(document)
    answers: dict[int, tuple[int, str, Fraction]] = {}  # by node: the branch and what is written
    for at, (path, data) in enumerate(document.root if isinstance(document.root, tuple) else ()):
        try:
            branch = tree.find_branch(path)
            node = tree.root_id if branch == NONE else tree.columns.child[branch]
            answers[node] = branch, str(data), Fraction(to_number(str(data), exact=True))
        except TreeError as error:
            if path == BEST:
                best = str(data)
            else:
                problems.add(Place(document.root, at, True), "the answers", str(error))
        except NumberError as error:
            problems.add(Place(document.root, at), message_path(path), str(error))
    if not answers and best is None and not problems.found:
        problems.add(Place(), "the answers", f"found {described(document.root)}, {_FORM}")
    if problems.found:
        raise problems.failure()
    for right, (node, (branch, written, number)) in enumerate(sorted(answers.items())):
        values = search.lower[node], search.interval_of_branch(branch)[0]
        if not any(_is_right(written, number, Fraction(value)) for value in values):
            expected = " or ".join(dict.fromkeys(map(message_text, values)))
            path = ROOT if branch == NONE else tree.path_of(tree.parent_of(branch), branch)
            found = f"{message_path(path)}: found {written}, expected {expected}"
            before = f" ({right} right before it)" if right else ""
            return found + before, reasons(search, node, branch)
    if best is not None and best not in search.ties:
        return f"{BEST}: found {best}, expected {search.best}", reasons(search, tree.root_id, NONE)
    kind = tree.columns.kind
    missing = [n for n in range(len(tree)) if kind[n] != Kind.TERMINAL and n not in answers]
    rest = f"; no answer at {plural(len(missing), 'node')}" if missing else ""
    return f"{plural(len(answers) + (best is not None), 'answer')} right, none wrong{rest}", None


def _is_right(text: str, number: Fraction, value: Fraction) -> bool:
    has_two_decimals = len(text.partition(".")[2]) >= 2
    return number == value or has_two_decimals and agrees_as_written(text, number, value)
