"""`adopt` checks columns from other sources, since compiled loops check no index."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import COMPILED, cases
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import definition
from random_trees import EVERY, build, random_rows

import expectitree as et
from expectitree.base import compiling
from expectitree.base.errors import TreeError
from expectitree.base.numbers import MAX_FLOAT
from expectitree.base.tree import adopt as module
from expectitree.base.tree.adopt import adopt, check_labels
from expectitree.base.tree.columns import Columns, Repeated

CODES = "BdIIdd"
NAN, INF = math.nan, math.inf


def number(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


def made(*given: list[Any]) -> Columns:
    return Columns.of(*(array(code, column) for code, column in zip(CODES, given, strict=False)))


def good(**changes: list[Any]) -> Columns:
    """Return the columns of chance(0, 10) and 4 below MAX, with changes."""
    columns = {
        "kind": [0, 0, 3, 0, 1],
        "utility": [0, 10, NAN, 4, NAN],
        "first": [0, 0, 0, 2, 2, 4],
        "child": [0, 1, 3, 2],
        "probability": [0.25, 0.75, 1, 1],
    }
    return made(*{**columns, **changes}.values())


@pytest.fixture(params=["interpreted", COMPILED])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run every loop in one engine, even on small trees."""
    monkeypatch.setattr(compiling, "pays", lambda rows: request.param == "compiled")
    return str(request.param)


def as_views(columns: Columns) -> Columns:
    """Return the columns as read-only memory, as a mapped file has them."""
    return Columns.of(
        *(memoryview(bytes(c)).cast(code) for c, code in zip(columns.stored, CODES, strict=True))
    )


def error_message(columns: Columns) -> str:
    with pytest.raises(TreeError) as found:
        adopt(columns)
    return str(found.value)


# ---- Columns that are a tree.


def test_columns_are_not_copied(engine: str) -> None:
    for columns in (good(), as_views(good())):
        tree = adopt(
            columns,
            title="t",
            source="s",
            notes={2: "n"},
            branch_notes={0: "b"},
            local_bounds={4: (0, 10)},
        )
        assert all(
            one is other
            for one, other in zip(tree.columns.stored[:-1], columns.stored, strict=False)
        )
        assert (tree.title, tree.source, tree.node(2).note, tree.branch_notes) == (
            "t",
            "s",
            "n",
            {0: "b"},
        )
        assert [branch.label for branch in tree.root.branches] == ["#1", "#2"]
        assert isinstance(tree.label, Repeated)
        assert et.evaluate(tree).value == 7.5


@pytest.mark.slow
@given(seed=st.integers(0, 2**32))
def test_columns_of_a_builder_are_adopted(seed: int) -> None:
    tree = build(random_rows(Random(seed), rewards=(0, seed % 2)), exact=False)
    with pytest.MonkeyPatch.context() as patch:
        for compiled in (False, True):
            patch.setattr(compiling, "pays", lambda rows, compiled=compiled: compiled)
            again = adopt(tree.columns, tree.label, local_bounds=tree.local_bounds)
            pairs = zip(again.columns.stored, tree.columns.stored, strict=True)
            assert all(one is other for one, other in pairs)
            assert list(vars(again)["heights"]) == list(tree.heights)
            assert list(vars(again)["_measures"][:6]) == list(tree._measures[:6])


# ---- Every fault is found and reported.


def test_each_fault_is_reported(engine: str) -> None:
    found = set()
    for written, message in cases("interfaces", "columns"):
        changes = [column.split() for column in written.split("; ")]
        columns = good(**{name: [*map(number, texts)] for name, *texts in changes})
        assert error_message(columns).startswith(message)
        assert error_message(as_views(columns)).startswith(message)
        heights = array("H", [0] * len(columns.kind))
        found.add(module.find_fault(columns, heights, False)[0])
    # The last fault, a node to which no branch leads, is one that `measure` finds.
    assert found == set(range(module.NO_FAULT, module.UNREACHED))


def test_columns_of_wrong_lengths_are_refused() -> None:
    whole = good(reward=[1, 2, 3, 4])
    for name in ("utility", "first", "probability", "reward"):
        column = getattr(whole, name)
        for wrong in (column[:-1], column + column[:1]):
            assert error_message(whole._replace(**{name: wrong})).startswith(
                f"the column {name} has {len(wrong)} rows, expected {len(column)}"
            )
    with pytest.raises(TreeError, match=r"column label has 1 rows, expected 4"):
        adopt(good(), ["a"])
    assert error_message(made([], [], [0], [], [])) == "there are no nodes: a tree has at least one"
    assert error_message(good()._replace(child=Repeated(0, 2**31))) == (
        "2,147,483,648 rows are more than a table can have: 2,147,483,647"
    )


def test_columns_of_wrong_types_are_refused() -> None:
    """A signed child of -1 is the last row to a loop: a cycle that no other check finds."""
    for name, code in (("kind", "b"), ("first", "i"), ("child", "q"), ("utility", "f")):
        column = [int(x) if x == x else 0 for x in getattr(good(), name)]
        with pytest.raises(TreeError, match=f"{name} holds numbers of type '{code}', expected"):
            adopt(good()._replace(**{name: array(code, column)}))


@pytest.mark.parametrize("miss", [9.9e-10, -1e-10, 1e-12, -3e-15])
def test_probabilities_that_nearly_sum_to_1_are_normalised(miss: float, engine: str) -> None:
    """The result has new columns; the arguments do not change."""
    columns = as_views(good(probability=[0.25, 0.75 + miss, 1, 1]))
    given = columns.probability.tolist()
    shares = list(adopt(columns).columns.probability)
    assert columns.probability.tolist() == given
    assert abs(math.fsum(shares[:2]) - 1) < 3e-16
    assert shares[0] == pytest.approx(0.25 / (1 + miss), rel=1e-15)
    assert shares[2:] == [1, 1]


def test_a_sum_that_misses_1_by_rounding_is_kept(engine: str) -> None:
    """Many rounded shares are summed accurately, so a wide node is not normalised."""
    for count in (3, 7, 10, 49, 1_000, 100_003):
        columns = made([0, 3], [1, NAN], [0, 0, count], [0] * count, [1 / count] * count)
        assert adopt(columns).columns.probability is columns.probability
        random = Random(count)
        weights = [random.randint(1, 10**6) for _ in range(count)]
        total = sum(weights)
        skewed = made([0, 3], [1, NAN], [0, 0, count], [0] * count, [w / total for w in weights])
        assert adopt(skewed).columns.probability is skewed.probability


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"local_bounds": {5: (0, 10)}}, "row 5"),
        ({"notes": {5: "x"}}, "row 5"),
        ({"branch_notes": {-1: "x"}}, "row -1"),
        ({"estimated": frozenset({5})}, "row 5"),
        ({"estimated": frozenset({2})}, "node 2: it is marked as an estimate, but is not"),
        ({"local_bounds": {4: (0, 9)}}, "node 1: the utility 10 lies outside the bounds"),
        ({"local_bounds": {2: (1, 10)}}, "node 0: the utility 0 lies outside the bounds"),
        ({"local_bounds": {4: (10, 0)}}, "bounds"),
    ],
)
def test_notes_and_bounds_must_name_existing_rows(
    about: dict[str, Any], message: str, engine: str
) -> None:
    with pytest.raises(TreeError, match=message):
        adopt(good(), **about)


# ---- Rewards.


# ---- Comparison with the definition on columns changed at random.


def faults(columns: Columns) -> Iterator[str]:
    """Yield every reason why columns are not a tree, by the definition."""
    kind, utility, first, child, probability, reward = map(list, columns.stored)
    if first[0] != 0 or first[-1] != len(child) or first != sorted(first):
        yield "first"
        return
    for n in range(len(kind)):
        own = range(first[n], first[n + 1])
        shares = [probability[b] for b in own]
        if kind[n] not in (0, 1, 2, 3):
            yield "kind"
        if (kind[n] == 0) != (len(own) == 0):
            yield "children"
        if any(child[b] >= n for b in own):
            yield "child"
        if not abs(utility[n]) <= MAX_FLOAT and (kind[n] == 0 or utility[n] == utility[n]):
            yield "utility"
        if kind[n] in (1, 2) and any(p != 1 for p in shares):
            yield "certain"
        if kind[n] == 3 and (
            not all(0 <= p <= 1 for p in shares) or abs(math.fsum(shares) - 1) > 1e-9
        ):
            yield "probability"
    if set(range(len(kind) - 1)) - set(child):
        yield "reached"
    if not all(abs(r) <= MAX_FLOAT for r in reward):
        yield "reward"


CHANGES: dict[str, tuple[Any, ...]] = {
    "kind": (0, 1, 2, 3, 4, 7, 255),
    "utility": (NAN, INF, -INF, 0.0, 1e300, 2e301, -0.0),
    "first": (0, 1, 2, 3, 5, 2**31, 2**32 - 1),
    "child": (0, 1, 2, 3, 5, 2**31, 2**32 - 1),
    "probability": (0.0, 1.0, 0.5, NAN, -0.0, -1e-300, 1.0000000001, 1e-12, INF),
    "reward": (NAN, INF, -INF, 0.0, 100.0, -2e301),
}


def changed(seed: int) -> Columns:
    """Return the columns of a random tree, usually with a fault."""
    random = Random(seed)
    rewards = random.choice(((0,), (0, 1, -2)))
    columns = build(random_rows(random, rewards=rewards), exact=False).columns
    columns = Columns.of(*(array(c.typecode, c) for c in columns.stored))
    for _ in range(random.choice((0, 1, 1, 2))):
        name = random.choice((*Columns._fields[:5], "reward"))
        column = getattr(columns, name)
        if not len(column):
            continue
        at = random.randrange(len(column))
        near = {"child": at, "first": at}.get(name)
        value = random.choice(CHANGES[name])
        if near is not None and random.random() < 0.7:
            value = min(max(column[at] + random.choice((-1, 1, 2)), 0), 2**32 - 1)
        column[at] = value
        if (
            name == "probability" and random.random() < 0.5
        ):  # and its neighbour, so that the sum may still be 1
            column[at - 1] = random.choice((0.0, 0.5, 1.0))
    return columns


@pytest.mark.extra
@settings(max_examples=150)
@given(seed=st.integers(0, 2**40))
def test_adopt_accepts_exactly_the_valid_columns(seed: int) -> None:
    """Both engines report the same fault, and searches stay within the columns."""
    columns = changed(seed)
    results: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        for compiled in (False, True):
            patch.setattr(compiling, "pays", lambda rows, compiled=compiled: compiled)
            try:
                results.append(list(adopt(as_views(columns)).columns.probability))
            except TreeError as error:
                results.append(str(error))
    assert results[0] == results[1]
    assert isinstance(results[0], str) == any(faults(columns)), results[0]
    if isinstance(results[0], str):
        return
    tree = adopt(columns)
    value = definition(tree.root)
    for chosen in EVERY[:4]:
        for engine in ("interpreted", "compiled"):
            found = et.evaluate(tree, chosen, engine=engine)
            assert found.value == pytest.approx(value, rel=1e-8, abs=1e-8 * tree.greatest_magnitude)
    assert sorted(tree.first_paths.order) == list(range(len(tree)))


@pytest.mark.slow
@pytest.mark.long
def test_adopt_accepts_exactly_the_valid_columns_of_many_seeds() -> None:
    for seed in range(500):
        test_adopt_accepts_exactly_the_valid_columns.hypothesis.inner_test(seed)


# ---- Labels.


def test_check_labels_reports_each_wrong_label() -> None:
    cases: list[tuple[list[str | None], list[str]]] = [
        (["a", "b", "a", "b"], []),  # siblings differ; others may not
        (["#1", None, None, "#2"], []),
        (["#x", "#", "#-1", "#1.0"], []),  # text like any other
        ([None, None, "#2", None], ["node 4: the label #2 is at place 1"]),
        ([None, "#1", None, None], ["node 2: the label #1 is at place 2"]),
        (["#01", None, None, None], ["node 2: the label #01 is at place 1"]),
        (["\n", "\n", None, ""], ["node 2: duplicate label '\\n'", "node 4: the label is empty"]),
    ]
    for label, wrong in cases:
        found = list(check_labels(good(), label))
        for text, start in zip(found, wrong, strict=True):
            assert text.startswith(start)


def test_only_the_builder_and_adopt_make_trees_of_columns() -> None:
    """Compiled loops check no index, so all columns come from one of the two."""
    package = Path(module.__file__).parent.parent
    makers = {
        path.name
        for path in package.rglob("*.py")
        if re.search(r"(?<!class )\bTree\(", path.read_text("utf-8"))
    }
    assert makers == {"builder.py", "adopt.py"}
    tree = adopt(good())
    assert tree.changed(title="x").columns is tree.columns
