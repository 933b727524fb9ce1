"""The table of all targets: a row for each name."""

from __future__ import annotations

from fuzz import alarm, properties, round_trips, studies, tables, texts, words
from fuzz.cases import Target

TARGETS: dict[str, Target] = {
    **properties.TARGETS,
    **round_trips.TARGETS,
    **texts.TARGETS,
    **studies.TARGETS,
    **tables.TARGETS,
    **words.TARGETS,
    **alarm.TARGETS,
}
HIDDEN = tuple(alarm.TARGETS)  # they fail, so they run only if they are named
