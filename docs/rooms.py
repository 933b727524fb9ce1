"""Draw the package's rooms and imports, without arrows that follow from others; or --check it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from test_layers import MODULES, WINGS, imports, room  # noqa: E402

PLACES = {  # the row of each box, from the top, and the place of its middle in the row
    "cli": (0, 230), "editor": (0, 345),
    "decide": (1, 125), "lab": (1, 225), "games": (1, 370), "foreign": (1, 470),
    "page": (2, 250), "picture": (3, 240),
    "analysis": (4, 140), "text": (4, 260), "searches": (5, 360), "files": (5, 470),
    "base": (6, 320),
}  # fmt: skip
THEMES = {"": ("white", "#222", "#e8eef7", "#f7ecd9"), "-dark": ("#222", "#eee", "#345", "#543")}
HEIGHT, ROW = 30, 62  # of a box, and from row to row


def reached(direct: dict[str, set[str]], name: str) -> set[str]:
    """Return a box and all that arrows lead to from there."""
    return {name}.union(*(reached(direct, other) for other in direct[name]))


def arrows() -> Iterator[tuple[str, str]]:
    """Yield each box with each one that it imports, unless that follows from other arrows."""
    direct: dict[str, set[str]] = {name: set() for name in PLACES}
    for module, path in MODULES.items():
        if not module.startswith("__"):
            direct[room(module)] |= {room(name) for name in imports(path)} - {room(module)}
    for name, below in direct.items():
        further = {r for other in below for r in reached(direct, other) - {other}}
        yield from ((name, other) for other in sorted(below - further))


def picture(paper: str, ink: str, core: str, wing: str) -> str:
    """Return the picture as SVG."""
    lines = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 530 442" width="530" height="442" '
        f'font-family="sans-serif" font-size="13" text-anchor="middle" fill="{ink}">',
        '<marker id="tip" refX="8" refY="4" markerWidth="9" markerHeight="8" orient="auto">'
        f'<path d="M0 0L9 4L0 8z" fill="{ink}"/></marker>',
        f'<rect width="530" height="442" fill="{paper}"/>',
    ]
    for name, other in arrows():
        (row, x), (below, to) = PLACES[name], PLACES[other]
        x, to = (x + 45, to - 45) if row == below else (x, to)
        half = 0 if row == below else HEIGHT // 2  # arrows within a row run from side to side
        place = f'x1="{x}" y1="{row * ROW + 25 + half}" x2="{to}" y2="{below * ROW + 25 - half}"'
        lines.append(f'<line {place} stroke="{ink}" marker-end="url(#tip)"/>')
    for name, (row, x) in PLACES.items():
        y, width, fill = row * ROW + 10, 92, wing if name in WINGS else core
        place = f'x="{x - width / 2:g}" y="{y}" width="{width}" height="{HEIGHT}"'
        lines.append(f'<rect {place} rx="5" fill="{fill}" stroke="{ink}"/>')
        lines.append(f'<text x="{x}" y="{y + 20}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    for ending, colours in THEMES.items():
        file = ROOT / "docs" / "pictures" / f"rooms{ending}.svg"
        if "--check" not in sys.argv:
            file.write_text(picture(*colours), "utf-8")
        elif file.read_text("utf-8") != picture(*colours):
            sys.exit(f"{file.name} is not current: run python docs/rooms.py")
