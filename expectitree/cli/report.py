"""`expectitree report`: one page about a decision, for a client."""

from __future__ import annotations

from click import UsageError

from expectitree.base.tree.model import Tree
from expectitree.cli.terminal import say
from expectitree.cli.tree_files import check_drawn
from expectitree.cli.trees import SearchOptions
from expectitree.decide.page import page_of
from expectitree.picture.drawing import write


def command(options: SearchOptions, output: str, parts: str | None, force: bool) -> None:
    """Write a page about a decision for a client: read it in a browser, or print it.

    It has the question, the recommendation, a picture of the tree, the reasons, the criteria,
    the inputs with their ranges, a tornado, the thresholds, the risk of each action, what
    information is worth, and a simulation if inputs have distributions. It is one file, which needs
    no other. The plots need matplotlib (pip install '.[plot]').

    For example: expectitree report trees/rockefeller.yaml -o report.html

    A part of it: expectitree report trees/rockefeller.yaml --parts inputs,risk -o report.html
    """
    if options.tree_count != 1:
        raise UsageError("A report is about one tree\ngive one FILE.")
    if not output.lower().endswith(".html"):
        raise UsageError(f"{output}: a report is a .html file; a browser prints it as PDF.")

    def written(tree: Tree, file: str) -> None:
        check_drawn(output, force)
        write(page_of(tree, file, parts.split(",") if parts else []), output)
        say(f"{output} written")

    list(options.map("report on", written))
