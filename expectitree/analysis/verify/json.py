"""The report as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.verify.report import Verification
from expectitree.text.json_values import dumps
from expectitree.text.look import Look


def render(verifications: Sequence[Verification], look: Look) -> Iterator[str]:
    """Yield an object for each file, one line each."""
    for v in verifications:
        yield dumps(
            {
                "file": v.file,
                "tree": v.error is None,
                "expect": v.has_expect and v.error is None,
                "kept": not v.broken and v.error is None and v.unchecked is None,
                "errors": str(v.error or v.unchecked or "").splitlines(),
                "checks": [
                    {
                        "what": c.what,
                        "expected": c.expected,
                        "found": c.found,
                        "kept": c.kept,
                        "hint": c.hint,
                    }
                    for c in v.checks
                ],
            }
        )
