"""Values in flow style, on one line, which YAML and JSON share but for their quotes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from expectitree.errors import TreeError
from expectitree.numbers import GREATEST_EXPONENT, LONGEST, Number, exact_text, quote

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_. -]*(?<! )|[A-Za-z0-9_.]+(/#?[A-Za-z0-9_.]+)*")
# What readers that know YAML's types, an editor's for one, would take for something else than text.
_TAKEN = re.compile(r"y|n|yes|no|on|off|true|false|null|[-+.]?(?:[0-9].*|inf|nan)", re.IGNORECASE)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")


_LONGEST_KEY = 500


class NumberText(str):
    """The text of a number."""

    __slots__ = ()


def flow(value: Any, is_json: bool) -> str:
    """Return a mapping, a list, a text or a number as a tree file writes it, on one line."""
    if isinstance(value, Mapping):
        pairs = []
        for key, item in value.items():
            name = text(str(key), is_json)
            # A reader of YAML looks back 1,024 characters at most for a key that nothing announces.
            pairs.append(
                f"{'? ' if not is_json and len(name) > _LONGEST_KEY else ''}{name}: {flow(item, is_json)}"
            )
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join([flow(item, is_json) for item in value])}]"
    if isinstance(value, NumberText):
        return number(value, is_json)
    if isinstance(value, str):
        return text(value, is_json)
    return number(number_text(value), is_json)


def number(written: str, is_json: bool) -> str:
    """Return a number from its text; what is none to JSON, a fraction or an infinity, is text there."""
    return json.dumps(written) if is_json and not _JSON_NUMBER.fullmatch(written) else written


def text(text: str, is_json: bool) -> str:
    """Return a text, without quotes where it stays what it is without."""
    if not is_json and _BARE.fullmatch(text) and not _TAKEN.fullmatch(text):
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        found = quote(text)
        raise TreeError(
            f"half of a surrogate pair in {found} cannot be written: write the character itself"
        ) from None
    if not is_json and text.isprintable() and "'" not in text and "\\" not in text and '"' in text:
        return f"'{text}'"
    if is_json or text.isprintable():
        return json.dumps(text, ensure_ascii=not text.isprintable()).replace("\x7f", "\\u007f")
    return (
        '"'
        + "".join(c if c.isprintable() and c not in '"\\' else _escaped(ord(c)) for c in text)
        + '"'
    )


def _escaped(code: int) -> str:
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )


def number_text(value: Number) -> str:
    """Return a number as the grammar has it; raise `TreeError` where that is too long."""
    written = exact_text(value)
    if written.startswith("about"):
        raise TreeError(
            f"a number of thousands of digits cannot be written: the grammar allows {LONGEST} characters"
        )
    if len(written) > LONGEST:
        written = with_exponent(value)
    if len(written) > LONGEST:
        raise TreeError(
            f"a number of {len(written):,} characters cannot be written: the grammar allows {LONGEST}"
        )
    return written


def with_exponent(value: Number) -> str:
    """Return a number as its digits and a power of ten, a fraction that is no decimal as it is."""
    if isinstance(value, float):
        return repr(value)
    denominator, places = value.denominator, 0
    while denominator % 10 == 0:
        denominator, places = denominator // 10, places + 1
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator, places = denominator // prime, places + 1
    if denominator != 1:
        return str(value)
    digits = str(abs(value.numerator) * 10**places // value.denominator)
    short = digits.rstrip("0") or "0"
    exponent = len(digits) - len(short) - places
    if exponent > GREATEST_EXPONENT:
        short, exponent = short + "0" * (exponent - GREATEST_EXPONENT), GREATEST_EXPONENT
    elif exponent < -GREATEST_EXPONENT:
        behind = -GREATEST_EXPONENT - exponent  # digits behind the point
        short = f"{short[:-behind]}.{short[-behind:].zfill(behind)}"
        exponent = -GREATEST_EXPONENT
    return f"{'-' if value < 0 else ''}{short}e{exponent}"
