"""The trees and games on the command line: read them, and search each one."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, TypeVar, cast

import click

from expectitree.analysis import plotting
from expectitree.base import compiling
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import (
    ExpectitreeError,
    FileError,
    GameError,
    NumberError,
    Problem,
    SearchError,
)
from expectitree.base.numbers import to_bound
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.columns import Bounds, ChosenBounds
from expectitree.base.tree.model import Tree
from expectitree.base.tree.transform import in_fractions
from expectitree.cli.games import (
    GameOptions,
    GameSource,
    is_game_name,
    refuse_file_options,
    refuse_game,
)
from expectitree.cli.terminal import (
    DOES_NOT_HOLD,
    NO_TREE,
    WRONG_USAGE,
    protect,
    say,
    say_problems,
    show,
    show_separator,
    warn,
    working,
)
from expectitree.files import NO_TREES, load, loads, tree_files
from expectitree.files.formats import SUFFIXES
from expectitree.files.rows import ReadOptions
from expectitree.files.urls import is_url
from expectitree.searches.bounds import NO_BOUNDS
from expectitree.searches.prepare import prepare
from expectitree.searches.result import Outcome, Search

Result = TypeVar("Result")
# Bytes of a file whose tree would take more than a gigabyte of memory.
MIN_STREAMED = {".arrow": 1 << 30, ".parquet": 1 << 28}
_MAPPING = re.compile(r":\s|[{\[]")  # in YAML or JSON, and hardly ever in the name of a file


_ONE_JOB = (
    "--jobs reads parts of large .arrow and .parquet files, with expectiminimax. A tree in memory "
    "is searched in one job, since two jobs took as long: remove --jobs."
)


@dataclass(frozen=True)
class SearchOptions:
    """The options of `tree_options`: which trees a command reads, and how it searches them."""

    files: Sequence[str]
    texts: Sequence[str]
    depth: int | None
    order: str
    exact: bool
    parameters: Mapping[str, str]
    reading: ReadOptions
    attitude: str | None
    bounds: str | None = None
    engine: str = "auto"
    max_visits: int | None = None
    games: GameOptions | None = None  # of a command that takes games
    streams: bool = False  # whether a large table may be evaluated without reading it whole
    jobs: int = 1
    scheduler: str | None = None
    statuses: list[int] = field(default_factory=list)  # exit statuses of what failed so far

    @property
    def tree_count(self) -> int:
        """The number of trees, counting the files in folders."""
        return len(files_in(self.files)) + len(self.texts)

    def arguments_for(self, *algorithms: Algorithm) -> dict[str, Any]:
        """Return the keyword arguments of a function that searches a tree."""
        if self.max_visits is not None and not any(a.prunes for a in algorithms):
            raise SearchError(
                f"--max-visits stops a pruning search, and {algorithms[0].name} visits every node: "
                "remove it, or choose a search such as -a star2"
            )
        return {
            "bounds": self.root_bounds,
            "engine": self.engine,
            "max_visits": self.max_visits,
        }

    @cached_property
    def root_bounds(self) -> ChosenBounds:
        """The bounds of `--bounds`, or None."""
        if self.bounds in ("none", "leaves"):
            return cast("ChosenBounds", self.bounds)
        return read_bounds(self.bounds)

    def map(
        self,
        activity: str,
        function: Callable[[str, Any], Result],
        lazy: Algorithm | None = None,
    ) -> Iterator[Result]:
        """Yield the result of a function for the name and the tree of each text, file and game.

        With the algorithm `lazy`, the function receives a search of each game in place of its whole
        tree, unless the algorithm needs that.

        An error in one tree is reported and does not stop the others; it sets the exit status.
        """
        self._check()
        for name, read in self._sources(lazy):
            try:
                found = read()
                if isinstance(found, Tree) and self.engine in ("auto", "compiled"):
                    advice = compiling.advice(len(found))
                    if advice:
                        say(f"{name}: {len(found):,} nodes: {advice}")
                with working(f"{activity} {name}"):
                    result = function(name, found)
            except FileError as error:
                self.statuses.append(NO_TREE)
                say_problems(error)
                if not os.path.exists(name) and _MAPPING.search(name):
                    say(f"a tree is typed after -e: expectitree eval -e {shlex.quote(name)}")
            except ExpectitreeError as error:
                is_of_game = isinstance(error, GameError)
                self.statuses.append(NO_TREE if is_of_game else WRONG_USAGE)
                message = str(error).removeprefix(f"{name}: ")  # an error of an option has it
                say(message, f"{name}: ")
            else:
                yield result

    def show_each(
        self,
        activity: str,
        function: Callable[[str, Any], Any],
        question: str,
        format: str,
        lazy: Algorithm | None = None,
        **settings: Any,
    ) -> None:
        """Show a function's report about each tree; of several trees, below the file's name."""
        several = format == "text" and self.tree_count > 1
        for position, report in enumerate(self.map(activity, function, lazy)):
            self.fail_if(is_stopped(report.search))
            if several:
                show_separator(report.file, position)
            show(question, format, report, **settings)

    def show_all(
        self,
        activity: str,
        function: Callable[[str, Any], Result],
        question: str,
        format: str,
        plot: str | None = None,
    ) -> list[Result]:
        """Show a function's reports about all trees together, and return them.

        The report about one tree is also drawn to the file `plot`.
        """
        if plot is not None:
            if self.tree_count > 1:
                raise click.UsageError("--plot draws one tree: name one file.")
            plotting.check_plot(plot)
        reports: list[Any] = list(self.map(activity, function))
        if reports:
            show(question, format, reports)
        if reports and plot is not None:
            module = module_of(f"{QUESTIONS[question]}.plot")
            plotting.save_figure(module.figure_of(reports[0]), plot)
            say(f"{plot} written")
        return reports

    def fail_if(self, is_negative: bool) -> None:
        """Make the command end with status 1 if its answer is negative."""
        if is_negative:
            self.statuses.append(DOES_NOT_HOLD)

    def _check(self) -> None:
        """Raise a usage error if the options contradict each other."""
        if not self.files and not self.texts:
            raise click.UsageError(
                "No tree was given: name a FILE, or - for standard input, or type one after -e."
            )
        if self.exact and self.engine in ("interpreted", "compiled"):
            raise click.UsageError(
                f"--exact computes in fractions, --engine {self.engine} in floats: remove one."
            )
        if self.scheduler is not None and (self.texts or self.jobs > 1 or not self.streams):
            raise click.UsageError(
                "--scheduler evaluates .arrow and .parquet files with expectiminimax on its own "
                "workers: remove "
                "it, or remove -a, -e, --jobs, --all, --explain and --windows."
            )
        if self.jobs > 1 and (self.texts or not self.streams):
            raise click.UsageError(_ONE_JOB)
        if self.files.count("-") > 1:
            raise click.UsageError("Standard input can be read once: give - only once.")
        games = [name for name in self.files if is_game_name(name)]
        if self.games is None:
            refuse_game(*games)
        else:
            self.games.check(bool(games))
        protect([*files_in(self.files), *(name.rpartition(":")[0] for name in games)])
        _ = self.root_bounds

    def _sources(self, lazy: Algorithm | None) -> Iterator[tuple[str, Callable[[], Tree | Search]]]:
        """Yield the name of each text, file and game, and the function that reads it."""
        for text in self.texts:
            yield "-e", partial(self._read, loads, text, name="-e")
        for file in files_in(self.files):
            if self.streams and self._is_streamed(file):
                yield file, partial(self._stream, file)
            elif self.jobs > 1:
                raise click.UsageError(_ONE_JOB)
            elif is_game_name(file):
                yield file, partial(self._grow, file, lazy)
            else:
                yield file, partial(self._read, load, file, name=file)

    def _read(self, function: Callable[..., Tree], source: str, name: str) -> Tree:
        with working(f"reading {name}"):
            about = {"name": name} if function is loads else {}
            tree = function(
                source,
                exact_nodes=sys.maxsize if self.exact else EXACT_NODES,
                warn=warn,
                parameters=self.parameters,
                **self.reading,
                **about,
            )
            if self.exact:  # a table holds floats
                tree = in_fractions(tree)
            if self.attitude is not None:
                tree = tree.with_attitude(self.attitude)
            return prepare(tree, self.depth, self.order)

    def _is_streamed(self, file: str) -> bool:
        """Return whether a file is a large table, and no option needs all of its tree."""
        changes = self.depth, self.parameters, self.reading, self.attitude, self.bounds, self.exact
        is_plain = not any(changes) and self.order == "given" and self.engine != "interpreted"
        least = MIN_STREAMED.get(os.path.splitext(file)[1])
        may_be = is_plain and least is not None and (os.path.isfile(file) or is_url(file))
        if self.scheduler is not None:
            if may_be:
                return True
            problem = f"the workers of --scheduler cannot evaluate {file} part by part"
            advice = "give an .arrow or .parquet file, without options that need the whole tree"
            raise click.UsageError(f"{problem}: {advice}.")
        if not (may_be and compiling.available()):
            return False
        return is_url(file) or os.path.getsize(file) >= (least or 0)

    def _stream(self, file: str) -> Tree | Search:
        """Evaluate a table part by part, or read it whole if that is not possible."""
        from expectitree.base.executors import executor_of
        from expectitree.files.formats.arrow import named_faults
        from expectitree.files.formats.parts import TableParts
        from expectitree.searches.streaming import NeedsWholeTreeError, evaluate_table

        try:
            door = executor_of(self.jobs, self.scheduler, in_threads=True)
            with working(f"evaluating {file}"), door as (executor, workers), named_faults(file):
                is_alone = self.jobs == 1 and self.scheduler is None
                return evaluate_table(TableParts(file), None if is_alone else executor, workers)
        except NeedsWholeTreeError as error:
            say(f"{file}: the whole tree is read into memory: {error}")
            return self._read(load, file, name=file)

    def _grow(self, name: str, algorithm: Algorithm | None) -> Tree | Search:
        """Search a game, or write it out."""
        refuse_file_options(self.parameters, self.reading)
        if self.attitude is not None:
            raise click.UsageError(
                f"--attitude needs the tree of {name}: write it to a file first with "
                "`expectitree convert`, or remove --attitude."
            )
        assert self.games is not None
        bounds = NO_BOUNDS if self.bounds == "none" else self.root_bounds
        if bounds == "leaves":
            raise click.UsageError(
                "The leaves of a game are not known in advance: give --bounds L,U."
            )
        source = GameSource(name, self.games, self.depth, bounds=bounds, exact=self.exact)
        if algorithm is None or algorithm.needs_whole_tree:
            instead = "; or search without the whole tree: `expectitree eval -a star2`"
            tree = source.write_out(instead)
            return prepare(tree, None, self.order)
        if self.order != "given":
            raise click.UsageError(
                f"--order {self.order} needs the whole tree, and {algorithm.name} searches a game "
                "without it: remove it, or order moves with --deepen."
            )
        if self.engine == "compiled":
            raise click.UsageError(
                "The rules of a game are Python code, which cannot be compiled: remove --engine "
                "compiled, or write the tree to a file first with `expectitree convert`."
            )
        return source.search(algorithm, self.max_visits)


def read_bounds(text: str | None) -> Bounds | None:
    """Return the bounds in a text such as 0,100; None without a text."""
    if text is None:
        return None
    ends = text.strip("[]").split(",")
    try:
        if len(ends) != 2:
            raise NumberError(f"found {text!r}, expected two")
        lower, upper = (to_bound(end.strip(), exact=True) for end in ends)
    except NumberError as error:
        raise click.BadParameter(
            f"{error}: write LOWER,UPPER such as 0,100 or -inf,inf", param_hint="'--bounds'"
        ) from None
    return lower, upper


def is_stopped(search: Search) -> bool:
    """Return whether a search reached a limit; with --deepen, before the greatest depth."""
    grown = search.grown
    return search.outcome is Outcome.STOPPED or grown is not None and bool(grown.why_stopped)


def files_in(paths: Sequence[str]) -> list[str]:
    """Return the paths, with each folder replaced by the tree files in it."""
    files: list[str] = []
    for path in paths:
        found = list(tree_files(path)) if os.path.isdir(path) else [path]
        if not found:
            suffixes = ", ".join(suffix for suffix in SUFFIXES if suffix not in NO_TREES)
            message = f"no tree file in this folder: expected a name that ends in one of {suffixes}"
            raise FileError([Problem(path, message)])
        files += found
    return files
