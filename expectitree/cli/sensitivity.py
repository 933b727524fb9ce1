"""`expectitree sensitivity`: what the best decision depends on."""

from __future__ import annotations

import click

from expectitree.base.display import Shown
from expectitree.base.tree.model import Tree
from expectitree.cli.trees import SearchOptions
from expectitree.decide.sensitivity.exact import break_even, everywhere, sensitivity_map
from expectitree.decide.sensitivity.parameters import parse_range
from expectitree.decide.sensitivity.report import added, sensitivity, tornado
from expectitree.decide.sensitivity.strategies import strategies_of


def command(
    moved: tuple[str, ...],
    is_everywhere: bool,
    is_tornado: bool,
    fixed: bool,
    until: str | None,
    add: str | None,
    strategies: bool,
    grid: int,
    options: SearchOptions,
) -> None:
    """Find what the best decision depends on.

    By default: how far each parameter moves the value, over its range in the file or by 10% both
    ways. With one --parameter: the best action on each part of its range. The thresholds are exact
    where formulas are made of + - * / and whole powers, and verified on both sides. For others, and
    with --attitude, they are found by sampling.

    \b
    -p pr                      one parameter: thresholds, and how far it may move
    -p pr --everywhere         the same at every decision, not only at the root
    -p pr -p sens              two: a map of the best action
    --tornado                  all parameters, or those of -p, one at a time
    -p fees --until 'value=0'  break-even: where the value reaches a number
    -p fees --until 'a = b'    break-even: where two branches are worth the same
    --add test                 what a branch may cost at most
    --strategies               every strategy and its value

    For example: expectitree sensitivity trees/rockefeller.yaml --parameter pr=0..1
    """
    ranges = [parse_range(text) for text in moved]
    is_tornado = is_tornado or not (moved or is_everywhere or until or add or strategies)
    chosen = {
        "everywhere": is_everywhere, "tornado": is_tornado, "until": until is not None,
        "add": add is not None, "strategies": strategies,
    }  # fmt: skip
    asked = [question for question, is_asked in chosen.items() if is_asked]
    _check_usage(asked, len(ranges), fixed)

    def answer(tree: Tree, file: str) -> Shown:
        names = [name for name, _ in ranges]
        name, ends = ranges[0] if ranges else ("", None)
        if is_tornado:
            given = {name: ends for name, ends in ranges if ends}
            return tornado(tree, names, ranges=given, fixed=fixed, file=file)
        if is_everywhere:
            return everywhere(tree, name, range=ends, file=file)
        if until is not None:
            return break_even(tree, name, until, range=ends, file=file)
        if add is not None:
            return added(tree, add, file=file)
        if strategies:
            return strategies_of(tree, file)
        if len(ranges) == 1:
            return sensitivity(tree, name, range=ends, file=file)
        return sensitivity_map(tree, *names, ranges=[e for _, e in ranges], grid=grid, file=file)

    options.show_all("sensitivity of", answer)


def _check_usage(asked: list[str], moved: int, fixed: bool) -> None:
    """Raise a usage error for two questions, or for one that moves another number of parameters."""
    if fixed and "tornado" not in asked:
        raise click.UsageError("--fixed is for --tornado.")
    if len(asked) > 1:
        raise click.UsageError(f"--{asked[0]} and --{asked[1]} are two questions\nask one.")
    if asked in (["add"], ["strategies"]) and moved:
        raise click.UsageError(f"--{asked[0]} moves no parameter\nremove --parameter.")
    if asked in (["everywhere"], ["until"]) and moved != 1:
        raise click.UsageError(f"--{asked[0]} needs one --parameter, which moves.")
    if not asked and moved > 2:
        raise click.UsageError("Name one --parameter, or two for a map; or add --tornado.")
