"""Results as rows of tables, and values of nodes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, load

import expectitree as et
from expectitree.base.errors import SearchError

FLAT = (str, int, float, bool, Fraction, type(None))


@pytest.fixture
def tree() -> et.Tree:
    return et.load("example:aima-5.12-left")


def results(tree: et.Tree) -> list[Any]:
    return [
        et.compare(tree),
        et.limit(tree),
        et.risk(tree),
        et.evaluate(tree, "star1"),
        et.trace(tree, "star1"),
        et.verify(tree),
        et.rescale(tree, "2*u"),
        et.inquire(tree),
    ]


@pytest.mark.parametrize("exact", [False, True])
def test_records_are_flat_and_all_alike(exact: bool) -> None:
    for name in ("aima-5.12-left", "zero-probability", "dice-round"):
        for result in results(load(f"example:{name}", exact=exact)):
            records = result.to_records()
            has_none = isinstance(result, (et.Rescaling, et.Inquiry)) and not result.actions
            assert len({tuple(record) for record in records}) == (not has_none)
            assert all(isinstance(value, FLAT) for record in records for value in record.values())


def test_records_of_a_comparison_have_no_empty_column_and_options_last(tree: et.Tree) -> None:
    plain, probing = et.compare(tree, "star1"), et.compare(tree, ["star1", "star2.5"], file="x")
    assert [*plain.to_records()[0]][:2] == ["algorithm", "value"]
    assert [*plain.to_records()[0]][-1] == "seconds"
    assert [*probing.to_records()[0]][-2:] == ["probes", "probe_order"]
    assert probing.to_records()[0]["file"] == "x"


@pytest.mark.parametrize(
    "source", ["trees/risk.yaml", "example:risk", Path("trees/risk.yaml"), {"max": [1, 54.5]}]
)
def test_evaluate_takes_a_path_or_a_dict(source: Any) -> None:
    assert et.evaluate(source, "star1", exact=True).value == Fraction(109, 2)


@pytest.mark.parametrize("source", [3, None, ["max"], ROOT])
def test_evaluate_refuses_anything_else(source: Any) -> None:
    words = r"this is a folder|load \(a file\), loads \(text\), from_dict \(a dict\)"
    with pytest.raises(et.ExpectitreeError, match=words):
        et.evaluate(source)


@pytest.mark.extra
def test_pandas_and_polars_take_records(tree: et.Tree) -> None:
    import pandas
    import polars

    for result in results(tree):
        records = result.to_records()
        assert polars.DataFrame(records).to_dicts() == records
        assert len(pandas.DataFrame(records)) == len(records)
    frame = pandas.DataFrame(et.compare(tree).to_records())
    assert frame.set_index("algorithm").leaves_visited["star1"] == 5


def test_limit_records_have_the_surplus(tree: et.Tree) -> None:
    found = et.limit(tree)
    for row, record in zip(found.rows, found.to_records(), strict=True):
        assert record["surplus"] == found.surplus(row)
        assert record["needed"] == found.exact.count


def test_a_stopped_search_has_no_value(tree: et.Tree) -> None:
    (record,) = et.evaluate(tree, "star1", max_visits=3).to_records()
    assert (record["value"], record["stopped"]) == (None, True)
    assert record["value_lower"] <= 2.1 <= record["value_upper"]


def test_the_value_of_a_node(tree: et.Tree) -> None:
    found = et.evaluate(tree, "star1")
    assert found.value_of() == found.value_of("/") == found.value_of(tree.root) == 2.1
    assert found.value_of("a1/#2") == 3
    assert et.evaluate(tree).value_of("a2") == 1.3
    exact = et.evaluate(tree, exact=True)
    assert exact.value_of() == exact.value_of("/") == exact.value_of(tree.root) == Fraction(21, 10)
    assert exact.value_of("a2") == Fraction(13, 10)


def test_a_value_that_is_not_proved_is_an_error(tree: et.Tree) -> None:
    found = et.evaluate(tree, "star1")
    known = "star1 proved only that the value of a2 lies in [1, 1.3]: evaluate the tree with exp"
    with pytest.raises(SearchError) as error:
        found.value_of("a2")
    assert str(error.value).startswith(known)
    with pytest.raises(SearchError, match=r"star1 did not visit a2/#1/#2; its value .* \[1, 4\]"):
        found.value_of("a2/#1/#2")
    with pytest.raises(et.TreeError, match="no node a9"):
        found.value_of("a9")
