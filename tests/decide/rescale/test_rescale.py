"""`rescale`: maps of utilities compared with the definition, classes of maps, and `--any`."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from random import Random
from time import process_time

import pytest
from helpers import ROOT, invoke, load, loads
from oracle import ExactNode, exact_root
from random_trees import Case

import expectitree as et
from expectitree import Kind, Node, Tree
from expectitree.decide.rescale import report as rescaling
from expectitree.decide.rescale.any_map import find_order_preserving_map
from expectitree.decide.rescale.report import Rescaling, numbers_of, rescale
from expectitree.decide.rescale.scales import (
    AFFINE,
    NEITHER,
    ORDERED,
    Scale,
    affine,
    classify,
    exponential,
    logarithm,
    named,
    power,
    stepped,
)
from expectitree.decide.rescale.table import load_table
from expectitree.decide.rescale.text import render as rescaling_text
from expectitree.errors import AnalysisError, FileError, TransformError
from expectitree.numbers import INFINITY, Number
from expectitree.searches.engine import search_tree
from expectitree.text.console import text_console, to_strings
from expectitree.tree.folding import fold_rewards, unshare

LEFT, RIGHT = str(ROOT / "trees/aima-5.12-left.yaml"), str(ROOT / "trees/aima-5.12-right.yaml")
FIGURE = {Fraction(2): Fraction(20), Fraction(3): Fraction(30), Fraction(4): Fraction(400)}
SEEDS = range(150)


def definition(
    node: Node | ExactNode, image: Callable[[Number], Number], known: dict[int, Number]
) -> Number:
    """Return v* under a map, by recursion, without code of the package."""
    node = ExactNode(node.tree, node.id)
    if node.id not in known:
        if node.utility is not None:
            known[node.id] = image(node.utility)
        elif node.kind == Kind.CHANCE:
            known[node.id] = sum(
                b.probability * definition(b.child, image, known) for b in node.branches
            )
        else:
            choose = max if node.kind == Kind.MAX else min
            known[node.id] = choose(definition(child, image, known) for child in node.children)
    return known[node.id]


def best_by_definition(tree: Tree, image: Callable[[Number], Number]) -> list[str]:
    known: dict[int, Number] = {}
    value = definition(exact_root(tree), image, known)
    return [b.label for b in tree.root.branches if known[b.child.id] == value]


# ---- The figure.


@pytest.mark.parametrize("exact", [False, True])
def test_the_right_hand_figure_comes_from_the_left_one(exact: bool) -> None:
    report = rescale(load(LEFT, exact=exact), named(FIGURE), exact=exact)
    right = load(RIGHT, exact=exact)
    assert (report.before.best, report.after.best, report.changed) == ("a1", "a2", True)
    assert list(report.after.tree.columns.utility) == pytest.approx(
        list(right.columns.utility), nan_ok=True, abs=0
    )
    assert list(report.after.lower) == list(search_tree(right).lower)
    assert report.after.value == (Fraction(409, 10) if exact else 40.9)
    assert report.map_class.name == ORDERED


def test_text_shows_values_and_actions_before_and_after() -> None:
    done = invoke("rescale", LEFT, "--map", "2=20,3=30,4=400", PYTHONIOENCODING="utf-8")
    assert done.exit_code == 0
    assert done.stderr == ""
    assert done.stdout == (
        "Order is not enough (left)\n"
        "\n"
        "map        2=20, 3=30, 4=400; other utilities stay\n"
        "utilities  1 → 1, 2 → 20, 3 → 30, 4 → 400\n"
        "class      order-preserving, not affine: expectations may change their order\n"
        "\n"
        "node   kind    before  best    after  new best  changed\n"
        "/      MAX        2.1  a1       40.9  a2        changed\n"
        "a1     CHANCE     2.1  -          21  -\n"
        "a1/#1  MIN          2  #1, #2     20  #1, #2\n"
        "a1/#2  MIN          3  #1, #2     30  #1, #2\n"
        "a2     CHANCE     1.3  -        40.9  -\n"
        "a2/#1  MIN          1  #1, #2      1  #1, #2\n"
        "a2/#2  MIN          4  #1, #2    400  #1, #2\n"
        "\n"
        "The decision changes: a1 (2.1) before, a2 (40.9) after.\n"
    )


def test_json_has_the_map_and_the_strategy() -> None:
    found = json.loads(
        invoke("rescale", LEFT, "--map", "2=20,3=30,4=400", "--exact", "--format", "json").stdout
    )
    strategy = found.pop("strategy")
    assert found == {
        "file": LEFT,
        "title": "Order is not enough (left)",
        "map": {
            "kind": "map",
            "text": "2=20, 3=30, 4=400",
            "class": "order-preserving",
            "pairs": [["1", "1"], ["2", "20"], ["3", "30"], ["4", "400"]],
            "pairs_total": 4,
        },
        "before": {"value": "21/10", "best": "a1", "ties": ["a1"]},
        "after": {"value": "409/10", "best": "a2", "ties": ["a2"]},
        "changed": True,
        "strategy_total": 7,
        "strategy_changed": 1,
        "remarks": [],
    }
    assert strategy[0] == {
        "path": "/",
        "kind": "MAX",
        "before": {"value": "21/10", "best": "a1", "ties": ["a1"]},
        "after": {"value": "409/10", "best": "a2", "ties": ["a2"]},
        "changed": True,
    }
    assert strategy[4]["path"] == "a2"
    assert strategy[4]["before"] == {"value": "13/10", "best": None, "ties": []}


def test_the_rescaled_tree_is_written(tmp_path: Path) -> None:
    out = tmp_path / "right.yaml"
    done = invoke("rescale", LEFT, "--map", "2=20,3=30,4=400", "-o", str(out))
    assert done.exit_code == 0
    assert "written: 15 nodes" in done.stderr
    written, right = et.load(out), et.load(RIGHT)
    assert written.columns == right.columns
    assert written.label == right.label
    assert written.expect is None
    again = invoke("rescale", LEFT, "--affine", "1,1", "-o", str(out))
    assert (again.exit_code, "--force" in again.stderr) == (2, True)
    assert invoke("rescale", LEFT, "--affine", "1,1", "-o", str(out), "--force").exit_code == 0
    assert search_tree(et.load(out)).value == pytest.approx(3.1)
    assert et.loads(invoke("rescale", LEFT, "--affine", "1,1", "-o", "-").stdout).leaves == 8
    assert json.loads(
        invoke("rescale", LEFT, "--affine", "1,1", "-o", "-", "--format", "json").stdout
    )["max"]


# ---- Maps against the definition.


def random_scale(
    random: Random, utilities: list[Number]
) -> tuple[Scale, Callable[[Fraction], Fraction]]:
    """Return a map, and the same by its definition."""
    kind = random.choice(("affine", "power", "map", "steps"))
    if kind == "affine":
        a, b = Fraction(random.randint(-3, 5), 2), Fraction(random.randint(-9, 9), 4)
        return affine(a, b), lambda u: a * u + b
    if kind == "power":
        k = random.randint(1, 3)
        return power(Fraction(k)), lambda u: u**k if u >= 0 else -((-u) ** k)
    if kind == "map":
        chosen = random.sample(utilities, random.randint(1, len(utilities)))
        images = {Fraction(u): Fraction(random.randint(-20, 20), 2) for u in chosen}
        return named(images), lambda u: images.get(u, u)
    t, height = random.choice(utilities), Fraction(random.randint(1, 9))
    return stepped(t, height), lambda u: u + height if u >= t else u


@pytest.mark.parametrize("seed", SEEDS)
def test_values_and_best_actions_are_those_of_the_definition(seed: int) -> None:
    case, random = Case(seed), Random(seed)
    tree = case.tree()
    utilities = sorted(numbers_of(tree)[0])
    scale, image = random_scale(random, utilities)
    report = rescale(tree, scale, exact=True)
    for n in range(len(tree)):
        assert report.before.lower[n] == definition(tree.node(n), lambda u: u, {})
        assert report.after.lower[n] == definition(tree.node(n), image, {})
    assert report.pairs == [(u, image(u)) for u in utilities]
    if tree.root.kind in (Kind.MAX, Kind.MIN):
        before, after = best_by_definition(tree, lambda u: u), best_by_definition(tree, image)
        assert (list(report.before.ties), list(report.after.ties)) == (before, after)
        assert report.changed == (before != after)
    for n in report.strategy:
        ties = [list(search.best_branches(n)) for search in (report.before, report.after)]
        assert (n in report.changed_nodes) == (n in report.changes) == (ties[0] != ties[1])
    images = [image(u) for u in utilities]
    rising = all(v > u for u, v in pairwise(images))
    slopes = {
        (v - u) / (y - x)
        for (u, v), (x, y) in zip(pairwise(images), pairwise(utilities), strict=True)
    }
    assert report.map_class.name == (
        NEITHER if not rising else AFFINE if len(slopes) <= 1 else ORDERED
    )
    if all(
        u.denominator % 3 for u in utilities
    ):  # 1/3 as a float is another number. A map must not name it.
        in_floats = rescale(case.tree(exact=False), scale)
        assert in_floats.map_class.name == report.map_class.name
        assert float(in_floats.after.value) == pytest.approx(float(report.after.value), abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_positive_affine_map_changes_nothing(seed: int) -> None:
    random = Random(seed)
    a, b = Fraction(random.randint(1, 60), 7), Fraction(random.randint(-900, 900), 11)
    for exact in (False, True):
        report = rescale(Case(seed).tree(exact), affine(a, b))
        assert report.map_class.name == AFFINE
        if len(report.pairs) > 1:
            assert float(report.map_class.slope) == pytest.approx(float(a))
        assert not report.changed
        assert not report.changed_nodes


def test_an_affine_map_that_changes_a_value_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    real = rescaling.search_tree
    calls: list[Tree] = []

    def wrong(tree: Tree, **given: object) -> object:
        search = real(tree, **given)
        calls.append(tree)
        return (
            replace(search, lower=[*search.lower[:-1], search.lower[-1] + 1])
            if len(calls) == 2
            else search
        )

    monkeypatch.setattr(rescaling, "search_tree", wrong)
    with pytest.raises(
        AnalysisError,
        match=r"^/: a positive affine map changed the best actions: this is a defect",
    ):
        rescale(et.loads("max: [1, 2]"), affine(Fraction(2), Fraction(0)))


@pytest.mark.parametrize(
    ("offset", "works"), [("1e6", True), ("1e9", True), ("-1e9", True), ("1e18", False)]
)
def test_a_large_offset_makes_no_ties_in_floats(offset: str, works: bool) -> None:
    tree = load(LEFT, exact=False)
    scale = affine(Fraction(1), Fraction(offset))
    if works:
        report = rescale(tree, scale)
        assert (report.changed, report.after.ties) == (False, ("a1",))
    else:
        with pytest.raises(
            AnalysisError, match=r"too few digits of the mapped utilities.*use --exact"
        ):
            rescale(tree, scale)
    assert not rescale(et.load(LEFT), scale).changed


# ---- Classes of maps.


def test_a_map_is_classified_with_its_line_or_a_witness() -> None:
    def of(*pairs: tuple[float, float]) -> object:
        return classify([(Fraction(u), Fraction(v)) for u, v in pairs])

    assert of((7, -3)).name == AFFINE
    assert (of((7, -3)).slope, of((7, -3)).offset) == (1, -10)
    assert (of((1, 3), (2, 5), (4, 9)).slope, of((1, 3), (2, 5), (4, 9)).offset) == (2, 1)
    assert of((1, 1), (2, 2), (3, 3.5)).name == ORDERED
    assert of((1, 1), (2, 20), (3, 10)).witness == ((2, 20), (3, 10))
    assert of((1, 1), (2, 20), (3, 20)).witness == ((2, 20), (3, 20))
    # As written: in floats 0.1, 0.2, 0.3 times 3 are not on a straight line.
    tree = et.loads("max: [0.1, 0.2, 0.3, 0.7]")
    assert rescale(tree, affine(Fraction(3), Fraction("0.1"))).map_class.name == AFFINE
    assert (
        rescale(tree, named({Fraction("0.7"): Fraction("0.7000000000000001")})).map_class.name
        == ORDERED
    )


@pytest.mark.parametrize(
    ("scale", "utilities", "expected"),
    [
        (power(Fraction(3, 2)), [-2, -1, 1, 2], ORDERED),
        (power(Fraction(3, 2)), [-2, 0, 2], AFFINE),
        (
            power(Fraction(2)),
            [-1, Fraction("0.25"), Fraction("0.6")],
            AFFINE,
        ),  # a chord meets the curve three times
        (power(Fraction(1)), [-2, 0, 5], AFFINE),
        # Irrational images of very different magnitudes: a chord, except near 0.
        (power(Fraction(1, 2)), [-2e300, 0, 2e-300, 2e300], ORDERED),
        (Scale("function", "", lambda u: math.pi * u), [-2e300, 0, 1e-300, 1e300], AFFINE),
        (logarithm(), [1, 2], AFFINE),
        (logarithm(), [1, 2, 4], ORDERED),
        (exponential(Fraction(1, 10**60)), [1, 2, 3], AFFINE),  # within the rounding of images
        (exponential(Fraction(1, 10**15)), [1, 2, 3], ORDERED),
        (exponential(Fraction(-2)), [-1, 0, 3], ORDERED),
    ],
)
def test_a_curve_is_classified_on_the_utilities_of_the_tree(
    scale: Scale, utilities: list[Fraction], expected: str
) -> None:
    tree = et.loads("max: [" + ", ".join(str(float(u)) for u in utilities) + "]")
    assert rescale(tree, scale).map_class.name == expected


def test_a_curve_that_floats_cannot_tell_from_a_line_is_affine_in_floats() -> None:
    tree = loads("max: [1, 2, 3]", exact=False)
    assert rescale(tree, exponential(Fraction(1, 10**15))).map_class.name == AFFINE


def test_images_are_exact_where_they_are_rational() -> None:
    def images(scale: Scale, *utilities: float) -> list[Number]:
        return [
            v
            for _, v in rescale(
                et.loads(f"chance: [{', '.join(map(str, utilities))}]"), scale
            ).pairs
        ]

    assert images(power(Fraction(1, 2)), -9, 0, 2, 4) == [-3, 0, math.sqrt(2), 2]
    assert images(logarithm(), 1, 10) == [0, math.log(10)]
    assert images(exponential(Fraction(1, 4)), 0, 8) == [0, float(4 - 4 * Decimal(-2).exp())]
    assert images(exponential(Fraction(-1, 4)), 0, 8) == [0, float(4 * Decimal(2).exp() - 4)]
    exact = rescale(et.loads("chance: [4/9, 25]"), power(Fraction(3, 2)), exact=True)
    assert [v for _, v in exact.pairs] == [Fraction(8, 27), 125]
    large = rescale(et.loads("chance: [1e-300, 1e300]"), power(Fraction(1, 2)), exact=True)
    assert [v for _, v in large.pairs] == [Fraction(1, 10**150), 10**150]


def test_irrational_images_have_60_digits() -> None:
    with localcontext() as context:
        context.prec = 120
        tiny = 2 - Decimal("2e-40") + Decimal("1e-80") * 4 / 3
        rows = [
            (power(Fraction(1, 2)), 2, Decimal(2).sqrt()),
            (logarithm(), 2, Decimal(2).ln()),
            (exponential(Fraction(-1)), 100, Decimal(100).exp() - 1),
            (exponential(Fraction(1, 10**40)), 2, tiny),
        ]
    for scale, u, expected in rows:
        image = Fraction(scale.image(Fraction(u)))
        assert abs(image / Fraction(expected) - 1) < Fraction(1, 10**58), scale.text
    # The logarithm of a product is the sum of the logarithms, in any order.
    tree = et.loads(
        "max: {a: {chance: [2, 18]}, b: 6, c: {chance: [3, 12]}, d: {chance: [4, 9.1]}}"
    )
    report = rescale(tree, logarithm())
    assert report.after.ties == ("d",)
    report = rescale(
        et.loads("max: {a: {chance: [2, 18]}, b: 6, c: {chance: [3, 12]}}"), logarithm()
    )
    assert report.after.ties == ("a", "b", "c")
    assert report.after.value == math.log(6)


def test_a_function_that_returns_floats_rescales_in_floats() -> None:
    report = rescale(et.loads("max: {a: {chance: [2, 18]}, b: 6}"), lambda u: math.log(u))
    assert (report.tree.exact, report.after.ties) == (False, ("a", "b"))
    exact = rescale(et.loads("max: {a: {chance: [2, 18]}, b: 6}"), lambda u: u**2)
    assert exact.tree.exact


def test_a_written_tree_has_the_digits_of_irrational_images(tmp_path: Path) -> None:
    done = invoke(
        "rescale", "-e", "chance: [2, 3]", "--power", "1/2", "-o", str(tmp_path / "x.yaml")
    )
    assert done.exit_code == 0
    assert re.search(
        r"1\.4142135623730950488016887242096980785696718\d+", (tmp_path / "x.yaml").read_text()
    )
    written = et.evaluate(et.load(tmp_path / "x.yaml"), exact=True).value
    wanted = (Decimal(2).sqrt(Context(prec=80)) + Decimal(3).sqrt(Context(prec=80))) / 2
    assert abs(written - Fraction(wanted)) < Fraction(1, 10**26)
    for words in (("--power", "1/2"), ("--affine", "1/3,0")):
        done = invoke(
            "rescale", "-e", "chance: [2, 3]", *words, "-o", str(tmp_path / f"{words[1][2]}.arrow")
        )
        assert done.exit_code == 0
    done = invoke(
        "rescale",
        "-e",
        "max: [1, 2]",
        "--affine",
        "1/3,0",
        "--exact",
        "-o",
        str(tmp_path / "e.arrow"),
    )
    assert "choose .yaml or .json, or remove --exact" in done.stderr


def test_a_remark_names_utilities_that_floats_make_equal() -> None:
    scale = named({Fraction(2): Fraction(10**20), Fraction(5): Fraction(10**20 + 1)})
    report = rescale(loads("max: [1, 2, 5]", exact=False), scale)
    assert report.map_class.name == ORDERED
    (remark,) = report.remarks
    assert remark == "2 and 5 become equal in floating point: use --exact."
    assert rescale(et.loads("max: [1, 2, 5]"), scale).remarks == ()


def test_a_remark_names_utilities_that_an_affine_map_makes_equal() -> None:
    tree = loads("max: [0.3, 0.30000000000000004, 5]", exact=False)
    assert rescale(tree, affine(Fraction(1), Fraction(0))).remarks == ()
    (remark,) = rescale(tree, affine(Fraction(2), Fraction(1))).remarks
    assert remark == "0.3 and 0.30000000000000004 become equal in floating point: use --exact."


def test_the_line_of_a_map_has_six_digits_in_floats() -> None:
    done = invoke("rescale", "-e", "max: [0.1, 0.3]", "--exp", "-0.5")
    assert "positive affine, 1.10563 * u - 0.00802095: no best" in " ".join(done.stdout.split())
    exact = invoke("rescale", "-e", "max: [0, 3]", "--affine", "1/3,0", "--exact")
    assert "positive affine, 1/3 * u: no best" in " ".join(exact.stdout.split())


def test_a_map_that_is_too_steep_for_floats_is_refused() -> None:
    for text, images in (
        ("max: [0, 1e-300]", {Fraction("1e-300"): Fraction("1e300")}),
        ("max: [1e300, 1.0000000000000002e300]", {Fraction("1e300"): Fraction("-1e300")}),
    ):
        with pytest.raises(TransformError, match="too steep for floating point: use --exact"):
            rescale(loads(text, exact=False), named(images))
        assert rescale(et.loads(text), named(images)).map_class.name == AFFINE


# ---- Estimates and bounds.

BOUNDED = """
bounds: [0, 10]
max:
  a: {chance: [1, 2, 3], bounds: [1, inf], estimate: 5}
  b: {chance: [0.5, {min: [3, 4]}]}
"""


def test_estimates_and_bounds_go_through_the_map() -> None:
    tree = et.loads(BOUNDED)
    mapped = rescale(tree, affine(Fraction(2), Fraction(1))).after.tree
    assert mapped.root.bounds == (1, 21)
    assert mapped.find("a").bounds == (3, INFINITY)
    assert mapped.find("a").estimate == 11
    level = rescale(
        tree, named({Fraction(3): Fraction(4)})
    )  # 3 and 4 become equal: the map is constant there and does not fall.
    assert (level.after.tree.root.bounds, level.remarks) == ((0, 10), ())


@pytest.mark.parametrize(
    "scale",
    [affine(Fraction(-1), Fraction(0)), named({Fraction(4): Fraction(400)}), logarithm()],
)
def test_bounds_are_left_out_where_the_map_falls_or_ends(scale: Scale) -> None:
    report = rescale(et.loads(BOUNDED), scale)
    assert not report.after.tree.local_bounds
    assert report.remarks == (
        "The bounds in the file are left out: the map falls on them, or ends before them.",
    )


# ---- Is there any map?


def is_lost(tree: Tree, label: str, images: Mapping[Number, Number]) -> bool:
    return label not in best_by_definition(tree, lambda u: images[u])


def check_answer(tree: Tree, report: Rescaling, random: Random, maps: int) -> None:
    """Compare an answer on an exact tree with random maps over nine powers of ten."""
    utilities = sorted(numbers_of(tree)[0])
    answer, label = report.answer, report.before.best
    assert answer is not None
    if answer.answer == "yes":
        images = {nearest(utilities, u): Fraction(v) for u, v in report.pairs}
        assert all(images[u] < images[v] for u, v in pairwise(utilities))
        assert is_lost(tree, label, images)
        assert report.changed
        assert report.map_class.name == ORDERED
    elif answer.answer == "no" and label is not None:
        for _ in range(maps):
            image, images = Fraction(0), {}
            for u in utilities:
                image += Fraction(10) ** random.randint(-4, 4) * random.randint(1, 9)
                images[u] = image
            assert not is_lost(tree, label, images), answer


def nearest(utilities: list[Number], u: Number) -> Number:
    return min(utilities, key=lambda one: abs(one - Fraction(u)))


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_answers_on_random_trees_hold_for_random_maps(start: int) -> None:
    for seed in range(start, start + 50):
        case = Case(seed)
        tree = case.tree()
        found = find_order_preserving_map(tree, exact=True)
        check_answer(tree, found, Random(seed), 30)
        in_floats = find_order_preserving_map(case.tree(exact=False), exact=True)
        assert in_floats.answer.answer == found.answer.answer
        check_answer(tree, in_floats, Random(seed), 1)


def decision(random: Random, height: int, kinds: str) -> Tree:
    """Return a tree with two actions at a player's root, and few utilities."""
    builder = et.TreeBuilder(exact=True)
    utilities = range(random.choice((3, 4, 6)))

    def grow(depth: int) -> object:
        if depth == 0 or random.random() < 0.15:
            return builder.terminal(random.choice(utilities))
        kind, children = (
            random.choice(kinds),
            [grow(depth - 1) for _ in range(random.randint(2, 3))],
        )
        if kind == "c":
            weights = [random.choice((0, 1, 2, 3)) for _ in children]
            weights[0] += not any(weights)
            return builder.chance(children, [f"{w}/{sum(weights)}" for w in weights])
        return (builder.max if kind == "x" else builder.min)(children)

    children = [grow(height), grow(height)]
    return builder.build((builder.max if random.random() < 0.5 else builder.min)(children))


@pytest.mark.slow
def test_answers_hold_where_decisions_lie_below_chance() -> None:
    answers: Counter[str] = Counter()
    for seed in range(120):
        random = Random(seed)
        tree = decision(random, random.choice((2, 3)), "xmccc")
        report = find_order_preserving_map(tree)
        answers[report.answer.answer] += 1
        check_answer(tree, report, random, 40)
    assert answers == {"yes": 17, "no": 96, "unknown": 7}  # fewer proofs would be a loss


def distribution(node: Node) -> Counter[Number]:
    if node.utility is not None:
        return Counter({node.utility: 1})
    mixed: Counter[Number] = Counter()
    for branch in node.branches:
        for u, p in distribution(branch.child).items():
            mixed[u] += p * branch.probability
    return mixed


def test_dominance_decides_where_chance_alone_lies_below_the_root() -> None:
    """An action can win under an increasing map if and only if it wins at one threshold."""
    answers: Counter[str] = Counter()
    for seed in range(300):
        tree = decision(Random(seed), 2, "c")
        report = find_order_preserving_map(tree)
        sign = 1 if tree.root.kind == Kind.MAX else -1
        shares = {b.label: distribution(b.child) for b in exact_root(tree).branches}

        def reach(
            label: str, threshold: Number, shares: dict[str, Counter[Number]] = shares
        ) -> Number:
            return sum(p for u, p in shares[label].items() if u >= threshold)

        (other,) = shares.keys() - {report.before.best}
        thresholds = numbers_of(tree)[0]
        can_win = any(
            sign * (reach(other, t) - reach(report.before.best, t)) > 0 for t in thresholds
        )
        assert report.answer.answer == ("yes" if can_win else "no"), seed
        answers[report.answer.answer] += 1
        check_answer(tree, report, Random(seed), 3)
    assert min(answers.values()) > 50


def test_the_example_map_is_the_smallest_round_step() -> None:
    for exact in (False, True):
        report = find_order_preserving_map(load(LEFT, exact=exact))
        assert report.answer.answer == "yes"
        assert report.pairs == [
            (1, 1),
            (2, 2),
            (3, 3),
            (4, 14),
        ]  # by hand: 0.9 * 1 + 0.1 * 14 = 2.3 > 2.1
        assert (report.before.best, report.after.best) == ("a1", "a2")
    found = json.loads(invoke("rescale", LEFT, "--any", "--format", "json").stdout)
    assert found["map"]["kind"] == "any"
    assert found["any"] == {
        "answer": "yes",
        "reason": "under the map u + 10 if u >= 4, else u, another action is better",
        "tried": 1,
    }


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("chance: [1, 2]", "the root is a CHANCE node"),
        ("5", "the root is a TERMINAL node"),
        ("max: [{chance: [1, 2]}]", "there is one action"),
        ("max: [{min: [1, 5]}, {min: [2, 3]}]", "there is no chance node"),
        ("max: [{chance: [{min: [2, 5]}, 2]}, 1]", "#1 is at least as likely"),
        (
            "max: [{chance: [0, 1]}, {chance: [{p: 0.4, utility: 0}, {p: 0.6, utility: 1}]}]",
            "#2 is at least as likely",
        ),
        (
            "max: [{chance: [{max: [{chance: [0, 6]}, 4]}, 1]}, {min: [{chance: [0, 3]}, 6]}]",
            "#1 is at least as likely",
        ),
        (
            "max: [{chance: [1, 3]}, {chance: [1, 2]}]",
            "#1 is at least as likely as any other action to reach each",
        ),
        (
            "min: [{chance: [1, 3]}, {chance: [1, 2]}]",
            "#2 is at most as likely as any other action to reach each",
        ),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_a_negative_answer_has_a_reason(text: str, reason: str, exact: bool) -> None:
    report = find_order_preserving_map(loads(text, exact=exact))
    assert report.answer.answer == "no"
    assert report.answer.reason.startswith(reason)
    assert report.after is None


def test_outcomes_of_probability_0_make_no_difference() -> None:
    tree = et.loads(
        "max: [{chance: [{p: 1, utility: 2}, {p: 0, utility: 9}]}, {chance: [{p: 1, utility: 1}]}]"
    )
    report = find_order_preserving_map(tree)
    assert report.answer.answer == "no"
    assert report.answer.reason.startswith("#1 is at least as likely")


@pytest.mark.slow
def test_a_map_is_verified_in_fractions_where_floats_make_a_tie() -> None:
    """A sum over 18,000 outcomes in floats may be off by more than the difference."""
    fair = f"{{chance: [{', '.join(['1, 2'] * 9_000)}]}}"
    text = "max: {a: %s, b: {chance: [{p: 0.%s, utility: 0}, {p: 0.%s, utility: 2}]}}"
    more, less = "5000000000011", "4999999999989"
    tree = loads(text % (fair, more, less), exact=False)
    assert find_order_preserving_map(tree).answer.answer == "no"
    tree = loads(text % (fair, less, more), exact=False)
    report = find_order_preserving_map(tree)
    assert report.answer.answer == "yes"
    assert report.tree.exact
    assert report.remarks[-1].startswith("These are fractions")
    assert {*rescale(tree, report.scale).after.ties} == {"a", "b"}


def test_a_step_moves_the_float_at_its_threshold() -> None:
    tree = loads("max: [{chance: [0.3, 0.1]}, {chance: [0.2, 0.2, 0.3]}]", exact=False)
    report = find_order_preserving_map(tree)
    assert report.pairs == [(0.1, 0.1), (0.2, 0.2), (0.3, 1.3)]
    assert (report.tree.exact, report.remarks) == (False, ())
    for u in (0.1, 0.7, 1.1):
        assert stepped(Fraction(repr(u)), Fraction(1)).image(u) == Fraction(repr(u)) + 1


@pytest.mark.parametrize("mode", [(), ("--exact",)])
def test_the_answer_may_be_unknown(mode: tuple[str, ...]) -> None:
    # The better of two is at least as good as their mean under every map, but neither of them alone
    # dominates it.
    mean = "max: {b: {max: [{chance: [0, 6]}, 3]}, c: {chance: [0, 3, 3, 6]}}"
    done = invoke("rescale", "-e", mean, "--any", "--format", "json", *mode)
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["any"] == {
        "answer": "unknown",
        "reason": "7 maps were tried, and none changes it",
        "tried": 7,
    }
    assert (found["map"], found["after"], found["changed"], found["strategy"]) == (
        None,
        None,
        False,
        [],
    )
    assert (
        invoke("rescale", "-e", mean, "--any", *mode)
        .stdout.replace("\n", " ")
        .startswith(
            "-e  It is unknown whether an order-preserving map of these utilities changes the "
            "decision b: "
            "7 maps"
        )
    )


def test_any_writes_its_example_if_there_is_one(tmp_path: Path) -> None:
    out = tmp_path / "any.yaml"
    assert invoke("rescale", LEFT, "--any", "-o", str(out)).exit_code == 0
    assert et.evaluate(et.load(out)).best == "a2"
    other = tmp_path / "none.yaml"
    done = invoke("rescale", "-e", "max: [1, 2]", "--any", "-o", str(other))
    assert (done.exit_code, other.exists()) == (0, False)
    assert "no map was found: no tree was written" in done.stderr


# ---- The command.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "No map was given: give one of --map"),
        (["--log", "--any"], "--log and --any exclude each other"),
        (
            ["--map", "5=6"],
            "no terminal is worth 5 (and no estimate is): utilities run from 1 to 4; nearest to 5: "
            "3, 4",
        ),
        (["--map", "2=3,2.0=4"], "the utility '2.0' occurs twice: keep one"),
        (["--map", "2:3"], "found '2:3', expected two numbers: a utility and its image"),
        (["--map", "2=x"], "'x' is not a number"),
        (["--affine", "2"], "found '2', expected A,B"),
        (["--affine", "2,1/0"], "'1/0' divides by zero"),
        (["--power", "-1"], "found -1, expected a power above 0"),
        (["--exp", "0"], "found a rate of 0, expected one above 0"),
        (["--power", "100000"], "the image of 2 is too large: it is beyond 10^30,000"),
        (["--exp", "-100000"], "the image of 1 is too large: it is beyond 10^30,000"),
        (["--exp", "1000"], "1 and 2 both become 0.001 when they are rounded"),
        (["--affine", "1,-1", "--log"], "--affine and --log exclude each other"),
        (["--affine", "1,0", "-o", "-", RIGHT], "-o writes one tree: give one FILE"),
    ],
)
def test_wrong_usage_has_a_message(words: list[str], message: str) -> None:
    done = invoke("rescale", LEFT, *words)
    assert done.exit_code == 2
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        (power(Fraction(100_000)), "beyond 10^301"),
        (exponential(Fraction(-300)), "beyond 10^301"),
        (affine(Fraction("1e300"), Fraction("1e350")), "beyond 10^301"),
        (affine(Fraction(1, 10**400), Fraction(0)), "too small for floating point"),
    ],
)
def test_images_beyond_floats_are_refused_in_floats(scale: Scale, message: str) -> None:
    with pytest.raises(TransformError, match=re.escape(message)):
        rescale(load(LEFT, exact=False), scale)


def test_an_error_names_the_utility_without_a_logarithm() -> None:
    done = invoke("rescale", "-e", "max: [1, 0]", "--log")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(
        "-e: 0 has no logarithm: every utility (and estimate) must be above 0"
    )


def test_a_map_may_name_a_utility_of_one_of_several_trees() -> None:
    done = invoke("rescale", LEFT, RIGHT, "--map", "400=401,3=5", "--format", "json")
    assert done.exit_code == 0
    first, second = map(json.loads, done.stdout.splitlines())
    assert first["map"]["pairs"] == [[1, 1], [2, 2], [3, 5], [4, 4]]
    assert second["map"]["pairs"][-1] == [400, 401]
    assert invoke("rescale", LEFT, RIGHT, "--map", "401=400").exit_code == 2


def test_several_files_have_headings_and_results() -> None:
    done = invoke("rescale", LEFT, "-e", "chance: [1, 2, 4]", "--power", "2")
    assert done.exit_code == 0
    blocks = done.stdout.split("\n\n")
    assert blocks[0] == "-e"
    assert "No player decides at the root: 2.33333 before, 7 after." in done.stdout
    assert f"{LEFT}\nOrder is not enough (left)\n" in done.stdout
    assert "The decision stays a1: 2.1 before, 4.5 after." in done.stdout


def test_estimates_are_rescaled_where_depth_cuts_the_tree() -> None:
    text = "max: {a: {min: [1, 9], estimate: 4}, b: {min: [2, 3], estimate: 5}}"
    done = invoke("rescale", "-", "--map", "4=6", "--depth", "1", "--format", "json", stdin=text)
    found = json.loads(done.stdout)
    assert (found["before"]["best"], found["after"]["best"]) == ("b", "a")


def test_a_tie_that_appears_or_vanishes_is_a_change() -> None:
    appear = invoke("rescale", "-e", "max: {a: 1, b: 2}", "--map", "1=2").stdout
    assert "The decision changes: b (2) before, a and b (2) after." in appear
    assert (
        "class      neither positive affine nor order-preserving: 1 < 2, but they become" in appear
    )
    vanish = invoke("rescale", "-e", "max: {a: {chance: [1, 3]}, b: 2}", "--power", "2").stdout
    assert "The decision changes: a and b (2) before, a (5) after." in vanish
    stay = invoke("rescale", "-e", "max: {a: 1, b: 1}", "--power", "2").stdout
    assert "positive affine, 1 * u: no best action changes" in stay
    assert "The decision stays a and b: 1 before, 1 after." in stay


def test_text_keeps_to_its_width_and_to_ascii() -> None:
    lines = invoke(
        "rescale", LEFT, "--any", COLUMNS="40", PYTHONIOENCODING="ascii"
    ).stdout.splitlines()
    assert max(map(len, lines)) <= 40
    plain = et.to_text(rescale(et.load(LEFT), named(FIGURE)), unicode=False)
    assert plain.isascii()
    assert "4 -> 400" in plain
    odd = et.loads('max: {"a\\u001b[31m": 1, "b\\u2603": {chance: [1, 4]}}')
    shown = et.to_text(rescale(odd, power(Fraction(2))), unicode=False)
    assert "\x1b" not in shown
    assert shown.isascii()


def test_a_long_strategy_is_shortened() -> None:
    text = "max: [" + ", ".join(f"{{min: [{i}, {i + 1}]}}" for i in range(3)) + "]"
    chain = et.TreeBuilder()
    node: object = chain.terminal(5)
    for i in range(100):
        node = chain.max([node, chain.chance([node, -i])])
    report = rescale(chain.build(node), named({Fraction(5): Fraction(-1000)}))
    lines = et.to_text(report).splitlines()
    assert any(
        line.startswith("… ") and "more nodes" in line and "(--all shows them)" in line
        for line in lines
    )
    console = text_console()
    everything = "".join(to_strings(rescaling_text([report], console.options, True), console))
    assert everything.count("\n") > len(lines) + 50
    assert "more nodes" not in invoke("rescale", "-e", text, "--power", "2").stdout


def test_an_arrow_file_cannot_hold_fractions(tmp_path: Path) -> None:
    done = invoke("rescale", LEFT, "--affine", "1/3,0", "--exact", "-o", str(tmp_path / "t.arrow"))
    assert done.exit_code == 2
    assert "holds floats, and the rescaled tree has fractions" in done.stderr


# ---- Tables from files.


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "utility,image\n2,20\n3, 30\n\n4,4e2\n"),
        ("t.csv", "from,to\n2,20\n3,30\n4,800/2\n"),
        ("t", "\ufeff2,20\r\n3,30\r\n4,400\r\n"),
    ],
)
def test_a_csv_table_may_have_headings_and_fractions(tmp_path: Path, name: str, text: str) -> None:
    table = tmp_path / name
    table.write_bytes(text.encode())
    assert load_table(str(table)) == FIGURE
    assert "a2 (40.9) after." in invoke("rescale", LEFT, "--table", str(table)).stdout


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.csv", "u,v\n2,20\nx,30\n", ":3:1: 'x' is not a number"),
        (
            "t.csv",
            "2,20\n3,30,1\n",
            ":2:1: found '3, 30, 1', expected two numbers: a utility and its image",
        ),
        ("t.csv", "2,20\n2.0,30\n", ":2:1: the utility '2.0' occurs twice: keep one"),
        ("t.csv", "u,v\n", ":1:1: the table has no rows"),
        ("t.csv", "", ":1:1: the table has no rows"),
        ("t.csv", "2," + "3" * 200_000, ": this is not CSV: field larger than field limit"),
    ],
    ids=["a word", "three columns", "twice", "headings alone", "empty", "a long field"],
)
def test_errors_in_tables_name_the_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    table = tmp_path / name
    table.write_text(text, "utf-8")
    with pytest.raises(FileError) as failure:
        load_table(str(table))
    assert message in str(failure.value)


def test_a_table_must_name_one_utility_of_the_tree(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("2,20\n7,70\n8,80\n")
    assert (
        "2 of 3 entries of the map match no utility of the tree: 7, 8."
        in invoke("rescale", LEFT, "--table", str(table)).stdout
    )
    table.write_text("7,70\n")
    done = invoke("rescale", LEFT, "--table", str(table))
    assert done.exit_code == 2
    assert "no terminal is worth 7 (and no estimate is): utilities run from 1 to 4" in done.stderr
    missing = invoke("rescale", LEFT, "--table", str(tmp_path / "none.csv"))
    assert isinstance(missing.exception, FileError)


# ---- Scale.


@pytest.mark.slow
def test_ten_thousand_utilities_take_seconds() -> None:
    tree = et.generate("uniform", pattern="max,chance,min,chance", branching="10", real=True)
    start = process_time()
    report = rescale(tree, power(Fraction(2)))
    assert len(report.pairs) > 9_900
    assert find_order_preserving_map(tree).answer.answer == "yes"
    assert process_time() - start < 10


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["max", "chance"])
def test_a_chain_of_a_hundred_thousand_nodes_takes_seconds(kind: str) -> None:
    builder = et.TreeBuilder()
    node: object = builder.terminal(1)
    for i in range(50_000):
        children = [node, builder.terminal(i % 50)]
        node = builder.max(children) if kind == "max" else builder.chance(children, [0.9, 0.1])
    tree = builder.build(builder.max([node, builder.terminal(100)]))
    for exact_line in (affine(Fraction(2), Fraction(1)), power(Fraction(2))):
        report = rescale(tree, exact_line)
        assert len(et.to_text(report).splitlines()) < 60
    start = process_time()
    assert find_order_preserving_map(tree).answer.answer in ("no", "unknown")
    assert process_time() - start < 10


def test_a_map_that_merges_utilities_in_floats_is_refused() -> None:
    text = "max: {a: 9000, b: {chance: [{p: 99%, utility: 10000}, {p: 1%, utility: 9000}]}}"
    scale = exponential(Fraction("0.01"))
    message = (
        "9000 and 10000 both become 100 when they are rounded, though the map tells them apart"
    )
    with pytest.raises(TransformError, match=message):
        rescale(loads(text, exact=False), scale)
    assert rescale(et.loads(text), scale).after.ties == ("b",)
    text, scale = "max: [900, 2000, {chance: [2200, 2000]}]", exponential(Fraction("0.0175"))
    near = rescale(loads(text, exact=False), scale)
    assert near.remarks == ("2000 and 2200 become equal in floating point: use --exact.",)
    assert rescale(et.loads(text), scale).remarks == ()


def test_a_map_from_python_must_name_existing_utilities() -> None:
    tree = et.loads("max: [1, {chance: [2, 3]}]")
    assert et.rescale(tree, {2: 20}).after.value == 11.5  # type: ignore[union-attr]
    assert et.rescale(tree, lambda u: u * 2).before.value == 2.5
    with pytest.raises(et.TransformError, match="no terminal is worth 4"):
        et.rescale(tree, {4: 20})


@pytest.mark.parametrize("power", ["1e-10", "1e-400", "1/100000000000"])
def test_a_root_of_a_huge_degree_takes_no_time(power: str) -> None:
    done = invoke("rescale", "-e", "max: [{chance: [1, 3]}, 2]", "--power", power)
    assert done.exit_code in (0, 2)


def test_the_decision_is_the_best_action_in_fractions() -> None:
    done = invoke("rescale", "-e", "max: {a: 1, b: 3, c: {min: [1, 1e10]}}", "--any")
    text = " ".join(done.stdout.split())
    assert "changes the decision b: there is no chance node" in text


# ---- Rewards: the map applies to totals.

TEST = """
title: A test
max:
  sell: 750
  test:
    cost: 100
    chance:
      - {p: 0.6, label: plus, reward: -250, chance: [{p: 3/4, utility: 2500}, {p: 1/4, utility: 0}]}
      - {p: 0.4, label: minus, utility: 500}
"""


def total_definition(
    node: Node | ExactNode, paid: Number, image: Callable[[Number], Number]
) -> Number:
    """Return v* of the totals under a map, by recursion over paths."""
    node = ExactNode(node.tree, node.id)
    if node.utility is not None:
        return image(node.utility + paid)
    worth = [total_definition(b.child, paid + b.reward, image) for b in node.branches]
    if node.kind == Kind.CHANCE:
        return sum(b.probability * w for b, w in zip(node.branches, worth, strict=True))
    return (max if node.kind == Kind.MAX else min)(worth)


@pytest.mark.parametrize("seed", range(40))
def test_a_map_applies_to_totals(seed: int) -> None:
    case = Case(seed, pays=True)
    tree = unshare(replace(case.tree(), root_reward=Fraction(seed % 3)))

    def image(total: Number) -> Fraction:
        return Fraction(total) ** 3 + 2 * Fraction(total)

    report = rescale(tree, image, bounds=case.bounds, exact=True)
    assert report.before.value == search_tree(tree).value
    assert report.after is not None
    assert report.after.value == total_definition(tree.root, tree.root_reward, image)
    assert not report.after.tree.columns.pays
    is_plain = not tree.columns.pays and not tree.root_reward
    assert (rescaling.FOLDED in report.remarks) == (not is_plain)
    again = rescale(fold_rewards(tree), image, exact=True)
    assert (again.pairs, again.changes) == (report.pairs, report.changes)


def test_the_map_names_totals(tmp_path: Path) -> None:
    file = tmp_path / "test.yaml"
    file.write_text(TEST)
    done = invoke("rescale", str(file), "--map", "2150=3000,-350=-500,750=760,400=390")
    assert done.exit_code == 0
    text = " ".join(done.output.split())
    assert "-350 \u2192 -500, 400 \u2192 390, 750 \u2192 760, 2150 \u2192 3000" in text
    assert "/ MAX 1075 test 1431 test" in text
    assert rescaling.FOLDED in text


def test_any_applies_to_totals() -> None:
    for exact in (False, True):
        report = find_order_preserving_map(loads(TEST, exact=exact))
        assert report.answer is not None
        assert (report.answer.answer, report.answer.action) == ("yes", "test")
        assert report.remarks[0] == rescaling.FOLDED
        assert report.after is not None
        assert report.after.best == "sell"
        plain = find_order_preserving_map(fold_rewards(loads(TEST, exact=exact)))
        assert (plain.answer, plain.pairs) == (report.answer, report.pairs)
    sure = et.loads("max: {a: {reward: 5, chance: [0, 2]}, b: {cost: 1, chance: [5, 6]}}")
    found = find_order_preserving_map(sure).answer
    assert found is not None
    assert (found.answer, found.action) == ("no", "a")


def test_rescaling_a_node_that_is_reached_with_different_totals_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(
        "nodes: {s: {chance: [0, 4]}}\nmax: {near: {ref: s}, far: {cost: 1, ref: s}}"
    )
    for option in ("--affine=2,1", "--any"):
        done = invoke("rescale", str(tmp_path / "s.yaml"), option)
        assert done.exit_code == 2
        assert done.stderr.endswith(
            "the rewards on the paths to one node sum to 0 on near and to -1 on far, and a "
            "terminal has one utility: convert the tree with --unshare first, so that each path "
            "has its own copy\n"
        )


def test_the_rescaled_tree_has_no_rewards(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TEST)
    done = invoke("rescale", str(tmp_path / "t.yaml"), "--affine", "2,1", "-o", "-")
    assert done.exit_code == 0
    tree = et.loads(done.stdout)
    assert not tree.columns.pays
    assert search_tree(tree).value == 2 * 1075 + 1
