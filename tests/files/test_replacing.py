"""Nodes that are copied for each `with` and each signal above them: against copies by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from copy import deepcopy
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from files.samples import numbers
from helpers import for_each, loads

import expectitree as et
from expectitree.base.errors import FileError, Problem
from expectitree.base.tree.folding import fold_with_formulas
from expectitree.decide.ask.report import with_utilities

PARAMETERS = {"p": "0.4", "q": "1 - p", "a": "3", "b": "-2", "d": "a*q - b"}
EVENTS = {
    "oil": {"prior": {"u": "r", "v": "rest"}},
    "war": {"prior": {"u": "0.25", "v": "rest"}},
    "drill": {
        "test_of": "oil",
        "likelihood": {"u": {"u": "0.9", "v": "r/4"}, "v": {"u": "rest", "v": "rest"}},
    },
    "talk": {
        "test_of": "war",
        "likelihood": {"u": {"u": "1", "v": "1/3"}, "v": {"u": "rest", "v": "rest"}},
    },
    "map": {
        "test_of": "oil",
        "likelihood": {"u": {"u": "60%", "v": "0.5"}, "v": {"u": "rest", "v": "rest"}},
    },
}
# Formulas whose values are probabilities if p is one.
CHANCES = ("p", "q", "p/2", "q*q", "1/3", "p*q", "0", "30%")
UNUSED = "which no formula of the node uses: remove it"
AMOUNTS = ("a", "b", "d", "a*b - d", "min(a, 2)", "7", "if(d < b, a, p)", "-d*p", "1/3")


def random_document(random: Random) -> dict[str, Any]:
    """Return a file as a dict, in whose named nodes refs replace parameters."""
    nodes: dict[str, Any] = {}

    def leaf() -> Any:
        names = [*nodes]
        if not names or random.random() < 0.5:
            return random.choice(AMOUNTS)
        found: dict[str, Any] = {"ref": random.choice(names)}
        replaced = random.sample([*PARAMETERS], random.randint(0, 2))
        forms = {name: random.choice(CHANCES if name in "pq" else AMOUNTS) for name in replaced}
        return {**found, **({"with": forms} if forms else {})}

    def events_in(node: Any) -> set[str]:
        """Return the events of a node and of those below it."""
        if not isinstance(node, dict):
            return set()
        below = [nodes[node["ref"]]] if "ref" in node else []
        below += [c for kind in ("max", "min", "chance") for c in node.get(kind, {}).values()]
        return {node.get("event", "")}.union(*map(events_in, below))

    def event(children: Sequence[Any]) -> dict[str, Any]:
        name = random.choice([*EVENTS])
        found = {"u": children[0], "v": deepcopy(children[-1])}
        if name in ("oil", "war"):  # which happens once
            found = {label: "2" if name in events_in(c) else c for label, c in found.items()}
        return {"event": name, "chance": found}

    def paid(node: Any, key: str, share: float) -> Any:
        if random.random() > share:
            return node
        node = {"utility": node} if isinstance(node, str) else node
        return {key: random.choice(CHANCES if key == "p" else AMOUNTS), **node}

    def inner(depth: int) -> dict[str, Any]:
        kind = random.choice(("max", "min", "chance"))
        children = [
            paid(inner(depth - 1) if depth and random.random() < 0.6 else leaf(), "cost", 0.3)
            for _ in range(random.randint(1, 3))
        ]
        if random.random() < 0.3:
            return event(children)
        if kind == "chance":
            first, *others = [c if isinstance(c, dict) else {"utility": c} for c in children]
            children = [{"p": random.choice(CHANCES), **first}]
            children += [{"p": "rest", **one} for one in others or [{"utility": "1"}]]
        node: dict[str, Any] = {kind: dict(zip("uvw", children, strict=False))}
        return {"estimate": random.choice(AMOUNTS), **node} if random.random() < 0.2 else node

    for name in ("one", "two", "three")[: random.randint(1, 3)]:
        nodes[name] = paid(inner(random.randint(1, 2)), random.choice(("cost", "reward")), 0.3)
    root = {"max": {"x": inner(1), "y": leaf(), "z": leaf()}}
    used = set[str]()
    for name in reversed([*nodes]):  # a node refers to those before it
        if f'"ref": "{name}"' in json.dumps([root, *map(nodes.get, used)]):
            used.add(name)
    nodes = {name: node for name, node in nodes.items() if name in used}
    return {"parameters": {**PARAMETERS, "r": "0.4"}, "events": EVENTS, "nodes": nodes, **root}


def names_of(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


def copied(document: dict[str, Any]) -> Any:
    """Return the file without refs: nodes are copied, and texts replaced in their texts."""

    def changed(text: str, values: dict[str, str]) -> str:
        """Return a formula in which each name has its text, also within derived parameters."""

        def of(match: re.Match[str]) -> str:
            name = match[0]
            if name in values:
                return f"({values[name]})"
            own = PARAMETERS.get(name, "")
            depends = any(changed(one, values) != one for one in names_of(own))
            return f"({changed(own, values)})" if depends else name

        return re.sub(r"[A-Za-z_]\w*", of, text)

    def node(written: Any, values: dict[str, str], fixed: frozenset[str] = frozenset()) -> Any:
        if isinstance(written, str):
            return changed(written, values)
        found: dict[str, Any] = {}
        for key, value in written.items():
            if key in ("max", "min", "chance"):
                found[key] = {label: node(child, values, fixed) for label, child in value.items()}
            elif key not in ("ref", "with"):
                found[key] = changed(value, values)
        if "ref" not in written:
            return found
        own = {name: changed(text, values) for name, text in written.get("with", {}).items()}
        outer = {name: changed(name, values) for name in PARAMETERS}
        # What is not replaced here keeps its value of the place, derived parameters included. One
        # that was replaced itself is not derived anew.
        kept = {
            name: text for name, text in outer.items()
            if text != name and name not in own and not depends_on(name, own, fixed)
        }  # fmt: skip
        body = node(document["nodes"][written["ref"]], {**kept, **own}, fixed.union(own))
        body = {"utility": body} if isinstance(body, str) else body
        if found.get("cost") and (more := body.pop("cost", None)):
            found["cost"] = f"({found['cost']}) + ({more})"
        elif found.get("cost") and (more := body.pop("reward", None)):
            found["cost"] = f"({found['cost']}) - ({more})"
        return {**found, **body}

    def depends_on(name: str, own: dict[str, str], fixed: frozenset[str]) -> bool:
        bases = names_of(PARAMETERS.get(name, "")) if name not in fixed else set()
        return any(one in own or depends_on(one, own, fixed) for one in bases)

    root = {key: value for key, value in document.items() if key != "nodes"}
    return {**root, **node({"max": document["max"]}, {})}


def problems_of(document: dict[str, Any]) -> Sequence[Problem]:
    try:
        loads(json.dumps(document))
    except FileError as error:
        return error.problems
    return ()


def drop_unused(document: dict[str, Any]) -> None:
    """Remove what is replaced where the reader says that no node uses it."""
    while problems := problems_of(document):
        assert {problem.message.partition(", ")[2] for problem in problems} == {UNUSED}
        for path in {str(problem.path) for problem in problems}:
            drop_with(document, path)


def drop_with(document: dict[str, Any], path: str) -> None:
    """Remove what is replaced at a path, which may lead through named nodes."""
    node: Any = document
    for label in path.split("/"):
        node = document["nodes"][node["ref"]] if "ref" in node else node
        node = next(node[kind] for kind in ("max", "min", "chance") if kind in node)[label]
    del node["with"]


@for_each("seed", range(12), range(12, 500))
def test_a_tree_equals_its_copy_by_hand(seed: int) -> None:
    """At several values of the parameters, before and after writing and reading."""
    document = random_document(Random(seed))
    drop_unused(document)
    tree, by_hand = loads(json.dumps(document)), copied(document)
    if problems := problems_of(by_hand):  # formulas that are too long for a file
        assert "characters" in problems[0].message or "nest" in problems[0].message
        return
    hand = loads(json.dumps(by_hand))
    again = loads(et.dumps(tree))
    assert et.dumps(again) == et.dumps(tree)
    assert len(again) == len(tree) <= len(hand)
    is_expanded = tree.formulas.written is not None
    assert is_expanded or "with: {" not in et.dumps(tree)
    for values in ({}, {"p": Fraction(2, 3), "a": 5}, {"p": 1, "b": "1/7"}, {"p": 0, "a": -4}):
        expected = numbers(hand.with_parameters(**values))
        assert numbers(tree.with_parameters(**values)) == expected
        assert numbers(again.with_parameters(**values)) == expected


LAUNCH = """
parameters: {p: 0.4, q: 1 - p, price: 7, good: {value: 0.7, range: [0, 1]}}
nodes:
  other: {max: [price, 5]}
  launch: {chance: {high: {p: p, utility: 100}, low: {p: q, cost: 9, ref: other}}}
"""


def test_equal_replacements_lead_to_one_node() -> None:
    """A node below that uses no replaced parameter is one node everywhere."""
    tree = loads(
        LAUNCH + "max: [{ref: launch}, {ref: launch, with: {p: good/2}}, "
        "{max: [{ref: launch, with: {p: good/2}}]}, {ref: launch, with: {price: price}}, "
        "{ref: launch, with: {p: 1/3}}]"
    )
    columns = tree.columns
    children = [columns.child[b] for b in tree.branches_of(tree.root_id)]
    assert children[0] == children[3]
    assert columns.child[tree.branches_of(children[2])[0]] == children[1]
    assert len({*children}) == 4
    kinds = [node.kind.name for node, _ in tree.walk()]
    assert (kinds.count("CHANCE"), kinds.count("MAX"), len(tree)) == (3, 3, 11)


def test_a_parameter_that_only_replaces_another_is_used() -> None:
    warnings: list[str] = []
    text = f"{LAUNCH}max: [{{ref: launch, with: {{p: good}}}}, {{ref: launch}}]"
    tree = et.loads(text, warn=warnings.append)
    assert not warnings
    found = et.sensitivity(tree, "good")
    assert [threshold.exact for threshold in found.thresholds] == [Fraction(2, 5)]


def test_names_of_the_place_may_be_exchanged() -> None:
    tree = loads(
        "parameters: {a: 1, b: 2}\nnodes: {n: {max: [a - b, {ref: m, with: {a: b + 1}}]}, m: {max: "
        "[10*a + b, 0]}}\nmax: {x: {ref: n, with: {a: b, b: a}}, y: {ref: n}}"
    )
    utilities = [node.utility for node, _ in tree.walk() if node.utility is not None]
    assert utilities == [2 - 1, 10 * (1 + 1) + 1, 0, 1 - 2, 10 * (2 + 1) + 2, 0]


def test_the_number_of_copies_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("expectitree.base.tree.replacing._MAX_NODES", 500)
    nodes = [
        f"n{n}: {{max: [{{ref: n{n + 1}, with: {{p: p/2}}}}, {{ref: n{n + 1}, with: {{p: p/3}}}}]}}"
        for n in range(30)
    ]
    text = f"parameters: {{p: 1}}\nmax: [{{ref: n0}}]\nnodes: {{{', '.join(nodes)}, n30: p}}"
    with pytest.raises(
        FileError, match=r"the tree has more than 532 nodes: write fewer of these, or set "
    ):
        loads(text)


def test_a_large_tree_has_floats() -> None:
    text = f"{LAUNCH}max: [{{ref: launch, with: {{p: good}}}}, {{ref: launch}}]"
    found, exact = et.loads(text, exact_nodes=4), et.loads(text)
    assert (found.exact, exact.exact) == (False, True)
    assert found.columns.probability[:2] == exact.floats.columns.probability[:2]


def test_a_changed_tree_is_written_with_all_its_nodes() -> None:
    text = (
        "parameters: {p: 0.4}\nnodes: {n: {chance: {a: {p: p, utility: '?'}, b: {p: rest, utility: "
        "1}}}}\nmax: {x: {cost: 1, ref: n, with: {p: 0.5}}, y: 3}"
    )
    known = text.replace("'?'", "6")
    tree = with_utilities(et.loads(text), {0: Fraction(6)})
    assert et.evaluate(et.loads(et.dumps(tree))).value == et.evaluate(et.loads(known)).value
    folded = et.dumps(fold_with_formulas(et.loads(known), print))
    assert ("with" in folded, "utility: 5" in folded) == (False, True)
