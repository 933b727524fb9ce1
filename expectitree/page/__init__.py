"""The page: one HTML file that replays searches step by step, offline, in any browser since 2023.

Python computes everything that the page shows. Its scripts (`SCRIPTS`, joined in this order) only
apply the changes of each step and draw (docs/decisions/0013-page.md).
"""

from __future__ import annotations

import json
import os
import re
import zlib
from base64 import b64encode
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from html import escape as escape_html
from importlib.resources import files
from typing import Any

from expectitree.analysis.trace.report import Trace, trace
from expectitree.base.algorithms import Algorithms
from expectitree.base.errors import AnalysisError
from expectitree.base.numbers import escape
from expectitree.base.tree.columns import ChosenBounds
from expectitree.base.tree.model import Tree, check_tree
from expectitree.files import TreeSource, tree_of
from expectitree.page.data import page_data
from expectitree.picture.drawing import write
from expectitree.picture.marks import THEMES
from expectitree.searches.engine import algorithms_for
from expectitree.searches.result import Search

MAX_NODES = 100_000  # of a tree that a page replays: they take about 1 MB
MAX_STEPS = 50_000  # of one search that a page replays: they take about 1 MB
SCRIPTS = (
    "tree.js", "moment.js", "layout.js", "view.js", "picture.js", "camera.js", "controls.js",
    "address.js", "quiz.js", "page.js",
)  # fmt: skip
_SLOT = re.compile(r"<!-- slot: (\w+) -->")


def to_html(
    found: Tree | Search,
    algorithms: Algorithms = None,
    *,
    bounds: ChosenBounds = None,
    max_visits: int | None = None,
    file: str = "",
) -> str:
    """Return a page that replays searches step by step as the text of an HTML file.

    The page works offline, in any browser since 2023.

        >>> import expectitree as et
        >>> html = et.to_html(et.load("example:risk"), ["star1", "star2"])
        >>> html.startswith("<!DOCTYPE html>")
        True

    Args:
        found: A tree, or a search to replay.
        algorithms: The searches of a tree; by default all, without those that would be slow. By
            default a search is replayed alone.
        bounds: The root's bounds `(lower, upper)`, as for `evaluate`; by default those of the
            search.
        max_visits: Stop each search after so many node visits.
        file: The title of the page of a tree that has none.

    Raises:
        AnalysisError: The tree has more than 100,000 nodes, or no algorithm is named.
        SearchError: The tree cannot be searched, or an algorithm is unknown.
    """
    if not isinstance(found, Search):
        check_tree(found)
    elif algorithms is None:
        algorithms = found.algorithm
    return page_text(replays(found, algorithms, bounds, max_visits, file))


class Replay(str):
    """The text of a page, which a notebook shows in a frame; `replay` makes it.

    >>> import expectitree as et
    >>> et.replay("example:risk", "star1").startswith("<!DOCTYPE html>")
    True
    """

    def __repr__(self) -> str:
        return f"<Replay, {len(self):,} characters of HTML: save(NAME) writes them>"

    def _repr_html_(self) -> str:
        style = "box-sizing: border-box; width: 100%; height: 640px; border: 1px solid"
        return f'<iframe title="A replay" style="{style}" srcdoc="{escape_html(self)}"></iframe>'

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file; raise `FileError` if it cannot be written."""
        write(self, os.fspath(path))


def replay(
    found: TreeSource | Search,
    algorithms: Algorithms = None,
    **options: Any,
) -> Replay:
    """Return the page that `to_html` makes as an object that a notebook shows.

        >>> import expectitree as et
        >>> page = et.replay(et.load("example:risk"), ["star2"])  # the last line of a cell
        >>> page.save("risk.html")  # doctest: +SKIP

    Args:
        found: A tree, a path or a dict, as `evaluate` takes them; or a search to replay.
        algorithms: As for `to_html`.
        options: As for `to_html`.

    Raises:
        AnalysisError, SearchError: As for `to_html`.
        FileError: The file or the dict is not a tree.
    """
    if not isinstance(found, Search):
        found = tree_of(found)
    return Replay(to_html(found, algorithms, **options))


def replays(
    found: Tree | Search,
    algorithms: Algorithms = None,
    bounds: ChosenBounds = None,
    max_visits: int | None = None,
    file: str = "",
) -> list[Trace]:
    """Return the steps of each search that `to_html` replays, at most the first `MAX_STEPS`."""
    tree = found.tree if isinstance(found, Search) else found
    if len(tree) > MAX_NODES:
        raise AnalysisError(
            f"the tree has {len(tree):,} nodes, a page replays at most {MAX_NODES:,}:"
            " cut the tree with --depth"
        )
    make = partial(
        trace, found, bounds=bounds, most=MAX_STEPS, max_visits=max_visits, exact=True, file=file
    )
    traces = [make(algorithm) for algorithm in algorithms_for(tree, algorithms)]
    if not traces:
        raise AnalysisError("no algorithm was given\nname at least one")
    return traces


def page_text(traces: Sequence[Trace], first: str = "star1") -> str:
    """Return the page that replays some searches of a tree; it shows the algorithm `first` first.

    The page requests nothing from anywhere. Its Content-Security-Policy allows only its own script
    and style. Labels and notes are in the data, which the script adds to the page as text.
    """
    light, dark = (
        "".join(f"--{name}: {colour}; " for name, colour in THEMES[theme].items())
        for theme in ("light", "dark")
    )
    is_dark = ':root[data-theme="dark"]'
    # The colours of the pictures as variables; paper that is printed is light.
    style = (
        f":root {{ {light}}}\n{is_dark} {{ {dark}}}\n@media print {{ {is_dark} {{ {light}}} }}\n"
    )
    style += _file("page.css")
    script = f'(() => {{\n"use strict";\n\n{"".join(map(_file, SCRIPTS))}}})();\n'
    text = json.dumps(page_data(traces, first), separators=(",", ":"))
    data = b64encode(zlib.compress(text.encode())).decode()
    slots = {
        "title": escape_html(escape(traces[0].tree.title or traces[0].file or "A game tree")),
        "policy": f"script-src {_digest(script)}; style-src {_digest(style)}",
        "style": f"<style>{style}</style>",
        "data": f'<script type="text/plain" id="data">{data}</script>',
        "script": f"<script>{script}</script>",
    }
    return _SLOT.sub(lambda slot: slots[slot[1]], _file("page.html"))


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
