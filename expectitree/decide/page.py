"""A report for a client: one page with the question, the recommendation, and what it depends on.

It is HTML without scripts that requests nothing from anywhere, and prints on A4.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from html import escape as escape_html
from importlib.util import find_spec
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from expectitree import __version__
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.text import criteria_table
from expectitree.analysis.show import explain
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, ExpectitreeError, install_hint
from expectitree.base.numbers import display_text, escape
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.columns import CHANCE
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.paths import split
from expectitree.decide.frontier.report import frontier
from expectitree.decide.information.report import every_event
from expectitree.decide.risk.report import risk
from expectitree.decide.sensitivity.report import sensitivity, tornado
from expectitree.decide.sensitivity.text import range_notes
from expectitree.picture.drawing import to_svg
from expectitree.picture.notebook import Picture, plot_of
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.text import markup
from expectitree.text.console import decider_heading, text_console
from expectitree.text.phrases import names_text, with_unit
from expectitree.text.tables import Column, table

_WIDTH = 1_000  # columns, so that no column of a table is left out
_MAX_DECISIONS = 20  # that are explained
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
@page { size: A4; margin: 16mm }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328; background: white;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
h1 { line-height: 1.2; margin-bottom: 0.2rem }
h2 { margin-top: 2.2rem; padding-bottom: 0.2rem; border-bottom: 1px solid #d4d8de }
.dim { color: #59636e; margin-top: 0 }
.answer { font-size: 1.3rem }
figure, .table { overflow-x: auto; margin: 1rem 0 }
figure img { min-width: 32rem }
table { border-collapse: collapse; font: inherit !important; white-space: normal !important }
th, td { padding: 0.25rem 0.8rem 0.25rem 0; border-bottom: 1px solid #e4e7eb; vertical-align: top }
@media print {
  body { margin: 0; padding: 0; font-size: 11pt }
  figure img { min-width: 0; max-height: 240mm }
  .plot img { max-height: 80mm }
  .table { overflow: visible; font-size: 8.5pt }
  th, td { padding-right: 0.5rem }
  h2, h3 { break-after: avoid }
  figure, tr, li { break-inside: avoid }
}
</style>
"""


def page_of(tree: Tree, file: str = "") -> str:
    """Return the report about a tree as an HTML page.

    A part that cannot be made is left out with a sentence that says why. Raises `AnalysisError` if
    matplotlib is missing, and `SearchError` if the tree cannot be evaluated.
    """
    if find_spec("matplotlib") is None:
        raise AnalysisError(f"a report has plots, which need matplotlib\n{install_hint('plot')}")
    name = "" if file in ("-e", "-") else os.path.basename(file)
    search, title = evaluate(tree), tree.title or name or "A decision"
    parts = [_element("title", title), "<body>", _element("h1", title)]
    parts += [_element("p", tree.source, "dim"), _element("p", tree.notes.get(tree.root_id))]
    parts += [*_recommendation(search), "<h2>The tree</h2>"]
    picture = to_svg(search, title=False, style="decision", direction="right")
    parts += [_figure(Picture(picture)._repr_html_())]
    if tree.criteria:
        parts += ["<h2>Criteria</h2>", *_attempt(lambda: _criteria(search, file))]
    if tree.parameters:
        parts += ["<h2>Inputs</h2>", *_attempt(lambda: _inputs(tree, file))]
    if CHANCE in tree.columns.kind:
        parts += ["<h2>How risky it is</h2>"]
        parts += _attempt(lambda: _answer(risk(tree, exact=True, file=file)))
    if tree.formulas.events:
        parts += ["<h2>What information is worth</h2>"]
        parts += _attempt(lambda: _answer(every_event(tree, exact=True, file=file)))
    made = f"Made by expectitree {__version__}{name and f' from {name}'}."
    parts += [_element("p", made, "dim")]
    return _HEAD + "\n".join(filter(None, parts)) + "\n"


def _recommendation(search: Search) -> Iterator[str]:
    """Yield the best action, and the reasons at each decision that play can reach."""
    tree, value = search.tree, display_text(search.value)
    what = f"a certainty equivalent of {value}" if tree.attitude else f"{value} on average"
    yield "<h2>Recommendation</h2>"
    advice = f"Choose {names_text(search.ties)}. It" if search.ties else "The tree"
    yield _element("p", f"{advice} is worth {what}.", "answer")
    yield from (_element("p", line.plain, "dim") for line in decider_heading(tree))
    nodes = [n for n in tree.first_paths.order if n in search.strategy_branches]
    for n in nodes[:_MAX_DECISIONS]:
        path = tree.path_of(n)
        where, verb = "First", "choose"
        if n != tree.root_id:
            where = f"After {', '.join(split(path))}"
        if len(tree.deciders) > 1:
            verb = f"{Kind(tree.columns.kind[n]).name} chooses"
        chosen = tree.branch_label(n, search.strategy_branches[n])
        yield _element("h3", f"{where}: {verb} {chosen}")
        reasons = explain(search, path, width=_WIDTH).splitlines()[1:]
        yield f"<ul>{''.join(_element('li', reason.strip()) for reason in reasons)}</ul>"
    if len(nodes) > _MAX_DECISIONS:
        yield _element("p", f"{len(nodes) - _MAX_DECISIONS:,} later decisions are not listed.")


def _criteria(search: Search, file: str) -> Iterator[str]:
    """Yield the criteria of each action, and which strategies are best for some weight."""
    yield from _html(criteria_table(Evaluation(file, search), text_console(_WIDTH).options))
    yield from _answer(frontier(search.tree, file=file))


def _inputs(tree: Tree, file: str) -> Iterator[str]:
    """Yield the parameters with their ranges, and how the value and the decision depend on them."""
    found = tornado(tree, file=file)
    columns = [Column("input"), Column("meaning"), Column("value", True)]
    columns += [Column("least", True), Column("greatest", True)]
    rows = []
    for one in (bar.range for bar in found.bars):
        numbers = [with_unit(display_text(x), one.unit) for x in (one.current, one.low, one.high)]
        rows.append([one.name, one.description or "", *numbers])
    yield from _html(table(columns, rows, text_console(_WIDTH).options))
    if found.assumed:
        names = ", ".join(found.assumed)
        yield _element("p", f"Without a range in the file, so 10% less and more: {names}.", "dim")
    if found.left_out:
        yield _element("p", f"Not varied: {', '.join(found.left_out)}.", "dim")
    for note in range_notes(*(bar.range for bar in found.bars)):
        yield _element("p", note, "dim")
    yield f"<h2>What the value depends on</h2>{_figure(plot_of(found), 'plot')}"
    yield "<h2>Where the decision changes</h2>"
    idle = [bar.range.name for bar in found.bars if not bar.thresholds and not bar.later]
    if idle:
        yield _element("p", f"No value in its range changes the decision: {', '.join(idle)}.")
    for one in (bar.range for bar in found.bars if bar.range.name not in idle):
        yield _element("h3", ": ".join(filter(None, (one.name, one.description))))
        yield from _answer(sensitivity(tree, one.name, range=(one.low, one.high), file=file))


# ---- HTML.


def _attempt(part: Callable[[], Iterator[str]]) -> Iterator[str]:
    """Yield a part of the page, and why the rest of it is left out if that cannot be made."""
    try:
        yield from part()
    except ExpectitreeError as error:
        yield _element("p", f"Left out: {error}.")


def _answer(report: Shown) -> Iterator[str]:
    """Yield the tables and the sentences of a terminal's report, and its plot."""
    module = module_of(f"{QUESTIONS[report.question]}.text")
    yield from _html(module.render([report], text_console(_WIDTH).options))
    if plot := plot_of(report):
        yield _figure(plot, "plot")


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
