"""A command reads its trees one after another, answers its question about each, and shows it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from click import UsageError

from expectitree.analysis import plotting
from expectitree.base.algorithms import Algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import ExpectitreeError, FileError, GameError, SearchError
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.base.tree.columns import NO_BOUNDS, ChosenBounds
from expectitree.base.tree.model import Tree
from expectitree.base.tree.transform import in_fractions
from expectitree.cli.games import (
    GameOptions,
    GameSource,
    is_game_name,
    refuse_file_options,
    refuse_game,
    refuse_game_options,
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
    warnings_about,
    working,
)
from expectitree.cli.tree_files import files_in
from expectitree.files import load, loads
from expectitree.files.rows import ReadOptions
from expectitree.searches.engines import advice
from expectitree.searches.prepare import prepare
from expectitree.searches.result import Outcome, Search

Result = TypeVar("Result")
Report = TypeVar("Report", bound=Shown)


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """Which trees a command reads, how it searches them, and what it does with each.

    The fields are the options in the order of the help.
    """

    plot: str | None = None  # the file that a plot of the report goes to
    games: GameOptions | None = None  # of a command that takes games
    reading: ReadOptions
    files: Sequence[str]
    texts: Sequence[str]
    depth: int | None
    order: str
    exact: bool
    parameters: Mapping[str, str]
    attitude: str | None
    bounds: ChosenBounds = None
    engine: str = "auto"
    max_visits: int | None = None
    format_name: str = "text"  # of the report
    statuses: list[int] = field(default_factory=list)  # exit statuses of what failed so far

    def arguments_for(self, *algorithms: Algorithm) -> dict[str, Any]:
        """Return the keyword arguments of a function that searches a tree."""
        if self.max_visits is not None and not any(a.prunes for a in algorithms):
            raise SearchError(
                f"--max-visits stops a pruning search, and {algorithms[0].name} visits every node\n"
                "remove it, or choose a search such as -a star2"
            )
        return {
            "bounds": self.bounds,
            "engine": self.engine,
            "max_visits": self.max_visits,
        }

    @property
    def tree_count(self) -> int:
        """The number of trees, counting the files in folders."""
        return len(files_in(self.files)) + len(self.texts)

    def map(
        self,
        activity: str,
        function: Callable[..., Result],
        lazy: Algorithm | None = None,
        **arguments: Any,
    ) -> Iterator[Result]:
        """Yield the result of a function for the tree of each text, file and game, and its name.

        With the algorithm `lazy`, the function receives a search of each game in place of its whole
        tree, unless the algorithm needs that.

        An error in one tree is reported and does not stop the others; it sets the exit status.
        """
        self._check()
        for name, read in self._sources(lazy):
            try:
                tree = read()
                if isinstance(tree, Tree) and (hint := advice(tree, self.engine)):
                    say(f"{name}: {len(tree):,} nodes: {hint}")
                with working(f"{activity} {name}"), warnings_about(name):
                    result = function(tree, file=name, **arguments)
            except FileError as error:
                self.statuses.append(NO_TREE)
                say_problems(error.as_problems())
            except ExpectitreeError as error:
                status = NO_TREE if isinstance(error, GameError) else WRONG_USAGE
                self.statuses.append(status)
                say_problems(error.at(name).as_problems())
            else:
                yield result

    def show_each(
        self,
        activity: str,
        function: Callable[..., Any],
        lazy: Algorithm | None = None,
        **settings: Any,
    ) -> None:
        """Show a function's report about each tree; of several trees, below the file's name."""
        several = self.format_name == "text" and self.tree_count > 1
        for position, report in enumerate(self.map(activity, function, lazy)):
            self.fail_if(is_stopped(report.search))
            if several:
                show_separator(report.file, position)
            show(self.format_name, report, **settings)

    def show_all(
        self, activity: str, function: Callable[..., Report], **arguments: Any
    ) -> list[Report]:
        """Show a function's reports about all trees together, and return them.

        The report about one tree is also drawn to the file of `plot`.
        """
        if self.plot is not None:
            if self.tree_count > 1:
                raise UsageError("--plot draws one tree\nname one file.")
            plotting.check_plot(self.plot)
        reports = list(self.map(activity, function, **arguments))
        if reports:
            show(self.format_name, reports)
        if reports and self.plot is not None:
            module = module_of(f"{QUESTIONS[reports[0].question]}.plot")
            plotting.save_figure(module.figure_of(reports[0]), self.plot)
            say(f"{self.plot} written")
        return reports

    def fail_if(self, is_negative: bool) -> None:
        """Make the command end with status 1 if its answer is negative."""
        if is_negative:
            self.statuses.append(DOES_NOT_HOLD)

    def _check(self) -> None:
        """Raise a usage error if the options contradict each other."""
        if not self.files and not self.texts:
            raise UsageError(
                "No tree was given\nname a FILE, or - for standard input, or type one after -e."
            )
        if self.exact and self.engine in ("interpreted", "compiled"):
            raise UsageError(
                f"--exact computes in fractions, --engine {self.engine} in floats\nremove one."
            )
        if self.files.count("-") > 1:
            raise UsageError("Standard input can be read once\ngive - only once.")
        games = [name for name in self.files if is_game_name(name)]
        if self.games is None:
            refuse_game(*games)
        if not games:
            refuse_game_options()
        protect([*files_in(self.files), *(name.rpartition(":")[0] for name in games)])

    def _sources(self, lazy: Algorithm | None) -> Iterator[tuple[str, Callable[[], Tree | Search]]]:
        """Yield the name of each text, file and game, and the function that reads it."""
        for text in self.texts:
            yield "-e", partial(self._read, partial(loads, text, name="-e"), "-e")
        for file in files_in(self.files):
            if is_game_name(file):
                yield file, partial(self._grow, file, lazy)
            else:
                yield file, partial(self._read, partial(load, file), file)

    def _read(self, read: Callable[..., Tree], name: str) -> Tree:
        """Return a tree as the options change it."""
        with working(f"reading {name}"):
            tree = read(
                exact_nodes=sys.maxsize if self.exact else EXACT_NODES,
                warn=warn,
                parameters=self.parameters,
                **self.reading,
            )
            if self.exact:  # a table holds floats
                tree = in_fractions(tree)
            if self.attitude is not None:
                tree = tree.with_attitude(self.attitude)
            return prepare(tree, self.depth, self.order)

    def _grow(self, name: str, algorithm: Algorithm | None) -> Tree | Search:
        """Search a game, or write it out."""
        refuse_file_options(self.parameters, self.reading)
        if self.attitude is not None:
            raise UsageError(
                f"--attitude needs the tree of {name}\nwrite it to a file first with "
                "`expectitree convert`, or remove --attitude."
            )
        assert self.games is not None
        bounds = NO_BOUNDS if self.bounds == "none" else self.bounds
        if bounds == "leaves":
            raise UsageError("The leaves of a game are not known in advance\ngive --bounds L,U.")
        source = GameSource(name, self.games, self.depth, bounds=bounds, exact=self.exact)
        if algorithm is None or algorithm.needs_whole_tree:
            instead = "; or search without the whole tree: `expectitree eval -a star2`"
            tree = source.write_out(instead)
            return prepare(tree, None, self.order)
        if self.order != "given":
            raise UsageError(
                f"--order {self.order} needs the whole tree, and {algorithm.name} searches a game "
                "without it\nremove it, or order moves with --deepen."
            )
        if self.engine == "compiled":
            raise UsageError(
                "The rules of a game are Python code, which cannot be compiled\nremove --engine "
                "compiled, or write the tree to a file first with `expectitree convert`."
            )
        return source.search(algorithm, self.max_visits)


def is_stopped(search: Search) -> bool:
    """Return whether a search reached a limit; with --deepen, before the greatest depth."""
    grown = search.grown
    return search.outcome is Outcome.STOPPED or (grown is not None and bool(grown.why_stopped))
