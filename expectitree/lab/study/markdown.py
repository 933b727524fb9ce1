"""A study as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.base.numbers import escape
from expectitree.lab.study.report import Summary
from expectitree.lab.study.text import legend, study_table


def render(summary: Summary) -> Iterator[str]:
    study = summary.study
    yield f"### {_shown(study.title or study.file)}"
    yield ""
    if study.source:
        yield _shown(study.source)
        yield ""
    columns, rows = study_table(summary)
    yield f"| {' | '.join(column.heading for column in columns)} |"
    rules = ("---:" if column.number else "---" for column in columns)
    yield f"| {' | '.join(rules)} |"
    for row in rows:
        yield f"| {' | '.join(map(_shown, row))} |"
    yield ""
    yield " ".join(legend(summary))


def _shown(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return "".join(f"\\{c}" if c in "\\|*_`<>[]#" else c for c in escape(text))
