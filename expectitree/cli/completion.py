"""`expectitree completion`: click's completion in bash, zsh and fish."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from expectitree.cli.help import declare
from expectitree.cli.terminal import write

VARIABLE = "_EXPECTITREE_COMPLETE"  # set by the shell scripts


@declare("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that makes a shell complete commands, options, their values and files.

    \b
    bash    eval "$(expectitree completion bash)"      in ~/.bashrc
    zsh     eval "$(expectitree completion zsh)"       in ~/.zshrc, after compinit
    fish    expectitree completion fish | source       in config.fish
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    root = context.find_root().command
    write([completion_class(root, {}, "expectitree", VARIABLE).source()])
