"""Verifications as JUnit XML, which CI services read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from expectitree.analysis.verify.report import Verification
from expectitree.analysis.verify.text import check_text
from expectitree.numbers import escape


def render(verifications: Sequence[Verification]) -> Iterator[str]:
    """Yield a test suite for each file, and a test case for each expectation."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="expectitree verify">'
    for v in verifications:
        cases = max(1, len(v.checks))
        errors = int(v.error is not None)
        failures = len(v.broken) + (v.unchecked is not None)
        counts = f'tests="{cases}" failures="{failures}" errors="{errors}"'
        yield f"  <testsuite name={_attribute(v.file)} {counts}>"
        for name, outcome, message in _cases(v):
            case = f"    <testcase classname={_attribute(v.file)} name={_attribute(name)}"
            if outcome:
                yield f"{case}>"
                yield f"      <{outcome} message={_attribute(message)}/>"
                yield "    </testcase>"
            else:
                yield f"{case}/>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _cases(v: Verification) -> list[tuple[str, str, str]]:
    """Return the name, the outcome (none, error or failure) and the message of each test case."""
    if v.error is not None:
        return [("is a tree", "error", str(v.error))]
    if v.unchecked is not None:
        return [("can be checked", "failure", v.unchecked)]
    return [
        (check.what, "" if check.kept else "failure", escape(check_text(check)))
        for check in v.checks
    ] or [("is a tree", "", "")]


def _attribute(text: str) -> str:
    return quoteattr("; ".join(escape(line) for line in text.splitlines()))
