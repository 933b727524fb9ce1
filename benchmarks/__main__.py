"""Measure reading, searching and starting, each against its target; see benchmarks/README.md."""

from __future__ import annotations

import gc
import json
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from statistics import median
from time import perf_counter

import click
import yaml

from benchmarks import texts
from benchmarks.best_first import best_first
from benchmarks.engines import engines, large, whole_process
from benchmarks.games import games
from benchmarks.insight import insight
from benchmarks.measuring import FULL, QUICK, REPOSITORY, Row, Size, as_installed, best_seconds
from benchmarks.scale import cluster, scale
from benchmarks.sensitivity import sensitivities
from benchmarks.storm import storm
from benchmarks.table_search import table_searches
from expectitree import __version__, evaluate, loads

SEED = 20
LOADER = getattr(
    yaml, "CSafeLoader", yaml.SafeLoader
)  # without libyaml the ratio is to the pure-Python loader
YAML_STYLES = {
    "flow lists of numbers": texts.flow_lists,
    "flow lists, p at outcomes": texts.flow_outcomes,
    "labelled block mappings": texts.labelled_mappings,
}
JSON_STYLES = {"lists of numbers": texts.json_lists, "labelled, p at outcomes": texts.json_labelled}
SEARCH_TARGETS = {"expectiminimax": 1_000_000, "alphabeta": None, "star1": 400_000, "star2": None}
SMALL_TREE = ("-m", "expectitree", "eval", "trees/risk.yaml")
ITS_IMPORTS = ("-c", "import click, yaml, rich.console")


def written(
    styles: Mapping[str, Callable[[texts.Branch], str]], size: Size
) -> tuple[dict[str, str], int]:
    """Return a text for each style, all of one tree, and its size. Only the texts stay in memory.

    (With the tree still there the garbage collector would visit it again and again while PyYAML's
    loader runs: that loader then takes a tenth longer.)
    """
    root, count = texts.random_tree(SEED, size.text_nodes)
    return {style: write(root) for style, write in styles.items()}, count


def read_yaml(size: Size) -> Iterator[Row]:
    """Yield the rate of reading each style of YAML, and PyYAML's time as a multiple."""
    by_style, count = written(YAML_STYLES, size)
    for style, text in by_style.items():
        runs = [
            partial(loads, text, name="x.yaml"),
            partial(yaml.load, text, LOADER),
            partial(uncollected, text),
        ]
        ours, theirs, without = best_seconds(runs, size.repetitions)
        yield Row(f"read YAML, {style}", count / ours, "nodes/s", 130_000)
        yield Row(f"  {LOADER.__name__} on the same text takes", theirs / ours, "x", 5)
        yield Row("  the same, with the garbage collector off", without / ours, "x")


def uncollected(text: str) -> object:
    """Load a text by PyYAML with the garbage collector off, as this package reads."""
    gc.disable()
    try:
        return yaml.load(text, LOADER)
    finally:
        gc.enable()


def read_json(size: Size) -> Iterator[Row]:
    """Yield the rate of reading each style of JSON, and the time as a multiple of `json.loads`."""
    by_style, count = written(JSON_STYLES, size)
    for style, text in by_style.items():
        runs = [partial(loads, text, name="x.json"), partial(json.loads, text)]
        ours, theirs = best_seconds(runs, size.repetitions)
        yield Row(f"read JSON, {style}", count / ours, "nodes/s", 800_000)
        yield Row("  as a multiple of the time of json.loads", ours / theirs, "x")


def search(size: Size) -> Iterator[Row]:
    """Yield the distinct nodes that each algorithm visits per second, with its preparation."""
    tree = texts.built(texts.random_tree(SEED, size.search_nodes)[0])
    # A copy shares the columns and none of what a tree remembers, so that each run pays for
    # everything.
    runs = [
        lambda name=name: evaluate(replace(tree), name, engine="interpreted")
        for name in SEARCH_TARGETS
    ]
    seconds = best_seconds(runs, size.repetitions)
    for (name, target), time in zip(SEARCH_TARGETS.items(), seconds, strict=True):
        visited = evaluate(tree, name).counts.visited
        yield Row(
            f"{name}, visits {visited / len(tree):.0%} of {len(tree):,} nodes",
            visited / time,
            "nodes/s",
            target,
        )


def start_up(size: Size) -> Iterator[Row]:
    """Yield the time of a whole command as a multiple of the bare imports, by medians."""
    commands = [SMALL_TREE, ITS_IMPORTS]
    failed = next((error for command in commands if (error := _failure(command))), None)
    times: list[list[float]] = [[], []]
    for _ in range(0 if failed else size.processes):
        for index, command in enumerate(commands):
            start = perf_counter()
            _run(command, check=True)
            times[index].append(perf_counter() - start)
    ours, theirs = (median(some) if some else None for some in times)
    what = f"python {' '.join(SMALL_TREE)}"
    if ours is None or theirs is None:
        click.echo(f"{what} fails: {failed}", err=True)
        yield Row(what, None, "x", 2, at_most=True)
    else:
        yield Row(
            f"{what}: {ours * 1000:.0f} ms / {theirs * 1000:.0f} ms",
            ours / theirs,
            "x",
            2,
            at_most=True,
        )


def _failure(command: Sequence[str]) -> str | None:
    """Run a command once, to warm the caches; return the last line of its error, if any."""
    done = _run(command, check=False)
    return (
        None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["no message"])[-1]
    )


def _run(command: Sequence[str], check: bool) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, *command]
    return subprocess.run(
        arguments, cwd=REPOSITORY, env=as_installed(), capture_output=True, text=True, check=check
    )


def line(row: Row) -> str:
    """Return a row as text."""
    if row.figure is None:
        figure = "not measured"
    else:
        digits = 0 if row.unit == "nodes/s" else 2
        figure = f"{row.figure:,.{digits}f} {row.unit}"
    target = (
        "" if row.target is None else f"{'at most' if row.at_most else 'at least'} {row.target:,}"
    )
    return f"{row.what:<62} {figure:>18}  {target:<18} {_KEPT[row.kept]}".rstrip()


_KEPT = {True: "kept", False: "NOT KEPT", None: ""}


PARTS = {
    part.__name__: part
    for part in (
        read_yaml,
        read_json,
        search,
        engines,
        whole_process,
        insight,
        sensitivities,
        best_first,
        games,
        table_searches,
        storm,
        start_up,
        scale,
        cluster,
        large,
    )
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
@click.option(
    "--quick",
    is_flag=True,
    help="Smaller trees and fewer repetitions: seconds, and rougher figures.",
)
def main(parts: tuple[str, ...], as_json: bool, quick: bool) -> None:
    """Measure all PARTS, or those that are named, each against its target.

    The exit status is 0 whether or not the targets are met.
    """
    size = QUICK if quick else FULL
    about = (
        f"expectitree {__version__}, Python {platform.python_version()}, "
        f"PyYAML {yaml.__version__}; "
        f"trees of {size.text_nodes:,} and {size.search_nodes:,} nodes or more, seed {SEED}; "
        f"best of {size.repetitions}, processes: median of {size.processes}; all taking turns"
    )
    rows = []
    if not as_json:
        click.echo(about)
    for name in parts or [name for name in PARTS if not (quick and name == "large")]:
        for row in PARTS[name](size):
            rows.append(row)
            if not as_json:
                click.echo(line(row))
    if as_json:
        click.echo(
            json.dumps(
                {"about": about, "rows": [asdict(row) | {"kept": row.kept} for row in rows]},
                indent=2,
            )
        )


if __name__ == "__main__":
    main(prog_name="python -m benchmarks")
