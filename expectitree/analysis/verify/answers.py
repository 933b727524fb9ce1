"""Check the values that a student wrote at the nodes of a tree, and explain the first wrong one."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple

from expectitree.analysis.evaluate.reasons import Reasons, reasons
from expectitree.analysis.verify.report import agrees_as_written, found_text
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import ExpectitreeError, TreeError
from expectitree.base.numbers import INFINITY, Number, is_finite
from expectitree.base.reading import to_bound, to_fraction
from expectitree.base.tree.columns import NO_BOUNDS, NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import ROOT, join, message_path
from expectitree.base.tree.transform import in_fractions
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import (
    Data,
    Document,
    Place,
    Problems,
    TooManyProblemsError,
    error_at,
    with_excerpts,
)
from expectitree.files.grammar.words import described, filled_text, flow_text
from expectitree.searches.engine import search_tree
from expectitree.text.phrases import plural

BEST = "best"  # the key of the best action
_FORM = "expected the path of a node and its value on every line, such as `a2/#1: 4.5`"
_NUMBER = ", expected a number, or a bound such as `<= 5`\nwrite a line for each node"
_SIGNED = re.compile(r"(<=|≤|>=|≥|)\s*(.*)", re.DOTALL)
_TWO_DECIMALS = re.compile(r"[-+]?\d*\.\d\d")
_QUOTE = 'for a path, write it in quotes, `"{}"`; for a comment, write a space after the #'
_LINE = re.compile(r"^\s*[^#\s]", re.MULTILINE)  # that is not a comment
_COMMENT = re.compile(r"^[ \t]*(#\d\S*)[ \t]*:.*$", re.MULTILINE)


class Answer(NamedTuple):
    """What a student wrote at a node: an interval; the ends of a number are equal."""

    branch: int  # the last one of the path
    written: str
    low: Number
    high: Number

    def is_true_of(self, value: Number) -> bool:
        """Return whether the interval has the value, or is the value rounded to 2 decimals."""
        if self.low <= value <= self.high:
            return True
        is_rounded = self.low == self.high and _TWO_DECIMALS.match(self.written)
        return bool(is_rounded) and agrees_as_written(self.written, self.low, value)


def check_answers(
    tree: Tree, file: str, algorithm: Algorithm | None = None
) -> tuple[str, Reasons | None]:
    """Return what is wrong first in a file of answers, and why; without a reason, all is right.

    Children come before their parents. A value is right if it equals the node's, with or without
    what the branch to the node pays, or is that number rounded to two or more decimals. A bound is
    right if it is true, and a number also if it is a bound that the search `algorithm` finds.
    Raises `FileError` if the file names no node of the tree, or no number.
    """
    whole = search_tree(in_fractions(tree))
    search = whole
    if algorithm is not None and algorithm.prunes:
        search = search_tree(whole.tree, algorithm)
    tree = search.tree
    lowest, highest = tree.inherited_bounds(search.root_bounds, compiled=False)
    answers, best = _read(tree, file)
    for right, (node, answer) in enumerate(sorted(answers.items())):
        low, high = search.interval_of(node)
        if low < high:  # the search needed no more than a bound
            low = -INFINITY if low == lowest[node] else low
            high = INFINITY if high == highest[node] else high
        if (low, high) == NO_BOUNDS:
            low = high = whole.lower[node]
        ends = {whole.lower[node]}
        if answer.low == answer.high:
            ends |= {low, high}
        paid = dict.fromkeys((0, tree.reward_of(answer.branch)))
        if not any(answer.is_true_of(end + more) for end in ends for more in paid):
            expected = " or ".join(_statement(low + more, high + more) for more in paid)
            path = ROOT
            if answer.branch != NONE:
                path = tree.path_of(tree.parent_of(answer.branch), answer.branch)
            fault = f"{message_path(path)}: found {answer.written}, expected {expected}"
            if right:
                fault += f" ({right} right before it)"
            return fault, reasons(search, node, answer.branch)
    if best is not None and best not in whole.ties:
        fault = f"{BEST}: found {best}, expected {whole.best or 'none'}"
        return fault, reasons(search, tree.root_id, NONE)
    kind = tree.columns.kind
    inner = (n for n in range(len(tree)) if kind[n] != Kind.TERMINAL and search.visits[n])
    missing = sum(n not in answers for n in inner)
    text = f"{plural(len(answers) + (best is not None), 'answer')} right, none wrong"
    if missing:
        text += f"; no answer at {plural(missing, 'node')}"
    return text, None


def _statement(low: Number, high: Number) -> str:
    """Return a value, or what is known of it, as in an answer."""
    if low == high:
        return found_text(low)
    lower, upper = [f">= {found_text(low)}"], [f"<= {found_text(high)}"]
    return " and ".join(lower * is_finite(low) + upper * is_finite(high))


def _read(tree: Tree, file: str) -> tuple[dict[int, Answer], str | None]:
    """Return the answers of a file by node, and the best action if there is one."""
    text, name = read_text(file)
    if comment := _COMMENT.search(text):
        message = f"`{comment[0].strip()}` is a comment in YAML\n{_QUOTE.format(comment[1])}"
        raise with_excerpts(error_at(text, comment.start(1), name, message), text)
    document = Document(name, "")
    if _LINE.search(text):
        document = parse(text, name)
    problems = Problems(document)
    lines = document.root if isinstance(document.root, tuple) else ()
    best, answers = None, {}
    with suppress(TooManyProblemsError):
        for at, (path, data) in enumerate(lines):
            place = Place(lines, at)
            try:
                if path == BEST:
                    best = _best(tree, data)
                else:
                    answers[tree.find(path).id] = _answer(tree, path, data)
            except TreeError as error:
                name = BEST if path == BEST else "the answers"
                problems.add(place._replace(of_key=path != BEST), name, error)
            except ExpectitreeError as error:
                problems.add(place, path, error)
        if not lines:
            problems.add(Place(), "the answers", f"found {described(document.root)}, {_FORM}")
    if problems.found:
        raise problems.failure()
    return answers, best


def _best(tree: Tree, data: Data) -> str:
    """Return the label of the best action; raise `TreeError` if the root has none of that name."""
    text = filled_text(data, " as the best action\nwrite its label")
    return tree.branch_label(tree.root_id, tree.find_branch(join([text])))


def _answer(tree: Tree, path: str, data: Data) -> Answer:
    """Return a number, a bound or an interval in an answer; raise `ExpectitreeError` for others."""
    branch = tree.find_branch(path)
    if isinstance(data, list) and len(data) == 2:
        low, high = (to_bound(filled_text(end, _NUMBER), exact=True) for end in data)
        return Answer(branch, flow_text(data), low, high)
    example = ""
    if isinstance(data, tuple) and data:
        key, value = data[0]
        example = f", such as `{path}/{key}: {flow_text(value)}`"
    text = filled_text(data, _NUMBER + example)
    sign, number = _SIGNED.findall(text)[0]
    low = high = to_fraction(number)
    if sign:
        low, high = (-INFINITY, high) if sign in "<=≤" else (low, INFINITY)
    return Answer(branch, text, low, high)
