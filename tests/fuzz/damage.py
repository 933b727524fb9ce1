"""Damage to a text: characters and pieces inserted, deleted, changed or copied."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

PIECES = [
    *"abcmaxinp :,-[]{}&*!|>'\"%@`?#\\\n"
    "\t/.0123456789e+~<=\x07é\ufeff\x85\u2028\r\0\ud800\U0001f3b2",
    "ref: ", "null", "\\u", "\\U", "\\ud800", "---", "...", "1e9",
    "&a ", "*a ", "<<: ", "{}", "[]", "!!int ",
]  # fmt: skip
GAME_PIECES = (
    *'"{},\\/.-+0123cpt \n\té\x00',
    '""', "1/3", "1e9", " 0", 'c "" 1 ', "EFG ", '"l"', "\ud800",
)  # fmt: skip


def mutated(random: Random, text: str, pieces: Sequence[str] = PIECES) -> str:
    """Return the text with a few characters changed, or a line moved."""
    for _ in range(random.randint(1, 4)):
        at, kind = random.randrange(len(text) + 1), random.randrange(9)
        if kind < 2:
            text = text[:at] + random.choice(pieces) + text[at:]
        elif kind < 4:
            text = text[:at] + text[at + random.randint(1, 5) :]
        elif kind < 6:
            text = text[:at] + random.choice(pieces) + text[at + 1 :]
        elif kind < 8:
            start = random.randrange(len(text) + 1)
            text = text[:at] + text[start : start + random.randint(1, 20)] + text[at:]
        else:
            lines = text.split("\n")
            lines.insert(random.randrange(len(lines)), lines.pop(random.randrange(len(lines))))
            text = "\n".join(lines)
    return text
