"""A report for a client: one page with the question, the recommendation, and what it depends on.

It is HTML without scripts that requests nothing from anywhere, and prints on A4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape as escape_html
from importlib.util import find_spec
from itertools import groupby
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from expectitree import __version__
from expectitree.analysis.plotting import svg_text
from expectitree.analysis.show import explain
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError, ExpectitreeError, install_hint
from expectitree.base.numbers import display_text, escape
from expectitree.base.tree.columns import CHANCE, MAX, MIN
from expectitree.base.tree.model import Kind, Tree
from expectitree.base.tree.parameters import parameter_values
from expectitree.base.tree.paths import split
from expectitree.decide.information import text as information_text
from expectitree.decide.information.report import every_event
from expectitree.decide.risk import plot as risk_plot
from expectitree.decide.risk import text as risk_text
from expectitree.decide.risk.report import risk
from expectitree.decide.sensitivity import plot as sensitivity_plot
from expectitree.decide.sensitivity import text as sensitivity_text
from expectitree.decide.sensitivity.report import Tornado, sensitivity, tornado
from expectitree.picture.drawing import to_svg
from expectitree.picture.notebook import Picture
from expectitree.searches.engine import evaluate
from expectitree.searches.result import PLAYERS, Search
from expectitree.text import markup
from expectitree.text.console import text_console
from expectitree.text.phrases import names_text, with_unit
from expectitree.text.tables import Column, table

_WIDTH = 1_000  # columns, so that no column of a table is left out
_MAX_DECISIONS = 20  # that are explained
# Lines of a terminal's reports that a page does not have: headings, plots in characters, hints.
_LEFT_OUT = ("title", "bar", "hint")
_STYLE = """
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
th { font-weight: 600 }
@media print {
  body { margin: 0; padding: 0; font-size: 11pt }
  figure img { min-width: 0; max-height: 240mm }
  .plot img { max-height: 80mm }
  h2, h3 { break-after: avoid }
  figure, tr, li { break-inside: avoid }
}
"""


@dataclass(frozen=True)
class _Case:
    """A decision that is reported."""

    tree: Tree
    file: str

    @cached_property
    def search(self) -> Search:
        return evaluate(self.tree)

    @cached_property
    def tornado(self) -> Tornado:
        return tornado(self.tree, file=self.file)


def page_of(tree: Tree, file: str = "") -> str:
    """Return the report about a tree as an HTML page.

    A part that cannot be made is left out with a sentence that says why. Raises `AnalysisError` if
    matplotlib is missing, and `SearchError` if the tree cannot be evaluated.
    """
    if find_spec("matplotlib") is None:
        raise AnalysisError(f"a report has plots, which need matplotlib: {install_hint('plot')}")
    case = _Case(tree, file)
    title = _escaped(tree.title or file or "A decision")
    parts = [f"<h1>{title}</h1>", _paragraph(tree.source or "", "dim")]
    parts.append(_paragraph(tree.notes.get(tree.root_id, "")))
    parts += _recommendation(case)
    for heading, section in _sections(tree).items():
        parts.append(f"<h2>{heading}</h2>")
        try:
            parts += section(case)
        except ExpectitreeError as error:
            parts.append(_paragraph(f"Left out: {error}."))
    parts.append(_paragraph(f"Made by expectitree {__version__} from {file}.", "dim"))
    body = "\n".join(filter(None, parts))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "img-src data:; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n<body>\n{body}\n"
    )


def _sections(tree: Tree) -> dict[str, Callable[[_Case], Iterator[str]]]:
    """Return the functions that yield the HTML of the sections after the first, by heading."""
    sections = {"The tree": _picture, "Inputs": _inputs}
    if tree.parameters:
        sections |= {"What the value depends on": _bars, "Where the decision changes": _changes}
    if CHANCE in tree.columns.kind:
        sections["How risky it is"] = _risk
    return sections | {"What information is worth": _information}


def _recommendation(case: _Case) -> Iterator[str]:
    """Yield the best action, and the reasons at each decision that play can reach."""
    search, tree = case.search, case.search.tree
    value = display_text(search.value)
    yield "<h2>Recommendation</h2>"
    what = f"a certainty equivalent of {value}" if tree.attitude else f"{value} on average"
    if tree.root.kind not in PLAYERS:
        yield _paragraph(f"The tree is worth {what}.", "answer")
    else:
        yield _paragraph(f"Choose {names_text(search.ties)}. It is worth {what}.", "answer")
    nodes = [n for n in tree.first_paths.order if n in search.strategy_branches]
    are_both = MAX in tree.columns.kind and MIN in tree.columns.kind
    for n in nodes[:_MAX_DECISIONS]:
        path = tree.path_of(n)
        labels = ", ".join(map(escape, split(path)))
        where = f"After {labels}" if n != tree.root_id else "First"
        verb = f"{Kind(tree.columns.kind[n]).name} chooses" if are_both else "choose"
        chosen = tree.branch_label(n, search.strategy_branches[n])
        yield f"<h3>{_escaped(where)}: {verb} {_escaped(chosen)}</h3>"
        reasons = explain(search, path, width=_WIDTH).splitlines()[1:]
        yield f"<ul>{''.join(f'<li>{_escaped(reason.strip())}</li>' for reason in reasons)}</ul>"
    if len(nodes) > _MAX_DECISIONS:
        yield _paragraph(f"{len(nodes) - _MAX_DECISIONS:,} later decisions are not listed.")


def _picture(case: _Case) -> Iterator[str]:
    yield _figure(to_svg(case.search, title=False, style="decision", direction="right"))


def _inputs(case: _Case) -> Iterator[str]:
    tree = case.tree
    if not tree.parameters:
        yield _paragraph("The file names no parameters, so no input can be varied.")
        return
    ranges = {bar.range.name: bar.range for bar in case.tornado.bars}
    columns = [Column("input"), Column("meaning")]
    columns += [Column(heading, number=True) for heading in ("value", "least", "greatest")]
    rows = []
    for name, value in parameter_values(tree).items():
        one, moved = tree.parameters[name], ranges.get(name)
        if one.bases or value is None:
            continue
        numbers = [value] if moved is None else [value, moved.low, moved.high]
        texts = [with_unit(display_text(number), one.unit) for number in numbers]
        rows.append([name, one.description or "", *texts, *[""] * (3 - len(texts))])
    yield from _html(table(columns, rows, text_console(_WIDTH).options))
    if case.tornado.assumed:
        names = ", ".join(case.tornado.assumed)
        yield _paragraph(f"Without a range in the file, so 10% less and more: {names}.", "dim")


def _bars(case: _Case) -> Iterator[str]:
    yield _plot(sensitivity_plot, case.tornado)
    for name, why in case.tornado.left_out.items():
        yield _paragraph(f"Not varied: {name}: {why}.", "dim")


def _changes(case: _Case) -> Iterator[str]:
    for bar in case.tornado.bars:
        one = bar.range
        about = f": {one.description}" if one.description else ""
        yield f"<h3>{_escaped(one.name + about)}</h3>"
        found = sensitivity(case.tree, one.name, range=(one.low, one.high), file=case.file)
        yield from _answer(sensitivity_text, found)
        if bar.changes:
            yield _plot(sensitivity_plot, found)


def _risk(case: _Case) -> Iterator[str]:
    found = risk(case.tree, exact=True, file=case.file)
    yield _plot(risk_plot, found)
    yield from _answer(risk_text, found)


def _information(case: _Case) -> Iterator[str]:
    if case.tree.formulas is None or not case.tree.formulas.events:
        yield _paragraph("The file names no event that could be known in advance.")
        return
    found = every_event(case.tree, exact=True, file=case.file)
    yield from _answer(information_text, found)
    for one in found.events:
        yield f"<h3>{_escaped(one.event)}</h3>"
        yield from _answer(information_text, one)


# ---- HTML.


def _answer(module: Any, report: Shown) -> Iterator[str]:
    """Yield the tables and the sentences of a terminal's report."""
    yield from _html(module.render([report], text_console(_WIDTH).options))


def _html(lines: Iterable[RenderableType]) -> Iterator[str]:
    for is_table, group in groupby(lines, lambda line: isinstance(line, Table)):
        if is_table:
            yield f'<div class="table">{"".join(markup.to_strings(group, text_console()))}</div>'
            continue
        kept = [one for one in group if isinstance(one, Text) and one.style not in _LEFT_OUT]
        yield _paragraph(" ".join(one.plain for one in kept))


def _plot(module: Any, report: Shown) -> str:
    figure = module.figure_of(report)
    figure.axes[0].set_title("", loc="left")  # the page has it
    return _figure(svg_text(figure), "plot")


def _figure(svg: str, kind: str = "") -> str:
    return f'<figure class="{kind}">{Picture(svg)._repr_html_()}</figure>'


def _paragraph(text: str, kind: str = "") -> str:
    return f'<p class="{kind}">{_escaped(text)}</p>' if text else ""


def _escaped(text: str) -> str:
    return escape_html(escape(text))
