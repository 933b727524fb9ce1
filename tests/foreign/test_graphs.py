"""Trees as graphs of networkx: only digits that floats lack are lost on the way there and back."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import networkx
import pytest
from helpers import ROOT, load, loads

import expectitree as et
from expectitree.base.tree.formulas import Formulas
from expectitree.searches.engine import search_tree

TREES = sorted((ROOT / "trees").glob("*.*"))


@pytest.mark.parametrize("file", TREES, ids=lambda file: file.stem)
@pytest.mark.parametrize("exact", [False, True])
def test_a_shipped_tree_is_the_same_after_a_round_trip(file: Path, exact: bool) -> None:
    tree = load(file, exact=exact)
    back = et.from_networkx(et.to_networkx(tree))
    assert back.exact
    numbers = tree.changed(expect=None, parameters={}, formulas=Formulas())
    assert in_15_digits(back) == in_15_digits(numbers)


def in_15_digits(tree: et.Tree) -> str:
    """Return a tree as text; rounded probabilities are scaled to sum to 1, so one digit differs."""
    return re.sub(r"\d+\.\d+", lambda found: f"{float(found[0]):.15g}", et.dumps(tree.floats))


@pytest.mark.parametrize("exact", [False, True])
def test_rewards_are_attributes_of_edges_and_of_the_graph(exact: bool) -> None:
    text = """
    nodes: {s: 1}
    cost: 1/3
    max: [{ref: s}, {reward: 2, ref: s}, {chance: [4, {cost: 5, utility: 6}]}]
    """
    tree = loads(text, exact=exact)
    graph = et.to_networkx(tree)
    paid = [edge.get("reward") for _, _, edge in graph.out_edges(graph.graph["root"], data=True)]
    assert paid == [None, 2, None]
    assert graph.graph["root_reward"] == -1 / 3
    assert {type(n) for n in (graph.graph["root_reward"], paid[1])} == {float}
    back = et.from_networkx(graph)
    assert et.dumps(back.floats) == et.dumps(tree.floats)
    assert et.evaluate(back).value == et.evaluate(tree).value == 3 - 1 / 3


def test_a_float_in_a_graph_is_its_shortest_decimal() -> None:
    tree = et.loads("chance: {a: {p: 0.1, utility: 0.3}, b: {p: 0.9, cost: 0.2, utility: 1}}")
    back = et.from_networkx(et.to_networkx(tree))
    assert et.dumps(back) == et.dumps(tree)
    assert search_tree(back).value == search_tree(tree).value == Fraction("0.75")


def test_a_wrong_reward_in_a_graph_is_refused() -> None:
    graph = et.to_networkx(et.loads("max: [1, {reward: 1, utility: 2}]"))
    graph.edges[2, 1, 0]["reward"] = "more"
    with pytest.raises(et.TreeError, match="node 2: 'more' is not a number"):
        et.from_networkx(graph)


def test_a_graph_made_by_hand_needs_only_kinds_and_utilities() -> None:
    graph = networkx.DiGraph()
    graph.add_node("choose", kind="max")
    graph.add_node("toss", kind="chance")
    graph.add_edge("choose", "sure", label="take it")
    graph.add_edge("choose", "toss", label="toss a coin")
    for name, utility in (("sure", 3), ("heads", 10), ("tails", 0)):
        graph.add_node(name, utility=utility)
    graph.add_edge("toss", "heads")
    graph.add_edge("toss", "tails")
    assert et.evaluate(et.from_networkx(graph)).best == "toss a coin"


@pytest.mark.parametrize(
    ("edges", "kinds", "message"),
    [
        ([("a", "b"), ("b", "a")], {}, "the graph has a cycle: a -> b"),
        ([("a", "b")], {}, "node 'a': a terminal has no branches"),
        ([("a", "b")], {"a": "MIX"}, "node 'a': found the kind MIX: write one of TERMINAL, MAX"),
        (
            [("a", "b"), ("c", "b")],
            {"a": "MAX", "c": "MIN"},
            "found 2 nodes without an edge",
        ),
    ],
)
def test_a_graph_that_is_not_a_tree_is_refused(
    edges: list[tuple[str, str]], kinds: dict[str, str], message: str
) -> None:
    graph = networkx.DiGraph(edges)
    for node in graph:
        graph.nodes[node].update({"kind": kinds[node]} if node in kinds else {"utility": 1})
    with pytest.raises(et.TreeError, match=message):
        et.from_networkx(graph)


def test_something_else_is_refused() -> None:
    with pytest.raises(et.TreeError, match="found list, expected a DiGraph"):
        et.from_networkx([1, 2])


def test_branches_to_one_node_keep_their_places() -> None:
    tree = et.loads("nodes: {a: 1, b: 2}\nmax: [{ref: a}, {ref: b}, {ref: a}]")
    assert et.dumps(et.from_networkx(et.to_networkx(tree))) == et.dumps(tree)


def test_a_part_that_the_root_does_not_reach_is_left_out() -> None:
    graph = et.to_networkx(et.loads("max: [1, 2]"))
    graph.add_node("else", kind="MIX")
    assert len(et.from_networkx(graph)) == 3


def test_a_root_that_is_not_there_is_refused() -> None:
    graph = et.to_networkx(et.loads("max: [1, 2]"))
    for root in ("zz", [1]):
        graph.graph["root"] = root
        with pytest.raises(et.TreeError, match="is not a node of the graph"):
            et.from_networkx(graph)


def test_kinds_may_be_members_of_the_enum_and_errors_name_the_node() -> None:
    graph = networkx.DiGraph([("a", "b")], title=["x"])
    graph.add_node("a", kind=et.Kind.MAX)
    graph.add_node("b", utility="much", note=None)
    with pytest.raises(et.TreeError, match="node 'b': "):
        et.from_networkx(graph)
    graph.nodes["b"]["utility"] = 2
    assert et.loads(et.dumps(et.from_networkx(graph))).title == "['x']"


@pytest.mark.parametrize(
    ("key", "hint"), [("probability", "call it p"), ("cost", "write its negative as reward")]
)
def test_a_key_of_tree_files_at_an_edge_is_an_error(key: str, hint: str) -> None:
    """It would be ignored, and the value would be another."""
    graph = networkx.DiGraph()
    graph.add_node("game", kind="CHANCE")
    for name, number in (("win", 0.75), ("lose", 0.25)):
        graph.add_node(name, utility=number)
        graph.add_edge("game", name, **{key: number})
    with pytest.raises(et.TreeError) as caught:
        et.from_networkx(graph)
    assert str(caught.value) == f"node 'game': the edge to 'win' has the attribute {key}: {hint}"


def lottery(*edges: dict[str, object], kind: str = "CHANCE") -> networkx.DiGraph:
    """Return the graph of a node whose branches have these attributes, and are worth 0, 1, …"""
    graph = networkx.DiGraph()
    graph.add_node("game", kind=kind)
    for utility, edge in enumerate(edges):
        graph.add_node(utility, utility=utility)
        graph.add_edge("game", utility, **edge)
    return graph


IGNORED = "attributes that a tree does not have are ignored"
HINT = "call it p if it is the probability, and otherwise remove it or give p too"


@pytest.mark.parametrize(
    ("edges", "name"),
    [
        (({"weight": 0.9}, {"weight": 0.1}), "weight"),
        (({"prob": 0.9}, {"prob": 0.1}), "prob"),
        (({"P": "9/10"}, {"P": "1/10"}), "P"),
        (({"chance": "90%", "label": "a"}, {"chance": "10%", "label": "b"}), "chance"),
        (({"weight": 9, "color": "red"}, {"weight": 1, "color": "blue"}), "weight"),
        (({"pr": Fraction(9, 10), "reward": 3}, {"pr": 1}), "pr"),
        (({"p": 0.9}, {"weight": 0.1}), "weight"),
        (({"p": None, "weight": Decimal("0.9")}, {"p": None}), "weight"),
    ],
)
def test_a_number_that_may_be_the_probability_is_an_error(
    edges: tuple[dict[str, object], ...], name: str
) -> None:
    with pytest.raises(et.TreeError) as caught:
        et.from_networkx(lottery(*edges))
    assert re.fullmatch(
        f"node 'game': the edge to [01] has the attribute {name}: {HINT}", str(caught.value)
    )


@pytest.mark.parametrize(
    ("edges", "kind", "value", "ignored"),
    [
        (({"weight": 0.9}, {"weight": 0.1}), "MAX", 1, "weight of edges"),
        (({"p": 0.75, "weight": 3}, {"p": 0.25, "weight": 1}), "CHANCE", 0.25, "weight of edges"),
        (
            ({"w": 1, "length": 2}, {"w": 1, "length": 3}),
            "CHANCE",
            0.5,
            "w of edges, length of edges",
        ),
        (({"color": "red"}, {"style": True}), "CHANCE", 0.5, "color of edges, style of edges"),
        (({"label": "1"}, {"label": "2", "place": 2}), "CHANCE", 0.5, ""),
        (({}, {}), "MIN", 0, ""),
    ],
)
def test_other_attributes_are_named_in_one_warning(
    edges: tuple[dict[str, object], ...], kind: str, value: float, ignored: str
) -> None:
    warnings: list[str] = []
    tree = et.from_networkx(lottery(*edges, kind=kind), warn=warnings.append)
    assert et.evaluate(tree).value == value
    assert tree.warnings == tuple(warnings)
    assert warnings == ([f"{IGNORED}: {ignored}"] if ignored else [])


def test_attributes_of_nodes_are_named_too() -> None:
    graph = lottery({}, {})
    graph.nodes["game"]["pos"] = graph.nodes[0]["pos"] = (0, 0)
    graph.add_node("elsewhere", color="red")
    graph.graph["root"] = "game"
    graph.nodes[1]["p"] = 1
    (warning,) = et.from_networkx(graph).warnings
    assert warning == f"{IGNORED}: pos of nodes, p of nodes"
