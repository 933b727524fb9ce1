"""`expectitree schema`: a JSON Schema of the tree file, for editors."""

from __future__ import annotations

from importlib.resources import files

from expectitree.cli.terminal import write


def command() -> None:
    """Print a JSON Schema (draft-07) of the tree file, with which editors complete and check it.

    \b
    Keep it next to your trees:
      expectitree schema > tree.schema.json
    In a YAML file, name it in the first line (VS Code with its YAML extension,
    Neovim, Emacs, JetBrains, Kate and others read it):
      # yaml-language-server: $schema=tree.schema.json
    In a JSON file, name it in a key of the root:
      "$schema": "tree.schema.json"

    A schema cannot check everything, such as the sum of probabilities; `expectitree verify` does.
    """
    write([files("expectitree.files").joinpath("tree.schema.json").read_text("utf-8")])
