"""The reports for a terminal. Numbers are shown to two digits of their standard error."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from rich.console import ConsoleOptions

from expectitree.base.numbers import display_text, escape, typeset
from expectitree.decide.lines import Lines, notes, render_each, sentences
from expectitree.decide.simulation.figures import Estimated
from expectitree.decide.simulation.report import Acceptability, Simulation
from expectitree.text.console import characters
from expectitree.text.phrases import names_text, with_unit
from expectitree.text.tables import Column, table

_EVERY = 5  # points of a curve are a row each
_LEAST_ERROR = 1e-8  # for which digits are left out: 9 places


def _lines(report: Simulation | Acceptability, options: ConsoleOptions) -> Lines:
    """Yield tables and sentences."""
    if isinstance(report, Acceptability):
        yield from _curve(report, options)
        texts = _shares_sentence(report)
    else:
        yield from _actions(report, options)
        yield ""
        if report.criteria:
            yield from _criteria(report, options)
            yield ""
        yield from _information(report, options)
        texts = _sentences(report)
    yield ""
    yield from sentences(texts, options)
    yield from notes(options, f"{report.draws:,} draws, seed {report.seed}.")


render = partial(render_each, _lines)


def _text(value: float, error: float) -> str:
    """Return a number with the digits that its standard error leaves."""
    if error < _LEAST_ERROR:
        return display_text(value)
    places = max(0, 1 - math.floor(math.log10(error)))
    return typeset(f"{value:z.{places}f}")


def _pair(one: Estimated) -> list[str]:
    return [_text(number, one.error) for number in (one.value, one.error)]


def _actions(report: Simulation, options: ConsoleOptions) -> Lines:
    spare = {"mean": 0, "sd": 1, "2.5%": 3, "50%": 2, "97.5%": 3, "best in": 0, "loss": 0}
    columns = [Column("action"), *(Column(name, True, rank) for name, rank in spare.items())]
    rows = []
    for one in report.actions:
        name = escape(one.action or "the tree")
        if one.is_best:
            name += f" {characters(options).best.strip()}"
        error = one.sd / report.draws**0.5
        cells = [_text(x, error) for x in (one.mean, one.sd, *one.quantiles.values())]
        rows.append([name, *cells, f"{one.share:.1%}", _text(one.loss, report.evpi.error)])
    return table(columns, rows, options)


def _criteria(report: Simulation, options: ConsoleOptions) -> Lines:
    columns = [Column("criterion")]
    for position, action in enumerate(report.actions):
        columns.append(Column(escape(action.action or "the tree"), True, position))

    rows = []
    for name, criterion in report.tree.criteria.by_name.items():
        heading = name
        if criterion.unit:
            heading += f" ({escape(criterion.unit)})"
        means = (action.criteria[name] for action in report.actions)
        rows.append([heading, *(" ± ".join(_pair(mean)) for mean in means)])
    return table(columns, rows, options)


def _information(report: Simulation, options: ConsoleOptions) -> Lines:
    columns = [Column("if known"), Column("is worth", True), Column("±", True)]
    rows = [["all parameters", *_pair(report.evpi)]]
    for one in report.evppi:
        if one.evppi.error:
            name = escape(one.name)
            if one.parameters[1:] and one.name != ", ".join(one.parameters):
                name += f" (set of {len(one.parameters)})"
            rows.append([name, *_pair(one.evppi)])
    rows += [[escape(study.name), *_pair(study.evsi)] for study in report.evsi]
    return table(columns, rows, options)


def _shares_sentence(report: Acceptability) -> Iterator[str]:
    end = "greatest" if report.tree.gain_sign > 0 else "least"
    yield (
        f"The best action has the {end} mean. The shares are those of the draws in which "
        "each action would be best if the parameters were known."
    )


def _sentences(report: Simulation) -> Iterator[str]:
    best = f" ({names_text(report.best)})" if report.best else ""
    worth = (" ± ".join(_pair(one)) for one in (report.value, report.evpi))
    value, evpi = (with_unit(text, report.tree.unit) for text in worth)
    yield f"Deciding now is worth {value}{best}. ± is the standard error."
    yield (
        f"Knowing all parameters in advance is worth at most {evpi} (EVPI): the expected loss of "
        "deciding now."
    )
    idle = [one.name for one in report.evppi if not one.evppi.error]
    if idle:
        yield f"Knowing only {names_text(idle).replace(' and ', ' or ')} changes no decision."


def _curve(report: Acceptability, options: ConsoleOptions) -> Lines:
    columns = [Column(report.range.heading, True), Column("best")]
    columns += [Column(escape(name), True) for name in (*report.actions, *report.points[0].worth)]
    rows = []
    for point in report.points[::_EVERY]:
        cells = [f"{share:.1%}" for share in point.shares]
        cells += [_pair(worth)[0] for worth in point.worth.values()]
        rows.append([display_text(point.at), escape(point.best), *cells])
    return table(columns, rows, options)
