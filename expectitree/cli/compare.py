"""`expectitree compare`: the same tree under several algorithms, side by side."""

from __future__ import annotations

from typing import Any

import click

from expectitree.analysis.comparison import compare
from expectitree.cli.options import Given, format_option, probe_options, tree_options
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import make_look, say, working, write
from expectitree.expectation import ALGORITHM_NAMES
from expectitree.render import COMPARISON_FORMATS, renderer
from expectitree.search.algorithms import algorithm as find_algorithm


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
@format_option(COMPARISON_FORMATS)
@click.pass_context
def command(
    context: click.Context,
    /,
    names: tuple[str, ...],
    probes: int | None,
    probe_order: str | None,
    format_name: str,
    **given: Any,
) -> None:
    """Search each tree with several algorithms: value, best action, nodes and leaves visited, cuts, time.

    The algorithms must agree; where they do not, that is said and the exit status is 1.
    """
    chosen_names = tuple(dict.fromkeys(name.lower() for name in names)) or ALGORITHM_NAMES
    if (probes is not None or probe_order is not None) and "star2.5" not in chosen_names:
        raise click.UsageError("--probes and --probe-order are for star2.5: add -a star2.5, or leave them out.")
    algorithms = [find_algorithm(n, *((probes, probe_order) if n == "star2.5" else ())) for n in chosen_names]
    what = Given(**given)
    bounds = what.root_bounds()
    comparisons = []
    for file, tree in what.trees():
        with what.complaining(file), working(f"comparing {file}"):
            comparisons.append(
                compare(tree, algorithms, bounds=bounds, engine=what.engine, max_visits=what.max_visits, file=file)
            )
    if comparisons:
        write(renderer(COMPARISON_FORMATS, format_name)(comparisons, make_look()))
    wrong = [f"{c.file}: {sentence}" for c in comparisons for sentence in c.disagreements]
    for sentence in wrong:
        say(f"expectitree: {sentence}; this is a defect of expectitree, please report it with the tree")
    if any(not row.search.is_known for c in comparisons for row in c.rows):
        what.failures.append(DOES_NOT_HOLD)
    if wrong or what.failures:
        context.exit(max([*what.failures, DOES_NOT_HOLD]))
