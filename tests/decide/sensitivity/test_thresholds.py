"""Thresholds, values and extremes against evaluations of the tree in fractions."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from decide.sensitivity.parameterised import at, predicted, random_cohorts, random_tree
from helpers import for_each, loads
from oracle import best_actions, definition, exact_root

import expectitree as et
from expectitree import Tree
from expectitree.base.errors import AnalysisError
from expectitree.decide.sensitivity import parameters, report
from expectitree.decide.sensitivity.exact import break_even
from expectitree.decide.sensitivity.functions import NodeFunctions
from expectitree.decide.sensitivity.report import added
from expectitree.decide.sensitivity.strategies import strategies_of
from expectitree.searches.backward_induction import value_under
from expectitree.searches.engine import search_tree

F = Fraction
QUICK, SLOW = range(10), range(10, 80)


@for_each("seed", QUICK, range(80, 700), SLOW)
def test_thresholds_are_where_the_best_actions_change(seed: int) -> None:
    tree = random_tree(seed)
    found = et.sensitivity(tree, "a")
    assert found.method == "exact"
    assert (found.pieces[0].start, found.pieces[-1].end) == (0, 1)
    for left, right in itertools.pairwise(found.pieces):
        assert left.end == right.start
    assert [one.lower for one in found.thresholds] == sorted(t.lower for t in found.thresholds)
    # Both sides of each threshold, and places between them.
    near = F(1, 10**13)
    places = {F(i, 17) for i in range(18)}
    for one in found.thresholds:
        places |= {one.lower, one.upper, one.lower - near, one.upper + near}
        if one.exact is None:
            assert 0 < one.upper - one.lower <= F(1, 10**9)
    for place in sorted(place for place in places if 0 <= place <= 1):
        value, best = at(tree, place)
        expected = predicted(found, place)
        assert expected is None or expected == best, place
        for piece in found.pieces:
            is_inside = piece.start < place < piece.end and expected is not None
            if is_inside and piece.value is not None:
                assert piece.value(place) == value
    for one in found.thresholds:
        assert not one.before == one.at == one.after
        if one.exact is None and one.before and one.after:
            assert (one.before, one.after) == (at(tree, one.lower)[1], at(tree, one.upper)[1])


@for_each("seed", [4], range(30, 60), range(5, 18))
def test_a_markov_tree_changes_where_strategies_are_worth_the_same(seed: int) -> None:
    """Values of thousands of digits are rounded, so the search lists ties in another order."""
    tree, totals = random_cohorts(seed, cycles=(4, 18, 60)[seed % 3])

    def best(wtp: Fraction) -> set[str]:
        worth = {name: wtp * effect - cost for name, (cost, effect) in totals.items()}
        return {name for name in worth if worth[name] == max(worth.values())}

    found = et.sensitivity(tree, "wtp")
    assert found.method == "exact"
    assert all({*piece.best} == best((piece.start + piece.end) / 2) for piece in found.pieces)
    assert all(move is None or move > 0 for move in found.slack)
    for one in found.thresholds:
        assert one.exact is not None
        assert {*one.at} == best(one.exact)
        moved = et.sensitivity(tree.with_parameters(wtp=one.exact), "u", range=(F(1, 2), 1))
        assert {*moved.best} == {*one.at}


@for_each("seed", QUICK, range(80, 230), SLOW)
def test_slack_leads_to_another_action(seed: int) -> None:
    tree = random_tree(seed)
    found = et.sensitivity(tree, "a")
    assert (found.value, found.best) == at(tree, found.range.current)
    if not found.best:
        return
    for move, sign in zip(found.slack, (-1, 1), strict=True):
        end = found.range.low if sign < 0 else found.range.high
        far = abs(end - found.range.current) if move is None else move
        for share in (F(1, 5), F(1, 2), F(99, 100)):
            best = at(tree, found.range.current + sign * far * share)[1]
            touches = any(one.before == one.after for one in found.thresholds)
            assert touches or best == found.best
        if move is not None and far < abs(end - found.range.current):
            beyond = found.range.current + sign * (far + F(1, 10**8))
            assert at(tree, beyond)[1] != found.best


@for_each("seed", QUICK, range(80, 230), SLOW)
def test_a_tree_of_floats_has_the_thresholds_of_its_fractions(seed: int) -> None:
    exact, floats = (et.sensitivity(random_tree(seed, exact), "a") for exact in (True, False))
    assert floats.thresholds == exact.thresholds
    assert floats.pieces == exact.pieces
    assert (floats.method, floats.best) == ("exact", exact.best)


@for_each("seed", QUICK, range(80, 230), SLOW)
def test_extremes_are_those_of_the_whole_range(seed: int) -> None:
    tree = random_tree(seed)
    (bar,) = et.tornado(tree, ["a"]).bars
    places = [F(i, 40) for i in range(41)]
    values = [at(tree, place)[0] for place in places]
    assert bar.least <= at(tree, bar.range.current)[0] <= bar.greatest
    near = F(1, 10**20)  # extremes that are not rational are within 1e-24 of their place
    assert bar.least <= min(values) + near
    assert bar.greatest >= max(values) - near
    assert at(tree, bar.least_at)[0] == bar.least
    assert at(tree, bar.greatest_at)[0] == bar.greatest
    assert bar.thresholds == (et.sensitivity(tree, "a").thresholds if tree.root.kind else ())
    strategy = et.evaluate(tree).strategy_branches
    fixed = et.tornado(tree, ["a"], fixed=True).bars[0]
    kept = [value_under(tree.with_parameters(a=place), strategy) for place in places]
    assert min(kept) + near >= fixed.least
    assert max(kept) - near <= fixed.greatest
    for place, value in ((fixed.least_at, fixed.least), (fixed.greatest_at, fixed.greatest)):
        assert value_under(tree.with_parameters(a=place), strategy) == value


@pytest.mark.parametrize(
    ("actions", "least", "greatest"),
    [
        ("max: [2, '12*(x - 0.5)^2']", 2, 3),
        ("min: [2, '4 - 12*(x - 0.5)^2']", 1, 2),
        ("max: [5/8, 'x^2', '5/8 - (x - 1/7)^2']", F(5, 8), 1),
        ("max: {a: {reward: 1, max: [1, '3*x^2']}, b: 0}", 2, 4),
        ("chance: [{max: [2, '12*(x - 0.5)^2']}, {max: [1, '12*(x - 1/2)^2 - 1']}]", 1.5, 2.5),
        ("max: [{max: ['x^2', '1 - x^2 - 1/5']}, 1/2]", F(1, 2), 1),
    ],
)
def test_the_least_value_of_a_part_between_irrational_places(
    actions: str, least: Fraction, greatest: Fraction
) -> None:
    for current in ("1/2", "0", "0.09175", "7/9"):
        text = f"parameters: {{x: {{value: {current}, range: [0, 1]}}}}\n{actions}"
        for found in (et.tornado(loads(text, exact=exact)) for exact in (True, False)):
            (bar,) = found.bars
            assert bar.method == "exact"
            assert (bar.least, bar.greatest) == (least, greatest)
            assert bar.least <= found.value <= bar.greatest


@for_each("seed", QUICK, range(80, 230), SLOW)
def test_the_best_strategy_is_worth_the_value(seed: int) -> None:
    tree = random_tree(seed)
    try:
        found = strategies_of(tree, most=400).strategies
    except AnalysisError:
        return
    assert found[0].value == search_tree(tree).value
    assert len({tuple(one.choices.items()) for one in found}) == len(found)


def with_amount(tree: Tree, branch: int, amount: Fraction) -> tuple[Fraction, tuple[str, ...]]:
    """Return the value and the best actions by definition, if a branch pays more."""
    reward = [tree.reward_of(b) for b in range(len(tree.columns.child))]
    reward[branch] += amount
    root = exact_root(replace(tree, columns=tree.columns._replace(reward=reward)))
    return Fraction(definition(root)), best_actions(root)


@for_each("seed", QUICK, range(80, 230), SLOW)
def test_added_amounts_change_the_decision_at_the_thresholds(seed: int) -> None:
    tree = random_tree(seed)
    for path in [path for _, path in tree.walk()][1:6]:
        found = added(tree, path)
        branch, high = tree.find_branch(path), found.range.high
        thresholds = {end for one in found.thresholds for end in (one.lower, one.upper)}
        for place in sorted(thresholds | {high * F(i, 5) for i in range(-5, 6)}):
            expected = predicted(found, place)
            value, best = with_amount(tree, branch, place)
            assert found.value_at(place) == value
            assert expected is None or expected == best


@pytest.mark.slow
@for_each("seed", QUICK, range(80, 120), SLOW)
def test_each_row_of_a_map_is_a_one_way_analysis(seed: int) -> None:
    tree = random_tree(seed)
    for row in et.sensitivity_map(tree, "a", "b", grid=4).rows:
        alone = et.sensitivity(tree.with_parameters(b=row.at), "a")
        assert row.pieces == alone.pieces


@for_each("seed", QUICK, range(80, 230), SLOW)
def test_break_even_points_are_where_the_value_is_reached(seed: int) -> None:
    tree = random_tree(seed)
    values = [at(tree, F(i, 23))[0] for i in range(24)]
    wanted = sum(values) / len(values)
    found = break_even(tree, "a", f"value = {wanted}").meetings
    for one in found:
        if one.exact is not None or one.is_part:
            assert at(tree, one.lower)[0] == at(tree, one.upper)[0] == wanted == one.value
    places = [F(i, 23) for i in range(24)]
    for (left, low), (right, high) in itertools.pairwise(zip(places, values, strict=True)):
        if (low - wanted) * (high - wanted) < 0:
            assert any(left <= one.lower <= one.upper <= right for one in found)


# ---- Thresholds that are hard to find.


def tree_of(x: str, y: str, parameters: str = "") -> Tree:
    head = f"parameters: {{a: {{value: 1/3, range: [0, 1]}}{parameters}}}"
    return et.loads(f"{head}\nmax: {{x: '{x}', y: '{y}'}}")


def test_each_place_is_verified_once_and_none_for_a_tornado(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both actions are best at 1/4, 1/2 and 3/4; two of these share a side."""
    places: list[Fraction] = []
    tree_at = NodeFunctions.tree_at
    monkeypatch.setattr(
        NodeFunctions, "tree_at", lambda self, at: places.append(at) or tree_at(self, at)
    )
    tree = tree_of("(a - 1/4)*(a - 1/2)*(a - 3/4)", "0")
    assert len(et.tornado(tree).bars[0].thresholds) == 3
    assert places == []
    assert len(et.sensitivity(tree, "a").thresholds) == 3
    assert len(places) == len(set(places)) == 7


def test_a_threshold_near_zero_has_three_digits() -> None:
    (found,) = et.sensitivity(tree_of("1e-15", "a*(a + 1e-14)"), "a").thresholds
    assert found.exact is None
    assert found.lower * 100 >= found.upper - found.lower > 0


def test_a_wrong_threshold_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NodeFunctions, "tree_at", lambda self, _: self.tree)
    with pytest.raises(AnalysisError, match="this is a defect of expectitree"):
        et.sensitivity(tree_of("a", "1/4"), "a")


# ---- Parameters that sum to 1.

THREE = "a: {value: 0.5, range: [0, 1]}, b: 0.3, c: 0.2"
SETS = {
    "outcomes": (THREE, "chance: {x: {p: a, utility: 5}, y: {p: b, utility: 1}, z: {p: c, "
                 "utility: 'a - c'}}"),
    "two nodes": (THREE, "chance: {x: {p: a, chance: {x: {p: a, utility: 5}, y: {p: b, utility: 1},"
                  " z: {p: c, utility: 3}}}, y: {p: b, utility: 1}, z: {p: c, utility: 2}}"),
    "a number": ("a: {value: 0.5, range: [0, 0.7]}, b: 0.1, c: 0.1", "chance: {x: {p: a, utility: "
                 "5}, y: {p: b, utility: 1}, z: {p: c, utility: 2}, w: {p: 0.3, utility: 0}}"),
    "an event": (THREE, "event: e\nchance: {x: 4, y: 5, z: 6}\nevents: {e: {prior: {x: a, y: b, "
                 "z: c}}}"),
    "a likelihood": (THREE, "event: t\nchance: {x: 4, y: 5, z: {event: e, chance: {g: 1, h: 2}}}\n"
                     "events: {e: {prior: {g: 0.2, h: rest}}, t: {test_of: e, likelihood: {x: {g: "
                     "a, h: 0.1}, y: {g: b, h: 0.3}, z: {g: c, h: 0.6}}}}"),
    "a Dirichlet set": (
        "a: {distribution: {dirichlet: 5, set: s}, range: [0, 1]}, b: {distribution: {dirichlet: "
        "3, set: s}}, c: {distribution: {dirichlet: 2, set: s}}",
        "chance: {x: {p: a, utility: 5}, y: {p: b, utility: 1}, z: {p: c, utility: 2*c}}",
    ),
    "others of 0": (
        "a: {value: 1, range: [0, 1]}, b: 0, c: 0",
        "chance: {x: {p: a, utility: 5}, y: {p: b, utility: 1}, z: {p: c, utility: 2}}",
    ),
    "exp": (THREE, "chance: {x: {p: a, utility: 'exp(a)'}, y: {p: b, utility: 1}, z: {p: c, "
            "utility: 3}}"),
}  # fmt: skip


@pytest.mark.parametrize(("parameters_", "root"), SETS.values(), ids=SETS)
def test_the_other_members_of_a_distribution_are_scaled(parameters_: str, root: str) -> None:
    tree = et.loads(f"parameters: {{{parameters_}}}\n{root}")
    found = et.sensitivity(tree, "a")
    share = {name: share for name, (share, _) in found.range.scaled.items()}
    assert [*share] == ["b", "c"]
    assert sum(share.values()) == 1
    text = et.to_text(found)
    assert "As a moves, the rest of its sum is shared in proportion by b and c." in text
    bar = next(bar for bar in et.tornado(tree).bars if bar.range.name == "a")
    for place in (F(1, 10), F(1, 2), F(7, 10)):
        total = found.range.scaled["b"][1]
        moved = {name: part * (total - place) for name, part in share.items()}
        value = et.evaluate(tree.with_parameters(a=place, **moved), exact=True).value
        assert abs(found.value_at(place) - value) < F(1, 10**15)
        assert bar.least - F(1, 10**15) <= value <= bar.greatest + F(1, 10**15)


def test_a_map_of_two_members_of_a_distribution_scales_the_rest() -> None:
    tree = et.loads(
        "parameters: {a: 0.5, b: 0.3, c: 0.1, d: 0.1}\nmax: {go: {chance: {x: {p: a, utility: 5}, "
        "y: {p: b, utility: 3}, z: {p: c, utility: 0}, w: {p: d, utility: 1}}}, stay: 3}"
    )
    found = et.sensitivity_map(tree, "a", "b", ranges=[(0, 1), (0, 1)], grid=5)
    for row in found.rows[:-1]:
        left = 1 - row.at
        assert (row.pieces[0].start, row.pieces[-1].end) == (0, left)
        for place in (left / 7, left * F(5, 7)):
            rest = (left - place) / 2
            moved = tree.with_parameters(a=place, b=row.at, c=rest, d=rest)
            assert found.best_at(row, place) == et.evaluate(moved).ties


# ---- Work.


@pytest.mark.parametrize(("name", "needed"), [("MAX_DEGREE", 2), ("MAX_BITS", 7)])
def test_functions_have_at_most_a_degree_and_so_many_bits(
    name: str, needed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, method in ((needed, "exact"), (needed - 1, "sampled")):
        monkeypatch.setattr(parameters, name, most)
        assert et.sensitivity(tree_of("100*a^2", "1/2"), "a").method == method


def test_too_much_work_is_sampled_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MAX_STEPS", -1)
    tree = tree_of("a^2", "1/2")
    found = et.sensitivity(tree, "a")
    assert (found.method, found.reason) == ("sampled", "exact functions would take too long")
    assert [piece.best for piece in found.pieces] == [("y",), ("x",)]
    assert float(found.thresholds[0].middle) == pytest.approx(0.5**0.5)
    degree = tree_of("(a^30)^3", "1/2")
    monkeypatch.undo()
    assert et.sensitivity(degree, "a").method == "sampled"
    monkeypatch.setattr(parameters, "MAX_BITS", 2)
    assert et.sensitivity(tree_of("a*100", "1/2"), "a").method == "sampled"
    text = tree_of("(a^30)^3*b", "1/2", ", b: {value: 1, range: [0, 1]}")
    with pytest.raises(AnalysisError, match=r"^a map needs exact functions, but exact functions"):
        et.sensitivity_map(text, "a", "b")
    assert break_even(text, "a", "value = 2").method == "sampled"
