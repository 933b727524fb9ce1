"""The values of the column `cut`: how the last entry of a node ended."""

from __future__ import annotations

NOT_CUT = 0
ALPHA_CUT = 1  # MIN fails low
BETA_CUT = 2  # MAX fails high
CHANCE_CUT_LOW = 3  # CHANCE fails low
CHANCE_CUT_HIGH = 4  # CHANCE fails high
PROBED = 5  # only one child was searched: the entry was a probe
STOPPED = 6  # the search reached its limit of visits
CUT_PROBING = 8  # added to a chance cut that a probe made

NO_CUTS = (NOT_CUT, PROBED, STOPPED)


def fails_low(cut: int) -> bool:
    """Say whether a node was left because v* <= alpha, whether or not while probing."""
    return cut % CUT_PROBING in (ALPHA_CUT, CHANCE_CUT_LOW)
