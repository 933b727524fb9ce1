"""What the page is given of a tree and its traces: columns of small integers, and tables of what they stand for.

- `numbers`: every number once, as JSON has it, or `[as JSON has it, as sentences write it]` where these differ;
- `words` and `skeletons`: a sentence is a skeleton with a word in each of its gaps (U+001F). Sentences differ in
  their numbers and names above all, so a step takes some 20 bytes in place of 100;
- `tree`: the node and branch tables of `Tree`; numbers by their place in `numbers`, -1 where there is none;
- `traces`: for each search what it came to, with the windows that are found in the `final` end of one that has none
  while it goes on, and its events: `kinds` a letter each, `branches` the branch by which the
  node was come to, `more` what else it says (`_more`), `said` the skeletons, each followed by its words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from expectitree.analysis.evaluate.text import BOUNDS_FROM
from expectitree.analysis.trace.events import (
    AIMS,
    CLOSE,
    CUT,
    ENTER,
    LEAVE,
    PASS,
    PROBE,
    TIGHTEN,
    VISIT,
    Event,
)
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import Trace, initial_intervals
from expectitree.analysis.trace.text import Board
from expectitree.numbers import Number, cell_text, display_text, escape, probability_text
from expectitree.page.replays import Replays
from expectitree.searches.result import Outcome, Search
from expectitree.text.json_values import json_number, search_fields
from expectitree.text.look import Look
from expectitree.text.phrases import residue
from expectitree.tree.model import Kind, Tree

GAP = "\x1f"  # no label shows a control character as it is
_LETTERS = {
    ENTER: "E",
    PROBE: "P",
    VISIT: "V",
    PASS: "S",
    TIGHTEN: "T",
    CLOSE: "X",
    CUT: "C",
    LEAVE: "L",
}
_WALKED = {
    ENTER: "G",
    CUT: "K",
}  # the same of a best-first search: with an aim, and found in the end
_VALUED = "W"  # expectiminimax leaves a node: it has a value, and no window
_WORD = re.compile(
    r"([^\s,;:()\[\]]*[0-9][^\s,;:()\[\]]*)"
)  # a number, or a name with a digit in it


def page_data(report: Replays) -> Iterator[tuple[str, Any]]:
    """Yield the parts of the page's data, key and value, as the module says."""
    tree = report.tree
    numbers = _Numbers(residue(report.traces[0].search))
    sentences = Sentences()
    yield "file", escape(report.file)
    yield "title", escape(tree.title or "")
    yield "source", escape(tree.source or "")
    yield "exact", tree.exact
    yield "eps", float(report.traces[0].search.eps)
    yield "tree", _tree_columns(tree, numbers)
    yield "traces", [_trace_columns(trace, numbers, sentences) for trace in report.traces]
    yield "numbers", numbers.table
    yield "words", sentences.words.table
    yield "skeletons", sentences.skeletons.table


class _Table:
    """Things by the order in which they came; each once."""

    def __init__(self) -> None:
        self.table: list[Any] = []
        self.places: dict[Any, int] = {}

    def place(self, key: Any, make: Callable[[], Any] | None = None) -> int:
        """Return the place of a key; it is entered as what `make` returns, or as itself."""
        found = self.places.get(key)
        if found is None:
            found = self.places[key] = len(self.table)
            self.table.append(key if make is None else make())
        return found


class _Numbers(_Table):
    """The numbers that the page shows."""

    def __init__(self, residue: Number) -> None:
        super().__init__()
        self.residue = residue

    def __call__(self, value: Number) -> int:
        return self.place(value, lambda: self.entry(value, cell_text(value, self.residue)))

    def probability(self, p: Number) -> int:
        """Return the place of a probability, which is shown with fewer digits than a number elsewhere."""
        return self.place(("p", p), lambda: self.entry(p, probability_text(p)))

    def entry(self, value: Number, shown: str) -> Any:
        written = json_number(value)
        return written if str(written) == shown else [written, shown]


class Sentences:
    """The tables that sentences are made of."""

    def __init__(self) -> None:
        self.skeletons, self.words = _Table(), _Table()

    def packed(self, text: str, name: str) -> list[int]:
        """Return the places of a text's skeleton and words; `name` is one word, where the text has it."""
        pieces: list[str] = []
        for position, part in enumerate(text.split(name) if name else [text]):
            if position:
                pieces.append(name)
            pieces += _WORD.split(part)
        # Text and words take turns: a split begins and ends with text, and a name stands between
        # two splits.
        skeleton = GAP.join(pieces[::2])
        words = [self.words.place(word) for word in pieces[1::2]]
        return [self.skeletons.place(skeleton), *words]


def _tree_columns(tree: Tree, numbers: _Numbers) -> dict[str, Any]:
    kind, utility, first, child, probability = tree.columns
    count = len(tree)
    chance = [bool(kind[n] == Kind.CHANCE) for n in range(count)]
    return {
        "kinds": "".join(str(int(k)) for k in kind),
        "branches": [first[n + 1] - first[n] for n in range(count)],
        "children": list(child),
        "probabilities": [
            numbers.probability(probability[b]) if chance[n] else -1
            for n in range(count)
            for b in range(first[n], first[n + 1])
        ],
        "labels": [0 if label is None else escape(label) for label in tree.label],
        "utilities": [-1 if u is None or u != u else numbers(u) for u in utility],
        "estimated": sorted(tree.estimated),
        "bounds": {n: [numbers(end) for end in bounds] for n, bounds in tree.local_bounds.items()},
        "notes": {n: escape(note) for n, note in tree.notes.items()},
        "branch_notes": {b: escape(note) for b, note in tree.branch_notes.items()},
        "unfolded": _unfolded(tree),
    }


def _unfolded(tree: Tree) -> str:
    return (
        f"{tree.unfolded:,}"
        if isinstance(tree.unfolded, int) and tree.unfolded < 10**15
        else str(tree.unfolded)
    )


def _trace_columns(trace: Trace, numbers: _Numbers, sentences: Sentences) -> dict[str, Any]:
    search = trace.search
    board, moment = Board(trace, Look(10_000, True)), Moment(trace)
    letters: list[str] = []
    branches: list[int] = []
    more: list[int] = []
    said: list[int] = []
    while event := moment.forward():
        letters.append(_letter(event, search.algorithm.in_order))
        branches.append(event.branch)
        more += _more(event, numbers, search.algorithm.in_order)
        said += sentences.packed(step_text(board, event, moment), board.name(event))
    lower, upper = initial_intervals(search)
    return {
        "name": search.algorithm.full_name,
        "about": search_fields(trace.file, search),
        "description": search.algorithm.description,
        "cutting": search.algorithm.player_cuts,
        "in_order": search.algorithm.in_order,
        "lower": _column(lower, numbers),
        "upper": _column(upper, numbers),
        "kinds": "".join(letters),
        "branches": branches,
        "more": more,
        "said": said,
        "total": trace.total,
        "opening": opening(trace),
        "conclusion": escape(board.conclusion()),
        "decided": _decided(search),
        **({} if search.algorithm.in_order else {"final": _final(search, numbers)}),
    }


def _decided(search: Search) -> list[int]:
    """Return the best branches of the root if the search proved no more than which they are."""
    is_action = search.outcome is Outcome.ACTION
    return list(search.best_branches(search.tree.root_id)) if is_action else []


def _letter(event: Event, in_order: bool) -> str:
    if event.kind == LEAVE and event.window is None:
        return _VALUED
    return _LETTERS[event.kind] if in_order else _WALKED.get(event.kind, _LETTERS[event.kind])


def _final(search: Search, numbers: _Numbers) -> dict[str, list[int]]:
    """Return the windows and cuts that are found when a search is over, -1 for a window that there is not."""
    kind, count = search.tree.columns.kind, len(search.tree)
    entered = [bool(kind[n] and search.visits[n]) for n in range(count)]
    return {
        "alpha": [numbers(search.alpha[n]) if entered[n] else -1 for n in range(count)],
        "beta": [numbers(search.beta[n]) if entered[n] else -1 for n in range(count)],
        "cut": [search.cut[n] if entered[n] else 0 for n in range(count)],
        "after": [search.cut_after[n] if entered[n] else 0 for n in range(count)],
        "asked_by": list(search.asked_by),
    }


def step_text(board: Board, event: Event, moment: Moment) -> str:
    """Return what is said of a step: its sentence, and a line for each end of its window that is derived."""
    return "\n".join([board.sentences[event.kind](event), *board.reckoned(event, moment)])


def opening(trace: Trace) -> str:
    """Say where a search starts from, and of a trace that is cut short, that it is."""
    search, steps = trace.search, len(trace.events)
    if search.algorithm.player_cuts:
        ends = ", ".join(display_text(end) for end in search.bounds)
        text = (
            f"{search.algorithm.full_name} begins. It is told that every utility lies in [{ends}]"
        )
        text += f" ({BOUNDS_FROM[search.bounds_source]})."
        if not search.algorithm.in_order:
            text += " Each walk goes from the root to a leaf; what it shows there is backed up."
    else:
        text = f"{search.algorithm.full_name} evaluates every node once, children before their parents."
    if steps < trace.total:
        text += f" This page has the first {steps:,} of its {trace.total:,} steps."
    return text


def _more(event: Event, numbers: _Numbers, in_order: bool) -> list[int]:
    """Return what an event says beside its kind and node: which integers follow is told by its kind."""
    if not in_order and event.kind == ENTER:
        return [AIMS.index(event.aim)]
    if not in_order and event.kind == CUT:
        return [event.cut, event.after, *(numbers(end) for end in event.window or ())]
    if event.kind == ENTER:
        return [numbers(end) for end in event.window or ()]
    if event.kind == PROBE:
        return [event.place]
    if event.kind == VISIT or event.kind == LEAVE and event.window is None:
        return [numbers(event.lower)]
    if event.kind in (TIGHTEN, CLOSE):
        return [numbers(event.lower), numbers(event.upper)]
    if event.kind == CUT:
        return [event.cut, event.after]
    if event.kind == LEAVE:
        return [numbers(event.lower), numbers(event.upper), event.cut, event.after]
    return []


def _column(ends: Sequence[Number], numbers: _Numbers) -> int | list[int]:
    """Return a column of numbers by their places: a single one where all are the same."""
    places = [numbers(end) for end in ends]
    return places[0] if len(set(places)) == 1 else places
