"""`expectitree edit`: the playground's page on a file of one's own."""

from __future__ import annotations

import webbrowser
from contextlib import suppress

from click import UsageError

from expectitree.base import interrupts
from expectitree.cli.games import refuse_game
from expectitree.cli.terminal import say, write
from expectitree.editor.server import Server
from expectitree.files.formats import format_by_suffix, format_of_text
from expectitree.files.grammar.document import error_in
from expectitree.files.sources import PREFIX, read_text


def command(file: str, port: int, no_browser: bool) -> None:
    """Edit a tree in the browser: type, or click its picture.

    The page shows values, pictures, comparisons and analyses while you edit, and replays searches.
    It is served by this machine to this machine, and writes FILE only when you save. The link has a
    secret, so that other pages cannot use it. Ctrl-C ends the command.

    For example: expectitree edit my-tree.yaml
    """
    refuse_game(file)
    _check(file)
    try:
        server = Server(file, port)
    except OSError as error:
        raise UsageError(f"Port {port} cannot be used: {error.strerror}.") from None
    with suppress(KeyboardInterrupt), interrupts.raising():
        write([f"{server.address}\n"])
        say(f"{file} is served at this address until Ctrl-C")
        if not no_browser:
            webbrowser.open(server.address)
        server.serve_forever()


def _check(file: str) -> None:
    """Raise an error if the page cannot edit the file."""
    if file == "-" or file.startswith(PREFIX):
        name = file.removeprefix(PREFIX) if file != "-" else "NAME"
        raise UsageError(
            f"The page writes to a file, which {file} is not\ntry `expectitree new --example "
            f"{name} my-tree.yaml`."
        )
    format = format_by_suffix(file)
    if format is None or format.is_text:
        format = format_of_text(read_text(file)[0], file)
    if format.is_foreign or not format.is_text:
        raise error_in(
            file,
            f"the page edits YAML and JSON, and this is {format.title}\nconvert it first",
        )
