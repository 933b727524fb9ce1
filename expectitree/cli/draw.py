"""`expectitree draw`: a picture of a searched tree, or a page that replays its searches."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from click import UsageError

from expectitree.base.tree.model import Tree
from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.games import is_game_name, with_positions
from expectitree.cli.terminal import say, write
from expectitree.cli.tree_files import check_drawn, check_place
from expectitree.cli.trees import SearchOptions, is_stopped
from expectitree.files.sources import PREFIX
from expectitree.files.writing import OutputFile
from expectitree.picture import drawing
from expectitree.picture.hidden import evaluate_known
from expectitree.searches.result import Search


def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    output: str | None,
    picture_format: str | None,
    force: bool,
    drawing_options: dict[str, Any],
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
        raise UsageError("draw makes one picture\ngive one FILE.")
    if output is None:
        output = _beside(options)
    kind = _kind(output, picture_format)
    lazy = algorithms.of_game(is_repeated=kind == drawing.PAGE)
    if "blank" in drawing_options:  # an exercise needs every leaf
        lazy = None
    if kind != drawing.PAGE:
        algorithms = algorithms.or_only("expectiminimax")
        algorithms.only(
            "A picture is of one search\ngive -a once, or draw a page (.html) of several."
        )
    elif drawing_options:
        name = next(iter(drawing_options)).removeprefix("show_")
        raise UsageError(f"--{name} is for pictures: a page has what it needs. Remove it.")
    if drawing_options.pop("show_all", False):
        drawing_options["rows"] = None

    draw = partial(
        _draw,
        options=options,
        algorithms=algorithms,
        output=output,
        kind=kind,
        style=drawing_options,
        force=force,
    )
    list(options.map("drawing", draw, lazy))


def _draw(
    source: Tree | Search,
    file: str,
    options: SearchOptions,
    algorithms: ChosenAlgorithms,
    output: str,
    kind: str,
    style: dict[str, Any],
    force: bool,
) -> None:
    """Draw a tree or the search of a game to a file."""
    if output != "-":
        check_drawn(output, force)
    if isinstance(source, Search):
        picture = _drawn(source, file, kind, style)
        options.fail_if(is_stopped(source))
    elif kind == drawing.PAGE:
        chosen = algorithms.for_tree(file, source)
        arguments = options.arguments_for(*chosen)
        del arguments["engine"]  # the interpreted one, which shows its steps
        picture = drawing.Drawn(drawing.page(source, chosen, file=file, **arguments))
    else:
        algorithm, *_ = algorithms.for_tree(file, source)
        arguments = options.arguments_for(algorithm)
        arguments |= {"is_blank": "blank" in style, "exact": options.exact}
        search = evaluate_known(source, algorithm, **arguments)
        options.fail_if(is_stopped(search) and not source.unknown)
        picture = _drawn(search, file, kind, style)
    remarks = [f"{shown}; `--all` draws every node" for shown in picture.shown]
    if output == "-":
        write([str(picture.data)])
    else:
        drawing.write(picture.data, output)
        remarks.insert(0, f"{output} written")
    if remarks:
        say(": ".join(remarks))


def _drawn(search: Search, file: str, kind: str, style: dict[str, Any]) -> drawing.Drawn:
    if kind == drawing.PAGE:
        return drawing.Drawn(drawing.page(with_positions(search), file=file))
    return drawing.picture(search, kind, file=file, **style)


def _beside(options: SearchOptions) -> OutputFile:
    """Return the file of a picture without a name: next to the tree's, if it has one."""
    name = "".join(options.files)
    if name in ("", "-") or is_game_name(name):
        name = "tree"
    return OutputFile(f"{os.path.splitext(name.removeprefix(PREFIX))[0]}.svg")


def _kind(output: str, picture_format: str | None) -> str:
    """Return the format of the picture; raise an error if it is unknown."""
    if output == "-":
        if picture_format is None:
            raise UsageError("-o - needs --format\none of svg, dot, mmd, html.")
        return picture_format
    if picture_format is not None:
        raise UsageError(
            "--format is for standard output\nfor a file, write -o, whose ending sets the format; "
            "for standard output, -o -."
        )
    check_place(output)
    return drawing.kind_of(output)
