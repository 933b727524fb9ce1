"""Hostile command lines: every command, with options of its own and values of any kind."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import click
from files.samples import SEEDS
from fuzz.cases import Target, scratch
from helpers import ROOT, run_main

from expectitree.base.tables import COMMANDS
from expectitree.cli import cli

# A study starts processes; `studies` are a target of their own. `edit` serves a page until it is
# interrupted.
NAMES = [name for name in COMMANDS if name not in ("study", "completion", "edit")]
FILES = {
    "risk.yaml": (ROOT / "trees" / "risk.yaml").read_bytes(),
    "oil.yaml": (ROOT / "trees" / "rockefeller.yaml").read_bytes(),
    "shared.yaml": (ROOT / "trees" / "shared.yaml").read_bytes(),
    "bounds.yaml": (ROOT / "trees" / "local-bounds.yaml").read_bytes(),
    "ask.yaml": (ROOT / "docs" / "examples" / "launch.yaml").read_bytes(),
    "game.efg": (ROOT / "docs" / "examples" / "coins.efg").read_bytes(),
    "table.csv": (ROOT / "docs" / "examples" / "copier.csv").read_bytes(),
    "diagram.json": (ROOT / "docs" / "examples" / "party.json").read_bytes(),
    "inputs.csv": b"name,value,low,high\npr,0.4,0.2,0.6\n",
    "broken.yaml": b"max: [1, {chance: [\n",
    "empty.yaml": b"",
    "folder/a.yaml": SEEDS[1].encode(),
}
TREES = (*FILES, "-", ".", "folder", "missing.yaml", "example:risk", "example:nothing", "game:pig",
    "game:chess", "--", "")  # fmt: skip
VALUES = (
    "", "0", "1", "2", "3", "-1", "1/2", "0.3", "1e400", "nan", "inf", "-inf", "9" * 30, "0,1",
    "0,100", "-inf,inf", "5,1", "1,x", "/", "a", "#1", "#9", "left", "test", "a/#2", "x", "é",
    "\udcff", "pr=0.3", "pr=2", "pr=0..1", "pr=1..0", "x=1", "=", "pr=", "value=5", "value=x",
    "sell = test", "oil", "out.yaml", "out.json", "out.efg", "out.svg", "out.arrow", "out.txt", "-",
    "out/x.yaml", "risk.yaml", "missing/out.yaml", "star1", "star2.5", "best-first", "ballard",
    "exponential=40", "exponential=0", "logarithmic=5000", "points=0:0,1:1", "utility=x^3",
    "10=20,9=9", "max,chance", "max: [1, {chance: [2, 3]}]", "utility: pr", "{", "1e3,2", "roll",
    "inputs.csv",
)  # fmt: skip
FILE_VALUES = tuple(value for value in VALUES if not value.startswith("/"))
MAX_GAME = ("--max-rows", "500", "--depth", "2")


class Words(NamedTuple):
    """A command line and the text on its standard input."""

    words: list[str]
    stdin: str


@cache
def commands() -> dict[str, click.Command]:
    """Return the commands by name."""
    context = click.Context(cli)
    found = {name: cli.get_command(context, name) for name in NAMES}
    return {name: command for name, command in found.items() if command is not None}


def value_of(random: Random, option: click.Parameter) -> str:
    """Return a value, more often than not one that the option accepts."""
    if isinstance(option.type, click.Choice) and random.random() < 0.9:
        return str(random.choice(list(option.type.choices)))
    if isinstance(option.type, (click.IntRange, click.types.IntParamType)):
        return random.choice(("0", "1", "2", "3", "7", "x", "-1", *VALUES))
    # With --force a command would write into the folder /.
    values = FILE_VALUES if isinstance(option.type, click.Path) else VALUES
    return random.choice(values)


def options_of(random: Random, command: click.Command) -> list[str]:
    """Return some options of a command with values."""
    known = [one for one in command.params if isinstance(one, click.Option)]
    words = []
    for option in random.sample(known, min(len(known), random.choice((0, 1, 1, 2, 2, 3, 5)))):
        name = random.choice((*option.opts, *option.secondary_opts))
        words.append(name)
        if not option.is_flag and not option.count:
            value = value_of(random, option)
            if random.random() < 0.3 and name.startswith("--"):
                words[-1] = f"{name}={value}"
            else:
                words.append(value)
    return words


def command_line(random: Random) -> Words:
    """Return a command line."""
    name = random.choice(NAMES)
    words = options_of(random, commands()[name])
    for _ in range(random.choice((0, 1, 1, 1, 1, 2))):
        words.insert(random.randrange(len(words) + 1), random.choice(TREES))
    if name == "generate":
        words = [random.choice(("ballard", "uniform")), "--format", "yaml", *words]
    if random.random() < 0.03:
        words = [random.choice(FILE_VALUES), *words]
    if any(word.startswith("game:") for word in words):
        words += MAX_GAME
    stdin = random.choice(("", "max: [1, 2]\n", "5\n\n?\nq\n", SEEDS[0], "{\n"))
    return Words([name, *words], stdin)


def fresh_folder() -> Path:
    """Return a folder with `FILES` and nothing else, whatever the last command did to it."""
    folder = scratch() / "work"
    os.chdir(scratch())
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir() if path.name != "folder" else None
        elif str(path.relative_to(folder)) not in FILES:
            path.unlink()
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    return folder


def check(made: Words) -> bool:
    """Run a command: an error has a message and a documented status."""
    before = Path.cwd()
    os.chdir(fresh_folder())
    try:
        done = run_main(*made.words, stdin=made.stdin)
    finally:
        os.chdir(before)
    assert done.status in (0, 1, 2, 3), done
    assert done.status in (0, 1) or done.err or done.out, done
    return bool(done.status == 0)


TARGETS: dict[str, Target] = {"command-lines": Target(command_line, check, is_hostile=True)}
