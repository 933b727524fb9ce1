"""`expectitree trace`: a search step by step, as text or as JSON lines."""

from __future__ import annotations

from functools import partial

from click import UsageError

from expectitree.analysis.trace.report import Trace, trace
from expectitree.base.tree.model import Tree
from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.games import with_positions
from expectitree.cli.trees import SearchOptions
from expectitree.searches.result import Search

MAX_STEPS = 500  # shown as text by default


def command(
    algorithms: ChosenAlgorithms,
    options: SearchOptions,
    at: str | None,
    limit: int | None,
) -> None:
    """Show a search step by step.

    A step is an entry with its window, a probe, a visit, a child passed over, a tighter bound, a
    cut, or the end of an entry. --format json prints an object a line. The steps of best-first are
    walks: each entry has its aim, and the cuts come last.

    For example: expectitree trace -a star2 --at a2 trees/aima-5.12-left.yaml
    """
    lazy = algorithms.of_game(is_repeated=True)
    chosen = algorithms.or_only("expectiminimax")
    algorithm = chosen.only("trace follows one algorithm\ngive -a once.")
    if options.engine == "compiled":
        raise UsageError("A compiled search cannot be followed\nremove --engine compiled.")
    if limit is None:
        limit = MAX_STEPS if options.format_name == "text" else 0

    follow = partial(trace, at=at, most=limit or None, exact=True)

    def trace_tree(source: Tree | Search, file: str) -> Trace:
        if isinstance(source, Search):
            return follow(with_positions(source), file=file)
        chosen.for_tree(file, source)
        arguments = options.arguments_for(algorithm)
        del arguments["engine"]  # the interpreted one, which shows its steps
        return follow(source, algorithm, file=file, **arguments)

    options.show_each("tracing", trace_tree, lazy)
