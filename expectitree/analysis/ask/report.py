"""Best-first search of a tree whose leaves are dear: asks for one utility at a time, and says what is known meanwhile.

The loops are those of `best_first`, stopped at each leaf that is not known until somebody gives its
utility.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from heapq import heapify, heappop, heappush, nlargest
from itertools import pairwise
from typing import Any, NamedTuple

from expectitree.algorithms import algorithm
from expectitree.errors import NumberError, SearchError
from expectitree.numbers import GREATEST_FLOAT, Number, display_text, escape, message_text, quote
from expectitree.searches.best_first import (
    Beliefs,
    back_up,
    begin,
    is_reached,
    narrow,
    renew,
    take_in,
    walk,
)
from expectitree.searches.engine import (
    NO_LIMIT,
    begin_best_first,
    choose_bounds,
    end_best_first,
)
from expectitree.searches.result import Search
from expectitree.searches.setup import (
    NO_BOUNDS,
    RELATIVE_EPS,
    ROUNDING_EPS,
    SearchSetup,
    greatest_number,
)
from expectitree.tree.builder import TreeBuilder
from expectitree.tree.model import Bounds, Branch, Columns, Kind, Node, Tree, check_tree
from expectitree.tree.paths import message_path

_SMALL, _LARGE = (
    1e-100,
    1e100,
)  # guesses are made in floats; squares of numbers between these are floats too
_ROUNDING = 1e-12  # of the greatest utility: what sums may lose to rounding
_SKIP = None  # in the log of what a caller said, beside answers


class Step(NamedTuple):
    """One step on the way to a leaf: the node, and the branch that leads on from it, with its id."""

    node: Node
    branch: Branch
    id: int


def inquire(
    tree: Tree, *, bounds: Bounds | None = None, goal: str = "action", guide: str = "learning"
) -> Inquiry:
    """Return a best-first search that asks for the leaves of a tree that are not known yet, one at a time.

    `bounds` hold for every utility; without them the file's own are taken, and where it has none,
    nothing is known beforehand. `goal` is what is to be proved: which `action` is best, or the
    `value` (as it is where the root is no player's). `guide` is what it goes by, as of the
    algorithm `best-first`. Raises `SearchError` for other choices, and for bounds that do not hold.
    """
    check_tree(tree)
    return Inquiry(tree, bounds, goal, guide)


class Inquiry:
    """A best-first search that waits for the utility of a leaf, and can be stopped at any time.

    It asks until it is certain which action is best, and `loss` says how wrong that can still be:

        >>> import expectitree
        >>> tree = expectitree.loads('{bounds: [0, 9], max: {sure: 4, bet: {min: [{utility: "?"}, {utility: "?"}]}}}')
        >>> simulate = {"bet/#1": 3, "bet/#2": 8}.get
        >>> inquiry = expectitree.inquire(tree)
        >>> while inquiry.leaf is not None:
        ...     inquiry.answer(simulate(inquiry.path))
        >>> inquiry.best, inquiry.loss, inquiry.asked, inquiry.unknown_left
        ('sure', 0, 1, 1)

    What the file knows is taken in beforehand. The same answers give the same questions; a leaf
    that several branches lead to is asked for once. An inquiry can be pickled, and goes on from
    there.
    """

    def __init__(
        self,
        tree: Tree,
        bounds: Bounds | None = None,
        goal: str = "action",
        guide: str = "learning",
    ) -> None:
        algorithm("best-first", goal=goal, guide=guide)  # raises where there is no such choice
        self.tree = tree
        self._is_player = tree.columns.kind[-1] in (Kind.MAX, Kind.MIN)
        self.algorithm = algorithm(
            "best-first", goal=goal if self._is_player else "value", guide=guide
        )
        self.bounds, self.bounds_source = _bounds(tree, bounds)
        self._unknown = frozenset(tree.unknown)
        self._columns: Columns
        self._ways: dict[int, int] = {}
        self._begin()
        self._propose()

    # ---- What is asked, and what is answered.

    @property
    def leaf(self) -> Node | None:
        """The leaf whose utility is asked next; None where nothing more is.

        The same until something is answered.
        """
        return None if self._leaf < 0 else Node(self.tree, self._leaf)

    @property
    def path(self) -> str | None:
        """The path of that leaf (the first, where there are several): its key in `answers`."""
        return None if self._leaf < 0 else self.tree.path_of(self._leaf)

    @property
    def route(self) -> tuple[Step, ...]:
        """The steps from the root by which the search came to that leaf: never through an outcome of p = 0."""
        if self._leaf < 0:
            return ()
        nodes = (
            self._beliefs.route[: self._depth + 1] if self._depth >= 0 else self._way_to(self._leaf)
        )
        return tuple(_step(self.tree, *pair) for pair in pairwise(nodes))

    @property
    def is_done(self) -> bool:
        """Whether the goal is reached: nothing that is not known yet can change it."""
        return self._is_done

    def answer(self, utility: Number | str, leaf: Node | str | None = None) -> None:
        """Take the utility of the leaf that is asked for, or of any other that is not known (a node, or its path).

        A number, or text as in files such as `1/3`. Raises `SearchError` where it is no finite
        number or lies outside the leaf's bounds, and where the leaf is known; the same number again
        is taken in silence.
        """
        if leaf is None:
            if self._leaf < 0:
                raise SearchError("nothing is asked any more: name the leaf whose utility this is")
            n = self._leaf
        else:
            n = self._id(leaf)
        value = self._number(utility)
        if n in self._answers or n not in self._unknown:
            self._check_same(n, value)
            return
        self._check_bounds(n, value)
        self._log.append((n, value))
        self._take(n, value)
        self._propose()

    def skip(self) -> None:
        """Ask for another leaf in place of this one, which is asked again once no other is left that could help."""
        if self._leaf < 0:
            raise SearchError("nothing is asked any more, so there is nothing to skip")
        self._log.append(_SKIP)
        self._pass_over()
        self._propose()

    def take_back(self) -> str:
        """Forget the last answer, as if it had never been given; return the path of its leaf."""
        last = max((i for i, said in enumerate(self._log) if said is not None), default=-1)
        if last < 0:
            raise SearchError("nothing was answered, so there is nothing to take back")
        said = self._log[last]
        assert said is not None
        self._replay(self._log[:last])
        return self.tree.path_of(said[0])

    # ---- What is known.

    def interval(self, node: Node | str) -> Bounds:
        """Return the interval known to hold the value of a node, given as such or by its path."""
        n = self._id(node)
        return self._known.lower[n], self._known.upper[n]

    @property
    def best(self) -> str | None:
        """The label of the action with the least `loss`; None where the root is not a player's."""
        branch = self.best_branch
        return None if branch is None else self.tree.branch_label(len(self.tree) - 1, branch)

    @property
    def best_branch(self) -> int | None:
        """The branch of that action: of several the one that is expected to bring most, then the first."""
        if not self._is_player:
            return None
        losses = self._losses()
        least = min(losses)
        first = self.tree.columns.first[-2]
        if self._is_proof(least):
            return int(first) + next(i for i, loss in enumerate(losses) if self._is_proof(loss))
        child, mean = self._columns.child, self._beliefs.mean
        sign = 1 if self.tree.columns.kind[-1] == Kind.MAX else -1
        equals = [i for i, loss in enumerate(losses) if loss == least]
        return int(first) + max(equals, key=lambda i: sign * mean[child[first + i]])

    @property
    def loss(self) -> Number:
        """How wrong `best` can be: by how much another action may turn out better; 0 when proved, inf where unknown.

        Where the root is not a player's: by how much its value is not known, the width of its
        interval.
        """
        root = len(self.tree) - 1
        if not self._is_player:
            width: Number = self._known.upper[root] - self._known.lower[root]
            return width if width else 0
        least = min(self._losses())
        return 0 if self._is_proof(least) else least

    @property
    def answers(self) -> dict[str, Number]:
        """What was answered, by path, in the order given."""
        return {self.tree.path_of(n): value for n, value in self._answers.items()}

    @property
    def asked(self) -> int:
        """How many utilities were answered."""
        return len(self._answers)

    @property
    def unknown_left(self) -> int:
        """How many utilities are not known yet; not all of them will be asked for."""
        return len(self._unknown) - len(self._answers)

    @property
    def search(self) -> Search:
        """The search as it stands, to be shown as others are: a stopped one, unless it is done."""
        visits = list(self._beliefs.visits)
        for n in self._beliefs.route[: self._depth + 1]:
            visits[n] -= 1  # the leaf is waited for
        by_node = self._known._replace(
            lower=list(self._known.lower), upper=list(self._known.upper), visits=visits
        )
        ground = replace(self._ground, tree=self.tree_answered())
        return end_best_first(ground, by_node, not self._is_done)

    def tree_answered(self) -> Tree:
        """Return the tree with the answers filled in; what was not answered stays unknown."""
        utility = list(self.tree.columns.utility)
        for n, value in self._answers.items():
            utility[n] = value
        column = utility if self.tree.exact else array("d", utility)
        return replace(self.tree, columns=self.tree.columns._replace(utility=column))

    def __repr__(self) -> str:
        state = "done" if self._is_done else f"asks for {message_path(self.path or '')}"
        known = f"best {escape(self.best)}, loss {display_text(self.loss)}" if self.best is not None else (
            f"value in [{', '.join(display_text(end) for end in self.interval(self.tree.root))}]"
        )  # fmt: skip
        return f"<Inquiry {state}: {known}, {self.asked:,} of {len(self._unknown):,} answered>"

    def __getstate__(self) -> tuple[Any, ...]:
        """Return what it was made of and told: columns may be views of memory, and come about again."""
        columns = (
            array(c.format, c) if isinstance(c, memoryview) else c for c in self.tree.columns
        )
        tree = replace(self.tree, columns=Columns(*columns))
        bounds = self.bounds if self.bounds_source == "option" else None
        return tree, bounds, self.algorithm.goal, self.algorithm.guide, self._log

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.__init__(*state[:-1])  # type: ignore[misc]
        self._replay(state[-1])

    # ---- How it goes on.

    def _begin(self) -> None:
        """Start the search anew, with what the file knows."""
        tree = self.tree
        self._answers: dict[int, Number] = {}
        self._skipped: list[int] = []
        self._log: list[tuple[int, Number] | None] = []
        self._leaf = (
            self._depth
        ) = -1  # what is asked; how deep the walk to it went, -1 if it was found otherwise
        self._ground = SearchSetup.of(
            tree,
            self.algorithm,
            self.bounds,
            self.bounds_source,
            "exact" if tree.exact else "interpreted",
        )
        self._columns = self._ground.columns
        self._beliefs, self._limits = begin_best_first(self._ground)
        self._own_bounds = list(self._beliefs.lower), list(self._beliefs.upper)
        self._greatest_utility, self._greatest = (
            greatest_number(tree, NO_BOUNDS),
            greatest_number(tree, self.bounds),
        )
        if not self._ways:
            self._find_ways()
        kind, utility, first, child, probability = self._columns
        visits = self._beliefs.visits
        for n in range(len(kind)):
            if kind[n] == Kind.TERMINAL:
                if n not in self._unknown:
                    self._beliefs.lower[n] = self._beliefs.upper[n] = utility[n]
                    visits[n] = int(n in self._ways)
            elif n in self._ways:
                visits[n] = int(
                    any(
                        probability[b] > 0 and visits[child[b]]
                        for b in range(first[n], first[n + 1])
                    )
                )
        self._learn()

    def _learn(self) -> None:
        """Learn from every leaf that is known, in floats of a fitting scale."""
        greatest = self._greatest
        scale: Number = 1 if self.tree.exact else 1.0
        if greatest and not _SMALL < greatest < _LARGE:
            scale = 1 / Fraction(greatest) if self.tree.exact else min(1 / greatest, GREATEST_FLOAT)
        self._limits = self._limits._replace(scale=scale)
        self._set_tolerance()
        begin(self._columns, self._beliefs, self._limits)
        kind, utility, _, _, _ = self._columns
        for n in self._ways:
            if kind[n] == Kind.TERMINAL and n not in self._unknown:
                take_in(self._beliefs, self._limits, n, utility[n])
        for n, value in self._answers.items():
            take_in(self._beliefs, self._limits, n, value)
        renew(self._columns, self._beliefs, self._limits)
        self._known = self._beliefs
        if self.tree.is_sharing:
            self._known = Beliefs._make(map(list, self._beliefs))
        self._is_done = is_reached(self._columns, self._known, self._limits)

    def _set_tolerance(self) -> None:
        """Take numbers as equal that differ by what sums may have lost to rounding, by what is known by now.

        `evaluate` takes as equal what ties on paper; here somebody is told that an action is proved
        to be best. Guesses are as near as there.
        """
        scale, eps = self._limits.scale, self._ground.eps
        near = RELATIVE_EPS * (
            float(self._greatest * scale) or 1
        )  # where no number is known, guesses are around 1
        if not self.tree.exact:
            utility, greatest = float(self._greatest_utility), float(self._greatest)
            eps = max(_ROUNDING * utility, ROUNDING_EPS * greatest)
            if utility:
                near = max(RELATIVE_EPS * utility, ROUNDING_EPS * greatest) * float(scale)
        self._limits = self._limits._replace(eps=eps, near=near)

    def _spread(self, leaf: int) -> None:
        """Tell every node above a leaf what was learnt of it, where nodes are shared: a walk backs up one way only."""
        known = self._known
        if known is self._beliefs:
            return
        for ends, said in ((known.lower, self._beliefs.lower), (known.upper, self._beliefs.upper)):
            ends[leaf] = said[leaf]
        waiting = list(self._parents[leaf])
        heapify(waiting)
        last = -1
        while waiting:
            n = heappop(waiting)
            if n != last:  # by several ways
                last = n
                before = known.lower[n], known.upper[n]
                narrow(self._columns, known, self._limits, n)
                if before != (known.lower[n], known.upper[n]):
                    for parent in self._parents[n]:
                        heappush(waiting, parent)

    def _take(self, n: int, value: Number) -> None:
        """Take in a leaf's utility, and learn from it what follows."""
        is_walked = n == self._leaf and self._depth >= 0
        if not is_walked:
            self._withdraw()
            for node in self._way_to(n):
                self._beliefs.visits[node] += 1
        self._answers[n] = value
        if n in self._skipped:
            self._skipped.remove(n)
        depth, self._depth, self._leaf = self._depth, -1, -1
        size: Any = abs(value)
        self._greatest_utility, self._greatest = (
            max(self._greatest_utility, size),
            max(self._greatest, size),
        )
        if self._greatest * self._limits.scale > _LARGE:
            self._learn()
            return
        self._set_tolerance()
        take_in(self._beliefs, self._limits, n, value)
        if is_walked:
            back_up(self._columns, self._beliefs, self._limits, depth)
        else:
            renew(self._columns, self._beliefs, self._limits)
        self._spread(n)
        self._is_done = is_reached(self._columns, self._known, self._limits)

    def _propose(self) -> None:
        """Choose the leaf that is asked next."""
        self._withdraw()
        if self._is_done:
            return
        if self._skipped:
            self._leaf = self._elsewhere()
            if self._leaf >= 0:
                return
            self._skipped.clear()
        leaf, depth = self._walk(self._beliefs)
        if leaf < 0:
            self._is_done = True
        else:
            self._leaf, self._depth = leaf, depth

    def _walk(self, beliefs: Beliefs) -> tuple[int, int]:
        """Return the leaf that a search goes to and its depth; -1 where it is over without any."""
        while True:
            depth = walk(self._columns, beliefs, self._limits, NO_LIMIT)
            n = beliefs.route[depth]
            if self._columns.kind[n] == Kind.TERMINAL:
                return n, depth
            back_up(
                self._columns, beliefs, self._limits, depth
            )  # what was learnt by another way closed it
            if is_reached(self._columns, beliefs, self._limits):
                return -1, -1

    def _elsewhere(self) -> int:
        """Return the leaf to ask where some are skipped: as if those were worth what is expected of them.

        Where that would decide all, the first that is left which might change something; -1 where
        none is.
        """
        beliefs = Beliefs._make(map(list, self._beliefs))
        for n in self._skipped:
            lower, upper = beliefs.lower[n], beliefs.upper[n]
            mean = beliefs.mean[n]
            guess: Any = (
                Fraction(mean) / self._limits.scale
                if self.tree.exact
                else mean / self._limits.scale
            )
            beliefs.lower[n] = beliefs.upper[n] = min(max(guess, lower), upper)
            beliefs.low[n] = beliefs.high[n] = mean
            beliefs.variance[n] = 0.0
        renew(self._columns, beliefs, self._limits)
        if not is_reached(self._columns, beliefs, self._limits):
            leaf, _ = self._walk(beliefs)
            if leaf >= 0:
                return leaf
        return next((n for n in self._open_leaves() if n not in self._skipped), -1)

    def _open_leaves(self) -> Iterator[int]:
        """Yield the leaves that are not known, and may change something, in order.

        They lie below nodes that are not known, and at a player below children that may still be
        better than what is sure there.
        """
        kind, _, first, child, probability = self._columns
        lower, upper = self._known.lower, self._known.upper
        seen = set()
        waiting = [len(kind) - 1]
        while waiting:
            n = waiting.pop()
            if n in seen or not lower[n] < upper[n]:
                continue
            seen.add(n)
            if kind[n] == Kind.TERMINAL:
                yield n
            for b in range(first[n + 1] - 1, first[n] - 1, -1):
                c = child[b]
                is_idle = (
                    kind[n] == Kind.MAX
                    and upper[c] <= lower[n]
                    or kind[n] == Kind.MIN
                    and lower[c] >= upper[n]
                )
                if probability[b] > 0 and not is_idle:
                    waiting.append(c)

    def _pass_over(self) -> None:
        self._skipped.append(self._leaf)

    def _withdraw(self) -> None:
        """Ask for nothing: the walk to the leaf that was asked for does not count."""
        for n in self._beliefs.route[: self._depth + 1]:
            self._beliefs.visits[n] -= 1
        self._leaf = self._depth = -1

    def _replay(self, log: list[tuple[int, Number] | None]) -> None:
        """Go through all that was said once more."""
        self._begin()
        self._propose()
        for said in log:
            if said is _SKIP:
                self._pass_over()
            else:
                self._take(*said)
            self._propose()
        self._log = list(log)

    # ---- What is proved.

    def _is_proof(self, loss: Number) -> bool:
        """Say whether nothing can turn out better; where all is known, no more than sums may lose."""
        root = len(self.tree) - 1
        is_exact = self._known.lower[root] == self._known.upper[root]
        return bool(loss <= (2 if is_exact else 1) * self._limits.eps)

    def _losses(self) -> list[Number]:
        """Return for each action at the root by how much another one may turn out better, 0 where none may."""
        kind, _, first, child, _ = self._columns
        root = len(kind) - 1
        is_max = kind[root] == Kind.MAX
        sure, hoped = self._known.lower, self._known.upper
        if not is_max:
            sure, hoped = hoped, sure
        sign = 1 if is_max else -1
        below = [child[b] for b in range(first[root], first[root + 1])]
        different = nlargest(2, set(below), key=lambda c: sign * hoped[c])
        losses: list[Number] = []
        for c in below:
            rival = next((r for r in different if r != c), c)
            losses.append(0 if rival == c else max(0, sign * (hoped[rival] - sure[c])))
        return losses

    # ---- Ways through the tree.

    def _find_ways(self) -> None:
        """Note of every node that play can come to, parents first, by which branch."""
        _, _, first, child, probability = self._columns
        root = len(self.tree) - 1
        self._ways = {root: -1}
        for n in range(root, -1, -1):
            if n in self._ways:
                for b in range(first[n], first[n + 1]):
                    if probability[b] > 0:
                        self._ways.setdefault(child[b], b)

    @cached_property
    def _parents(self) -> Mapping[int, list[int]]:
        """The nodes above each node."""
        _, _, first, child, _ = self._columns
        parents: dict[int, list[int]] = {}
        for n in range(len(self.tree)):
            for c in {child[b] for b in range(first[n], first[n + 1])}:
                parents.setdefault(c, []).append(n)
        parents[len(self.tree) - 1] = []
        return parents

    def _way_to(self, n: int) -> list[int]:
        """Return the nodes from the root to a node; not through outcomes of p = 0, where there is such a way."""
        way = [n]
        parent = self.tree.first_paths.parent
        is_possible = n in self._ways
        while way[-1] != len(self.tree) - 1:
            here = way[-1]
            way.append(self.tree.parent_of(self._ways[here]) if is_possible else parent[here])
        return way[::-1]

    # ---- What is said.

    def _id(self, node: Node | str) -> int:
        if isinstance(node, str):
            return self.tree.find(node).id
        if not isinstance(node, Node):
            raise SearchError(f"found {quote(str(node))}, expected a node, or the path of one")
        if node.tree is not self.tree and node.tree.columns.first is not self.tree.columns.first:
            raise SearchError(
                "this node is of another tree: give its path, or a node of the inquiry's own tree"
            )
        return node.id

    def _number(self, utility: object) -> Number:
        """Return a utility as a number of the tree's kind."""
        if isinstance(utility, float) and not math.isfinite(utility):
            raise SearchError(f"{utility} is no utility: expected a finite number")
        builder = TreeBuilder(exact=self.tree.exact)
        try:
            value = builder.build(builder.terminal(utility)).columns.utility[0]  # type: ignore[arg-type]
        except NumberError as error:
            raise SearchError(str(error)) from None
        if value != value:
            raise SearchError("None is no utility: expected a number; `skip` asks for another leaf")
        return value  # type: ignore[no-any-return]

    def _check_same(self, n: int, value: Number) -> None:
        """Raise `SearchError` unless a leaf that is known is worth as much."""
        where = message_path(self.tree.path_of(n))
        if self.tree.columns.kind[n] != Kind.TERMINAL:
            raise SearchError(
                f"{where} is no leaf, and only a leaf has a utility: name one below it"
            )
        known = self._answers.get(n, self.tree.columns.utility[n])
        if value != known:
            how = "was answered already" if n in self._answers else "is known"
            undo = (
                ": take that back first"
                if n in self._answers
                else ": change the tree where that is wrong"
            )
            raise SearchError(
                f"the utility of {where} {how}, {message_text(known)}, and now {message_text(value)}{undo}"
            )

    def _check_bounds(self, n: int, value: Number) -> None:
        lower, upper = self._own_bounds[0][n], self._own_bounds[1][n]
        if not lower <= value <= upper:
            raise SearchError(
                f"the utility {message_text(value)} of {message_path(self.tree.path_of(n))} lies outside its bounds "
                f"[{message_text(lower)}, {message_text(upper)}]: correct the one or the other"
            )


def _bounds(tree: Tree, bounds: Bounds | None) -> tuple[Bounds, str]:
    """Return the root's bounds and where they came from; "none" where nothing is known beforehand."""
    if bounds is None and tree.unknown and len(tree) - 1 not in tree.local_bounds:
        return NO_BOUNDS, "none"
    return choose_bounds(tree, bounds)


def _step(tree: Tree, n: int, below: int) -> Step:
    """Return the step from a node to a child; of several branches the likeliest."""
    _, _, first, child, probability = tree.columns
    b = max(
        (b for b in range(first[n], first[n + 1]) if child[b] == below),
        key=lambda b: probability[b],
    )
    return Step(tree.node(n), Branch(tree.branch_label(n, b), probability[b], tree.node(below)), b)
