"""Tables of what lower layers use and do not import, such as the pictures of a tree in a notebook.

`expectitree/__init__.py`, which knows every folder, fills them. A module is imported when it is
needed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

SHOWS: dict[str, str] = {}  # "notebook" and "console" -> the module that shows an object there
QUESTIONS: dict[str, str] = {}  # the question of a report -> the folder that shows the report
FORMATS: list[str] = []  # the folders whose `FORMATS` are formats of files
PICTURES: dict[str, str] = {}  # the ending of a picture's file -> the module that draws it
TREES: dict[str, str] = {}  # a source of the trees of a study -> the module that makes them


def module_of(name: str) -> Any:
    """Return the module with a name in a table."""
    return import_module(f"expectitree.{name}")
