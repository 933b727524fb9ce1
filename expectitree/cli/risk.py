"""`expectitree risk`: the distribution of totals for each action."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from click import UsageError

from expectitree.base.tree.model import Tree
from expectitree.cli.trees import SearchOptions
from expectitree.decide.reach.report import reach as trace_of
from expectitree.decide.risk.report import Risk, risk


def command(
    target: Fraction | None,
    action: str | None,
    hurwicz: Fraction | None,
    reach: str | None,
    verbose: bool,
    options: SearchOptions,
) -> None:
    """Show the distribution of totals for each first action, with optimal play afterward.

    The columns 5%, 50% and 95% are quantiles: with that probability the total is at most so much.
    "worst 5%" is the mean of the worst 5%, the CVaR; where MIN decides alone, large totals are bad.
    An action dominates another if it is at least as good whatever happens (deterministic
    dominance), if everyone who prefers more gain would choose it (first order), or everyone who
    also avoids risk (second order). --plot draws the probability of each total or less, with a line
    for each action.

    For a payoff table, or one decision whose actions meet the same event, a second table has the
    rules for decisions without probabilities: maximin, maximax, Hurwicz, Laplace, minimax regret,
    and the expected opportunity loss (EOL), which needs them. A star marks the best action by each.

    --reach shows the trace of a cohort: for each action, with optimal play afterward, the
    probability of entering each node that repeats while the counter has each number, and of having
    ended before. --plot then draws that of the best action.

    For example: expectitree risk trees/rockefeller.yaml --target 1000
    """
    if reach is not None and (target, action, hurwicz, verbose) != (None, None, None, False):
        raise UsageError(
            "--reach asks another question than --target, --action, --hurwicz and --verbose\n"
            "remove it, or them."
        )

    if reach is not None:
        options.show_all("tracing", trace_of, counter=reach, exact=True)
        return

    def answer(tree: Tree, file: str) -> Risk:
        report = risk(tree, target=target, hurwicz=hurwicz, exact=True, file=file)
        report = replace(report, charted=action, is_detailed=verbose)
        if action is not None:
            _ = report.charted_action  # which raises an error before anything is shown
        return report

    options.show_all("risk of", answer)
