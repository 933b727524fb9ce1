"""`expectitree completion`: click's completion in bash, zsh and fish, with paths within a tree."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import redirect_stderr, suppress
from itertools import islice

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    shell_complete,
)

from expectitree.base.numbers import display_text
from expectitree.cli.terminal import write
from expectitree.files import load, loads
from expectitree.searches.prepare import prepare
from expectitree.tree.model import Kind, Node, Tree
from expectitree.tree.paths import ROOT, join, split

VARIABLE = "_EXPECTITREE_COMPLETE"  # set by the shell scripts
MAX_ITEMS = 1000
MAX_BYTES = 1_000_000  # of a tree file: reading takes half a second at most


@add_completion_class
class _Bash(BashComplete):
    """Completion for a bash that quotes special characters in labels, as it does in file names."""

    source_template = BashComplete.source_template.replace("-o nosort", "-o nosort -o filenames")

    before = ""  # what bash takes for other words, since it splits words at colons

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        if incomplete == ":":
            args, incomplete = [*args, ":"], ""
        if args[-1:] == [":"] and len(args) > 1:
            self.before = f"{args[-2]}:"
            args, incomplete = args[:-2], self.before + incomplete
        return args, incomplete

    def format_completion(self, item: CompletionItem[str]) -> str:
        item.value = item.value.removeprefix(self.before)
        return super().format_completion(item).replace("\\", "\\\\")  # `read` removes one


def complete_path(
    context: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem[str]]:
    """Complete a path within the first tree on the line; without a tree, complete a file."""
    if not (context.params["texts"] or context.params["files"] or context.args):
        return [CompletionItem(incomplete, type="file")]
    with suppress(Exception):  # no error may disturb the line that a user types
        tree = _first_tree(context)
        return [] if tree is None else list(islice(_paths(tree, incomplete), MAX_ITEMS))
    return []


def complete_source(incomplete: str) -> list[CompletionItem[str]]:
    """Complete the name of a built-in game, or else of a file."""
    from expectitree.games.built_in import BUILT_IN

    names = [f"game:{name}" for name in BUILT_IN]
    games = [CompletionItem(name) for name in names if incomplete and name.startswith(incomplete)]
    return games or [CompletionItem(incomplete, type="file")]


def _first_tree(context: click.Context) -> Tree | None:
    """Return the first tree on the line as it will be searched; None if it is not a small file."""
    options = context.params
    if options["texts"]:
        tree = loads(options["texts"][0], name="-e")
    else:
        # click parses no arguments if an option at the end of the line lacks its value.
        file = os.path.expanduser([*(options["files"] or ()), *context.args][0])
        if not os.path.isfile(file) or os.path.getsize(file) > MAX_BYTES:
            return None
        tree = load(file)
    return prepare(tree, options["depth"], options["order"])


def _paths(tree: Tree, incomplete: str) -> Iterator[CompletionItem[str]]:
    """Yield the paths that complete the last label; if there is only one, its children too."""
    if incomplete == ROOT:
        yield CompletionItem(ROOT, help=describe(tree.root))
        return
    *above, start = split(incomplete) or [""]
    node = tree.find(join(above)).id
    branches = [b for b in tree.branches_of(node) if tree.branch_label(node, b).startswith(start)]
    for branch in branches:
        label, child = tree.branch_label(node, branch), tree.columns.child[branch]
        yield _item(tree, [*above, label], child)
        if len(branches) == 1:
            for below in tree.branches_of(child):
                labels = [*above, label, tree.branch_label(child, below)]
                yield _item(tree, labels, tree.columns.child[below])


def _item(tree: Tree, labels: list[str], node: int) -> CompletionItem[str]:
    return CompletionItem(join(labels), help=describe(tree.node(node)))


def describe(node: Node) -> str:
    """Return the kind of a node, or the utility of a terminal."""
    if node.kind != Kind.TERMINAL:
        return node.kind.name
    return "?" if node.utility is None else display_text(node.utility)


def answer(cli: click.Command) -> int:
    """Print what the shell script asks for, and return the exit status."""
    with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):
        return shell_complete(cli, {}, "expectitree", VARIABLE, os.environ[VARIABLE])


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print a script that makes a shell complete commands, options, files and paths within a tree.

    \b
    bash    eval "$(expectitree completion bash)"      in ~/.bashrc
    zsh     eval "$(expectitree completion zsh)"       in ~/.zshrc, after compinit
    fish    expectitree completion fish | source       in config.fish
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    root = context.find_root().command
    write([completion_class(root, {}, "expectitree", VARIABLE).source()])
