"""What information is worth to a player with an attitude to risk: the price that leaves no gain.

At that price, paid in advance, the tree with the information has the certainty equivalent of the
tree without it (Howard and Abbas, Foundations of Decision Analysis: the personal indifferent buying
price). A payment in any case changes all totals, so only an exponential attitude, for which it
cancels out, needs no search for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial

from expectitree.base.errors import AnalysisError, SearchError
from expectitree.base.numbers import Number, to_digits, to_exact
from expectitree.base.tree.builder import TreeBuilder
from expectitree.base.tree.model import Tree
from expectitree.decide.records import Amount
from expectitree.decide.sensitivity.sampling import bisected
from expectitree.searches.engine import search_tree

_NEAR = Fraction(1, 10**12)  # of a price
_DIGITS = 12  # of a price, at most


def worth_of(
    chances: Sequence[Number], trees: Sequence[Tree], price: Fraction = Fraction(0)
) -> tuple[Fraction, Fraction]:
    """Return the certainty equivalent of a lottery over trees for a price, and its rounding error.

    Raises `SearchError` if the attitude has no utility for a total less the price.
    """
    builder = TreeBuilder()
    searches = []
    for tree in trees:
        paid: Amount = tree.gain_sign * price
        if not tree.exact:
            paid = float(paid)
        searches.append(search_tree(replace(tree, root_reward=tree.root_reward - paid)))
    outcomes = [builder.terminal(to_exact(one.value)) for one in searches]
    lottery = builder.build(builder.chance(outcomes, [to_exact(p) for p in chances]))
    attitude, decider = trees[0].attitude, trees[0].decision_maker
    whole = search_tree(replace(lottery, attitude=attitude, decider=decider))
    eps = whole.eps + max(one.eps for one in searches)
    return to_exact(whole.value), to_exact(eps)


def price_of(chances: Sequence[Number], trees: Sequence[Tree], uninformed: Tree) -> Number:
    """Return what information is worth, with the digits that are known.

    `trees` are given each piece of evidence, which has one of the `chances`. Raises `AnalysisError`
    if the attitude has no utility for the totals less the price.
    """
    search = search_tree(uninformed)
    now, error, sign = to_exact(search.value), to_exact(search.eps), uninformed.gain_sign

    @cache
    def gains(price: Fraction) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest gain at a price."""
        worth, eps = worth_of(chances, trees, price)
        gain = sign * (worth - now)
        return gain - eps - error, gain + eps + error

    def has_gain(end: int, price: Fraction) -> bool:
        with suppress(SearchError):  # a total less the price has no utility
            return gains(price)[end] > 0
        return False

    free = gains(Fraction(0))
    if uninformed.attitude and uninformed.attitude.risk_tolerance is not None:
        return _known(*free)
    if free[0] <= 0 <= free[1]:
        return Fraction(0)
    ends = (to_exact(x + uninformed.root_reward) for x in uninformed.total_ends)
    # Less the greatest price, no total is a gain over what the tree is worth now.
    low, high = sorted(sign * (end - now) for end in ends)
    if free[1] >= 0:
        low = Fraction(0)
    lower, upper = (bisected(low, high, partial(has_gain, i), _NEAR)[i] for i in (0, 1))
    try:
        gains(upper)
    except SearchError as fault:
        raise AnalysisError(f"no price of the information leaves no gain: {fault}") from None
    return _known(lower, upper)


def _known(lower: Fraction, upper: Fraction) -> Fraction:
    """Return a number between two with the digits that are known."""
    if lower <= 0 <= upper:
        return Fraction(0)
    for digits in range(_DIGITS, 0, -1):
        if to_digits(lower, digits) == to_digits(upper, digits):
            return to_digits(lower, digits)
    return (lower + upper) / 2
