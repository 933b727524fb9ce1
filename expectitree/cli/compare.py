"""`expectitree compare`: the same tree under several algorithms, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from expectitree.analysis.comparison import compare
from expectitree.analysis.limit import MOST_LARGE, MOST_LEAVES
from expectitree.cli.options import Given, format_option, probe_options, tree_options
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import make_look, say, working, write
from expectitree.expectation import ALGORITHM_NAMES
from expectitree.render import COMPARISON_FORMATS, renderer
from expectitree.search.algorithms import Algorithm
from expectitree.search.algorithms import algorithm as find_algorithm

max_leaves_option = click.option(
    "--max-leaves",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"The most leaves that are taken: the work grows with their square.  [default: {MOST_LEAVES:,}; "
    f"{MOST_LARGE:,} of long fractions]",
)


@click.command("compare")
@click.option(
    "-a",
    "--algorithm",
    "names",
    multiple=True,
    metavar="NAME",
    help="A search to compare, once for each; all by default.",
)
@probe_options
@tree_options
@click.option("--limit", "with_limit", is_flag=True, help="Add the fewest leaves that could have been enough.")
@max_leaves_option
@format_option(COMPARISON_FORMATS)
@click.pass_context
def command(
    context: click.Context,
    /,
    names: tuple[str, ...],
    probes: int | None,
    probe_order: str | None,
    with_limit: bool,
    max_leaves: int | None,
    format_name: str,
    **given: Any,
) -> None:
    """Search each tree with several algorithms: value, best action, nodes and leaves visited, cuts, time.

    The algorithms must agree; where they do not, that is said and the exit status is 1.
    """
    algorithms = algorithms_named(names, probes, probe_order)
    if max_leaves is not None and not with_limit:
        raise click.UsageError("--max-leaves is for --limit: add that, or leave it out.")
    what = Given(**given)
    bounds = what.root_bounds()
    comparisons = []
    for file, tree in what.trees():
        with what.complaining(file), working(f"comparing {file}"):
            comparison = compare(
                tree, algorithms, bounds=bounds, engine=what.engine, max_visits=what.max_visits, file=file,
                limit=with_limit, max_leaves=max_leaves,
            )  # fmt: skip
            comparisons.append(comparison)
    if comparisons:
        write(renderer(COMPARISON_FORMATS, format_name)(comparisons, make_look()))
    wrong = [f"{c.file}: {sentence}" for c in comparisons for sentence in c.disagreements]
    for sentence in wrong:
        say(f"expectitree: {sentence}; this is a defect of expectitree, please report it with the tree")
    if any(not row.search.is_known for c in comparisons for row in c.rows):
        what.failures.append(DOES_NOT_HOLD)
    if wrong or what.failures:
        context.exit(max([*what.failures, DOES_NOT_HOLD]))


def algorithms_named(names: Sequence[str], probes: int | None, probe_order: str | None) -> list[Algorithm]:
    """Return the algorithms of these names, once each, all if none is given; raise a usage error for idle probes."""
    chosen_names = tuple(dict.fromkeys(name.lower() for name in names)) or ALGORITHM_NAMES
    if (probes is not None or probe_order is not None) and "star2.5" not in chosen_names:
        raise click.UsageError("--probes and --probe-order are for star2.5: add -a star2.5, or leave them out.")
    return [find_algorithm(n, *((probes, probe_order) if n == "star2.5" else ())) for n in chosen_names]
