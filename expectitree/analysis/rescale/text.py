"""A tree before and after a map of its utilities, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rich.console import ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from expectitree.analysis.rescale.report import Remark, Rescaling
from expectitree.analysis.rescale.scales import AFFINE, ORDERED, MapClass, affine
from expectitree.numbers import cell_text, display_text, message_text, to_exact
from expectitree.searches.result import Search
from expectitree.text.console import characters, safe
from expectitree.text.headings import file_heading
from expectitree.text.phrases import plural
from expectitree.text.tables import Column, table
from expectitree.tree.model import Kind

MOST_ROWS = 40  # nodes that are shown without --all
_MOST_PAIRS = 8
_MOST_TIES = 3  # actions that are named

REMARKS = {
    "unused": "{} of {} entries of the table are of no utility of this tree: {}.",
    "bounds": "The bounds in the file are left out of the rescaled tree: {}.",
    "equal": "{} and {} become equal in floating point: use --exact.",
    "fractions": "These are fractions: floating point takes the actions for a tie.",
}
REASONS = {
    "root": "the root is a {kind} node, where no player decides",
    "one action": "there is one action",
    "same": "all actions lead to the same",
    "no chance": "no chance lies above different outcomes, and MIN and MAX choose alike under "
    "every such map",
    "two utilities": "only two utilities make a difference, and on two every such map is positive "
    "affine",
    "dominance": "{action} is at {end} as likely as any other action to reach each utility "
    "(first-order stochastic dominance)",
    "large": "the tree is too large to compute with it in fractions",
    "tried": "{tried:,} maps were tried, and none changes it",
    "map": "under the map {map}, another action is better",
}


def render(
    reports: Sequence[Rescaling], options: ConsoleOptions, show_all: bool = False
) -> Iterator[RenderableType]:
    """Yield for each file the map, the nodes that optimal play reaches, and the result."""
    for position, report in enumerate(reports):
        if position:
            yield ""
        yield from file_heading(report.file, report.tree, options, len(reports) > 1)
        yield ""
        if report.scale is not None and report.map_class is not None:
            yield _map_facts(report, report.map_class, options)
            yield ""
            if report.strategy:
                yield from _strategy_table(report, options, None if show_all else MOST_ROWS)
                yield ""
        for remark in report.remarks:
            yield Text(safe(remark_text(remark), options))
        for sentence in _sentences(report, options):
            yield Text(sentence, style="title")


def remark_text(remark: Remark) -> str:
    """Return the sentence of a remark."""
    if remark.kind == "unused":
        *named, unused, total = remark.numbers
        few = ", ".join(map(message_text, named)) + ", …" * (unused > len(named))
        return REMARKS["unused"].format(unused, total, few)
    numbers = (x if isinstance(x, str) else message_text(x) for x in remark.numbers)
    return REMARKS[remark.kind].format(*numbers)


def reason_text(report: Rescaling) -> str:
    """Return the reason for the answer to whether any map changes the decision."""
    answer, kind = report.answer, Kind(report.tree.columns.kind[-1])
    if answer is None:
        return ""
    return REASONS[answer.reason].format(
        kind=kind.name,
        action=answer.action,
        end="least" if kind == Kind.MAX else "most",
        tried=answer.tried,
        map="" if report.scale is None else report.scale.text,
    )


def _map_facts(report: Rescaling, found: MapClass, options: ConsoleOptions) -> Table:
    arrow, pairs, scale = characters(options).arrow, report.pairs, report.scale
    text = "" if scale is None else scale.text
    if scale is not None and scale.kind in ("map", "table"):
        text += "; other utilities stay"
    images = ", ".join(
        f"{display_text(u)} {arrow} {display_text(image)}" for u, image in pairs[:_MOST_PAIRS]
    )
    if len(pairs) > _MOST_PAIRS:
        images += f", and {len(pairs) - _MOST_PAIRS:,} more"
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, fact in (("map", text), ("utilities", images), ("class", _class_text(found))):
        grid.add_row(name, Text(safe(fact, options)))
    return grid


def _class_text(found: MapClass) -> str:
    if found.name == AFFINE:
        if found.is_identity:
            return "positive affine: it changes nothing"
        line = affine(*(to_exact(float(x)) for x in (found.slope, found.offset))).text
        return f"positive affine, {line}: no best action changes, which was checked at every node"
    if found.name == ORDERED:
        return "order-preserving, not affine: expectations may change their order"
    assert found.witness is not None
    (u, image), (v, other) = (map(display_text, pair) for pair in found.witness)
    return (
        f"neither positive affine nor order-preserving: {u} < {v}, but they become {image} "
        f"and {other}"
    )


def _strategy_table(
    report: Rescaling, options: ConsoleOptions, most: int | None
) -> Iterator[RenderableType]:
    """Yield a table of nodes: of many the root, those that changed, and the first others."""
    nodes = report.strategy
    changed = [n for n in nodes if n in report.changed_nodes]
    kept = set(islice(dict.fromkeys([*nodes[:1], *changed, *nodes]), most))
    room = max(8, (options.max_width - 44) // 2)
    columns = (
        Column("node", most=max(8, options.max_width // 3), keep_end=True),
        Column("kind", spare=4),
        Column("before", number=True, spare=2),
        Column("best", most=room),
        Column("after", number=True, spare=1),
        Column("new best", most=room),
        Column("changed", spare=3),
    )
    yield from table(columns, (_row(report, n) for n in nodes if n in kept), options)
    if len(nodes) > len(kept):
        ellipsis = characters(options).ellipsis
        left = plural(len(nodes) - len(kept), "more node")
        yield Text(f"{ellipsis} {left} (--all shows them)", style="dim")


def _row(report: Rescaling, node: int) -> list[str]:
    cells = [report.tree.path_of(node), Kind(report.tree.columns.kind[node]).name]
    for search in (report.before, report.after):
        assert search is not None
        cells += [cell_text(search.lower[node], search.eps), _best_text(search, node) or "-"]
    return [*cells, "changed" if node in report.changed_nodes else ""]


def _best_text(search: Search, node: int, joint: str = ", ") -> str:
    """Return the best actions of a node, of many the first ones; of CHANCE nothing."""
    branches = list(islice(search.best_branches(node), _MOST_TIES))
    text = joint.join(search.tree.branch_label(node, b) for b in branches)
    others = sum(1 for _ in search.best_branches(node)) - len(branches)
    return f"{text} and {others:,} more" if others else text


def _sentences(report: Rescaling, options: ConsoleOptions) -> Iterator[str]:
    answer, root, after = report.answer, report.tree.root_id, report.after
    if answer is not None:
        start = {
            "yes": "An order-preserving map of these utilities changes",
            "no": "No order-preserving map of these utilities changes",
            "unknown": "It is unknown whether an order-preserving map of these utilities changes",
        }[answer.answer]
        decision = " ".join(filter(None, ("the decision", answer.action)))
        yield safe(f"{start} {decision}: {reason_text(report)}.", options)
    if after is None:
        return
    values = display_text(report.before.lower[root]), display_text(after.lower[root])
    best = safe(_best_text(report.before, root, " and "), options)
    if report.changed:
        new = safe(_best_text(after, root, " and "), options)
        yield f"The decision changes: {best} ({values[0]}) before, {new} ({values[1]}) after."
        return
    start = f"The decision stays {best}" if best else "No player decides at the root"
    yield f"{start}: {values[0]} before, {values[1]} after."
    if report.changed_nodes:
        count = plural(len(report.changed_nodes), "node")
        yield f"Below the root the best action changes at {count}."
