"""The page: one HTML file that replays searches step by step, offline, in any browser since 2023.

Python computes everything that the page shows. Its scripts (`SCRIPTS`, joined in this order) only
apply the changes of each step and draw (docs/decisions/0013-page.md).
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape as escape_html
from importlib.resources import files

from expectitree.base.algorithms import Algorithm
from expectitree.base.numbers import escape
from expectitree.page.data import page_data
from expectitree.page.replays import Replays, replays
from expectitree.picture.theme import THEMES
from expectitree.searches.result import Search
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Tree, check_tree

SCRIPTS = (
    "tree.js", "moment.js", "layout.js", "view.js", "picture.js", "camera.js", "controls.js",
    "address.js", "page.js",
)  # fmt: skip
_SLOT = re.compile(r"<!-- slot: (\w+) -->")


def to_html(
    found: Tree | Search,
    algorithms: Iterable[Algorithm | str] | Algorithm | str | None = None,
    *,
    bounds: Bounds | None = None,
    max_visits: int | None = None,
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

    Raises:
        AnalysisError: The tree has more than 100,000 nodes, or no algorithm is named.
        SearchError: The tree cannot be searched, or an algorithm is unknown.
    """
    return "".join(replay_page(found, algorithms, bounds=bounds, max_visits=max_visits))


def replay_page(
    found: Tree | Search,
    algorithms: Iterable[Algorithm | str] | Algorithm | str | None = None,
    *,
    bounds: Bounds | None = None,
    max_visits: int | None = None,
    file: str = "",
) -> Iterable[str]:
    """Return the pieces of the text of a page, as `to_html` describes it."""
    if isinstance(found, Search):
        algorithms = found.algorithm if algorithms is None else algorithms
    else:
        check_tree(found)
    if isinstance(algorithms, (Algorithm, str)):
        algorithms = [algorithms]
    report = replays(found, algorithms, bounds=bounds, max_visits=max_visits, file=file)
    return draw(report)


def draw(report: Replays) -> Iterator[str]:
    """Yield the pieces of the page's text, to be written as UTF-8.

    The page requests nothing from anywhere. Its Content-Security-Policy allows only its own script
    and style. Labels and notes are in the data, which the script adds to the page as text.
    """
    style = _colours() + _file("page.css")
    script = f'(() => {{\n"use strict";\n\n{"".join(map(_file, SCRIPTS))}}})();\n'
    title = escape(report.tree.title or report.file or "A game tree")
    slots = {
        "title": escape_html(title),
        "policy": f"script-src {_digest(script)}; style-src {_digest(style)}",
        "style": f"<style>{style}</style>",
        "data": f'<script type="text/plain" id="data">{packed(page_data(report))}</script>',
        "script": f"<script>{script}</script>",
    }
    for position, piece in enumerate(_SLOT.split(_file("page.html"))):
        yield slots[piece] if position % 2 else piece


def _colours() -> str:
    """Return the colours of the pictures as variables; paper that is printed is light."""
    light, dark = (
        "".join(f"--{name}: {colour}; " for name, colour in THEMES[theme].items())
        for theme in ("light", "dark")
    )
    is_dark = ':root[data-theme="dark"]'
    return f":root {{ {light}}}\n{is_dark} {{ {dark}}}\n@media print {{ {is_dark} {{ {light}}} }}\n"


def packed(data: object) -> str:
    """Return data as JSON, compressed by zlib, in base64."""
    text = json.dumps(data, separators=(",", ":"))
    return b64encode(zlib.compress(text.encode())).decode()


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
