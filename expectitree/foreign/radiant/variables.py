"""The variables of Radiant's files, which may have any name, as parameters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from expectitree.base.errors import NumberError
from expectitree.base.expressions.parser import ExpressionError, parse
from expectitree.base.expressions.syntax import FUNCTIONS
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote, to_fraction
from expectitree.foreign.radiant.nodes import ELSEWHERE
from expectitree.foreign.radiant.repairs import Edit, apply, place_before
from expectitree.tree.formulas import REST

_OTHER_TREE = re.compile(r"\b(?:dtree|subtree)\s*\(")
_WORDS = re.compile(r"[A-Za-z_]\w*(?: +[A-Za-z_]\w*|\([^()]*\))*")
_FREQUENT = {
    re.compile("//"): "Radiant reads # as //, so write a comment on a line of its own",
    re.compile(r"(?<=[0-9]),(?=[0-9]{3})"): "write thousands without a comma, as in 200000",
    re.compile(r"\?"): "Radiant has no unknown payoffs",
}
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Formula(NamedTuple):
    """A formula with the names of parameters, and the edits of the text as written."""

    text: str
    edits: tuple[Edit, ...] = ()


class Variables:
    """The variables of one file by their names, each with the name of its parameter."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.identifiers = identifiers(names)
        # The longest first, since a name may begin with another.
        longest = sorted(self.identifiers, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_pattern, longest)) or r"(?!)")

    def formula(self, text: str) -> Formula:
        """Return the formula in a text; raise `NumberError` if there is none.

        An `ExpressionError` has the place of the error in the text as written.
        """
        if _OTHER_TREE.search(text):
            raise NumberError(f"{quote(text)} {ELSEWHERE}")
        edits = tuple(
            Edit(*match.span(), self.identifiers[match[0]])
            for match in self._pattern.finditer(text)
            if self.identifiers[match[0]] != match[0]
        )
        written = apply(edits, text)
        try:
            to_fraction(written)
        except NumberError:
            self._check(text, written, edits)
        return Formula(written, edits)

    def _check(self, text: str, written: str, edits: tuple[Edit, ...]) -> None:
        known = {*self.identifiers.values()}
        try:
            parse(written, known)
        except ExpressionError as error:
            fault = self._fault(text, written, known)
            if fault is None:
                message = str(error).replace("the root's `parameters:`", "`variables:`")
                fault = message, error.offset or 0
            raise ExpressionError(fault[0], place_before(edits, fault[1])) from None

    def _fault(self, text: str, written: str, known: Collection[str]) -> tuple[str, int] | None:
        """Return the message and the place of an error that is frequent in Radiant's files."""
        for pattern, message in _FREQUENT.items():
            match = pattern.search(written)
            if match:
                return f"{quote(text)} is not a number: {message}", match.start()
        for match in _WORDS.finditer(written):
            first = _IDENTIFIER.match(match[0])
            if first and first[0] not in known and first[0] not in FUNCTIONS:
                meant = did_you_mean(match[0], self.identifiers)
                found = f"unknown variable {quote(match[0])}{meant}"
                return f"{found}: define it under `variables:`", match.start()
        return None


def _pattern(name: str) -> str:
    """Return the pattern of a name that is not a part of a longer word."""
    before = r"(?<!\w)" if re.match(r"\w", name) else ""
    after = r"(?!\w)" if re.search(r"\w$", name) else ""
    return f"{before}{re.escape(name)}{after}"


def identifiers(names: Iterable[str]) -> dict[str, str]:
    """Return a name of letters, digits and _ for each variable: `P_flop` for `P(flop)`."""
    names = dict.fromkeys(names)
    reserved = {*FUNCTIONS, REST, "inf"}
    found = {name: name for name in names if _IDENTIFIER.fullmatch(name) and name not in reserved}
    taken = {*reserved, *found}
    for name in names:
        if name in found:
            continue
        base = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "variable"
        base = f"_{base}" if base[0].isdigit() else base
        free, count = base, 2
        while free in taken:
            free, count = f"{base}_{count}", count + 1
        found[name] = free
        taken.add(free)
    return {name: found[name] for name in names}
