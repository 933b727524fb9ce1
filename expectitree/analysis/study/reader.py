"""Reads the file of a study and reports everything that is wrong in it, with its place."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import Any

from expectitree.algorithms import ALGORITHMS, OPTIONS, Algorithm, algorithm
from expectitree.analysis.study.spec import (
    LIMIT,
    LIMIT_ACTION,
    Line,
    Parameters,
    Plot,
    Published,
    Run,
    Study,
    describe,
    tree_key,
)
from expectitree.errors import ExpectitreeError, TransformError
from expectitree.families import expected_nodes, generate, parameters_of
from expectitree.families.parameters import MOST_NODES, read_parameters
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.problems import Problems, TooManyProblemsError
from expectitree.files.grammar.words import described, unknown_key
from expectitree.numbers import quote
from expectitree.searches.setup import ENGINES

PLOT_KEYS = ("x", "y", "scale", "lines")
MOST_REPETITIONS = 1_000_000
MOST_KINDS = 10_000  # of tree
# The parameters of the smallest tree of a family, which shows whether a combination is possible.
_SMALL = {"plies": "1", "branching": "1-1", "steps": "1"}


def load_study(path: str | os.PathLike[str]) -> Study:
    """Return the study described by a file; raise `FileError` with everything wrong in it."""
    text, name = read_text(path)
    document = parse(text, name)
    reader = _StudyReader(Problems(document), name)
    study = None
    with suppress(TooManyProblemsError):
        study = reader.read(document.root)
    if study is None or reader.problems.found:
        raise reader.problems.failure()
    return study


class _StudyReader:
    """Reads one document, and collects the problems with their places."""

    def __init__(self, problems: Problems, name: str) -> None:
        self.problems, self.name = problems, name
        self.readers: dict[str, Callable[[Data, Place], Any]] = {
            "title": self.text,
            "source": self.text,
            "trees": self.trees,
            "algorithms": self.algorithms,
            "engines": self.engines,
            "repetitions": lambda value, place: self.whole(value, place, 1, MOST_REPETITIONS),
            "seed": lambda value, place: self.whole(value, place, 0, 10**18 - 1),
            "published": self.published,
            "plot": self.plot,
            "table": lambda value, place: self.one_of(value, place, ("long", "wide")),
        }

    def wrong(self, place: Place, message: str) -> None:
        self.problems.add(place, "study", message)

    def read(self, root: Data) -> Study | None:
        if not isinstance(root, tuple):
            message = f"found {described(root)}, expected a mapping with trees and algorithms"
            self.wrong(Place(), message)
            return None
        found: dict[str, Any] = {}
        places: dict[str, Place] = {}
        for key, value, place in self.pairs(root, tuple(self.readers)):
            found[key], places[key] = self.readers[key](value, place), place
        for key in ("trees", "algorithms"):
            if key not in found:
                self.wrong(Place(), f"there is no key {key}: a study has trees and algorithms")
        if self.problems.found:
            return None
        engines = found.pop("engines", ("auto",))
        runs = tuple(
            Run(chosen, engine) for chosen in found.pop("algorithms") for engine in engines
        )
        study = Study(file=self.name, runs=runs, **found)
        self.check_plot(study, places)
        self.check_published(study, places)
        return study

    def check_plot(self, study: Study, places: Mapping[str, Place]) -> None:
        x = study.plot.x
        if x and x not in OPTIONS and not any(x in tree for tree in study.trees):
            message = f"no trees here have the parameter {quote(x)} to plot over"
            self.wrong(places["plot"], message)

    def check_published(self, study: Study, places: Mapping[str, Place]) -> None:
        """Check that each figure applies to a search, and that no search has two figures."""
        searches = list(product(study.trees, study.runs))
        for figure in study.published:
            if not any(figure.applies_to(tree, run.algorithm) for tree, run in searches):
                where = ", ".join(f"{name} {value}" for name, value in figure.where.items())
                self.wrong(
                    places["published"],
                    f"the figure {figure.figure} of {figure.algorithm} is of no trees here ({where})",
                )
        for tree, run in searches:
            of = [f.figure for f in study.published if f.applies_to(tree, run.algorithm)]
            if len(of) > 1:
                search = f"{run.algorithm.full_name} and {describe(tree)}"
                message = f"{of[0]} and {of[1]} are both figures of {search}"
                self.wrong(places["published"], f"{message}: say which trees each is of")
                return

    # ---- The values of keys.

    def text(self, value: Data, place: Place) -> str:
        if not isinstance(value, str):
            self.wrong(place, f"found {described(value)}, expected text")
        return str(value)

    def trees(self, value: Data, place: Place) -> tuple[Parameters, ...]:
        trees: list[Parameters] = []
        for item, at in self.items(value, place):
            if isinstance(item, tuple):
                trees += self.grid(item, at)
            else:
                expected = "a mapping with a family and its parameters"
                self.wrong(at, f"found {described(item)}, expected {expected}")
        seen = set()
        for tree in trees:
            if tree_key(tree) in seen:
                self.wrong(place, f"the same trees are listed twice: {describe(tree)}")
            seen.add(tree_key(tree))
        return tuple(trees)

    def grid(self, item: Data, place: Place) -> list[Parameters]:
        """Return every combination of the values of parameters: a list is several values."""
        values, places = self.parameter_values(item)
        if "family" not in values:
            self.wrong(place, "there is no key family: choose ballard, uniform or lattice")
            return []
        found: list[Parameters] = []
        for family in values.pop("family"):
            try:
                known = parameters_of(family)
            except ExpectitreeError as error:
                self.wrong(places["family"], str(error))
                continue
            for name, texts in values.items():
                self.check_parameter(family, known, name, texts, places[name])
            if math.prod(map(len, values.values())) > MOST_KINDS:
                message = f"these are more than {MOST_KINDS:,} kinds of tree: list fewer values"
                self.wrong(place, message)
            elif not self.problems.found:
                found += self.combinations(family, values, place)
        return found

    def parameter_values(self, item: Data) -> tuple[dict[str, list[str]], dict[str, Place]]:
        """Return the values of each parameter as texts, and the place of each parameter."""
        values: dict[str, list[str]] = {}
        places: dict[str, Place] = {}
        for index, (key, value) in enumerate(item):
            places[key] = Place(item, index)
            written = value if isinstance(value, list) else [value]
            texts = [str(v).lower() if isinstance(v, bool) else v for v in written]
            if not texts or not all(isinstance(v, str) for v in texts):
                expected = "a value, or a list of some"
                self.wrong(places[key], f"found {described(value)}, expected {expected}")
            elif key in values:
                self.wrong(Place(item, index, True), f"duplicate key {quote(key)}: keep one")
            else:
                values[key] = texts
        return values, places

    def check_parameter(
        self, family: str, known: Any, name: str, texts: list[str], place: Place
    ) -> None:
        if name not in known:
            self.wrong(place._replace(of_key=True), unknown_key(name, ("family", *known)))
            return
        for text in texts:
            try:
                read_parameters(family, known, {name: text})
            except ExpectitreeError as error:
                self.wrong(place, str(error))

    def combinations(
        self, family: str, values: Mapping[str, list[str]], place: Place
    ) -> list[Parameters]:
        """Return every combination of parameters, each checked by generating a tiny tree."""
        found: list[Parameters] = []
        for combination in product(*values.values()):
            parameters = dict(zip(values, combination, strict=True))
            tried = {name: _SMALL.get(name, value) for name, value in parameters.items()}
            if family == "ballard" and "-" not in parameters.get("branching", "-"):
                tried["branching"] = "1"
            try:
                generate(family, **tried)
                if expected_nodes(family, parameters) > MOST_NODES:
                    message = f"more than {MOST_NODES:,} nodes: choose smaller parameters"
                    raise TransformError(message)
            except ExpectitreeError as error:
                self.wrong(place, f"{describe({'family': family, **parameters})}: {error}")
                return found
            found.append({"family": family, **parameters})
        return found

    def algorithms(self, value: Data, place: Place) -> tuple[Algorithm, ...]:
        chosen: list[Algorithm] = []
        for item, at in self.items(value, place):
            try:
                chosen += self.algorithms_of(item, at)
            except ExpectitreeError as error:
                self.wrong(at, str(error))
        if len(set(chosen)) < len(chosen) and not self.problems.found:
            self.wrong(place, "the same algorithm is listed twice: keep one")
        return tuple(chosen)

    def algorithms_of(self, item: Data, place: Place) -> list[Algorithm]:
        """Return the algorithm with a name, or all that a mapping from it to options describes."""
        if isinstance(item, str):
            return [_find_algorithm(str(item), {})]
        if not isinstance(item, tuple) or len(item) != 1 or not isinstance(item[0][1], tuple):
            expected = "a name, or such as star2.5: {probes: [1, 2]}"
            self.wrong(place, f"found {described(item)}, expected {expected}")
            return []
        ((name, written),) = item
        own = ("goal",) if str(name).lower() == LIMIT.name else tuple(OPTIONS)
        chosen = {
            key: [self.option(key, text, where) for text, where in self.items(value, at)]
            for key, value, at in self.pairs(written, own)
        }
        keys = [key for key in reversed(OPTIONS) if key in chosen]
        combinations = product(*(chosen[key] for key in keys))
        return [_find_algorithm(name, dict(zip(keys, some, strict=True))) for some in combinations]

    def option(self, key: str, text: Data, place: Place) -> int | str | None:
        """Return the value of an algorithm's option, None if it is not allowed."""
        option = OPTIONS[key]
        if not option.values:
            return self.whole(text, place, 1, 10**9)
        if isinstance(text, str) and text in option.values:
            return str(text)
        self.wrong(place, f"found {described(text)} as {key}, expected {option.expected}")
        return None

    def engines(self, value: Data, place: Place) -> tuple[str, ...]:
        engines: list[str] = []
        for item, at in self.items(value, place):
            if item not in ENGINES:
                self.wrong(at, f"found {described(item)}, expected one of {', '.join(ENGINES)}")
            elif item in engines:
                self.wrong(at, f"the engine {item} is listed twice: keep one")
            engines.append(str(item))
        return tuple(engines)

    def published(self, value: Data, place: Place) -> tuple[Published, ...]:
        found: list[Published] = []
        for item, at in self.items(value, place):
            if isinstance(item, tuple):
                found += self.figures(item, at)
            else:
                expected = "a mapping such as {branching: 4, star1: 84.1}"
                self.wrong(at, f"found {described(item)}, expected {expected}")
        return tuple(found)

    def figures(self, item: Data, place: Place) -> Iterator[Published]:
        """Yield the figures of one entry of `published`: it may have one for each algorithm."""
        fields = {str(key): value for key, value in item}
        if len(fields) < len(item):
            self.wrong(place, "a key is there twice: keep one")
        figures = {name: fields.pop(name) for name in list(fields) if name in ALGORITHMS}
        chosen = {k: self.option(k, fields.pop(k), place) for k in OPTIONS if k in fields}
        options = {key: value for key, value in chosen.items() if value is not None}
        where = {key: str(value) for key, value in fields.items()}
        for name, figure in figures.items():
            if isinstance(figure, str) and _is_figure(figure):
                yield Published(where, name, options, figure)
            else:
                expected = "per cent, or such as 15/27"
                self.wrong(place, f"found {described(figure)} as published, expected {expected}")
        if not figures:
            names = ", ".join(ALGORITHMS)
            message = "there is no figure of an algorithm: write such as star1: 84.1"
            self.wrong(place, f"{message}; {names}")

    def plot(self, value: Data, place: Place) -> Plot:
        if not isinstance(value, tuple):
            expected = f"a mapping with {', '.join(PLOT_KEYS)}"
            self.wrong(place, f"found {described(value)}, expected {expected}")
            return Plot("")
        found: dict[str, Any] = {"x": ""}
        for key, item, at in self.pairs(value, PLOT_KEYS):
            if key == "x":
                found["x"] = str(item)
            elif key == "y":
                found["y"] = self.one_of(item, at, ("share", "leaves"))
            elif key == "scale":
                found["log"] = self.one_of(item, at, ("log", "linear")) == "log"
            else:
                lines = self.items(item, at)
                found["lines"] = tuple(self.line(line, where) for line, where in lines)
        return Plot(**found)

    def line(self, data: Data, place: Place) -> Line:
        found = dict(data) if isinstance(data, tuple) else {}
        try:
            line = Line(str(found["label"]), float(found["factor"]), float(found["power"]))
            if not (math.isfinite(line.factor) and math.isfinite(line.power)):
                raise ValueError
            return line
        except (KeyError, TypeError, ValueError):
            self.wrong(place, f"found {described(data)}, expected label, factor and power")
            return Line("", 0, 0)

    # ---- What several keys share.

    def pairs(self, data: Data, known: tuple[str, ...]) -> Iterator[tuple[str, Data, Place]]:
        """Yield key, value and place of each pair whose key is known and new."""
        seen: set[str] = set()
        for index, (key, value) in enumerate(data):
            if key not in known:
                self.wrong(Place(data, index, True), unknown_key(str(key), known))
            elif key in seen:
                self.wrong(Place(data, index, True), f"duplicate key {quote(key)}: keep one")
            else:
                yield key, value, Place(data, index)
            seen.add(key)

    def items(self, value: Data, place: Place) -> list[tuple[Data, Place]]:
        """Return the items of a list, or the value itself if it is not a list."""
        if not isinstance(value, list):
            return [(value, place)]
        if not value:
            is_pair = isinstance(place.container, tuple)
            key = place.container[place.at][0] if is_pair else "these"
            self.wrong(place, f"found an empty list, expected at least one of {key}")
        return [(item, Place(value, index)) for index, item in enumerate(value)]

    def one_of(self, value: Data, place: Place, values: tuple[str, ...]) -> str:
        if value not in values:
            self.wrong(place, f"found {described(value)}, expected {' or '.join(values)}")
        return str(value)

    def whole(self, value: Data, place: Place, least: int, most: int) -> int:
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            found = int(value.lstrip("0")[:30] or "0")  # Python refuses to read thousands of digits
            if least <= found <= most:
                return found
        expected = f"a whole number from {least:,} to {most:,}"
        self.wrong(place, f"found {described(value)}, expected {expected}")
        return least


def _is_figure(text: str) -> bool:
    """Say whether a text is a share in per cent, or leaves of all such as 15/27."""
    leaves, slash, total = text.partition("/")
    try:
        return 0 <= float(leaves) <= 1e18 and (not slash or float(leaves) <= float(total) <= 1e18)
    except ValueError:
        return False


def _find_algorithm(name: str, options: Mapping[str, int | str | None]) -> Algorithm:
    """Return the algorithm with a name and options; `limit` counts as one."""
    if name.lower() == LIMIT.name:
        return LIMIT_ACTION if options.get("goal") == "action" else LIMIT
    return algorithm(name, **options)
