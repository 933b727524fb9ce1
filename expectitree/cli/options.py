"""The options that commands have in common, and what they come to: trees, bounds, algorithms."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click

from expectitree.analysis.prepare import prepare
from expectitree.cli.status import NO_TREE, WRONG_USAGE
from expectitree.cli.terminal import say, working
from expectitree.errors import ExpectitreeError, FileError, NumberError, Problem
from expectitree.expectation import PROBE_ORDERS
from expectitree.files import loads, read_text, tree_files
from expectitree.number import to_bound
from expectitree.tree import Bounds, Tree

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Given:
    """What was given on the command line that says which tree is searched, and how."""

    files: Sequence[str]
    texts: Sequence[str]
    bounds: str | None
    depth: int | None
    order: str
    exact: bool
    failures: list[int] = field(default_factory=list)  # exit statuses, of trees that could not be searched

    def trees(self) -> Iterator[tuple[str, Tree]]:
        """Yield the name and the tree of every text and file, ready to be searched; a bad one is told and left out."""
        if not self.files and not self.texts:
            raise click.UsageError("No tree was given: name a FILE, or - for standard input, or type one after -e.")
        if self.files.count("-") > 1:
            raise click.UsageError("Standard input can be read once: give - only once.")
        typed: list[tuple[str, str | None]] = [("-e", text) for text in self.texts]
        for name, text in (*typed, *((file, None) for file in files_in(self.files))):
            with self.complaining(name):
                with working(f"reading {name}"):
                    content = read_text(name)[0] if text is None else text
                    tree = loads(content, name=name, exact=self.exact, warn=say)
                with working(f"preparing {name}"):
                    tree = prepare(tree, self.depth, self.order)
                yield name, tree

    @contextmanager
    def complaining(self, name: str) -> Iterator[None]:
        """Tell what is wrong with one tree, remember it for the exit status, and let the others go on."""
        try:
            yield
        except FileError as error:
            self.failures.append(NO_TREE)
            click.echo(str(error), err=True)
        except ExpectitreeError as error:
            self.failures.append(WRONG_USAGE)
            say(f"{name}: {error}")

    def root_bounds(self) -> Bounds | None:
        """Return the bounds given, or None."""
        if self.bounds is None:
            return None
        ends = self.bounds.strip("[]").split(",")
        try:
            if len(ends) != 2:
                raise NumberError(f"found {self.bounds!r}, expected two")
            lower, upper = (to_bound(end.strip(), self.exact) for end in ends)
        except NumberError as error:
            raise click.BadParameter(
                f"{error}: write LOWER,UPPER such as 0,100 or -inf,inf", param_hint="'--bounds'"
            ) from None
        return lower, upper


def files_in(paths: Sequence[str]) -> list[str]:
    """Return the paths, with the tree files of each folder in its place."""
    files: list[str] = []
    for path in paths:
        if os.path.isdir(path):
            found = list(tree_files(path))
            if not found:
                raise FileError([Problem(path, "no tree file in this folder: expected some .yaml, .yml or .json")])
            files += found
        else:
            files.append(path)
    return files


def tree_options(command: Command) -> Command:
    """Add what says which tree is searched: files, -e, --bounds, --depth, --order, --exact."""
    for option in reversed(
        (
            click.argument("files", nargs=-1, metavar="[FILE|FOLDER]..."),
            click.option("-e", "texts", metavar="TEXT", multiple=True, help="A tree typed in place of a file."),
            click.option(
                "--bounds", metavar="LOWER,UPPER", help="Bounds of every utility; inf where nothing is known."
            ),
            click.option(
                "--depth", type=click.IntRange(min=0), metavar="D", help="Cut the tree D plies deep, at its estimates."
            ),
            click.option(
                "--order",
                default="given",
                show_default=True,
                metavar="ORDER",
                help="Children's order: given, best, worst or random:SEED.",
            ),
            click.option("--exact", is_flag=True, help="Compute in fractions, not in floating point."),
        )
    ):
        command = option(command)
    return command


def probe_options(command: Command) -> Command:
    """Add what says how star2.5 probes."""
    for option in reversed(
        (
            click.option(
                "--probes",
                type=click.IntRange(min=1),
                metavar="K",
                help="Children of each outcome that star2.5 probes; 2 by default.",
            ),
            click.option(
                "--probe-order",
                type=click.Choice(PROBE_ORDERS),
                help="Round by round (cyclic, the default), or outcome by outcome.",
            ),
        )
    ):
        command = option(command)
    return command


def format_option(formats: dict[str, tuple[str, str]]) -> Callable[[Command], Command]:
    """Return the option that chooses among some formats."""
    return click.option(
        "--format",
        "format_name",
        type=click.Choice(list(formats)),
        default="text",
        show_default=True,
        help="The output.",
    )
