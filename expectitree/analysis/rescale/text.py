"""A tree before and after a map of its utilities: side by side for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from expectitree.analysis.rescale.report import Rescaling
from expectitree.analysis.rescale.scales import AFFINE, NEITHER, ORDERED, MapClass
from expectitree.numbers import cell_text, display_text, escape
from expectitree.searches.result import Search
from expectitree.text.look import Look, wrapped
from expectitree.text.table import table
from expectitree.tree.model import Kind

MOST_ROWS = 40  # of the strategies, in text
_MOST_PAIRS = 8  # in text
_MOST_TIES = 3  # actions that are named
_FACT = 11  # columns before a fact

HEADINGS = ("node", "kind", "before", "best", "after", "new best", "changed")
RIGHT = ("before", "after")
DISPENSABLE = ("kind", "changed", "before", "after")


def render(reports: Sequence[Rescaling], look: Look, show_all: bool = False) -> Iterator[str]:
    """Yield for each file the map, the nodes of the strategies before and after, and what it comes to."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        title = report.tree.title
        if len(reports) > 1 or not title:
            yield look.paint(look.shown(report.file), "title")
        if title:
            for line in wrapped(look.shown(title), look.width):
                yield look.paint(line, "title" if len(reports) == 1 else "none")
        yield ""
        if report.scale is not None:
            yield from _map_lines(report, look)
            yield ""
            if report.strategy:
                yield from _strategy_lines(report, look, None if show_all else MOST_ROWS)
                yield ""
        for sentence, style in _sentences(report, look):
            for line in wrapped(sentence, look.width):
                yield look.paint(line, style)


# ---- JSON.


# ---- Text.


def _map_lines(report: Rescaling, look: Look) -> Iterator[str]:
    scale, found = report.scale, report.map_class
    if scale is None or found is None:
        return
    arrow = look.characters.arrow
    pairs = ", ".join(
        f"{display_text(u)} {arrow} {display_text(image)}"
        for u, image in report.pairs[:_MOST_PAIRS]
    )
    if len(report.pairs) > _MOST_PAIRS:
        pairs += f", and {len(report.pairs) - _MOST_PAIRS:,} more"
    rest = "; utilities that are not named stay" if scale.kind in ("map", "table") else ""
    facts = (
        ("map", scale.text + rest),
        ("utilities", pairs),
        ("class", _class_text(report, found, look)),
    )
    for name, text in facts:
        for position, line in enumerate(wrapped(look.shown(text), look.width - _FACT)):
            yield look.paint(f"{'' if position else name:<{_FACT}}", "dim") + line


def _class_text(report: Rescaling, found: MapClass, look: Look) -> str:
    if found.is_identity:
        return "positive affine: it changes nothing"
    if found.name == AFFINE:
        line = (
            ""
            if report.scale is None or report.scale.kind == "affine"
            else f", {_line(found, report)} here"
        )
        nodes = len(report.tree)
        checked = f"at all {nodes:,} nodes" if nodes > 1 else "at the one node"
        return f"positive affine{line}: no best action can change, which was checked {checked}"
    if found.name == ORDERED:
        return "order-preserving, not affine: means may come out in another order"
    assert found.name == NEITHER
    assert found.witness is not None
    two, images = zip(*found.witness, strict=True)
    (u, v), (image, other) = map(display_text, two), map(display_text, images)
    what = (
        f"{u} and {v} both become {image}"
        if images[0] == images[1]
        else f"{u} < {v}, but {image} > {other}"
    )
    return f"neither positive affine nor order-preserving: {what}"


def _line(found: MapClass, report: Rescaling) -> str:
    slope, offset = (
        display_text(x if report.tree.exact else float(x)) for x in (found.slope, found.offset)
    )
    return f"{slope} * u" + (
        "" if offset == "0" else f" - {offset[1:]}" if offset[0] == "-" else f" + {offset}"
    )


def _strategy_lines(report: Rescaling, look: Look, most: int | None) -> Iterator[str]:
    """Yield a table of the strategies' nodes: of many the root, those that changed, and the first of the others."""
    nodes = report.strategy
    shown = list(nodes)
    if most is not None and len(nodes) > most:
        first = dict.fromkeys(
            [nodes[0], *(n for n in nodes if n in report.changed_nodes), *nodes[:most]]
        )
        kept = set(islice(first, most))
        shown = [n for n in nodes if n in kept]
    room = max(8, (look.width - 44) // 2)
    widest = {"best": room, "new best": room, "node": max(8, look.width // 3)}
    yield from table(
        HEADINGS, list(_rows(report, shown, look)), look, RIGHT, DISPENSABLE, widest, ("node",)
    )
    left = len(nodes) - len(shown)
    if left:
        changed = len(report.changed_nodes) - len(report.changed_nodes.intersection(shown))
        which = f"{changed:,} of which changed" if changed else "none of which changed"
        yield look.paint(
            f"{look.characters.ellipsis} {_count(left, 'more node')}, {which} (--all shows them)",
            "dim",
        )


def _rows(report: Rescaling, nodes: Sequence[int], look: Look) -> Iterator[list[str]]:
    after = report.after
    assert after is not None
    for n, path in zip(nodes, _paths(report, nodes), strict=True):
        yield [
            path,
            Kind(report.tree.columns.kind[n]).name,
            cell_text(report.before.lower[n], report.before.eps),
            _best_text(report.before, n, look) or "-",
            cell_text(after.lower[n], after.eps),
            _best_text(after, n, look) or "-",
            "changed" if n in report.changed_nodes else "",
        ]


def _paths(report: Rescaling, nodes: Sequence[int]) -> list[str]:
    return [escape(report.tree.path_of(n)) for n in nodes]


def _best_text(search: Search, node: int, look: Look, joint: str = ", ") -> str:
    """Return the best actions of a node, of many the first ones; of CHANCE nothing."""
    branches = list(islice(search.best_branches(node), _MOST_TIES))
    text = joint.join(look.shown(search.tree.branch_label(node, b)) for b in branches)
    others = sum(1 for _ in search.best_branches(node)) - len(branches)
    return f"{text} and {others:,} more" if others else text


def _sentences(report: Rescaling, look: Look) -> Iterator[tuple[str, str]]:
    for remark in report.remarks:
        yield look.shown(remark), "none"
    answer, root, after = report.answer, len(report.tree) - 1, report.after
    best = _best_text(report.before, root, look, " and ")
    first = (answer and answer.action) or report.before.best
    decision = f"the decision {look.shown(first)}" if first else "the decision"
    if (count := len(report.before.ties)) > 1:
        which = "the first of" if first == report.before.best else "in floating point one of"
        decision += f" ({which} {count:,} that tie)"
    if answer is not None and answer.answer != "yes":
        reason = look.shown(answer.reason)
        if answer.answer == "no":
            yield (
                f"No order-preserving map of these utilities changes {decision}: {reason}.",
                "title",
            )
        else:
            yield (
                f"Unknown whether an order-preserving map of these utilities changes {decision}: {reason}.",
                "title",
            )
        return
    assert after is not None
    if answer is not None:
        yield f"Some order-preserving map changes {decision}: {look.shown(answer.reason)}.", "title"
    values = display_text(report.before.lower[root]), display_text(after.lower[root])
    if not best:
        kind = Kind(report.tree.columns.kind[root]).name
        yield (
            f"Nobody decides at the root ({kind}): {values[0]} before, {values[1]} after.",
            "title",
        )
        yield from _below(report, "title")
    elif report.changed:
        new = _best_text(after, root, look, " and ")
        tie = ""
        counts = [len(search.ties) for search in (report.before, after)]
        if counts[0] == 1 < counts[1]:
            tie = ": now they tie"
        elif counts[0] > 1 == counts[1]:
            tie = ": no tie any more"
        elif counts[0] > 1:
            tie = ": others tie"
        yield (
            f"The decision changes: {best} ({values[0]}) before, {new} ({values[1]}) after{tie}.",
            "title",
        )
    else:
        tie = ", which tie" if len(report.before.ties) > 1 else ""
        yield f"The decision stays {best}{tie}: {values[0]} before, {values[1]} after.", "title"
        yield from _below(report, "none")


def _below(report: Rescaling, style: str) -> Iterator[tuple[str, str]]:
    """Yield what happens below the root: by itself it changes no decision there."""
    changed = len(report.changed_nodes)
    if changed:
        yield f"Below the root the best action changes at {_count(changed, 'node')}.", style


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"
