"""The tokens of an .efg file: texts in quotes, braces, commas, and words between white space."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from expectitree.errors import FileError, NumberError
from expectitree.files.grammar.excerpts import error_at
from expectitree.numbers import Number, escape, quote, to_fraction, to_number

# Within a text, `\"` is a quote, and any other backslash is itself.
_TOKEN = re.compile(
    r'\s*+(?:(?P<text>"(?:[^"\\]++|\\"?+)*+")|(?P<sign>[{},])|(?P<word>[^\s{},"]++)|(?P<open>"))?+'
)
_INTEGER = re.compile(r"[0-9]{1,9}")


class Token(NamedTuple):
    """A token and its place; at the end of the file its kind is None."""

    kind: str | None
    text: str
    at: int

    def __str__(self) -> str:
        return "the end of the file" if self.kind is None else quote(self.text)


class Scanner:
    """Reads the tokens of a text one by one; `token` is the next."""

    def __init__(self, text: str, name: str, exact: bool) -> None:
        self.text, self.name, self.exact = text, name, exact
        self.values: dict[str, tuple[Fraction, Number]] = {}  # exact, and in the tree's numbers
        self.end = 0
        self.token = self.scan()

    def scan(self) -> Token:
        match = _TOKEN.match(self.text, self.end)
        assert match is not None
        self.end = match.end()
        kind = match.lastgroup
        at = self.end if kind is None else match.start(kind)
        if kind == "open":
            raise self.error(at, 'this text does not end: close it with a quote (")')
        return Token(kind, "" if kind is None else match[kind], at)

    def take(self) -> Token:
        """Return the next token, and go on."""
        token = self.token
        self.token = self.scan()
        return token

    def error(self, at: int, message: str) -> FileError:
        """Return the error at a place."""
        return error_at(self.text, at, self.name, escape(message))

    def wrong(self, expected: str) -> FileError:
        """Return the error of a token that is not what was expected."""
        return self.error(self.token.at, f"found {self.token}, expected {expected}")

    # ---- Tokens of a kind; `what` completes "expected …".

    def word(self, what: str) -> Token:
        """Return the next token, a word."""
        if self.token.kind != "word":
            raise self.wrong(what)
        return self.take()

    def string(self, what: str) -> str:
        """Return the next token, a text, without its quotes."""
        if self.token.kind != "text":
            raise self.wrong(f"{what} in quotes")
        return self.take().text[1:-1].replace('\\"', '"')

    def sign(self, sign: str, what: str) -> Token:
        """Return the next token, a brace."""
        if self.token.kind != "sign" or self.token.text != sign:
            raise self.wrong(f"{sign}{what}")
        return self.take()

    def is_sign(self, sign: str) -> bool:
        """Return whether the next token is a brace or a comma."""
        return self.token.kind == "sign" and self.token.text == sign

    def integer(self, what: str) -> int:
        """Return the next token, an integer of at least 0."""
        if not _INTEGER.fullmatch(self.token.text):
            raise self.wrong(f"{what}, an integer")
        return int(self.take().text)

    def number(self, what: str) -> str:
        """Return the next token, a number whose values are then in `values`."""
        token = self.word(f"{what}, a number")
        if token.text not in self.values:
            try:
                self.values[token.text] = (
                    to_fraction(token.text),
                    to_number(token.text, self.exact),
                )
            except NumberError as error:
                raise self.error(token.at, f"{what}: {error}") from None
        return token.text
