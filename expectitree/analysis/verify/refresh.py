"""Write results into the `expect` of a tree file, for `verify --write`."""

from __future__ import annotations

import os

from expectitree.analysis.verify.edit import with_expectation, with_replacements, write_text
from expectitree.analysis.verify.report import Verification, answers, verify
from expectitree.errors import FileError, Problem
from expectitree.files import loads, read_text
from expectitree.files.formats import format_by_suffix


def refresh(path: str | os.PathLike[str]) -> Verification:
    """Write the results into the `expect` of the file at `path`, and return its new verification.

    What holds stays as written; a file without expectations gets some. All else in the file stays
    as it is. Raises `FileError` where the file is no tree, or where that cannot be done without
    loss, and `SearchError` where a utility is not known yet; the file is then as it was.
    """
    format = format_by_suffix(path)
    if format is not None and not format.is_text:
        hint = "convert it to YAML or JSON first"
        raise FileError(
            [Problem(os.fspath(path), f"expect cannot be written into a table: {hint}")]
        )
    text, name = read_text(path)
    is_json = name.lower().endswith(".json")
    tree = loads(text, name=name, exact=True)
    before = verify(tree, file=name)
    if before.checks:
        fixable = {c.place: c.replacement for c in before.broken if c.replacement is not None}
        changed = with_replacements(text, is_json, fixable)
    else:
        fixable = {}
        changed = with_expectation(text, is_json, answers(tree))
    try:
        after = verify(loads(changed, name=name, exact=True), file=name)
    except FileError:
        raise FileError(
            [Problem(name, "the new text would be no tree: change it by hand")]
        ) from None
    if any(check.place in fixable for check in after.broken):
        raise FileError(
            [Problem(name, "the new text would not say what is found: change it by hand")]
        )
    if changed != text:
        write_text(name, changed)
    return after
