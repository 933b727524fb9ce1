"""The page: one HTML file that replays searches step by step, offline, in any browser since 2023.

Python computes everything that the page shows. Its scripts (`SCRIPTS`, joined in this order) only
apply the changes of each step and draw (docs/decisions/0013-page.md).
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape as escape_html
from importlib.resources import files

from expectitree.numbers import escape
from expectitree.page.data import page_data
from expectitree.page.replays import Replays
from expectitree.picture.theme import THEMES

SCRIPTS = (
    "tree.js", "moment.js", "layout.js", "view.js", "picture.js", "camera.js", "controls.js",
    "address.js", "page.js",
)  # fmt: skip
_SLOT = re.compile(r"<!-- slot: (\w+) -->")


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
