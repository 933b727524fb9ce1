"""The catalogue of algorithms: the function that runs each search, and what the house asks of it.

To add an algorithm, add its row to `ALGORITHMS` and the rows of its options to `OPTIONS`. Other
packages add rows by the entry points of `GROUP` (docs/how-to/add-a-search.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, TypeAlias

from expectitree.base.errors import SearchError
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import quote
from expectitree.base.tables import module_of, plugin, plugins
from expectitree.base.tree.columns import Kind

GROUP = "expectitree.algorithms"  # of entry points


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


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """The function of a search in this package; its module is imported when it first runs."""

    module: str
    name: str

    def __call__(self, problem: Any) -> Any:
        """Return what the search finds."""
        return getattr(module_of(self.module), self.name)(problem)


GONE = {  # options of earlier versions, and what to write instead
    "guide": "best-first always learns from the leaves that it visits\nremove guide",
    "jobs": "a tree is searched in one job, since two took as long\nremove jobs",
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
        run: The function that searches. It receives a `Problem` and returns a `Found`
            (`expectitree.searches.problem`).
        prunes: Whether it may leave nodes unvisited.
        proves: Whether it proves intervals. Otherwise its value is an estimate.
        in_order: Whether it searches depth first, each node's children from first to last.
        needs_whole_tree: Whether a game must be written out, and all utilities known, before it
            can begin. Otherwise it waits where the tree grows.
        needs_bounds: Whether it cuts more with bounds, so that it uses those of the leaves.
        chance_cuts: Whether it makes cuts at CHANCE.
        probes: How many children of each outcome it probes first.
        probe_order: "cyclic" or "sequential".
        goal: What it proves: "value" or "action".
        alias: The name by which it was chosen. Expectimax and minimax are for fewer trees, and a
            search of another tree warns.
    """

    name: str
    description: str
    run: Callable[[Any], Any]
    _: KW_ONLY
    prunes: bool = True
    proves: bool = True
    in_order: bool = False
    needs_whole_tree: bool = True
    needs_bounds: bool = True
    chance_cuts: bool = False
    probes: int = 0
    probe_order: str = "cyclic"
    goal: str = "value"
    alias: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        """Raise `SearchError` if there is no function to run."""
        if not callable(self.run):
            raise SearchError(
                f"found {quote(str(self.run))} as run of the algorithm {self.name}, expected a "
                "function of a Problem that returns a Found"
            )

    @property
    def is_built_in(self) -> bool:
        """Whether the search is one of this package."""
        return isinstance(self.run, BuiltIn)

    @property
    def options(self) -> dict[str, int | str]:
        """The values of this algorithm's options, by their keys in `OPTIONS`."""
        return {
            key: getattr(self, key.replace("-", "_"))
            for key, option in OPTIONS.items()
            if option.algorithm == self.name
        }

    @property
    def full_name(self) -> str:
        """The name and the options, such as `star2.5 (2 probes, cyclic)`; studies keep it."""
        if self.name == "star2.5":
            plural = "s" * (self.probes != 1)
            return f"{self.name} ({self.probes} probe{plural}, {self.probe_order})"
        changed = [
            str(value) for key, value in self.options.items() if value != OPTIONS[key].values[0]
        ]
        if changed:
            return f"{self.name} ({', '.join(changed)})"
        return self.name

    @property
    def short_name(self) -> str:
        """The name; the full name if an option was changed."""
        if self == ALGORITHMS.get(self.name):
            return self.name
        return self.full_name


# Algorithms as a caller names them; None asks for those that are usual for the tree.
Algorithms: TypeAlias = Iterable[Algorithm | str] | Algorithm | str | None
_DEPTH_FIRST = BuiltIn("searches.depth_first_search", "run_depth_first")


def _depth_first(name: str, description: str, **about: Any) -> Algorithm:
    about = {"in_order": True, "needs_whole_tree": False, **about}
    return Algorithm(name, description, _DEPTH_FIRST, **about)


ALGORITHMS = {
    algorithm.name: algorithm
    for algorithm in (
        Algorithm(
            "expectiminimax",
            "Visits every node once; cuts nothing.",
            BuiltIn("searches.backward_induction", "run_backward_induction"),
            prunes=False,
            in_order=True,
            needs_bounds=False,
        ),
        _depth_first("alphabeta", "Cuts at MAX and MIN only.", needs_bounds=False),
        _depth_first(
            "star1", "Cuts at CHANCE too, by the bounds (Ballard 1983).", chance_cuts=True
        ),
        _depth_first(
            "star2",
            "Star1 that first probes one child of each outcome.",
            chance_cuts=True,
            probes=1,
        ),
        _depth_first(
            "star2.5",
            "Star2 with several probes (options probes, probe-order).",
            chance_cuts=True,
            probes=2,  # the fewest that differ from star2
        ),
        Algorithm(
            "best-first",
            "Visits the leaf that matters most (option goal).",
            BuiltIn("searches.best_first_search", "run_best_first"),
            needs_whole_tree=False,
            chance_cuts=True,
        ),
    )
}


# The names in courses, and the algorithms that they mean.
ALIASES = {
    "expectimax": "expectiminimax",
    "minimax": "expectiminimax",
    "alpha-beta": "alphabeta",
}
ABSENT = {"expectimax": Kind.MIN, "minimax": Kind.CHANCE}  # the nodes that they have no rule for
NAMES = (*ALGORITHMS, *ALIASES)


def name_of(name: str) -> str:
    """Return the key of the algorithm with a name or an alias; the name itself if it is unknown."""
    key = name.lower()
    return ALIASES.get(key, key)


def algorithm(name: str | Algorithm, **options: int | str | None) -> Algorithm:
    """Return the algorithm of a name, with some of its options changed.

        >>> import expectitree as et
        >>> chosen = et.algorithm("star2.5", probes=3, probe_order="sequential")
        >>> et.evaluate(et.load("example:ballard"), chosen).value
        6.0

    Args:
        name: A key of `ALGORITHMS` or of `ALIASES`, such as expectimax, the name of an entry point
            of another package, or an algorithm.
        options: star2.5 has `probes` and `probe_order`, best-first has `goal`. An option that
            is None keeps its value.

    Raises:
        SearchError: The name is unknown, or the algorithm does not have an option or a value.
    """
    chosen = name if isinstance(name, Algorithm) else _named(str(name))
    changed = {}
    for word, value in options.items():
        key, word = word.replace("_", "-"), word.replace("-", "_")
        option = OPTIONS.get(key)
        if key in GONE:
            raise SearchError(GONE[key])
        if option is None:
            raise SearchError(
                f"unknown option {quote(word)}: the options of algorithms are {', '.join(OPTIONS)}"
            )
        if value is None:
            continue
        if option.algorithm != chosen.name:
            raise SearchError(
                f"the option {key} is for {option.algorithm} only, not for {chosen.name}"
            )
        if not option.accepts(value):
            raise SearchError(f"found {quote(str(value))} as {key}\nwrite {option.expected}")
        changed[word] = value
    return replace(chosen, **changed) if changed else chosen  # type: ignore[arg-type]


def _named(name: str) -> Algorithm:
    """Return the algorithm with a name, ours or another package's; raise `SearchError`."""
    key = name_of(name)
    if key in ALGORITHMS:
        return replace(ALGORITHMS[key], alias=name.lower())
    others = plugins(GROUP)
    if key in others:
        found: Algorithm = plugin(others[key], Algorithm)
        return replace(found, name=key)
    choices = [*ALGORITHMS, *others]
    hint = did_you_mean(name, (*choices, *ALIASES))
    raise SearchError(
        f"unknown algorithm {quote(name)}{hint}\nchoose among {', '.join(choices)}; `compare` "
        "takes several, each after its own -a"
    )
