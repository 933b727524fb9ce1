"""The published algorithms as switches of one search; the names are what people type."""

from __future__ import annotations

from dataclasses import dataclass, replace

from expectitree.errors import SearchError
from expectitree.expectation import PROBE_ORDERS
from expectitree.number import quoted

DEFAULT_PROBES = 2  # of star2.5: the fewest that differ from star2


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What a search does: where it cuts, and how many children of each outcome it probes first."""

    name: str
    player_cuts: bool = True  # alpha cuts at MIN, beta cuts at MAX
    chance_cuts: bool = False
    probes: int = 0
    probe_order: str = "cyclic"

    @property
    def full_name(self) -> str:
        """The name, with what was chosen of it: `star2.5 (3 probes, sequential)`."""
        if self.name != "star2.5":
            return self.name
        return f"{self.name} ({self.probes} probe{'s' * (self.probes != 1)}, {self.probe_order})"


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("expectiminimax", player_cuts=False),
        Algorithm("alphabeta"),
        Algorithm("star1", chance_cuts=True),
        Algorithm("star2", chance_cuts=True, probes=1),
        Algorithm("star2.5", chance_cuts=True, probes=DEFAULT_PROBES),
    )
}


def algorithm(name: str, probes: int | None = None, probe_order: str | None = None) -> Algorithm:
    """Return the algorithm of that name; `probes` and `probe_order` may be chosen for star2.5 alone."""
    found = ALGORITHMS.get(name.lower())
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), ALGORITHMS, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise SearchError(f"unknown algorithm {quoted(name)}{hint}: choose among {', '.join(ALGORITHMS)}")
    if probes is None and probe_order is None:
        return found
    if found.name != "star2.5":
        hint = " (it is star2.5 with 1)" if found.name == "star2" else ""
        raise SearchError(f"probes are chosen for star2.5 only, and {found.name} has {found.probes}{hint}")
    probes = found.probes if probes is None else probes
    probe_order = found.probe_order if probe_order is None else probe_order
    if probes < 1:
        raise SearchError(f"star2.5 needs at least 1 probe, got {probes}: star1 is the search without")
    if probe_order not in PROBE_ORDERS:
        raise SearchError(f"unknown probe order {quoted(probe_order)}: choose cyclic or sequential")
    return replace(found, probes=probes, probe_order=probe_order)
