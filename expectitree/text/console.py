"""Consoles for terminal output: styles, characters, headings, problems of files, and text."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len, chop_cells
from rich.console import COLOR_SYSTEMS, Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Span, Text, TextType
from rich.theme import Theme

from expectitree.base.errors import Excerpt, Problem
from expectitree.base.numbers import escape
from expectitree.base.tree.model import Tree
from expectitree.text.phrases import untied

THEME = Theme(
    {
        "title": "bold",
        "MAX": "green",
        "MIN": "red",
        "CHANCE": "cyan",
        "TERMINAL": "none",
        "value": "bold",
        "best": "bold green",
        "cut": "magenta",
        "good": "green",
        "bad": "bold red",
        "guide": "dim",
        "place": "bold cyan",
        "bar": "none",  # a plot made of characters, which a page draws
        "hint": "none",  # about commands, which a page leaves out
        "decider": "none",  # who the decision maker is, which a page says once
    }
)
MIN_WIDTH = 20  # terminal columns; a narrower terminal breaks the lines itself
_MAX_TEXT_LENGTH = 20_000  # characters of a title or a note that are shown
_IN_ASCII = str.maketrans({"−": "-", "≤": "<=", "≥": ">=", "∞": "inf", "≈": "~"})
_TAB = "    "
_KINDS = {"error": "bad", "warning": "cut"}  # of problems, with their styles


class Characters(NamedTuple):
    """The characters that trees and tables are drawn with; the defaults are those of Unicode."""

    turns: tuple[str, str] = "├─", "└─"  # of a branch, and of the last one
    guides: tuple[str, str] = "    ", "│   "  # where no branch follows, and where some do
    best: str = "★ "
    tie: str = "☆ "
    cut: str = "╫ "
    plain: str = "─ "
    kinds: Mapping[str, str] = {"MAX": "▲ ", "MIN": "▼ ", "CHANCE": "● ", "TERMINAL": ""}
    ellipsis: str = "…"
    times: str = "·"
    arrow: str = "→"
    yes: str = "✓"
    no: str = "✗"
    micro: str = "µ"
    plus_minus: str = "±"
    bar: str = "█"
    about: str = "≈"
    change: str = "◆"


UNICODE = Characters()
ASCII = Characters(
    turns=("|-", "`-"),
    guides=("    ", "|   "),
    best="* ",
    tie="= ",
    cut="x ",
    plain="- ",
    kinds={"MAX": "", "MIN": "", "CHANCE": "", "TERMINAL": ""},
    ellipsis="...",
    times="*",
    arrow="->",
    yes="ok",
    no="NO",
    micro="u",
    plus_minus="+-",
    bar="#",
    about="about",
    change="x",
)


def make_console(has_colors: bool, file: Any, width: int | None = None) -> Console:
    """Return a console with our styles for a stream.

    rich finds out the width and the colours of the terminal, and reads NO_COLOR, FORCE_COLOR,
    COLUMNS and TERM. Labels are never read as markup.
    """
    if os.environ.get("NO_COLOR"):
        has_colors = False  # rich would keep bold and dim text
    console = Console(
        theme=THEME, width=width, file=file,
        markup=False, highlight=False, emoji=False, force_jupyter=False,
        color_system="auto" if has_colors else None,
    )  # fmt: skip
    console.width = max(MIN_WIDTH, console.width)
    return console


def text_console(width: int = 80, unicode: bool = True) -> Console:
    """Return a console without colour that only makes text, for `to_text` and tests."""
    encoding = "utf-8" if unicode else "ascii"
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return make_console(False, file, width)


def characters(options: ConsoleOptions) -> Characters:
    """Return the characters to draw with: ASCII where the encoding or the console has no others."""
    if options.ascii_only or options.legacy_windows:
        return ASCII
    return UNICODE


def safe(text: str, options: ConsoleOptions) -> str:
    """Return a text from a file so that it is harmless on a console.

    Control characters are escaped, and so is everything but ASCII where the console has no more.
    A text longer than some pages is cut short.
    """
    text = escape(text[: _MAX_TEXT_LENGTH + 1])
    if len(text) > _MAX_TEXT_LENGTH:
        text = f"{text[:_MAX_TEXT_LENGTH]} {characters(options).ellipsis}"
    if not options.ascii_only:
        return text
    return spelled(text, options).encode("ascii", "backslashreplace").decode()


def spelled(text: str, options: ConsoleOptions) -> str:
    """Return a sentence with `<=` for its sign on a console that has only ASCII, to be wrapped."""
    if options.ascii_only:
        return text.translate(_IN_ASCII)
    return text


def clipped(text: str, width: int, ellipsis: str = "…") -> str:
    """Return the text, or its beginning and an ellipsis where it is wider than `width` columns."""
    if cell_len(text) <= width:
        return text
    return chop_cells(text, max(1, width - len(ellipsis)))[0] + ellipsis


def clipped_start(text: str, width: int, ellipsis: str = "…") -> str:
    """Return the text, or an ellipsis and its end where it is wider than `width` columns."""
    return clipped(text[::-1], width, ellipsis[::-1])[::-1]


def file_heading(
    file: str, tree: Tree, options: ConsoleOptions, among_others: bool
) -> Iterator[Text]:
    """Yield the file's name and the tree's title; one of several files needs its name."""
    if among_others or not tree.title:
        yield Text(safe(file, options), style="title")
    if tree.title:
        yield Text(safe(tree.title, options), style="none" if among_others else "title")


def report_heading(
    reports: Sequence[Any], position: int, options: ConsoleOptions
) -> Iterator[RenderableType]:
    """Yield the heading of one of several reports, which have a `file` and a `tree`.

    A blank line follows it, and one comes before it if it is not the first.
    """
    if position:
        yield ""
    report = reports[position]
    yield from file_heading(report.file, report.tree, options, len(reports) > 1)
    if report.has_decider:
        yield from decider_heading(report.tree)
    yield ""


def decider_heading(tree: Tree) -> Iterator[Text]:
    """Yield the sentence that names the decision maker, if the tree has MIN nodes."""
    if tree.has_min:
        totals = "small"
        if tree.gain_sign > 0:
            totals = "large"
        text = f"The decision maker is {tree.decision_maker.name}, who prefers {totals} totals"
        if len(tree.deciders) > 1:
            text += "; MIN plays against MAX"
        yield Text(f"{text}.", style="decider")


def title_heading(tree: Tree, options: ConsoleOptions) -> Iterator[Text]:
    """Yield the tree's title and source, and a blank line after them."""
    if tree.title:
        yield Text(safe(tree.title, options), style="title")
    if tree.source:
        for text in tree.source.strip().split("\n"):
            yield Text(safe(text.rstrip(), options), style="dim")
    if tree.title or tree.source:
        yield Text("")


def line(*parts: str | tuple[str, str]) -> Text:
    """Return one line of parts, each a text or a pair of text and style, that is never wrapped.

    Blanks that keep words together while a text is wrapped become plain ones.
    """
    texts, spans, start = [], [], 0
    for part in parts:
        text, style = (part, "none") if isinstance(part, str) else part
        end = start + len(text)
        if text and style != "none":
            spans.append(Span(start, end, style))
        texts.append(text)
        start = end
    return Text(untied("".join(texts)), no_wrap=True, overflow="ignore", spans=spans)


class Trimmed:
    """A renderable without the blanks that rich adds at the ends of lines."""

    def __init__(self, renderable: RenderableType) -> None:
        self.renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the segments of each line up to its last visible character."""
        for segments in console.render_lines(self.renderable, options, pad=False):
            while segments and not segments[-1].text.strip(" "):
                segments.pop()
            if segments:
                text, style, control = segments[-1]
                segments[-1] = Segment(text.rstrip(" "), style, control)
            yield from segments
            yield Segment.line()


def indented(text: TextType, columns: int = 2) -> Padding:
    """Return a wrapped text with blanks before each of its lines."""
    return Padding(text, (0, 0, 0, columns))


def to_strings(renderables: Iterable[RenderableType], console: Console) -> Iterator[str]:
    """Yield the renderables as text with the escape codes that the console understands.

    A `str` is a line that is written as it is. A line made by `line` takes a fifth of the time that
    `Console.print` needs, which matters for a tree of 100,000 lines.
    """
    options = console.options  # made anew at each reading
    for renderable in renderables:
        if isinstance(renderable, str):
            text = f"{renderable}\n"
        elif isinstance(renderable, Text) and renderable.no_wrap:
            text = _line_text(renderable, console)
        else:
            with console.capture() as capture:
                console.print(Trimmed(renderable))
            text = capture.get()
        yield spelled(text, options)


def _line_text(text: Text, console: Console) -> str:
    if console.color_system is None:
        return f"{text.plain}\n"
    colors, plain, end = COLOR_SYSTEMS[console.color_system], text.plain, 0
    pieces = []
    for start, stop, style in text.spans:  # in order and apart, as `line` makes them
        styled = console.get_style(style).render(plain[start:stop], color_system=colors)
        pieces += [plain[end:start], styled]
        end = stop
    return f"{''.join(pieces)}{plain[end:]}\n"


def message_line(options: ConsoleOptions, *parts: tuple[str, str]) -> Text:
    """Return a message of parts, each a text and its style.

    A terminal wraps it between words. Elsewhere it is one line, so that a search can find it.
    """
    text = line(*((safe(part, options), style) for part, style in parts))
    text.no_wrap = not options.is_terminal
    text.overflow = "fold"
    return text


def problem_lines(
    problems: Iterable[Problem], options: ConsoleOptions, kind: str = "error"
) -> Iterator[Text]:
    """Yield the lines of errors or warnings, in the order that editors and build tools read.

    They are the place and what is wrong, the source line with `^` below the column, and what to do.
    Source lines are cut to the width of the console.
    """
    for problem in problems:
        place, label = (f"{problem.place}: ", "place"), (f"{kind}: ", _KINDS[kind])
        yield message_line(options, place, label, (f"{problem.subject}{problem.reason}", "none"))
        if problem.excerpt is not None:
            number = f"{problem.line} | "
            shown, mark = _excerpt_lines(problem.excerpt, options.max_width - len(number))
            yield line((number, "guide"), safe(shown, options))
            yield line((f"{'| ':>{len(number)}}", "guide"), (mark, "bad"))
        if problem.hint:
            yield message_line(options, ("help: ", "good"), (problem.hint.lstrip(",; "), "none"))


def _excerpt_lines(excerpt: Excerpt, width: int) -> Iterator[str]:
    """Yield a source line, cut around the column, and the mark below it."""
    indent = len(excerpt.text) - len(excerpt.text.lstrip(" \t"))
    indent = min(indent, excerpt.at)
    at = excerpt.at - indent
    shown = [_TAB if c == "\t" else escape(c) for c in excerpt.text[indent:].rstrip()]
    cells = [*map(cell_len, shown)]
    first, end = _window(cells, at, max(width, MIN_WIDTH))
    before = "…" if first else ""
    after = "…" if end < len(shown) else ""
    offset = len(before) + sum(cells[first:at]) + max(0, at - len(cells))
    yield f"{before}{''.join(shown[first:end])}{after}"
    yield f"{' ' * offset}^"


def _window(cells: list[int], at: int, width: int) -> tuple[int, int]:
    """Return the first character to show and the one after the last, from their widths."""
    if sum(cells) <= width:
        return 0, len(cells)
    left = width - 2  # for the `…` at both ends
    first = end = min(at, len(cells))
    is_left = False
    while True:
        can_left = first > 0 and cells[first - 1] <= left
        can_right = end < len(cells) and cells[end] <= left
        if not can_left and not can_right:
            return first, end
        is_left = can_left and (not is_left or not can_right)
        if is_left:
            first -= 1
            left -= cells[first]
        else:
            left -= cells[end]
            end += 1
