"""Check the values that a student wrote at the nodes of a tree, and explain the first wrong one."""

from __future__ import annotations

import re
from contextlib import suppress
from fractions import Fraction
from operator import eq, ge, le
from typing import TypeAlias

from expectitree.analysis.evaluate.reasons import Reasons, reasons
from expectitree.analysis.verify.report import agrees_as_written, found_text
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import ExpectitreeError, TreeError
from expectitree.base.reading import to_fraction
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import join, message_path
from expectitree.base.tree.transform import in_fractions
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import (
    Document,
    Place,
    Problems,
    TooManyProblemsError,
    keys_of,
    place_of,
)
from expectitree.files.grammar.words import described, filled_text
from expectitree.searches.engine import search_tree
from expectitree.text.phrases import plural

# The branch and its path, a sign, the number, and all that is written.
Answer: TypeAlias = tuple[int, str, str, Fraction, str]
BEST = "best"  # the key of the best action
_FORM = "expected the path of a node and its value on every line, such as `a2/#1: 4.5`"
_NUMBER = (
    ", expected a number or a bound\nwrite a line for each node, as in `a2/#1: 4` or `b: <= 5`"
)
_SIGNS = {"": eq, "<=": le, "≤": le, ">=": ge, "≥": ge}  # before a number, and when that is true
_ANSWER = re.compile(r"(<=|≤|>=|≥|)\s*(.*)", re.DOTALL)
# A path that begins with # and is not in quotes, which is a comment for YAML.
_UNQUOTED = re.compile(r"^([ \t]*)(#\d[^\s:]*):", re.MULTILINE)


def check_answers(
    tree: Tree, file: str, algorithm: Algorithm | str = "expectiminimax"
) -> tuple[str, Reasons | None]:
    """Return what is wrong first in a file of answers, and why; without a reason, all is right.

    Children come before their parents. A value is right if it equals the node's, with or without
    what the branch to the node pays, or is that number rounded to two or more decimals. A bound is
    right if it is true, and a number also if it is the bound that the search `algorithm` finds.
    Raises `FileError` if the file names no node of the tree, or no number.
    """
    tree = in_fractions(tree)
    whole, search = search_tree(tree), search_tree(tree, algorithm)
    tree = search.tree
    answers, best = _read(tree, file)
    for right, (node, (branch, path, sign, number, written)) in enumerate(sorted(answers.items())):
        value = whole.lower[node]
        found, bound = "", value
        if search.visits[node] and not search.is_exact(node):  # a bound was enough
            found, bound = "<= ", search.upper[node]
            if bound > search.alpha[node]:
                found, bound = ">= ", search.lower[node]
        paid = dict.fromkeys((0, tree.reward_of(branch)))
        ends = [end + more for end in ({value} if sign else {value, bound}) for more in paid]
        is_rounded = len(written.partition(".")[2]) >= 2
        is_right = any(
            _SIGNS[sign](end, number) or (is_rounded and agrees_as_written(written, number, end))
            for end in ends
        )
        if not is_right:
            expected = " or ".join(found + found_text(bound + more) for more in paid)
            fault = f"{message_path(path)}: found {written}, expected {expected}"
            if right:
                fault += f" ({right} right before it)"
            return fault, reasons(search, node, branch)
    if best is not None and best not in whole.ties:
        fault = f"{BEST}: found {best}, expected {whole.best or 'none'}"
        return fault, reasons(search, tree.root_id, NONE)
    kind = tree.columns.kind
    missing = sum(kind[n] != Kind.TERMINAL and n not in answers for n in range(len(tree)))
    text = f"{plural(len(answers) + (best is not None), 'answer')} right, none wrong"
    if missing:
        text += f"; no answer at {plural(missing, 'node')}"
    return text, None


def _read(tree: Tree, file: str) -> tuple[dict[int, Answer], str | None]:
    """Return the answers of a file by node, and the best action if there is one."""
    text, name = read_text(file)
    text = _UNQUOTED.sub(r'\1"\2":', text)
    document = Document(name, "")
    best = None
    if text.strip():
        document = parse(text, name)
    problems = Problems(document)
    root = document.root
    answers = {}
    with suppress(TooManyProblemsError):
        for path, data in keys_of(root).items():
            try:
                if path == BEST:
                    best = filled_text(data, " as the best action\nwrite its label")
                    tree.find_branch(join([best]))
                else:
                    branch, node = tree.find_branch(path), tree.find(path).id
                    written = filled_text(data, _NUMBER)
                    sign, number = _ANSWER.findall(written)[0]
                    answers[node] = branch, path, sign, to_fraction(number), written
            except ExpectitreeError as error:
                place = place_of(root, path, isinstance(error, TreeError))
                problems.add(place, path, error)
        if not keys_of(root):
            problems.add(Place(), "the answers", f"found {described(root)}, {_FORM}")
    if problems.found:
        raise problems.failure()
    return answers, best
