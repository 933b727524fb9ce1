"""One table of what people write otherwise than the grammar: a pattern, a message, a replacement.

To add advice that needs no computing, add its row. `advice` and `doubts` compute the rest.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from expectitree.base.numbers import escape


class Trap(NamedTuple):
    """What to write instead of texts that match a pattern as a whole."""

    topic: str  # what the text is, as the callers of `trap` name it
    pattern: str
    message: str  # with the pattern's groups and the caller's facts


_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
_PLACE = r"[^|]*\| \w* \w+"  # of a key, as `advice` describes it, and what it means
TRAPS = (
    Trap("missing space", r"([^\W\d]\w*:).*", "; or is a space missing after `{0}`?"),
    # A label without a value, such as `win 5`.
    Trap(
        "label alone",
        r"(\w[^:=]*?)\s*(?:[:=]|->|\s)\s*([-+.]?[0-9][0-9./e]*)",
        "or is `: ` missing, as in `{0}: {1}`?",
    ),
    # YAML splits `max(1, 2)` between braces.
    Trap("call", r"(max|min|chance)\(([^()]+)", "for a node, write `{{{0}: [{1}, …]}}`"),
    # What is written in place of children.
    Trap("children", r"([^\W\d]\w*:)[\[{].*", "write a space after `{0}`"),
    Trap("children", r"(?=.*: )\w+: ?[-+.]?[0-9].*", "remove the quotes"),
    Trap(
        "children",
        r"(\w+):([-+.]?[0-9]\S*).*",
        "write a space after each colon, as in `{0}: {1}`",
    ),
    # Formulas.
    Trap(
        "formula",
        rf"({_NUMBER})%?-({_NUMBER})%?"
        r"|[0-9]{4}([-/])[01]?[0-9]\3[0-3]?[0-9]|[0-3]?[0-9]([-/])[0-3]?[0-9]\4[0-9]{4}",
        "{text} is read as arithmetic\nif that is right, write `{new}`; a range is for a "
        "parameter's `range`, and a date for a note",
    ),
    # Unknown keys of nodes.
    Trap("key", r"[^|]*\| \w* nothing (\w+)\s?=\s?(\S+)", "write `{0}: {1}`"),
    Trap(
        "key",
        rf"[^|]*title{_PLACE} (?:algorithm|alpha|beta|depth|search)",
        "a search has its options on the command line\ntry `expectitree eval --help`",
    ),
    Trap("key", rf"[^|]*nodes{_PLACE} (?:root|tree|game|start|top)", "write `ref: {value}`"),
    Trap("key", r"[^|]*title[^|]*\| label .*", "write `title: {value}`"),
    Trap("key", r"(?![^|]* label)[^|]*\| label .*", "the label is the key of the mapping above"),
    Trap(
        "key",
        r"[^|]*\| utility numbers .*",
        "a terminal has one utility, that of MAX\nwrite `utility: {first}`",
    ),
    Trap(
        "key",
        r"(?=[^|]* title)[^|]* (?:max|min|chance)[^|]*\| utility .*",
        "for the result, write `expect: {{value: {value}}}`",
    ),
    # Unknown keys of parameters.
    Trap("parameter", "default|base|number|expression|formula", "write `value: …`"),
    Trap(
        "parameter",
        "min|max|low|high|lower|upper|bounds|interval",
        "write `range: [low, high]`",
    ),
    Trap("parameter", "dist|distr|prior|uncertainty", "write `distribution: …`"),
    Trap("parameter", "units|currency", "write `unit: …`"),
    Trap("parameter", "note|comment|text|label|title|name", "write `description: …`"),
)


def trap(topic: str, written: str, **facts: object) -> str:
    """Return the message of the first row that a text matches; nothing if there is none."""
    for row in TRAPS:
        if row.topic == topic and (match := re.fullmatch(f"(?s:{row.pattern})", written)):
            return row.message.format(*map(escape, match.groups("")), **facts)
    return ""
