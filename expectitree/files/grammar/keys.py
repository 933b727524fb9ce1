"""The keys of tree files. To add one, add it to the table for branches, nodes or the root.

A table gives the function that reads the value of a key. `TreeReader` uses the values of a node and
its branch when it closes the node, and those of the root's own keys when it builds the tree.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from expectitree.base.tree.model import Kind
from expectitree.files.grammar.document import Data, GrammarError, Keys, place_of
from expectitree.files.grammar.expect import read_expectation
from expectitree.files.grammar.values import Read, ValueReader, lazy, text
from expectitree.files.grammar.words import flow_text, key_list

KINDS = {"max": Kind.MAX, "min": Kind.MIN, "chance": Kind.CHANCE}
UTILITIES = ("utility", "payoff")  # two words for one thing; a tree is written with its own
BODY_KEYS = {**KINDS, **dict.fromkeys(UTILITIES, Kind.TERMINAL)}  # the key says the kind
PAYMENTS = ("reward", "cost")  # a cost is a negative reward
BRANCH_VALUES: dict[str, Read] = {
    "label": text("a label"),
    "p": ValueReader.probability,
    "reward": ValueReader.amount,
    "cost": ValueReader.cost,
    "with": lazy("definitions.read_replacements"),  # next to a ref
}
NODE_VALUES: dict[str, Read] = {
    "estimate": ValueReader.amount,
    "bounds": ValueReader.bounds,
    "event": text("an event", is_needed=True),
    "note": text("a note"),
    "until": ValueReader.condition,  # of a node under `nodes`
}
SCHEMA_KEY = "$schema"  # editors read it; a tree does not use it
ROOT_VALUES: dict[str, Read] = {  # `Names` reads `nodes`
    **{key: text(f"the {key}") for key in ("title", "source", SCHEMA_KEY)},
    "unit": ValueReader.unit_of_value,
    "normalize": ValueReader.normalize,
    "parameters": lazy("definitions.read_parameters"),
    "criteria": lazy("definitions.read_criteria"),
    "objective": lazy("definitions.read_objective"),
    "events": lazy("definitions.read_events"),
    "attitude": lazy("definitions.read_attitude"),
    "expect": read_expectation,
}
ROOT_KEYS = (
    *("title", "source", "unit", "normalize", "parameters", "criteria", "objective", "events"),
    *("attitude", "nodes", "expect"),
)
_READ_LAST = ("criteria", "objective", "events", "attitude")  # after the names that they use
READ_ORDER = {key: place for place, key in enumerate(_READ_LAST, 1)}  # of other keys, 0
READ_ORDER["unit"] = -1  # amounts may have it
NODE_KEYS = (*BODY_KEYS, "ref", *BRANCH_VALUES, *NODE_VALUES)

_SINGLE = re.compile(r"-?[\w.]+(?:/[0-9]+)?")  # a number or a name: its negative is plain
WRITE_NODE = "write a number for a terminal, or a mapping with max, min, chance, utility or ref"


def find_body(item: Data, keys: Keys, pays_max: Callable[[], bool]) -> tuple[Kind, str]:
    """Return the kind of a node, and the key of its children or its utility.

    `keys` are those of the mapping `item`, without the keys of its branch. `pays_max` returns
    whether a cost here is a negative utility. Raises `GrammarError`.
    """
    kinds = [key for key in keys if key in BODY_KEYS]
    if len(kinds) > 1:
        is_p = "chance" in kinds and isinstance(keys["chance"], str)
        hint = f"for a probability, write `p: {keys['chance']}`" if is_p else "keep one"
        raise GrammarError(
            f"two kinds in one node, {key_list(kinds)}\n{hint}",
            place_of(item, kinds[1], of_key=True),
        )
    if kinds:
        return BODY_KEYS[kinds[0]], kinds[0]
    node = f"a node with only {key_list(keys)}" if keys else "a mapping without a kind"
    raise GrammarError(f"found {node}\n{_utility_hint(item, pays_max)}")


def _utility_hint(item: Data, pays_max: Callable[[], bool]) -> str:
    """Return what to write where a node only has a reward, a cost or a p."""
    key, amount = next(((key, data) for key, data in item if key in PAYMENTS), ("", None))
    if not isinstance(amount, str):
        is_outcome = any(key == "p" for key, _ in item)
        if is_outcome:
            return "add the utility, as in `utility: 0`, or max, min or chance"
        return WRITE_NODE
    if key == "cost" and not pays_max():
        text = flow_text(amount)
        return f"for a terminal, write `utility: {text}`, since min: chooses the smallest total"
    if key == "cost" and not _SINGLE.fullmatch(amount):
        return "for a terminal, add `utility: 0`"
    if key == "cost":
        amount = amount[1:] if amount[0] == "-" else f"-{amount}"
    return f"for a terminal, write `utility: {flow_text(amount)}`, or add `utility: 0`"
