"""`expectitree sensitivity`: what the best decision depends on."""

from __future__ import annotations

from dataclasses import replace

import click

from expectitree.cli.options import format_options, tree_options
from expectitree.cli.terminal import OUT, say, show
from expectitree.cli.trees import SearchOptions
from expectitree.decide.sensitivity.csv import POINTS
from expectitree.decide.sensitivity.plot import draw
from expectitree.decide.sensitivity.two_way import GRID
from expectitree.display import Shown
from expectitree.picture.plotting import check_plot
from expectitree.tree.model import Tree


@click.command("sensitivity")
@click.option(
    "-p",
    "--parameter",
    "moved",
    multiple=True,
    metavar="NAME[=LOW..HIGH]",
    help="The parameter to vary, and its range if the file has none; two make a map.",
)
@click.option("--everywhere", is_flag=True, help="Every decision that optimal play can reach.")
@click.option("--tornado", is_flag=True, help="The least and greatest value over each range.")
@click.option("--spider", is_flag=True, help="The value against relative changes, -100% to +100%.")
@click.option(
    "--fixed", is_flag=True, help="Keep the current best strategy in a tornado or a spider."
)
@click.option("--until", metavar="value=X", help="Where the value of the tree reaches X.")
@click.option(
    "--where", metavar="'A = B'", help="Where two branches, given by path, are worth the same."
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
    everywhere: bool,
    tornado: bool,
    spider: bool,
    fixed: bool,
    until: str | None,
    where: str | None,
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
    -p pr                    one parameter: thresholds, and how far it may move
    -p pr --everywhere       the same at every decision, not only at the root
    -p pr -p sens            two: a map of the best action
    --tornado, --spider      all parameters that have a range, one at a time
    -p fees --until value=0  break-even: where the value reaches a number
    -p fees --where 'a = b'  break-even: where two branches are worth the same
    --add test               what a branch may cost at most
    --strategies             every strategy and its value
    --attitude exponential   the risk tolerances at which another action is best

    For example: expectitree sensitivity trees/rockefeller.yaml --parameter pr=0..1
    """
    options.refuse_search_options()
    question = _question(
        moved, everywhere, tornado, spider, until, where, add, strategies, options.attitude
    )
    if question == "tolerance":
        options = replace(options, attitude=None)
    if fixed and question not in ("tornado", "spider"):
        raise click.UsageError("--fixed is for --tornado and --spider.")
    if plot is not None:
        _check_plot(plot, question, options)

    def answer(file: str, tree: Tree) -> Shown:
        from expectitree.decide.sensitivity import questions

        asked = questions.Question(question, moved, fixed, until, where, add, grid)
        return questions.answer(asked, tree, file)

    reports = list(options.map("sensitivity of", answer))
    if reports:
        settings = {"points": points} if format_name == "csv" else {}
        show("sensitivity", format_name, reports, **settings)
        if plot is not None:
            draw(reports[0], plot)
            say(f"{plot} written")


def _check_plot(plot: str, question: str, options: SearchOptions) -> None:
    """Raise an error if there is no picture of the answer."""
    check_plot(plot)
    if question not in ("one-way", "map", "tornado", "spider", "add"):
        raise click.UsageError("--plot draws one or two parameters, --tornado or --spider.")
    if options.tree_count > 1:
        raise click.UsageError("--plot draws one tree: name one file.")


def _question(
    parameters: tuple[str, ...],
    everywhere: bool,
    tornado: bool,
    spider: bool,
    until: str | None,
    where: str | None,
    add: str | None,
    strategies: bool,
    attitude: str | None,
) -> str:
    """Return the question that the options ask; raise a usage error if they ask several."""
    asked = {
        "everywhere": everywhere,
        "tornado": tornado,
        "spider": spider,
        "until": until is not None,
        "where": where is not None,
        "add": add is not None,
        "strategies": strategies,
        "attitude": attitude == "exponential",
    }
    chosen = [name for name, is_asked in asked.items() if is_asked]
    if len(chosen) > 1:
        raise click.UsageError(f"--{chosen[0]} and --{chosen[1]} are two questions: ask one.")
    if chosen in (["add"], ["strategies"], ["attitude"]) and parameters:
        raise click.UsageError(f"--{chosen[0]} moves no parameter: remove --parameter.")
    if chosen and chosen[0] in ("everywhere", "until", "where") and len(parameters) != 1:
        raise click.UsageError(f"--{chosen[0]} needs one --parameter, which moves.")
    if chosen:
        return "tolerance" if chosen == ["attitude"] else chosen[0]
    if len(parameters) not in (1, 2):
        raise click.UsageError(
            "Name one --parameter, or two for a map; or ask for --tornado, --spider, --add, "
            "--strategies or --attitude exponential."
        )
    return "one-way" if len(parameters) == 1 else "map"
