"""`expectitree sensitivity`: what the best decision depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from expectitree.base.display import Shown
from expectitree.cli.options import format_options, tree_options
from expectitree.cli.terminal import OUT, say, show
from expectitree.cli.trees import SearchOptions
from expectitree.decide.sensitivity.break_even import break_even, sides_of
from expectitree.decide.sensitivity.csv import POINTS
from expectitree.decide.sensitivity.everywhere import everywhere
from expectitree.decide.sensitivity.extremes import tornado_of
from expectitree.decide.sensitivity.plot import draw
from expectitree.decide.sensitivity.ranges import parse_range, range_of
from expectitree.decide.sensitivity.report import added, one_way
from expectitree.decide.sensitivity.strategies import strategies_of
from expectitree.decide.sensitivity.two_way import GRID, two_way
from expectitree.picture.plotting import check_plot
from expectitree.tree.model import Tree, check_tree

# A question is a function of a tree, of the ranges that parameters move through, and of `file`.
Question = Callable[..., Shown]


@click.command("sensitivity")
@click.option(
    "-p",
    "--parameter",
    "moved",
    multiple=True,
    metavar="NAME[=LOW..HIGH]",
    help="The parameter to vary, and its range if the file has none; two make a map.",
)
@click.option(
    *("--everywhere", "is_everywhere"),
    is_flag=True,
    help="Every decision that optimal play can reach.",
)
@click.option(
    *("--tornado", "is_tornado"),
    is_flag=True,
    help="The least and greatest value over each range.",
)
@click.option("--fixed", is_flag=True, help="Keep the current best strategy in a tornado.")
@click.option(
    "--until",
    metavar="'A = B'",
    help="Where two branches, given by path, are worth the same, or the `value` of the tree is a "
    "number.",
)
@click.option("--add", metavar="PATH", help="How much more or less a branch may pay.")
@click.option("--strategies", is_flag=True, help="List every strategy and its value.")
@click.option(
    "--grid", type=click.IntRange(2, 1000), default=GRID, show_default=True, help="Rows of a map."
)
@click.option(
    "--points",
    type=click.IntRange(2, 1_000_000),
    default=POINTS,
    show_default=True,
    help="Values in CSV.",
)
@click.option("--plot", metavar="FILE", type=OUT, help="Also draw a plot, as .svg, .png or .pdf.")
@tree_options
@format_options("sensitivity")
def command(
    options: SearchOptions,
    moved: tuple[str, ...],
    is_everywhere: bool,
    is_tornado: bool,
    fixed: bool,
    until: str | None,
    add: str | None,
    strategies: bool,
    grid: int,
    points: int,
    plot: str | None,
    format_name: str,
) -> None:
    """Find what the best decision depends on.

    With one --parameter: the best action on each part of its range. The thresholds are exact where
    formulas are made of + - * / and whole powers, and verified on both sides.

    \b
    -p pr                      one parameter: thresholds, and how far it may move
    -p pr --everywhere         the same at every decision, not only at the root
    -p pr -p sens              two: a map of the best action
    --tornado                  all parameters that have a range, one at a time
    -p fees --until 'value=0'  break-even: where the value reaches a number
    -p fees --until 'a = b'    break-even: where two branches are worth the same
    --add test                 what a branch may cost at most
    --strategies               every strategy and its value

    For example: expectitree sensitivity trees/rockefeller.yaml --parameter pr=0..1
    """
    ranges = [parse_range(text) for text in moved]
    asked: dict[str, Question] = {}
    if is_everywhere:
        asked["everywhere"] = everywhere
    if is_tornado:
        asked["tornado"] = partial(tornado_of, is_fixed=fixed)
    if until is not None:
        left, right = sides_of(until)
        asked["until"] = partial(break_even, left=left, right=right)
    if add is not None:
        asked["add"] = partial(added, path=add)
    if strategies:
        asked["strategies"] = strategies_of
    _check_usage([*asked], len(ranges), fixed)
    if plot is not None:
        _check_plot(plot, options)
    usual: Question = one_way if len(ranges) == 1 else partial(two_way, grid=grid)
    question = next(iter(asked.values()), usual)

    def answer(file: str, tree: Tree) -> Shown:
        check_tree(tree, "sensitivity")
        return question(tree, *(range_of(tree, *one) for one in ranges), file=file)

    reports = list(options.map("sensitivity of", answer))
    if reports:
        if plot is not None and not reports[0].has_plot:
            raise click.UsageError("--plot draws one or two parameters, --add or --tornado.")
        settings = {"points": points} if format_name == "csv" else {}
        show("sensitivity", format_name, reports, **settings)
        if plot is not None:
            draw(reports[0], plot)
            say(f"{plot} written")


def _check_plot(plot: str, options: SearchOptions) -> None:
    """Raise an error if the file cannot be a plot, or if there are several trees."""
    check_plot(plot)
    if options.tree_count > 1:
        raise click.UsageError("--plot draws one tree: name one file.")


def _check_usage(asked: list[str], moved: int, fixed: bool) -> None:
    """Raise a usage error for two questions, or for one that moves another number of parameters."""
    if fixed and "tornado" not in asked:
        raise click.UsageError("--fixed is for --tornado.")
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} are two questions: ask one.")
    if asked in (["add"], ["strategies"]) and moved:
        raise click.UsageError(f"--{asked[0]} moves no parameter: remove --parameter.")
    if asked in (["everywhere"], ["until"]) and moved != 1:
        raise click.UsageError(f"--{asked[0]} needs one --parameter, which moves.")
    if not asked and moved not in (1, 2):
        raise click.UsageError(
            "Name one --parameter, or two for a map; or ask for --tornado, --add or --strategies."
        )
