"""`expectitree verify`: check that files are valid, results match `expect`, and rules hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from click import UsageError

from expectitree.analysis.verify.answers import check_answers
from expectitree.analysis.verify.report import Check, Verification, refresh, verify_file
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import FileError, GameError, NumberError, SearchError, TreeError
from expectitree.base.tree.model import Tree
from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.games import is_game_name
from expectitree.cli.terminal import (
    DOES_NOT_HOLD,
    NO_TREE,
    make_console,
    protect,
    say,
    show,
    warn,
    working,
    write_lines,
)
from expectitree.cli.tree_files import files_in
from expectitree.files import load
from expectitree.text.console import characters, line, safe

_ONE = (
    "--answers is for one FILE, without --write and --format\nfor several students: `for f in "
    "*.answers.yaml; do echo $f; expectitree verify FILE --answers $f; done`"
)


def command(
    paths: tuple[str, ...],
    write_back: bool,
    verbose: bool,
    answers: str | None,
    algorithms: ChosenAlgorithms,
    quiet: bool,
    parameters: dict[str, str],
    format_name: str,
) -> int:
    """Check that files are valid and that results match their `expect` block.

    Each file has a line, and below it the expectations that do not hold. Everything is computed
    exactly, or with formulas such as exp and log within a bound of the rounding. Folders are
    searched for tree files. With --write, broken expectations are refreshed, and a file without
    `expect` gets one; every other character stays as it is.

    For a GAME, 100 games are played, at random and toward the greatest and the least values. Every
    method is called twice, positions with equal keys are compared, and each value with the bounds
    of all positions before it.

    With --answers, the values that a student wrote at the nodes of one tree are checked instead,
    children before their parents. The root is `/`, `best` the best action, and `<= 5` a bound.
    With -a, a number may be a bound that this search finds.

    For example: expectitree verify trees
    """
    games = [path for path in paths if is_game_name(path)]
    if games and (write_back or parameters or answers is not None):
        raise UsageError(f"{games[0]} is a game: --write, --set and --answers are for files.")
    if write_back and "-" in paths:
        raise UsageError("--write needs files: standard input cannot be written to.")
    if write_back and parameters:
        raise UsageError("--write keeps the results of the file's own parameters\nremove --set.")
    if verbose and quiet:
        raise UsageError("--verbose and --quiet exclude each other\ngive one of them.")
    if answers is not None:
        if len(paths) > 1 or os.path.isdir(paths[0]) or write_back or format_name != "text":
            raise UsageError(_ONE)
        algorithm = algorithms.or_only("expectiminimax").only("Answers are to one search.")
        tree = load(paths[0], exact_nodes=sys.maxsize, warn=warn)
        return _check(answers, tree, algorithm)
    if algorithms.are_named:
        raise UsageError("-a is for --answers\nwrite the counts of a search into `expect`.")
    files = files_in([path for path in paths if path not in games])
    protect(files)
    verifications = [*map(_play_games, games)]
    unwritten: list[str] = []
    verifications += [_verified(file, parameters, write_back, unwritten) for file in files]
    settings = {"quiet": quiet, "verbose": verbose} if format_name == "text" else {}
    show(format_name, verifications, **settings)
    if unwritten or any(v.error is not None for v in verifications):
        return NO_TREE
    return DOES_NOT_HOLD * any(v.is_bad for v in verifications)


def _verified(
    file: str, parameters: Mapping[str, str], write_back: bool, unwritten: list[str]
) -> Verification:
    """Return the verification of a file, after writing its results if the user wants that.

    A file that cannot be written is added to `unwritten`.
    """
    with working(f"verifying {file}"):
        try:
            verification = verify_file(file, warn=warn, parameters=parameters)
        except (NumberError, TreeError) as error:  # of --set
            raise UsageError(f"{file}: {error.lines}") from None
        has_all = verification.checks and not verification.broken
        if not write_back or verification.error is not None or has_all:
            return verification
        try:
            refresh(file)
            say(f"{file}: expect written")
            return verify_file(file)
        except (FileError, SearchError) as error:
            unwritten.append(file)
            reason = error.as_problems()[0].message
            say(f"{file}: not refreshed: {reason}; nothing was written")
    return verification


def _play_games(name: str) -> Verification:
    """Check the rules of a game by playing it."""
    from expectitree.games.checking import GAMES, check_rules
    from expectitree.games.finding import find_game

    game = find_game(name)
    is_kept = True
    try:
        with working(f"verifying {name}"):
            outcome = check_rules(game, warn=warn).text
    except GameError as error:
        outcome, is_kept = str(error), False
    check = Check(f"{GAMES} games", "no fault of the rules", outcome, is_kept, ())
    return Verification(name, (check,), is_game=True)


def _check(answers: str, tree: Tree, algorithm: Algorithm) -> int:
    """Print the first wrong answer and why it is wrong; return the exit status."""
    from expectitree.analysis.evaluate.sentences import explanation_lines

    sentence, why = check_answers(tree, answers, algorithm)
    options = make_console().options
    marks, text = characters(options), f" {safe(sentence, options)}"
    if why is None:
        write_lines([line((marks.yes, "good"), text)])
        return 0
    write_lines([line((marks.no, "bad"), text), *explanation_lines(why, options)])
    return DOES_NOT_HOLD
