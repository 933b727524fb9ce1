"""`expectitree simulate`: what is best while parameters are uncertain."""

from __future__ import annotations

from collections.abc import Callable

from click import UsageError

from expectitree.base.display import Shown
from expectitree.base.numbers import quote
from expectitree.cli.trees import SearchOptions
from expectitree.decide.records import Fields
from expectitree.decide.sensitivity.parameters import parse_range
from expectitree.decide.simulation.report import acceptability, simulate


def command(
    parameter: str | None,
    groups: tuple[str, ...],
    studies: tuple[str, ...],
    draws: int,
    seed: int,
    options: SearchOptions,
) -> None:
    """Show which action is best while parameters are uncertain.

    Parameters are drawn from the `distribution` that they have in the file; --set makes one
    certain. For each action, `best in` is the share of draws in which it would be best if the
    parameters were known, and `loss` how much less it is worth than the best, on average. The
    last table has what knowing each parameter in advance is worth (EVPI, EVPPI). --format csv
    writes the draws, with the cost and the effect of each action if the file has such criteria.

    \b
    For example:
      expectitree simulate docs/examples/tegaderm.yaml --draws 1000
      expectitree simulate docs/examples/tegaderm.yaml --known crbsi,days --study lsi=500
      expectitree simulate docs/examples/sumatriptan.yaml -p wtp --plot curve.svg
    """
    designs = [*map(_design, studies)]
    known = [tuple(map(str.strip, names.split(","))) for names in groups]
    settings: Fields = {"draws": draws, "seed": seed, "known": known, "studies": designs}
    find: Callable[..., Shown] = simulate
    if parameter is not None:
        find = acceptability
        settings["parameter"], settings["range"] = parse_range(parameter)
    options.show_all("simulating", find, **settings)


def _design(text: str) -> list[str | float]:
    """Return a study: the parameter, the number of observations, and its sd if that is given."""
    name, _, numbers = text.partition("=")
    count, *sd = numbers.split(",", 1)
    try:
        return [name.strip(), int(count), *map(float, sd)]
    except ValueError:
        raise UsageError(
            f"found {quote(text)} as a study, expected NAME=N or NAME=N,SD, such as p=100."
        ) from None
