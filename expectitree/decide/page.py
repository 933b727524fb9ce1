"""A report for a client: one page with the question, the recommendation, and what it depends on.

It is HTML without scripts that requests nothing from anywhere, and prints on A4.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from html import escape as escape_html
from importlib.util import find_spec
from itertools import groupby, product
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from expectitree import __version__
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.text import criteria_table
from expectitree.analysis.show import explain
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, ExpectitreeError, install_hint
from expectitree.base.expressions.syntax import names_in, text_of
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import display_text, escape, quote
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.attitude import Attitude
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import split
from expectitree.decide.frontier.report import frontier, weighed_parts
from expectitree.decide.information.report import every_event
from expectitree.decide.risk.report import risk
from expectitree.decide.sensitivity.decisions import number_text, short_text
from expectitree.decide.sensitivity.parameters import SAMPLED, Range
from expectitree.decide.sensitivity.report import Tornado, sensitivity, tornado
from expectitree.decide.sensitivity.text import has_later, part_text, range_notes
from expectitree.decide.simulation.report import acceptability, simulate
from expectitree.picture.drawing import to_svg
from expectitree.picture.notebook import Picture, plot_of
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.text import markup
from expectitree.text.console import decider_heading, text_console
from expectitree.text.phrases import names_text, with_unit, worth_text
from expectitree.text.tables import Column, table

_WIDTH = 1_000  # columns, so that no column of a table is left out
_MAX_DECISIONS = 20  # that are explained
_MAX_PLOTS = 2  # of inputs that change the decision
_SCALE = 0.7  # of the size of a plot, so that its text is larger beside it
_PICTURE_WIDTH = 960  # pixels of a picture whose text is legible on the page
_ROWS = 100, 60, 40, 25, 15  # nodes of the tree's picture: as many as fit
# Lines of a terminal's reports that a page does not have: headings, plots in characters, hints, and
# the decision maker, whom the recommendation names.
_LEFT_OUT = ("title", "bar", "hint", "decider")
_HEAD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<style>
@page { size: A4; margin: 14mm }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328; background: white;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
h1 { line-height: 1.2; margin-bottom: 0.2rem }
h2 { margin-top: 2.2rem; padding-bottom: 0.2rem; border-bottom: 1px solid #d4d8de }
.dim { color: #59636e; margin-top: 0 }
.answer { font-size: 1.3rem }
figure, .table { overflow-x: auto; margin: 1rem 0 }
.plots { display: flex; flex-wrap: wrap; align-items: flex-start }
.plots figure { width: 50%; min-width: 20rem; flex: 1 0 20rem; margin: 0; max-width: 30rem }
figure.wide img, figure.tree img { min-width: 32rem }
table { border-collapse: collapse; font: inherit !important; white-space: normal !important }
th, td { padding: 0.25rem 0.8rem 0.25rem 0; border-bottom: 1px solid #e4e7eb; vertical-align: top }
@media print {
  body { margin: 0; padding: 0; font-size: 10pt; line-height: 1.35 }
  h1 { font-size: 18pt; margin-top: 1.5rem }
  body > .dim:last-child { position: absolute; top: 0; right: 0; margin: 0 } /* not a page more */
  h2 { font-size: 13pt; margin-top: 1.2rem }
  h3 { font-size: 10.5pt; margin: 0.6rem 0 0 }
  p, ul, figure, .table { margin: 0.4rem 0 }
  figure.wide img, figure.tree img { min-width: 0 }
  .plots figure { min-width: 0; flex-basis: 48%; max-width: 50% }
  .tree img { max-height: 140mm }
  .wide img { max-height: 110mm }
  .plots img { max-height: 55mm; width: auto }
  .table { overflow: visible; font-size: 8pt }
  .table:not(:has(tr:nth-child(16))) { display: inline-block; margin-right: 8mm;
    vertical-align: top }
  th, td { padding: 0.1rem 0.5rem 0.1rem 0 }
  h2, h3, tr:nth-child(-n+3) { break-after: avoid }
  tr:nth-last-child(-n+3) { break-before: avoid }
  figure, tr, li { break-inside: avoid }
}
</style>
"""


@dataclass(frozen=True)
class Subject:
    """The tree that a report is about."""

    search: Search
    file: str  # the name of the tree in outputs

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.search.tree

    @cached_property
    def tornado(self) -> Tornado:
        """The effect of each input."""
        return tornado(self.tree, file=self.file)


class Part(NamedTuple):
    """A part of the report: its words, and what it needs of a tree."""

    heading: str
    lines: Callable[[Subject], Iterator[str]]
    applies: Callable[[Tree], object] = lambda _: True
    missing: str = ""  # the sentence about a tree to which it does not apply


def page_of(tree: Tree, file: str = "", parts: Sequence[str] = ()) -> str:
    """Return the report about a tree as an HTML page, or some of its `PARTS`.

    A part that cannot be made is left out with a sentence that says why. Raises `AnalysisError` if
    matplotlib is missing or there is no such part, and `SearchError` if the tree cannot be
    evaluated.
    """
    if find_spec("matplotlib") is None:
        raise AnalysisError(f"a report has plots, which need matplotlib\n{install_hint('plot')}")
    for key in parts:
        if key not in PARTS:
            hint = did_you_mean(key, PARTS)
            raise AnalysisError(f"no part {quote(key)}{hint}\nthe parts are {', '.join(PARTS)}")
    name = "" if file in ("-e", "-") else os.path.basename(file)
    subject, title = Subject(evaluate(tree), file), tree.title or name or "A decision"
    lines = [_element("title", title), "<body>", _element("h1", title)]
    lines += [_element("p", tree.source, "dim"), _element("p", tree.notes.get(tree.root_id))]
    for key, part in PARTS.items():
        if key not in (parts or PARTS):
            continue
        if part.applies(tree):
            lines += [_element("h2", part.heading), *_attempt(part.lines, subject)]
        elif parts:
            lines += [_element("h2", part.heading), _element("p", part.missing)]
    made = f"Made by expectitree {__version__}{name and f' from {name}'}."
    lines += [_element("p", made, "dim")]
    return _HEAD + "\n".join(filter(None, lines)) + "\n"


def _recommendation(subject: Subject) -> Iterator[str]:
    """Yield the best action and what it is worth."""
    search, tree = subject.search, subject.tree
    value = worth_text(tree, search.value)
    what = f"{value} on average"
    if tree.attitude:
        what = f"a certainty equivalent of {value}"
    advice = "The tree"
    if search.ties:
        advice = f"Choose {names_text(search.ties)}. It"
    yield _element("p", f"{advice} is worth {what}.", "answer")
    if tree.attitude:
        yield _element("p", _attitude_text(search, tree.attitude))
    yield from (_element("p", line.plain, "dim") for line in decider_heading(tree))


def _reasons(subject: Subject) -> Iterator[str]:
    """Yield the reasons at each decision that play can reach.

    They follow the picture, since a page can end between them.
    """
    search, tree = subject.search, subject.tree
    nodes = [n for n in tree.first_paths.order if n in search.strategy_branches]
    for n in nodes[:_MAX_DECISIONS]:
        path = tree.path_of(n)
        where, verb = "First", "choose"
        if n != tree.root_id:
            where = f"After {', '.join(split(path))}"
        if n in tree.formulas.states:  # many paths lead there, and some of them no play takes
            where = f"At {tree.formulas.named[n]}"
        if len(tree.deciders) > 1:
            verb = f"{Kind(tree.columns.kind[n]).name} chooses"
        chosen = tree.branch_label(n, search.strategy_branches[n])
        yield _element("h3", f"{where}: {verb} {chosen}")
        reasons = explain(search, path, width=_WIDTH).splitlines()[1:]
        yield f"<ul>{''.join(_element('li', reason.strip()) for reason in reasons)}</ul>"
    if len(nodes) > _MAX_DECISIONS:
        yield _element("p", f"{len(nodes) - _MAX_DECISIONS:,} later decisions are not listed.")


def _attitude_text(search: Search, attitude: Attitude) -> str:
    """Return the sentences about an attitude to risk, and the value without it."""
    kind, _, number = attitude.text.partition("=")
    figures = search.under_attitude
    assert figures is not None
    return (
        f"Values are certainty equivalents: the attitude to risk is {kind} ({number}). On average "
        f"it is worth {worth_text(search.tree, figures.mean)}, so the risk premium is "
        f"{worth_text(search.tree, figures.premium)}."
    )


def _tree(subject: Subject) -> Iterator[str]:
    """Yield a picture with legible text, of as many nodes as fit the page."""
    style: dict[str, Any] = {"title": False}
    for rows, direction in product(_ROWS, ("right", "auto")):
        style |= {"rows": rows, "direction": direction}
        with suppress(AnalysisError):
            picture = to_svg(subject.search, width=_PICTURE_WIDTH, **style)
            break
    else:
        picture = to_svg(subject.search, **style)
    yield _figure(Picture(picture)._repr_html_(), "tree")


def _criteria(subject: Subject) -> Iterator[str]:
    """Yield the criteria of each action, and which strategies are best for some weight."""
    evaluation = Evaluation(subject.file, subject.search)
    yield from _html(criteria_table(evaluation, text_console(_WIDTH).options, True))
    tree, objective = subject.tree, subject.tree.criteria.objective
    if sum(name in tree.parameters for name in names_in(objective)) == 1:
        yield from _answer(frontier(tree, file=subject.file))
    else:
        yield _element("p", f"The objective is {text_of(objective)}.")


def _inputs(subject: Subject) -> Iterator[str]:
    """Yield the parameters with their ranges, and how the value depends on them.

    Those that have no effect share a table.
    """
    found = subject.tornado
    worth = [Column("worth at least", True), Column("at most", True)]
    columns = [Column("input"), Column("meaning"), Column("value", True), Column("range", True)]
    rows = [
        [*_about(bar.range), *map(display_text, (bar.least, bar.greatest))] for bar in found.moving
    ]
    options = text_console(_WIDTH).options
    if rows:
        yield _figure(plot_of(found), "wide")  # first, since a page can end in a table
        yield from _html(table([*columns, *worth], rows, options))
    idle = [_about(bar.range) for bar in found.bars if bar not in found.moving]
    if idle:
        yield _element("h3", "Inputs that do not change the value")
        yield from _html(table(columns, idle, options))
    if found.assumed:
        names = ", ".join(found.assumed)
        yield _element("p", f"Without a range in the file, so 10% less and more: {names}.", "dim")
    if found.left_out:
        yield _element("p", f"Not varied: {', '.join(found.left_out)}.", "dim")
    for note in range_notes(*(bar.range for bar in found.bars)):
        yield _element("p", note, "dim")


def _about(one: Range) -> list[str]:
    """Return the name, the meaning, the value and the range of a parameter."""
    value = with_unit(number_text(one.current), one.unit)
    return [one.name, one.description or "", value, part_text(one.low, one.high, one.unit)]


def _thresholds(subject: Subject) -> Iterator[str]:
    """Yield a table of the inputs that change the decision, and plots of the first ones."""
    found = subject.tornado
    rows = []
    for bar in found.bars:
        name, unit = bar.range.name, bar.range.unit
        cells = [
            (short_text(change), names_text(change.before), names_text(change.after))
            for change in bar.changes
        ]
        cells += [(number_text(place), "a later decision", "changes") for place in bar.later]
        for place, *actions in cells:
            rows.append([name, with_unit(place, unit), *actions])
            name = ""
    columns = [Column("input"), Column("at", True), Column("from"), Column("to")]
    if rows:
        yield from _html(table(columns, rows, text_console(_WIDTH).options))
    idle = [bar for bar in found.bars if not bar.changes and not bar.later]
    if idle:
        what = "decision"
        if has_later(subject.tree) and SAMPLED in {bar.method for bar in idle}:
            what = "first decision"  # others are not looked for
        names = ", ".join(bar.range.name for bar in idle)
        yield _element("p", f"No value in its range changes the {what}: {names}.")
    deciding = [bar.range for bar in found.bars if bar.changes][:_MAX_PLOTS]
    yield _plots(
        sensitivity(subject.tree, one.name, range=(one.low, one.high), file=subject.file)
        for one in deciding
    )


def _uncertainty(subject: Subject) -> Iterator[str]:
    """Yield a simulation, and its acceptability curve over the first weight that has a range."""
    tree, file = subject.tree, subject.file
    simulation = simulate(tree, file=file)
    yield from _text(simulation)
    names = [name for name in names_in(tree.criteria.objective) if _is_weight(tree, name)]
    yield _plots([simulation, *(acceptability(tree, name, file=file) for name in names[:1])])


def _is_weight(tree: Tree, name: str) -> bool:
    """Return whether a name in the objective is that of a weight that has a range."""
    one = tree.parameters.get(name)
    has_range = one is not None and one.range is not None and one.distribution is None
    return has_range and weighed_parts(tree, name) is not None


PARTS = {
    "recommendation": Part("Recommendation", _recommendation),
    "tree": Part("The tree", _tree),
    "reasons": Part("The reasons", _reasons, lambda tree: tree.deciders, "Nobody decides."),
    "criteria": Part("Criteria", _criteria, lambda tree: tree.criteria, "It has no criteria."),
    "inputs": Part(
        "What the value depends on", _inputs, lambda tree: tree.parameters, "It has no inputs."
    ),
    "thresholds": Part(
        "Where the decision changes", _thresholds, lambda tree: tree.parameters, "It has no inputs."
    ),
    "risk": Part(
        "How risky it is",
        lambda subject: _answer(risk(subject.tree, exact=True, file=subject.file)),
        lambda tree: CHANCE in tree.columns.kind,
        "Nothing is left to chance.",
    ),
    "information": Part(
        "What information is worth",
        lambda subject: _answer(every_event(subject.tree, exact=True, file=subject.file)),
        lambda tree: tree.formulas.events,
        "It has no events.",
    ),
    "uncertainty": Part(
        "If the inputs are uncertain",
        _uncertainty,
        lambda tree: any(one.distribution for one in tree.parameters.values()),
        "No input has a distribution.",
    ),
}


# ---- HTML.


def _attempt(lines: Callable[[Subject], Iterator[str]], subject: Subject) -> Iterator[str]:
    """Yield a part of the page, and why the rest of it is left out if that cannot be made.

    What to do about an error is for the author of the file, and not for the client.
    """
    try:
        yield from lines(subject)
    except ExpectitreeError as error:
        yield _element("p", f"Left out: {error.reason}.")


def _answer(report: Shown) -> Iterator[str]:
    """Yield the tables and the sentences of a terminal's report, and its plot."""
    yield from _text(report)
    yield _plots([report])


def _text(report: Shown) -> Iterator[str]:
    """Yield the tables and the sentences of a terminal's report."""
    module = module_of(f"{QUESTIONS[report.question]}.text")
    yield from _html(module.render([report], text_console(_WIDTH).options))


def _plots(reports: Iterable[Shown]) -> str:
    """Return the plots of reports, two in a row."""
    plots = [plot_of(report, _SCALE) for report in reports]
    return f'<div class="plots">{"".join(_figure(plot) for plot in plots if plot)}</div>'


def _html(lines: Iterable[RenderableType]) -> Iterator[str]:
    for is_table, group in groupby(lines, lambda line: isinstance(line, Table)):
        if is_table:
            yield f'<div class="table">{"".join(markup.to_strings(group, text_console()))}</div>'
            continue
        kept = [one for one in group if isinstance(one, Text) and one.style not in _LEFT_OUT]
        yield _element("p", " ".join(one.plain for one in kept))


def _figure(picture: str, kind: str = "") -> str:
    return f'<figure class="{kind}">{picture}</figure>'


def _element(tag: str, text: str | None, kind: str = "") -> str:
    """Return an element with a text; nothing without one."""
    return f'<{tag} class="{kind}">{escape_html(escape(text))}</{tag}>' if text else ""
