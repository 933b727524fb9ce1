"""Verifications as text: each file with its checks, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.verify.report import NO_TREE, UNREAD, Verification
from expectitree.text.console import characters, indented, line, problem_lines, safe
from expectitree.text.phrases import plural


def render(
    verifications: Sequence[Verification],
    options: ConsoleOptions,
    quiet: bool = False,
    verbose: bool = False,
) -> Iterator[RenderableType]:
    """Yield a line for each file, what is broken, and a summary.

    With `verbose`, yield every expectation; with `quiet`, only files in which something is broken.
    """
    shown = [v for v in verifications if v.is_bad or not quiet]
    for verification in shown:
        yield from _file_lines(verification, options, verbose)
    if shown:
        yield ""
    style = "good"
    if any(v.is_bad for v in verifications):
        style = "bad"
    yield Text(summary(verifications), style)


def _file_lines(
    v: Verification, options: ConsoleOptions, verbose: bool
) -> Iterator[RenderableType]:
    mark = characters(options)
    signs = (mark.no, "bad"), (mark.yes, "good")
    kept = len(v.checks) - len(v.broken)
    remark = f": {kept:,} of {plural(len(v.checks), 'expectation')} kept"
    if v.is_game:
        remark = ": the rules are broken" if v.broken else f": {v.checks[0].found}"
    if not v.has_expect:
        remark = ": a tree, without expect"
    if v.error is not None:
        remark = f": {v.fault}"
    elif v.unchecked is not None:
        remark = f": a tree, whose expectations cannot be checked: {safe(v.unchecked, options)}"
    yield line(signs[not v.is_bad], " ", (safe(v.file, options) or "this tree", "title"), remark)
    if v.error is not None:
        narrower = options.update_width(options.max_width - 4)
        for text in problem_lines(v.error.as_problems(), narrower):
            if text.no_wrap:
                yield line("    ", text.plain)
            else:
                yield indented(text, 4)
    shown = v.broken
    if verbose:
        shown = list(v.checks)
    for check in shown:
        yield line("    ", signs[check.kept], f" {safe(check.text, options)}")


def summary(verifications: Sequence[Verification]) -> str:
    """Return how many files there are, and how many of their expectations hold."""
    games = [v for v in verifications if v.is_game]
    files = len(verifications) - len(games)
    checks = [check.kept for v in verifications if not v.is_game for check in v.checks]
    failures = {
        "without expect": sum(not v.has_expect for v in verifications),
        "cannot be checked": sum(v.unchecked is not None for v in verifications),
        **{what: sum(v.fault == what for v in verifications) for what in (UNREAD, NO_TREE)},
    }
    counts = [f"{count:,} {what}" for what, count in failures.items() if count]
    if files or not games:
        kept = f"{sum(checks):,} of {plural(len(checks), 'expectation')} kept"
        counts = [plural(files, "file"), kept, *counts]
    if games:
        broken = sum(v.is_bad for v in games)
        counts += [plural(len(games), "game"), f"{len(games) - broken:,} without a fault"]
    return ", ".join(counts)
