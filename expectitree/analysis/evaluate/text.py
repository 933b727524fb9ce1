"""An evaluation as text: title, annotated tree, summary."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from expectitree.analysis.evaluate.outline import SHORT_TREE
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.analysis.evaluate.tree_text import tree_lines
from expectitree.numbers import Number, display_text, exact_text
from expectitree.searches.result import Outcome, Search
from expectitree.text.look import Look, clipped, wrapped
from expectitree.tree.model import Tree

BOUNDS_FROM = {
    "option": "from --bounds",
    "file": "from the file",
    "leaves": "from the leaves themselves",
    "none": "since nothing is known beforehand",
}


def render(
    evaluation: Evaluation, look: Look, most_rows: int | None = SHORT_TREE, notes: bool = True
) -> Iterator[str]:
    """Yield the lines of the whole answer to `eval`."""
    yield from heading(evaluation.tree, look)
    if evaluation.reasons is not None:
        from expectitree.analysis.evaluate.sentences import reasons_text

        yield from reasons_text(evaluation.reasons, look)
    else:
        yield from tree_lines(evaluation.shown, look, most_rows, notes)
    yield ""
    yield from summary_lines(evaluation, look)


def heading(tree: Tree, look: Look) -> Iterator[str]:
    """Yield title and source, and a blank line, as far as they are there."""
    for text, style in ((tree.title, "title"), (tree.source, "dim")):
        for line in wrapped(look.shown(text or ""), look.width):
            yield look.paint(line, style)
    if tree.title or tree.source:
        yield ""


def summary_lines(evaluation: Evaluation, look: Look) -> Iterator[str]:
    """Yield value, best action, counts, cuts and bounds, a line each."""
    search, counts = evaluation.search, evaluation.search.counts
    wide = max(len(f"{counts.visited:,}"), len(f"{counts.leaves_visited:,}"), 1)
    facts = [("algorithm", search.algorithm.full_name)]
    facts.append(
        (
            "value",
            look.paint(
                value_text(search, exact_text if search.tree.exact else display_text), "value"
            ),
        )
    )
    if search.outcome is Outcome.ACTION:
        facts.append(("asked", "which action is best, not what it is worth (--goal action)"))
    if search.stopped:
        unknown = len(search.tree.unknown)
        why = (
            f"{unknown:,} utilit{'y is' if unknown == 1 else 'ies are'} not known yet"
            if unknown
            else "--max-visits"
        )
        facts.append(("stopped", f"after {counts.visits:,} visits ({why})"))
    if search.best is not None:
        most = max(12, (look.width - 12) // 2)
        labels = search.ties[:6]
        ties = [clipped(look.shown(label), most, look.characters.ellipsis) for label in labels]
        best = look.paint(ties[0], "best")
        if len(ties) > 1:
            others = len(search.ties) - len(labels)
            more = f" and {others:,} more" if others else ""
            best += f"  (worth as much: {', '.join(ties[1:])}{more})"
        facts.append(("best", best))
    again = counts.visits - counts.visited
    extra = f", {again:,} more visit{'s' * (again != 1)}" if again else ""
    if counts.unfolded != counts.total:
        unfolded = (
            f"{counts.unfolded:,}"
            if isinstance(counts.unfolded, int) and counts.unfolded < 10**15
            else None
        )
        extra += f"; unfolded {unfolded or _short(counts.unfolded)}"
    facts.append(("nodes", f"{counts.visited:>{wide},} of {counts.total:,} visited{extra}"))
    share = "" if counts.leaves_visited == counts.leaves_total else f" ({counts.share:.0%})"
    facts.append(
        ("leaves", f"{counts.leaves_visited:>{wide},} of {counts.leaves_total:,} visited{share}")
    )
    if search.algorithm.player_cuts:
        passed = evaluation.explanation.passed_over
        note = f"; {passed:,} node{'s' * (passed != 1)} passed over" if passed else ""
        facts.append(("cuts", f"{counts.cuts:>{wide},}{note}"))
    lower, upper = map(display_text, search.bounds)
    facts.append(("bounds", f"[{lower}, {upper}] {BOUNDS_FROM[search.bounds_source]}"))
    for name, text in facts:
        if "\x1b" in text or len(text) + 10 <= look.width:
            yield look.paint(f"{name:<10}", "dim") + text
            continue
        for position, line in enumerate(wrapped(text, look.width - 10)):
            yield look.paint(f"{'' if position else name:<10}", "dim") + line


def value_text(search: Search, write: Callable[[Number], str] = display_text) -> str:
    """Return the root's value, or where it is not known, the interval that holds it."""
    ends = [write(end) for end in search.interval_of(-1)]
    return ends[0] if search.outcome is Outcome.VALUE else f"in [{ends[0]}, {ends[1]}]"


def _short(size: int | str) -> str:
    if isinstance(size, str):
        return size
    digits = str(size)
    return f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
