"""`expectitree draw`: a picture of a searched tree, or a page that replays its searches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import click

from expectitree.analysis.evaluate.report import Evaluation
from expectitree.cli.options import (
    FILE,
    ChosenAlgorithms,
    SearchOptions,
    algorithm_option,
    force_option,
    refuse_to_replace,
    tree_options,
)
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import say, write
from expectitree.errors import FileError, Problem
from expectitree.files.saving import whole_file
from expectitree.picture import PICTURES, drawing
from expectitree.picture.content import MOST_NODES, Style
from expectitree.searches.engine import evaluate
from expectitree.tree.model import Tree

_OF_PICTURES = (
    "theme",
    "direction",
    "windows",
    "reasons",
    "places",
    "strategy",
    "rows",
    "show_all",
    "title",
)
_TEXTS = ("svg", "dot", "mmd", "tex", "html")  # that can go to standard output


@click.command("draw")
@algorithm_option(
    "The search; by default expectiminimax for a picture, and for a page all that do not think long."
)
@tree_options
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    metavar="OUT",
    type=FILE,
    help="The file: its ending tells the kind. - is standard output, with --format.",
)
@click.option("--format", "format_name", type=click.Choice(_TEXTS), help="The kind where OUT is -.")
@force_option
@click.option(
    "--theme",
    type=click.Choice(["light", "dark"]),
    default="light",
    show_default=True,
    help="The colours.",
)
@click.option(
    "--direction",
    type=click.Choice(["down", "right"]),
    default="down",
    show_default=True,
    help="Where the tree grows to; a deep one reads better to the right.",
)
@click.option(
    "--windows", is_flag=True, help="Write alpha and beta at every node that was entered."
)
@click.option("--reasons", is_flag=True, help="Write why each cut was made.")
@click.option("--places", is_flag=True, help="Write labels that are only the place, such as #1.")
@click.option("--strategy", is_flag=True, help="Draw only what optimal play can reach.")
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=MOST_NODES,
    show_default=True,
    help="About so many nodes are drawn.",
)
@click.option("--all", "show_all", is_flag=True, help="Draw every node.")
@click.option(
    "--title/--no-title",
    default=True,
    show_default=True,
    help="Write the title, and what was found.",
)
@click.pass_context
def command(
    context: click.Context,
    /,
    algorithms: ChosenAlgorithms,
    out: str,
    format_name: str | None,
    force: bool,
    theme: str,
    direction: str,
    windows: bool,
    reasons: bool,
    places: bool,
    strategy: bool,
    rows: int,
    show_all: bool,
    title: bool,
    **given: Any,
) -> None:
    """Draw a tree with its values, its best branches, and what a search cut.

    Triangles that point up are MAX, down MIN; circles are CHANCE. The best branch is bold, a double stroke is a cut,
    grey is what no search had to look at. A shared node is drawn once.

    \b
    .svg         a picture for anything: pages, slides, papers
    .png .pdf    the same (pip install 'expectitree[draw]')
    .dot         a graph for Graphviz
    .mmd         a Mermaid flowchart, which GitHub shows within Markdown
    .tex         a LaTeX document with TikZ
    .html        a page that replays the searches step by step, offline

    For example: expectitree draw trees/ballard.yaml -a star2 -o ballard.svg
    """
    kind = _kind(out, format_name, force)
    if kind != "html":
        algorithms = algorithms.or_only("expectiminimax")
    if kind != "html" and len(algorithms.all) > 1:
        raise click.UsageError(
            "A picture is of one search: give -a once, or draw a page (.html) of several."
        )
    if kind == "html" and (idle := [name for name in _OF_PICTURES if _is_given(context, name)]):
        raise click.UsageError(
            f"--{idle[0].replace('show_', '')} is for pictures: a page has what it needs. Leave it out."
        )
    options = SearchOptions(**given)
    if options.tree_count > 1:
        raise click.UsageError("draw makes one picture: give one FILE.")
    style = Style(None if show_all else rows, theme, direction, title, reasons, places)

    def draw_tree(file: str, tree: Tree) -> None:
        if kind == "html":
            chosen = algorithms.for_tree(file, tree)
            drawn = _page(tree, chosen, options.root_bounds, options.max_visits, file)
        else:
            search = evaluate(tree, algorithms.all[0], **options.search_arguments)
            if not search.is_answered:
                options.statuses.append(DOES_NOT_HOLD)
            drawn = drawing(kind)(Evaluation(file, search, windows, None, strategy), style)
        _put(drawn, out)

    list(options.map("drawing", draw_tree))
    options.exit()


def _is_given(context: click.Context, name: str) -> bool:
    return context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE


def _kind(out: str, format_name: str | None, force: bool) -> str:
    """Return what is drawn, before any work is done; raise where that is not known, or cannot be written."""
    if out == "-":
        if format_name is None:
            raise click.UsageError(f"-o - needs --format: one of {', '.join(_TEXTS)}.")
        return format_name
    if format_name is not None:
        raise click.UsageError("--format is for standard output: a file's ending tells its kind.")
    ending = os.path.splitext(out)[1].lower()
    if ending not in PICTURES:
        raise click.BadParameter(
            f"{out}: a picture's ending is one of {', '.join(PICTURES)}",
            param_hint="'-o' / '--output'",
        )
    refuse_to_replace(out, force)
    folder = os.path.dirname(out) or "."
    if not os.path.isdir(folder):
        raise FileError([Problem(out, f"there is no folder {folder}: check the path, or make it")])
    if ending in (".png", ".pdf"):
        from expectitree.picture.png import check_library

        check_library()
    return ending[1:]


def _page(
    tree: Tree, algorithms: Any, bounds: Any, max_visits: int | None, file: str
) -> Iterable[str]:
    from expectitree.page.replays import replays

    page: Iterable[str] = drawing("html")(
        replays(tree, algorithms, bounds=bounds, max_visits=max_visits, file=file)
    )
    return page


def _put(drawn: bytes | Iterable[str], out: str) -> None:
    if out == "-":
        write(drawn)  # type: ignore[arg-type]
        return
    with whole_file(out) as temporary, open(temporary, "wb") as stream:
        if isinstance(drawn, bytes):
            stream.write(drawn)
        else:
            stream.writelines(piece.encode("utf-8") for piece in drawn)
    say(f"{out} written")
