"""Values in flow style, on one line, which text formats share except for their quotes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from expectitree.errors import TreeError
from expectitree.numbers import number_text, quote


class NumberText(str):
    """The text of a number."""

    __slots__ = ()


class FormulaText(str):
    """The text of a formula."""

    __slots__ = ()


class Notation(ABC):
    """The notation of a text format for texts, numbers, lists, mappings and a tree."""

    opening = ""  # before the root's keys
    closing = "\n"  # after them
    margin = ""  # before each of the root's keys
    separator = "\n"  # between the items of a list or a mapping over several lines
    item_head = ""  # before an item of a list over several lines

    @abstractmethod
    def quoted(self, text: str) -> str:
        """Return a text, in quotes if it needs them."""

    @abstractmethod
    def number(self, text: str) -> str:
        """Return a number from its text in the grammar."""

    @abstractmethod
    def brackets(self, is_mapping: bool, margin: str) -> tuple[str, str]:
        """Return the texts before and after the items of a list or a mapping over several lines."""

    @abstractmethod
    def block(self, head: str, indent: int, fields: list[str]) -> tuple[str, int, str]:
        """Return how a mapping over several lines starts, after `head`: its fields but the last.

        Also return the indent of that last field, and how the mapping ends.
        """

    def fits(self, fields: list[str]) -> bool:
        """Return whether the format allows these fields in a mapping on one line."""
        return True

    def text(self, text: str) -> str:
        """Return a text as the format writes it; raise `TreeError` if it is not Unicode."""
        try:
            text.encode()
        except UnicodeEncodeError:
            half = f"half of a surrogate pair in {quote(text)} cannot be written"
            raise TreeError(f"{half}: write the character itself") from None
        return self.quoted(text)

    def key(self, key: str) -> str:
        """Return a key with its colon."""
        return f"{self.text(key)}:"

    def formula(self, text: str) -> str:
        """Return a formula, in quotes if it needs them."""
        return self.text(text)

    def number_key(self, number: str) -> str:
        """Return a key with its colon from a number, which is given as `number` returns it."""
        return f"{number}:"

    def flow_key(self, key: str) -> str:
        """Return a key with its colon, in a mapping on one line."""
        return self.key(key)

    def flow(self, value: Any) -> str:
        """Return a mapping, a list, a text or a number on one line."""
        if isinstance(value, Mapping):
            pairs = [f"{self.flow_key(str(key))} {self.flow(item)}" for key, item in value.items()]
            return f"{{{', '.join(pairs)}}}"
        if isinstance(value, (list, tuple)):
            return f"[{', '.join([self.flow(item) for item in value])}]"
        if isinstance(value, NumberText):
            return self.number(value)
        if isinstance(value, FormulaText):
            return self.formula(value)
        return self.text(value) if isinstance(value, str) else self.number(number_text(value))
