"""A command reads its trees one after another, answers its question about each, and shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from expectitree.analysis import plotting
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import ExpectitreeError, FileError, GameError
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.model import Tree
from expectitree.cli.games import is_game_name, refuse_game
from expectitree.cli.sources import files_in, sources_of
from expectitree.cli.terminal import (
    DOES_NOT_HOLD,
    NO_TREE,
    WRONG_USAGE,
    protect,
    say,
    say_problems,
    show,
    show_separator,
    warnings_about,
    working,
)
from expectitree.cli.tree_options import TreeOptions
from expectitree.searches.engines import advice
from expectitree.searches.result import Outcome, Search

Result = TypeVar("Result")


class SearchOptions(TreeOptions):
    """The options of a command, and what it does with each tree that they choose."""

    @property
    def tree_count(self) -> int:
        """The number of trees, counting the files in folders."""
        return len(files_in(self.files)) + len(self.texts)

    def map(
        self,
        activity: str,
        function: Callable[..., Result],
        lazy: Algorithm | None = None,
    ) -> Iterator[Result]:
        """Yield the result of a function for the tree of each text, file and game, and its name.

        With the algorithm `lazy`, the function receives a search of each game in place of its whole
        tree, unless the algorithm needs that.

        An error in one tree is reported and does not stop the others; it sets the exit status.
        """
        self._check()
        for name, read in sources_of(self, lazy):
            try:
                found = read()
                if isinstance(found, Tree) and (hint := advice(found, self.engine)):
                    say(f"{name}: {len(found):,} nodes: {hint}")
                with working(f"{activity} {name}"), warnings_about(name):
                    result = function(found, file=name)
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
        question: str,
        lazy: Algorithm | None = None,
        **settings: Any,
    ) -> None:
        """Show a function's report about each tree; of several trees, below the file's name."""
        several = self.format_name == "text" and self.tree_count > 1
        for position, report in enumerate(self.map(activity, function, lazy)):
            self.fail_if(is_stopped(report.search))
            if several:
                show_separator(report.file, position)
            show(question, self.format_name, report, **settings)

    def show_all(
        self, activity: str, function: Callable[..., Result], question: str
    ) -> list[Result]:
        """Show a function's reports about all trees together, and return them.

        The report about one tree is also drawn to the file of `plot`.
        """
        if self.plot is not None:
            if self.tree_count > 1:
                raise click.UsageError("--plot draws one tree\nname one file.")
            plotting.check_plot(self.plot)
        reports = list(self.map(activity, function))
        if reports:
            show(question, self.format_name, reports)
        if reports and self.plot is not None:
            module = module_of(f"{QUESTIONS[question]}.plot")
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
            raise click.UsageError(
                "No tree was given\nname a FILE, or - for standard input, or type one after -e."
            )
        if self.exact and self.engine in ("interpreted", "compiled"):
            raise click.UsageError(
                f"--exact computes in fractions, --engine {self.engine} in floats\nremove one."
            )
        if self.files.count("-") > 1:
            raise click.UsageError("Standard input can be read once\ngive - only once.")
        games = [name for name in self.files if is_game_name(name)]
        if self.games is None:
            refuse_game(*games)
        else:
            self.games.check(bool(games))
        protect([*files_in(self.files), *(name.rpartition(":")[0] for name in games)])
        _ = self.root_bounds


def is_stopped(search: Search) -> bool:
    """Return whether a search reached a limit; with --deepen, before the greatest depth."""
    grown = search.grown
    return search.outcome is Outcome.STOPPED or (grown is not None and bool(grown.why_stopped))
