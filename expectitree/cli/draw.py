"""`expectitree draw`: a picture of a searched tree, or a page that replays its searches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import click

from expectitree import drawing
from expectitree.algorithms import Algorithm
from expectitree.cli.algorithms import ChosenAlgorithms, algorithm_option
from expectitree.cli.decorators import add_options
from expectitree.cli.frames import frame_kind, write_frames
from expectitree.cli.games import GameCommand
from expectitree.cli.options import FILE, game_options
from expectitree.cli.saving import check_file, force_option
from expectitree.cli.terminal import OUT, say, write
from expectitree.cli.trees import SearchOptions, is_stopped
from expectitree.picture.content import MOST_NODES, Style
from expectitree.picture.frames import draw_steps
from expectitree.picture.hidden import PARTS, check_parts, evaluate_known
from expectitree.searches.result import Search
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
    "blank": click.option(
        "--blank",
        is_flag=True,
        help="Draw an exercise: leave out all that a search found, with lines to write on.",
    ),
    "hide": click.option(
        "--hide",
        metavar="PARTS",
        help=f"Leave out only some parts, separated by commas: {', '.join(PARTS)}.",
    ),
    "solution": click.option(
        "--solution",
        metavar="OUT",
        type=OUT,
        help="Also draw the picture with nothing hidden, to this file.",
    ),
}
_STEP_OPTIONS = (
    click.option(
        "--animate",
        is_flag=True,
        help="Draw an SVG that plays the search, one step a second; print shows its end.",
    ),
    click.option(
        "--frames",
        metavar="DIR",
        type=FILE,
        help="Draw a picture of each step into a folder, in place of OUT: .svg, or --format png.",
    ),
)
_NOT_IN_STEPS = ("strategy", "rows", "show_all", "blank", "hide", "solution")


@click.command("draw", cls=GameCommand)
@algorithm_option(
    "The algorithm.  [default: expectiminimax for a picture, all fast ones for a page; star2 for "
    "games]"
)
@partial(game_options, files="[FILE|GAME]", is_lazy=True)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="OUT",
    type=OUT,
    help="The file; its ending sets the format. - is standard output, with --format.",
)
@click.option(
    "--format",
    "format_name",
    type=click.Choice([*_TEXTS, "png"]),
    help="The format if OUT is -, or of --frames.",
)
@force_option
@partial(add_options, options=[*_PICTURE_OPTIONS.values(), *_STEP_OPTIONS])
def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    out: str | None,
    format_name: str | None,
    force: bool,
    rows: int,
    show_all: bool,
    hide: str | None,
    solution: str | None,
    animate: bool,
    frames: str | None,
    **style: Any,
) -> None:
    """Draw a tree with its values, its best branches and the cuts of a search.

    Triangles that point up are MAX, those that point down are MIN, circles are CHANCE. The best
    branch is bold, a cut is a double stroke, and nodes that no search visited are grey. A shared
    node is drawn once. A number with a sign on a branch is its reward, or its cost.

    \b
    .svg         a picture for web pages, slides and papers
    .png .pdf    the same picture (needs vl-convert: pip install '.[draw]')
    .dot         a graph for Graphviz
    .mmd         a Mermaid flowchart, which GitHub shows in Markdown
    .tex         a LaTeX document with TikZ
    .html        a page that replays the searches step by step, offline

    For example: expectitree draw trees/ballard.yaml -a star2 -o ballard.svg

    An exercise: expectitree draw trees/risk.yaml --blank -o exercise.svg --solution solved.svg
    """
    is_exercise = style["blank"] or hide is not None  # which needs every leaf
    are_steps = animate or frames is not None
    if frames is None:
        kind = _kind(out, format_name, force)
    else:
        kind = frame_kind(frames, format_name, force)
    is_repeated = are_steps or kind == drawing.PAGE
    lazy = None if is_exercise else algorithms.of_game(is_repeated=is_repeated)
    if options.tree_count > 1:
        raise click.UsageError("draw makes one picture: give one FILE.")
    if kind == drawing.PAGE:
        _refuse(_PICTURE_OPTIONS, "is for pictures: a page has what it needs. Remove it.")
    else:
        algorithms = algorithms.or_only("expectiminimax")
        several = "A picture is of one search: give -a once, or draw a page (.html) of several."
        algorithms.only(several)
    if are_steps:
        _check_steps(out, frames, kind)
    style |= {"rows": None if show_all else rows, "hide": check_parts(hide or "")}
    if solution is not None:
        _check_solution(solution, out, style, force)
    drawer = _Drawer(algorithms, options, kind, out or "", style, solution, frames)
    draw = drawer.steps if are_steps else drawer.picture
    if kind == drawing.PAGE:
        draw = drawer.page
    list(options.map("drawing", draw, lazy))


@dataclass
class _Drawer:
    """Draws a tree, or the search of a game, and writes the picture."""

    algorithms: ChosenAlgorithms
    options: SearchOptions
    kind: str
    out: str
    style: dict[str, Any]
    solution: str | None  # the file of the picture with nothing hidden
    frames: str | None  # the folder with a picture of each step

    def page(self, file: str, found: Tree | Search) -> None:
        """Draw a page that replays searches."""
        if isinstance(found, Search):
            page = drawing.page(found, file=file)
            self.options.fail_if(is_stopped(found))
        else:
            chosen = self.algorithms.for_tree(file, found)
            page = drawing.page(found, chosen, file=file, **self._limits)
        _write(page, self.out)

    def picture(self, file: str, found: Tree | Search) -> None:
        """Draw one picture, and the solution of an exercise."""
        if isinstance(found, Search):
            search, has_unknown = found, False
        else:
            is_blank, has_unknown = self.style["blank"], bool(found.unknown)
            algorithm, arguments = self._algorithm(file, found), self.options.search_arguments
            arguments |= {"is_blank": is_blank, "exact": self.options.exact}
            search = evaluate_known(found, algorithm, **arguments)
        self.options.fail_if(is_stopped(search) and not has_unknown)
        _write(drawing.picture(search, self.kind, file=file, **self.style), self.out)
        if self.solution is not None:
            solved = {**self.style, "blank": False, "hide": ()}
            kind = drawing.kind_of(self.solution)
            _write(drawing.picture(search, kind, file=file, **solved), self.solution)

    def steps(self, file: str, found: Tree | Search) -> None:
        """Draw each step of a search."""
        own = {name: self.style[name] for name in self.style if name not in ("windows", "strategy")}
        style, about = Style(**own), {"windows": self.style["windows"], "file": file}
        if isinstance(found, Search):
            steps = draw_steps(found, style=style, **about)
        else:
            algorithm = self._algorithm(file, found)
            steps = draw_steps(found, algorithm, style, **about, **self._limits)
        self.options.fail_if(is_stopped(steps.report.search))
        if self.frames is None:
            _write([steps.animation()], self.out)
        else:
            write_frames(steps, self.frames, self.kind)

    def _algorithm(self, file: str, tree: Tree) -> Algorithm:
        return self.algorithms.for_tree(file, tree)[0]

    @property
    def _limits(self) -> dict[str, Any]:
        return {"bounds": self.options.root_bounds, "max_visits": self.options.max_visits}


def _check_steps(out: str | None, frames: str | None, kind: str) -> None:
    """Raise a usage error for options that steps do not have."""
    _refuse(_NOT_IN_STEPS, "is for single pictures: remove it, or --frames and --animate.")
    if out is not None and (frames is not None or kind != "svg"):
        raise click.UsageError(
            "--animate makes an .svg, --frames DIR a folder: give -o X.svg or DIR."
        )


def _check_solution(solution: str, out: str | None, style: dict[str, Any], force: bool) -> None:
    """Raise a usage error if a solution cannot be drawn."""
    if not style["blank"] and not style["hide"]:
        raise click.UsageError("--solution is for exercises: add --blank, or --hide PARTS.")
    is_same = os.path.abspath(solution) == os.path.abspath(out or "")
    if _kind(solution, None, force) == drawing.PAGE or is_same:
        raise click.UsageError(f"--solution {solution}: give a picture other than OUT.")


def _refuse(names: Iterable[str], why: str) -> None:
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) == click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.removeprefix('show_')} {why}")


def _kind(out: str | None, format_name: str | None, force: bool) -> str:
    """Return the format of the picture; raise an error if it is unknown or cannot be written."""
    if out is None:
        raise click.UsageError("Missing option '-o' / '--output': name the picture.")
    if out == "-":
        if format_name not in _TEXTS:
            raise click.UsageError(f"-o - needs --format: one of {', '.join(_TEXTS)}.")
        return format_name
    if format_name is not None:
        raise click.UsageError("--format is for standard output: a file's ending sets its format.")
    check_file(out, force)
    return drawing.kind_of(out)


def _write(picture: bytes | Iterable[str], out: str) -> None:
    if out == "-":
        write(cast(Iterable[str], picture))
        return
    drawing.write(picture, out)
    say(f"{out} written")
