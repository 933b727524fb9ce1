"""Expand a tree as its file has it: copy a shared node for each state in which play reaches it.

Below a branch such as `{ref: launch, with: {p_high: p_high_pos}}`, formulas in the names of its
place replace parameters in the formulas of nodes and branches, and in the derived parameters there.
After a signal of a test, an event has other probabilities. `Key` is what tells copies apart.

A node may lead to itself, until a condition holds. The parameters on which such conditions depend,
and those that count the repetitions, are numbers in the keys, and all others are formulas: so paths
on which the counters agree meet again, and the others can be changed afterwards.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias, TypeVar

from expectitree.base import budget
from expectitree.base.errors import NumberError, TreeError
from expectitree.base.expressions.evaluation import FRACTIONS, evaluate, rounded_fractions
from expectitree.base.expressions.syntax import (
    BELOW_TABLE,
    Apply,
    Expression,
    Name,
    fold,
    names_in,
    text_of,
)
from expectitree.base.expressions.syntax import Number as Written
from expectitree.base.numbers import message_text, quote
from expectitree.base.tree.bayes import Shown, define_probabilities, shown_after
from expectitree.base.tree.bounds import check_bounds, with_attitude_number
from expectitree.base.tree.builder import Copy
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.formulas import Amount, Amounts, ByName, is_formula, names_of
from expectitree.base.tree.model import Tree
from expectitree.base.tree.parameters import (
    ParameterValues,
    Report,
    evaluated,
    in_order,
    raising,
    with_values,
)

Item = TypeVar("Item")
_SET = "write its value in `with`, or one for all under the root's `parameters:`"
_MAX_LENGTH = 2_000  # characters of a formula, roughly; each of its evaluations reads all of them
_MAX_NODES = 200_000  # that a tree may have more than as written
_MAX_DEPTH = 5_000  # of the nodes on a path, unless --max-nodes allows more


def counters_of(tree: Tree) -> set[str]:
    """Return the parameters that are numbers while a tree is unrolled; none for other trees.

    They are those on which the end of a repetition depends, and those that a `with` sets from
    themselves: at once, or where it leads back, by parameters that are derived from them.
    """
    written = tree.formulas.written or tree
    formulas, child = written.formulas, written.columns.child
    if not formulas.endings:
        return set()
    sources = {name: [one.value] for name, one in tree.parameters.items()}

    def names_before(name: str) -> Iterator[str]:
        for formula in sources.get(name, ()):
            yield from names_in(formula)

    def nodes_after(n: int) -> Iterator[int]:
        for b in written.branches_of(n):
            yield formulas.links.get(child[b], child[b])

    counters = {name for condition, _ in formulas.endings.values() for name in names_in(condition)}
    for b, values in formulas.replaced.items():
        after = formulas.links.get(child[b], child[b])
        is_recursive = written.parent_of(b) in closure([after], nodes_after)
        for name, formula in values.items():
            names = {*names_in(formula)}
            if name in names or (is_recursive and name in closure(names, names_before)):
                counters.add(name)
    for values in formulas.replaced.values():
        for name, formula in values.items():
            sources.setdefault(name, []).append(formula)
    return closure(counters, names_before)


def closure(some: Iterable[Item], others_of: Callable[[Item], Iterable[Item]]) -> set[Item]:
    """Return some items, those that belong to these, and so on."""
    items, pending = set[Item](), [*some]
    while pending:
        item = pending.pop()
        if item not in items:
            items.add(item)
            pending += others_of(item)
    return items


def set_parameters(tree: Tree, values: Mapping[str, object]) -> Tree:
    """Return the tree with other values of its parameters; `Tree.with_parameters` explains it."""
    changed = tree.changed(parameters=with_values(tree.parameters, values), expect=None)
    counted = counters_of(tree) & tree.parameters.keys()
    if any(changed.parameters[name] is not tree.parameters[name] for name in counted):
        changed = unrolled_again(changed)
    changed, _ = evaluated(changed)
    if changed.local_bounds:
        check_bounds(changed, None)
    return with_attitude_number(changed)


def unrolled_again(tree: Tree) -> Tree:
    """Return an unrolled tree as the values of its parameters now unroll it.

    Its formulas are not evaluated yet. Raises `TreeError` as the reader of a file reports it.
    """
    written = replace(tree.formulas.written, parameters=tree.parameters)
    fail = raising(written)
    unrolled = Expansion(written, fail).run(sys.maxsize)
    unrolled = replace(unrolled, formulas=replace(unrolled.formulas, written=written))
    unrolled = define_probabilities(unrolled, written.formulas.defined, fail)
    about = ("expect", "warnings", "attitude", "parameters")
    return unrolled.changed(**{name: getattr(tree, name) for name in about})


def endless_links(
    links: Mapping[int, int], ends: Container[int], children_of: Callable[[int], Sequence[int]]
) -> list[int]:
    """Return the refs that close a cycle of nodes, none of which has an end.

    `links` are the refs upward with the nodes that they lead to, and `ends` the nodes with an end.
    """
    closing, met, opened = set[int](), set[int](), set[int]()
    for root in {*links.values()}:
        stack = [(root, NONE)]
        while stack:
            node, link = stack.pop()
            if node < 0:
                opened.discard(~node)
            elif node in opened:
                closing.add(link)
            elif node not in met and node not in ends:
                met.add(node)
                opened.add(node)
                stack.append((~node, NONE))
                stack += [(links.get(child, child), child) for child in children_of(node)]
    return sorted(closing & links.keys())


# What identifies a set of replacements: the names, and the ids of their formulas.
Replaced: TypeAlias = "tuple[tuple[str, int], ...]"


def shown_value(part: Amount) -> str:
    """Return a formula or a number for people."""
    if isinstance(part, Written) and part.value is not None:
        part = part.value
    return text_of(part) if is_formula(part) else message_text(part)


class Key(NamedTuple):
    """What identifies a copy of a node: paths with equal keys lead to one node.

    Only what the formulas and the events of the node and of those below it use is in it.
    """

    node: int  # as written
    replaced: Replaced = ()
    shown: tuple[tuple[str, Shown], ...] = ()  # by event, what play has shown of it
    kept: frozenset[str] = frozenset()  # the derived parameters that a `with` above replaced


class Expansion:
    """Expands a tree as its file has it.

    `report` receives the errors; `with NAME` is the replacement that is wrong. `origins` are the
    nodes as written of which the nodes of the expanded tree are copies.
    """

    def __init__(self, tree: Tree, report: Report) -> None:
        self.tree, self.formulas, self.report = tree, tree.formulas, report
        self.links = tree.formulas.links
        self.domain = rounded_fractions()
        # Counters are not rounded, or they might go on forever.
        self.counting = replace(self.domain, checked=FRACTIONS.checked)
        self.now = ParameterValues(tree.parameters, self.domain)
        self.counters = counters_of(tree)
        # The names that a `with` replaces.
        named = self.formulas.replaced.values()
        self.replaced = sorted({name for values in named for name in values})
        # The tables go by the ids of formulas. All of these are `kept`, so no id is used again.
        self.kept: list[Expression] = []
        self.names_by_id: dict[int, tuple[str, ...]] = {}
        self.done: dict[tuple[object, ...], Expression] = {}
        self.numbers: dict[tuple[object, ...], Fraction] = {}
        self.known: dict[object, Expression] = {}  # one object for equal expressions
        self.lengths: dict[int, int] = {}  # of the texts of these expressions, by their ids
        self.order = in_order(tree.parameters)
        # The names with the same numbers wherever they are left in a formula.
        self.fixed = self.counters
        # The derived parameters that a `with` replaces: they are not derived anew below it.
        derived = (p.name for p in tree.parameters.values() if p.bases)
        self.keepable = frozenset(derived).intersection(self.replaced)
        self.inner: dict[tuple[int, frozenset[str]], ByName] = {}
        # [N] the names in a node's formulas and events, and below.
        self.below = [frozenset[str]()] * len(tree)
        while self.find_names_below():
            pass
        self.sorted_below = [sorted(names) for names in self.below]
        self.values: dict[Replaced, dict[str, Expression]] = {(): {}}
        self.paid: list[Amount] = []  # by copy: what each branch to it pays besides its own reward
        self.origins: list[int] = []
        self.is_stopped = False
        # What tells copies apart, by the id of a formula, and its parts.
        self.canonicals: dict[int, Expression] = {}
        self.parts: dict[object, Expression] = {}
        # The numbers of counters at the root, and the parameters that are derived from them.
        self.as_written: dict[str, Expression] = {
            name: self.plain_number(self.now[name]) for name in self.counters if name in self.now
        }
        for name in self.order:
            parameter = tree.parameters[name]
            if name not in self.counters and not self.as_written.keys().isdisjoint(parameter.bases):
                self.as_written[name] = self.substituted(parameter.value, self.as_written)
        self.check_use()
        self.check_values()

    def run(self, exact_nodes: int, max_nodes: int = 0) -> Tree:
        """Return the tree with its copies, in floats if it has more than `exact_nodes`.

        It has at most `max_nodes`; 0 is the default.
        """
        tree, child = self.tree, self.tree.columns.child
        named = {*self.links.values(), *(child[b] for b in self.formulas.replaced)}
        named.update(n for n, count in Counter(child).items() if count > 1)
        most = max_nodes or budget.most(_MAX_NODES) + len(tree) * (not self.links)
        deepest = most
        if self.links:
            deepest = max_nodes or budget.most(_MAX_DEPTH)
        copy = Copy(tree, exact_nodes)
        done: dict[Key, int] = {}  # the copies of nodes that several branches share
        root = Key(tree.root_id)
        opened, count = {root}, 0
        # Of each copy that is open: its key, its branches, and the copies of children so far.
        stack: list[tuple[Key, range, list[int]]] = [(root, self.branches_of(root), [])]
        while stack and not self.is_stopped:
            key, branches, copies = stack[-1]
            if len(copies) < len(branches):
                b = branches[len(copies)]
                below = self.key_below(key, b)
                if below in done:
                    copies.append(done[below])
                elif below in opened and below.node in named:
                    self.stop(self.true_cycle(below), "ref", key.node, b)
                elif count == most or len(stack) > deepest:
                    path = [below, *(opened_key for opened_key, *_ in reversed(stack))]
                    self.stop(self.too_many(path, count), "ref", key.node, b)
                elif not self.is_stopped:
                    opened.add(below)
                    stack.append((below, self.branches_of(below), []))
                    count += 1
                continue
            row = self.add(copy, key, branches, copies)
            event = copy.formulas.events.get(row, "")
            if event and event not in self.formulas.defined and self.links:
                place = next((k for k, *_ in reversed(stack) if k.node in self.formulas.named), key)
                copy.formulas.events[row] = f"{event}{self.listed(self.counts(place))}"
            stack.pop()
            opened.discard(key)
            if key.node in named:
                done[key] = row
            if stack:
                stack[-1][-1].append(row)
        if self.is_stopped:
            return tree
        copy.pay(NONE, self.paid[-1])
        return copy.finish(check=False)

    def stop(self, *fault: Any) -> None:
        self.report(*fault)
        self.is_stopped = True

    def add(self, copy: Copy, key: Key, branches: range, copies: list[int]) -> int:
        """Add a copy of a node over the copies of its children; return its id."""
        node, values = key.node, self.values[key.replaced]
        utility: Amount | None = None
        if not branches:  # play ends here, in the names of the node, like all other formulas
            _, utility = self.formulas.endings.get(node, (None, None))
        if utility is None:
            row = copy.add(node, branches, copies)
        elif is_formula(utility):
            row = copy.add_terminal(self.tree.columns.utility[node] * 0)
            copy.formulas.nodes[row] = utility
        else:
            row = copy.add_terminal(utility)
        self.origins.append(node)
        if node in self.formulas.named:
            copy.formulas.named[row] = self.name(key)
            copy.formulas.states[row] = self.formulas.named[node], self.counts(key)
        written, first = copy.formulas, copy.first_branch(row)
        places: list[Any] = [(written.nodes, row, "node", NONE)]
        for place, b in enumerate(branches, first):
            places += [
                (written.probabilities, place, "p", b),
                (written.rewards, place, "reward", b),
            ]
        for column, place, what, b in places:
            if place in column:
                column[place] = self.substituted(column[place], values)
                if self.lengths[id(column[place])] > _MAX_LENGTH and not self.is_stopped:
                    problem = f"with its replacements, this formula has more than {_MAX_LENGTH:,}"
                    hint = "give parts of it names under the root's `parameters:`"
                    self.stop(f"{problem} characters\n{hint}", what, node, b)
        paid = self.formulas.at_nodes.get(node, 0)
        if is_formula(paid):
            paid = self.substituted(paid, values)
        self.paid.append(paid)
        for place, child in enumerate(copies, first):
            copy.pay(place, self.paid[child])
        event = self.formulas.events.get(node, "")
        for name in sorted(values.keys() & self.names_of_event(event))[:1]:
            problem = f"the root's `events` give {quote(event)} probabilities that depend on {name}"
            hint = "write p at the outcomes, and remove the event from `events`"
            self.report(
                f"{problem}, and a `with` above replaces it\n{hint}", "outcomes", node, NONE
            )
        return row

    # ---- Repetition.

    def branches_of(self, key: Key) -> range:
        """Return the branches of a copy: none where play ends, because a condition holds."""
        if key.node in self.formulas.endings and not self.is_stopped:
            condition, _ = self.formulas.endings[key.node]
            try:
                if self.holds(condition, self.values[key.replaced]):
                    return range(0)
            except NumberError as error:
                self.stop(error.about(f"in {self.name(key)}: "), "until", key.node, NONE)
        return self.tree.branches_of(key.node)

    def holds(self, condition: Expression, outer: ByName) -> bool:
        """Return whether a condition on counters holds, which are numbers in a place."""
        truth = Apply("if", (condition, Written("1"), Written("0")))
        return bool(self.number(self.known.setdefault(("if", id(condition)), truth), outer))

    def selected(self, part: Expression, done: Mapping[int, Expression]) -> Sequence[Expression]:
        """Return the operands of a part; of an `if` that is decided, the case that it selects."""
        operands: Sequence[Expression] = getattr(part, "operands", ())
        if not isinstance(part, Apply) or part.operation != "if":
            return operands
        first, *cases = operands
        condition = done.get(id(first))
        if condition is None:
            return [first]
        if self.fixed.issuperset(self.names(condition)):
            with suppress(NumberError):  # which its place reports
                if self.holds(condition, {}):
                    return cases[:1]
                return cases[1:]
        return operands

    def canonical(self, formula: Expression) -> Expression:
        """Return a formula with numbers in place of counters, and of its parts without names.

        Equal ones are one object. It tells copies apart, and is not shown.
        """

        def combine(part: Expression, operands: list[Expression]) -> Expression:
            key: object = part
            if isinstance(part, Apply):
                part = replace(part, operands=tuple(operands))
                key = part.operation, *map(id, operands)
            with suppress(NumberError, TreeError):  # of a number that is too long to write
                if all(isinstance(operand, Written) for operand in operands or [part]):
                    number = evaluate(part, self.counting, {})
                    if isinstance(number, Fraction):  # not a comparison
                        return self.plain_number(number)
            return self.parts.setdefault(key, part)

        if id(formula) not in self.canonicals:
            self.canonicals[id(formula)] = formula
            if self.links and not isinstance(formula, Amounts):
                with suppress(TreeError):
                    numbered = self.substituted(formula, self.as_written)
                    self.canonicals[id(formula)] = fold(numbered, combine)
        return self.canonicals[id(formula)]

    def number(self, formula: Expression, outer: ByName) -> Fraction:
        """Return the value of a formula of counters, which are numbers in a place."""
        names = self.names(formula)
        key = (id(formula), *map(id, map(outer.get, names)))
        if key not in self.numbers:
            values = {name: self.now[name] for name in names if name not in outer}
            for name in outer.keys() & names:
                values[name] = evaluate(outer[name], self.domain, {})
            self.numbers[key] = evaluate(formula, self.counting, values)
        return self.numbers[key]

    def counter(self, name: str, formula: Expression, key: Key, b: int) -> Expression:
        """Return the number of a counter below a branch; its name if that has the same number."""
        try:
            number = self.number(formula, self.values[key.replaced])
        except NumberError as error:
            what = "ref"
            if name in self.formulas.replaced.get(b, {}):
                what = f"with {name}"
            self.stop(error, what, key.node, b)
            return formula
        if number == self.now.get(name):
            return Name(name)
        return self.plain_number(number)

    def plain_number(self, number: Fraction) -> Expression:
        """Return a number as an expression: one object for equal numbers."""
        if number not in self.known:
            part = Written(str(number), number)
            self.known[number] = self.known[part] = part
            self.lengths[id(part)] = min(len(part.text), _MAX_LENGTH + 1)
        return self.known[number]

    def true_cycle(self, key: Key) -> str:
        """Return the message about a node that leads to itself with equal numbers."""
        values = self.values[key.replaced]
        changed = (name for name in values if name in self.counters)
        counted = ", ".join(f"{name} = {shown_value(values[name])}" for name in changed)
        return (
            f"this leads back to itself{counted and f' at {counted}'} without a change\ncount "
            "something in `with`, or write a game and ask `expectitree solve`"
        )

    def too_many(self, path: Sequence[Key], most: int) -> str:
        """Return the message about a tree that is too large; the last node is first in `path`."""
        problem = f"copied for each `with` and signal, the tree has more than {most:,} nodes"
        hint = f"write fewer of these, or {budget.more()}"
        if self.links:
            names = [self.name(key) for key in path if key.node in self.formulas.named]
            names = [*dict.fromkeys(reversed(names))]
            if len(names) > 4:
                names[2:-2] = ["…"]
            problem = f"the repeated nodes make more than {most:,} nodes, by {' → '.join(names)}"
            hint = f"check the `until` of each, or allow more by --max-nodes, or {budget.more()}"
        return f"{problem}\n{hint}"

    def name(self, key: Key) -> str:
        """Return `ill (cycle 3)`: the name of a node, and what tells its copies apart."""
        signals = list[str]()
        for event, shown in key.shown:
            if isinstance(shown, str):
                shown = ((event, shown),)
            signals += map(" ".join, shown)
        parts = self.counts(key) | self.values[key.replaced]
        return f"{self.formulas.named[key.node]}{self.listed(parts, *signals)}"

    def listed(self, parts: Mapping[str, Amount], *more: str) -> str:
        """Return ` (cycle 3)`: those of some values that a `with` sets, and more texts."""
        texts = [f"{name} {shown_value(parts[name])}" for name in self.replaced if name in parts]
        if texts or more:
            return f" ({', '.join((*texts, *more))})"
        return ""

    def counts(self, key: Key) -> dict[str, Any]:
        """Return the numbers of the counters that a node and those below it use."""
        values = self.values[key.replaced]
        names = filter(self.counters.__contains__, self.sorted_below[key.node])
        return {name: getattr(values.get(name), "value", self.now.get(name)) for name in names}

    def check_use(self) -> None:
        """Report replacements that no formula below their branch uses."""
        for b, replaced in self.formulas.replaced.items():
            for name in replaced.keys() - self.with_bases(b):
                self.report(
                    f"with replaces {name}, which no formula of the node uses\nremove it",
                    f"with {name}",
                    self.tree.parent_of(b),
                    b,
                )

    def check_values(self) -> None:
        """Report refs and formulas that need a name which no `with` on the way there sets."""
        root = self.tree.root_id
        for name in self.below[root].intersection(self.replaced) - self.tree.parameters.keys():
            pending, met = [root], {root}
            while pending:
                n = pending.pop()
                for what, b, formula in self.written_at(n):
                    if name in names_of(formula):
                        self.stop(f"nothing on the way here sets {name}: {_SET}", what, n, b)
                for b in self.tree.branches_of(n):
                    child = self.child(b)
                    if name not in self.needed(b):
                        continue
                    if b in self.formulas.replaced:
                        self.stop(
                            f"this ref leads to a formula of {name}, which nothing sets: {_SET}",
                            "ref",
                            n,
                            b,
                        )
                    elif child not in met:
                        met.add(child)
                        pending.append(child)

    # ---- Names and formulas.

    def written_at(self, n: int) -> Iterator[tuple[str, int, Expression]]:
        """Yield the formulas of a node and of its branches, each as `Report` names it."""
        formulas = self.formulas
        places = [("node", NONE, formulas.nodes.get(n)), ("reward", NONE, formulas.at_nodes.get(n))]
        places += [("until", NONE, part) for part in formulas.endings.get(n, ())]
        for b in self.tree.branches_of(n):
            places.append(("p", b, formulas.probabilities.get(b)))
            places.append(("reward", b, formulas.rewards.get(b)))
        for what, b, formula in places:
            if is_formula(formula):
                yield what, b, formula

    def needed(self, b: int) -> set[str]:
        """Return the names on which what is below a branch depends, in the names of its place."""
        inner, names = self.inner_of(b), set[str]()
        for name in self.below[self.child(b)]:
            names.update(names_in(inner.get(name, Name(name))))
        if inner and self.keepable:  # then others need not be derived anew
            names |= self.with_bases(b) - self.inner_of(b, self.keepable).keys()
        return names

    def with_bases(self, b: int) -> set[str]:
        """Return the names below a branch, and those from which they are derived there."""
        used, replaced = {*self.below[self.child(b)]}, self.formulas.replaced.get(b, {})
        for name in reversed(self.order):
            if name in used and name not in replaced:
                used.update(self.tree.parameters[name].bases)
        return used

    def find_names_below(self) -> bool:
        """Add the names of each node and of those below it; return whether there were new ones."""
        tree, formulas, is_new = self.tree, self.formulas, False
        for n in range(len(tree)):
            names = self.names_of_event(formulas.events.get(n, ""))
            for _, _, formula in self.written_at(n):
                names.update(names_of(formula))
            for b in tree.branches_of(n):
                names |= self.needed(b)
            is_new |= bool(self.links) and names != self.below[n]
            self.below[n] = frozenset(names)
        return is_new

    def child(self, b: int) -> int:
        """Return the node that a branch leads to, where it leads upward too."""
        child = self.tree.columns.child[b]
        return self.links.get(child, child)

    def names_of_event(self, event: str) -> set[str]:
        """Return the names on which the probabilities of an event's nodes depend.

        Among them is `event NAME`, for the event and, if it is a test, for the event of the test.
        """
        names = set()
        while event in self.formulas.defined:
            names.add(f"event {event}")
            definition = self.formulas.defined[event]
            for row in definition.distributions():
                names.update(*map(names_in, row))
            event = definition.test_of
        return names

    def inner_of(self, b: int, kept: frozenset[str] = frozenset()) -> ByName:
        """Return the formulas that replace parameters below a branch, in the names of its place.

        Those of parameters that are derived from replaced ones are among them, unless they are
        `kept`.
        """
        replaced = self.formulas.replaced.get(b)
        if not replaced:
            return {}
        if (b, kept) not in self.inner:
            fixed, done = self.fixed, self.done
            self.fixed, self.done = set(), {}  # the numbers of the place are not known here
            inner = {name: self.substituted(formula, {}) for name, formula in replaced.items()}
            for name in self.counters & inner.keys():
                if isinstance(inner[name], Written):  # as `as_written` has it
                    inner[name] = self.plain_number(self.number(inner[name], {}))
            for name in self.order:
                parameter = self.tree.parameters[name]
                is_derived = name not in inner and name not in kept
                if is_derived and not inner.keys().isdisjoint(parameter.bases):
                    inner[name] = self.substituted(parameter.value, inner)
            self.inner[b, kept] = inner
            self.fixed, self.done = fixed, done
        return self.inner[b, kept]

    def key_below(self, key: Key, b: int) -> Key:
        """Return the key of the node that a branch of a copy leads to."""
        child = self.child(b)
        outer, inner = self.values[key.replaced], self.inner_of(b, key.kept)
        changed = {}
        for name in self.sorted_below[child] if outer or inner else ():
            if name not in inner:
                value = outer.get(name)
            elif name in self.counters:
                value = self.counter(name, inner[name], key, b)
            else:
                value = self.substituted(inner[name], outer)
                written = self.as_written.get(name)
                if written and self.canonical(value) is self.canonical(written):
                    continue  # the counters are as at the root, so paths there meet
            if value is not None and value != Name(name):
                changed[name] = value
        replaced = tuple((name, id(self.canonical(value))) for name, value in changed.items())
        self.values.setdefault(replaced, changed)
        kept = key.kept.union(self.formulas.replaced.get(b, ())) & self.keepable & self.below[child]
        if not self.formulas.defined:
            return Key(child, replaced, (), kept)
        shown = shown_after(self.tree, self.formulas.defined, key.node, b, dict(key.shown))
        used = [pair for pair in sorted(shown.items()) if f"event {pair[0]}" in self.below[child]]
        return Key(child, replaced, tuple(used), kept)

    def substituted(self, formula: Expression, values: ByName) -> Expression:
        """Return a formula with other formulas in place of names: equal ones are one object."""
        key = (id(formula), *map(id, map(values.get, self.names(formula))))
        if key not in self.done:
            self.done[key] = self.replaced_in(formula, values)
        return self.done[key]

    def names(self, formula: Expression) -> tuple[str, ...]:
        """Return the names in a formula, as `names_of` does."""
        if id(formula) not in self.names_by_id:
            self.names_by_id[id(formula)] = names_of(formula)
            self.kept.append(formula)
        return self.names_by_id[id(formula)]

    def replaced_in(self, formula: Expression, values: ByName) -> Expression:
        """Return a formula as `substituted` does, of any parts."""
        whole = self.plain(formula, values)
        if not isinstance(formula, Amounts):
            return whole
        assert isinstance(whole, Apply)
        amounts = tuple((name, self.plain(amount, values)) for name, amount in formula.amounts)
        key = (id(whole), *((name, id(amount)) for name, amount in amounts))
        if key not in self.known:
            self.known[key] = changed = Amounts(whole.operation, whole.operands, amounts)
            self.lengths[id(changed)] = self.lengths[id(whole)]
        return self.known[key]

    def plain(self, formula: Expression, values: ByName) -> Expression:

        def combine(part: Expression, operands: list[Expression]) -> Expression:
            if isinstance(part, Name) and part.name in values:
                return values[part.name]
            key: object = part
            if isinstance(part, Apply):
                if part.operation == "if" and len(operands) == 1:
                    return operands[0]
                key = part.operation, *map(id, operands)
                if part.operation == BELOW_TABLE:
                    part = replace(part, operands=tuple(operands))
                else:
                    part = Apply(part.operation, tuple(operands))
            if key not in self.known:
                text = part.operation if isinstance(part, Apply) else text_of(part)
                lengths = [self.lengths[id(operand)] + 2 for operand in operands]
                if text == "if":  # an evaluation reads one of both cases
                    lengths.remove(min(lengths[1:]))
                length = len(text) + sum(lengths)
                self.known[key], self.lengths[id(part)] = part, min(length, _MAX_LENGTH + 1)
            return self.known[key]

        return fold(formula, combine, self.selected)
