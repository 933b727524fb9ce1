"""Evaluate a large table on the command line without reading it whole."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from expectitree.cli.terminal import say, working
from expectitree.cli.tree_options import TreeOptions
from expectitree.files.urls import is_url

if TYPE_CHECKING:
    from expectitree.base.tree.model import Tree
    from expectitree.searches.result import Search

# Bytes of a file whose tree would take more than a gigabyte of memory.
MIN_STREAMED = {".arrow": 1 << 30, ".parquet": 1 << 28}


def is_streamed(options: TreeOptions, file: str) -> bool:
    """Return whether a file is a large table, and no option needs all of its tree."""
    changes = (
        options.depth,
        options.parameters,
        options.reading,
        options.attitude,
        options.bounds,
        options.exact,
    )
    is_plain = not any(changes) and options.order == "given" and options.engine != "interpreted"
    least = MIN_STREAMED.get(os.path.splitext(file)[1])
    may_be = is_plain and least is not None and (os.path.isfile(file) or is_url(file))
    if options.scheduler is not None:
        if may_be:
            return True
        raise click.UsageError(
            f"the workers of --scheduler cannot evaluate {file} part by part: give an .arrow or "
            ".parquet file, without options that need the whole tree."
        )
    if not may_be:
        return False
    from expectitree.searches.streaming import is_available

    return is_available() and (is_url(file) or os.path.getsize(file) >= (least or 0))


def stream(options: TreeOptions, file: str, read: Callable[[], Tree]) -> Tree | Search:
    """Evaluate a table part by part; `read` it whole if that is not possible."""
    from expectitree.base.executors import executor_of
    from expectitree.files.formats.arrow import named_faults
    from expectitree.files.formats.parts import TableParts
    from expectitree.searches.streaming import NeedsWholeTreeError, evaluate_table

    try:
        door = executor_of(options.jobs, options.scheduler, in_threads=True)
        with working(f"evaluating {file}"), door as (executor, workers), named_faults(file):
            is_alone = options.jobs == 1 and options.scheduler is None
            return evaluate_table(TableParts(file), None if is_alone else executor, workers)
    except NeedsWholeTreeError as error:
        say(f"{file}: the whole tree is read into memory: {error}")
        return read()
