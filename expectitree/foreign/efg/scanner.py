"""The tokens of an .efg file: texts in quotes, braces, commas, and words between white space."""

from __future__ import annotations

import re
from fractions import Fraction

from expectitree.base.errors import FileError, NumberError
from expectitree.base.numbers import escape, quote, to_fraction
from expectitree.files.grammar.problems import error_at

# Within a text, `\"` is a quote, and any other backslash is itself.
_TOKEN = re.compile(
    r'\s*+(?:(?P<text>"(?:[^"\\]++|\\"?+)*+")|(?P<sign>[{},])|(?P<word>[^\s{},"]++)|(?P<open>"))?+'
)
_INTEGER = re.compile(r"[0-9]{1,9}")


class Scanner:
    """Reads the tokens of a text one by one.

    Attributes:
        kind: The kind of the next token: "text", "sign" or "word", and None at the end.
        token: The next token, as written.
        at: Its place.
        values: The values of the numbers read.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.values: dict[str, Fraction] = {}
        self.kind: str | None = None
        self.token, self.at, self.end = "", 0, 0
        self.take()

    def take(self) -> str:
        """Return the next token, and go on."""
        token = self.token
        match = _TOKEN.match(self.text, self.end)
        assert match is not None
        self.end = match.end()
        self.kind = kind = match.lastgroup
        if kind is None:
            self.token, self.at = "", self.end
        else:
            self.token, self.at = match[kind], match.start(kind)
            if kind == "open":
                raise self.error(self.at, 'this text does not end: close it with a quote (")')
        return token

    def error(self, at: int, message: str) -> FileError:
        """Return the error at a place."""
        return error_at(self.text, at, self.name, escape(message))

    def wrong(self, expected: str) -> FileError:
        """Return the error for a token other than the expected one."""
        found = "the end of the file" if self.kind is None else quote(self.token)
        return self.error(self.at, f"found {found}, expected {expected}")

    # ---- Tokens of a kind; `what` completes "expected …".

    def string(self, what: str) -> str:
        """Return the next token, a text, without its quotes."""
        if self.kind != "text":
            raise self.wrong(f"{what} in quotes")
        return self.take()[1:-1].replace('\\"', '"')

    def sign(self, sign: str, what: str) -> None:
        """Go on after the next token, a brace."""
        if not self.is_sign(sign):
            raise self.wrong(f"{sign}{what}")
        self.take()

    def is_sign(self, sign: str) -> bool:
        """Return whether the next token is a brace or a comma."""
        return self.kind == "sign" and self.token == sign

    def integer(self, what: str) -> int:
        """Return the next token, an integer of at least 0."""
        if not _INTEGER.fullmatch(self.token):
            raise self.wrong(f"{what}, an integer")
        return int(self.take())

    def number(self, what: str) -> str:
        """Return the next token, a number whose values are then in `values`."""
        text, at = self.token, self.at
        if self.kind != "word":
            raise self.wrong(f"{what}, a number")
        if text not in self.values:
            try:
                self.values[text] = to_fraction(text)
            except NumberError as error:
                raise self.error(at, f"{what}: {error}") from None
        return self.take()
