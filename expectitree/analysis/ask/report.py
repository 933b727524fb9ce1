"""An inquiry: it asks for one unknown utility at a time, and reports what is known so far."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable
from dataclasses import replace
from heapq import nlargest
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from expectitree.algorithms import algorithm
from expectitree.analysis.ask.questions import NO_LEAF, Questions
from expectitree.display import Shown
from expectitree.errors import NumberError, SearchError
from expectitree.numbers import Number, display_text, escape, message_text, quote
from expectitree.searches.engine import choose_bounds
from expectitree.searches.result import Search
from expectitree.searches.setup import NO_BOUNDS, SearchSetup
from expectitree.tree.builder import TreeBuilder
from expectitree.tree.columns import Bounds, Columns
from expectitree.tree.model import Branch, Kind, Node, Tree, check_tree
from expectitree.tree.paths import message_path

Reply: TypeAlias = "tuple[int, Number] | None"  # an answer, leaf and utility; None skips the leaf


class Step(NamedTuple):
    """One step to a leaf: a node, and the branch that leads on from it, with its id."""

    node: Node
    branch: Branch
    id: int


class Action(NamedTuple):
    """One action at the root, and the interval that contains its value."""

    label: str
    child: Node
    interval: Bounds
    is_best: bool


def inquire(
    tree: Tree, *, bounds: Bounds | None = None, goal: str = "action", guide: str = "learning"
) -> Inquiry:
    """Return a best-first search that asks for the unknown utilities of a tree, one at a time.

    `bounds` hold for every utility; the default are the file's own bounds, or none. `goal` is the
    question to decide: which `action` is best, or the `value` (always, if no player decides at the
    root). `guide` is the option of the algorithm `best-first`. Raises `SearchError` for other goals
    and guides, and for bounds that the tree contradicts.
    """
    check_tree(tree)
    return Inquiry(tree, bounds, goal, guide)


class Inquiry(Shown):
    """A best-first search that waits for the utility of a leaf, and can be stopped at any time.

    It asks until it is certain which action is best. `loss` limits how wrong that can still be:

        >>> import expectitree
        >>> tree = expectitree.loads(
        ...     '{bounds: [0, 9], max: {sure: 4, bet: {min: [{utility: "?"}, {utility: "?"}]}}}')
        >>> simulate = {"bet/#1": 3, "bet/#2": 8}.get
        >>> inquiry = expectitree.inquire(tree)
        >>> while inquiry.leaf is not None:
        ...     inquiry.answer(simulate(inquiry.path))
        >>> inquiry.best, inquiry.loss, inquiry.asked, inquiry.unknown_left
        ('sure', 0, 1, 1)

    The same answers lead to the same questions. A leaf that several branches share is asked for
    once. You can pickle an inquiry and continue it elsewhere.
    """

    def __init__(
        self,
        tree: Tree,
        bounds: Bounds | None = None,
        goal: str = "action",
        guide: str = "learning",
    ) -> None:
        self.algorithm = algorithm("best-first", goal=goal, guide=guide)
        self.tree = tree
        self._is_player = tree.root.kind in (Kind.MAX, Kind.MIN)
        if not self._is_player:
            self.algorithm = algorithm("best-first", goal="value", guide=guide)
        self.bounds, self.bounds_source = _bounds(tree, bounds)
        self._unknown = frozenset(tree.unknown)
        self._log: list[Reply] = []
        self._questions = self._replayed(())

    # ---- Questions and answers.

    @property
    def leaf(self) -> Node | None:
        """The leaf to ask for, the same until you answer or skip it; None if there is no more."""
        n = self._questions.leaf
        return None if n == NO_LEAF else Node(self.tree, n)

    @property
    def path(self) -> str | None:
        """The (first) path of that leaf, which is its key in `answers`."""
        n = self._questions.leaf
        return None if n == NO_LEAF else self.tree.path_of(n)

    @property
    def route(self) -> tuple[Step, ...]:
        """The steps from the root to that leaf, never through an impossible outcome."""
        if self._questions.leaf == NO_LEAF:
            return ()
        return tuple(_step(self.tree, *pair) for pair in pairwise(self._questions.route))

    @property
    def is_done(self) -> bool:
        """Whether the goal is reached: no unknown utility can change the result."""
        return self._questions.is_done

    def answer(self, utility: Number | str, leaf: Node | str | None = None) -> None:
        """Give the utility of the leaf to ask for, or of any other unknown leaf (a node or a path).

        A text is read as in tree files, such as `1/3`. Raises `SearchError` if it is not a finite
        number, if it lies outside the leaf's bounds, or if the leaf has another utility already.
        """
        if leaf is not None:
            n = self._id(leaf)
        elif self._questions.leaf != NO_LEAF:
            n = self._questions.leaf
        else:
            raise SearchError("no question is left: name the leaf that has this utility")
        value = self._number(utility)
        if self._is_news(n, value):
            self._questions.take(n, value)
            self._log.append((n, value))

    def skip(self) -> None:
        """Ask for another leaf. This one comes back when no other leaf is left that may help."""
        if self._questions.leaf == NO_LEAF:
            raise SearchError("no question is left, so there is nothing to skip")
        self._questions.skip()
        self._log.append(None)

    def take_back(self) -> str:
        """Forget the last answer, as if it had never been given; return the path of its leaf."""
        last = next((i for i in reversed(range(len(self._log))) if self._log[i]), None)
        if last is None:
            raise SearchError("there is no answer to take back")
        n, _ = self._log[last]  # type: ignore[misc]  # an answer, as chosen above
        self._questions = self._replayed(self._log[:last])
        return self.tree.path_of(n)

    def _replayed(self, log: Iterable[Reply]) -> Questions:
        """Return the search after some answers and skips, and keep them as the log."""
        engine = "exact" if self.tree.exact else "interpreted"
        setup = SearchSetup.of(self.tree, self.algorithm, self.bounds, self.bounds_source, engine)
        questions = Questions(setup)
        self._log = list(log)
        for reply in self._log:
            if reply is None:
                questions.skip()
            else:
                questions.take(*reply)
        return questions

    # ---- Results.

    def interval(self, node: Node | str) -> Bounds:
        """Return the interval known to contain the value of a node, given as a node or a path."""
        n = self._id(node)
        return self._questions.known.lower[n], self._questions.known.upper[n]

    @property
    def best(self) -> str | None:
        """The label of the action with the least `loss`; None if no player decides at the root."""
        branch = self.best_branch
        return None if branch is None else self.tree.branch_label(self.tree.root.id, branch)

    @property
    def best_branch(self) -> int | None:
        """The branch of that action. Among equals it has the greatest expectation, or is first."""
        if not self._is_player:
            return None
        losses = self._losses()
        least = min(losses)
        columns = self.tree.columns
        first = int(columns.first[self.tree.root.id])
        if self._is_proof(least):
            return first + next(i for i, loss in enumerate(losses) if self._is_proof(loss))
        mean = self._questions.beliefs.mean
        sign = 1 if self.tree.root.kind == Kind.MAX else -1
        equals = [i for i, loss in enumerate(losses) if loss == least]
        return first + max(equals, key=lambda i: sign * mean[columns.child[first + i]])

    @property
    def loss(self) -> Number:
        """By how much another action may be better than `best`: 0 if proved, inf if unlimited.

        If no player decides at the root, it is the width of the root's interval.
        """
        if not self._is_player:
            lower, upper = self.interval(self.tree.root)
            return upper - lower or 0
        least = min(self._losses())
        return 0 if self._is_proof(least) else least

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions at the root; none if no player decides there."""
        best = self.best_branch
        if best is None:
            return ()
        first, branches = self.tree.columns.first[self.tree.root.id], self.tree.root.branches
        return tuple(
            Action(branch.label, branch.child, self.interval(branch.child), first + i == best)
            for i, branch in enumerate(branches)
        )

    @property
    def answers(self) -> dict[str, Number]:
        """The answers by path, in the order given."""
        return {self.tree.path_of(n): value for n, value in self._questions.answers.items()}

    @property
    def asked(self) -> int:
        """The number of answers."""
        return len(self._questions.answers)

    @property
    def unknown_left(self) -> int:
        """The number of utilities that are still unknown; not all of them will be asked for."""
        return len(self._unknown) - self.asked

    @property
    def search(self) -> Search:
        """The search so far, for display: a stopped one unless the inquiry is done."""
        return self._questions.result(self.tree_answered())

    def tree_answered(self) -> Tree:
        """Return the tree with the answers filled in. Leaves without an answer stay unknown."""
        utility = list(self.tree.columns.utility)
        for n, value in self._questions.answers.items():
            utility[n] = value
        column = utility if self.tree.exact else array("d", utility)
        return replace(self.tree, columns=self.tree.columns._replace(utility=column))

    def __repr__(self) -> str:
        state = "done" if self.is_done else f"asks for {message_path(self.path or '')}"
        if self.best is None:
            ends = ", ".join(display_text(end) for end in self.interval(self.tree.root))
            known = f"value in [{ends}]"
        else:
            known = f"best {escape(self.best)}, loss {display_text(self.loss)}"
        return f"<Inquiry {state}: {known}, {self.asked:,} of {len(self._unknown):,} answered>"

    def __getstate__(self) -> tuple[Any, ...]:
        """Return the arguments and the log: loading rebuilds the search."""
        columns = (
            array(c.format, c) if isinstance(c, memoryview) else c for c in self.tree.columns.stored
        )
        tree = replace(self.tree, columns=Columns.of(*columns))
        bounds = self.bounds if self.bounds_source == "option" else None
        return tree, bounds, self.algorithm.goal, self.algorithm.guide, self._log

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *arguments, log = state
        self.__init__(*arguments)  # type: ignore[misc]
        self._questions = self._replayed(log)

    def _is_proof(self, loss: Number) -> bool:
        """Say whether a loss is at most the rounding error: twice as much if v* is known."""
        lower, upper = self.interval(self.tree.root)
        return bool(loss <= (2 if lower == upper else 1) * self._questions.limits.eps)

    def _losses(self) -> list[Number]:
        """Return for each action by how much another one may be better."""
        root = self.tree.root
        sure, hoped = self._questions.known.lower, self._questions.known.upper
        sign = 1
        if root.kind == Kind.MIN:
            sure, hoped, sign = hoped, sure, -1
        children = [child.id for child in root.children]
        rivals = nlargest(2, set(children), key=lambda c: sign * hoped[c])
        losses: list[Number] = []
        for c in children:
            rival = next((r for r in rivals if r != c), None)
            losses.append(0 if rival is None else max(0, sign * (hoped[rival] - sure[c])))
        return losses

    # ---- Checks.

    def _id(self, node: Node | str) -> int:
        if isinstance(node, str):
            return self.tree.find(node).id
        if not isinstance(node, Node):
            raise SearchError(f"found {quote(str(node))}, expected a node, or the path of one")
        if node.tree is not self.tree and node.tree.columns.first is not self.tree.columns.first:
            hint = "give its path, or a node of the inquiry's own tree"
            raise SearchError(f"this node belongs to another tree: {hint}")
        return node.id

    def _number(self, utility: object) -> Number:
        """Return a utility as a number of the tree's kind."""
        if isinstance(utility, float) and not math.isfinite(utility):
            raise SearchError(f"{utility} is not a utility: expected a finite number")
        builder = TreeBuilder(exact=self.tree.exact)
        try:
            leaf = builder.terminal(utility)  # type: ignore[arg-type]
        except NumberError as error:
            raise SearchError(str(error)) from None
        value: Number = builder.build(leaf).columns.utility[0]
        if value != value:
            hint = "expected a number; `skip` asks for another leaf"
            raise SearchError(f"None is not a utility: {hint}")
        return value

    def _is_news(self, n: int, value: Number) -> bool:
        """Return whether a leaf is unknown; raise `SearchError` if it cannot have this utility."""
        where, kind = message_path(self.tree.path_of(n)), self.tree.columns.kind[n]
        text = message_text(value)
        if kind != Kind.TERMINAL:
            hint = "name one below it"
            raise SearchError(f"{where} is not a leaf, and only leaves have utilities: {hint}")
        if n in self._unknown and n not in self._questions.answers:
            lower, upper = (ends[n] for ends in self._questions.bounds)
            if not lower <= value <= upper:
                ends = f"[{message_text(lower)}, {message_text(upper)}]"
                raise SearchError(
                    f"the utility {text} of {where} lies outside its bounds {ends}: "
                    "correct the one or the other"
                )
            return True
        known, how = self.tree.columns.utility[n], "is known"
        hint = "change the tree if that is wrong"
        if n in self._questions.answers:
            known, how = self._questions.answers[n], "was answered already"
            hint = "take that back first"
        if value != known:
            raise SearchError(
                f"the utility of {where} {how}, {message_text(known)}, and now {text}: {hint}"
            )
        return False


def _bounds(tree: Tree, bounds: Bounds | None) -> tuple[Bounds, str]:
    """Return the root's bounds and their source; infinite ones if nothing is given."""
    if bounds is None and tree.unknown and tree.root.bounds is None:
        return NO_BOUNDS, "none"
    return choose_bounds(tree, bounds)


def _step(tree: Tree, n: int, below: int) -> Step:
    """Return the step from a node to a child, by the likeliest branch if there are several."""
    columns, node = tree.columns, tree.node(n)
    leading = (b for b in tree.branches_of(n) if columns.child[b] == below)
    b = max(leading, key=lambda b: columns.probability[b])
    return Step(node, node.branches[b - columns.first[n]], b)
