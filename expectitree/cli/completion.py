"""`expectitree completion`: click's completion in bash, zsh and fish."""

from __future__ import annotations

import os
import re

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
)

from expectitree.cli.terminal import write

VARIABLE = "_EXPECTITREE_COMPLETE"  # set by the shell scripts
# What click's scripts have, and what they need: values with spaces or backslashes stay whole, and
# no space follows one that goes on.
_CHANGES = {
    "read type": "read -r type",
    "COMPREPLY+=($value)": 'COMPREPLY+=("$value")\n'
    "            [[ $value == *[=/:] ]] && compopt -o nospace",
    "compadd -U -V unsorted -a completions": "compadd -U -V unsorted -S '' -- "
    "${(M)completions:#*[=/:]}; compadd -U -V unsorted -- ${completions:#*[=/:]}",
}


@add_completion_class
class _Bash(BashComplete):
    """Completion in bash, which splits words at colons, and ends those that are complete.

    It inserts a value as it is, so one with spaces needs backslashes, unless a quote is open.
    """

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        self.is_quoted = os.environ["COMP_WORDS"].split("\n")[-1].startswith(("'", '"'))
        *args, self.word = re.sub("\0?:\0?", ":", "\0".join([*args, incomplete])).split("\0")
        return args, self.word

    def format_completion(self, item: CompletionItem) -> str:
        before = self.word[: self.word.rfind(":") + 1]
        value = item.value.removeprefix(before)
        if not self.is_quoted:
            value = re.sub(r"([^\w%+,./:=@^~#-])", r"\\\1", value)
        return f"{item.type},{value}"


def command(shell: str) -> None:
    """Print a script that makes a shell complete commands, options, their values and files.

    \b
    bash    eval "$(expectitree completion bash)"      in ~/.bashrc
    zsh     eval "$(expectitree completion zsh)"       in ~/.zshrc, after compinit
    fish    expectitree completion fish | source       in config.fish
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    root = click.get_current_context().find_root().command
    source = completion_class(root, {}, "expectitree", VARIABLE).source()
    for line, better in _CHANGES.items():
        source = source.replace(line, better)
    write([source])
