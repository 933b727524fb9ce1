"""`rescale`: maps of utilities compared with the definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from helpers import ROOT, for_each
from oracle import ExactNode, best_actions, exact_root
from random_trees import Case

import expectitree as et
from expectitree import Kind, Node, Tree
from expectitree.base.numbers import Number
from expectitree.base.tree.folding import fold_rewards, unshare
from expectitree.decide.rescale import report as rescaling
from expectitree.decide.rescale.report import AFFINE, NEITHER, ORDERED, rescale
from expectitree.searches.engine import search_tree

LEFT, RIGHT = str(ROOT / "trees/aima-5.12-left.yaml"), str(ROOT / "trees/aima-5.12-right.yaml")
FIGURE = "2=20,3=30,4=400"
FEW, MANY = range(40), range(40, 150)


def definition(
    node: Node | ExactNode, image: Callable[[Number], Number], paid: Number = Fraction(0)
) -> Number:
    """Return v* of the totals under a map, by recursion over paths, without code of the package."""
    node = ExactNode(node.tree, node.id)
    if node.utility is not None:
        return image(node.utility + paid)
    worth = [definition(b.child, image, paid + b.reward) for b in node.branches]
    if node.kind == Kind.CHANCE:
        return sum(b.p * w for b, w in zip(node.branches, worth, strict=True))
    return (max if node.kind == Kind.MAX else min)(worth)


def best_by_definition(tree: Tree, image: Callable[[Number], Number]) -> tuple[str, ...]:
    return best_actions(exact_root(tree), lambda node: definition(node, image))


# ---- The figure.


def test_the_right_hand_figure_comes_from_the_left_one() -> None:
    report = rescale(et.load(LEFT), FIGURE, exact=True)
    right = et.load(RIGHT)
    assert (report.before.best, report.after.best, report.changed) == ("a1", "a2", True)
    assert list(report.after.lower) == list(search_tree(right).lower)
    assert report.after.value == Fraction(409, 10)
    assert report.map_class.name == ORDERED


# ---- Maps against the definition.


def random_map(random: Random, utilities: list[Any]) -> tuple[Any, Callable[[Any], Any]]:
    """Return a map, and the same by its definition."""
    kind, k = random.choice(("affine", "power", "map", "steps")), random.randint(1, 3)
    a, b = Fraction(random.randint(-3, 5), 2), Fraction(random.randint(-9, 9), 4)
    t = random.choice(utilities)
    if kind == "affine":
        return f"{a}*u + {b}", lambda u: a * u + b
    if kind == "power":
        return f"if(u < 0, -(-u)^{k}, u^{k})", lambda u: u**k if u >= 0 else -((-u) ** k)
    if kind == "map":
        chosen = random.sample(utilities, random.randint(1, len(utilities)))
        images = {u: Fraction(random.randint(-20, 20), 2) for u in chosen}
        return images, lambda u: images.get(u, u)
    return f"if(u >= {t}, u + {k}, u)", lambda u: u + k if u >= t else u


@for_each("seed", FEW, slow=MANY)
def test_values_and_best_actions_are_those_of_the_definition(seed: int) -> None:
    case, random = Case(seed), Random(seed)
    tree = case.tree()
    utilities = rescaling.numbers_of(tree)
    given, image = random_map(random, utilities)
    report = rescale(tree, given, exact=True)
    for n in range(len(tree)):
        assert report.before.lower[n] == definition(tree.node(n), lambda u: u)
        assert report.after.lower[n] == definition(tree.node(n), image)
    assert report.pairs == tuple((u, image(u)) for u in utilities)
    if tree.root.kind in (Kind.MAX, Kind.MIN):
        before, after = best_by_definition(tree, lambda u: u), best_by_definition(tree, image)
        assert (report.before.ties, report.after.ties) == (before, after)
        assert report.changed == (before != after)
    images = [image(u) for u in utilities]
    rising = all(v > u for u, v in pairwise(images))
    slopes = {
        (v - u) / (y - x)
        for (u, v), (x, y) in zip(pairwise(images), pairwise(utilities), strict=True)
    }
    expected = NEITHER if not rising else AFFINE if len(slopes) <= 1 else ORDERED
    assert report.map_class.name == expected
    if all(u.denominator % 3 for u in utilities):  # 1/3 as a float is another number
        in_floats = rescale(case.tree(exact=False), given)
        assert in_floats.map_class.name == expected
        assert in_floats.after.value == pytest.approx(float(report.after.value), abs=1e-9)


@for_each("seed", FEW, slow=MANY)
def test_a_positive_affine_map_changes_nothing(seed: int) -> None:
    random = Random(seed)
    a, b = Fraction(random.randint(1, 60), 7), Fraction(random.randint(-900, 900), 11)
    for exact in (False, True):
        report = rescale(Case(seed).tree(exact), f"{a}*u + {b}")
        assert report.map_class.name == AFFINE
        if len(report.pairs) > 1:
            assert report.map_class.slope == pytest.approx(float(a))
        assert not report.changes


@for_each("seed", range(40))
def test_a_map_applies_to_totals(seed: int) -> None:
    case = Case(seed, pays=True)
    tree = unshare(replace(case.tree(), root_reward=Fraction(seed % 3)))
    report = rescale(tree, "u^3 + 2*u", exact=True)
    assert report.before.value == search_tree(tree).value
    assert report.after is not None
    assert report.after.value == definition(tree.root, lambda u: u**3 + 2 * u, tree.root_reward)
    assert not report.after.tree.columns.pays
    is_plain = not tree.columns.pays and not tree.root_reward
    assert (rescaling.FOLDED in report.remarks) == (not is_plain)
    again = rescale(fold_rewards(tree), "u^3 + 2*u", exact=True)
    assert (again.pairs, again.changes) == (report.pairs, report.changes)


# ---- Formulas.


@pytest.mark.parametrize(
    ("formula", "image"),
    [
        ("sqrt(u)", lambda: Decimal(2).sqrt()),
        ("exp(50*u) - 1", lambda: Decimal(100).exp() - 1),
        # Of 60 digits of the exponential, 40 cancel; there are 30 more.
        ("(1 - exp(-u/1e40))*1e40", lambda: 2 - Decimal("2e-40") + Decimal("1e-80") * 4 / 3),
    ],
)
def test_irrational_images_have_45_digits(formula: str, image: Callable[[], Decimal]) -> None:
    ((_, found),) = rescale(et.loads("2"), formula, exact=True).pairs
    with localcontext() as context:
        context.prec = 120
        assert abs(Fraction(found) / Fraction(image()) - 1) < Fraction(1, 10**45)


def test_a_large_image_makes_no_tie_of_smaller_ones() -> None:
    found = rescale(et.loads("max: {a: 100, b: {chance: [3, 1]}, c: {max: [1, 1.5]}}"), "exp(u)")
    node = found.tree.find("c").id
    assert [found.tree.branch_label(node, b) for b in found.after.best_branches(node)] == ["#2"]


def test_numbers_are_floats_by_default() -> None:
    tree = et.load(LEFT)
    for exact, kind in ((False, float), (True, Fraction)):
        report = et.rescale(tree, "2*u", exact=exact)
        numbers = [report.before.value, report.after.value, *sum(report.pairs, ())]
        numbers += [report.map_class.slope, report.map_class.offset]
        assert {type(number) for number in numbers} == {kind}


# ---- The command.


def test_a_map_from_python_is_a_mapping_or_a_text() -> None:
    tree = et.loads("max: [1, {chance: [2, 3]}]")
    assert et.rescale(tree, {2: 20}).after.value == 11.5
    assert et.rescale(tree, "u*2").before.value == 2.5
    with pytest.raises(et.TransformError, match="no terminal is worth 4"):
        et.rescale(tree, {4: 20})
    with pytest.raises(et.TransformError, match="found a map of type function: write a formula"):
        et.rescale(tree, lambda u: u)  # type: ignore[arg-type]


# ---- Time.


def test_a_tree_of_too_many_nodes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescaling, "MAX_NODES", 14)
    with pytest.raises(et.TreeError) as error:
        rescale(et.load(LEFT), "u^2")
    assert str(error.value) == (
        "utilities are mapped in fractions, and a tree of 15 nodes is too large: the limit is "
        "14 nodes: set EXPECTITREE_BUDGET=10 for ten times as much"
    )
