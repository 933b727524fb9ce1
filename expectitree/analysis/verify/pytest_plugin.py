"""A pytest plugin: every expectation of a tree file is a test.

pytest collects the files that match a pattern of the setting `expectitree_files`, such as
`trees/*.yaml`, and the files with an `expect` that are named on its command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from expectitree.analysis.verify.report import Check

ENDINGS = (".yaml", ".yml", ".json")
EXPECT = re.compile(r"""^\s*["']?expect["']?\s*:""", re.MULTILINE)  # no other YAML file has this


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the setting."""
    help = "Patterns of the tree files whose expectations are tests (for expectitree)."
    parser.addini("expectitree_files", help, type="args", default=[])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return the collector of a tree file."""
    if file_path.suffix not in ENDINGS:
        return None
    if not any(map(file_path.match, parent.config.getini("expectitree_files"))):
        is_named = parent.session.isinitpath(file_path)
        if not (is_named and EXPECT.search(file_path.read_text("utf-8", "replace"))):
            return None
    collector: pytest.Collector = TreeFile.from_parent(parent, path=file_path)
    return collector


class TreeFile(pytest.File):
    """A tree file, with an item for each of its expectations."""

    def collect(self) -> Iterator[pytest.Item]:
        """Read and verify the tree. An error in the file is an error of the collection."""
        from expectitree.analysis.verify.report import verify_file

        verification = verify_file(self.path, locate=True)
        if verification.error is not None:
            raise self.CollectError(str(verification.error))
        if verification.unchecked is not None:
            raise self.CollectError(f"{self.path}: {verification.unchecked}")
        for check in verification.checks:
            yield Expectation.from_parent(self, name=check.what, check=check)


class Expectation(pytest.Item):
    """One expectation."""

    def __init__(self, *, check: Check, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.check = check

    def runtest(self) -> None:
        """Fail if the expectation does not hold."""
        if not self.check.kept:
            message = f"{self.location[0]}:{self.check.line}: {self.check.text}"
            pytest.fail(message, pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, the line of the expectation, from 0, and the name of the test."""
        line = self.check.line
        return self.path, None if line is None else line - 1, self.name
