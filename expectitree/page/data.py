"""The page's data: the tree and each search, as columns of small integers and tables of values.

- `numbers`: each number once, as JSON writes it, or `[as JSON writes it, as sentences write it]`
  where these differ.
- `words` and `skeletons`: a sentence is a skeleton with a word in each of its gaps (U+001F).
  Sentences differ mostly in their numbers and names, so a step takes some 20 bytes instead of 100.
- `choices`: lists of branches, each once.
- `tree`: the node and branch tables of `Tree`, and its first paths. A number is given by its place
  in `numbers`, -1 where there is none.
- `traces`: for each search its `start` (the columns of `steps.COLUMNS` before the first step) and
  its steps: `kinds` one letter each, `branches` the branch that leads to the node, `depths`,
  `keeps` how many open entries stay open, `changes` the number of changes followed by a cell and a
  value for each, `sentences` the skeletons, each followed by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from expectitree.analysis.evaluate.cuts import REASONS
from expectitree.analysis.evaluate.text import BOUNDS_FROM
from expectitree.analysis.trace.events import (
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
from expectitree.analysis.trace.report import Trace
from expectitree.analysis.trace.sentences import StepSentences, conclusion
from expectitree.numbers import Number, cell_text, display_text, escape, probability_text
from expectitree.page.replays import Replays
from expectitree.page.steps import Steps
from expectitree.text.console import text_console
from expectitree.text.json_values import json_number, search_fields
from expectitree.text.phrases import residue
from expectitree.tree.model import Kind, Tree

GAP = "\x1f"  # no label contains a control character
LETTERS = {
    ENTER: "E", PROBE: "P", VISIT: "V", PASS: "S", TIGHTEN: "T", CLOSE: "X", CUT: "C", LEAVE: "L",
}  # fmt: skip
_WORD = re.compile(r"([^\s,;:()\[\]]*[0-9][^\s,;:()\[\]]*)")  # a number, or a name with a digit


def page_data(report: Replays) -> Iterator[tuple[str, Any]]:
    """Yield the parts of the page's data as key and value."""
    tree = report.tree
    numbers = _Numbers(residue(report.traces[0].search))
    choices, sentences = Table(), Sentences()
    yield "title", escape(tree.title or "")
    yield "source", escape(tree.source or "")
    yield "tree", _tree_columns(tree, numbers)
    yield "traces", [_trace_columns(trace, numbers, choices, sentences) for trace in report.traces]
    yield "reasons", REASONS
    yield "numbers", numbers.entries
    yield "choices", choices.things
    yield "words", sentences.words.things
    yield "skeletons", sentences.skeletons.things


class Table:
    """Things in the order in which they were added, each once."""

    def __init__(self) -> None:
        self.things: list[Any] = []
        self.places: dict[Any, int] = {}

    def __call__(self, thing: Any) -> int:
        """Return the place of a thing; add it where it is new."""
        if thing not in self.places:
            self.places[thing] = len(self.things)
            self.things.append(thing)
        return self.places[thing]


class _Numbers(Table):
    """The numbers that the page shows."""

    def __init__(self, residue: Number) -> None:
        super().__init__()
        self.residue = residue

    def probability(self, p: Number) -> int:
        """Return the place of a probability, which has fewer digits than other numbers."""
        return self(("p", p))

    @property
    def entries(self) -> list[Any]:
        """The table as the page reads it."""
        return list(map(self._entry, self.things))

    def _entry(self, thing: Any) -> Any:
        if isinstance(thing, tuple):
            value, shown = thing[1], probability_text(thing[1])
        else:
            value, shown = thing, cell_text(thing, self.residue)
        written = json_number(value)
        return written if str(written) == shown else [written, shown]


class Sentences:
    """The tables of skeletons and words."""

    def __init__(self) -> None:
        self.skeletons, self.words = Table(), Table()

    def packed(self, text: str, name: str) -> list[int]:
        """Return the places of a text's skeleton and words; a `name` in it is one word."""
        pieces: list[str] = []
        for position, part in enumerate(text.split(name) if name else [text]):
            if position:
                pieces.append(name)
            pieces += _WORD.split(part)
        # Text and words take turns: a split begins and ends with text, and a name is between two
        # splits.
        return [self.skeletons(GAP.join(pieces[::2])), *map(self.words, pieces[1::2])]


def _tree_columns(tree: Tree, numbers: _Numbers) -> dict[str, Any]:
    columns, paths = tree.columns, tree.first_paths
    return {
        "kinds": "".join(str(int(kind)) for kind in columns.kind),
        "branches": [len(tree.branches_of(n)) for n in range(len(tree))],
        "children": list(columns.child),
        "order": list(paths.order),
        "first_branch": list(paths.branch),
        "probabilities": [
            numbers.probability(columns.probability[b]) if columns.kind[n] == Kind.CHANCE else -1
            for n in range(len(tree))
            for b in tree.branches_of(n)
        ],
        "impossible": [b for b, p in enumerate(columns.probability) if not p],
        "labels": [0 if label is None else escape(label) for label in tree.label],
        "utilities": [-1 if u is None or u != u else numbers(u) for u in columns.utility],
        "estimated": sorted(tree.estimated),
        "bounds": {n: [numbers(end) for end in bounds] for n, bounds in tree.local_bounds.items()},
        "notes": {n: escape(note) for n, note in tree.notes.items()},
        "branch_notes": {b: escape(note) for b, note in tree.branch_notes.items()},
    }


def _trace_columns(
    trace: Trace, numbers: Table, choices: Table, sentences: Sentences
) -> dict[str, Any]:
    search = trace.search
    words = StepSentences(trace, text_console().options)
    steps = Steps(trace, numbers, choices)
    start = {name: _column(values) for name, values in steps.start.items()}
    columns: dict[str, list[int]] = {
        name: [] for name in ("branches", "depths", "keeps", "changes", "sentences")
    }
    letters: list[str] = []
    for event, keeps, changes in steps:
        letters.append(LETTERS[event.kind])
        columns["branches"].append(event.branch)
        columns["depths"].append(event.depth)
        columns["keeps"].append(keeps)
        columns["changes"] += [len(changes) // 2, *changes]
        text = step_text(words, event)
        columns["sentences"] += sentences.packed(text, words.name(event.node, event.branch))
    return {
        "name": search.algorithm.full_name,
        "about": search_fields(trace.file, search),
        "description": search.algorithm.description,
        "cutting": search.algorithm.player_cuts,
        "in_order": search.algorithm.in_order,
        "start": start,
        "kinds": "".join(letters),
        **columns,
        "total": trace.total,
        "opening": opening(trace),
        "conclusion": escape(conclusion(trace, words.options)),
    }


def step_text(words: StepSentences, event: Event) -> str:
    """Return the sentence of a step, and a line for each end of its window that is derived."""
    return "\n".join([words.sentences[event.kind](event), *words.window_formulas(event)])


def opening(trace: Trace) -> str:
    """Return what a search knows at its start, and how many of its steps the page has."""
    search, steps = trace.search, len(trace.events)
    name = search.algorithm.full_name
    if search.algorithm.player_cuts:
        ends = ", ".join(display_text(end) for end in search.bounds)
        source = BOUNDS_FROM[search.bounds_source]
        text = f"{name} begins. It knows that every utility lies in [{ends}] ({source})."
        if not search.algorithm.in_order:
            text += " Each walk goes from the root to a leaf, evaluates it, and backs up its value."
    else:
        text = f"{name} evaluates every node once, children before their parents."
    if steps < trace.total:
        text += f" This page has the first {steps:,} of its {trace.total:,} steps."
    return text


def _column(values: Sequence[int]) -> int | Sequence[int]:
    """Return a column as the page reads it: one number where all are the same."""
    return values[0] if len(set(values)) == 1 else values
