"""Choose names of variables and labels that Radiant reads unchanged.

Radiant replaces the name of a variable wherever it occurs, even within another name, and some signs
in labels. It takes a label such as `Cost` for its key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from keyword import iskeyword
from unicodedata import normalize

from expectitree.base.numbers import quote
from expectitree.foreign.radiant.nodes import KEYS, OTHER_TREE
from expectitree.foreign.radiant.variables import identifiers
from expectitree.tree.columns import CHANCE
from expectitree.tree.model import Tree

_SIGN = re.compile(r"[]:#(){}<>@;~[]")
_SIGNS_AT_START = re.compile(r"^[!`@%&*+]+\s*")
_OF_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_() |]*")
# Names that YAML takes for another type; pyrsm does not allow Python's keywords either.
_TYPED = ("y", "n", "yes", "no", "on", "off", "true", "false", "null")
_MAX_LABEL_LENGTH = 200  # characters


class Names:
    """The names in one tree."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.variable = _variables(tree)  # by the name of a parameter
        self.changed: dict[str, str] = {}  # labels that are written differently
        self.has_numbers = False  # whether a branch without a label is called by its number

    def in_order(self) -> Iterator[str]:
        """Yield the names of the parameters, each after those that it is derived from."""
        bases = {name: parameter.bases for name, parameter in self.tree.parameters.items()}
        yield from TopologicalSorter(bases).static_order()

    def labels(self, node: int) -> list[str]:
        """Return the labels of a node's branches, all different."""
        found: dict[str, str] = {}
        what = "outcome" if self.tree.columns.kind[node] == CHANCE else "action"
        for place, b in enumerate(self.tree.branches_of(node), 1):
            written, number = self.tree.label[b], f"{what} {place}"
            free = label = _label(written or number) or number
            count = 2
            while _ascii(free) in found:
                free, count = f"{label} {count}", count + 1
            found[_ascii(free)] = free
            self.has_numbers |= written is None
            if written is not None and free != written:
                self.changed.setdefault(written, free)
        return [*found.values()]

    def changes(self) -> Iterator[str]:
        """Yield a message about each kind of change."""
        for name, variable in self.variable.items():
            if variable != name and self.tree.parameters[name].description != variable:
                yield f"the parameter {name} is called {variable}"
        if self.has_numbers:
            yield "branches without a label are called action 1, outcome 2 and so on"
        if self.changed:
            label = next(iter(self.changed))
            count = f"{len(self.changed):,} label{'s' * (len(self.changed) != 1)}"
            example = f"{quote(label)} is {quote(self.changed[label])}"
            why = "Radiant would read some signs in labels differently"
            yield f"{why}, so {count} changed: {example}"


def _ascii(label: str) -> str:
    """Return a label as pyrsm reads it: without accents and other scripts."""
    return normalize("NFKD", label).encode("ascii", "ignore").decode()


def _label(text: str) -> str:
    """Return a label that Radiant reads as it is; empty if nothing is left."""
    label = _SIGNS_AT_START.sub("", _SIGN.sub("/", text))[:_MAX_LABEL_LENGTH]
    return f"{label}_" if label.lower() in (*KEYS, *OTHER_TREE) else label


def _variables(tree: Tree) -> dict[str, str]:
    """Return a name for each parameter: none is a part of another, and none is reserved.

    A parameter whose description is the name that it had in Radiant has that name again.
    """
    found: dict[str, str] = {}
    for name in sorted(tree.parameters, key=len, reverse=True):
        variable = base = _name_before(name, tree.parameters[name].description or "")
        count = 1
        while _is_reserved(variable) or any(
            variable in other or other in variable for other in found.values()
        ):
            variable, count = f"{base}_{count}", count + 1
        found[name] = variable
    return found


def _is_reserved(variable: str) -> bool:
    return variable.lower() in (*KEYS, *_TYPED) or iskeyword(variable)


def _name_before(name: str, description: str) -> str:
    """Return the description of a parameter if it was the name in Radiant's file."""
    is_name = _OF_VARIABLE.fullmatch(description) and description == description.strip()
    return description if is_name and identifiers([description])[description] == name else name
