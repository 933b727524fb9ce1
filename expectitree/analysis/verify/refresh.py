"""Write results into the `expect` of a tree file, for `verify --write`."""

from __future__ import annotations

import os

from expectitree.analysis.verify.edit import with_expectation, with_replacements, write_text
from expectitree.analysis.verify.report import Verification, answers, verify
from expectitree.errors import FileError, Problem
from expectitree.files import loads, read_text
from expectitree.files.formats import FORMATS, format_by_suffix


def refresh(path: str | os.PathLike[str]) -> Verification:
    """Write the results into the `expect` of the file at `path`, and return its new verification.

    What holds stays as written; a file without expectations gets some; all else stays as it is.
    Raises `FileError` where the file is not a tree, or where that cannot be done without loss, and
    `SearchError` where a utility is not known yet; the file is then as it was.
    """
    format = format_by_suffix(path) or FORMATS["yaml"]
    if not format.is_text:
        message = "expect cannot be written into a table: convert it to YAML or JSON first"
        raise FileError([Problem(os.fspath(path), message)])
    text, name = read_text(path)
    tree = loads(text, name=name, exact=True)
    before = verify(tree, file=name)
    replacements = {c.place: c.replacement for c in before.broken if c.replacement is not None}
    if before.checks:
        changed = with_replacements(text, format, replacements)
    else:
        changed = with_expectation(text, format, answers(tree))
    problem = ""
    try:
        after = verify(loads(changed, name=name, exact=True), file=name)
        if any(check.place in replacements for check in after.broken):
            problem = "the new text would not say what is found"
    except FileError:
        problem = "the new text would not be a tree"
    if problem:
        raise FileError([Problem(name, f"{problem}: change it by hand")])
    if changed != text:
        write_text(name, changed)
    return after
