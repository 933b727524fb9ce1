"""Verifications for people, as JSON, and as JUnit's XML, which CI services read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.verify.report import Check, Verification
from expectitree.numbers import escape
from expectitree.text.look import Look


def render(verifications: Sequence[Verification], look: Look) -> Iterator[str]:
    """Yield every file with its checks, and a line that sums them up."""
    for verification in verifications:
        yield from file_lines(verification, look)
    yield ""
    yield sum_line(verifications, look)


def file_lines(verification: Verification, look: Look) -> Iterator[str]:
    """Yield one file's lines."""
    yes, no = look.characters.yes, look.characters.no
    name = look.paint(escape(verification.file), "title")
    if verification.error is not None:
        yield f"{look.paint(no, 'bad')} {name}: no tree"
        for line in str(verification.error).splitlines():
            yield f"    {line}"
        return
    if not verification.has_expect:
        yield f"{look.paint(yes, 'good')} {name}: a tree, without expect"
        return
    if verification.unchecked is not None:
        yield f"{look.paint(no, 'bad')} {name}: a tree, whose expectations cannot be checked: {verification.unchecked}"
        return
    yield f"{look.paint(no, 'bad') if verification.broken else look.paint(yes, 'good')} {name}"
    for check in verification.checks:
        mark = look.paint(yes, "good") if check.kept else look.paint(no, "bad")
        yield f"    {mark} {_check_text(check)}"


def _check_text(check: Check) -> str:
    text = f"{check.what}: expected {check.expected}, found {check.found}"
    return escape(f"{text} ({check.hint})" if check.hint else text)


def sum_line(verifications: Sequence[Verification], look: Look) -> str:
    """Return what the verification comes to."""
    checks = sum(len(v.checks) for v in verifications)
    broken = sum(len(v.broken) for v in verifications)
    unread = sum(v.error is not None for v in verifications)
    bare = sum(not v.has_expect for v in verifications)
    unchecked = sum(v.unchecked is not None for v in verifications)
    parts = [f"{len(verifications):,} file{'s' * (len(verifications) != 1)}"]
    parts.append(f"{checks - broken:,} of {checks:,} expectations kept")
    if bare:
        parts.append(f"{bare:,} without expect")
    if unchecked:
        parts.append(f"{unchecked:,} cannot be checked")
    if unread:
        parts.append(f"{unread:,} no tree")
    return look.paint(", ".join(parts), "bad" if broken or unread or unchecked else "good")
