"""Traces: their events give the same intervals and counts as a search without a trace."""

from __future__ import annotations

from collections import Counter

import pytest
from random_trees import EVERY, Case, with_slow_variants

import expectitree as et
from expectitree.analysis.trace.events import (
    AIMS,
    CLOSE,
    CUT,
    ENTER,
    LEAVE,
    PASS,
    PROBE,
    TIGHTEN,
    VISIT,
)
from expectitree.analysis.trace.report import Trace, trace
from expectitree.base.algorithms import algorithm
from expectitree.base.tree.model import Kind
from expectitree.page.steps import Moment, initial_intervals
from expectitree.searches.cuts import CUT_PROBING, NO_CUTS
from expectitree.searches.engine import search_tree

SEEDS = range(40)
ACTION = algorithm("best-first", goal="action")


@pytest.fixture(
    scope="module", params=with_slow_variants([*EVERY, ACTION]), ids=lambda chosen: chosen.full_name
)
def traces(request: pytest.FixtureRequest) -> list[Trace]:
    found = []
    for case in (*map(Case, SEEDS), *(Case(seed, pays=True) for seed in SEEDS[:60])):
        for exact in (True, False):
            bounds = case.bounds if case.bounds is None or exact else tuple(map(float, case.bounds))
            found.append(trace(case.tree(exact), request.param, bounds=bounds, exact=True))
    return found


def test_every_event_starts_from_the_previous_interval(traces: list[Trace]) -> None:
    for one in traces:
        lower, upper = initial_intervals(one.search)
        for event in one.events:
            assert event.was == (lower[event.node], upper[event.node])
            lower[event.node], upper[event.node] = event.lower, event.upper
        assert (lower, upper) == (list(one.search.lower), list(one.search.upper))


def test_a_trace_has_the_counts_of_the_search(traces: list[Trace]) -> None:
    for one in traces:
        kinds = Counter(event.kind for event in one.events)
        counts = one.search.counts
        assert one.total == len(one.events)
        if not one.search.algorithm.in_order:
            assert kinds[ENTER] + kinds[VISIT] == counts.visits
            assert kinds[VISIT] == counts.leaves_visited
            assert not kinds[LEAVE]
        elif one.search.algorithm.prunes:
            assert kinds[ENTER] + kinds[VISIT] == counts.visits
            assert kinds[ENTER] == kinds[LEAVE]
        else:
            assert kinds[LEAVE] + kinds[VISIT] == len(one.tree)
        assert kinds[CUT] == counts.cuts
        assert {e.node for e in one.events if e.kind in (VISIT, LEAVE, ENTER)} == {
            n for n in range(len(one.tree)) if one.search.visits[n]
        }


def test_intervals_only_narrow_around_the_value(traces: list[Trace]) -> None:
    for one in traces:
        value = search_tree(one.tree).lower
        slack = 0 if one.tree.exact else 1e-6
        for event in one.events:
            assert event.lower - slack <= value[event.node] <= event.upper + slack
            assert event.lower >= event.was[0] - slack
            assert event.upper <= event.was[1] + slack
            if event.kind in (TIGHTEN, CLOSE):
                assert (event.lower, event.upper) != event.was
                assert (event.lower == event.upper) is (
                    event.kind == CLOSE
                ) or one.search.algorithm.in_order
            if event.kind in (ENTER, PROBE, PASS, CUT):
                assert (event.lower, event.upper) == event.was


def test_a_probe_is_followed_by_the_visit_of_its_child(traces: list[Trace]) -> None:
    for one in traces:
        if not one.search.algorithm.probes:
            assert not any(event.kind == PROBE for event in one.events)
            continue
        for event, then in zip(one.events, one.events[1:], strict=False):
            if event.kind == PROBE:
                assert (then.kind, then.node, then.branch) == (
                    ENTER if one.tree.columns.kind[event.node] else VISIT, event.node, event.branch,
                )  # fmt: skip
                assert one.tree.columns.kind[one.tree.parent_of(event.branch)] == Kind.CHANCE
                assert event.place < one.search.algorithm.probes


def test_entries_nest(traces: list[Trace]) -> None:
    """Each event belongs to the innermost open node or to one of its branches."""
    for one in traces:
        if not one.search.algorithm.prunes or not one.search.algorithm.in_order:
            continue
        stack: list[int] = []
        first, child = one.tree.columns.first, one.tree.columns.child
        for event in one.events:
            assert event.depth == len(stack) - (event.kind in (TIGHTEN, CUT, LEAVE))
            if event.branch >= 0:
                above = stack[event.depth - 1]
                assert first[above] <= event.branch < first[above + 1]
                assert child[event.branch] == event.node
            if event.kind == ENTER:
                stack.append(event.node)
            elif event.kind == LEAVE:
                assert stack.pop() == event.node
        assert not stack


def test_walks_go_from_the_root_down(traces: list[Trace]) -> None:
    for one in traces:
        if one.search.algorithm.in_order:
            continue
        moment = Moment(one)
        first, child, kind = one.tree.columns.first, one.tree.columns.child, one.tree.columns.kind
        walks = 0
        while event := moment.forward():
            for depth, (above, below) in enumerate(
                zip(moment.open, moment.open[1:], strict=False), 1
            ):
                assert first[above.node] <= below.branch < first[above.node + 1]
                assert (child[below.branch], below.depth, below.walk) == (
                    below.node,
                    depth,
                    above.walk,
                )
            if event.kind == CUT:
                assert (event.walk, event.aim, moment.open) == (0, "", [])
                continue
            walks += event.kind in (ENTER, VISIT) and event.branch < 0
            assert event.walk == walks
            if event.kind == ENTER:
                assert moment.open[-1] is event
                assert event.aim in AIMS
                assert (event.aim == "action") is (
                    one.search.algorithm.goal == "action"
                    and event.branch < 0
                    and kind[event.node] in (1, 2)
                )
            elif event.kind == VISIT and event.branch >= 0:
                assert child[event.branch] == event.node
                assert first[moment.open[-1].node] <= event.branch < first[moment.open[-1].node + 1]
            elif event.kind == TIGHTEN and moment.open:
                assert moment.open[-1].node == event.node
            elif event.kind == CLOSE:
                assert event.node not in {entry.node for entry in moment.open}
        assert walks == one.search.visits[len(one.tree) - 1]


def test_a_cut_is_an_inequality_that_holds(traces: list[Trace]) -> None:
    for one in traces:
        eps = one.search.eps
        for event, then in zip(one.events, one.events[1:], strict=False):
            if event.kind == CUT:
                if one.search.algorithm.in_order:
                    assert (then.kind, then.node) == (LEAVE, event.node)
                else:
                    assert then.kind == CUT  # Best-first cuts come after the last walk.
                    then = event
                alpha, beta = event.window
                if event.cut % CUT_PROBING in (1, 3):
                    assert then.upper <= alpha + 4 * eps
                else:
                    assert then.lower >= beta - 4 * eps


def test_the_terms_of_a_sum_make_its_bound(traces: list[Trace]) -> None:
    seen = 0
    for one in traces:
        for event in one.events:
            if event.kind == TIGHTEN and event.terms:
                seen += 1
                total = sum(p * end for p, end in event.terms)
                ends = (event.lower, event.upper)
                assert min(abs(total - end) for end in ends) <= (0 if one.tree.exact else 1e-9)
    assert seen or not traces[0].search.algorithm.chance_cuts


def test_a_bound_without_terms_is_not_a_sum(traces: list[Trace]) -> None:
    for one in traces:
        if not (one.search.algorithm.chance_cuts and one.search.algorithm.in_order):
            return
        initial = initial_intervals(one.search)
        for event in one.events:
            if event.kind not in (TIGHTEN, CUT) or one.tree.columns.kind[event.node] != Kind.CHANCE:
                continue
            if not event.terms and event.kind == TIGHTEN:
                assert event.lower == event.upper  # It is the other end.
            elif not event.terms:
                assert event.cut_in(one.tree).bound in [ends[event.node] for ends in initial]


def test_terms_are_those_that_the_search_added() -> None:
    tree = et.loads(
        "{nodes: {a: 5/7}, bounds: [-6, 9], "
        "chance: [{p: 1/4, ref: a}, {p: 3/8, ref: a}, {p: 3/8, utility: 2/3}]}",
    )
    sums = [event for event in trace(tree, "star1", exact=True).events if event.kind == TIGHTEN]
    assert [str(end) for _, end in sums[0].terms] == ["5/7", "5/7", "-6"]
    for event in sums:
        assert sum(p * end for p, end in event.terms) == event.tightened[2]


@pytest.mark.parametrize(
    ("tree", "bounds", "value"),
    [
        ("max: [5, {ref: a}, {ref: a, reward: 9}], nodes: {a: {bounds: [1, 3], utility: 2}}",
         (1, 3), 2),
        ("min: [-5, {ref: a}, {ref: a, cost: 9}], nodes: {a: {bounds: [-3, -1], utility: -2}}",
         (-3, -1), -2),
    ],
)  # fmt: skip
def test_of_two_branches_to_a_leaf_the_one_that_pays_enough_is_followed(
    tree: str, bounds: tuple[int, int], value: int
) -> None:
    for name in ("alphabeta", "best-first"):
        one = trace(et.loads(f"{{bounds: [-20, 20], {tree}}}"), name)
        steps = [(event.kind, event.branch, event.lower, event.upper) for event in one.events]
        assert (VISIT, 2, value, value) in steps
        assert ((PASS, 1, *bounds) in steps) is one.search.algorithm.in_order
        assert abs(one.search.value) == 11


def test_only_the_window_of_an_outcome_has_formulas(traces: list[Trace]) -> None:
    seen = 0
    for one in traces:
        for event in one.events:
            for end, quotient in zip(event.window or (), event.quotients, strict=False):
                if quotient is not None:
                    seen += 1
                    assert one.tree.columns.kind[one.tree.parent_of(event.branch)] == Kind.CHANCE
                    limit, others, p, found, reward = quotient
                    exact = (limit - reward - sum(q * other for q, other in others)) / p
                    assert found == end + one.tree.reward_of(event.branch)
                    assert abs(exact - found) <= (0 if one.tree.exact else 1e-6)
    algorithm = traces[0].search.algorithm
    assert bool(seen) is (algorithm.chance_cuts and algorithm.in_order)


@pytest.mark.slow
def test_a_trace_of_one_node_contains_its_events(traces: list[Trace]) -> None:
    for one in traces[::7]:
        for at in range(len(one.tree)):
            followed = trace(
                one.tree, one.search.algorithm, bounds=one.search.bounds, at=at, exact=True
            )
            own = [event for event in one.events if event.node == at]
            assert [event for event in followed.events if event.node == at] == own
            others = [event for event in followed.events if event.node != at]
            assert all(event.kind not in (TIGHTEN, CUT) for event in others)
            below = {
                *one.tree.columns.child[one.tree.columns.first[at] : one.tree.columns.first[at + 1]]
            }
            assert {event.node for event in others} <= below


# ---- The moments of a search.


def test_the_last_moment_equals_the_search(traces: list[Trace]) -> None:
    for one in traces:
        moment = Moment(one)
        while moment.forward():
            pass
        found, search = moment.search, one.search
        count = len(one.tree)
        assert moment.done == one.total
        assert not moment.open or not one.search.algorithm.in_order
        assert (found.lower, found.upper) == (list(search.lower), list(search.upper))
        if search.algorithm.prunes:
            assert list(found.visits) == list(search.visits)
            inner = [n for n in range(count) if one.tree.columns.kind[n] and search.visits[n]]
            for column in ("alpha", "beta", "cut"):
                assert [getattr(found, column)[n] for n in inner] == [
                    getattr(search, column)[n] for n in inner
                ]
            cut = [n for n in inner if search.cut[n] not in NO_CUTS]
            assert [found.cut_after[n] for n in cut] == [search.cut_after[n] for n in cut]
