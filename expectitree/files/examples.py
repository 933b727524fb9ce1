"""The example trees: in the folder `trees` of a checkout, in `expectitree/trees` when installed."""

from __future__ import annotations

from pathlib import Path

from expectitree.errors import FileError, Problem
from expectitree.names import nearest

PREFIX = "example:"  # of a file's name: `example:risk` is the example named risk


def examples() -> dict[str, Path]:
    """Return the file of each example tree by its name, which has no ending."""
    package = Path(__file__).parent.parent
    folders = (package / "trees", package.parent / "trees")
    folder = next((folder for folder in folders if folder.is_dir()), folders[0])
    return {file.stem: file for file in sorted(folder.glob("*")) if file.suffix != ".md"}


def read_example(name: str) -> bytes:
    """Return the content of the example with a name; raise `FileError` if there is none."""
    known = examples()
    if name not in known:
        near = nearest(name, known)
        hint = f"did you mean {near}?" if near else f"choose among {', '.join(known)}"
        raise FileError([Problem(f"{PREFIX}{name}", f"there is no such example: {hint}")])
    return known[name].read_bytes()
