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
        if v.error is not None:
            yield f'    <testcase classname={_attribute(v.file)} name="is a tree">'
            yield f"      <error message={_attribute(str(v.error))}/>"
            yield "    </testcase>"
        elif v.unchecked is not None:
            yield f'    <testcase classname={_attribute(v.file)} name="can be checked">'
            yield f"      <failure message={_attribute(v.unchecked)}/>"
            yield "    </testcase>"
        elif not v.checks:
            yield f'    <testcase classname={_attribute(v.file)} name="is a tree"/>'
        for check in v.checks:
            start = f"    <testcase classname={_attribute(v.file)} name={_attribute(check.what)}"
            if check.kept:
                yield start + "/>"
            else:
                yield start + ">"
                yield f"      <failure message={_attribute(escape(check_text(check)))}/>"
                yield "    </testcase>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _attribute(text: str) -> str:
    return quoteattr("; ".join(escape(line) for line in text.splitlines()))
