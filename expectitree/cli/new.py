"""`expectitree new`: a commented tree file to start from."""

from __future__ import annotations

import re

from click import UsageError

from expectitree.cli.terminal import say, write
from expectitree.cli.tree_files import check_file
from expectitree.files import load
from expectitree.files.sources import PREFIX, examples, read_example
from expectitree.files.writing import whole_file

# The schema of the repository, which is not next to the new file.
_SCHEMA = re.compile(r'^(# yaml-language-server.*| *"\$schema".*)\n', re.MULTILINE)
TEMPLATE = """\
# A game tree for expectitree. Try:
#   expectitree eval FILE                what is the value, and the best action?
#   expectitree eval FILE -a star1       which branches can pruning skip, and why?
#   expectitree compare FILE             how many leaves does each search visit?
#   expectitree verify FILE              is `expect` below still right?
title: Umbrella or not

# The expected results: `expectitree verify` checks them, and `verify --write` fills them in.
expect:
  value: 7
  best: take it

# A node is a number (a terminal, its utility to MAX), or one of
#   max: ...      MAX picks the child with the greatest value
#   min: ...      MIN picks the child with the least value
#   chance: ...   chance draws the outcome
# with its children: a list, or a mapping from label to child.
# Branches may have costs, and numbers may be formulas of parameters:
#   expectitree new --example rockefeller
max:
  take it: 7                    # dry in any weather, but it must be carried
  leave it:
    chance:                     # without any p, outcomes are equally likely
      rain:
        p: 30%                  # a decimal, a fraction such as 3/10, or with a %
        min: [0, 2]             # a driver who does not like you: splashed, or merely wet
      sun:
        p: 0.7
        utility: 9              # the long form of a terminal, because it has a p
"""


def command(file: str | None, example: str | None, list_examples: bool, force: bool) -> None:
    """Print a commented tree file to start from, or write it to FILE.

    The examples can also be used without a file, as in expectitree eval example:risk.

    For example: expectitree new --example aima-5.12-left
    """
    if list_examples:
        if file is not None or example is not None:
            raise UsageError("--list names the examples\nremove FILE and --example.")
        width = max(map(len, examples()))
        for name in examples():
            write([f"{name:{width}}  {load(f'{PREFIX}{name}').title}\n"])
        return
    content = TEMPLATE if example is None else _SCHEMA.sub("", read_example(example).decode())
    if file is None or file == "-":
        write([content])
        return
    ending = ".json" if content.startswith("{") else ".yaml"
    if not file.lower().endswith((ending, ".yml")):
        hint = "for an example, write --example NAME; --list shows the names."
        raise UsageError(f"This tree needs a name that ends in {ending}\n{hint}")
    check_file(file, force)
    with whole_file(file) as stream:
        stream.write(content.encode())
    say(f"{file} written; next: expectitree eval {file}")
