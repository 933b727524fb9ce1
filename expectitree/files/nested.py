"""Trees as nested dicts and lists of Python, in the grammar of tree files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from expectitree.base.errors import FileError, Problem, TreeError
from expectitree.base.numbers import Number, exact_text, quote
from expectitree.base.tree import paths
from expectitree.base.tree.model import Tree
from expectitree.files.grammar.document import Data, Document, Fields
from expectitree.files.grammar.keys import KINDS
from expectitree.files.grammar.reader import read_tree
from expectitree.files.rows import Warn, Warnings

NAME = "<dict>"  # of the data in messages
_CYCLE = "this dict or list contains itself: that is a cycle, and a tree has none"
_CHILDREN = (*KINDS, "children", "nodes")


def from_dict(
    data: Fields,
    *,
    warn: Warn | None = None,
    parameters: Mapping[str, Number | str] | None = None,
    name: str = NAME,
) -> Tree:
    """Return the tree of nested dicts and lists with the keys of a tree file.

    This is also what `json.load` and `yaml.safe_load` return for a tree file.

        >>> import expectitree as et
        >>> from fractions import Fraction
        >>> sure, win = Fraction(1, 3), {"p": Fraction(1, 4), "label": "win", "utility": 2}
        >>> lose = {"p": Fraction(3, 4), "label": "lose", "utility": 0}
        >>> tree = et.from_dict({"max": {"pass": sure, "bet": {"chance": [win, lose]}}})
        >>> et.evaluate(tree, exact=True).value
        Fraction(1, 2)

    Args:
        data: The root, a dict with one of the keys "max", "min", "chance" and "utility", among
            others. Children are a list, or a dict from label to child. A number is an int, a float,
            a `Fraction`, a `Decimal`, a scalar of numpy, or text such as "1/3". A float counts
            as the decimal that Python prints: 0.1 is 1/10. A dict that occurs in several places is
            one shared node.
        warn: Called with each warning; they are also in `Tree.warnings`.
        parameters: Other values of the tree's parameters, as `Tree.with_parameters` takes them.
        name: The data's name in messages, such as that of the file where they are from.

    Raises:
        FileError: The data are not a tree. The error lists every problem with the node's path.
        TreeError: `data` is text.
    """
    if isinstance(data, str):
        raise TreeError(f"found text {quote(data)}, expected a dict: loads reads text")
    root, shared = _convert(data)
    warnings = Warnings(warn)
    return warnings.on(read_tree(Document(name, root, shared), warnings, parameters))


@dataclass(slots=True)
class _Open:
    """A dict or a list whose items are being converted."""

    source: Any
    is_node: bool  # not a list, nor the children of a node
    rest: Iterator[tuple[Any, Any]]  # the items to come, each with its key or its place
    key: Any = None  # of the item that is being converted
    items: list[Data] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The label of the branch to the item that is being converted."""
        if isinstance(self.source, dict):
            return str(self.key)
        return f"#{self.key + 1}"

    def add(self, item: Data) -> None:
        if isinstance(self.source, dict):
            item = (str(_scalar(self.key)), item)
        self.items.append(item)


def _convert(data: Any) -> tuple[Data, frozenset[int]]:
    """Return data as a document has them, and the ids of the shared nodes. Nothing recurses."""
    converted: dict[int, Data] = {}  # by the id of the dict or list
    shared, within = set(), set()
    trail = [_Open([data], False, iter([(0, data)]))]
    while True:
        here = trail[-1]
        for key, value in here.rest:
            here.key = key
            is_node = isinstance(value, dict) and not (here.is_node and key in _CHILDREN)
            if not isinstance(value, (dict, list, tuple)):
                here.add(_scalar(value))
            elif id(value) in converted:
                here.add(converted[id(value)])
                if is_node:
                    shared.add(id(converted[id(value)]))
            elif id(value) in within:
                raise FileError([Problem(NAME, _CYCLE, paths.message_path(_path(trail)))])
            else:
                within.add(id(value))
                pairs = value.items() if isinstance(value, dict) else enumerate(value)
                trail.append(_Open(value, is_node, iter(pairs)))
                break
        else:
            if len(trail) == 1:
                return here.items[0], frozenset(shared)
            trail.pop()
            done: Data = here.items
            if isinstance(here.source, dict):
                done = tuple(done)
            converted[id(here.source)] = done
            within.discard(id(here.source))
            trail[-1].add(done)


def _path(trail: Sequence[_Open]) -> str:
    """Return the path of the node that is being converted."""
    return paths.join(open.label for open in trail[1:] if not open.is_node)


def _scalar(value: Any) -> Data:
    """Return a number as text, and any other value unchanged."""
    if isinstance(value, (bool, str)):
        return value
    if value.__class__ is int and value.bit_length() < 64:  # most numbers: the rest is slower
        return repr(value)
    if isinstance(value, Rational):
        return exact_text(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Real):
        return repr(float(value))
    return value
