"""`expectitree draw`: a picture of a searched tree, or a page that replays its searches."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

import click

from expectitree.base.tree.model import Tree
from expectitree.cli.algorithms import ChosenAlgorithms, algorithm_option
from expectitree.cli.games import is_game_name, with_positions
from expectitree.cli.help import declare, option, output_option
from expectitree.cli.options import totals_option, tree_options, windows_option
from expectitree.cli.terminal import say, write
from expectitree.cli.tree_files import add_options, check_drawn, check_place, force_option
from expectitree.cli.trees import SearchOptions, is_stopped
from expectitree.files.sources import PREFIX
from expectitree.files.writing import OutputFile
from expectitree.picture import drawing
from expectitree.picture.content import MAX_NODES
from expectitree.picture.hidden import evaluate_known
from expectitree.searches.result import Search

_TEXTS = ("svg", "dot", "mmd", "html")  # formats that standard output takes

_ABOUT = {  # of the choices for a picture, of which the first is the default
    "theme": "The colors.",
    "direction": "The direction in which the tree grows; auto takes what fits the width.",
    "style": "game: triangles for MAX and MIN; decision: squares for decisions; auto: decision for "
    "a tree without MIN that has rewards, parameters or criteria.",
}
_PICTURE_OPTIONS = (  # which a page does not have
    *(
        option(
            f"--{name}",
            about,
            type=click.Choice(drawing.CHOICES[name]),
            default=drawing.CHOICES[name][0],
        )
        for name, about in _ABOUT.items()
    ),
    totals_option,
    option(
        "--width N",
        "Fit the picture into N pixels (points in a .pdf), with legible text.",
        rare=True,
        type=click.FloatRange(min=1),
    ),
    windows_option,
    option("--reasons", "Show the reason for each cut.", rare=True),
    option("--strategy", "Draw only what optimal play can reach.", rare=True),
    output_option(
        "--rows N",
        "Draw about N nodes; a run of leaves counts as one.",
        default=MAX_NODES,
    ),
    output_option("--all", "Draw every node.", "show_all"),
    output_option(
        "--title/--no-title",
        "Show the title and the result.",
        default=True,
    ),
    option(
        "--blank", "Draw an exercise: leave out all that a search found, with lines to write on."
    ),
    option("--solution", "Draw the solution of that exercise, with everything in the same place."),
)


@declare("draw")
@algorithm_option(
    "The algorithm.  [default: expectiminimax for a picture, all for a page; star2 for games]"
)
@partial(tree_options, files="[FILE|GAME]", is_lazy=True)
@option(
    "-o --output OUT",
    "The file; its ending sets the format. - is standard output, with --format.  [default: FILE "
    "with the ending .svg]",
    "out",
)
@output_option("--format", "The format if OUT is -.", "picture_format", type=click.Choice(_TEXTS))
@force_option
@partial(add_options, options=_PICTURE_OPTIONS)
def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    out: str | None,
    picture_format: str | None,
    force: bool,
    rows: int,
    show_all: bool,
    **style: Any,
) -> None:
    """Draw a tree with its values, its best branches and the cuts of a search.

    Triangles that point up are MAX, those that point down are MIN, circles are CHANCE. If a tree
    without MIN has rewards, parameters or criteria, squares are decisions. The best branch is bold,
    a cut is a double stroke, a dotted stroke is where a probe ended, and nodes that no search
    visited are gray. A shared node is drawn once. A number with a sign on a branch is its reward,
    or its cost; after the arrow is what the branch is worth, as `eval` prints it.

    \b
    .svg         a picture for web pages and slides
    .png .pdf    the same picture (needs the extra draw)
    .dot         a graph for Graphviz
    .mmd         a Mermaid flowchart, which GitHub shows in Markdown
    .html        a page that replays the searches step by step, offline

    Without -o, the picture is next to FILE and ends in .svg; that of another tree is tree.svg. A
    picture or a page replaces one that expectitree wrote, unless that was changed since; other
    files need --force.

    For example: expectitree draw trees/ballard.yaml -a star2 -o ballard.svg

    An exercise: expectitree draw trees/risk.yaml --blank -o exercise.svg
    """
    if options.tree_count > 1:
        raise click.UsageError("draw makes one picture\ngive one FILE.")
    if out is None:
        out = _beside(options)
    kind = _kind(out, picture_format)
    # An exercise needs every leaf.
    lazy = None if style["blank"] else algorithms.of_game(is_repeated=kind == drawing.PAGE)
    if kind == drawing.PAGE:
        _refuse_on_page(["rows", "show_all", *style])
    else:
        algorithms = algorithms.or_only("expectiminimax")
        algorithms.only(
            "A picture is of one search\ngive -a once, or draw a page (.html) of several."
        )
    style["rows"] = None if show_all else rows

    drawer = _Drawer(options, algorithms, out, kind, style, force)
    list(options.map("drawing", drawer.draw, lazy))


@dataclass
class _Drawer:
    """Draws a tree or the search of a game to a file."""

    options: SearchOptions
    algorithms: ChosenAlgorithms
    out: str
    kind: str
    style: dict[str, Any]
    force: bool

    def draw(self, found: Tree | Search, file: str) -> None:
        if self.out != "-":
            check_drawn(self.out, self.force)
        if isinstance(found, Search):
            picture = self.drawn(found, file)
            self.options.fail_if(is_stopped(found))
        elif self.kind == drawing.PAGE:
            chosen = self.algorithms.for_tree(file, found)
            arguments = self.options.arguments_for(*chosen)
            del arguments["engine"]  # the interpreted one, which shows its steps
            picture = drawing.Drawn(drawing.page(found, chosen, file=file, **arguments))
        else:
            algorithm, *_ = self.algorithms.for_tree(file, found)
            arguments = self.options.arguments_for(algorithm)
            arguments |= {"is_blank": self.style["blank"], "exact": self.options.exact}
            search = evaluate_known(found, algorithm, **arguments)
            self.options.fail_if(is_stopped(search) and not found.unknown)
            picture = self.drawn(search, file)
        _write(picture, self.out)

    def drawn(self, search: Search, file: str) -> drawing.Drawn:
        if self.kind == drawing.PAGE:
            return drawing.Drawn(drawing.page(with_positions(search), file=file))
        return drawing.picture(search, self.kind, file=file, **self.style)


def _refuse_on_page(names: Collection[str]) -> None:
    """Raise a usage error if the user gave an option that only pictures have."""
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{name.removeprefix('show_')} is for pictures: a page has what it needs. "
                "Remove it."
            )


def _beside(options: SearchOptions) -> OutputFile:
    """Return the file of a picture without a name: next to the tree's, if it has one."""
    name = "".join(options.files)
    if name in ("", "-") or is_game_name(name):
        name = "tree"
    return OutputFile(f"{os.path.splitext(name.removeprefix(PREFIX))[0]}.svg")


def _kind(out: str, picture_format: str | None) -> str:
    """Return the format of the picture; raise an error if it is unknown."""
    if out == "-":
        if picture_format not in _TEXTS:
            raise click.UsageError(f"-o - needs --format\none of {', '.join(_TEXTS)}.")
        return picture_format
    if picture_format is not None:
        raise click.UsageError("--format is for standard output: a file's ending sets its format.")
    check_place(out)
    return drawing.kind_of(out)


def _write(picture: drawing.Drawn, out: str) -> None:
    said = []
    if out == "-":
        write([str(picture.data)])
    else:
        drawing.write(picture.data, out)
        said.append(f"{out} written")
    said += [f"{shown}; `--all` draws every node" for shown in picture.shown]
    if said:
        say(": ".join(said))
