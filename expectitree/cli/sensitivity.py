"""`expectitree sensitivity`: what the best decision depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from click import UsageError

from expectitree.base.display import Shown
from expectitree.cli.trees import SearchOptions
from expectitree.decide.records import Fields
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
    ranges = dict(map(parse_range, moved))
    names = [*ranges]
    parameter: Fields = {}
    if names:
        parameter = {"parameter": names[0], "range": ranges[names[0]]}
    answers: dict[str, Callable[..., Shown]] = {}
    if is_everywhere:
        answers["everywhere"] = partial(everywhere, **parameter)
    if is_tornado or not (moved or is_everywhere or until or add or strategies):
        given = {name: ends for name, ends in ranges.items() if ends}
        answers["tornado"] = partial(tornado, parameters=names, ranges=given, fixed=fixed)
    if until is not None:
        answers["until"] = partial(break_even, equation=until, **parameter)
    if add is not None:
        answers["add"] = partial(added, path=add)
    if strategies:
        answers["strategies"] = strategies_of
    _check_usage([*answers], len(moved), fixed)
    answers["parameter"] = partial(sensitivity, **parameter)
    if len(moved) == 2:
        ends = [*ranges.values()]
        answers["parameter"] = lambda tree, file: sensitivity_map(
            tree, *names, ranges=ends, grid=grid, file=file
        )
    answer, *_ = answers.values()
    options.show_all("sensitivity of", answer)


def _check_usage(asked: list[str], moved: int, fixed: bool) -> None:
    """Raise a usage error for two questions, or for one that moves another number of parameters."""
    if fixed and "tornado" not in asked:
        raise UsageError("--fixed is for --tornado.")
    if len(asked) > 1:
        raise UsageError(f"--{asked[0]} and --{asked[1]} are two questions\nask one.")
    if asked in (["add"], ["strategies"]) and moved:
        raise UsageError(f"--{asked[0]} moves no parameter\nremove --parameter.")
    if asked in (["everywhere"], ["until"]) and moved != 1:
        raise UsageError(f"--{asked[0]} needs one --parameter, which moves.")
    if not asked and moved > 2:
        raise UsageError("Name one --parameter, or two for a map; or add --tornado.")
