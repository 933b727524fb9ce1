"""The values of the column `cut`: how the last entry of a node ended."""

from __future__ import annotations

NOT_CUT = 0
ALPHA_CUT = 1  # MIN fails low
BETA_CUT = 2  # MAX fails high
CHANCE_CUT_LOW = 3  # CHANCE fails low
CHANCE_CUT_HIGH = 4  # CHANCE fails high
PROBED = 5  # only one child was searched: the entry was a probe
STOPPED = 6  # the search reached a limit
CUT_PROBING = 8  # added to a chance cut that a probe made
# Added to a cut that was found in the final intervals: the children that were done may be any, and
# `cut_after` is their number.
CUT_UNORDERED = 16

NO_CUTS = (NOT_CUT, PROBED, STOPPED)


def fails_low(cut: int) -> bool:
    """Return whether a node was left because v* <= alpha, whether or not while probing."""
    return cut % CUT_PROBING in (ALPHA_CUT, CHANCE_CUT_LOW)


def is_unordered(cut: int) -> bool:
    """Return whether the cut was found in the final intervals, rather than made on the way."""
    return bool(cut & CUT_UNORDERED)
