"""Verifications as text: each file with its checks, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.verify.report import Verification
from expectitree.text.console import characters, indented, line, problem_lines, safe
from expectitree.text.phrases import plural


def render(
    verifications: Sequence[Verification], options: ConsoleOptions, quiet: bool = False
) -> Iterator[RenderableType]:
    """Yield every file with its checks, or with `quiet` only what is broken, and a summary."""
    shown = [v for v in verifications if v.is_bad or not quiet]
    for verification in shown:
        yield from _file_lines(verification, options, quiet)
    if shown:
        yield ""
    style = "bad" if any(v.is_bad for v in verifications) else "good"
    yield Text(summary(verifications), style)


def _file_lines(v: Verification, options: ConsoleOptions, quiet: bool) -> Iterator[RenderableType]:
    mark = characters(options)
    signs = (mark.no, "bad"), (mark.yes, "good")
    remark = "" if v.has_expect else ": a tree, without expect"
    if v.error is not None:
        remark = ": not a tree"
    elif v.unchecked is not None:
        remark = f": a tree, whose expectations cannot be checked: {safe(v.unchecked, options)}"
    yield line(signs[not v.is_bad], " ", (safe(v.file, options), "title"), remark)
    if v.error is not None:
        for text in problem_lines(v.error, options.update_width(options.max_width - 4)):
            yield line("    ", text.plain) if text.no_wrap else indented(text, 4)
    for check in v.broken if quiet else v.checks:
        yield line("    ", signs[check.kept], f" {safe(check.text, options)}")


def summary(verifications: Sequence[Verification]) -> str:
    """Return how many files there are, and how many of their expectations hold."""
    checks = [check.kept for v in verifications for check in v.checks]
    failures = {
        "without expect": sum(not v.has_expect for v in verifications),
        "cannot be checked": sum(v.unchecked is not None for v in verifications),
        "not a tree": sum(v.error is not None for v in verifications),
    }
    kept = f"{sum(checks):,} of {len(checks):,} expectations kept"
    counts = [f"{count:,} {what}" for what, count in failures.items() if count]
    return ", ".join([plural(len(verifications), "file"), kept, *counts])
