"""`expectitree draw`: a picture of a searched tree, or a page that replays its searches."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, cast

import click

from expectitree import drawing
from expectitree.cli.options import (
    FILE,
    ChosenAlgorithms,
    SearchOptions,
    add_options,
    algorithm_option,
    check_file,
    force_option,
    tree_options,
)
from expectitree.cli.terminal import say, write
from expectitree.picture.content import MOST_NODES
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Outcome
from expectitree.tree.model import Tree

_TEXTS = ("svg", "dot", "mmd", "tex", "html")  # formats that standard output takes

# By the name of the parameter. A page has none of these options.
_PICTURE_OPTIONS = {
    "theme": click.option(
        "--theme",
        type=click.Choice(drawing.CHOICES["theme"]),
        default="light",
        show_default=True,
        help="The colours.",
    ),
    "direction": click.option(
        "--direction",
        type=click.Choice(drawing.CHOICES["direction"]),
        default="auto",
        show_default=True,
        help="The direction in which the tree grows; auto takes what fits the width.",
    ),
    "width": click.option(
        "--width",
        type=click.FloatRange(min=1),
        metavar="N",
        help="Fit the picture into N pixels (points in a .pdf), with legible text.",
    ),
    "windows": click.option(
        "--windows", is_flag=True, help="Show alpha and beta of every node that was entered."
    ),
    "reasons": click.option("--reasons", is_flag=True, help="Show the reason for each cut."),
    "places": click.option("--places", is_flag=True, help="Show labels such as #1, too."),
    "strategy": click.option(
        "--strategy", is_flag=True, help="Draw only what optimal play can reach."
    ),
    "rows": click.option(
        "--rows",
        type=click.IntRange(min=1),
        default=MOST_NODES,
        show_default=True,
        metavar="N",
        help="Draw about N nodes; a run of leaves counts as one.",
    ),
    "show_all": click.option("--all", "show_all", is_flag=True, help="Draw every node."),
    "title": click.option(
        "--title/--no-title", default=True, show_default=True, help="Show the title and the result."
    ),
}


@click.command("draw")
@algorithm_option(
    "The algorithm.  [default: expectiminimax for a picture, all fast ones for a page]"
)
@partial(tree_options, files="[FILE]")
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    metavar="OUT",
    type=FILE,
    help="The file; its ending sets the format. - is standard output, with --format.",
)
@click.option("--format", "format_name", type=click.Choice(_TEXTS), help="The format if OUT is -.")
@force_option
@partial(add_options, options=[*_PICTURE_OPTIONS.values()])
def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    out: str,
    format_name: str | None,
    force: bool,
    rows: int,
    show_all: bool,
    **style: Any,
) -> None:
    """Draw a tree with its values, its best branches and the cuts of a search.

    Triangles that point up are MAX, those that point down are MIN, circles are CHANCE. The best
    branch is bold, a cut is a double stroke, and nodes that no search visited are grey. A shared
    node is drawn once.

    \b
    .svg         a picture for web pages, slides and papers
    .png .pdf    the same picture (needs vl-convert: pip install '.[draw]')
    .dot         a graph for Graphviz
    .mmd         a Mermaid flowchart, which GitHub shows in Markdown
    .tex         a LaTeX document with TikZ
    .html        a page that replays the searches step by step, offline

    For example: expectitree draw trees/ballard.yaml -a star2 -o ballard.svg
    """
    kind = _kind(out, format_name, force)
    style["rows"] = None if show_all else rows
    if kind == drawing.PAGE:
        _refuse_picture_options()
    else:
        algorithms = algorithms.or_only("expectiminimax")
        several = "A picture is of one search: give -a once, or draw a page (.html) of several."
        algorithm = algorithms.only(several)
    if options.tree_count > 1:
        raise click.UsageError("draw makes one picture: give one FILE.")

    def draw_page(file: str, tree: Tree) -> None:
        chosen = algorithms.for_tree(file, tree)
        bounds, most = options.root_bounds, options.max_visits
        _write(drawing.page(tree, chosen, bounds=bounds, max_visits=most, file=file), out)

    def draw_picture(file: str, tree: Tree) -> None:
        search = evaluate(tree, algorithm, **options.search_arguments)
        options.fail_if(search.outcome is Outcome.STOPPED)
        _write(drawing.picture(search, kind, file=file, **style), out)

    list(options.map("drawing", draw_page if kind == drawing.PAGE else draw_picture))


def _refuse_picture_options() -> None:
    context = click.get_current_context()
    for name in _PICTURE_OPTIONS:
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            option = name.removeprefix("show_")
            raise click.UsageError(
                f"--{option} is for pictures: a page has what it needs. Leave it out."
            )


def _kind(out: str, format_name: str | None, force: bool) -> str:
    """Return the format of the picture; raise an error if it is unknown or cannot be written."""
    if out == "-":
        if format_name is None:
            raise click.UsageError(f"-o - needs --format: one of {', '.join(_TEXTS)}.")
        return format_name
    if format_name is not None:
        raise click.UsageError("--format is for standard output: a file's ending tells its kind.")
    check_file(out, force)
    return drawing.kind_of(out)


def _write(picture: bytes | Iterable[str], out: str) -> None:
    if out == "-":
        write(cast(Iterable[str], picture))
        return
    drawing.write(picture, out)
    say(f"{out} written")
