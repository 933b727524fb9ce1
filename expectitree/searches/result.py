"""`Search`: the result of a search, as columns by node id, and the answers read from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from expectitree.base import compiling
from expectitree.base.algorithms import OPTIONS, Algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import SearchError
from expectitree.base.numbers import Number, display_text
from expectitree.base.rounding import WrittenFraction, to_nearest_float
from expectitree.base.tables import module_of
from expectitree.base.tree import scans
from expectitree.base.tree.columns import NONE, Bounds, Readable, Repeated
from expectitree.base.tree.model import Kind, Node, Tree
from expectitree.base.tree.paths import ROOT, message_path
from expectitree.base.tree.scans import shifted
from expectitree.searches.cuts import STOPPED, SearchColumns, Unvisited, explain_unvisited
from expectitree.searches.intervals import find_proved
from expectitree.searches.problem import Found, Problem

PLAYERS = (Kind.MAX, Kind.MIN)


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of nodes and leaves in a tree, and of those that a search visited.

        >>> import expectitree as et
        >>> counts = et.evaluate(et.load("example:aima-5.12-left"), "star1").counts
        >>> counts.leaves_visited, counts.leaves_total, counts.cuts
        (5, 8, 2)

    Attributes:
        total: The nodes of the tree; a shared node counts once.
        visited: The nodes that the search entered.
        leaves_total: The terminals of the tree.
        leaves_visited: The terminals that the search entered.
        visits: How often nodes were entered, revisits and probes included.
        cuts: How often the search left a node's other children unsearched.
    """

    total: int
    visited: int
    leaves_total: int
    leaves_visited: int
    visits: int
    cuts: int

    @property
    def share(self) -> float:
        """The share of the leaves that were visited, from 0 to 1."""
        return self.leaves_visited / self.leaves_total


class UnderAttitude(NamedTuple):
    """What an attitude to risk adds to the value, which is a certainty equivalent."""

    utility: Number | None  # of the certainty equivalent; None beyond floats
    mean: Number
    premium: Number


class Outcome(Enum):
    """The result that a search proved about the root.

    `VALUE`: its value. `ACTION`: which action is best, but not its value. `FAIL_LOW`: the value is
    at most alpha. `FAIL_HIGH`: it is at least beta. `STOPPED`: nothing, because the search reached
    a limit: of visits, or for games of rows or time. `ESTIMATE`: nothing, because the algorithm
    only estimates values.

        >>> import expectitree as et
        >>> et.evaluate(et.load("example:ballard"), "star1", max_visits=3).outcome
        <Outcome.STOPPED: 'stopped'>
    """

    VALUE = "value"  # v*
    ACTION = "action"  # the best action, without v*
    FAIL_LOW = "fail low"  # v* <= alpha
    FAIL_HIGH = "fail high"  # v* >= beta
    STOPPED = "stopped"  # nothing: the search reached a limit
    ESTIMATE = "estimate"  # nothing: the algorithm only estimates


@dataclass(frozen=True)
class Search(Shown):
    """The result of one search of one tree; `evaluate` makes it.

        >>> import expectitree as et
        >>> found = et.evaluate(et.load("example:aima-5.12-left"), "star1")
        >>> found.value, found.best, found.interval("a2"), found.visited("a2/#1/#2")
        (2.1, 'a1', (1.0, 1.3), False)

    A column, marked [N], is a sequence by node id (`Node.id`). Its numbers are those of the search:
    fractions if `engine` is "exact". What methods and properties return is rounded once to a float,
    unless `evaluate` was called with `exact=True`.

    Attributes:
        tree: The tree that was searched.
        algorithm: The algorithm, with its options.
        root_bounds: The `bounds` of the root, as they were computed.
        bounds_source: Where the bounds come from: "option", "file" or "leaves"; "none" if no bounds
            are known in advance.
        root_window: The window of the root, without the root's reward; by default the bounds.
        own_eps: What `eps` is without the root's reward; None if it is computed when asked for.
        engine: "interpreted", "compiled" or "exact".
        lower: [N] The lower end of the interval that contains the node's value.
        upper: [N] The upper end.
        visits: [N] How often the node was entered.
        alpha: [N] The lower end of the window of the last entry of an inner node, where `visits` is
            not 0.
        beta: [N] The upper end of that window.
        cut: [N] How the last entry ended: a constant of `expectitree.searches.cuts`.
        cut_after: [N] How many children were done before the cut; while probing, outcomes.
        window_parent: [N] The node whose window gave this node its own, if that is not the node
            above it on its first path.
        cuts: The number of cuts.
        stopped: Whether the search reached a limit: of visits, or for games of rows or time.
        own_estimate: The `estimate` without the root's reward.
        seed: The seed of a search that draws random numbers.
        grown: What a search of a game needed, a `Grown`; None for a search of a tree.
        exact: Whether methods and properties return numbers as they were computed. Otherwise, they
            round each once to a float.
        seconds: How long the search itself took, once its columns were ready; 0 for a game, where
            that is not measured.
    """

    question = "evaluate"

    tree: Tree
    algorithm: Algorithm
    root_bounds: Bounds
    bounds_source: str
    root_window: Bounds
    own_eps: Number | None
    engine: str
    lower: Sequence[Any]
    upper: Sequence[Any]
    visits: Sequence[Any]
    alpha: Sequence[Any]
    beta: Sequence[Any]
    cut: Sequence[Any]
    cut_after: Sequence[Any]
    window_parent: Sequence[Any] | None = None
    cuts: int = 0
    stopped: bool = False
    own_estimate: Number | None = None
    seed: int = 0
    grown: Any = None
    exact: bool = True
    seconds: float = field(default=0.0, compare=False)

    @classmethod
    def from_found(cls, problem: Problem, found: Found, **about: Any) -> Search:
        """Return the result of a search that found something about a problem.

        `about` has other attributes of the result.
        """
        tree, algorithm = problem.tree, problem.algorithm
        # Each value of a backward induction in floats has an error of its own, measured when it
        # is asked for.
        is_measured = not (algorithm.prunes or tree.exact or tree.attitude) and tree.has_rounding
        eps = None if is_measured else problem.eps
        known = problem.bounds, problem.bounds_source, problem.window, eps, problem.engine
        if tree.exact:
            for column in (found.lower, found.upper):
                _replace_written(column, tree.columns.kind)
        columns = (getattr(found, name) for name in Found.__slots__)
        about["seed"] = problem.seed
        return cls(tree, algorithm, *known, *columns, **about)

    def _number(self, value: Number) -> Number:
        return value if self.exact else to_nearest_float(value)

    @cached_property
    def eps(self) -> Number:
        """A bound of what rounding may have changed in the value: of its sums, and at the root.

        It is 0 in fractions. Numbers of nodes that differ by at most this count as equal; the
        search itself compared them without the root's part, which all actions share.
        """
        tree = self.tree
        error: Number = self._eps
        if tree.root_reward and not tree.exact:  # three roundings: of both numbers and of their sum
            size: Any = tree.greatest_magnitude
            error += 3 * tree.roundoff * (size + abs(tree.root_reward))
        return error

    @cached_property
    def _eps(self) -> Any:
        """What rounding may have changed in the numbers that the search compared."""
        if self.own_eps is not None:
            return self.own_eps
        # Two values that are compared may both be off.
        tree, errors = self.tree, compiling.zeros("d", len(self.tree))
        scan = tree.columns.scan
        error: float = scan(scans.measure_rounding, self.lower, tree.roundoff, errors)
        return 2 * error

    @property
    def bounds(self) -> Bounds:
        """`(lower, upper)` of the root."""
        lower, upper = map(self._number, self.root_bounds)
        return lower, upper

    @property
    def value(self) -> Number:
        """The value of the tree, which includes `root_reward`.

        Raises `SearchError` if the search did not prove it; the message has the interval known.
        """
        return self._number(self._proved_value)

    @property
    def _proved_value(self) -> Number:
        lower, upper = self.interval_of_branch(NONE)
        if self.outcome is not Outcome.VALUE:
            known = interval_text(lower, upper)
            raise SearchError(f"{self._why_no_value()}: the value lies in {known}")
        return lower

    @property
    def estimate(self) -> Number | None:
        """The value by the estimate of an algorithm that does not prove it; None otherwise.

        It includes `root_reward`.
        """
        if self.own_estimate is None:
            return None
        return self._number(shifted(self.own_estimate, self.tree.root_reward))

    def _why_no_value(self) -> str:
        """Return why the search did not prove the value."""
        reward = self.tree.root_reward
        alpha, beta = (display_text(shifted(end, reward)) for end in self.root_window)
        return {
            Outcome.STOPPED: "the search was stopped",
            Outcome.ACTION: "the search was not asked for more",
            Outcome.ESTIMATE: f"{self.algorithm.full_name} only estimates the value",
            Outcome.FAIL_LOW: f"the search failed low: the value is at most alpha {alpha}",
            Outcome.FAIL_HIGH: f"the search failed high: the value is at least beta {beta}",
        }[self.outcome]

    @property
    def mean(self) -> Number:
        """The expected total of optimal play, which includes `root_reward`.

        Without an attitude to risk, it is the value. Of several best actions, the first one is
        played. Raises `SearchError` if the search did not prove the value.
        """
        if self.under_attitude is None:
            return self.value
        return self._number(self.under_attitude.mean)

    @property
    def expected_utility(self) -> Number | None:
        """The utility of the certainty equivalent; None beyond floats, or without an attitude."""
        if self.under_attitude is None or self.under_attitude.utility is None:
            return None
        return self._number(self.under_attitude.utility)

    @property
    def risk_premium(self) -> Number:
        """What the decision maker gives up to avoid the risk; 0 without an attitude.

        It is the mean less the value, or for MIN the value less the mean.
        """
        if self.under_attitude is None:
            return 0
        return self._number(self.under_attitude.premium)

    @cached_property
    def under_attitude(self) -> UnderAttitude | None:
        """The figures of an attitude to risk, as they were computed; None without one."""
        attitude, sign = self.tree.attitude, self.tree.gain_sign
        if attitude is None:
            return None
        value = self._proved_value
        mean = module_of("searches.expectations").mean_of(self)
        return UnderAttitude(attitude.utility(sign * value), mean, sign * (mean - value))

    @property
    def outcome(self) -> Outcome:
        """What the search proved about the root."""
        root = self.tree.root_id
        if self.is_exact(root):
            return Outcome.VALUE
        if self.own_estimate is not None:
            return Outcome.ESTIMATE
        if self.stopped:
            return Outcome.STOPPED
        if self.algorithm.goal == "action" and self.tree.columns.kind[root] in PLAYERS:
            return Outcome.ACTION
        is_low = self.upper[root] <= self.root_window[0] + self._eps
        return Outcome.FAIL_LOW if is_low else Outcome.FAIL_HIGH

    @property
    def best(self) -> str | None:
        """The label of the first best action at the root; None if no player decides there."""
        root = self.tree.root_id
        branch = next(self.best_branches(root), None)
        return None if branch is None else self.tree.branch_label(root, branch)

    @cached_property
    def ties(self) -> tuple[str, ...]:
        """The labels of all actions at the root that are proved to be best, in order."""
        root = self.tree.root_id
        return tuple(self.tree.branch_label(root, b) for b in self.best_branches(root))

    @cached_property
    def counts(self) -> Counts:
        """Nodes and leaves, total and visited, visits and cuts."""
        tree = self.tree
        if self.algorithm.prunes:
            visited, leaves, visits = tree.columns.scan(scans.tally, self.visits)
        else:
            visited, leaves, visits = len(tree), tree.leaves, len(tree)
        return Counts(
            total=len(tree),
            visited=visited,
            leaves_total=tree.leaves,
            leaves_visited=leaves,
            visits=visits,
            cuts=self.cuts,
        )

    def interval(self, node: Node | str = ROOT) -> Bounds:
        """Return the interval that contains the value of a node, given as a node or as its path.

        A path means its last branch, whose value includes the branch's reward. The ends are
        equal where the search proved the value. The name of a copy, such as `ill (cycle 3)`, means
        the node alone. Raises `TreeError` if there is no such node.
        """
        lower, upper = map(self._number, self._interval(node))
        return lower, upper

    def _interval(self, node: Node | str) -> Bounds:
        if not isinstance(node, str):
            return self.interval_of(node.id)
        if (copy := self.tree.find_copy(node)) != NONE:
            return self.interval_of(copy)
        return self.interval_of_branch(self.tree.find_branch(node))

    def interval_of(self, node: int) -> Bounds:
        """Return the interval that contains the value of the node with an id, as it was computed.

        It excludes the reward of a branch to the node.
        """
        return self.lower[node], self.upper[node]

    def interval_of_branch(self, branch: int) -> Bounds:
        """Return the interval that contains the value of a branch, as it was computed.

        The value of a branch is its reward plus the value of its node.

        The branch is an id; -1 is the way to the root, which pays `root_reward`.
        """
        node = self.tree.root_id if branch == NONE else self.tree.columns.child[branch]
        lower, upper = self.lower[node], self.upper[node]
        reward = self.tree.reward_of(branch)
        return (shifted(lower, reward), shifted(upper, reward)) if reward else (lower, upper)

    def value_of(self, node: Node | str = ROOT) -> Number:
        """Return the value of a node; the root's by default.

            >>> import expectitree as et
            >>> tree = et.loads("max: {left: {min: [3, 12]}, right: {min: [2, 4]}}")
            >>> et.evaluate(tree).value_of("right/#2")
            4.0

        Args:
            node: A node of the tree, or its path: the labels from the root to it, joined by `/`.
                The value at a path includes the reward of the path's last branch.

        Raises:
            SearchError: The search did not prove the value. The message has the interval known.
            TreeError: The path names no node.
        """
        number, interval = self._id(node), self._interval(node)
        if self.is_exact(number):
            return self._number(interval[0])
        where = message_path(self.tree.path_of(number))
        known = f"in {interval_text(*interval)}"
        what = f"did not visit {where}; its value lies {known} by the bounds"
        if self.visits[number]:
            what = f"proved only that the value of {where} lies {known}"
        raise SearchError(
            f"{self.algorithm.full_name} {what}: evaluate the tree with expectiminimax for the "
            "value of each node"
        )

    def criteria_of(self, node: Node | str = ROOT) -> dict[str, Number]:
        """Return what is expected of each criterion at a node, with the best actions from there.

            >>> import expectitree as et
            >>> tree = et.loads("{criteria: [cost, days], objective: -cost - 5*days, max: {fly: "
            ...                 "{utility: {cost: 90, days: 1}}, sail: {utility: {days: 9}}}}")
            >>> et.evaluate(tree).criteria_of(), et.evaluate(tree).criteria_of("fly")
            ({'cost': 0.0, 'days': 9.0}, {'cost': 90.0, 'days': 1.0})

        Of several best actions, the first one is played. A tree without criteria has none.

        Args:
            node: A node, or its path, as in `value_of`.

        Raises:
            SearchError: The search did not prove which actions are best.
            TreeError: The path names no node.
        """
        where = self.tree.find_branch(node) if isinstance(node, str) else None
        amounts = self.expected_criteria.at(self._id(node), where)
        if amounts is None:
            what = f"{self.algorithm.full_name} did not prove which actions are best"
            path = message_path(self.tree.path_of(self._id(node)))
            raise SearchError(f"{what} at {path}: evaluate the tree with expectiminimax")
        return {name: self._number(number) for name, number in amounts.items()}

    @cached_property
    def expected_criteria(self) -> Any:
        """What is expected of each criterion at each node: an `ExpectedCriteria`."""
        return module_of("searches.expectations").ExpectedCriteria(self)

    def to_records(self) -> list[dict[str, Any]]:
        """Return the figures of the search as a flat dict in a list: a row for pandas or polars.

            >>> import expectitree as et
            >>> tree = et.load("example:risk")
            >>> (record,) = et.evaluate(tree, "star1").to_records()
            >>> record["algorithm"], record["value"], record["leaves_visited"]
            ('star1', 54.5, 4)

        `value` is None if the search did not prove it; it lies between `value_lower` and
        `value_upper`. The record of a search that only estimates it has `estimate`, too. Options
        that the algorithm does not have are None. Numbers of an exact tree are `Fraction`. For a
        game, the totals are None, and the dict has the fields of `Grown` too.
        """
        counts, grown, (lower, upper) = self.counts, self.grown, self.interval(ROOT)
        options = self.algorithm.options
        record = {
            "algorithm": self.algorithm.name,
            **{key.replace("-", "_"): options.get(key) for key in OPTIONS},
            "value": lower if self.outcome is Outcome.VALUE else None,
            "best": self.best,
            "bounds_lower": self.bounds[0],
            "bounds_upper": self.bounds[1],
            "nodes_total": counts.total,
            "nodes_visited": counts.visited,
            "visits": counts.visits,
            "leaves_total": counts.leaves_total,
            "leaves_visited": counts.leaves_visited,
            "cuts": counts.cuts,
            "stopped": self.stopped,
            "value_lower": lower,
            "value_upper": upper,
        }
        if self.estimate is not None:
            record["estimate"] = self.estimate
        if grown is not None:
            record |= {"nodes_total": None, "leaves_total": None, **asdict(grown)}
        return [record]

    def visited(self, node: Node | str) -> bool:
        """Return whether the search entered a node, given as a node or as its path."""
        return bool(self.visits[self._id(node)])

    def is_exact(self, node: int) -> bool:
        """Return whether the search proved the value of the node with an id."""
        return bool(self.lower[node] == self.upper[node])

    def is_best(self, node: int, branch: int) -> bool:
        """Return whether a branch is proved best; both arguments are ids."""
        if self.tree.columns.kind[node] not in PLAYERS:
            return False
        if not self.is_exact(node):
            return node == self.tree.root_id and branch in self._proved_actions
        least = self._worth(node, self.interval_of(node)) - self._eps
        return bool(self._worth(node, self.interval_of_branch(branch)) >= least)

    def _worth(self, node: int, interval: Bounds) -> Any:
        """Return what an interval guarantees to the player at a node: the greater, the better."""
        lower, upper = interval
        return lower if self.tree.columns.kind[node] == Kind.MAX else -upper

    def best_branches(self, node: int) -> Iterator[int]:
        """Yield the ids of a player's branches that are proved best, in order.

        In floats, several may be equal but for rounding. Then the one with the best number is
        first.
        """
        asked: Sequence[int] = self.tree.branches_of(node)
        if not self.is_exact(node):  # so no action is proved, but perhaps one of the root
            asked = self._proved_actions if node == self.tree.root_id else ()
        proved = (b for b in asked if self.is_best(node, b))
        if not self._eps:
            return proved
        branches = [*proved]
        if branches:
            ends = [self._worth(node, self.interval_of_branch(b)) for b in branches]
            branches.insert(0, branches.pop(ends.index(max(ends))))
        return iter(branches)

    @cached_property
    def _proved_actions(self) -> tuple[int, ...]:
        """The best branches at the root, if the search proved the best action without v*.

        The best one has both ends of the root's interval. If branches to two children had both, v*
        would be known.
        """
        if self.outcome is not Outcome.ACTION:
            return ()
        root, columns = self.tree.root_id, self.tree.columns
        best = find_proved(columns, self.lower, self.upper, root, self._eps)
        child, reward = columns.child[best], self.tree.reward_of(best)
        return tuple(
            b
            for b in self.tree.branches_of(root)
            if columns.child[b] == child and self.tree.reward_of(b) == reward
        )

    @cached_property
    def asked_by(self) -> Readable[int]:
        """The id of the node whose window gave a node its own, by node id; -1 at the root."""
        return self.tree.first_paths.parent if self.window_parent is None else self.window_parent

    def asking(self, node: int) -> tuple[int, int]:
        """Return the node that asked for a visited node, and its branch; (-1, -1) at the root."""
        above, columns = self.asked_by[node], self.tree.columns
        if above < 0:
            return NONE, NONE
        branches = (b for b in self.tree.branches_of(above) if columns.child[b] == node)
        likely = (b for b in branches if columns.probability[b] > 0)
        return above, next(likely, self.tree.first_paths.branch[node])

    @cached_property
    def unvisited(self) -> Unvisited:
        """The reasons why nodes were not visited, and what each cut saved."""
        tree, count = self.tree, len(self.tree)
        if not self.algorithm.prunes:
            nothing = Repeated(0, count)
            return Unvisited(nothing, nothing, nothing, 0)
        paths = tree.first_paths
        columns = SearchColumns(
            compiling.countdown(count),  # parents first
            paths.parent,
            paths.branch,
            self.asked_by,
            self.visits,
            # A search that only estimates stopped at every node before it had visited all.
            self.cut if self.algorithm.proves else [STOPPED] * count,
            self.cut_after,
        )
        owner = compiling.filled("i", NONE, count)
        reason = compiling.zeros("B", count)
        nodes, leaves = compiling.zeros("i", count), compiling.zeros("i", count)
        spared = nodes, leaves
        skipped = tree.columns.scan(explain_unvisited, columns, owner, reason, spared)
        return Unvisited(reason, nodes, leaves, skipped)

    @cached_property
    def strategy(self) -> Mapping[str, str]:
        """The best action at each player's node that optimal play can reach, by path."""
        chosen = self.strategy_branches
        return {
            path: self.tree.branch_label(node.id, chosen[node.id])
            for node, path in self.tree.walk()
            if node.id in chosen
        }

    @cached_property
    def strategy_branches(self) -> Mapping[int, int]:
        """The first best branch of each player's node that optimal play can reach, by node id."""
        columns, chosen = self.tree.columns, dict[int, int]()
        reached = {self.tree.root_id}
        waiting = [*reached]
        for n in waiting:  # which grows
            if columns.kind[n] == Kind.CHANCE:
                played = [b for b in self.tree.branches_of(n) if columns.probability[b] > 0]
            else:
                played = list(islice(self.best_branches(n), 1))
                chosen.update((n, b) for b in played)
            below = {columns.child[b] for b in played if columns.kind[columns.child[b]]}
            waiting += below - reached
            reached |= below
        return chosen

    def _id(self, node: Node | str) -> int:
        return self.tree.find(node).id if isinstance(node, str) else node.id

    def value_text(self, write: Callable[[Number], str] = display_text) -> str:
        """Return the value: `4`, `≈ 4` if estimated, or `in [2, 5]` if it is not known."""
        lower, upper = self.interval_of_branch(NONE)
        if self.outcome is Outcome.VALUE:
            return write(lower)
        if self.own_estimate is not None:
            return f"≈ {write(shifted(self.own_estimate, self.tree.root_reward))}"
        return f"in {interval_text(lower, upper, write)}"

    def __repr__(self) -> str:
        c, value = self.counts, f"{self.algorithm.full_name}: {self.value_text()}"
        return (
            f"<Search {value}, {c.visited:,} of {c.total:,} nodes, "
            f"{c.leaves_visited:,} of {c.leaves_total:,} leaves>"
        )


def interval_text(
    lower: Number, upper: Number, write: Callable[[Number], str] = display_text
) -> str:
    """Return an interval: `[1, 2]`."""
    return f"[{write(lower)}, {write(upper)}]"


def _replace_written(values: MutableSequence[Any], kinds: Iterable[int]) -> None:
    """Replace written fractions of inner nodes by ordinary ones: their values are computed."""
    for node, kind in enumerate(kinds):
        if kind and values[node].__class__ is WrittenFraction:
            values[node] = Fraction(values[node])
