"""The reasons for which the loop of a search returns to its caller."""

from __future__ import annotations

DONE = 0
STOPPED_EARLY = 1  # at its limit of visits
# The caller may make the columns longer and call the loop again, which then goes on.
PAUSED = 2  # after some visits, so that the caller can show progress
WAITING = 3  # before an unseen node, until it has grown
