"""Verifications as text: each file with its checks, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.verify.checks import Check
from expectitree.analysis.verify.report import Verification
from expectitree.base.numbers import escape
from expectitree.text.console import characters, line, safe
from expectitree.text.phrases import plural
from expectitree.text.problems import problem_lines


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


def _file_lines(v: Verification, options: ConsoleOptions, quiet: bool) -> Iterator[Text]:
    mark = characters(options)
    signs = (mark.no, "bad"), (mark.yes, "good")
    remark = "" if v.has_expect else ": a tree, without expect"
    if v.error is not None:
        remark = ": not a tree"
    elif v.unchecked is not None:
        remark = f": a tree, whose expectations cannot be checked: {safe(v.unchecked, options)}"
    yield line(signs[not v.is_bad], " ", (safe(v.file, options), "title"), remark)
    if v.error is not None:
        for message in problem_lines(v.error, options.max_width - 4):
            yield line(f"    {safe(message, options)}")
    for check in v.broken if quiet else v.checks:
        yield line("    ", signs[check.kept], f" {safe(check_text(check), options)}")


def cases(v: Verification) -> list[tuple[str, str, str, int | None, int | None]]:
    """Return each error in a file or each expectation; otherwise one case, for the whole tree.

    A case has a result (error, failure or nothing), a name, a message, a line and a column.
    """
    if v.error is not None:
        problems = [(p, f"{p.path}: " if p.path else "") for p in v.error.problems]
        return [("error", "tree", path + p.message, p.line, p.column) for p, path in problems]
    if v.unchecked is not None:
        return [("failure", "expect", v.unchecked, None, None)]
    checks = [(c, "" if c.kept else "failure") for c in v.checks]
    found = [(result, c.what, escape(check_text(c)), c.line, c.column) for c, result in checks]
    return found or [("", "tree", "", None, None)]


def check_text(check: Check) -> str:
    """Return what was expected and found, and the hint."""
    text = f"{check.what}: expected {check.expected}, found {check.found}"
    return f"{text} ({check.hint_text})" if check.hint else text


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
