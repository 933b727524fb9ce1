"""The grammar of tree files as a JSON Schema (draft-07), by which editors complete and check them.

Keys, kinds, types, algorithms and limits come from the grammar's own tables. What no schema can say
is left to the reader: sums of p, duplicate labels, names that lead nowhere, cycles, bounds that do
not hold. So every file that the reader accepts is valid, but for one thing: YAML's `~` and `null`,
unquoted, are text to the reader, and to an editor the same as nothing at all, which is an error
where a `label`, a `ref`, a path or the best action is expected.

Editors type a YAML scalar before they look here: `1` is a number, `1/3` and `10%` are text, `no` is
text or false by the version of YAML. So a number may be text, and a text may be anything but a list
or a mapping.

Schemas are flat, all keys of a node side by side, and rules between keys are `dependencies`: an
editor then puts its message at the key that is wrong, where alternatives (`oneOf`) would only say
that none of them fits.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from expectitree.algorithms import ALGORITHMS, OPTIONS
from expectitree.files.grammar import expect
from expectitree.files.grammar.keys import KINDS, NODE_KEYS, NOT_KNOWN, ROOT_KEYS, SCHEMA_KEY, TYPES
from expectitree.numbers import GREATEST_EXPONENT, LONGEST
from expectitree.tree.model import Kind

Schema: TypeAlias = dict[str, Any]

# ---- Numbers that an editor hands on as text.

_DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)"
_EXPONENT = rf"[eE][+-]?0*(?:[0-{GREATEST_EXPONENT // 100 - 1}]?[0-9]{{1,2}}|{GREATEST_EXPONENT})"
_DENOMINATOR = "/0*[1-9][0-9]*"
_NUMBER = rf"[+-]?(?:{_DECIMAL}(?:{_EXPONENT})?|[0-9]+{_DENOMINATOR})"
_INFINITY = r"[+-]?\.?[iI][nN][fF]"
_UP_TO_1 = r"(?:0*1(?:\.0*)?|0+(?:\.[0-9]*)?|\.[0-9]+)"
_UP_TO_100 = r"(?:0*100(?:\.0*)?|0*[0-9]{1,2}(?:\.[0-9]*)?|\.[0-9]+)"
_PROBABILITY = (
    rf"\+?(?:{_UP_TO_1}|{_UP_TO_100}%|{_DECIMAL}{_EXPONENT}%?|[0-9]+{_DENOMINATOR})"
    rf"|-(?:(?:0+\.?0*|\.0+)(?:{_EXPONENT})?%?|0+{_DENOMINATOR})"
)
_LABEL = r"^(?!#0[0-9]*$)[\s\S]"  # not empty, and counted from #1

_TEXT = ["string", "number", "boolean"]
_TEXT_OR_NOTHING = [*_TEXT, "null"]

# ---- What editors say of each key.

_KINDS = {
    Kind.MAX: "MAX picks the child that is worth most.",
    Kind.MIN: "MIN picks the child that is worth least.",
    Kind.CHANCE: "The outcome is drawn: worth the mean of the outcomes, weighted by their p.",
}
_A_NODE = "A node: a number, or one of max, min, chance, utility, ref and type."
_EXPECTED_NODE = "Expected a number (a terminal), or max, min, chance, utility, ref or type."
_P_AT_EACH = "Give every outcome a p, or none."
_QUOTE = "one that starts with # must be quoted, or it is a comment."
_CHILDREN = "The children are a list of nodes, or a mapping from label to node."
_OF_NODE = {
    **{key: f"{_KINDS[kind]} {_CHILDREN}" for key, kind in KINDS.items()},
    "utility": 'What this terminal is worth to MAX. A number alone is the same terminal, in short. "?" '
    "says that it is not known yet: `expectitree ask` asks for what matters.",
    "ref": "The name of a node under the root's `nodes`: it is stored, evaluated and counted once, however many "
    "branches lead to it. Only p, label and note go with it.",
    "type": "The long form of a node: MAX, MIN or CHANCE with `children`, or TERMINAL with `utility`.",
    "children": f"The children in the long form, beside `type`. {_CHILDREN}",
    "label": "The name of the branch that leads here, in a list of children; without one it is #1, #2, ... by its "
    "place.",
    "p": "The probability of this outcome: a decimal, a fraction, or a decimal with %. All outcomes of a chance node "
    "have one, and they sum to 1; or none has, and then they are equally likely.",
    "estimate": "What this inner node is taken to be worth where --depth cuts the tree.",
    "bounds": "[lower, upper], which hold for every utility and estimate below; an end may be inf or -inf. The better "
    "the bounds, the more a search can cut.",
    "note": "A text that is shown below the node.",
}
_OF_ROOT = {
    "title": "What this tree is called.",
    "source": "Where this tree is from: a book and page, a paper, a site.",
    "nodes": "Nodes by name, for `ref`: parts of the tree that several branches share, or that lie deep.",
    "expect": "What the answers are. `expectitree verify` checks them, and `verify --write` fills them in.",
    SCHEMA_KEY: "Where this schema lies, for editors of JSON; nothing else reads it. (In YAML, a first line "
    "`# yaml-language-server: $schema=...` does the same.)",
}
_OF_EXPECT = {
    "value": "What the root is worth. It compares exactly: 1/3, not 0.3333.",
    "best": "The label of the root's best action. One that starts with # must be quoted.",
    "values": "What nodes are worth, by their path: labels joined by /, the root is /.",
}
_ALGORITHMS = {
    "expectiminimax": "Every node is visited, and nothing cut.",
    "alphabeta": "Cuts at MAX and MIN only.",
    "star1": "Cuts at CHANCE too, from the bounds (Ballard 1983).",
    "star2": "Probes one child of each outcome before it searches.",
    "star2.5": "Probes several children of each outcome.",
    "best-first": "Looks wherever it learns most.",
}
_OF_RUN = {
    "nodes": "How many nodes are visited.",
    "leaves": "How many leaves are visited.",
    "cuts": "How many cuts are made.",
    "skipped": "Paths that must be left unvisited, such as [a2/#2].",
    "bounds": "The root's bounds in this search, in place of the file's.",
    "probes": "How many children of each outcome are probed.",
    "probe-order": "Round by round (cyclic), or outcome by outcome (sequential).",
    "goal": "What is to be proved: the value, or only which action is best.",
    "guide": "What the search goes by: what it learns of the leaves, the same where the best children come first, "
    "evenly spread values, or bounds alone.",
}
_EXAMPLES: dict[str, list[Any]] = {
    "max": [{"left": 1, "right": 2}, [1, 2]],
    "min": [{"left": 1, "right": 2}, [1, 2]],
    "chance": [{"heads": 1, "tails": 0}, [{"p": 0.9, "utility": 1}, {"p": "1/10", "utility": 0}]],
    "utility": [2, -4500.0, "1/3", NOT_KNOWN],
    "type": [kind.upper() for kind in TYPES],
    "p": [0.9, "1/3", "10%"],
    "estimate": [0],
    "bounds": [[0, 100], ["-inf", "inf"]],
    "title": ["A risk worth taking"],
    "best": ["left"],
    "value": [54.5, "1/3"],
    "values": [{"left": 10}],
    "skipped": [["left/#2"]],
}


def tree_schema() -> Schema:
    """Return the schema of a whole tree file, as plain data that `json` writes."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "urn:expectitree:tree-file",
        "title": "A game tree for expectitree",
        **_node(
            "The document is the root node: a number, or max, min or chance with its children. `expectitree new` "
            "prints a commented file to start from.",
            (*_without("p", "label"), *ROOT_KEYS, SCHEMA_KEY),
        ),
        "definitions": {
            "child": _node(f"{_A_NODE} In a list, it may have a label.", _without("p")),
            "labelledChild": _node(_A_NODE, _without("p", "label")),
            "outcome": _node(
                f"{_A_NODE} Below chance, it may have a p; in a list, a label.", NODE_KEYS
            ),
            "labelledOutcome": _node(
                f"{_A_NODE} Below chance, it may have a p.", _without("label")
            ),
            "children": _children_of("child", "labelledChild"),
            "outcomes": {
                **_children_of("outcome", "labelledOutcome"),
                "anyOf": [  # a p at each, or at none
                    _each({"type": "object", "required": ["p"], "errorMessage": _P_AT_EACH}),
                    _each({"properties": {"p": False}, "errorMessage": _P_AT_EACH}),
                ],
            },
            "anyNode": _rules(),
            "number": _number(),
            "bounds": _bounds(),
            **{
                f"key.{key}": _described(key, about, _value(key))
                for key, about in (_OF_NODE | _OF_ROOT).items()
            },
            **{
                f"expect.{key}": _described(key, _about_expect(key), _expect_value(key))
                for key in expect.KEYS
            },
            **{
                f"run.{key}": _described(key, _OF_RUN[key], _run_value(key))
                for key in expect.RUN_KEYS
            },
        },
    }


def _without(*keys: str) -> tuple[str, ...]:
    return tuple(key for key in NODE_KEYS if key not in keys)


def _each(schema: Schema) -> Schema:
    """Return what says of every child, in a list or a mapping, that it is so."""
    return {"items": schema, "additionalProperties": schema}


def _children_of(item: str, value: str) -> Schema:
    return {
        "type": ["array", "object"],
        "items": _reference(item),
        "minItems": 1,
        "additionalProperties": _reference(value),
        "propertyNames": {"pattern": _LABEL},
        "minProperties": 1,
    }


def _node(about: str, keys: tuple[str, ...]) -> Schema:
    """Return the schema of a node that may have these keys."""
    return {
        "description": about,
        "allOf": [_reference("anyNode")],
        "properties": {key: _reference(f"key.{key}") for key in keys},
        "additionalProperties": False,
    }


def _rules() -> Schema:
    """Return what holds for every node, wherever it stands."""
    kind_keys = [*KINDS, "utility", "ref", "type", "children"]
    return {
        "type": ["object", "number", "string"],
        "pattern": f"^{_NUMBER}$",
        "maxLength": LONGEST,
        "errorMessage": _EXPECTED_NODE,
        # A number has no keys, and so is not asked.
        "anyOf": [{"required": [key], "errorMessage": _EXPECTED_NODE} for key in kind_keys],
        "dependencies": {key: _beside(key, kind_keys) for key in kind_keys},
        **_long_form(),
    }


def _beside(key: str, kind_keys: list[str]) -> Schema:
    """Return what may not stand, and what must, beside a key that says a node's kind."""
    long = {
        "type": ("children", "utility"),
        "children": ("type",),
        "utility": ("type",),
    }.get(key, ())
    forbidden = [other for other in kind_keys if other != key and other not in long]
    if key == "utility":
        forbidden.append("estimate")
    if key == "ref":
        forbidden += ["estimate", "bounds"]
    rule = {
        "properties": dict.fromkeys(forbidden, False),
        "errorMessage": f"This does not go with {key}: keep one.",
    }
    return {"allOf": [{"required": ["type"]}, rule]} if key == "children" else rule


def _long_form() -> Schema:
    """Return what follows from a type: which children, or a utility."""

    def of(*types: str) -> Schema:
        return {
            "required": ["type"],
            "properties": {"type": {"type": "string", "pattern": _any_case(*types)}},
        }

    def then(key: str, body: Schema | None = None) -> Schema:
        other = "utility" if key == "children" else "children"
        return {"required": [key], "properties": {other: False, **({key: body} if body else {})}}

    players = [kind for kind, of_kind in KINDS.items() if of_kind != Kind.CHANCE]
    terminals = [kind for kind in TYPES if kind not in KINDS]
    return {
        "allOf": [
            {
                "if": {"type": "object", **of(*players)},
                "then": then("children", _reference("children")),
            },
            {
                "if": {"type": "object", **of("chance")},
                "then": then("children", _reference("outcomes")),
            },
            {"if": {"type": "object", **of(*terminals)}, "then": then("utility")},
        ]
    }


def _any_case(*words: str) -> str:
    return f"^(?:{'|'.join(''.join(f'[{c.upper()}{c}]' for c in word) for word in words)})$"


def _value(key: str) -> Schema:
    """Return the schema of what stands under a key of a node."""
    if key in KINDS:
        return _reference("outcomes" if KINDS[key] == Kind.CHANCE else "children")
    values: dict[str, Schema] = {
        "utility": {
            **_number(),
            "pattern": f"^(?:{_NUMBER}|{re.escape(NOT_KNOWN)})$",
            "errorMessage": f'Expected a number, or "{NOT_KNOWN}" where it is not known yet.',
        },
        "ref": {"type": _TEXT, "errorMessage": f"Expected a name; {_QUOTE}"},
        "type": {"type": "string", "pattern": _any_case(*TYPES), "errorMessage": _expected(TYPES)},
        "children": {"type": ["array", "object"]},
        "label": {"type": _TEXT, "pattern": _LABEL, "errorMessage": f"Expected a label; {_QUOTE}"},
        "p": {
            "type": ["number", "string"],
            "minimum": 0,
            "maximum": 1,
            "pattern": f"^(?:{_PROBABILITY})$",
            "errorMessage": "Expected a probability between 0 and 1, such as 0.9, 1/3 or 10%.",
            "maxLength": LONGEST + 1,
        },
        "estimate": _reference("number"),
        "bounds": _reference("bounds"),
        "note": {"type": _TEXT_OR_NOTHING},
        "title": {"type": _TEXT_OR_NOTHING},
        "source": {"type": _TEXT_OR_NOTHING},
        "nodes": {"type": "object", "additionalProperties": _reference("labelledChild")},
        "expect": _expectation(),
        SCHEMA_KEY: {"type": _TEXT_OR_NOTHING},
    }
    return values[key]


def _expected(types: dict[str, Any]) -> str:
    *others, last = map(str.upper, types)
    return f"Expected {', '.join(others)} or {last}."


# ---- Expect.


def _expectation() -> Schema:
    return {
        "type": ["object", "null", "string"],  # nothing, or "", is to be filled in
        "maxLength": 0,
        "properties": {key: _reference(f"expect.{key}") for key in expect.KEYS},
        "additionalProperties": False,
    }


def _about_expect(key: str) -> str:
    return (
        f"What a search by {key} must do. {_ALGORITHMS[key]}"
        if key in ALGORITHMS
        else _OF_EXPECT[key]
    )


def _expect_value(key: str) -> Schema:
    if key in ALGORITHMS:
        run_keys = [k for k in expect.RUN_KEYS if k not in OPTIONS or OPTIONS[k].algorithm == key]
        entry = {
            "properties": {name: _reference(f"run.{name}") for name in run_keys},
            "additionalProperties": False,
        }
        return {"type": ["object", "array"], **entry, "items": {"type": "object", **entry}}
    values: dict[str, Schema] = {
        "value": _reference("number"),
        "best": {
            "type": _TEXT,
            "minLength": 1,
            "errorMessage": f"Expected the label of an action; {_QUOTE}",
        },
        "values": {"type": "object", "additionalProperties": _reference("number")},
    }
    return values[key]


def _run_value(key: str) -> Schema:
    if key in expect.COUNTS:
        return {"type": ["integer", "string"], "minimum": 0, "pattern": "^[0-9]{1,30}$"}
    path = {"type": _TEXT, "minLength": 1, "errorMessage": f"Expected a path; {_QUOTE}"}
    values: dict[str, Schema] = {
        "skipped": {"type": ["array", *_TEXT], "items": path, "minLength": 1},
        "bounds": _reference("bounds"),
    }
    if key not in OPTIONS:
        return values[key]
    choice = OPTIONS[key]
    if choice.values:
        return {"enum": list(choice.values), "default": choice.default}
    return {
        "type": ["integer", "string"],
        "minimum": 1,
        "pattern": "^0*[1-9][0-9]*$",
        "maxLength": 30,
        "default": choice.default,
    }


# ---- Parts.


def _bounds() -> Schema:
    end = {
        "description": "A number, inf or -inf.",
        "type": ["number", "string"],
        "pattern": f"^(?:{_NUMBER}|{_INFINITY})$",
        "errorMessage": "Expected a number, inf or -inf.",
        "maxLength": LONGEST,
    }
    return {"type": "array", "items": end, "minItems": 2, "maxItems": 2}


def _number() -> Schema:
    return {
        "type": ["number", "string"],
        "pattern": f"^{_NUMBER}$",
        "errorMessage": "Expected a decimal such as 2, -4.5e3 or .9, or a fraction of integers such as 1/3.",
        "maxLength": LONGEST,
    }


def _reference(name: str) -> Schema:
    return {"$ref": f"#/definitions/{name}"}


def _described(key: str, about: str, value: Schema) -> Schema:
    """Return a key's schema with what editors say of it; beside `$ref` that would not count."""
    if "$ref" in value:
        value = {"allOf": [value]}
    examples = {"examples": _EXAMPLES[key]} if key in _EXAMPLES else {}
    return {"description": about, **value, **examples}
