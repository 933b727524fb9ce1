"""`expectitree completion`: click's completion in bash, zsh and fish."""

from __future__ import annotations

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


@add_completion_class
class _Bash(BashComplete):
    """Completion in bash, which splits words at colons, and ends those that are complete."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)", 'COMPREPLY+=("$value"); [[ $value == *[=/:] ]] && compopt -o nospace'
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        *args, self.word = re.sub("\0?:\0?", ":", "\0".join([*args, incomplete])).split("\0")
        return args, self.word

    def format_completion(self, item: CompletionItem) -> str:
        before = self.word[: self.word.rfind(":") + 1]
        return f"{item.type},{item.value.removeprefix(before)}"


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
    write([completion_class(root, {}, "expectitree", VARIABLE).source()])
