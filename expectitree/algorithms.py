"""The published algorithms as switches of one search; the names are what people type."""

from __future__ import annotations

from dataclasses import dataclass, replace

from expectitree.errors import SearchError
from expectitree.numbers import quoted
from expectitree.tree.expectation import CHOICES


@dataclass(frozen=True, slots=True)
class Algorithm:
    """What a search does: in which order it looks, where it cuts, how many children of each outcome it probes first."""

    name: str
    in_order: bool = True  # depth first, children as they stand; else wherever it learns most
    player_cuts: bool = True  # alpha cuts at MIN, beta cuts at MAX
    chance_cuts: bool = False
    probes: int = 0
    probe_order: str = "cyclic"
    goal: str = "value"  # of best-first: what it looks for,
    guide: str = "learning"  # and by which guesses

    @property
    def choices(self) -> dict[str, int | str]:
        """What is chosen of this algorithm, by the key that files and options have for it."""
        own = [key for key, choice in CHOICES.items() if choice.algorithm == self.name]
        return {key: getattr(self, key.replace("-", "_")) for key in own}

    @property
    def full_name(self) -> str:
        """The name, with what was chosen of it: `star2.5 (3 probes, sequential)`."""
        if self.name == "star2.5":
            return (
                f"{self.name} ({self.probes} probe{'s' * (self.probes != 1)}, {self.probe_order})"
            )
        told = [str(value) for key, value in self.choices.items() if value != CHOICES[key].default]
        return f"{self.name} ({', '.join(told)})" if told else self.name


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("expectiminimax", player_cuts=False),
        Algorithm("alphabeta"),
        Algorithm("star1", chance_cuts=True),
        Algorithm("star2", chance_cuts=True, probes=1),
        Algorithm("star2.5", chance_cuts=True, probes=int(CHOICES["probes"].default)),
        Algorithm("best-first", in_order=False, chance_cuts=True),
    )
}


def algorithm(name: str, **choices: int | str | None) -> Algorithm:
    """Return the algorithm of that name, with what is chosen of it.

    That is `probes` and `probe_order` of star2.5, `goal` and `guide` of best-first.

    What is None is as by default. Raises `SearchError` for an unknown name, and a choice that it
    has not.
    """
    found = ALGORITHMS.get(name.lower())
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), ALGORITHMS, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise SearchError(
            f"unknown algorithm {quoted(name)}{hint}: choose among {', '.join(ALGORITHMS)}"
        )
    chosen: dict[str, int | str] = {}
    for field, value in choices.items():
        key, field = field.replace("_", "-"), field.replace("-", "_")
        choice = CHOICES.get(key)
        if choice is None:
            raise SearchError(
                f"there is no choice of {quoted(field)}: of an algorithm is chosen {', '.join(CHOICES)}"
            )
        if value is None:
            continue
        if choice.algorithm != found.name:
            hint = (
                f": {found.name} is star2.5 with {found.probes}"
                if key == "probes" and found.name == "star2"
                else ""
            )
            raise SearchError(
                f"{key} is chosen of {choice.algorithm} only, not of {found.name}{hint}"
            )
        if value not in choice.values if choice.values else not isinstance(value, int) or value < 1:
            hint = ": star1 is the search without" if key == "probes" else ""
            raise SearchError(
                f"found {quoted(str(value))} as {key}, expected {choice.expected}{hint}"
            )
        chosen[field] = value
    return replace(found, **chosen)  # type: ignore[arg-type]
