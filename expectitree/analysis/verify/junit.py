"""Verifications as JUnit XML, which CI services read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import quoteattr

from expectitree.analysis.verify.report import Verification
from expectitree.analysis.verify.text import cases
from expectitree.base.numbers import escape


def render(verifications: Sequence[Verification]) -> Iterator[str]:
    """Yield a test suite for each file, and a test case for each expectation."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<testsuites name="expectitree verify">'
    for v in verifications:
        file, results = _attribute(v.file), [case[0] for case in cases(v)]
        counts = f'failures="{results.count("failure")}" errors="{results.count("error")}"'
        time = "" if v.seconds is None else f' time="{v.seconds:.3f}"'
        yield f'  <testsuite name={file} file={file} tests="{len(results)}" {counts}{time}>'
        for result, name, message, line, _ in cases(v):
            case = f"classname={file} name={_attribute(name)} file={file}"
            case += f' line="{line}"' if line else ""
            found = f"<{result} message={_attribute(message)}/>" if result else ""
            yield f"    <testcase {case}>{found}</testcase>"
        yield "  </testsuite>"
    yield "</testsuites>"


def _attribute(text: str) -> str:
    return quoteattr(escape(text))
