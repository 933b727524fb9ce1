"""The catalogue of algorithms: their names, descriptions, options, and the switches of each search.

To add an algorithm, add its row to `ALGORITHMS` and the rows of its options to `OPTIONS`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from expectitree.base.errors import SearchError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote


@dataclass(frozen=True, slots=True)
class Option:
    """An option that one algorithm has; its key is the same in files and on the command line."""

    algorithm: str
    values: tuple[str, ...]  # the default first; empty if the option is a whole number, 1 or more
    description: str

    @property
    def expected(self) -> str:
        """The values that the option takes, in words."""
        if not self.values:
            return "a whole number, 1 or more"
        return f"{', '.join(self.values[:-1])} or {self.values[-1]}"

    def accepts(self, value: object) -> bool:
        """Return whether a value is one that the option takes."""
        if self.values:
            return value in self.values
        return isinstance(value, int) and value >= 1


OPTIONS = {
    "probes": Option("star2.5", (), "Children of each outcome that star2.5 probes; 2 by default."),
    "probe-order": Option(
        "star2.5",
        ("cyclic", "sequential"),
        "Probe round by round (cyclic, the default) or outcome by outcome (sequential).",
    ),
    "goal": Option(
        "best-first",
        ("value", "action"),
        "What best-first proves: the value (the default), or only which action is best.",
    ),
}

GONE = {  # options of earlier versions, and what to write instead
    "guide": "best-first always learns from the leaves that it visits: remove guide",
    "jobs": "a tree is searched in one job, since two took as long: remove jobs",
}


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One search algorithm with the values of its options; `algorithm` makes it.

        >>> import expectitree as et
        >>> chosen = et.algorithm("star2.5", probes=3)
        >>> chosen.options
        {'probes': 3, 'probe-order': 'cyclic'}
        >>> chosen.full_name
        'star2.5 (3 probes, cyclic)'

    Attributes:
        name: The name, a key of `ALGORITHMS`.
        description: One line for people.
        in_order: Whether it searches depth first, each node's children from first to last.
        player_cuts: Whether it makes alpha cuts at MIN and beta cuts at MAX.
        chance_cuts: Whether it makes cuts at CHANCE.
        probes: How many children of each outcome it probes first.
        probe_order: "cyclic" or "sequential".
        goal: What it proves: "value" or "action".
    """

    name: str
    description: str
    in_order: bool = True
    player_cuts: bool = True
    chance_cuts: bool = False
    probes: int = 0
    probe_order: str = "cyclic"
    goal: str = "value"

    @property
    def options(self) -> dict[str, int | str]:
        """The values of this algorithm's options, by their keys in `OPTIONS`."""
        own = [key for key, option in OPTIONS.items() if option.algorithm == self.name]
        return {key: getattr(self, key.replace("-", "_")) for key in own}

    @property
    def full_name(self) -> str:
        """The name and the options that matter, such as `star2.5 (3 probes, sequential)`."""
        if self.name == "star2.5":
            plural = "s" * (self.probes != 1)
            return f"{self.name} ({self.probes} probe{plural}, {self.probe_order})"
        changed = [
            str(value) for key, value in self.options.items() if value != OPTIONS[key].values[0]
        ]
        return f"{self.name} ({', '.join(changed)})" if changed else self.name


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm("expectiminimax", "Visits every node once; cuts nothing.", player_cuts=False),
        Algorithm("alphabeta", "Cuts at MAX and MIN only."),
        Algorithm("star1", "Cuts at CHANCE too, by the bounds (Ballard 1983).", chance_cuts=True),
        Algorithm(
            "star2",
            "Star1 that first probes one child of each outcome.",
            chance_cuts=True,
            probes=1,
        ),
        Algorithm(
            "star2.5",
            "Star2 with several probes (options probes, probe-order).",
            chance_cuts=True,
            probes=2,  # the fewest that differ from star2
        ),
        Algorithm(
            "best-first",
            "Visits the leaf that matters most (option goal).",
            in_order=False,
            chance_cuts=True,
        ),
    )
}


def algorithm(name: str | Algorithm, **options: int | str | None) -> Algorithm:
    """Return the algorithm of a name, with some of its options changed.

        >>> import expectitree as et
        >>> chosen = et.algorithm("star2.5", probes=3, probe_order="sequential")
        >>> et.evaluate(et.load("example:ballard"), chosen).value
        6.0

    Args:
        name: A key of `ALGORITHMS`, or an algorithm.
        options: star2.5 has `probes` and `probe_order`, best-first has `goal`. An option that
            is None keeps its value.

    Raises:
        SearchError: The name is unknown, or the algorithm does not have an option or a value.
    """
    found = name if isinstance(name, Algorithm) else ALGORITHMS.get(str(name).lower())
    if found is None:
        hint = did_you_mean(str(name), ALGORITHMS)
        choices = ", ".join(ALGORITHMS)
        raise SearchError(f"unknown algorithm {quote(str(name))}{hint}: choose among {choices}")
    changed: dict[str, int | str] = {}
    for field, value in options.items():
        key, field = field.replace("_", "-"), field.replace("-", "_")
        option = OPTIONS.get(key)
        if key in GONE:
            raise SearchError(GONE[key])
        if option is None:
            raise SearchError(
                f"unknown option {quote(field)}: the options of algorithms are {', '.join(OPTIONS)}"
            )
        if value is None:
            continue
        if option.algorithm != found.name:
            raise SearchError(
                f"the option {key} is for {option.algorithm} only, not for {found.name}"
            )
        if not option.accepts(value):
            raise SearchError(f"found {quote(str(value))} as {key}, expected {option.expected}")
        changed[field] = value
    return replace(found, **changed) if changed else found  # type: ignore[arg-type]
