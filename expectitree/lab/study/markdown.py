"""A study as Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from expectitree.base.numbers import escape
from expectitree.lab.study.report import Summary
from expectitree.lab.study.text import legend, study_table
from expectitree.text.tables import markdown, markdown_escaped


def render(summary: Summary) -> Iterator[str]:
    study = summary.study
    yield f"### {markdown_escaped(escape(study.title or study.file))}"
    yield ""
    if study.source:
        yield markdown_escaped(escape(study.source))
        yield ""
    yield from markdown(*study_table(summary))
    yield ""
    yield " ".join(legend(summary))
