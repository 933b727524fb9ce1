"""Verifications as text: each file with its checks, and a summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import ConsoleOptions, RenderableType
from rich.text import Text

from expectitree.analysis.verify.report import Check, Hint, Verification
from expectitree.text.console import characters, line, safe
from expectitree.text.phrases import plural


def render(
    verifications: Sequence[Verification], options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield every file with its checks, and a summary."""
    for verification in verifications:
        yield from _file_lines(verification, options)
    yield ""
    yield _summary(verifications)


def _file_lines(verification: Verification, options: ConsoleOptions) -> Iterator[Text]:
    mark = characters(options)
    is_bad = verification.error or verification.unchecked is not None or verification.broken
    remark = ""
    if verification.error is not None:
        remark = ": not a tree"
    elif not verification.has_expect:
        remark = ": a tree, without expect"
    elif verification.unchecked is not None:
        reason = safe(verification.unchecked, options)
        remark = f": a tree, whose expectations cannot be checked: {reason}"
    sign = (mark.no, "bad") if is_bad else (mark.yes, "good")
    yield line(sign, " ", (safe(verification.file, options), "title"), remark)
    if verification.error is not None:
        for message in str(verification.error).splitlines():
            yield line(f"    {message}")
    for check in verification.checks:
        sign = (mark.yes, "good") if check.kept else (mark.no, "bad")
        yield line("    ", sign, f" {safe(check_text(check), options)}")


def check_text(check: Check) -> str:
    """Return what was expected and found, and the hint."""
    text = f"{check.what}: expected {check.expected}, found {check.found}"
    return f"{text} ({hint_text(check)})" if check.hint else text


def hint_text(check: Check) -> str:
    """Return why an expectation does not hold, or nothing."""
    if check.hint is Hint.NO_BEST:
        return "the root is not a player's, so it has no best action: take `best` out"
    if check.hint is Hint.TIE:
        return "it is worth as much, and comes later"
    if check.hint is Hint.DIGITS:
        return f"only the digits written agree: write {check.found}"
    return str(check.hint or "")


def _summary(verifications: Sequence[Verification]) -> Text:
    checks = sum(len(v.checks) for v in verifications)
    broken = sum(len(v.broken) for v in verifications)
    failures = {
        "without expect": sum(not v.has_expect for v in verifications),
        "cannot be checked": sum(v.unchecked is not None for v in verifications),
        "not a tree": sum(v.error is not None for v in verifications),
    }
    parts = [plural(len(verifications), "file")]
    parts.append(f"{checks - broken:,} of {checks:,} expectations kept")
    parts += [f"{count:,} {what}" for what, count in failures.items() if count]
    is_bad = broken or failures["cannot be checked"] or failures["not a tree"]
    return Text(", ".join(parts), style="bad" if is_bad else "good")
