"""`expectitree ask`: asks for unknown utilities, one at a time, until the decision is certain."""

from __future__ import annotations

import os
import sys
from functools import partial

from click import Abort, UsageError

from expectitree.base import interrupts
from expectitree.base.reading import to_fraction
from expectitree.base.tree.columns import Bounds
from expectitree.cli.games import refuse_game
from expectitree.cli.terminal import (
    DOES_NOT_HOLD,
    make_console,
    print_error,
    protect,
    read_line,
    say,
    show,
    working,
    write_lines,
)
from expectitree.cli.tree_files import check_output, write_tree
from expectitree.decide.ask.answers import AnswersFile, answers_name
from expectitree.decide.ask.report import Inquiry, inquire, with_utilities
from expectitree.decide.ask.text import Conversation
from expectitree.files import load, loads
from expectitree.files.formats import format_by_suffix
from expectitree.files.rows import ReadOptions
from expectitree.text.phrases import plural


def command(
    file: str | None,
    text: str | None,
    goal: str,
    bounds: Bounds | None,
    exact: bool,  # the command shows its numbers so
    answers: str | None,
    no_save: bool,
    shows: bool,
    output: str | None,
    parameters: dict[str, str],
    reading: ReadOptions,
    force: bool,
    format_name: str,
) -> int:
    """Ask for the unknown utilities that matter most, until the decision is certain.

    In FILE, write `utility: "?"` for an unknown utility. Each answer is saved before the next
    question, so you can stop at any time, also with Ctrl-C, and continue with the same command. The
    exit status is 1 if the decision is not certain yet.

    \b
    Example:
      expectitree ask launch.yaml
      expectitree ask launch.yaml --show               the tree and the bounds so far
      expectitree ask launch.yaml -o answered.yaml     the tree with the answers
    """
    refuse_game(file)
    kept = answers or (None if file is None else answers_name(file))
    _check_names(file, text, kept, output)
    protect(name for name in (file, kept) if name is not None)
    if output is not None:
        check_output(output, None, force)
    source = file or "-e"
    read = partial(load, source) if text is None else partial(loads, text, name=source)
    read = partial(read, parameters=parameters, **reading)
    with working(f"reading {source}"):
        tree = read(warn=say)
    with working(f"preparing {source}"):
        inquiry = inquire(tree, bounds=bounds, goal=goal, exact=True)
    conversation = _hold_conversation(inquiry, AnswersFile(kept, source, not no_save), shows)
    if format_name == "json":
        show("json", [inquiry], file=source)
    else:
        write_lines(conversation.conclusion(make_console().options, shows))
    if output is not None:
        given = conversation.given
        answered = {tree.find(path).id: to_fraction(given[path]) for path in given}
        write_tree(with_utilities(tree, answered), output, None, drop_fractions=True)
    return DOES_NOT_HOLD * (not inquiry.is_done)


def _check_names(file: str | None, text: str | None, kept: str | None, output: str | None) -> None:
    """Raise a usage error if the names of the tree, its answers and the output clash."""
    if (file is None) == (text is None):
        raise UsageError("One tree is asked about\nname a FILE, or type one after -e.")
    if file == "-":
        raise UsageError(
            "Standard input brings the answers, not the tree\nname a FILE, or type it after -e."
        )
    if output == "-":
        raise UsageError("Standard output shows the decision\nname a file after -o, not -.")
    if kept is None:
        return
    format = format_by_suffix(kept)
    if kept == "-" or (format is not None and format.name != "yaml"):
        raise UsageError(f"Answers are kept in YAML\nname a file that ends in .yaml, not {kept}.")
    if os.path.realpath(kept) in [os.path.realpath(name) for name in (file, output) if name]:
        raise UsageError(f"Answers are kept in {kept}\nname another file for the tree.")


def _hold_conversation(inquiry: Inquiry, file: AnswersFile, shows: bool) -> Conversation:
    """Take the answers in the file, and ask for others unless the tree is only shown."""
    conversation = Conversation(inquiry, file, make_console(stderr=True).options)
    with working(f"reading {file.name}"):
        conversation.take_kept()
    if conversation.given:
        say(f"{plural(len(conversation.given), 'answer')} from {file.name}")
    if not inquiry.tree.unknown:
        name = file.tree_name
        say(f"{name}: every utility is known, so there is nothing to ask: use expectitree eval")
    elif not shows and not inquiry.is_done:
        file.check_writable()
        _converse(conversation)
    return conversation


def _converse(conversation: Conversation) -> None:
    """Ask until the decision is certain, or the user stops."""
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="backslashreplace")

    print_error(conversation.introduction())
    try:
        with interrupts.raising():
            while not conversation.is_over and not conversation.inquiry.is_done:
                line = read_line(conversation.prompt)
                if line is None:
                    break
                with working("choosing the next question"):
                    try:
                        reply = conversation.respond(line)
                    except KeyboardInterrupt:  # the answer is saved, and its effect not yet known
                        raise Abort from None
                print_error(reply)
    except KeyboardInterrupt:  # it ends the questions; another one ends the program
        say("")
    say("")
