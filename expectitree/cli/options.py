"""The options that several commands have: of trees, of searches and of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import partial, wraps
from typing import Any, cast

import click

from expectitree.analysis.show import formats
from expectitree.base.errors import ExpectitreeError
from expectitree.base.numbers import show_exact
from expectitree.base.tree.model import Tree
from expectitree.cli.games import LAZY_OPTIONS, POSITION_OPTIONS, GameOptions
from expectitree.cli.help import FILE, option, output_option, search_option, tree_option
from expectitree.cli.terminal import OUT, choose_report, warn
from expectitree.cli.tree_files import Command, add_options, reading_options
from expectitree.cli.trees import SearchOptions
from expectitree.files import load, loads
from expectitree.searches.engines import ENGINES
from expectitree.searches.prepare import ORDERS


def complete_from(values: Iterable[str]) -> Callable[..., list[str]]:
    """Return a function that completes one of the values."""

    def complete(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return complete


def complete_of_tree(names: Callable[[Tree], Iterable[str]]) -> Callable[..., list[str]]:
    """Return a function that completes one of the names in the tree that was typed before."""

    def complete(context: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        params: Any = context.params
        with suppress(ExpectitreeError, OSError):
            for text in params.get("texts") or ():
                return complete_from(names(loads(text)))(context, param, incomplete)
            for file in params.get("files") or context.args:  # an option waits for its value
                return complete_from(names(load(file)))(context, param, incomplete)
        return []

    return complete


complete_parameters = complete_of_tree(lambda tree: tree.parameters)
complete_paths = complete_of_tree(lambda tree: map(tree.path_of, tree.first_paths.order))


def _read_settings(
    context: click.Context, param: click.Parameter, settings: Sequence[str]
) -> dict[str, Any]:
    """Return the values of --set, and what --parameters sets, by the names of the parameters."""
    changed: dict[str, Any] = {}
    table = context.params.pop("table", None)
    if table is not None and not context.resilient_parsing:
        from expectitree.foreign.parameter_tables import read_settings

        changed.update(read_settings(table, warn))
    for setting in settings:
        name, _, value = map(str.strip, setting.partition("="))
        if not name or not value or "=" in value:
            raise click.BadParameter(
                f"found {setting!r}, expected NAME=VALUE such as pr=0.3\nrepeat --set for each "
                "parameter"
            )
        changed[name] = replace(changed[name], value=value) if name in changed else value
    return changed


_SETTINGS = (
    tree_option(
        "--set NAME=VALUE",
        "Replace the value of a parameter, as in --set pr=0.3; repeat it for several.",
        "parameters",
        multiple=True,
        named=True,
        rare=False,
        callback=_read_settings,
        shell_complete=complete_of_tree(lambda tree: [f"{name}=" for name in tree.parameters]),
    ),
    tree_option(
        "--parameters FILE",
        "Set parameters by a table in CSV: name, value, low, high, unit, description.",
        "table",
        is_eager=True,  # before --set, which reads it and has the last word
    ),
)
# It adds both to a command, which receives `parameters`.
set_option = partial(add_options, options=_SETTINGS)
_GAME_PARAMETERS = [field.name for field in fields(GameOptions)]
_OWN_PARAMETERS = [
    field.name for field in fields(SearchOptions) if field.name not in ("games", "statuses")
]
_TREE_OPTIONS = (
    tree_option(
        "-e TEXT", "A tree as text, in place of a file.", "texts", multiple=True, rare=False
    ),
    tree_option("--depth D", "Cut the tree at D plies, and use its estimates there."),
    tree_option(
        "--order ORDER",
        "Order of children: given, best, worst, inner (by estimates) or random:SEED.",
        default="given",
        shell_complete=complete_from([order.removesuffix("SEED") for order in ORDERS]),
    ),
    tree_option(
        "--exact", "Show fractions in place of rounded decimals, and compute in them at any size."
    ),
    set_option,
    tree_option(
        "--attitude KIND=VALUE",
        "Attitude to risk: exponential=R, logarithmic=W, points=X:U,…, utility=TEXT, or none.",
    ),
)
_SEARCH_OPTIONS = (
    search_option(
        "--bounds none|leaves|L,U",
        "Bounds on every total (utility plus rewards): none, those of the leaves, or two "
        "numbers.  [default: those in the file, else none for alphabeta and leaves for the others]",
    ),
    search_option(
        "--engine",
        "How the search runs. auto computes small trees in fractions and compiles for large ones; "
        "the others compute in floats.",
        type=click.Choice(ENGINES),
        default="auto",
    ),
    search_option(
        "--max-visits N", "Stop a pruning search after N node visits and report the bounds so far."
    ),
)


def tree_options(
    command: Command,
    files: str = "[FILE|FOLDER|GAME]...",
    is_lazy: bool = False,
    searches: bool = True,
    has_games: bool = True,
) -> Command:
    """Add the argument `files`, so named in the usage, and options that choose trees and games.

    With `is_lazy`, also the options of searches that do not need the whole tree of a game. With
    `searches`, also those of searches; other commands evaluate every node. The command receives
    them as `options`. Its exit status is the highest one of the trees.
    """

    @wraps(command)
    def with_options(**parameters: Any) -> int:
        own = {name: parameters.pop(name) for name in _OWN_PARAMETERS if name in parameters}
        given = {name: parameters.pop(name) for name in _GAME_PARAMETERS if name in parameters}
        options = SearchOptions(**own, games=GameOptions(**given) if has_games else None)
        with show_exact(options.exact):
            command(options=options, **parameters)
        return max(options.statuses, default=0)

    argument = click.argument("files", nargs=-1, metavar=files, type=FILE)
    of_searches = _SEARCH_OPTIONS * searches
    own_options = add_options(with_options, (argument, *_TREE_OPTIONS, *of_searches))
    of_games = (POSITION_OPTIONS + LAZY_OPTIONS * is_lazy) * has_games
    return cast(Command, add_options(reading_options(own_options), of_games))


# For commands that evaluate every node, and for those that read no games either.
node_options = partial(tree_options, searches=False)
file_options = partial(node_options, files="[FILE|FOLDER]...", has_games=False)
windows_option = output_option("--windows", "Show alpha and beta of every node that was entered.")
totals_option = option("--totals", "Show what each path pays in all, at its end.")
plot_option = option("--plot FILE", "Also draw a plot, as .svg, .png or .pdf.", type=OUT)


def format_options(question: str, report: str = "-o --output") -> Callable[[Command], Command]:
    """Add --format, with the formats of the answer to a question, and -o to a command.

    `report` replaces -o where it names another file.
    """
    format = output_option(
        "--format",
        "The format of the output.",
        "format_name",
        type=click.Choice(formats(question)),
        default="text",
    )
    file = output_option(
        f"{report} FILE",
        "Write the report to a file, not to standard output.",
        "report_file",
        type=OUT,
        expose_value=False,
        callback=choose_report,
    )
    return lambda command: format(file(command))
