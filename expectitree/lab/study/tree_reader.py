"""Reads the trees of a study: families or games, with lists of values that make a grid."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from expectitree.errors import AnalysisError, ExpectitreeError
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.problems import Problems
from expectitree.lab.families import FAMILIES, expected_nodes, parameters_of, read_parameters
from expectitree.lab.study.structure import (
    Reader,
    StructureReader,
    as_text,
    expect,
    one_of,
    whole,
)
from expectitree.lab.study.trees import ORDERS, SOURCES, Parameters, describe, games, is_lazy

MOST_KINDS = 10_000  # of tree
TREES = "a mapping with a family and its parameters, or a game and its depth"


class TreeReader(StructureReader):
    """Reads the key `trees`."""

    def __init__(self, problems: Problems, name: str) -> None:
        super().__init__(problems)
        self.name = name  # of the file
        self.folder = os.path.dirname(os.path.abspath(name))  # where other paths start

    def trees(self, value: Data, place: Place) -> tuple[Parameters, ...]:
        trees = self.all_of(self.grid, value, place)
        self.check_repeats((describe(dict(sorted(tree.items()))) for tree in trees), "trees are")
        return trees

    def grid(self, item: Data, place: Place) -> list[Parameters]:
        """Return every combination of the values of parameters: a list is several values."""
        expect(isinstance(item, tuple), item, TREES)
        index = next((i for i, (key, _) in enumerate(item) if key in SOURCES), None)
        if index is None:
            raise AnalysisError(
                f"there is no key family: choose {', '.join(FAMILIES)}; or write a key game"
            )
        return self.games(item) if item[index][0] == "game" else self.families(item, index)

    def games(self, item: Any) -> list[Parameters]:
        """Return the trees of games that an entry describes."""
        readers: dict[str, Reader] = {
            "game": self.each(self.game),
            "depth": self.each(_number),
            "random-moves": self.each(_number),
            "order": self.each(one_of(ORDERS)),
            "estimate": self.each(self.estimate),
            "lazy": self.each(_flag),
            "deepen": self.each(_flag),
            "seed": self.each(_number),
        }
        values = self.mapping(item, TREES, readers)
        if "depth" not in values:
            raise AnalysisError("there is no key depth: say how many plies deep the trees are")
        trees = self.combinations(values)
        for tree in trees:
            if is_lazy(tree) and tree.get("order", "given") != "given":
                message = "a lazy tree has the order that the game gives: leave out order"
                raise AnalysisError(f"{describe(tree)}: {message}, or lazy")
            if "deepen" in tree and not is_lazy(tree):
                message = "deepen is for lazy trees"
                raise AnalysisError(f"{describe(tree)}: {message}: write lazy: true")
        return trees

    def game(self, value: Data, place: Place) -> str:
        reference = as_text(value, place)
        games().check_game(reference, self.folder)
        return reference

    def estimate(self, value: Data, place: Place) -> str:
        reference = as_text(value, place)
        games().check_estimate(reference, self.folder)
        return reference

    def families(self, item: Any, index: int) -> list[Parameters]:
        """Return the trees of families that an entry describes."""
        families = self.each(_family)(item[index][1], Place(item, index))
        if not families or None in families:
            return []
        known = [set(parameters_of(family)) for family in families]
        readers: dict[str, Reader] = {"family": lambda value, place: families}
        for name in parameters_of(families[0]):
            if all(name in names for names in known):
                readers[name] = self.each(_parameter(name, families))
        values = self.mapping(item, TREES, readers)
        del values["family"]
        trees = self.combinations({"family": families, **values})
        for tree in trees:
            try:
                expected_nodes(**tree)
            except ExpectitreeError as error:
                raise AnalysisError(f"{describe(tree)}: {error}") from None
        return trees

    def combinations(self, values: Mapping[str, Sequence[str]]) -> list[Parameters]:
        """Return every combination of values; none if there are problems."""
        if math.prod(len(own or ()) for own in values.values()) > MOST_KINDS:
            raise AnalysisError(
                f"these are more than {MOST_KINDS:,} kinds of tree: list fewer values"
            )
        if self.problems.found:
            return []
        return [dict(zip(values, some, strict=True)) for some in product(*values.values())]


def _number(value: Data, place: Place) -> str:
    return str(whole(0, 10**18 - 1)(value, place))


def _flag(value: Data, place: Place) -> str:
    return str(one_of(("true", "false"))(as_text(value, place), place))


def _family(value: Data, place: Place) -> str:
    family = as_text(value, place)
    parameters_of(family)  # raises an error for an unknown family
    return family


def _parameter(name: str, families: Iterable[str]) -> Reader:
    """Return a reader of the values of a parameter; it returns them as text."""

    def read(value: Data, place: Place) -> str:
        written = as_text(value, place)
        for family in families:
            read_parameters(family, {name: written})
        return written

    return read
