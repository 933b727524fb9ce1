"""`expectitree report`: one page about a decision, for a client."""

from __future__ import annotations

from functools import partial

import click

from expectitree.base.tree.model import Tree
from expectitree.cli.help import declare, option
from expectitree.cli.options import file_options
from expectitree.cli.terminal import say
from expectitree.cli.tree_files import check_drawn, force_option
from expectitree.cli.trees import SearchOptions
from expectitree.decide.page import PARTS, page_of
from expectitree.picture.drawing import write


@declare("report")
@partial(file_options, files="FILE")
@option("-o --output OUT", "The page: a .html file.", "out", required=True)
@option(
    "--parts LIST",
    f"Only these parts, with commas between: {', '.join(PARTS)}.",
    callback=lambda _context, _option, text: text.split(",") if text else [],
)
@force_option
def command(options: SearchOptions, out: str, parts: list[str], force: bool) -> None:
    """Write a page about a decision for a client: read it in a browser, or print it.

    It has the question, the recommendation with its reasons, a picture of the tree, the criteria,
    the inputs with their ranges, a tornado, the thresholds, the risk of each action, what
    information is worth, and a simulation if inputs have distributions. It is one file, which needs
    no other. The plots need matplotlib (pip install '.[plot]').

    For example: expectitree report trees/rockefeller.yaml -o report.html

    A part of it: expectitree report trees/rockefeller.yaml --parts inputs,risk -o report.html
    """
    if options.tree_count != 1:
        raise click.UsageError("A report is about one tree\ngive one FILE.")
    if not out.lower().endswith(".html"):
        raise click.UsageError(f"{out}: a report is a .html file; a browser prints it as PDF.")

    def written(tree: Tree, file: str) -> None:
        check_drawn(out, force)
        write(page_of(tree, file, parts), out)
        say(f"{out} written")

    list(options.map("report on", written))
