"""`expectitree schema`: a JSON Schema of the tree file, for editors."""

from __future__ import annotations

import json

import click

from expectitree.cli.terminal import write
from expectitree.files.schema import tree_schema


@click.command("schema")
def command() -> None:
    """Print a JSON Schema (draft-07) of the tree file, by which editors complete and check it.

    \b
    Keep it beside your trees:
      expectitree schema > tree.schema.json
    In a YAML file, the first line names it (VS Code with its YAML extension,
    Neovim, Emacs, JetBrains, Kate, … read that):
      # yaml-language-server: $schema=tree.schema.json
    In a JSON file, a key of the root does:
      "$schema": "tree.schema.json"

    What no schema can see, such as probabilities that do not sum to 1, `expectitree verify` tells.
    """
    write([json.dumps(tree_schema(), indent=2), "\n"])
