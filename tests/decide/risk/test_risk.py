"""Risk profiles against a full enumeration of play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from helpers import for_each
from oracle import ExactNode, best_actions, gain_sign
from random_trees import REWARDS, build, random_rows

import expectitree as et
from expectitree import Kind, Tree, TreeBuilder
from expectitree.base.errors import AnalysisError
from expectitree.decide.risk import distribution
from expectitree.decide.risk.distribution import Distribution, mixture, order_of
from expectitree.decide.risk.report import QUANTILES, ActionRisk
from expectitree.searches.engine import search_tree

COIN = "max: {sure: 3, bet: {chance: {1/4: 16, 3/4: 0}}}"


def plays(node: ExactNode) -> Iterator[tuple[Any, Any]]:
    """Yield the total and the probability of every play from a node on, path by path."""
    if node.kind == Kind.TERMINAL:
        yield node.utility, 1
    best = best_actions(node)[:1]
    for branch in node.branches:
        if branch.label in best or node.kind == Kind.CHANCE:
            for total, share in plays(branch.child):
                if branch.p * share:
                    yield total + branch.reward, branch.p * share


def enumerated(tree: Tree, branch: int | None) -> list[tuple[Any, Any]]:
    """Return the sorted totals and their probabilities after a branch of the root."""
    shares = defaultdict[Any, Any](int)
    node = tree.root_id if branch is None else tree.columns.child[branch]
    reward = tree.root_reward + (0 if branch is None else tree.reward_of(branch))
    for total, p in plays(ExactNode(tree, node)):
        shares[total + reward] += p
    return sorted(shares.items())


def check_measures(
    one: ActionRisk, pairs: list[tuple[Any, Any]], target: Any, sign: int = 1
) -> None:
    """Check every measure by its definition; `sign` times a total is a gain."""
    mean = sum(t * p for t, p in pairs)
    assert one.mean == mean
    assert one.variance == sum(p * (t - mean) ** 2 for t, p in pairs)
    assert one.sd == pytest.approx(float(one.variance) ** 0.5)
    assert (one.least, one.greatest) == (pairs[0][0], pairs[-1][0])
    for text in QUANTILES:
        share = Fraction(text)
        reached = [t for t, _ in pairs if sum(p for u, p in pairs if u <= t) >= share]
        assert one.quantiles[text] == reached[0]
    assert one.loss == sum(p for t, p in pairs if sign * t < 0)
    assert one.reach == sum(p for t, p in pairs if sign * t >= sign * target)
    # CVaR: max over c of c - E(max(c - gain, 0)) / share (Rockafellar and Uryasev, 2000).
    gains = [(sign * t, p) for t, p in pairs]
    worst = max(c - 20 * sum(p * (c - x) for x, p in gains if x < c) for c, _ in gains)
    assert one.cvar == sign * worst


def check_tree(tree: Tree) -> None:
    """Check the risk of an exact tree, of each of its actions, against every play."""
    target = Fraction(1, 3)
    found = et.risk(tree, target=target, exact=True)
    branches: list[int | None] = [None]
    if tree.root.kind in (Kind.MAX, Kind.MIN):
        branches = [*tree.branches_of(tree.root_id)]
    assert len(found.actions) == len(branches)
    for one, branch in zip(found.actions, branches, strict=True):
        pairs = enumerated(tree, branch)
        assert list(one.distribution.pairs()) == pairs
        check_measures(one, pairs, target, gain_sign(tree))
        assert one.mean == search_tree(tree).value or not one.is_best
    assert any(one.is_best for one in found.actions)


@for_each("seed", range(40), range(40, 400))
def test_enumeration(seed: int) -> None:
    random = Random(seed)
    check_tree(build(random_rows(random, 0, random.choice(REWARDS)), exact=True))


@pytest.mark.parametrize("limit", [distribution.MAX_IN_FRACTIONS, 0])
@for_each("seed", range(40))
def test_floats_are_near_fractions(seed: int, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "MAX_IN_FRACTIONS", limit)
    random = Random(seed)
    rows = random_rows(random, 0, random.choice(REWARDS))
    exact, floats = (et.risk(build(rows, is_exact)) for is_exact in (True, False))
    if exact.ties or floats.ties:
        return
    for a, b in zip(exact.actions, floats.actions, strict=True):
        assert [*map(float, a.distribution.totals)] == pytest.approx(b.distribution.totals)
        shares = [*map(float, a.distribution.probabilities)]
        assert shares == pytest.approx(b.distribution.probabilities)
        assert all(type(total) is float for total in b.distribution.totals)
        assert (a.sd, float(a.cvar)) == pytest.approx((b.sd, b.cvar), abs=1e-9)
    assert exact.dominance == floats.dominance


# ---- Shared trees, large trees, and bins.


def games(length: int, is_exact: bool = False, growth: int = 2) -> Tree:
    """Return games of a coin in a row, each for a multiple of the stake of the next one."""
    t = TreeBuilder(exact=is_exact)
    node = t.terminal(0)
    for at in range(length):
        node = t.chance([node, node], rewards=[growth**at, 0])
    return t.build(node)


@pytest.mark.parametrize("is_exact", [True, False])
def test_a_chain_of_shared_nodes_is_not_unfolded(is_exact: bool) -> None:
    (one,) = et.risk(games(200, is_exact, growth=1)).actions
    assert len(one.distribution.totals) == 201
    assert (one.mean, one.variance) == (100, 50)
    assert (one.least, one.greatest) == (0, 200)
    assert one.quantiles["0.5"] == 100


def test_steps_of_distributions_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each game mixes its totals twice, and 64 totals of the last one are measured."""
    steps = sum(2**at for at in range(1, 7)) + 10 * 2**6
    monkeypatch.setattr(distribution, "MAX_TOTALS", steps)
    assert len(et.risk(games(6)).actions[0].distribution.totals) == 2**6
    monkeypatch.setattr(distribution, "MAX_TOTALS", steps - 1)
    found = et.risk(games(6))
    assert (found.draws, found.actions[0].mean) == (100_000, 31.5)
    text = " ".join(et.to_text(found).split())
    assert "the standard error of a probability is at most 0.16%. Means are exact." in text
    monkeypatch.setattr("expectitree.decide.risk.report.find_spec", lambda _: None)  # without NumPy
    with pytest.raises(et.AnalysisError) as caught:
        et.risk(games(6))
    assert str(caught.value) == (
        "the distributions of totals take more than 765 steps: merge outcomes, or set "
        "EXPECTITREE_BUDGET=10 for ten times as much"
    )


def test_an_action_that_shifts_all_totals_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "MAX_TOTALS", 1_000)
    t = TreeBuilder()
    node = t.chance([*range(50)])
    for _ in range(20):
        node = t.max([node], rewards=[1])
    (one,) = et.risk(t.build(node)).actions
    assert (one.mean, one.least, one.greatest) == (44.5, 20, 69)


SIMULATED = {
    "a decision between two lotteries": "max: {a: {chance: {1/3: 0, 2/3: 9}}, b: {chance: [1, 2]}}",
    "rewards on all branches": "{reward: 2, max: {a: {reward: 1, chance: [5, {reward: 3, max: "
    "[1, 7]}]}, b: 8}}",
    "no decision": "chance: {a: {p: 1/10, chance: [1, 2, 3]}, b: {p: rest, utility: -5}}",
    "costs for MIN": "min: {a: {chance: {1/4: 12, 3/4: 4}}, b: {cost: 5, min: [0, 9]}}",
    "a shared node": "nodes: {n: {chance: [3, {reward: 4, chance: [0, 1]}]}}\n"
    "max: {a: {ref: n}, b: {reward: 1, chance: [{ref: n}, 2]}}",
    "formulas": "parameters: {k: 2}\nmax: {a: {chance: {w: {p: exp(-k), utility: 8}, l: {p: rest, "
    "utility: 0}}}, b: 1}",
}


@pytest.mark.parametrize("text", SIMULATED.values(), ids=SIMULATED)
def test_simulated_totals_are_those_of_the_tree(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = et.risk(et.loads(text), target=2)
    monkeypatch.setattr(distribution, "MAX_TOTALS", 1)
    found = et.risk(et.loads(text), target=2)
    assert (found.draws, found.dominance) == (100_000, ())
    for one, other in zip(found.actions, whole.actions, strict=True):
        assert one.mean == pytest.approx(other.mean)
        assert one.distribution.totals == other.distribution.totals
        assert one.distribution.probabilities == pytest.approx(
            other.distribution.probabilities, abs=0.01
        )
        assert (one.reach, one.loss) == pytest.approx((other.reach, other.loss), abs=0.01)


def test_distributions_of_many_fractions_are_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    (whole,) = et.risk(games(6, True), exact=True).actions
    monkeypatch.setattr(distribution, "MAX_EXACT_STEPS", 50)
    (one,) = et.risk(games(6, True), exact=True).actions
    assert {type(total) for total in whole.distribution.totals} == {Fraction}
    assert {type(p) for p in one.distribution.probabilities} == {float}
    assert one.distribution == whole.distribution.in_floats()
    assert (one.mean, one.variance, one.cvar) == (whole.mean, whole.variance, whole.cvar)


def test_nearly_equal_totals_are_one() -> None:
    tree = et.loads("chance: [{reward: 0.1, utility: 0.2}, 0.3, 1]")
    (one,) = et.risk(tree).actions
    assert one.distribution.totals == (0.3, 1)
    floats = mixture([(0.5, 0.1, certain(0.2)), (0.5, 0, certain(0.3))])
    assert len(floats.totals) == 1
    assert floats.probabilities == (1,)


# ---- Dominance.


def certain(total: Any, is_exact: bool = False) -> Distribution:
    return Distribution((total,), (1,), is_exact)


def slow_order(a: list[tuple[Any, Any]], b: list[tuple[Any, Any]]) -> int:
    """Return the order in which a dominates b, by the definition at every total."""
    totals = sorted({t for t, _ in a + b})

    def reached(pairs: list[tuple[Any, Any]], at: Any) -> Any:
        return sum(p for t, p in pairs if t <= at)

    def missing(pairs: list[tuple[Any, Any]], at: Any) -> Any:  # the integral of F up to there
        return sum(p * (at - t) for t, p in pairs if t < at)

    if all(reached(a, t) == reached(b, t) for t in totals):
        return 0
    if all(reached(a, t) <= reached(b, t) for t in totals):
        return 1
    return 2 if all(missing(a, t) <= missing(b, t) for t in totals) else 0


@pytest.mark.parametrize("is_exact", [True, False])
def test_dominance(is_exact: bool) -> None:
    random, orders = Random(7), set()
    for _ in range(1500):
        pairs = []
        for _ in range(2):
            totals = sorted(random.sample(range(-3, 8), random.randint(1, 4)))
            weights = [random.randint(1, 4) for _ in totals]
            shares = [Fraction(w, sum(weights)) for w in weights]
            pairs.append([*zip(totals, shares, strict=True)])
        number: Any = Fraction if is_exact else float
        parts = [[(number(p), 0, certain(number(t), is_exact)) for t, p in one] for one in pairs]
        a, b = map(mixture, parts)
        assert order_of(a, b) == slow_order(*pairs)
        orders.add(order_of(a, b))
        assert order_of(a, a) == 0
    assert orders == {0, 1, 2}


def test_a_rare_loss_is_not_dominance() -> None:
    text = "max: {a: {chance: [{p: 1e-8, utility: -1}, {p: 0.99999999, utility: 5}]}, b: 0}"
    assert et.risk(et.loads(text)).dominance == ()


def test_totals_that_differ_by_rounding_do_not_hide_dominance() -> None:
    a = mixture([(0.4, 0, certain(0.1 + 0.2)), (0.6, 0, certain(1.0))])
    b = mixture([(0.5, 0, certain(0.3)), (0.5, 0, certain(1.0))])
    assert (order_of(a, b), order_of(b, a)) == (1, 0)


# ---- The report.


def test_records() -> None:
    rows = et.risk(et.loads(COIN), target=16).to_records()
    assert [row["action"] for row in rows] == ["sure", "bet"]
    assert rows[1]["q95"] == 16
    assert rows[1]["reach"] == 0.25


# ---- Rules for decisions without probabilities, against published tables and definitions.

RULES = ("maximin", "maximax", "Hurwicz", "Laplace", "minimax regret", "EOL")
# A table, the weight of Hurwicz, and by rule the published numbers of the actions in order. A star
# marks the published choice.
PUBLISHED = {
    # Anderson, Sweeney, Williams, An Introduction to Management Science: condominiums, in M$.
    "PDC": (
        ",strong,weak\nsmall,8,7\nmedium,14,5\nlarge,20,-9\nprobability,0.8,0.2\n",
        None,
        {
            "maximin": "7* 5 -9",
            "maximax": "8 14 20*",
            "minimax regret": "12 6* 16",
            "EOL": "9.6 5.2 3.2*",
        },
    ),
    # Render, Stair, Hanna, Quantitative Analysis for Management: criterion of realism 0.8.
    "Thompson": (
        ",favorable,unfavorable\nlarge,200000,-180000\nsmall,100000,-20000\nnothing,0,0\n"
        "probability,0.5,0.5\n",
        "0.8",
        {
            "maximin": "-180000 -20000 0*",
            "maximax": "200000* 100000 0",
            "Hurwicz": "124000* 76000 0",
            "Laplace": "10000 40000* 0",
            "minimax regret": "180000 100000* 200000",
            "EOL": "90000 60000* 100000",
        },
    ),
    # Taylor, Introduction to Management Science: real estate, coefficient of optimism 0.4.
    "Taylor": (
        ",good,poor\napartment,50000,30000\noffice,100000,-40000\nwarehouse,30000,10000\n",
        "0.4",
        {
            "maximin": "30000* -40000 10000",
            "maximax": "50000 100000* 30000",
            "Hurwicz": "38000* 16000 18000",
            "Laplace": "40000* 30000 20000",
            "minimax regret": "50000* 70000 70000",
        },
    ),
    # Hillier, Lieberman, Introduction to Operations Research: Goferbroke, in $1,000.
    "Goferbroke": (
        ",oil,dry\ndrill,700,-100\nsell,90,90\nprior,1/4,3/4\n",
        None,
        {"maximin": "-100 90*", "maximax": "700* 90", "minimax regret": "190* 610"},
    ),
    # Taha, Operations Research: An Introduction: costs of a summer camp, in $1,000.
    "Taha": (
        ",200,250,300,350\na1,5,10,18,25\na2,8,7,12,23\na3,21,18,12,21\na4,30,22,19,15\n",
        None,
        {
            "minimax": "25 23 21* 30",
            "minimin": "5* 7 12 15",
            "Hurwicz": "15* 15* 16.5 22.5",
            "Laplace": "14.5 12.5* 18 21.5",
            "minimax regret": "10 8* 16 25",
        },
    ),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_tables(name: str) -> None:
    text, weight, published = PUBLISHED[name]
    tree = et.loads(text, name="t.csv", minimize=name == "Taha")
    found = et.risk(tree, hurwicz=weight and Fraction(weight), exact=True).rules
    assert found is not None
    shown = {
        rule.name: [(x, action in rule.best) for action, x in rule.numbers.items()]
        for rule in found.rules
    }
    for rule, row in published.items():
        expected = [(Fraction(cell.rstrip("*")), cell.endswith("*")) for cell in row.split()]
        assert shown[rule] == expected
    assert ("EOL" in shown) == tree.has_probabilities


def definitions(rows: list[list[Any]], shares: list[Any], weight: Any) -> dict[str, list[Any]]:
    """Return what each rule makes of the gains of each action; regrets are losses."""
    regrets = [
        [max(other[state] for other in rows) - gain for state, gain in enumerate(row)]
        for row in rows
    ]
    expected = [sum(p * x for p, x in zip(shares, row, strict=True)) for row in regrets]
    return {
        "maximin": [sorted(row)[0] for row in rows],
        "maximax": [sorted(row)[-1] for row in rows],
        "Hurwicz": [weight * sorted(row)[-1] + (1 - weight) * sorted(row)[0] for row in rows],
        "Laplace": [sum(row) / Fraction(len(row)) for row in rows],
        "minimax regret": [-sorted(row)[-1] for row in regrets],
        "EOL": [-loss for loss in expected],
    }


@for_each("seed", range(60), range(60, 400))
def test_definitions(seed: int) -> None:
    """Trees with rewards at all places, sure actions, and states of probability 0; both players."""
    random = Random(seed)
    sign, count = random.choice([1, -1]), random.randint(1, 4)
    weights = [random.randint(0, 3) for _ in range(count)]
    weights[0] += 1
    shares = [Fraction(weight, sum(weights)) for weight in weights]
    actions: dict[str, Any] = {}
    rows = []
    start = random.randint(-3, 3)
    for action in "abcd"[: random.randint(2, 4)]:
        paid, pays = random.randint(-3, 3), [random.randint(-9, 9) for _ in shares]
        extra = [random.randint(-2, 2) for _ in shares]
        is_sure = action != "a" and random.random() < 0.3
        places = random.sample(range(count), count)
        outcomes = {
            f"s{i}": {"p": str(shares[i]), "reward": extra[i], "utility": pays[i]} for i in places
        }
        actions[action] = {"reward": paid, "event": "e", "chance": outcomes}
        row = [start + paid + x + more for x, more in zip(pays, extra, strict=True)]
        if is_sure:
            actions[action] = {"reward": paid, "utility": pays[0]}
            row = [start + paid + pays[0]] * count
        rows.append([sign * x for x, p in zip(row, shares, strict=True) if p])
    kind = "max" if sign > 0 else "min"
    tree = et.from_dict({"reward": start, kind: actions})
    weight = Fraction(random.randint(0, 4), 4)
    found = et.risk(tree, hurwicz=weight, exact=True).rules
    assert found is not None
    scores = definitions(rows, [p for p in shares if p], weight)
    for rule, name in zip(found.rules, RULES, strict=True):
        factor = -1 if name in RULES[-2:] else sign
        assert [*rule.numbers.values()] == [factor * score for score in scores[name]]
        best = [
            a for a, score in zip(actions, scores[name], strict=True) if score == max(scores[name])
        ]
        assert [*rule.best] == best


@pytest.mark.parametrize(
    "text",
    [
        "max: {a: 1, b: 2}",
        "chance: [1, 2]",
        "max: {a: {chance: [1, 2]}, b: {chance: [3, 4]}}",  # two events
        "max: {a: {event: e, chance: {x: 1, y: {max: [2, 3]}}}, b: 0}",  # a later decision
        "max: {a: {event: e, chance: {x: {p: 0.4, utility: 1}, y: {p: 0.6, utility: 2}}}, "
        "b: {event: e, chance: {x: {p: 0.5, utility: 1}, y: {p: 0.5, utility: 2}}}}",
        "5",
    ],
)
def test_other_trees_have_no_rules(text: str) -> None:
    tree = et.loads(text)
    assert et.risk(tree).rules is None
    with pytest.raises(AnalysisError, match="the rule of Hurwicz is for one decision"):
        et.risk(tree, hurwicz=1)


def test_dominance_lines_leave_out_what_follows() -> None:
    """Dominance of actions a to d is a chain, so three lines show all six pairs."""
    tree = et.loads("max: {a: 4, b: 3, c: {chance: [1, 2]}, d: {chance: [0, 2]}}")
    found = et.risk(tree)
    lines = {(one.action, one.other): how for one, how in found.dominance_lines.items()}
    assert len(found.dominance) == 6
    assert lines == {
        ("a", "b"): "deterministic dominance",
        ("b", "c"): "deterministic dominance",
        ("b", "d"): "deterministic dominance",
        ("c", "d"): "first order",
    }
