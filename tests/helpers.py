"""What tests share: where the repository is, and how a test runs the command line."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from expectitree.cli import cli

ROOT = Path(__file__).resolve().parent.parent


def invoke(*words: str, stdin: str | None = None, **environment: str) -> Result:
    """Run the command line in this process, at 80 columns and piped."""
    return CliRunner().invoke(cli, list(words), input=stdin, env={"COLUMNS": "80", **environment})
