"""Trees as graphs of networkx, and back."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, TypeAlias

from expectitree.base.errors import NumberError, TreeError, install_hint
from expectitree.base.reading import to_fraction
from expectitree.base.rounding import to_nearest_float
from expectitree.base.tree.builder import NodeId, TreeBuilder
from expectitree.base.tree.model import Kind, Tree, check_tree
from expectitree.files.rows import Warn, Warnings

if TYPE_CHECKING:
    from networkx import MultiDiGraph

_KINDS = ("TERMINAL", "MAX", "MIN", "CHANCE")
_OF_NODES = ("estimate", "bounds", "note")  # attributes of any node
_KNOWN_OF_NODES = ("kind", "utility", *_OF_NODES)
_KNOWN_OF_EDGES = ("label", "p", "reward", "place")
# What others call attributes of edges, and what to write.
Graph: TypeAlias = Any  # of networkx, which has no types
_OTHER_NAMES = {"probability": "call it p", "cost": "write its negative as reward"}


def to_networkx(tree: Tree) -> MultiDiGraph[int]:
    """Return a tree as a `networkx.MultiDiGraph`: nodes are ids, and edges are branches.

        >>> import expectitree as et
        >>> graph = et.to_networkx(et.loads("max: {left: 1, right: {chance: [0, 4]}}"))
        >>> [(label, graph.nodes[child]["kind"])
        ...  for _, child, label in graph.out_edges(graph.graph["root"], data="label")]
        [('left', 'TERMINAL'), ('right', 'CHANCE')]

    A node has the attributes `kind` (such as "MAX") and, where they exist, `utility`, `estimate`,
    `bounds` and `note`. An edge has `label`, below CHANCE `p`, and where they exist `reward`.
    Numbers are floats. A shared node is one node with several edges. The graph has `root`, `title`,
    `source`, and `root_reward` and `attitude` if there are any. It does not have notes of branches,
    `expect`, parameters, formulas and events.

    Args:
        tree: The tree.

    Raises:
        TreeError: networkx is missing.
    """
    check_tree(tree)
    graph: MultiDiGraph[int] = _networkx().MultiDiGraph(
        root=tree.root_id, title=tree.title, source=tree.source
    )
    if tree.root_reward:
        graph.graph["root_reward"] = to_nearest_float(tree.root_reward)
    if tree.attitude is not None:
        graph.graph["attitude"] = tree.attitude.text
    for node in map(tree.node, range(len(tree))):  # children come before their parents
        names = ("utility", *_OF_NODES)
        known = {name: value for name in names if (value := getattr(node, name)) is not None}
        graph.add_node(node.id, kind=node.kind.name, **known)
        for b, branch in zip(tree.branches_of(node.id), node.branches, strict=True):
            about: dict[str, Any] = {"place": b - tree.columns.first[node.id] + 1}
            if node.kind == Kind.CHANCE:
                about["p"] = branch.p
            if branch.reward:
                about["reward"] = branch.reward
            graph.add_edge(node.id, branch.child.id, label=branch.label, **about)
    return graph


def from_networkx(graph: Graph, *, warn: Warn | None = None) -> Tree:
    """Return the tree of a directed, acyclic graph of networkx.

        >>> import expectitree as et
        >>> import networkx
        >>> graph = networkx.DiGraph([("game", "win"), ("game", "lose")])
        >>> graph.nodes["game"]["kind"] = "CHANCE"
        >>> graph.nodes["win"]["utility"], graph.nodes["lose"]["utility"] = 8, 0
        >>> et.evaluate(et.from_networkx(graph)).value
        4.0

    Args:
        graph: A `DiGraph` or `MultiDiGraph` whose nodes and edges have the attributes that
            `to_networkx` returns them. A node without `kind` is a terminal. The root is the
            graph's attribute `root`, or the one node without an edge to it. Outcomes without
            `p` are equally likely.
        warn: Called with a warning that names the attributes of nodes and edges that are ignored.
            It is also in `Tree.warnings`.

    Raises:
        TreeError: The graph is not a tree of this kind, or networkx is missing. Or an outcome has
            no `p`, and one number under a name that is not known, such as `weight`.
    """
    networkx = _networkx()
    if not isinstance(graph, networkx.DiGraph):
        raise TreeError(f"found {type(graph).__name__}, expected a DiGraph or MultiDiGraph")
    if not networkx.is_directed_acyclic_graph(graph):
        cycle = " -> ".join(str(edge[0]) for edge in networkx.find_cycle(graph))
        raise TreeError(f"the graph has a cycle: {cycle}")
    root = _root(graph)
    reached = networkx.descendants(graph, root) | {root}
    builder = TreeBuilder()
    ids: dict[Hashable, NodeId] = {}
    for name in reversed(list(networkx.topological_sort(graph.subgraph(reached)))):
        try:
            ids[name] = _add(builder, graph, name, ids)
        except (TreeError, NumberError) as error:
            raise TreeError(f"node {name!r}: {error.lines}") from None
    written = {key: text for key, text in graph.graph.items() if text is not None}
    about: Any = {key: str(written[key]) for key in ("title", "source") if key in written}
    try:
        tree = builder.build(ids[root], reward=graph.graph.get("root_reward", 0), **about)
        attitude = graph.graph.get("attitude")
        if attitude is not None:
            tree = tree.with_attitude(str(attitude))
    except NumberError as error:
        raise TreeError(f"the attribute root_reward of the graph: {error.lines}") from None
    warnings = Warnings(warn)
    _warn_of_ignored(graph.subgraph(reached), warnings)
    return warnings.on(tree)


def _root(graph: Graph) -> Hashable:
    """Return the root that the graph names, or the one node without an edge to it."""
    root: Hashable = graph.graph.get("root")
    if root is not None:
        if not isinstance(root, Hashable) or root not in graph:
            raise TreeError(f"the root {root!r} is not a node of the graph")
        return root
    roots: list[Hashable] = [name for name in graph if graph.in_degree(name) == 0]
    if len(roots) != 1:
        raise TreeError(
            f"found {len(roots)} nodes without an edge to them, expected one root\n"
            "set the attribute root of the graph"
        )
    return roots[0]


def _add(builder: TreeBuilder, graph: Graph, name: Hashable, ids: dict[Hashable, NodeId]) -> NodeId:
    """Add a node of the graph, whose children are in `ids`."""
    attributes = graph.nodes[name]
    kind = attributes.get("kind", "TERMINAL")
    kind = str(getattr(kind, "name", kind)).upper()
    if kind not in _KINDS:
        raise TreeError(f"found the kind {kind}\nwrite one of {', '.join(_KINDS)}")
    edges = list(graph.out_edges(name, data=True))
    edges.sort(key=lambda edge: edge[2].get("place", 0))  # a graph groups edges by child
    if kind == "TERMINAL":
        if edges:
            raise TreeError("a terminal has no branches\nset kind to MAX, MIN or CHANCE")
        return builder.terminal(attributes.get("utility"), note=attributes.get("note"))
    children = {
        str(edge.get("label") or f"#{place}"): ids[child]
        for place, (_, child, edge) in enumerate(edges, 1)
    }
    if len(children) != len(edges):
        raise TreeError("two branches have the same label: labels differ")
    about: dict[str, Any] = {key: attributes.get(key) for key in _OF_NODES}
    for _, child, edge in edges:
        _check_edge(edge, child, kind)
    about["rewards"] = [edge.get("reward", 0) for _, _, edge in edges]
    if kind != "CHANCE":
        make = {"MAX": builder.max, "MIN": builder.min}[kind]
        return make(children, **about)
    given = [edge["p"] for _, _, edge in edges if edge.get("p") is not None]
    if given and len(given) < len(edges):
        raise TreeError("some outcomes have no probability\ngive it to all or to none")
    return builder.chance(children, given or None, **about)


def _check_edge(edge: dict[str, object], child: Hashable, kind: str) -> None:
    """Raise `TreeError` if an attribute of an edge seems to be known by another name."""
    hints = {key: hint for key, hint in _OTHER_NAMES.items() if key in edge}
    others = [key for key in edge if key not in _KNOWN_OF_EDGES and _is_number(edge[key])]
    if kind == "CHANCE" and edge.get("p") is None and len(others) == 1:
        known = "call it p if it is the probability, and otherwise remove it or give p too"
        hints = {others[0]: known} | hints
    for key, hint in hints.items():
        raise TreeError(f"the edge to {child!r} has the attribute {key}\n{hint}")


def _is_number(value: object) -> bool:
    try:
        to_fraction(str(value).removesuffix("%"))
    except NumberError:
        return False
    return True


def _warn_of_ignored(graph: Graph, warn: Warn) -> None:
    """Warn once of all attributes of nodes and edges that mean nothing in a tree."""
    parts = ("nodes", graph.nodes, _KNOWN_OF_NODES), ("edges", graph.edges, _KNOWN_OF_EDGES)
    ignored = dict.fromkeys(
        f"{key} of {what}"
        for what, part, known in parts
        for *_, about in part(data=True)
        for key in about
        if key not in known
    )
    if ignored:
        warn(f"attributes that a tree does not have are ignored: {', '.join(ignored)}")


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise TreeError(f"graphs need networkx\n{install_hint('networkx')}") from None
    return networkx
