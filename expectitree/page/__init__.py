"""The page: one HTML file that replays searches step by step, offline, in any recent browser.

Python computes everything that the page shows. Its scripts (`SCRIPTS`, joined in this order) only
apply the changes of each step and draw (docs/decisions/0013-page.md).
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape as escape_html
from importlib.resources import files
from typing import Any

from expectitree.numbers import escape
from expectitree.page.data import page_data
from expectitree.page.replays import Replays

SCRIPTS = (
    "tree.js", "moment.js", "layout.js", "view.js", "picture.js", "camera.js", "controls.js",
    "page.js",
)  # fmt: skip
_SLOT = re.compile(r"<!-- slot: (\w+) -->")


def draw(report: Replays) -> Iterator[str]:
    """Yield the pieces of the page's text, to be written as UTF-8.

    The page requests nothing from anywhere. Its Content-Security-Policy allows only its own script
    and style. Labels and notes are data: JSON without a `<`, which the script adds as text.
    """
    style = _file("page.css")
    script = f'(() => {{\n"use strict";\n\n{"".join(map(_file, SCRIPTS))}}})();\n'
    title = escape(report.tree.title or report.file or "A game tree")
    slots = {
        "title": escape_html(title),
        "policy": f"script-src {_digest(script)}; style-src {_digest(style)}",
        "style": f"<style>{style}</style>",
        "script": f"<script>{script}</script>",
    }
    for position, piece in enumerate(_SLOT.split(_file("page.html"))):
        if position % 2 == 0:
            yield piece
        elif piece == "data":
            yield from _data_block(report)
        else:
            yield slots[piece]


def _data_block(report: Replays) -> Iterator[str]:
    yield '<script type="application/json" id="data">{'
    for position, (key, value) in enumerate(page_data(report)):
        yield f"{',' if position else ''}\n{script_json(key)}: {script_json(value)}"
    yield "}</script>"


def script_json(value: Any) -> str:
    """Return JSON that is safe in a script element: ASCII without `<`, `>` and `&`."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
