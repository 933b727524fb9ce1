"""How the loop of a search returns to its caller."""

from __future__ import annotations

DONE = 0
STOPPED_EARLY = 1  # at its limit of visits
# Called again with the same columns, which may have become longer, the loop goes on.
PAUSED = 2  # after some visits, so that the caller can show progress
WAITING = 3  # before an unseen node, until it has grown
