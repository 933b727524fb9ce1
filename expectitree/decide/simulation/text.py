"""The reports for a terminal. Numbers are shown to two digits of their standard error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.numbers import display_text, escape, typeset
from expectitree.decide.simulation.report import Acceptability, Estimated, Simulation
from expectitree.text.console import characters, report_heading, safe
from expectitree.text.phrases import names_text
from expectitree.text.tables import Column, table

_EVERY = 5  # points of a curve are a row each
_MAX_PLACES = 9


def render(
    reports: Sequence[Simulation | Acceptability], options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield tables and sentences for each tree."""
    for position, report in enumerate(reports):
        yield from report_heading(reports, position, options)
        if isinstance(report, Acceptability):
            yield from _curve(report, options)
        else:
            yield from _actions(report, options)
            yield ""
            yield from _information(report, options)
        yield ""
        for sentence in _sentences(report):
            yield Text(safe(sentence, options))
        yield Text(f"{report.draws:,} draws, seed {report.seed}.", style="dim")


def _text(value: float, error: float) -> str:
    """Return a number with the digits that its standard error leaves."""
    places = max(0, 1 - math.floor(math.log10(error))) if error else _MAX_PLACES + 1
    return display_text(value) if places > _MAX_PLACES else typeset(f"{value:z.{places}f}")


def _pair(one: Estimated) -> list[str]:
    return [_text(number, one.error) for number in (one.value, one.error)]


def _actions(report: Simulation, options: ConsoleOptions) -> Iterator[RenderableType]:
    spare = {"mean": 0, "sd": 1, "2.5%": 3, "50%": 2, "97.5%": 3, "best in": 0, "loss": 0}
    columns = [Column("action"), *(Column(name, True, rank) for name, rank in spare.items())]
    rows = []
    for one in report.actions:
        error = one.sd / report.draws**0.5
        mark = f" {characters(options).best.strip()}" if one.is_best else ""
        numbers = [one.mean, one.sd, *one.quantiles.values()]
        cells = [f"{escape(one.action or 'the tree')}{mark}", *(_text(x, error) for x in numbers)]
        rows.append([*cells, f"{one.share:.1%}", _text(one.loss, report.evpi.error)])
    return table(columns, rows, options)


def _information(report: Simulation, options: ConsoleOptions) -> Iterator[RenderableType]:
    columns = [Column("if known"), Column("is worth", number=True), Column("±", number=True)]
    rows = [["all parameters", *_pair(report.evpi)]]
    for one in report.evppi:
        if one.evppi.error:
            kind = f" (set of {len(one.parameters)})" if one.parameters[1:] else ""
            rows.append([f"{escape(one.name)}{kind}", *_pair(one.evppi)])
    return table(columns, rows, options)


def _sentences(report: Simulation | Acceptability) -> Iterator[str]:
    if isinstance(report, Acceptability):
        end = "greatest" if report.tree.gain_sign > 0 else "least"
        yield (
            f"The best action has the {end} mean. The shares are those of the draws in which "
            "each action would be best if the parameters were known."
        )
        return
    best = f" ({names_text(report.best)})" if report.best else ""
    value, evpi = (" ± ".join(_pair(one)) for one in (report.value, report.evpi))
    yield f"Deciding now is worth {value}{best}. ± is the standard error."
    yield (
        f"Knowing all parameters in advance is worth at most {evpi} (EVPI): the expected loss of "
        "deciding now."
    )
    idle = [one.name for one in report.evppi if not one.evppi.error]
    if idle:
        yield f"Knowing only {names_text(idle).replace(' and ', ' or ')} changes no decision."


def _curve(report: Acceptability, options: ConsoleOptions) -> Iterator[RenderableType]:
    one = report.range
    columns = [Column(f"{one.name} ({one.unit})" if one.unit else one.name, number=True)]
    columns += [Column("best"), *(Column(escape(name), number=True) for name in report.actions)]
    rows = []
    for point in report.points[::_EVERY]:
        shares = [f"{share:.1%}" for share in point.shares]
        evpi, _ = _pair(point.evpi)
        rows.append([display_text(point.at), escape(point.best), *shares, evpi])
    return table([*columns, Column("EVPI", number=True)], rows, options)
