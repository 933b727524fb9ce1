"""Tables of text: aligned columns for a terminal, and Markdown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from expectitree.numbers import escape
from expectitree.text.look import Look, cell_width, clipped, clipped_start, padded


def table(
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    look: Look,
    right: Collection[str] = (),
    dispensable: Sequence[str] = (),
    widest: Mapping[str, int] | None = None,
    keep_end: Collection[str] = (),
) -> Iterator[str]:
    """Yield aligned columns: text to the left, those in `right` to the right.

    Where there is no room, those in `dispensable` are left out, the first of them first, and then
    the first column is cut short. `widest` limits columns; what is too wide for one is cut at its
    end, in `keep_end` at its beginning.
    """
    cells = [
        [look.shown(cell if look.unicode else cell.replace("µ", "u")) for cell in row]
        for row in rows
    ]
    kept = list(headings)

    def width(heading: str) -> int:
        i = headings.index(heading)
        needed = max(cell_width(row[i]) for row in [list(headings), *cells])
        return min(needed, (widest or {}).get(heading, needed))

    for heading in dispensable:
        if sum(width(h) + 2 for h in kept) - 2 > look.width and heading in kept:
            kept.remove(heading)
    places = [headings.index(heading) for heading in kept]
    widths = [width(heading) for heading in kept]
    over = sum(widths) + 2 * (len(widths) - 1) - look.width
    widths[0] = max(min(widths[0], 8), widths[0] - max(0, over))
    ellipsis = look.characters.ellipsis

    def line(row: Sequence[str]) -> str:
        shown = []
        for heading, place, columns in zip(kept, places, widths, strict=True):
            cut_short = clipped_start if heading in keep_end else clipped
            text = cut_short(row[place], columns, ellipsis)
            shown.append(
                " " * (columns - cell_width(text)) + text
                if heading in right
                else padded(text, columns)
            )
        return "  ".join(shown).rstrip()

    yield look.paint(line(headings), "dim")
    for row in cells:
        yield line(row)


def markdown(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()
) -> Iterator[str]:
    """Yield a Markdown table."""
    yield f"| {' | '.join(headings)} |"
    yield f"| {' | '.join('---:' if heading in right else '---' for heading in headings)} |"
    for row in rows:
        yield f"| {' | '.join(escaped(escape(cell)) for cell in row)} |"


def escaped(text: str) -> str:
    """Return a text that Markdown takes as it is."""
    return "".join(f"\\{c}" if c in "\\|*_`<>[]#" else c for c in text)
