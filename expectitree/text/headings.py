"""Headings: the title of a tree, and the file that a part of the output is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.base.tree.model import Tree
from expectitree.text.console import safe


def file_heading(
    file: str, tree: Tree, options: ConsoleOptions, among_others: bool
) -> Iterator[Text]:
    """Yield the file's name and the tree's title; one of several files needs its name."""
    if among_others or not tree.title:
        yield Text(safe(file, options), style="title")
    if tree.title:
        yield Text(safe(tree.title, options), style="none" if among_others else "title")


def report_heading(
    reports: Sequence[Any], position: int, options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield the heading of one of several reports, which have a `file` and a `tree`.

    A blank line follows it, and one comes before it if it is not the first.
    """
    if position:
        yield ""
    report = reports[position]
    yield from file_heading(report.file, report.tree, options, len(reports) > 1)
    yield ""


def title_heading(tree: Tree, options: ConsoleOptions) -> Iterator[Text]:
    """Yield the tree's title and source, and a blank line after them."""
    if tree.title:
        yield Text(safe(tree.title, options), style="title")
    if tree.source:
        for line in tree.source.strip().split("\n"):
            yield Text(safe(line.rstrip(), options), style="dim")
    if tree.title or tree.source:
        yield Text("")


def file_separator(file: str, position: int, options: ConsoleOptions) -> Iterator[Text]:
    """Yield the line before the output about one of several files, after a blank line."""
    if position:
        yield Text("")
    yield Text(f"== {safe(file, options)} ==", style="dim")
