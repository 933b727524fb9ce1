"""The tree in memory: two tables of columns (`columns.py` has their shapes), and views of rows.

The branches also have a column of labels: text, or None for `#k` by its place.

Children come before their parents: every child's id is smaller than its parent's and the root is
the last row, so backward induction is one forward scan and a cycle cannot be stored. Nothing here
recurses on the depth of a tree.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from expectitree.base.display import Shown
from expectitree.base.errors import TreeError
from expectitree.base.expressions.syntax import names_in
from expectitree.base.numbers import Number, escape, is_finite, quote
from expectitree.base.reading import float_column
from expectitree.base.rounding import UNIT, have_long_values, rounded_column, to_nearest_float
from expectitree.base.tables import module_of
from expectitree.base.tree import paths, scans
from expectitree.base.tree.columns import (
    NO_BOUNDS,
    NONE,
    NUMBERS,
    Bounds,
    Columns,
    IntColumn,
    Labels,
    NumberColumn,
    filled,
    zeros,
)
from expectitree.base.tree.columns import Kind as Kind
from expectitree.base.tree.formulas import Formulas, Parameters, TreeText

if TYPE_CHECKING:
    from expectitree.base.tree.attitude import Attitude
    from expectitree.base.tree.formulas import Criteria, Expectation

FLOAT_UNIT = 2.0**-53  # what one operation on floats loses at most, as a part of its result
MAX_DIGITS = 4000  # of an unfolded size that is given exactly
TALLEST = 2**15 - 1  # height in a column of two bytes, of which `find_fault` needs one bit
# For more nodes, exact sizes of many digits would take more memory than the tree.
_MANY_NODES = 5_000_000
_MAX_GUESSED = 1000  # nodes that a wrong path may mean, and characters of it


@dataclass(frozen=True, eq=False)
class Tree(Shown):
    """A game tree, which never changes; `load`, `loads`, `from_dict` or `TreeBuilder` makes it.

    A tree is a table of nodes and a table of branches. A node's id is its row, children come before
    their parents, and the root is the last row. Columns are marked [N] by node id, [M] by branch.

        >>> import expectitree as et
        >>> tree = et.loads("max: {left: {chance: [10, 10]}, right: {chance: [100, 9]}}")
        >>> len(tree), tree.leaves, tree.utility_range
        (7, 4, (9.0, 100.0))
        >>> for node, path in tree.walk():
        ...     print(path, node.kind.name, node.utility)
        / MAX None
        left CHANCE None
        left/#1 TERMINAL 10.0
        left/#2 TERMINAL 10.0
        right CHANCE None
        right/#1 TERMINAL 100.0
        right/#2 TERMINAL 9.0

    Attributes:
        columns: The numbers by node and by branch.
        label: [M] The label of each branch; None if it is `#k`, its place among its siblings.
        exact: Whether the numbers are `Fraction`; otherwise they are floats.
        local_bounds: The bounds written at nodes, by node id.
        estimated: The terminals that a depth limit made of inner nodes.
        root_reward: What MAX receives before the first move; the value of the tree includes it.
        text: What its file adds: the title, notes and expected results, as in `TreeText`.
        parameters: The named numbers, by name.
        formulas: The formulas of its numbers and the events of its chance nodes; false without any.
        attitude: The attitude to risk, with which values are certainty equivalents, or None.
        error: The most by which a number may differ from its formula, if that is irrational.
        is_rounded: Whether the fractions are rounded to 200 bits.
        decider: The decision maker, if nodes that show who it is have been replaced; else None.
    """

    columns: Columns
    label: Labels
    exact: bool = False
    local_bounds: Mapping[int, Bounds] = field(default_factory=dict)
    estimated: frozenset[int] = frozenset()
    root_reward: Number = 0
    text: TreeText = field(default_factory=TreeText)
    parameters: Parameters = field(default_factory=dict)
    formulas: Formulas = field(default_factory=Formulas)
    attitude: Attitude | None = None
    error: Number = 0
    is_rounded: bool = False
    decider: Kind | None = None

    def __new__(cls, columns: Any = None, *rest: Any, **fields: Any) -> Tree:
        if columns is not None and not isinstance(columns, Columns):
            raise TreeError(
                f"found {quote(str(columns))} for a tree: `from_dict` reads nested data, `loads` "
                "text, `load` a file, and a `TreeBuilder` builds a tree"
            )
        return super().__new__(cls)

    def changed(self, **fields: Any) -> Tree:
        """Return the tree with other fields, of its own or of its `text`."""
        of_text = {name: fields.pop(name) for name in TreeText.__slots__ if name in fields}
        if of_text:
            fields["text"] = replace(self.text, **of_text)
        return replace(self, **fields)

    @property
    def title(self) -> str | None:
        """The title, if there is one."""
        return self.text.title

    @property
    def source(self) -> str | None:
        """Where the tree comes from, if that is written."""
        return self.text.source

    @property
    def unit(self) -> str | None:
        """The unit of its utilities, rewards and value, such as `$`, if that is written."""
        return self.text.unit

    @property
    def utility_key(self) -> str:
        """The word of its file for the worth of a terminal: "utility" or "payoff"."""
        return self.text.utility_key

    @property
    def expect(self) -> Expectation | None:
        """The results that the file expects, if there are any."""
        return self.text.expect

    @property
    def notes(self) -> Mapping[int, str]:
        """The notes of nodes, by node id."""
        return self.text.notes

    @property
    def branch_notes(self) -> Mapping[int, str]:
        """The notes of branches, by branch."""
        return self.text.branch_notes

    @property
    def warnings(self) -> Sequence[str]:
        """What `warn` received about text that is valid but probably mistaken."""
        return self.text.warnings

    @property
    def has_probabilities(self) -> bool:
        """Whether its file has probabilities; a payoff table may have none."""
        return self.text.has_probabilities

    @property
    def criteria(self) -> Criteria:
        """The criteria and the objective, which is false if there are none."""
        return self.formulas.criteria

    def __len__(self) -> int:
        return len(self.columns.kind)

    def __repr__(self) -> str:
        parts = [f"{len(self):,} nodes", f"{self.leaves:,} leaves"]
        if self.title:
            parts.insert(0, repr(escape(self.title)))
        if self.unknown:
            parts[-1] += f" ({len(self.unknown):,} not known)"
        if count := len(self.warnings):
            parts.append(f"{count:,} warning{'s' * (count > 1)}")
        return f"<Tree {', '.join(parts)}>"

    @property
    def has_min(self) -> bool:
        """Whether MIN has a node."""
        return Kind.MIN in self._players

    @property
    def _players(self) -> tuple[Kind, ...]:
        # A search of bytes takes a fortieth of one of numbers.
        kinds = bytes(self.columns.kind)
        return tuple(kind for kind in (Kind.MAX, Kind.MIN) if bytes([kind]) in kinds)

    @cached_property
    def deciders(self) -> tuple[Kind, ...]:
        """The players who have nodes; if both have, those who have one with several actions."""
        players = self._players
        if len(players) > 1:
            kind, nodes = self.columns.kind, range(len(self))
            choosing = {kind[n] for n in nodes if len(self.branches_of(n)) > 1}
            players = tuple(player for player in players if player in choosing)
        return players

    @cached_property
    def decision_maker(self) -> Kind:
        """The player for whom questions of decisions are asked: the only decider, or else MAX."""
        if self.decider:
            return self.decider
        if self.deciders == (Kind.MIN,):
            return Kind.MIN
        return Kind.MAX

    @property
    def gain_sign(self) -> int:
        """The factor that turns a total into the gain of the decision maker: 1, for MIN -1."""
        if self.decision_maker == Kind.MIN:
            return -1
        return 1

    @property
    def root(self) -> Node:
        """The root as a `Node`."""
        return Node(self, self.root_id)

    @property
    def root_id(self) -> int:
        """The id of the root."""
        return len(self) - 1

    def branches_of(self, node: int) -> range:
        """Return the ids of a node's branches, in order."""
        columns = self.columns
        return range(columns.first[node], columns.last[node])

    @cached_property
    def _measures(self) -> scans.Measures:
        measures: scans.Measures = self.columns.scan(scans.measure, array("H"), 0)
        return measures

    @property
    def leaves(self) -> int:
        """The number of terminals."""
        return self._measures[0]

    @property
    def widest(self) -> int:
        """The greatest number of branches of a node."""
        return self._measures[2]

    @property
    def most_outcomes(self) -> int:
        """The greatest number of outcomes of a CHANCE node; 0 if there is none."""
        return self._measures[3]

    @property
    def has_rounding(self) -> bool:
        """Whether values of this tree are rounded: sums of outcomes or of rewards."""
        is_sum = self.most_outcomes > 0 or self.columns.pays
        return (bool(self.roundoff) and is_sum) or bool(self.error)

    @property
    def utility_range(self) -> tuple[float, float]:
        """The least and the greatest known utility of a terminal; (-inf, inf) if none is known.

        The terminals in `unknown` may lie outside.
        """
        least, greatest = map(to_nearest_float, self.utility_ends)
        return least, greatest

    @property
    def utility_ends(self) -> Bounds:
        """The `utility_range` in the numbers of the columns."""
        return _ends(*self._measures[4:6])

    @cached_property
    def _totals(self) -> tuple[Number, Number, Number]:
        if not self.columns.pays:
            ends = self.utility_ends
            known: list[Any] = [abs(end) for end in ends if is_finite(end)]
            return *ends, max(known, default=0)
        count = len(self)
        least, greatest = ([0] * count if self.exact else zeros("d", count) for _ in range(2))
        magnitude: Number = self.columns.scan(scans.measure_totals, least, greatest)
        return *_ends(least[-1], greatest[-1]), magnitude

    @property
    def total_ends(self) -> Bounds:
        """The least and the greatest known total of a play; (-inf, inf) if none is known.

        A total is the utility of a terminal plus the rewards on a path to it, without
        `root_reward`. The terminals in `unknown` may lie outside.
        """
        return self._totals[:2]

    @property
    def greatest_magnitude(self) -> Number:
        """The greatest magnitude of a total that a node may still receive; 0 if none is known."""
        return self._totals[2]

    @cached_property
    def unknown(self) -> tuple[int, ...]:
        """The terminals whose utility is not known yet (`"?"` in a file), sorted.

        No search accepts a tree that has any. They are NaN in the column of utilities.
        """
        if not self._measures[1]:
            return ()
        rows = enumerate(zip(self.columns.kind, self.columns.utility, strict=True))
        return tuple(n for n, (kind, u) in rows if kind == Kind.TERMINAL and u != u)

    @cached_property
    def heights(self) -> IntColumn:
        """The number of branches on the longest path down to a terminal, by node id."""
        heights: IntColumn = zeros("H", len(self))
        self.columns.scan(scans.measure_heights, heights, TALLEST)
        if heights[-1] == TALLEST:
            heights = zeros("i", len(self))
            self.columns.scan(scans.measure_heights, heights, len(self))
        return heights

    @cached_property
    def inner_before(self) -> IntColumn:
        """The number of inner nodes before each node, by node id, for compiled loops."""
        number: IntColumn = zeros("I", len(self))
        self.columns.scan(scans.number_inner, number)
        return number

    @cached_property
    def unfolded(self) -> int | str:
        """The number of nodes without sharing, or text such as `about 10^30102` if it is huge.

        The text replaces a number of more than 4,000 digits (of 15 in a tree of millions of nodes).
        """
        count = len(self)
        if not self.is_sharing:
            return count
        logarithms = zeros("d", count)
        self.columns.scan(scans.measure_unfolded, logarithms)
        most = 15 if count > _MANY_NODES else MAX_DIGITS
        if logarithms[-1] >= most:
            return f"about 10^{int(logarithms[-1])}"
        child = self.columns.child
        sizes = [1] * count
        for n in range(count):
            sizes[n] += sum(sizes[child[b]] for b in self.branches_of(n))
        return sizes[-1]

    @cached_property
    def names_by_formula(self) -> dict[int, tuple[str, ...]]:
        """The names of parameters in each formula, by the id of its expression."""
        return {id(formula): names_in(formula) for formula in self.formulas.expressions()}

    @property
    def is_sharing(self) -> bool:
        """Whether several branches lead to the same node."""
        return len(self.columns.child) != self.root_id

    @property
    def made_of(self) -> int:
        """The number of nodes that the file has, if some of them repeat; otherwise 0.

        >>> import expectitree as et
        >>> tree = et.load("example:hiv")
        >>> len(tree), tree.made_of, tree.find("A (cycle 20)").state
        (239, 7, ('A', {'cycle': Fraction(20, 1)}))
        """
        written = self.formulas.written
        if written is None or not self.formulas.states:
            return 0
        return len(written) - len(written.formulas.links)

    @cached_property
    def computed(self) -> Tree:
        """The tree in whose numbers values are computed.

        It is this tree, unless its numbers are irrational or its values would have thousands of
        digits. Then its numbers are rounded to 200 bits.
        """
        if not self.exact or self.is_rounded:
            return self
        if not self.error and not have_long_values(self.columns):
            return self
        return self.rounded

    @cached_property
    def rounded(self) -> Tree:
        """This tree of fractions with its numbers rounded to 200 bits."""
        return self.converted(rounded_column, is_rounded=True)

    @cached_property
    def floats(self) -> Tree:
        """This tree with its numbers rounded to floats, for engines that compute in them."""
        if not self.exact:
            return self
        return self.converted(float_column, exact=False)

    def converted(self, convert: Callable[[Collection[Number]], Any], **about: Any) -> Tree:
        """Return the tree with each column of numbers converted; `about` are more changes."""
        numbers = {name: convert(getattr(self.columns, name)) for name in NUMBERS}
        columns, (paid,) = self.columns._replace(**numbers), convert([self.root_reward])
        bounds = {n: tuple(convert(ends)) for n, ends in self.local_bounds.items()}
        return replace(self, columns=columns, local_bounds=bounds, root_reward=paid, **about)

    @property
    def roundoff(self) -> float:
        """What one operation on the tree's numbers may lose, as a part of its result."""
        if not self.exact:
            return FLOAT_UNIT
        if self.is_rounded:
            return UNIT
        return 0.0

    def reward_of(self, branch: int) -> Number:
        """Return what a branch pays MAX, by its id; -1 is the way to the root."""
        if branch == NONE:
            return self.root_reward
        if self.columns.pays:
            return self.columns.reward[branch]
        return 0

    def branch_label(self, node: int, branch: int) -> str:
        """Return the label of a branch of a node, both by id: as written, or `#k` by its place."""
        return self.label[branch] or f"#{branch - self.columns.first[node] + 1}"

    def parent_of(self, branch: int) -> int:
        """Return the id of the node that a branch belongs to."""
        return bisect_right(self.columns.first, branch) - 1

    def node(self, node: int | str) -> Node:
        """Return the node with an id or a path; raise `TreeError` if there is none."""
        if isinstance(node, str):
            return self.find(node)
        if not 0 <= node < len(self):
            raise TreeError(f"node {node} is not in this tree: its ids are 0 to {self.root_id}")
        return Node(self, node)

    def find(self, path: str) -> Node:
        """Return the node at a path: labels from the root joined by `/`, such as `a2/#1`.

        A branch without a label is `#k`, by its place from 1. A `/` or a backslash within a label
        follows a backslash. A copy of a node that repeats also has a name, such as `ill (cycle 3)`.
        Raises `TreeError`, with the last node that the path reaches.
        """
        if (copy := self.find_copy(path)) != NONE:
            return Node(self, copy)
        branch = self.find_branch(path)
        if branch == NONE:
            return self.root
        return Node(self, self.columns.child[branch])

    def find_copy(self, name: str) -> int:
        """Return the id of the copy with a name such as `ill (cycle 3)`; -1 for another text.

        If the text is a path, too, it means the path.
        """
        copy = next((n for n, known in self.formulas.named.items() if known == name), NONE)
        if copy != NONE:
            with suppress(TreeError):
                self.find_branch(name)
                return NONE
        return copy

    def find_branch(self, path: str) -> int:
        """Return the id of the last branch of a path, as `find` reads it; -1 for the root."""
        node, branch = self.root_id, NONE
        labels = paths.split(paths.composed(path))
        if labels and not labels[-1]:  # a slash at the end changes nothing
            labels.pop()
        for depth, label in enumerate(labels):
            written = ((b, self.branch_label(node, b)) for b in self.branches_of(node))
            branch = next((b for b, name in written if paths.composed(name) == label), NONE)
            if branch == NONE:
                where = paths.join(labels[:depth])
                reason = f"no node {escape(path)}: {_known_labels(self.node(node), where)}"
                raise TreeError(reason, _meant(self, path))
            node = self.columns.child[branch]
        return branch

    def walk(self) -> Iterator[tuple[Node, str]]:
        """Yield every node once with its first path, parents first, in branch order."""
        first = self.first_paths
        labels: list[str] = []  # of the current path
        for n in first.order:
            if n != self.root_id:
                del labels[first.depth[n] - 1 :]
                labels.append(paths.join([self.branch_label(first.parent[n], first.branch[n])]))
            yield Node(self, n), "/".join(labels) or paths.ROOT

    def path_of(self, node: int, branch: int = NONE) -> str:
        """Return the first path to the node with an id, or on to a branch of that node."""
        first = self.first_paths
        labels = []
        if branch != NONE:
            labels.append(self.branch_label(node, branch))
        while node != self.root_id:
            labels.append(self.branch_label(first.parent[node], first.branch[node]))
            node = first.parent[node]
        return paths.join(reversed(labels))

    @cached_property
    def first_paths(self) -> FirstPaths:
        """The first path to each node, in a depth-first walk that takes branches in order."""
        count = len(self)
        order, parent, depth = (zeros("i", count) for _ in range(3))
        branch = filled("i", NONE, count)
        self.columns.scan(scans.walk, order, parent, branch, depth)
        return FirstPaths(order, parent, branch, depth)

    def is_first_path(self, node: int, branch: int) -> bool:
        """Return whether the first path to a node ends with a branch; both are ids."""
        return not self.is_sharing or bool(self.first_paths.branch[node] == branch)

    def inherited_bounds(
        self, root_bounds: Bounds | None, compiled: bool | None = None
    ) -> tuple[NumberColumn, NumberColumn]:
        """Return each node's lower and upper bound: the tightest of its own and those above it.

        Bounds limit what may still be received, so a branch's reward shifts those that it passes
        down. `root_bounds`, unless None, replace the bounds written at the root. `compiled` says
        whether the columns are for compiled loops, or are lists; by default, what saves time.
        """
        count, pays = len(self), self.columns.pays
        local: dict[int, Bounds] = {self.root_id: NO_BOUNDS, **self.local_bounds}
        if root_bounds is not None:
            local[self.root_id] = root_bounds
        everywhere = NO_BOUNDS if pays else local[self.root_id]
        if compiled is None or self.exact:
            compiled = self.columns.compiles
        if compiled:
            lower, upper = (filled("d", end, count, True) for end in everywhere)
        else:  # a list holds the same object throughout; an array would create one at each reading
            lower, upper = ([end] * count for end in everywhere)
        for n, ends in local.items():
            lower[n], upper[n] = ends
        if pays or len(local) > 1:
            self.columns.scan(scans.pass_down_bounds, lower, upper, compiled=compiled)
        return lower, upper

    def with_parameters(self, /, **values: Number | str) -> Tree:
        """Return the tree with other values of its parameters, without `expect`.

            >>> import expectitree as et
            >>> tree = et.loads("{parameters: {pr: 0.5}, chance: {win: {p: pr, utility: 8}, "
            ...                 "lose: {p: rest, utility: 0}}}")
            >>> et.evaluate(tree).value, et.evaluate(tree.with_parameters(pr="1/4")).value
            (4.0, 2.0)

        Args:
            values: A number of any length, or a text such as "1/3" and "25%", by the name of a
                parameter, which has no distribution any more. A float counts as the decimal that
                Python prints.

        Raises:
            NumberError: A value is not a number.
            TreeError: There is no such parameter, it is derived from others, or the value of a
                formula is missing or invalid.
        """
        changed: Tree = module_of("base.tree.replacing").set_parameters(self, values)
        return changed

    def with_attitude(self, attitude: str | Attitude | None) -> Tree:
        """Return the tree with an attitude to risk, or without one, and without `expect`.

            >>> import expectitree as et
            >>> tree = et.loads("max: {safe: 40, risky: {chance: [0, 100]}}")
            >>> found = et.evaluate(tree.with_attitude("exponential=100"))
            >>> found.best, round(found.value_of("risky"), 2), found.mean
            ('safe', 37.99, 40.0)

        Args:
            attitude: A text as `--attitude` takes it, such as "exponential=1000",
                "logarithmic=500", "points=0:0,50:0.7,100:1" or "utility=x^(1/2)"; or None.

        Raises:
            TreeError: The text is not an attitude, or its utility does not increase on the range of
                the tree's totals.
        """
        from expectitree.base.tree.attitude import read_attitude

        if attitude == "none":
            attitude = None
        if isinstance(attitude, str):
            attitude = read_attitude(attitude)
        changed = self.changed(attitude=attitude, expect=None)
        changed.check_attitude()
        return changed

    def check_attitude(self) -> None:
        """Check that the attitude fits the totals; raise `TreeError` otherwise."""
        if self.attitude is None or self.attitude.risk_tolerance is not None:
            return
        from expectitree.base.tree.attitude import utility_of  # which few trees need

        low, high = self.total_ends
        if is_finite(low):  # otherwise no total is known
            ends = low + self.root_reward, high + self.root_reward
            utility_of(self.attitude, ends, (), self.exact, self.gain_sign)


def _ends(least: Number, greatest: Number) -> Bounds:
    """Return the ends of measured numbers, infinite if none was measured."""
    if least <= greatest:
        return (least, greatest)
    return NO_BOUNDS


def check_tree(tree: object, without_attitude: str = "") -> None:
    """Raise `TreeError` if an argument that should be a tree is something else.

    `without_attitude` names an analysis of expected values, which refuses an attitude to risk.
    """
    if not isinstance(tree, Tree):
        raise TreeError(
            f"found {type(tree).__name__} {quote(str(tree))} as a tree\npass what load (a "
            "file), loads (text), from_dict (a dict) or TreeBuilder.build returns"
        )
    if without_attitude and tree.attitude is not None:
        remove = "delete the key attitude"
        if without_attitude != "ask":
            remove = "--attitude none leaves it out (`with_attitude(None)` in Python)"
        raise TreeError(
            f"{without_attitude} is about expected values, and this tree has the attitude "
            f"{tree.attitude.text}",
            remove,
        )


class FirstPaths(NamedTuple):
    """The tree that remains if every node keeps only its first path."""

    order: IntColumn  # [N] node ids, parents first, in branch order
    parent: IntColumn  # [N] by node: the node above, -1 at the root
    branch: IntColumn  # [N] by node: the branch from there, -1 at the root
    depth: IntColumn  # [N] by node: the number of branches from the root


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree; `Tree.root`, `Tree.find` and `Tree.walk` give it.

    Its numbers are rounded to floats; `Tree.columns` has them as they are.

        >>> import expectitree as et
        >>> node = et.loads("max: {pass: 4, toss: {chance: [0, 10], note: a coin}}").find("toss")
        >>> node.kind.name, node.note, [child.utility for child in node.children]
        ('CHANCE', 'a coin', [0.0, 10.0])

    Attributes:
        tree: The tree.
        id: The node's row in the table of nodes, from 0. Children have smaller ids.
    """

    tree: Tree
    id: int

    @property
    def kind(self) -> Kind:
        """The kind: MAX, MIN, CHANCE or TERMINAL."""
        return Kind(self.tree.columns.kind[self.id])

    @property
    def utility(self) -> float | None:
        """What a terminal is worth to MAX; None at an inner node, or if it is not known yet."""
        return self._number(is_terminal=True)

    @property
    def estimate(self) -> float | None:
        """The heuristic value given at an inner node, or None."""
        return self._number(is_terminal=False)

    def _number(self, is_terminal: bool) -> float | None:
        value = self.tree.columns.utility[self.id]
        if value != value or is_terminal != (self.kind == Kind.TERMINAL):
            return None
        return to_nearest_float(value)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The bounds written at this node, or None."""
        if self.id not in self.tree.local_bounds:
            return None
        lower, upper = map(to_nearest_float, self.tree.local_bounds[self.id])
        return lower, upper

    @property
    def note(self) -> str | None:
        """The note written at this node, or None."""
        return self.tree.notes.get(self.id)

    @property
    def state(self) -> tuple[str, Mapping[str, Number]] | None:
        """The name and the counters of a node that repeats, such as `ill` and 3 for `cycle`."""
        return self.tree.formulas.states.get(self.id)

    @property
    def branches(self) -> tuple[Branch, ...]:
        """The branches to the children, in order."""
        tree, columns = self.tree, self.tree.columns
        return tuple(
            Branch(
                tree.branch_label(self.id, b),
                to_nearest_float(columns.probability[b]),
                Node(tree, columns.child[b]),
                to_nearest_float(tree.reward_of(b)),
            )
            for b in tree.branches_of(self.id)
        )

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes one branch below, in order."""
        return tuple(branch.child for branch in self.branches)

    def __repr__(self) -> str:
        return f"<Node {self.id} {self.kind.name}>"


class Branch(NamedTuple):
    """A branch from a node to a child: an action below MAX or MIN, an outcome below CHANCE.

        >>> import expectitree as et
        >>> tree = et.loads("chance: [{p: 1/4, label: win, utility: 8}, {p: 3/4, utility: 0}]")
        >>> [(branch.label, branch.p) for branch in tree.root.branches]
        [('win', 0.25), ('#2', 0.75)]

    It is the tuple `(label, p, child, reward)`. `label` is `#k`, by the place from 1, if the file
    has none. The probability `p` is 1 below MAX and MIN. `child` is a `Node`. `reward` is what the
    branch pays MAX, 0 if it pays nothing. Both numbers are rounded to floats.
    """

    label: str
    p: float
    child: Node
    reward: float = 0


def _meant(tree: Tree, path: str) -> str:
    """Return what to write for a path that names no node; empty unless it is plain.

    People leave out the first labels and signs, add a slash, or write a label in other case.
    """
    letters = re.sub(r"[/#\s]", "", path[:_MAX_GUESSED])
    shape = r"(?i)(.*/)?#?" + r"[/#\s]*".join(map(re.escape, letters))
    known = (known for _, known in islice(tree.walk(), _MAX_GUESSED))
    meant = [path for path in known if re.fullmatch(shape, path)]
    if letters.casefold() in ("root", "value", "top", "start"):
        meant = [f"{paths.ROOT} for the root"]
    return f"write {' or '.join(map(escape, meant[:3]))}" if letters and meant else ""


def _known_labels(node: Node, where: str) -> str:
    if node.kind == Kind.TERMINAL:
        return f"{where} is a terminal"
    labels = [escape(paths.join([branch.label])) for branch in node.branches[:8]]
    if len(node.branches) > len(labels):
        labels.append("…")
    return f"the branches of {where} are {', '.join(labels)}"
