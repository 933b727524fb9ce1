"""The report as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.analysis.study.summary import Summary
from expectitree.analysis.study.text import _RIGHT, _legend, _table
from expectitree.numbers import escape
from expectitree.text.look import Look
from expectitree.text.table import escaped, markdown


def render(summary: Summary, look: Look) -> Iterator[str]:
    """Yield the same as Markdown."""
    study = summary.study
    yield f"### {escaped(escape(study.title or study.file))}"
    yield ""
    if study.source:
        yield escaped(escape(study.source))
        yield ""
    headings, rows = _table(summary)
    yield from markdown(headings, rows, headings[1:] if study.table == "wide" else _RIGHT)
    yield ""
    yield " ".join(_legend(summary))
