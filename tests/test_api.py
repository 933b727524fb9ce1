"""`help(expectitree)` is a reference: docstrings have examples, arguments and errors."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable, Iterator
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import Any

import pytest
from helpers import GAMES, ROOT, for_each

import expectitree as et

PUBLIC = {name: getattr(et, name) for name in et.__all__ if callable(getattr(et, name))}
# Verbs with which the docstrings of functions and methods start.
VERBS = {
    *("Add", "Ask", "Check", "Compare", "Evaluate", "Explain", "Forget", "Give", "Return"),
    *("Search", "Skip", "Stop", "Write", "Yield"),
}


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that a class defines itself."""
    for name, member in vars(cls).items():
        is_method = inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod))
        if not name.startswith("_") and (
            is_method or isinstance(member, (property, cached_property))
        ):
            yield name, member


MEMBERS = {
    f"{name}.{member}": value
    for name, cls in PUBLIC.items()
    if inspect.isclass(cls)
    for member, value in members(cls)
}


@for_each("name", PUBLIC)
def test_every_public_function_and_class_has_an_example(name: str) -> None:
    assert ">>> " in inspect.cleandoc(PUBLIC[name].__doc__ or "")


@for_each("name", [*PUBLIC, *MEMBERS])
def test_the_first_sentence_fits_in_a_line(name: str) -> None:
    documented = {**PUBLIC, **MEMBERS}[name]
    first, _, rest = inspect.cleandoc(documented.__doc__ or "").partition("\n")
    assert first.endswith("."), "the first line is a sentence"
    assert rest.startswith("\n") or not rest
    if not isinstance(documented, (type, property, cached_property)):
        assert first.split()[0] in VERBS


@pytest.mark.parametrize("name", [n for n, f in PUBLIC.items() if inspect.isfunction(f)])
def test_every_argument_of_a_function_is_described(name: str) -> None:
    text = inspect.cleandoc(PUBLIC[name].__doc__ or "")
    _, found, described = text.partition("\nArgs:\n")
    assert found
    arguments = re.findall(r"^    (\w+): ", described.partition("\n\n")[0], re.MULTILINE)
    assert arguments == [*inspect.signature(PUBLIC[name]).parameters]


@pytest.mark.parametrize("name", [n for n, c in PUBLIC.items() if dataclasses.is_dataclass(c)])
def test_every_attribute_of_a_class_is_described(name: str) -> None:
    text = inspect.cleandoc(PUBLIC[name].__doc__ or "")
    _, found, described = text.partition("\nAttributes:\n")
    assert found
    attributes = re.findall(r"^    (\w+): ", described.partition("\n\n")[0], re.MULTILINE)
    described_elsewhere = {  # with the public classes from which this one derives
        attribute
        for base in PUBLIC[name].__mro__[1:]
        if base in PUBLIC.values()
        for attribute in base.__annotations__
        if attribute not in PUBLIC[name].__annotations__
    }
    fields = [field.name for field in dataclasses.fields(PUBLIC[name])]
    names = [field for field in fields if field not in described_elsewhere]
    assert attributes == [name for name in names if not name.startswith("_")]


@pytest.mark.parametrize("name", [n for n, c in PUBLIC.items() if isinstance(c, type(Enum))])
def test_every_member_of_an_enum_is_described(name: str) -> None:
    assert all(f"`{member}`" in PUBLIC[name].__doc__ for member in PUBLIC[name].__members__)


def test_the_reference_has_every_public_name() -> None:
    pages = (ROOT / "docs" / "reference" / "python").glob("*.md")
    page = "".join(path.read_text("utf-8") for path in pages)
    described = re.findall(r"^\.\. (?:auto\w+|py:\w+):: (\w+)", page, re.MULTILINE)
    assert sorted(described) == sorted(et.__all__)


def test_completion_offers_public_names_only() -> None:
    assert dir(et) == sorted(et.__all__)


def test_a_node_by_its_path() -> None:
    tree = et.load("example:rockefeller")
    assert tree.node("sell") == tree.find("sell")
    with pytest.raises(et.TreeError, match="no node buy"):
        tree.node("buy")


def test_data_in_place_of_a_tree_or_a_file() -> None:
    data: Any = {"max": [1, 2]}
    for make in (et.load, et.loads, et.Tree):
        with pytest.raises(et.TreeError, match=r"^found .*from_dict`? reads nested data"):
            make(data)
    with pytest.raises(et.TreeError, match=r"^found int '3', expected a path or a stream$"):
        et.load(3)  # type: ignore[arg-type]
    with pytest.raises(et.TreeError, match="found text 'max: 1', expected a dict: loads reads"):
        et.from_dict("max: 1")  # type: ignore[arg-type]


UNCERTAIN = """
parameters: {x: {value: 1/2, range: [0, 1]}}
max: {a: {chance: {win: {p: x, utility: 8}, lose: {p: rest, utility: 0}}}, b: {min: [3, 5]}}
"""
MADE: dict[str, Callable[[et.Tree], Any]] = {
    "evaluate": et.evaluate,
    "compare": et.compare,
    "trace": et.trace,
    "limit": et.limit,
    "risk": et.risk,
    "sensitivity": lambda tree: et.sensitivity(tree, "x"),
    "tornado": et.tornado,
    "map of pairs": lambda tree: et.rescale(tree, {8: 9}),
    "map of text": lambda tree: et.rescale(tree, "8=9, 3=4"),
    "exact formula": lambda tree: et.rescale(tree, "u^2 + u"),
    "rounded formula": lambda tree: et.rescale(tree, "exp(u)"),
    "search": lambda tree: et.search("game:pig(target=5)", depth=3),
    "solve": lambda tree: et.solve("game:pig(target=5)"),
    "compiled": lambda tree: et.evaluate(tree, "star1", engine="compiled"),
    "solve exactly": lambda tree: et.solve("game:pig(target=3)", exact=True),
    "another game": lambda tree: et.solve(GAMES["gridworld"]),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.extra] * (n == "compiled")) for n in MADE]
)
def test_a_report_is_the_same_after_pickle(name: str) -> None:
    report = MADE[name](et.loads(UNCERTAIN))
    again = pickle.loads(pickle.dumps(report))
    assert (type(again), str(again)) == (type(report), str(report))
    assert et.to_json(again) == et.to_json(report)
    if isinstance(report, et.Rescaling):
        assert again.scale.image(Fraction(3)) == report.scale.image(Fraction(3))
    if isinstance(report, et.Solution):
        states = [*report.solver.states.objects()]
        numbers = [*map(again.solver.states.number_of, states)]
        assert numbers == [*range(len(states))]
