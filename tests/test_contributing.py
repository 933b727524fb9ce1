"""The contributing pages name files and folders that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import ROOT

PAGES = [
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs" / "contributing").glob("*.md")),
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
]
STARTS = (ROOT, ROOT / "expectitree")  # where paths begin
ENDINGS = (".py", ".pyi", ".md", ".yaml", ".json", ".toml", ".js", ".mjs")
NOT_PATHS = {"1/3", ".yaml", ".json"}  # a number, and endings of files


def paths_in(paragraph: str) -> list[str]:
    """Return what a paragraph names in backticks that has a slash or the ending of a file."""
    words = re.findall(r"`([\w.*/-]+)`", paragraph)
    return [word for word in words if word.strip("/") and ("/" in word or word.endswith(ENDINGS))]


def missing_in(text: str) -> list[str]:
    """Return the paths that do not exist.

    A path may also begin anywhere in a folder that its paragraph names before.
    """
    missing = []
    for paragraph in re.split(r"\n\s*\n|\n(?=- )", text):
        folders: list[Path] = []
        for path in paths_in(paragraph):
            pattern = path.strip("/")
            found = [match for start in STARTS for match in start.glob(pattern)]
            found += [match for folder in folders for match in folder.rglob(pattern)]
            if not found and path not in NOT_PATHS:
                missing.append(path)
            folders += [match if match.is_dir() else match.parent for match in found]
    return missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_exists(page: Path) -> None:
    assert missing_in(page.read_text("utf-8")) == []


def test_a_path_that_does_not_exist_is_found() -> None:
    text = "A row in `expectitree/cli/`, in `help.py` or `reading.py` there.\n\nSee `games.py`."
    assert missing_in(text) == ["reading.py", "games.py"]
