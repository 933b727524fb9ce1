"""What a study is, and how its file is read: trees, algorithms, engines, repetitions, and what was published."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import Any

from expectitree.algorithms import ALGORITHMS, OPTIONS, Algorithm, algorithm
from expectitree.errors import ExpectitreeError, TransformError
from expectitree.families import expected_nodes, generate, is_random, parameters_of
from expectitree.families.parameters import MOST_NODES, read_parameters
from expectitree.files import parse, read_text
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.problems import Problems, TooManyProblemsError
from expectitree.files.grammar.words import described, unknown_key
from expectitree.numbers import quote
from expectitree.searches.engine import ENGINES

KEYS = (
    "title",
    "source",
    "trees",
    "algorithms",
    "engines",
    "repetitions",
    "seed",
    "published",
    "plot",
    "table",
)
TABLES = ("long", "wide")
PLOT_KEYS = ("x", "y", "scale", "lines")
LINE_KEYS = ("label", "factor", "power")
MOST_REPETITIONS = 1_000_000
MOST_KINDS = 10_000  # of tree

# No search, but what stands beside searches: the fewest leaves that are enough, as `expectitree
# limit` counts them.
LIMIT = Algorithm("limit", "The fewest leaves that are enough.")
LIMIT_ACTION = Algorithm(
    "limit (action)", "The fewest leaves that are enough for the best action.", goal="action"
)

Parameters = Mapping[str, str]  # of a family, as they were written; `family` itself among them


@dataclass(frozen=True, slots=True)
class Run:
    """One search that is made of every tree."""

    algorithm: Algorithm
    engine: str = "auto"

    @property
    def name(self) -> str:
        """What tells this run from others."""
        return self.algorithm.full_name + (f", {self.engine}" if self.engine != "auto" else "")


@dataclass(frozen=True, slots=True)
class Published:
    """One figure that was published: of these trees and this search."""

    where: Parameters
    algorithm: str
    choices: Mapping[str, int | str]  # those that the figure is of, where not of all
    figure: str  # a share in per cent such as 84.1, or leaves of all such as 15/27

    def is_of(self, tree: Parameters, chosen: Algorithm) -> bool:
        """Say whether the figure is of a search of these trees."""
        return (
            self.algorithm == chosen.name
            and self.choices.items() <= chosen.options.items()
            and all(tree.get(name) == value for name, value in self.where.items())
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A line to draw beside what was measured: factor * x^power."""

    label: str
    factor: float
    power: float


@dataclass(frozen=True, slots=True)
class Plot:
    """How a study is drawn."""

    x: str  # a parameter, `probes`, or empty: the first parameter that varies
    y: str = "share"  # of the leaves, in per cent; or `leaves`
    log: bool = False
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """An experiment."""

    file: str
    trees: tuple[Parameters, ...]
    runs: tuple[Run, ...]
    repetitions: int = 1
    seed: int = 0
    title: str | None = None
    source: str | None = None
    published: tuple[Published, ...] = ()
    plot: Plot = Plot("")
    table: str = "long"  # a row a kind of tree and search; or wide, with a column for each search

    def seeds(self, tree: Parameters) -> list[int]:
        """Return the seeds of all trees of these parameters: a single one where the seed makes no difference.

        Each follows from the study's seed, the parameters and the repetition, by SHA-256, so that
        no two are related.
        """
        if "seed" in tree:
            return [int(tree["seed"])]
        if not is_random(tree["family"], tree):
            return [0]
        texts = (
            f"{self.seed} {tree_key(tree)} {repetition}" for repetition in range(self.repetitions)
        )
        return [
            int.from_bytes(sha256(text.encode()).digest()[:8], "big") % 10**18 for text in texts
        ]


def tree_key(tree: Parameters) -> str:
    """Return the parameters of trees as one text."""
    return json.dumps(dict(tree), sort_keys=True, ensure_ascii=False)


def load_study(path: str | os.PathLike[str]) -> Study:
    """Return the study of a file; raise `FileError` with everything that is wrong in it."""
    text, name = read_text(path)
    document = parse(text, name)
    reader = _Reader(Problems(document), name)
    study = None
    with suppress(TooManyProblemsError):
        study = reader.read(document.root)
    if study is None or reader.problems.found:
        raise reader.problems.failure()
    return study


class _Reader:
    """Reads one document; whatever is wrong is noted with its place."""

    def __init__(self, problems: Problems, name: str) -> None:
        self.problems, self.name = problems, name

    def wrong(self, place: Place, message: str) -> None:
        self.problems.add(place, "study", message)

    def read(self, root: Data) -> Study | None:
        if not isinstance(root, tuple):
            self.wrong(
                Place(), f"found {described(root)}, expected a mapping with trees and algorithms"
            )
            return None
        found: dict[str, Any] = {}
        for key, value, place in self.pairs(root, KEYS):
            found[key] = getattr(self, f"read_{key}")(value, place)
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
        if (
            study.plot.x
            and study.plot.x not in OPTIONS
            and not any(study.plot.x in tree for tree in study.trees)
        ):
            place = next(at for key, _, at in self.pairs(root, KEYS) if key == "plot")
            self.wrong(
                place, f"no trees here have the parameter {quote(study.plot.x)} to plot over"
            )
        for figure in study.published:
            if not any(figure.is_of(tree, run.algorithm) for tree in study.trees for run in runs):
                place = next(at for key, _, at in self.pairs(root, KEYS) if key == "published")
                where = ", ".join(f"{name} {value}" for name, value in figure.where.items())
                self.wrong(
                    place,
                    f"the figure {figure.figure} of {figure.algorithm} is of no trees here ({where})",
                )
        self.check_one_figure_each(study, root)
        return study

    def check_one_figure_each(self, study: Study, root: Data) -> None:
        for tree, run in product(study.trees, study.runs):
            figures = [figure for figure in study.published if figure.is_of(tree, run.algorithm)]
            if len(figures) > 1:
                place = next(at for key, _, at in self.pairs(root, KEYS) if key == "published")
                both = " and ".join(figure.figure for figure in figures[:2])
                of = f"{run.algorithm.full_name} and {written(tree)}"
                self.wrong(place, f"{both} are both figures of {of}: say which trees each is of")
                return

    def pairs(self, data: Data, known: tuple[str, ...]) -> Iterator[tuple[str, Data, Place]]:
        seen: set[str] = set()
        for index, (key, value) in enumerate(data):
            if key not in known:
                self.wrong(Place(data, index, True), unknown_key(str(key), known))
            elif key in seen:
                self.wrong(Place(data, index, True), f"duplicate key {quote(key)}: keep one")
            else:
                yield key, value, Place(data, index)
            seen.add(key)

    # ---- The keys of a study.

    def read_title(self, value: Data, place: Place) -> str:
        if not isinstance(value, str):
            self.wrong(place, f"found {described(value)}, expected text")
        return str(value)

    read_source = read_title

    def read_trees(self, value: Data, place: Place) -> tuple[Parameters, ...]:
        trees: list[Parameters] = []
        for item, at in self.items(value, place):
            if not isinstance(item, tuple):
                self.wrong(
                    at,
                    f"found {described(item)}, expected a mapping with a family and its parameters",
                )
                continue
            trees += self.grid(item, at)
        seen = set()
        for tree in trees:
            if tree_key(tree) in seen:
                self.wrong(place, f"the same trees stand twice: {written(tree)}")
            seen.add(tree_key(tree))
        return tuple(trees)

    def grid(self, item: Data, place: Place) -> list[Parameters]:
        """Return every combination of the values of parameters: a list is several values."""
        choices: dict[str, list[str]] = {}
        places: dict[str, Place] = {}
        for index, (key, value) in enumerate(item):
            values = value if isinstance(value, list) else [value]
            places[key] = Place(item, index)
            texts = [str(v).lower() if isinstance(v, bool) else v for v in values]
            if not values or not all(isinstance(v, str) for v in texts):
                self.wrong(
                    places[key], f"found {described(value)}, expected a value, or a list of some"
                )
            elif key in choices:
                self.wrong(Place(item, index, True), f"duplicate key {quote(key)}: keep one")
            else:
                choices[key] = list(texts)
        if "family" not in choices:
            self.wrong(place, "there is no key family: choose ballard, uniform or lattice")
            return []
        found: list[Parameters] = []
        for family in choices.pop("family"):
            try:
                known = parameters_of(family)
            except ExpectitreeError as error:
                self.wrong(places["family"], str(error))
                continue
            for name, values in choices.items():
                if name not in known:
                    self.wrong(
                        places[name]._replace(of_key=True), unknown_key(name, ("family", *known))
                    )
                    continue
                for text in values:
                    try:
                        read_parameters(family, known, {name: text})
                    except ExpectitreeError as error:
                        self.wrong(places[name], str(error))
            if math.prod(map(len, choices.values())) > MOST_KINDS:
                self.wrong(
                    place, f"these are more than {MOST_KINDS:,} kinds of tree: list fewer values"
                )
            elif not self.problems.found:
                found += self.combined(family, choices, place)
        return found

    def combined(
        self, family: str, choices: Mapping[str, list[str]], place: Place
    ) -> list[Parameters]:
        """Return every combination of parameters, each tried on a tree as small as may be."""
        found: list[Parameters] = []
        for combination in product(*choices.values()):
            parameters = dict(zip(choices, combination, strict=True))
            small = {"plies": "1", "branching": "1" if family == "ballard" else "1-1", "steps": "1"}
            tried = {name: small.get(name, value) for name, value in parameters.items()}
            if "-" in parameters.get("branching", ""):
                tried["branching"] = "1-1"
            try:
                generate(family, **tried)
                if expected_nodes(family, parameters) > MOST_NODES:
                    raise TransformError(
                        f"more than {MOST_NODES:,} nodes: choose smaller parameters"
                    )
            except ExpectitreeError as error:
                self.wrong(place, f"{written({'family': family, **parameters})}: {error}")
                return found
            found.append({"family": family, **parameters})
        return found

    def read_algorithms(self, value: Data, place: Place) -> tuple[Algorithm, ...]:
        chosen: list[Algorithm] = []
        for item, at in self.items(value, place):
            try:
                chosen += self.algorithms_of(item, at)
            except ExpectitreeError as error:
                self.wrong(at, str(error))
        if len(set(chosen)) < len(chosen) and not self.problems.found:
            self.wrong(place, "the same algorithm stands twice: keep one")
        return tuple(chosen)

    def algorithms_of(self, item: Data, place: Place) -> list[Algorithm]:
        """Return the algorithm of a name, or all that a mapping from it to choices names."""
        if isinstance(item, str):
            return [_run_of(str(item), {})]
        if not isinstance(item, tuple) or len(item) != 1 or not isinstance(item[0][1], tuple):
            self.wrong(
                place,
                f"found {described(item)}, expected a name, or such as star2.5: {{probes: [1, 2]}}",
            )
            return []
        ((name, options),) = item
        own = ["goal"] if str(name).lower() == LIMIT.name else list(OPTIONS)
        chosen = {
            key: [self.choice(key, text, where) for text, where in self.items(value, at)]
            for key, value, at in self.pairs(options, tuple(own))
        }
        keys = [key for key in reversed(OPTIONS) if key in chosen]
        combinations = product(*(chosen[key] for key in keys))
        return [_run_of(str(name), dict(zip(keys, some, strict=True))) for some in combinations]

    def choice(self, key: str, text: Data, place: Place) -> int | str | None:
        """Return what is chosen of an algorithm, None where it cannot be."""
        choice = OPTIONS[key]
        if not choice.values:
            return self.whole(text, place, 1, 10**9)
        if isinstance(text, str) and text in choice.values:
            return str(text)
        self.wrong(place, f"found {described(text)} as {key}, expected {choice.expected}")
        return None

    def read_engines(self, value: Data, place: Place) -> tuple[str, ...]:
        engines = []
        for item, at in self.items(value, place):
            if item not in ENGINES:
                self.wrong(at, f"found {described(item)}, expected one of {', '.join(ENGINES)}")
            elif item in engines:
                self.wrong(at, f"the engine {item} stands twice: keep one")
            engines.append(str(item))
        return tuple(engines)

    def read_repetitions(self, value: Data, place: Place) -> int:
        return self.whole(value, place, 1, MOST_REPETITIONS)

    def read_seed(self, value: Data, place: Place) -> int:
        return self.whole(value, place, 0, 10**18 - 1)

    def read_published(self, value: Data, place: Place) -> tuple[Published, ...]:
        found: list[Published] = []
        for item, at in self.items(value, place):
            if not isinstance(item, tuple):
                self.wrong(
                    at,
                    f"found {described(item)}, expected a mapping such as {{branching: 4, star1: 84.1}}",
                )
                continue
            fields = {str(key): value for key, value in item}
            if len(fields) < len(item):
                self.wrong(at, "a key stands twice: keep one")
            figures = {name: fields.pop(name) for name in list(fields) if name in ALGORITHMS}
            chosen = {
                key: self.choice(key, fields.pop(key), at) for key in OPTIONS if key in fields
            }
            choices = {key: value for key, value in chosen.items() if value is not None}
            for name, figure in figures.items():
                if not isinstance(figure, str) or not _is_figure(figure):
                    self.wrong(
                        at,
                        f"found {described(figure)} as published, expected per cent, or such as 15/27",
                    )
                    continue
                where = {key: str(value) for key, value in fields.items()}
                found.append(Published(where, name, choices, figure))
            if not figures:
                self.wrong(
                    at,
                    f"there is no figure of an algorithm: write such as star1: 84.1; {', '.join(ALGORITHMS)}",
                )
        return tuple(found)

    def read_table(self, value: Data, place: Place) -> str:
        if value not in TABLES:
            self.wrong(place, f"found {described(value)}, expected {' or '.join(TABLES)}")
        return str(value)

    def read_plot(self, value: Data, place: Place) -> Plot:
        if not isinstance(value, tuple):
            self.wrong(
                place, f"found {described(value)}, expected a mapping with {', '.join(PLOT_KEYS)}"
            )
            return Plot("")
        found: dict[str, Any] = {"x": ""}
        for key, item, at in self.pairs(value, PLOT_KEYS):
            if key == "lines":
                found["lines"] = tuple(
                    self.line(line, where) for line, where in self.items(item, at)
                )
            elif key == "x":
                found["x"] = str(item)
            elif key == "y" and item not in ("share", "leaves"):
                self.wrong(at, f"found {described(item)}, expected share or leaves")
            elif key == "scale" and item not in ("log", "linear"):
                self.wrong(at, f"found {described(item)}, expected log or linear")
            elif key == "scale":
                found["log"] = item == "log"
            else:
                found[key] = item
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

    # ---- Values.

    def items(self, value: Data, place: Place) -> list[tuple[Data, Place]]:
        """Return what a list holds, or the one thing that stands without a list."""
        if isinstance(value, list):
            if not value:
                key = (
                    place.container[place.at][0] if isinstance(place.container, tuple) else "these"
                )
                self.wrong(place, f"found an empty list, expected at least one of {key}")
            return [(item, Place(value, index)) for index, item in enumerate(value)]
        return [(value, place)]

    def whole(self, value: Data, place: Place, least: int, most: int) -> int:
        if isinstance(value, str) and value.isascii() and value.isdecimal():
            found = int(value.lstrip("0")[:30] or "0")  # Python refuses to read thousands of digits
            if least <= found <= most:
                return found
        self.wrong(
            place, f"found {described(value)}, expected a whole number from {least:,} to {most:,}"
        )
        return least


def _is_figure(text: str) -> bool:
    leaves, slash, total = text.partition("/")
    try:
        return 0 <= float(leaves) <= 1e18 and (not slash or float(leaves) <= float(total) <= 1e18)
    except ValueError:
        return False


def written(tree: Parameters) -> str:
    """Return the parameters of trees for people."""
    return ", ".join(
        [tree["family"], *(f"{name} {value}" for name, value in tree.items() if name != "family")]
    )


def _run_of(name: str, choices: Mapping[str, int | str | None]) -> Algorithm:
    """Return the algorithm of a name, or what the limit is of."""
    if name.lower() == LIMIT.name:
        return LIMIT_ACTION if choices.get("goal") == "action" else LIMIT
    return algorithm(name, **choices)
