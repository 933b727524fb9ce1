"""An inquiry: it asks for one unknown utility at a time, and reports the bounds so far."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from expectitree.base.algorithms import algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import NumberError, SearchError
from expectitree.base.numbers import Number, message_text
from expectitree.base.reading import to_number
from expectitree.base.rounding import round_once
from expectitree.base.tree.columns import NONE, Bounds
from expectitree.base.tree.model import Branch, Kind, Node, Tree, check_tree
from expectitree.base.tree.paths import ROOT, message_path
from expectitree.base.tree.scans import shifted
from expectitree.decide.ask.questions import Progress, search_known
from expectitree.searches.beliefs import paid
from expectitree.searches.bounds import choose_bounds
from expectitree.searches.problem import Problem
from expectitree.searches.result import Search
from expectitree.searches.tolerance import greatest_number

_NEAR = 1e-14  # of the greatest number: what differences of bounds and rewards may lose


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

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {"label": self.label, "interval": self.interval}


def inquire(
    tree: Tree, *, bounds: Bounds | None = None, goal: str = "action", exact: bool = False
) -> Inquiry:
    """Return a search that asks for the unknown utilities of a tree, one at a time.

        >>> import expectitree as et
        >>> et.inquire(et.loads('max: [4, {min: [{utility: "?"}, 8]}]'), bounds=(0, 9)).path
        '#2/#1'

    Args:
        tree: The tree. Its unknown utilities are "?" in its file.
        bounds: `(lower, upper)`, which hold for every total (utility plus rewards); by default the
            file's own bounds, or none.
        goal: What to decide: "action" (which action is best) or "value". It is always the value if
            no player decides at the root.
        exact: Return numbers of an exact tree as `Fraction`; otherwise rounded to floats.

    Raises:
        SearchError: The goal is unknown, or a utility lies outside the bounds.
    """
    check_tree(tree, "ask")
    return Inquiry(tree.computed, bounds, goal, exact)


class Inquiry(Shown):
    """A search that waits for the utility of a leaf; `inquire` makes it.

    It asks until it is certain which action is best. You can stop at any time: `loss` limits how
    wrong `best` can be.

        >>> import expectitree as et
        >>> tree = et.loads(
        ...     '{bounds: [0, 9], max: {sure: 4, bet: {min: [{utility: "?"}, {utility: "?"}]}}}')
        >>> simulate = {"bet/#1": 3, "bet/#2": 8}.get
        >>> inquiry = et.inquire(tree)
        >>> while inquiry.leaf is not None:
        ...     inquiry.answer(simulate(inquiry.path))
        >>> inquiry.best, inquiry.loss, inquiry.asked, inquiry.unknown_left
        ('sure', 0, 1, 1)

    An answer is the utility of the leaf. The inquiry adds the rewards on the way to it.

    The same answers lead to the same questions. A leaf that several branches share is asked for
    once.
    """

    question = "ask"
    has_decider = True

    def __init__(self, tree: Tree, bounds: Bounds | None, goal: str, exact: bool) -> None:
        self.tree, self.exact = tree, exact
        self.algorithm = algorithm("best-first", goal=goal)
        self._is_player = tree.root.kind in (Kind.MAX, Kind.MIN)
        if not self._is_player:
            self.algorithm = replace(self.algorithm, goal="value")
        self.bounds, self.bounds_source = choose_bounds(tree, bounds)
        self._unknown = frozenset(tree.unknown)
        self._allowed = tree.inherited_bounds(self.bounds)
        self._answers: dict[int, Number] = {}

    @cached_property
    def _progress(self) -> Progress:
        """The search of the tree with the answers so far, from the beginning."""
        tree = self.tree_answered()
        engine = "auto" if tree.exact else "interpreted"
        known = self.bounds, self.bounds_source
        return search_known(Problem.of(tree, self.algorithm, known, engine), self._answers)

    # ---- Questions and answers.

    @property
    def leaf(self) -> Node | None:
        """The leaf to ask for, the same until you answer; None if there is no more."""
        route = self._progress.route
        if not route:
            return None
        return self.tree.node(route[-1])

    @property
    def path(self) -> str | None:
        """The first path of the leaf to ask for, its key in `answers`; None if there is no more."""
        leaf = self.leaf
        if leaf is None:
            return None
        return self.tree.path_of(leaf.id)

    @property
    def route(self) -> tuple[Step, ...]:
        """The steps from the root to the leaf to ask for, never through an impossible outcome."""
        columns = self.tree.columns
        steps = []
        for n, below in pairwise(self._progress.route):
            leading = (b for b in self.tree.branches_of(n) if columns.child[b] == below)
            b = max(leading, key=lambda b: columns.probability[b])  # the likeliest of several
            node = self.tree.node(n)
            steps.append(Step(node, node.branches[b - columns.first[n]], b))
        return tuple(steps)

    @property
    def is_done(self) -> bool:
        """Whether the goal is reached: no unknown utility can change the result."""
        return not self._progress.route

    def answer(self, utility: Number | str, path: str | None = None) -> None:
        """Give the utility of the leaf to ask for, or of another unknown leaf.

        Args:
            utility: A number, or text as in tree files, such as "1/3".
            path: The path of a leaf; by default that of the leaf to ask for.

        Raises:
            SearchError: The utility is not a finite number or lies outside the leaf's bounds, or
                the leaf has another utility already.
        """
        n, value = self._read(utility, path)
        if self._is_news(n, value):
            self._answers[n] = value
            vars(self).pop("_progress", None)

    def check(self, utility: Number | str) -> None:
        """Check an answer: raise `SearchError` if `answer` would."""
        self._is_news(*self._read(utility, None))

    # ---- Results.

    def interval(self, path: str) -> Bounds:
        """Return the interval known to contain the value of a node, given as a path.

        It includes the reward of the path's last branch.
        """
        interval: Bounds = round_once(self._interval_of(self.tree.find_branch(path)), self.exact)
        return interval

    def _interval_of(self, branch: int) -> Bounds:
        tree, known = self.tree, self._progress.beliefs
        n = tree.root_id if branch == NONE else tree.columns.child[branch]
        reward = tree.reward_of(branch)
        return shifted(known.lower[n], reward), shifted(known.upper[n], reward)

    def allowed(self, leaf: Node) -> Bounds:
        """Return the bounds of a leaf's utility: those written above it, less rewards on the way.

        They are rounded where they are differences of floats.
        """
        found: Bounds = round_once(self._bounds_of(leaf.id), self.exact)
        return found

    def _bounds_of(self, n: int) -> Bounds:
        lower, upper = (ends[n] for ends in self._allowed)
        if self.tree.columns.pays and not self.tree.exact:
            return float(f"{lower:.13g}"), float(f"{upper:.13g}")
        return lower, upper

    @property
    def best(self) -> str | None:
        """The label of the action with the least `loss`; None if no player decides at the root.

        If several are equal, it is the one with the greatest expectation, or the first.
        """
        if not self._is_player:
            return None
        return self.tree.branch_label(self.tree.root_id, self._best_action()[0])

    @property
    def loss(self) -> Number:
        """By how much another action may be better than `best`: 0 if proved, inf if unlimited.

        If no player decides at the root, it is the width of the root's interval.
        """
        if self._is_player:
            loss: Any = self._best_action()[1]
        else:
            root, known = self.tree.root_id, self._progress.beliefs
            loss = known.upper[root] - known.lower[root]
        return round_once(loss, self.exact) or 0

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions at the root; none if no player decides there."""
        if not self._is_player:
            return ()
        root, (best, _) = self.tree.root, self._best_action()
        actions = []
        for b, branch in zip(self.tree.branches_of(root.id), root.branches, strict=True):
            interval = round_once(self._interval_of(b), self.exact)
            actions.append(Action(branch.label, branch.child, interval, b == best))
        return tuple(actions)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each action: its bounds `lower` and `upper`, and `is_best`."""
        records = []
        for label, _, (lower, upper), is_best in self.actions:
            records.append({"action": label, "lower": lower, "upper": upper, "is_best": is_best})
        return records

    def _best_action(self) -> tuple[int, Number]:
        """Return the branch of the best action of the player at the root, and its loss.

        The loss of an action is what its strongest rival may reach beyond what it guarantees.
        """
        tree, root, child = self.tree, self.tree.root, self.tree.columns.child
        sign = {Kind.MAX: 1}.get(root.kind, -1)
        branches = tree.branches_of(root.id)
        rewards = {b: sign * tree.reward_of(b) for b in branches}
        ends = {b: sorted(sign * end for end in self._interval_of(b)) for b in branches}
        # By child, what the best branch to it pays: the last one counts.
        most = {child[b]: rewards[b] for b in sorted(branches, key=rewards.__getitem__)}
        rivals = sorted(branches, key=lambda b: ends[b][1], reverse=True)
        losses: dict[int, Number] = {}
        for b in branches:
            gains = (ends[rival][1] - ends[b][0] for rival in rivals if child[rival] != child[b])
            losses[b] = max(most[child[b]] - rewards[b], next(gains, 0))
        known = self._progress.beliefs
        # Losses within the rounding error, twice as much if v* is known, are proofs.
        is_known = known.lower[root.id] == known.upper[root.id]
        eps = known.eps * (1 + is_known)
        for b, loss in losses.items():
            if loss <= eps:
                return b, 0
        least = min(losses.values())

        def expected(b: int) -> float:
            return sign * (known.mean[child[b]] + paid(known, b))

        return max((b for b in branches if losses[b] == least), key=expected), least

    @property
    def answers(self) -> dict[str, Number]:
        """The answers by path, in the order given."""
        return {self.tree.path_of(n): value for n, value in self._answers.items()}

    @property
    def asked(self) -> int:
        """The number of answers."""
        return len(self._answers)

    @property
    def unknown_left(self) -> int:
        """The number of utilities that are still unknown; not all of them will be asked for."""
        return len(self._unknown) - self.asked

    @property
    def search(self) -> Search:
        """The search so far, for display: a stopped one unless the inquiry is done."""
        return self._progress.result()

    def tree_answered(self) -> Tree:
        """Return the tree with the answers filled in; other unknown leaves stay unknown."""
        return with_utilities(self.tree, self._answers)

    def json_fields(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        root, leaf = self.interval(ROOT), self.leaf
        question = None
        if leaf is not None:
            question = {"path": self.path, "bounds": self.allowed(leaf)}
        return {
            "goal": self.algorithm.goal,
            "done": self.is_done,
            "best": self.best,
            "loss": self.loss,
            "value": root[0] if root[0] == root[1] else None,
            "interval": root,
            "actions": self.actions,
            "bounds": self.bounds,
            "bounds_from": self.bounds_source,
            "unknown": {"total": len(self._unknown), "answered": self.asked},
            "answers": self.answers,
            "next": question,
        }

    # ---- Checks.

    def _read(self, utility: Number | str, path: str | None) -> tuple[int, Number]:
        """Return the arguments of `answer` as a node and a number."""
        leaf = self.leaf if path is None else self.tree.find(path)
        if leaf is None:
            raise SearchError("no question is left\nname the leaf that has this utility")
        try:
            return leaf.id, to_number(str(utility), self.tree.exact)
        except NumberError as error:
            raise SearchError(error.lines) from None

    def _is_news(self, n: int, value: Number) -> bool:
        """Return whether a leaf is unknown; raise `SearchError` if it cannot have this utility."""
        where, text = message_path(self.tree.path_of(n)), message_text(value)
        if self.tree.columns.kind[n] != Kind.TERMINAL:
            message = f"{where} is not a leaf, and only leaves have utilities\nname one below it"
            raise SearchError(message)
        hint = "correct the one or the other"
        if n not in self._unknown or n in self._answers:
            known = self._answers.get(n, self.tree.columns.utility[n])
            if value == known:
                return False
            before = message_text(known)
            raise SearchError(f"the utility of {where} is known, {before}, and now {text}\n{hint}")
        lower, upper = (ends[n] for ends in self._allowed)
        eps: Number = 0  # the bounds here are differences of bounds and rewards
        if self.tree.columns.pays and not self.tree.exact:
            eps = _NEAR * float(greatest_number(self.tree, self.bounds))
        if not lower - eps <= value <= upper + eps:
            ends = ", ".join(map(message_text, self._bounds_of(n)))
            raise SearchError(
                f"the utility {text} of {where} lies outside its bounds [{ends}]\n{hint}"
            )
        return True


def with_utilities(tree: Tree, utilities: Mapping[int, Number]) -> Tree:
    """Return the tree with other utilities of some terminals."""
    utility: list[Any] = list(tree.columns.utility)
    for n, value in utilities.items():
        utility[n] = value
    column = utility if tree.exact else array("d", utility)
    formulas = replace(tree.formulas, written=None)  # it lacks the answers
    return replace(tree, columns=tree.columns._replace(utility=column), formulas=formulas)
