"""`expectitree sheet`: exercises to print or for Moodle, and their answers."""

from __future__ import annotations

import os
from typing import Any

from click import UsageError

from expectitree.base.algorithms import Algorithm
from expectitree.base.tables import module_of
from expectitree.base.tree.columns import Bounds
from expectitree.base.tree.model import Tree
from expectitree.cli import generate  # noqa: F401  # it declares the parameters of families
from expectitree.cli.algorithms import ChosenAlgorithms
from expectitree.cli.games import refuse_game
from expectitree.cli.terminal import say, warn, warnings_about, working
from expectitree.cli.tree_files import check_drawn, check_file
from expectitree.files import load
from expectitree.files.saving import save
from expectitree.files.writing import OutputFile, named_errors, write_marked
from expectitree.lab.families import FAMILIES
from expectitree.lab.sheets import FORMATS
from expectitree.lab.sheets.variants import Sheet, Wanted, make_variants, task_of, uneven
from expectitree.text.phrases import plural


def command(
    source: str,
    algorithms: ChosenAlgorithms,
    number: int,
    seed: int,
    min_cuts: int | None,
    windows: bool,
    bounds: Bounds | None,
    title: str | None,
    task: str | None,
    output: str,
    trees: str | None,
    settings: dict[str, Any],
    force: bool,
) -> None:
    """Make an exercise sheet: a page for each variant, and a key with all answers.

    The variants are trees of a FAMILY (see `expectitree generate --help`; here, --branching is 2 by
    default; for alphabeta it is 3, and --pattern is max,min), or the tree of a FILE with other
    values of the parameters that have a range, or else with other utilities. Each has one best
    action. The key is a second file with a table of the answers, and the solutions in the places of
    the exercises.

    \b
    .html  pages of A4 to print in a browser: sheet.html and sheet-key.html
    .pdf   the same pages (needs the extra draw)
    .tex   the same for LaTeX, with trees in TikZ
    .xml   numerical questions for Moodle, with their answers

    For example: expectitree sheet uniform -a alphabeta --min-cuts 2
    """
    algorithm = algorithms.or_only("expectiminimax").only("A sheet is of one search\ngive -a once.")
    if (min_cuts or windows) and not algorithm.prunes:
        name = "--min-cuts" if min_cuts else "--windows"
        raise UsageError(f"{name} is for a search that prunes\nadd -a alphabeta or star1.")
    outs = _files_of(output)
    tree = _source(source, algorithm, settings)
    if not title and isinstance(tree, Tree):
        title = tree.title
    title = title or "Game trees"
    if min_cuts is None:
        min_cuts = int(algorithm.prunes)
    wanted = Wanted(number, seed, min_cuts, bounds, windows)
    with working("making the sheet"), warnings_about(source):
        variants = make_variants(tree, algorithm, wanted, **settings)
        for file in outs:
            check_drawn(file, force)
        copies = _copies_in(trees, number, force)
        sheet = Sheet(title, task or task_of(variants[0].search, windows), variants)
        module, function = FORMATS[os.path.splitext(output)[1].lower()]
        draw = getattr(module_of(f"lab.sheets.{module}"), function)
        contents = {file: draw(sheet, is_key) for file, is_key in outs.items()}
    for file, content in contents.items():
        write_marked(content, file)
    for variant, copy in zip(variants, copies, strict=False):
        save(variant.search.tree.changed(title=f"{title}, variant {variant.name}"), copy)
    say(f"{' and '.join(outs)} written: {plural(number, 'variant')}")
    if reason := uneven(variants):
        say(reason)


def _files_of(output: str) -> dict[OutputFile, bool]:
    """Return the files to write, and whether each is the key."""
    base, ending = os.path.splitext(output)
    if ending.lower() not in FORMATS:
        raise UsageError(f"{output}: a sheet's ending is one of {', '.join(FORMATS)}.")
    outs = {OutputFile(output): False}
    if ending.lower() != ".xml":
        outs[OutputFile(f"{base}-key{ending}")] = True
    return outs


def _source(source: str, algorithm: Algorithm, parameters: dict[str, Any]) -> Tree | str:
    """Return the tree of a file, or the name of a family, whose parameters get defaults."""
    if source in FAMILIES:
        if algorithm.name == "alphabeta":  # without bounds, it cuts nothing beyond a CHANCE node
            parameters.setdefault("pattern", "max,min")
            parameters.setdefault("branching", 3)
        parameters.setdefault("branching", 2)
        return source
    refuse_game(source)
    if parameters:
        raise UsageError(
            f"--{next(iter(parameters))} is for a family\nremove it, or name a FAMILY."
        )
    return load(source, warn=warn)


def _copies_in(folder: str | None, number: int, force: bool) -> list[str]:
    """Return the files for copies of the trees; make their folder."""
    if folder is None:
        return []
    with named_errors(folder, "the folder cannot be made"):
        os.makedirs(folder, exist_ok=True)
    copies = [os.path.join(folder, f"variant-{n}.yaml") for n in range(1, number + 1)]
    for copy in copies:
        check_file(copy, force)
    return copies
