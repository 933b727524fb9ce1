"""Reads the file of a study and reports everything that is wrong in it, with its place."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import IO, Any

from expectitree.algorithms import ALGORITHMS, OPTIONS, Algorithm, algorithm
from expectitree.errors import AnalysisError
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.problems import Problems, TooManyProblemsError
from expectitree.files.grammar.words import described
from expectitree.lab.study.spec import (
    LIMIT,
    LIMIT_ACTION,
    Line,
    Plot,
    Published,
    Run,
    Study,
)
from expectitree.lab.study.structure import Reader, as_text, expect, one_of, whole
from expectitree.lab.study.tree_reader import TreeReader
from expectitree.lab.study.trees import describe, is_lazy
from expectitree.numbers import quote
from expectitree.searches.setup import ENGINES

MOST_REPETITIONS = 1_000_000


def load_study(source: str | os.PathLike[str] | IO[str] | IO[bytes] | dict[str, Any]) -> Study:
    """Return the study described by a file or a dict.

    Raises `FileError` with everything wrong in it.
    """
    if isinstance(source, dict):
        text, name = _as_json(source), "<study>"
    elif isinstance(source, (str, os.PathLike)) or hasattr(source, "read"):
        text, name = read_text(source)
    else:
        expected = "a path, or a dict such as a study's file describes"
        raise AnalysisError(f"found {type(source).__name__}, expected {expected}")
    document = parse(text, name)
    reader = _StudyReader(Problems(document), name)
    with suppress(TooManyProblemsError):
        study: Study = reader.attempt(reader.study, document.root, Place())
        if not reader.problems.found:
            return study
    raise reader.problems.failure()


def _as_json(data: dict[str, Any]) -> str:
    """Return the text of a study that is a dict; a range is a list."""
    try:
        return json.dumps(data, default=list)
    except (ValueError, TypeError, RecursionError) as error:
        found = f"found a dict that JSON cannot hold ({error})"
        raise AnalysisError(f"{found}, expected text, numbers, lists and dicts") from None


class _StudyReader(TreeReader):
    """Reads the keys of a study."""

    def study(self, root: Data, place: Place) -> Study | None:
        readers: dict[str, Reader] = {
            "title": as_text,
            "source": as_text,
            "trees": self.trees,
            "algorithms": self.algorithms,
            "engines": self.engines,
            "repetitions": whole(1, MOST_REPETITIONS),
            "seed": whole(0, 10**18 - 1),
            "published": lambda value, place: self.all_of(self.figures, value, place),
            "plot": self.plot,
            "table": one_of(("long", "wide")),
        }
        found = self.mapping(root, "a mapping with trees and algorithms", readers)
        for key in ("trees", "algorithms"):
            if key not in found:
                self.wrong(place, f"there is no key {key}: a study has trees and algorithms")
        if self.problems.found:
            return None
        runs = product(found.pop("algorithms"), found.pop("engines", ("auto",)))
        study = Study(
            file=self.name, folder=self.folder, runs=tuple(Run(*run) for run in runs), **found
        )
        places = {key: Place(root, index) for index, (key, _) in enumerate(root)}
        for key, message in _impossible_runs(study):
            self.wrong(places[key], message)
        x = study.plot.x
        if x and x not in OPTIONS and not any(x in tree for tree in study.trees):
            message = f"no tree of this study has the parameter {quote(x)} to plot over"
            self.wrong(places["plot"], message)
        for message in _wrong_figures(study):
            self.wrong(places["published"], message)
        return study

    def algorithms(self, value: Data, place: Place) -> tuple[Algorithm, ...]:
        chosen = self.all_of(self.variants, value, place)
        self.check_repeats((algorithm.full_name for algorithm in chosen), "algorithm is")
        return chosen

    def variants(self, item: Data, place: Place) -> list[Algorithm]:
        """Return the algorithm with a name, or all that a mapping from it to options describes."""
        if isinstance(item, str):
            return [_find_algorithm(item, {})]
        expected = "a name, or such as star2.5: {probes: [1, 2]}"
        expect(isinstance(item, tuple) and len(item) == 1, item, expected)
        ((name, written),) = item
        own = ("goal",) if name.lower() == LIMIT.name else tuple(OPTIONS)
        chosen = self.mapping(written, expected, {key: self.each(_option(key)) for key in own})
        keys = [key for key in reversed(own) if key in chosen]
        combinations = product(*(chosen[key] for key in keys))
        return [_find_algorithm(name, dict(zip(keys, some, strict=True))) for some in combinations]

    def engines(self, value: Data, place: Place) -> tuple[str, ...]:
        engines: tuple[str, ...] = self.each(one_of(ENGINES))(value, place)
        self.check_repeats(engines, "engine is")
        return engines

    def figures(self, item: Data, place: Place) -> list[Published]:
        """Return the figures of one entry of `published`: it may have one for each algorithm."""
        expected = "a mapping such as {branching: 4, star1: 84.1}"
        expect(isinstance(item, tuple), item, expected)
        readers = dict.fromkeys((key for key, _ in item), as_text)
        readers |= {key: _option(key) for key in OPTIONS} | dict.fromkeys(ALGORITHMS, _figure)
        where = self.mapping(item, expected, readers)
        figures = {name: where.pop(name) for name in ALGORITHMS if name in where}
        options = {key: where.pop(key) for key in OPTIONS if key in where}
        if not figures:
            message = "there is no figure of an algorithm: write such as star1: 84.1"
            raise AnalysisError(f"{message}; {', '.join(ALGORITHMS)}")
        return [Published(where, name, options, figure) for name, figure in figures.items()]

    def plot(self, value: Data, place: Place) -> Plot:
        readers: dict[str, Reader] = {
            "x": as_text,
            "y": one_of(("share", "leaves")),
            "scale": one_of(("log", "linear")),
            "lines": self.each(_line),
        }
        found = self.mapping(value, f"a mapping with {', '.join(readers)}", readers)
        return Plot(log=found.pop("scale", "linear") == "log", **found)


# ---- Readers of single values.


def _option(key: str) -> Reader:
    """Return a reader of the values of an algorithm's option."""
    return one_of(OPTIONS[key].values) if OPTIONS[key].values else whole(1, 10**9)


def _figure(value: Data, place: Place) -> str:
    """Return a published figure: a share in per cent, or leaves of all such as 15/27."""
    with suppress(ValueError):
        leaves, slash, total = str(value).partition("/")
        most = float(total) if slash else 1e18
        if 0 <= float(leaves) <= most <= 1e18 and most > 0:
            return str(value)
    raise AnalysisError(f"found {described(value)}, expected per cent, or such as 15/27")


def _line(data: Data, place: Place) -> Line:
    with suppress(KeyError, TypeError, ValueError):
        found = dict(data)
        line = Line(str(found["label"]), float(found["factor"]), float(found["power"]))
        if math.isfinite(line.factor) and math.isfinite(line.power):
            return line
    raise AnalysisError(f"found {described(data)}, expected label, factor and power")


def _find_algorithm(name: str, options: Mapping[str, int | str | None]) -> Algorithm:
    """Return the algorithm with a name and options; `limit` counts as one."""
    if name.lower() == LIMIT.name:
        return LIMIT_ACTION if options.get("goal") == "action" else LIMIT
    return algorithm(name, **options)


def _impossible_runs(study: Study) -> Iterator[tuple[str, str]]:
    """Yield the key and the message of each kind of run that lazy trees cannot have."""
    if not any(map(is_lazy, study.trees)):
        return
    for run in study.runs:
        if run.algorithm in (LIMIT, LIMIT_ACTION) or not run.algorithm.player_cuts:
            name = run.algorithm.full_name
            yield "algorithms", f"{name} needs the whole tree: remove it, or the key lazy"
        if run.engine == "compiled":
            yield "engines", "a lazy search runs interpreted: leave out compiled, or the key lazy"
            return


def _wrong_figures(study: Study) -> Iterator[str]:
    """Yield a message for each figure of no search, and for the first search with two figures."""
    searches = list(product(study.trees, study.runs))
    for figure in study.published:
        if not any(figure.applies_to(tree, run.algorithm) for tree, run in searches):
            where = ", ".join(f"{name} {value}" for name, value in figure.where.items())
            found = f"the figure {figure.figure} of {figure.algorithm}"
            yield f"{found} applies to no tree of this study ({where})"
    for tree, run in searches:
        of = [f.figure for f in study.published if f.applies_to(tree, run.algorithm)]
        if len(of) > 1:
            search = f"{run.algorithm.full_name} and {describe(tree)}"
            yield f"{of[0]} and {of[1]} are both figures for {search}: name the trees of each"
            return
