"""The page's data: the tree and each search, as columns of integers, and tables of their values.

- `numbers`: each number once, as JSON writes it (`json`) and as pictures write it (`shown`).
- `choices`: lists of branches, each once.
- `tree`: the node and branch tables of `Tree`, and its first paths. A number is given by its place
  in `numbers`, -1 where there is none.
  If a branch pays, the payments are there as texts, by branch; the root's is `root_payment`.
- `first`: the algorithm that the page shows at first.
- `traces`: for each search its `start` (the columns of `steps.Steps` before the first step) and
  its steps: `kinds` one letter each, `branches` the branch that leads to the node, `depths`,
  `keeps` how many open entries stay open, `changes` pairs of a cell and a value. `sentences` begins
  with the sentence for the start, before the first step.
"""

from __future__ import annotations

from collections.abc import Sequence

from expectitree.analysis.evaluate.cuts import REASONS
from expectitree.analysis.evaluate.json import search_fields
from expectitree.analysis.evaluate.sentences import residue
from expectitree.analysis.trace import events
from expectitree.analysis.trace.events import Event
from expectitree.analysis.trace.report import Trace
from expectitree.analysis.trace.text import StepSentences, conclusion
from expectitree.base.numbers import Number, cell_text, escape
from expectitree.base.tree.columns import NONE
from expectitree.base.tree.model import Kind, Tree
from expectitree.page.steps import Steps, Table
from expectitree.picture.text import broken, payment_text
from expectitree.text.console import text_console
from expectitree.text.json_values import Fields, json_number
from expectitree.text.phrases import BOUNDS_FROM, chance_text, interval_text, root_payment_text

LETTERS = {
    events.ENTER: "E", events.PROBE: "P", events.VISIT: "V", events.PASS: "S",
    events.TIGHTEN: "T", events.CLOSE: "X", events.CUT: "C", events.LEAVE: "L",
}  # fmt: skip

LABEL_COLUMNS, LABEL_LINES = 22, 3  # as in the pictures


def page_data(traces: Sequence[Trace], first: str) -> Fields:
    """Return the data of a page that replays some searches of one tree."""
    tree = traces[0].tree
    numbers = Table[Number]()
    choices = Table[tuple[int, ...]]()
    smallest = residue(traces[0].search)
    return {
        "title": escape(tree.title or ""),
        "source": escape(tree.source or ""),
        "reasons": REASONS,
        "tree": _tree_columns(tree, numbers),
        "traces": [_trace_columns(trace, numbers, choices) for trace in traces],
        "first": first,
        "choices": list(choices),
        "numbers": {
            "json": [json_number(number) for number in numbers],
            "shown": [cell_text(number, smallest) for number in numbers],
        },
    }


def _tree_columns(tree: Tree, numbers: Table[Number]) -> Fields:
    columns = tree.columns
    paths = tree.first_paths
    probabilities = [""] * len(columns.child)
    for n in range(len(tree)):
        if columns.kind[n] == Kind.CHANCE:
            for b in tree.branches_of(n):
                probabilities[b] = chance_text(tree, b)
    payments: Fields = {}
    if columns.pays or tree.root_reward:
        payments["payments"] = [payment_text(tree.reward_of(b)) for b in range(len(columns.child))]
        payments["root_payment"] = payment_text(tree.root_reward)
    utilities = [NONE] * len(tree)
    for n, utility in enumerate(columns.utility):
        if utility is not None and utility == utility:
            utilities[n] = numbers[utility]
    return {
        "kinds": "".join(str(int(kind)) for kind in columns.kind),
        "branches": [len(tree.branches_of(n)) for n in range(len(tree))],
        "children": list(columns.child),
        "order": list(paths.order),
        "first_branch": list(paths.branch),
        "probabilities": probabilities,
        "impossible": [b for b, p in enumerate(columns.probability) if not p],
        "labels": [0 if label is None else escape(label) for label in tree.label],
        "lines": {
            b: broken(escape(label), LABEL_COLUMNS, LABEL_LINES)
            for b, label in enumerate(tree.label)
            if label is not None and len(label) > LABEL_COLUMNS
        },
        "utilities": utilities,
        "estimated": sorted(tree.estimated),
        "bounds": {n: [numbers[end] for end in bounds] for n, bounds in tree.local_bounds.items()},
        "notes": {n: "\n".join(map(escape, text.split("\n"))) for n, text in tree.notes.items()},
        "branch_notes": {b: escape(note) for b, note in tree.branch_notes.items()},
        **payments,
    }


def _trace_columns(trace: Trace, numbers: Table[Number], choices: Table[tuple[int, ...]]) -> Fields:
    search = trace.search
    words = StepSentences(search, text_console().options)
    replay = Steps(trace, numbers, choices)
    start = replay.start
    steps = list(replay)
    return {
        "name": search.algorithm.full_name,
        "about": search_fields(search),
        "description": search.algorithm.description,
        "cutting": search.algorithm.prunes,
        "in_order": search.algorithm.in_order,
        "start": start,
        "kinds": "".join(LETTERS[event.kind] for event in trace.events),
        "branches": [event.branch for event in trace.events],
        "depths": [event.depth for event in trace.events],
        "keeps": [keeps for keeps, _ in steps],
        "changes": [changes for _, changes in steps],
        "sentences": [opening(trace), *(step_text(words, event) for event in trace.events)],
        "total": trace.total,
        "conclusion": escape(conclusion(trace, words.options)),
    }


def step_text(words: StepSentences, event: Event) -> str:
    """Return the sentence of a step, and a line for each end of its window that is derived."""
    return "\n".join([words.sentence(event), *words.window_formulas(event)])


def opening(trace: Trace) -> str:
    """Return what a search knows at its start, and how many of its steps the page has."""
    search, tree, steps = trace.search, trace.tree, len(trace.events)
    name = search.algorithm.full_name
    known = "utility"
    if tree.columns.pays:
        known = "total"
    text = f"{name} begins. It knows no bounds of any {known}."
    if not search.algorithm.prunes:
        text = f"{name} evaluates every node once, children before their parents."
    elif search.bounds_source != "none":
        source = BOUNDS_FROM[search.bounds_source] + root_payment_text(tree)
        ends = interval_text(*search.root_bounds)
        text = f"{name} begins. It knows that every {known} lies in {ends} ({source})."
    if not search.algorithm.in_order:
        text += " Each walk goes from the root to a leaf, evaluates it, and backs up its value."
    if steps < trace.total:
        text += f" This page has the first {steps:,} of its {trace.total:,} steps."
    return text
