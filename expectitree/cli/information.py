"""`expectitree information`: what knowing an event in advance is worth."""

from __future__ import annotations

from click import UsageError

from expectitree.base.tree.model import Tree
from expectitree.cli.trees import SearchOptions
from expectitree.decide.information.events import LikelihoodError, read_likelihoods
from expectitree.decide.information.report import Events, Information, every_event, information
from expectitree.files.grammar.document import error_in


def command(
    names: tuple[str, ...],
    likelihood: str | None,
    options: SearchOptions,
) -> None:
    """Compute what knowing an event in advance is worth (EVPI), or a free test for it (EVSI).

    An event is what `event:` names at chance nodes of the file. A chance node without it is an
    event of its own: give its path. Repeat --event to know several at once. With --attitude, EVPI
    and EVSI are prices that leave no gain.

    The file of --likelihood has the probability of each signal given each outcome, such as
    `plus: {oil: 0.9, none: 0.3}`. Formulas may use the tree's parameters, and `rest` is 1 minus the
    sum of the other signals.

    \b
    For example:
      expectitree information trees/rockefeller.yaml
      expectitree information trees/rockefeller.yaml --event oil
      expectitree information trees/oil-wildcatter.yaml --event oil --event cost
    """
    if likelihood is not None and not names:
        raise UsageError("--likelihood is a test for one event\nname it with --event.")
    test = None if likelihood is None else read_likelihoods(likelihood)

    def worth(tree: Tree, file: str) -> Information | Events:
        if not names:
            return every_event(tree, exact=True, file=file)
        try:
            return information(tree, names, likelihood=test, exact=True, file=file)
        except LikelihoodError as error:
            raise error_in(str(likelihood), error.lines) from None

    options.show_all("information in", worth)
