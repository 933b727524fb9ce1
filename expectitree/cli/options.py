"""The options that commands have in common, and what they come to: trees, bounds, algorithms."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial, wraps
from typing import Any, TypeVar, cast

import click

from expectitree import compiling
from expectitree.algorithms import ALGORITHMS, OPTIONS, Algorithm
from expectitree.algorithms import algorithm as find_algorithm
from expectitree.analysis.show import formats
from expectitree.cli.games import (
    LAZY_OPTIONS,
    POSITION_OPTIONS,
    READING_IS_FOR_FILES,
    SET_IS_FOR_FILES,
    GameOptions,
    GameSource,
    is_game_name,
    refuse_game,
)
from expectitree.cli.reading import reading_options
from expectitree.cli.status import DOES_NOT_HOLD, NO_TREE, WRONG_USAGE
from expectitree.cli.terminal import (
    color_option,
    protect,
    report_option,
    say,
    say_problems,
    show,
    show_separator,
    working,
    write,
)
from expectitree.errors import ExpectitreeError, FileError, GameError, NumberError, Problem
from expectitree.files import NO_TREES, load, loads, tree_files
from expectitree.files.formats import (
    FORMATS,
    SUFFIXES,
    TEXT_FORMATS,
    Format,
    ReadOptions,
    formats_by_suffix,
)
from expectitree.files.saving import format_of, pieces, save
from expectitree.numbers import to_bound
from expectitree.searches.engine import usual_algorithms
from expectitree.searches.prepare import ORDERS, prepare
from expectitree.searches.result import Outcome, Search
from expectitree.searches.setup import ENGINES
from expectitree.tree.columns import Bounds, Kind
from expectitree.tree.folding import MOST_NODES
from expectitree.tree.model import Tree

Command = TypeVar("Command", bound=Callable[..., Any])
Result = TypeVar("Result")

_MAPPING = re.compile(r":\s|[{\[]")  # in YAML or JSON, and hardly ever in the name of a file

# A file or folder, which shells complete; - is standard input or output.
FILE = click.Path(readable=False, allow_dash=True)


@dataclass(frozen=True)
class SearchOptions:
    """The options of `tree_options`: which trees a command reads, and how it searches them."""

    files: Sequence[str]
    texts: Sequence[str]
    bounds: str | None
    depth: int | None
    order: str
    exact: bool
    engine: str
    max_visits: int | None
    parameters: Mapping[str, str]
    reading: ReadOptions
    attitude: str | None
    games: GameOptions | None = None  # of a command that takes games
    statuses: list[int] = field(default_factory=list)  # exit statuses of what failed so far

    @property
    def in_fractions(self) -> bool:
        """Whether numbers are read as fractions."""
        return self.exact or self.engine == "exact"

    @property
    def tree_count(self) -> int:
        """The number of trees, counting the files in folders."""
        return len(files_in(self.files)) + len(self.texts)

    @property
    def search_arguments(self) -> dict[str, Any]:
        """The keyword arguments of every function that searches a tree."""
        return {
            "bounds": self.root_bounds,
            "engine": self.engine,
            "max_visits": self.max_visits,
        }

    @cached_property
    def root_bounds(self) -> Bounds | None:
        """The bounds of `--bounds`, or None."""
        return None if self.bounds is None else read_bounds(self.bounds, self.in_fractions)

    def refuse_search_options(self) -> None:
        """Raise a usage error if an option about searches is given to a command without one."""
        given = {
            "--bounds": self.bounds is not None,
            "--engine": self.engine not in ("auto", "exact"),
            "--max-visits": self.max_visits is not None,
        }
        for option in (option for option, is_given in given.items() if is_given):
            raise click.UsageError(
                f"{option} is for searches, and this command evaluates every node: leave it out."
            )

    def map(
        self,
        activity: str,
        function: Callable[[str, Any], Result],
        lazy: Algorithm | None = None,
    ) -> Iterator[Result]:
        """Yield the result of a function for the name and the tree of each text, file and game.

        With the algorithm `lazy`, the function receives a search of each game in place of its whole
        tree, unless the algorithm needs that.

        An error in one tree is reported and does not stop the others; it sets the exit status.
        """
        self._check()
        for name, read in self._sources(lazy):
            try:
                found = read()
                if isinstance(found, Tree) and self.engine in ("auto", "compiled"):
                    advice = compiling.advice(len(found))
                    if advice:
                        say(f"{name}: {len(found):,} nodes: {advice}")
                with working(f"{activity} {name}"):
                    result = function(name, found)
            except FileError as error:
                self.statuses.append(NO_TREE)
                say_problems(error)
                if not os.path.exists(name) and _MAPPING.search(name):
                    say(f"a tree is typed after -e: expectitree eval -e {shlex.quote(name)}")
            except ExpectitreeError as error:
                is_of_game = isinstance(error, GameError)
                self.statuses.append(NO_TREE if is_of_game else WRONG_USAGE)
                message = str(error).removeprefix(f"{name}: ")  # an error of an option has it
                say(f"{name}: {message}")
            else:
                yield result

    def show_each(
        self,
        activity: str,
        function: Callable[[str, Any], Any],
        question: str,
        format: str,
        lazy: Algorithm | None = None,
        **settings: Any,
    ) -> None:
        """Show a function's report about each tree; of several trees, below the file's name."""
        several = format == "text" and self.tree_count > 1
        for position, report in enumerate(self.map(activity, function, lazy)):
            self.fail_if(is_stopped(report.search))
            if several:
                show_separator(report.file, position)
            show(question, format, report, **settings)

    def fail_if(self, is_negative: bool) -> None:
        """Make the command end with status 1 if its answer is negative."""
        if is_negative:
            self.statuses.append(DOES_NOT_HOLD)

    def _check(self) -> None:
        """Raise a usage error if the options contradict each other."""
        if not self.files and not self.texts:
            raise click.UsageError(
                "No tree was given: name a FILE, or - for standard input, or type one after -e."
            )
        if self.exact and self.engine in ("interpreted", "compiled"):
            raise click.UsageError(
                f"--exact computes in fractions, --engine {self.engine} in floats: leave one out."
            )
        if self.files.count("-") > 1:
            raise click.UsageError("Standard input can be read once: give - only once.")
        games = [name for name in self.files if is_game_name(name)]
        if self.games is None:
            refuse_game(*games)
        else:
            self.games.check(bool(games))
        protect([*files_in(self.files), *(name.rpartition(":")[0] for name in games)])
        _ = self.root_bounds

    def _sources(self, lazy: Algorithm | None) -> Iterator[tuple[str, Callable[[], Tree | Search]]]:
        """Yield the name of each text, file and game, and the function that reads it."""
        for text in self.texts:
            yield "-e", partial(self._read, loads, text, name="-e")
        for file in files_in(self.files):
            if is_game_name(file):
                yield file, partial(self._grow, file, lazy)
            else:
                yield file, partial(self._read, load, file, name=file)

    def _read(self, function: Callable[..., Tree], source: str, name: str) -> Tree:
        with working(f"reading {name}"):
            about = {"name": name} if function is loads else {}
            tree = function(
                source,
                exact=self.in_fractions,
                warn=say,
                parameters=self.parameters,
                **self.reading,
                **about,
            )
            if self.attitude is not None:
                tree = tree.with_attitude(self.attitude)
            return prepare(tree, self.depth, self.order)

    def _grow(self, name: str, algorithm: Algorithm | None) -> Tree | Search:
        """Search a game, or write it out."""
        if self.parameters:
            raise click.UsageError(SET_IS_FOR_FILES)
        if self.reading:
            raise click.UsageError(READING_IS_FOR_FILES)
        if self.attitude is not None:
            raise click.UsageError(
                f"--attitude needs the tree of {name}: write it to a file first with "
                "`expectitree convert`, or leave --attitude out."
            )
        assert self.games is not None
        source = GameSource.of(
            name, self.games, self.depth, bounds=self.root_bounds, exact=self.in_fractions
        )
        if algorithm is None or not algorithm.player_cuts:
            instead = "; or search without the whole tree: `expectitree eval -a star2`"
            tree = source.write_out(instead)
            return prepare(tree, None, self.order)
        if self.order != "given":
            raise click.UsageError(
                f"--order {self.order} needs the whole tree, and {algorithm.name} searches a game "
                "without it: leave it out, or order moves with --deepen."
            )
        if self.engine == "compiled":
            raise click.UsageError(
                "The rules of a game are Python and cannot be compiled: leave --engine compiled "
                "out, or write the tree to a file first with `expectitree convert`."
            )
        return source.search(algorithm, self.max_visits)


class ChosenAlgorithms:
    """The algorithms of `algorithm_option`, with their options."""

    def __init__(self, names: Sequence[str], options: Mapping[str, int | str]) -> None:
        self.are_named = bool(names)  # by the user; otherwise these are all algorithms
        self.options = options
        chosen = dict.fromkeys(name.lower() for name in names or ALGORITHMS)
        for key in options:
            own = OPTIONS[key].algorithm
            if own not in chosen:
                raise click.UsageError(f"--{key} is for {own}: use -a {own}, or leave it out.")
        self.all = [find_algorithm(name, **self._options_of(name)) for name in chosen]

    def _options_of(self, name: str) -> dict[str, int | str]:
        return {k: value for k, value in self.options.items() if OPTIONS[k].algorithm == name}

    def or_only(self, name: str) -> ChosenAlgorithms:
        """Return the algorithms that the user named, or by default only the one with this name."""
        return self if self.are_named else ChosenAlgorithms([name], self.options)

    def of_game(self, is_repeated: bool = False) -> Algorithm | None:
        """Return the algorithm that searches games without their whole trees: by default star2.

        Return None if there are several, or if it cannot be repeated in the tree that it has made,
        and that is needed: best-first would guess otherwise there.
        """
        chosen = self.or_only("star2").all
        if len(chosen) > 1 or is_repeated and not chosen[0].in_order:
            return None
        return chosen[0]

    def only(self, complaint: str) -> Algorithm:
        """Return the one algorithm; raise a usage error with the complaint if there are several."""
        if len(self.all) > 1:
            raise click.UsageError(complaint)
        return self.all[0]

    def for_tree(self, file: str, tree: Tree) -> list[Algorithm]:
        """Drop the default algorithms that would be slow on the tree, and tell the user which."""
        if self.are_named:
            return self.all
        fast = usual_algorithms(tree, self.all)
        for name in (algorithm.name for algorithm in self.all if algorithm not in fast):
            say(f"{file}: {name} is left out, it is slow on so many leaves: -a {name} runs it")
        return fast


def read_bounds(text: str, exact: bool) -> Bounds:
    """Return the bounds in a text such as 0,100; `exact` reads fractions."""
    ends = text.strip("[]").split(",")
    try:
        if len(ends) != 2:
            raise NumberError(f"found {text!r}, expected two")
        lower, upper = (to_bound(end.strip(), exact) for end in ends)
    except NumberError as error:
        raise click.BadParameter(
            f"{error}: write LOWER,UPPER such as 0,100 or -inf,inf", param_hint="'--bounds'"
        ) from None
    return lower, upper


def is_stopped(search: Search) -> bool:
    """Say whether a search reached a limit; with --deepen, before the greatest depth."""
    grown = search.grown
    return search.outcome is Outcome.STOPPED or grown is not None and bool(grown.why_stopped)


def files_in(paths: Sequence[str]) -> list[str]:
    """Return the paths, with each folder replaced by the tree files in it."""
    files: list[str] = []
    for path in paths:
        found = list(tree_files(path)) if os.path.isdir(path) else [path]
        if not found:
            suffixes = ", ".join(suffix for suffix in SUFFIXES if suffix not in NO_TREES)
            message = f"no tree file in this folder: expected some {suffixes}"
            raise FileError([Problem(path, message)])
        files += found
    return files


def complete_path(context: click.Context, param: click.Parameter, incomplete: str) -> Any:
    """Complete a path within the tree on the command line."""
    from expectitree.cli import completion  # takes time that other commands need not spend

    return completion.complete_path(context, param, incomplete)


def complete_source(context: click.Context, param: click.Parameter, incomplete: str) -> Any:
    """Complete the name of a game, or of a file."""
    from expectitree.cli import completion

    return completion.complete_source(incomplete)


def complete_from(values: Iterable[str]) -> Callable[..., list[str]]:
    """Return a function that completes one of the values."""
    return lambda context, param, incomplete: [v for v in values if v.startswith(incomplete)]


def _read_settings(
    context: click.Context, param: click.Parameter, settings: Sequence[str]
) -> dict[str, str]:
    """Return the values of --set by the names of the parameters."""
    pairs = [setting.partition("=") for setting in settings]
    for name, sign, value in pairs:
        if not sign or not name or not value:
            message = f"found {name + sign + value!r}, expected NAME=VALUE such as pr=0.3"
            raise click.BadParameter(message)
        if "=" in value:
            message = f"found {name + sign + value!r}, expected one value: repeat --set for each"
            raise click.BadParameter(f"{message} parameter")
    return {name.strip(): value.strip() for name, _, value in pairs}


format_option = click.option(
    "--format",
    "format_name",
    type=click.Choice(TEXT_FORMATS),
    help="The format of standard output, or of a file whose ending several formats have.",
)
set_option = click.option(
    "--set",
    "parameters",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_read_settings,
    help="Replace the value of a parameter, as in --set pr=0.3; repeat it for several.",
)
_GAME_PARAMETERS = [field.name for field in fields(GameOptions)]
_OWN_PARAMETERS = [
    field.name for field in fields(SearchOptions) if field.name not in ("games", "statuses")
]
_TREE_OPTIONS = (
    click.option(
        "-e", "texts", metavar="TEXT", multiple=True, help="A tree as text, in place of a file."
    ),
    click.option(
        "--bounds",
        metavar="LOWER,UPPER",
        help="Bounds of every total: utility plus rewards; inf if they are unknown.",
    ),
    click.option(
        "--depth",
        type=click.IntRange(min=0),
        metavar="D",
        help="Cut the tree D plies deep, at its estimates; games need this.",
    ),
    click.option(
        "--order",
        default="given",
        show_default=True,
        metavar="ORDER",
        shell_complete=complete_from([order.removesuffix("SEED") for order in ORDERS]),
        help="Order of children: given, best, worst, inner (by estimates) or random:SEED.",
    ),
    click.option("--exact", is_flag=True, help="Compute in fractions: short for --engine exact."),
    click.option(
        "--engine",
        type=click.Choice(ENGINES),
        default="auto",
        show_default=True,
        help="How the search runs; the results are identical. auto compiles for large trees.",
    ),
    click.option(
        "--max-visits",
        type=click.IntRange(min=1),
        metavar="N",
        help="Stop a pruning search after N node visits and report the bounds so far.",
    ),
    set_option,
    click.option(
        "--attitude",
        metavar="KIND=VALUE",
        help="Attitude to risk: exponential=R, logarithmic=W, points=X:U,…, utility=TEXT, or none.",
    ),
)


def add_options(command: Command, options: Sequence[Callable[[Any], Any]]) -> Command:
    """Add options to a command, in the order of its help."""
    for option in reversed(options):
        command = option(command)
    return command


def tree_options(command: Command, files: str = "[FILE|FOLDER]...") -> Command:
    """Add the argument `files`, so named in the usage, and options that choose and search trees.

    The command receives them as `options`. It ends with the highest of their statuses.
    """

    @wraps(command)
    def with_options(**parameters: Any) -> None:
        own = {name: parameters.pop(name) for name in _OWN_PARAMETERS}
        options = SearchOptions(**own, games=parameters.pop("games", None))
        command(options=options, **parameters)
        if options.statuses:
            click.get_current_context().exit(max(options.statuses))

    completes: dict[str, Any] = {"shell_complete": complete_source} if "GAME" in files else {}
    argument = click.argument("files", nargs=-1, metavar=files, type=FILE, **completes)
    own_options = add_options(with_options, [argument, *_TREE_OPTIONS])
    return cast(Command, reading_options(own_options))


def game_options(
    command: Command, files: str = "[FILE|FOLDER|GAME]...", is_lazy: bool = False
) -> Command:
    """Add what `tree_options` adds, and the options for games.

    With `is_lazy`, also those of searches that do not need the whole tree.
    """
    with_trees = tree_options(command, files)

    @wraps(with_trees)
    def with_games(**parameters: Any) -> None:
        own = {name: parameters.pop(name) for name in _GAME_PARAMETERS if name in parameters}
        with_trees(games=GameOptions(**own), **parameters)

    return cast(Command, add_options(with_games, POSITION_OPTIONS + LAZY_OPTIONS * is_lazy))


def algorithm_option(help: str, *default: str) -> Callable[[Command], Command]:
    """Add -a and the algorithms' options to a command, which receives `algorithms`."""
    options = [
        click.option(
            "-a",
            "--algorithm",
            "names",
            multiple=True,
            default=default,
            metavar="NAME",
            help=help,
            shell_complete=complete_from(ALGORITHMS),
        )
    ]
    for key, option in OPTIONS.items():
        number = click.IntRange(min=1)
        choice = click.Choice(option.values) if option.values else number
        metavar = None if option.values else "K"
        options.append(
            click.option(f"--{key}", type=choice, metavar=metavar, help=option.description)
        )

    def add(command: Command) -> Command:
        @wraps(command)
        def with_algorithms(names: Sequence[str], **parameters: Any) -> Any:
            values = {key: parameters.pop(key.replace("-", "_")) for key in OPTIONS}
            given = {key: value for key, value in values.items() if value is not None}
            return command(algorithms=ChosenAlgorithms(names, given), **parameters)

        return cast(Command, add_options(with_algorithms, options))

    return add


def format_options(question: str, *report: str) -> Callable[[Command], Command]:
    """Add --format, with the formats of the answer to a question, --color and -o to a command.

    `report` replaces -o where it names another file.
    """
    option = click.option(
        "--format",
        "format_name",
        type=click.Choice(formats(question)),
        default="text",
        show_default=True,
        help="The format of the output.",
    )
    file = report_option(*(report or ("-o", "--output")))
    return lambda command: option(file(color_option(command)))


def max_leaves_option(command: Command) -> Command:
    """Add --max-leaves to a command that computes limits."""
    from expectitree.analysis.limit.proof_tree import MOST_LARGE, MOST_LEAVES

    return click.option(
        "--max-leaves",
        type=click.IntRange(min=1),
        metavar="N",
        help="Refuse trees with more leaves: the time grows with their square.  "
        f"[default: {MOST_LEAVES:,}; {MOST_LARGE:,} for long fractions]",
    )(command)


force_option = click.option("--force", is_flag=True, help="Replace an existing file.")


def check_file(file: str, force: bool) -> None:
    """Raise an error if a file exists and may not be replaced, or if its folder does not exist."""
    if not force and (os.path.isfile(file) or os.path.islink(file)):
        raise click.UsageError(
            f"{file} exists already: choose another name, or replace it with --force."
        )
    folder = os.path.dirname(file) or "."
    if not os.path.isdir(folder):
        message = f"there is no folder {folder}: check the path, or make it"
        raise FileError([Problem(file, message)])


def check_output(out: str, format: str | None, force: bool) -> Format:
    """Return the format of an output; raise an error if no tree can be written there.

    Call this before the work.
    """
    if out == "-":
        return FORMATS[format or "yaml"]
    if format is not None and FORMATS[format] not in formats_by_suffix(out)[1:]:
        if FORMATS[format] in formats_by_suffix(out):
            raise click.UsageError(
                "--format is for standard output: a file's ending sets its format."
            )
        try:
            format_of(out, format)
        except FileError as error:
            raise click.UsageError(str(error)) from None
    check_file(out, force)
    return format_of(out, format)


def write_tree(
    tree: Tree,
    out: str,
    format: str | None,
    drop_fractions: bool = False,
    most_nodes: int = MOST_NODES,
) -> None:
    """Write a tree to a file in the format of its ending, or to standard output if it is `-`."""
    if out == "-":
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(encoding="utf-8")  # tree files are UTF-8 on every system
        write(pieces(tree, format or "yaml", say, most_nodes))
        return
    with working(f"writing {out}"):
        save(
            tree,
            out,
            format=format,
            drop_fractions=drop_fractions,
            most_nodes=most_nodes,
            warn=say,
        )
    command = "ask" if tree.unknown else "eval"
    # Radiant's files do not hold whether decisions minimize.
    option = " --minimize" if format == "radiant" and Kind.MIN in tree.columns.kind else ""
    size = f"{len(tree):,} node{'s' * (len(tree) != 1)}"
    say(f"{out} written: {size}; next: expectitree {command} {out}{option}")
