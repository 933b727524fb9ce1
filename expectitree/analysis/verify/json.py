"""Verifications as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from expectitree.analysis.verify.report import Verification
from expectitree.analysis.verify.text import hint_text
from expectitree.text.json_values import dumps

_CHECK_FIELDS = ("what", "expected", "found", "kept", "line", "column")


def render(verifications: Sequence[Verification]) -> Iterator[str]:
    """Yield an object for each file, on one line each."""
    for v in verifications:
        yield dumps(
            {
                "file": v.file,
                **({"warnings": [*v.warnings]} if v.warnings else {}),
                "tree": v.error is None,
                "expect": v.has_expect and v.error is None,
                "kept": not v.is_bad,
                "errors": str(v.error or v.unchecked or "").splitlines(),
                "checks": [
                    {key: getattr(c, key) for key in _CHECK_FIELDS} | {"hint": hint_text(c)}
                    for c in v.checks
                ],
                "seconds": v.seconds,
            }
        )
