"""What the options of a command say about trees and searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

import click

from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import NumberError, SearchError
from expectitree.base.numbers import to_bound
from expectitree.base.tree.columns import Bounds, ChosenBounds
from expectitree.cli.games import GameOptions
from expectitree.files.rows import ReadOptions


@dataclass(frozen=True, kw_only=True)
class TreeOptions:
    """Which trees a command reads, and how it searches them; in the order of the help."""

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
    bounds: str | None = None
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
            f"{error.reason}\nwrite LOWER,UPPER such as 0,100 or -inf,inf", param_hint="'--bounds'"
        ) from None
    return lower, upper
