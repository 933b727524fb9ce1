"""Texts for TeX: every character escaped."""

from __future__ import annotations

from unicodedata import combining, normalize

from expectitree.picture.hidden import BLANK

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": "$<$",
    ">": "$>$", "|": "$|$", '"': r"\char34{}", "'": "'{}", "`": r"\`{}", "-": "-{}",
    "…": r"\ldots{}", "∞": r"$\infty$", "→": r"$\to$", "α": r"$\alpha$", "β": r"$\beta$",
    "·": r"$\cdot$", "−": "$-$", "≤": r"$\le$", "≥": r"$\ge$",
}  # fmt: skip
_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
_LETTERS = {
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "œ": r"\oe{}",
    "Œ": r"\OE{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
}  # fmt: skip


def escaped(text: str) -> str:
    """Return a text with every character escaped for TeX."""
    return "".join(map(_letter, text)).replace(r"\_" * len(BLANK), r"\blank{}")


def _letter(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if character in _LETTERS:
        return _LETTERS[character]
    if " " <= character <= "~":
        return character
    base, *marks = list(normalize("NFD", character))
    if base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        dotless = rf"\{base}" if base in "ij" and marks[0] != "\u0327" else base
        return rf"\{_ACCENTS[marks[0]]}{{{dotless}}}"
    if combining(character) or ord(character) < 32:
        return ""
    return rf"\other{{{character}}}{{[U+{ord(character):04X}]}}"
