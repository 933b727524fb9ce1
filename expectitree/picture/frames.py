"""A search step by step: one picture a step, or one animated SVG.

What a picture shows comes from the trace of the search. All pictures have the same places: each
node has room for the longest text that it has in any of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

from expectitree.algorithms import Algorithm
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import Trace, trace
from expectitree.analysis.trace.sentences import StepSentences
from expectitree.errors import AnalysisError
from expectitree.picture.content import Edge, Glyph, Style, content
from expectitree.picture.diagram import Diagram, diagram
from expectitree.picture.marks import Group, Mark, Symbol, Text
from expectitree.picture.svg import beginning, group_text
from expectitree.picture.text import LINE, broken, text_width
from expectitree.picture.theme import THEMES
from expectitree.searches.result import Search
from expectitree.text.console import text_console
from expectitree.text.phrases import plural, untied
from expectitree.tree.columns import Bounds
from expectitree.tree.model import Tree

MOST_STEPS = 500
MOST_NODES = 500
_LAST_SECONDS = 3  # that an animation shows its last picture
_MARGIN, _SIZE, _TITLE_SIZE = 16.0, 13.0, 16.0
_LEAST_WIDTH = 420.0
_CURRENT_WIDTH = 4.0  # of the line around the node of a step


def draw_steps(
    found: Tree | Search,
    algorithm: Algorithm | str | None = None,
    style: Style | None = None,
    *,
    windows: bool = False,
    bounds: Bounds | None = None,
    max_visits: int | None = None,
    file: str = "",
) -> Frames:
    """Search a tree, or repeat a search, and draw every step.

    `algorithm`, `bounds`, `max_visits` and `file` are those of `trace`. Raises `AnalysisError` for
    more than 500 nodes or steps.
    """
    tree = found.tree if isinstance(found, Search) else found
    _check_size(len(tree), MOST_NODES, "node")
    report = trace(
        found,
        algorithm,
        bounds=bounds,
        max_visits=max_visits,
        most=MOST_STEPS,
        exact=True,
        file=file,
    )
    _check_size(report.total, MOST_STEPS, "step")
    return Frames(report, style, windows)


def _check_size(found: int, most: int, noun: str) -> None:
    if found > most:
        raise AnalysisError(
            f"there are {plural(found, noun)}, step by step at most {plural(most, noun)} can be"
            " drawn: cut the tree with --depth, or replay the search on a page (.html)"
        )


@dataclass
class Frame:
    """The picture after one step."""

    picture: Diagram
    node: int  # which the step is about; -1 before the first step
    sentence: str


class Frames:
    """All pictures of a search, from the one before its first step to the last one."""

    def __init__(self, report: Trace, style: Style | None = None, windows: bool = False) -> None:
        self.report, self.windows = report, windows
        self.style = replace(style or Style(), rows=None, title=False)
        self.has_title = (style or Style()).title
        self.style = replace(self.style, room=self._room())
        self.frames = list(self._frames())
        self.colours = THEMES[self.style.theme]
        self._measure()

    def _evaluations(self) -> Iterator[tuple[Evaluation, int, str]]:
        """Yield what the search knows after each step, with the step's node and sentence."""
        moment, search = Moment(self.report), self.report.search
        sentences = StepSentences(self.report, text_console().options)
        name = search.algorithm.full_name
        yield self._evaluation(moment), -1, f"{name}: before the first step"
        for step in count(1):
            event = moment.forward()
            if event is None:
                return
            sentence = untied(sentences.sentences[event.kind](event))
            yield self._evaluation(moment), event.node, f"{name}, step {step:,}: {sentence}"

    def _evaluation(self, moment: Moment) -> Evaluation:
        return Evaluation(self.report.file, moment.search, self.windows)

    def _room(self) -> dict[int, tuple[str, ...]]:
        """Return the longest value and remarks of each node."""
        room: dict[int, tuple[str, ...]] = {}
        for evaluation, _, _ in self._evaluations():
            for glyph in content(evaluation, self.style).glyphs:
                texts, was = (glyph.value, *glyph.remarks), room.get(glyph.node, ())
                longest = max(len(texts), len(was))
                pairs = zip(*(t + ("",) * (longest - len(t)) for t in (texts, was)), strict=True)
                room[glyph.node] = tuple(max(pair, key=_width) for pair in pairs)
        return room

    def _frames(self) -> Iterator[Frame]:
        for evaluation, node, sentence in self._evaluations():
            yield Frame(diagram(evaluation, self.style), node, sentence)

    # ---- The heading.

    def _measure(self) -> None:
        """Compute the size of the pictures, and the lines of their headings."""
        first = self.frames[0].picture
        self.width = max(first.width, _LEAST_WIDTH)
        self.left = (self.width - first.width) / 2
        columns = int((self.width - 2 * _MARGIN) / _SIZE / 0.56)
        self.lines = [broken(frame.sentence, columns, 6) for frame in self.frames]
        title_columns = int((self.width - 2 * _MARGIN) / _TITLE_SIZE / 0.66)
        title = self.frames[0].picture.content.title if self.has_title else ""
        self.title = broken(title, title_columns, 3)
        most = max(map(len, self.lines))
        self.top = _MARGIN + (len(self.title) * _TITLE_SIZE + most * _SIZE) * LINE
        self.height = self.top + first.height

    def _heading(self, lines: tuple[str, ...]) -> str:
        texts: list[Mark] = []
        y = _MARGIN
        for line in self.title:
            texts.append(Text(_MARGIN, y + _TITLE_SIZE, line, _TITLE_SIZE, "ink", is_bold=True))
            y += _TITLE_SIZE * LINE
        for line in lines:
            texts.append(Text(_MARGIN, y + _SIZE, line, _SIZE, "ink"))
            y += _SIZE * LINE
        return group_text(Group(tuple(texts)), self.colours)

    # ---- SVG.

    def pictures(self) -> Iterator[str]:
        """Yield each picture as SVG."""
        for frame, lines in zip(self.frames, self.lines, strict=True):
            groups = "\n".join(self._groups(frame).values())
            yield self._document(lines, f"{self._heading(lines)}\n{self._moved(groups)}")

    def animation(self) -> str:
        """Return an SVG that shows one step a second, again and again.

        On paper, and where a reader wants no motion, it is the last picture.
        """
        last, seconds = len(self.frames), len(self.frames) - 1 + _LAST_SECONDS
        runs: dict[object, list[tuple[int, int, str]]] = {}
        order = list(self._groups(self.frames[-1]))
        for number, frame in enumerate(self.frames):
            for key, text in self._groups(frame).items():
                _extend(runs.setdefault(key, []), number, text)
        headings: list[tuple[int, int, str]] = []
        for number, lines in enumerate(self.lines):
            _extend(headings, number, self._heading(lines))
        rules = {
            (begin, end): _rule(begin, end, last, seconds)
            for found in (headings, *runs.values())
            for begin, end, _ in found
            if end - begin < last
        }
        style = "\n".join(
            ["@media screen and (prefers-reduced-motion: no-preference) {", *rules.values(), "}"]
        )
        texts = [_shown(run, last) for key in order for run in runs[key]]
        body = "\n".join(
            [
                f"<style>{style}</style>",
                *(_shown(run, last) for run in headings),
                self._moved("\n".join(texts)),
            ]
        )
        return self._document(self.lines[-1], body)

    def _document(self, lines: tuple[str, ...], body: str) -> str:
        title = self.frames[0].picture.content.title or self.report.search.algorithm.full_name
        size = (self.width, self.height)
        lines_before = beginning(size, title, " ".join(lines), self.colours)
        return "\n".join([*lines_before, body, "</svg>"]) + "\n"

    def _moved(self, text: str) -> str:
        return f'<g transform="translate({self.left:g},{self.top:g})">\n{text}\n</g>'

    def _groups(self, frame: Frame) -> dict[object, str]:
        """Return the text of each group of a picture; a group has the same key in all pictures."""
        found = frame.picture.content
        things: list[Glyph | Edge] = [*found.glyphs, *found.edges]
        places = {thing: place for place, thing in enumerate(things)}
        texts: dict[object, str] = {}
        for group in frame.picture.groups:
            if group.of is None:
                continue
            is_current = isinstance(group.of, Glyph) and 0 <= group.of.node == frame.node
            marks = tuple(
                mark._replace(width=_CURRENT_WIDTH)
                if is_current and isinstance(mark, Symbol)
                else mark
                for mark in group.marks
                if not isinstance(mark, Text) or mark.text
            )
            key = places[group.of], group.box is None
            texts[key] = group_text(group._replace(marks=marks), self.colours)
        return texts


def _width(text: str) -> float:
    return text_width(text, 1)


def _extend(runs: list[tuple[int, int, str]], number: int, text: str) -> None:
    """Add a text of a picture to the runs of pictures in which it stays the same."""
    if runs and runs[-1][1:] == (number, text):
        runs[-1] = (runs[-1][0], number + 1, text)
    else:
        runs.append((number, number + 1, text))


def _shown(run: tuple[int, int, str], last: int) -> str:
    """Return the text of a run: without animation, only what the last picture shows is visible."""
    begin, end, text = run
    if end - begin == last:
        return text
    hidden = "" if end == last else ' visibility="hidden"'
    return text.replace("<g>", f'<g class="s{begin}-{end}"{hidden}>', 1)


def _rule(begin: int, end: int, last: int, seconds: int) -> str:
    """Return the style of the groups that are visible from one picture until another."""
    name = f"s{begin}-{end}"
    steps = {0: "hidden", begin: "visible"}
    if end < last:
        steps[end] = "hidden"
    frames = " ".join(
        f"{100 * second / seconds:.4g}%{{visibility:{what}}}" for second, what in steps.items()
    )
    return f".{name}{{animation:{name} {seconds}s step-end infinite}} @keyframes {name}{{{frames}}}"
