"""Reads the file of a study and reports everything that is wrong in it, with its place."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, product, starmap
from typing import IO, Any, TypeAlias

from expectitree.base.algorithms import ALGORITHMS, NAMES, OPTIONS, Algorithm, algorithm, name_of
from expectitree.base.errors import AnalysisError, ExpectitreeError
from expectitree.base.numbers import quote
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import Data, Place, Problems, TooManyProblemsError
from expectitree.files.grammar.words import described, unknown_key
from expectitree.lab.families import FAMILIES, parameters_of
from expectitree.lab.families.parameters import PARAMETERS, whole
from expectitree.lab.study.spec import (
    CHOICES,
    LIMIT,
    ONLY,
    SOURCES,
    Parameters,
    Published,
    Study,
    describe,
    games,
    is_game,
    nodes_of,
)
from expectitree.text.json_values import Fields

MAX_REPETITIONS = 1_000_000
MAX_KINDS = 10_000  # of tree
TREES = "a mapping with a family and its parameters, or a game and its depth"

# A study as a user gives it: a path, a stream, or a dict.
Spec: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes] | Fields
Reader: TypeAlias = Callable[[Data, Place], Any]  # returns what a value means, or raises an error


def load_study(source: Spec) -> Study:
    """Return the study described by a file or a dict.

    Raises `FileError` with everything wrong in it.
    """
    if isinstance(source, dict):
        text, name = _as_json(source), "<study>"
    elif isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        text, name = read_text(source)
    else:
        raise AnalysisError(
            f"found {type(source).__name__}, expected a path, or a dict such as a study's file "
            "describes"
        )
    document = parse(text, name)
    reader = _StudyReader(Problems(document), name)
    with suppress(TooManyProblemsError):
        study: Study = reader.attempt(reader.study, document.root, Place())
        if not reader.problems.found:
            return study
    raise reader.problems.failure()


def _as_json(data: Fields) -> str:
    """Return the text of a study that is a dict; a range is a list."""
    try:
        return json.dumps(data, default=list)
    except (ValueError, TypeError, RecursionError) as error:
        raise AnalysisError(
            f"found a dict that JSON cannot hold ({error}), expected text, numbers, lists and dicts"
        ) from None


class _StudyReader:
    """Reads one document; the error of a reader becomes a problem at the place of its value."""

    def __init__(self, problems: Problems, name: str) -> None:
        self.problems = problems
        self.name = name  # of the file
        self.folder = os.path.dirname(os.path.abspath(name))  # where other paths start

    def study(self, root: Data, place: Place) -> Study | None:
        readers: dict[str, Reader] = {
            "title": _text,
            "source": _text,
            "trees": self.trees,
            "algorithms": self.algorithms,
            "repetitions": _whole(1, MAX_REPETITIONS),
            "seed": _whole(0, 10**18 - 1),
            "published": partial(self.all_of, self.figures),
        }
        entries = self.mapping(root, "a mapping with trees and algorithms", readers)
        for key in ("trees", "algorithms"):
            if key not in entries:
                self.wrong(place, f"there is no key {key}: a study has trees and algorithms")
        if self.problems.found:
            return None
        study = Study(file=self.name, folder=self.folder, **entries)
        places = {key: Place(root, index) for index, (key, _) in enumerate(root)}
        for key, message in _contradictions(study):
            self.wrong(places[key], message)
        return study

    # ---- The trees: families or games, with lists of values that make a grid.

    def trees(self, value: Data, place: Place) -> tuple[Parameters, ...]:
        trees = self.all_of(self.grid, value, place)
        self.check_repeats((describe(dict(sorted(tree.items()))) for tree in trees), "trees are")
        return trees

    def grid(self, item: Data, place: Place) -> list[Parameters]:
        """Return every combination of the values of parameters: a list is several values."""
        _expect(isinstance(item, tuple), item, TREES)
        sources = (pair for pair in item if pair[0] in SOURCES)
        source, name = next(sources, ("", ""))
        if not source:
            raise AnalysisError(
                f"there is no key family\nchoose {', '.join(FAMILIES)}; or write a key game"
            )
        if source == "game":
            values = self.mapping(item, TREES, self.game_readers())
            _check_game_keys(values)
        else:
            values = self.mapping(item, TREES, self.family_readers(name))
        first = {source: values.pop(source)}
        if math.prod(map(len, values.values())) > MAX_KINDS:
            raise AnalysisError(
                f"these are more than {MAX_KINDS:,} kinds of tree\nlist fewer values"
            )
        if self.problems.found:
            return []
        trees: list[Parameters] = []
        for chosen in product(*values.values()):
            tree = first | dict(zip(values, chosen, strict=True))
            try:
                nodes_of(tree)
            except ExpectitreeError as error:
                raise AnalysisError(f"{describe(tree)}: {error.lines}") from None
            trees.append(tree)
        return trees

    def game_readers(self) -> dict[str, Reader]:
        """Return a reader for each key of trees of games."""
        number = whole(0, 10**18 - 1)
        digits = self.each(_value(lambda text: str(number.read(text)), number.expected))
        return {
            "game": _checked(lambda reference: games().check_game(reference, self.folder)),
            "depth": digits,
            "random-moves": digits,
            **{key: self.each(_one_of(values)) for key, values in CHOICES.items()},
            "seconds": self.each(_value(_read_seconds, "seconds above 0, such as 0.5")),
            "estimate": self.each(
                _checked(lambda reference: games().check_estimate(reference, self.folder))
            ),
            "seed": digits,
        }

    def family_readers(self, family: Data) -> dict[str, Reader]:
        """Return a reader for each key of trees of a family; of an unknown one, for all keys."""
        readers: dict[str, Reader] = {"family": _checked(parameters_of)}
        for name, parameter in PARAMETERS.items():
            if str(family) not in FAMILIES or name in parameters_of(str(family)):
                readers[name] = self.each(_checked(partial(parameter.value, name)))
        return readers

    # ---- The searches and published figures.

    def algorithms(self, value: Data, place: Place) -> tuple[Algorithm, ...]:
        chosen = self.all_of(self.variants, value, place)
        self.check_repeats((algorithm.full_name for algorithm in chosen), "algorithm is")
        return chosen

    def variants(self, item: Data, place: Place) -> list[Algorithm]:
        """Return the algorithm with a name, or all that a mapping from it to options describes."""
        if isinstance(item, str):
            return [_find_algorithm(item, {})]
        expected = "a name, or such as star2.5: {probes: [1, 2]}"
        _expect(isinstance(item, tuple) and len(item) == 1, item, expected)
        ((name, written),) = item
        readers = {key: self.each(_option(key)) for key in OPTIONS}
        chosen = self.mapping(written, expected, readers)
        keys = [key for key in reversed(OPTIONS) if key in chosen]
        return [
            _find_algorithm(name, dict(zip(keys, values, strict=True)))
            for values in product(*(chosen[key] for key in keys))
        ]

    def figures(self, item: Data, place: Place) -> list[Published]:
        """Return the figures of one entry of `published`: it may have one for each algorithm."""
        expected = "a mapping such as {branching: 4, star1: 84.1}"
        _expect(isinstance(item, tuple), item, expected)
        readers = dict.fromkeys((key for key, _ in item), _text)
        readers |= {key: _option(key) for key in OPTIONS} | dict.fromkeys(
            NAMES, _value(_read_figure, "a percentage, or such as 15/27")
        )
        where = self.mapping(item, expected, readers)
        figures = {name_of(name): where.pop(name) for name in NAMES if name in where}
        if not figures:
            raise AnalysisError(
                "there is no figure of an algorithm\nwrite such as star1: 84.1; "
                f"{', '.join(ALGORITHMS)}"
            )
        return [Published(where, name, figure) for name, figure in figures.items()]

    # ---- Lists and mappings.

    def wrong(self, place: Place, message: str) -> None:
        self.problems.add(place, "study", message)

    def attempt(self, read: Reader, value: Data, place: Place) -> Any:
        """Return what a value means; if it is wrong, note the problem and return None."""
        try:
            return read(value, place)
        except ExpectitreeError as error:
            return self.wrong(place, error.lines)

    def each(self, read: Reader) -> Reader:
        """Return a reader of a list, or of one value in place of a list; it returns a tuple."""

        def read_each(value: Data, place: Place) -> tuple[Any, ...]:
            if not isinstance(value, list):
                return (self.attempt(read, value, place),)
            if not value:
                key = place.container[place.at][0]
                self.wrong(place, f"found an empty list\nwrite at least one of {key}")
            return tuple(self.attempt(read, item, Place(value, i)) for i, item in enumerate(value))

        return read_each

    def all_of(self, read: Reader, value: Data, place: Place) -> tuple[Any, ...]:
        """Return what the items of a list mean, where each means several things."""
        return tuple(chain.from_iterable(items or () for items in self.each(read)(value, place)))

    def mapping(self, data: Data, expected: str, readers: Mapping[str, Reader]) -> Fields:
        """Return what the value of each key means; a key without a reader is a problem."""
        _expect(isinstance(data, tuple), data, expected)
        entries: Fields = {}
        for index, (key, value) in enumerate(data):
            if key not in readers:
                self.wrong(Place(data, index, True), unknown_key(str(key), tuple(readers)))
            elif key in entries:
                self.wrong(Place(data, index, True), f"duplicate key {quote(key)}\nkeep one")
            else:
                entries[key] = self.attempt(readers[key], value, Place(data, index))
        return entries

    def check_repeats(self, names: Iterable[str], what: str) -> None:
        for name, count in Counter(names).items():
            if count > 1 and not self.problems.found:
                raise AnalysisError(f"the same {what} listed twice: {name}\nkeep one")


# ---- Readers of single values.


def _expect(holds: bool, value: Data, expected: str) -> None:
    if not holds:
        raise AnalysisError(f"found {described(value)}\nwrite {expected}")


def _value(read: Callable[[str], Any], expected: str) -> Reader:
    """Return a reader of one value; `read` raises an error for a text that is not as expected."""

    def read_value(value: Data, place: Place) -> Any:
        with suppress(ValueError, ZeroDivisionError):
            if isinstance(value, bool):
                return read(str(value).lower())
            if isinstance(value, str):
                return read(value)
        return _expect(False, value, expected)

    return read_value


_text = _value(str, "text")


def _checked(check: Callable[[str], object]) -> Reader:
    """Return a reader of text for which `check` raises an error if it is wrong."""

    def read(value: Data, place: Place) -> str:
        text: str = _text(value, place)
        check(text)
        return text

    return read


def _whole(least: int, most: int) -> Reader:
    number = whole(least, most)
    return _value(number.read, number.expected)


def _one_of(values: Sequence[str]) -> Reader:
    return _value(
        lambda text: values[values.index(text)], f"{', '.join(values[:-1])} or {values[-1]}"
    )


def _read_seconds(text: str) -> str:
    if 0 < float(text) < math.inf:
        return text
    raise ValueError


def _option(key: str) -> Reader:
    """Return a reader of the values of an algorithm's option."""
    if OPTIONS[key].values:
        return _one_of(OPTIONS[key].values)
    return _whole(1, 10**9)


def _read_figure(text: str) -> str:
    """Return a published figure: a share in percent, or leaves of all such as 15/27."""
    leaves, slash, total = text.partition("/")
    most = float(total) if slash else 1e18
    if 0 <= float(leaves) / most <= 1 <= 1e18 / most:
        return text
    raise ValueError


def _find_algorithm(name: str, options: Fields) -> Algorithm:
    """Return the algorithm with a name and options; `limit` counts as one."""
    if name.lower() != LIMIT.name:
        return algorithm(name_of(name), **options)
    if options:
        raise AnalysisError("limit has no options\nwrite its name alone")
    return LIMIT


# ---- What does not fit together.


def _check_game_keys(values: Mapping[str, Any]) -> None:
    """Raise `AnalysisError` if keys of a game's trees are missing, or contradict each other."""
    searches = set(values.get("search") or ("whole",))
    for key, kind in ONLY.items():
        if key in values and searches != {kind}:
            raise AnalysisError(
                f"{key} is for search: {kind}: list the searches of other kinds apart"
            )
    if "depth" not in values and "seconds" not in values:
        raise AnalysisError("there is no key depth\nsay how many plies deep the trees are")


def _contradictions(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the key and the message of each search and figure that fits no tree."""
    whole = [chosen.name for chosen in study.algorithms if chosen.needs_whole_tree]
    limited = any(tree.get("deepen") == "true" or "seconds" in tree for tree in study.trees)
    if LIMIT in study.algorithms and any(map(is_game, study.trees)):
        found = "limit is for trees without shared nodes, and those of games share them"
        yield "algorithms", f"{found}\nremove it"
    elif whole and limited:
        yield "algorithms", f"{whole[0]} needs whole trees\nremove it, or deepen and seconds"
    for figure in study.published:
        if not any(starmap(figure.applies_to, product(study.trees, study.algorithms))):
            where = ", ".join(f"{name} {value}" for name, value in figure.where.items())
            what = f"{figure.algorithm} on trees with {where or 'any settings'}"
            found = f"the figure {figure.figure} is of {what}"
            yield "published", f"{found}, and no search of this study is\ncorrect one of the two"
