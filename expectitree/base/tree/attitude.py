"""Attitudes to risk: what the decision maker makes of a lottery, as a utility of the gain.

The gain is the total; if MIN is the decision maker, minus the total.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from expectitree.base.errors import NumberError, TreeError
from expectitree.base.expressions.evaluation import FLOATS, evaluate
from expectitree.base.expressions.parser import parse
from expectitree.base.expressions.syntax import Expression, text_of
from expectitree.base.numbers import Number, exact_text, message_text, quote
from expectitree.base.reading import to_fraction
from expectitree.base.tree.columns import Bounds

Curve: TypeAlias = Callable[[Any], Any]  # of floats or of fractions
Totals: TypeAlias = Sequence[Number]

KINDS = ("exponential", "logarithmic", "points", "utility")
TOTAL = "x"  # the name of the total in a utility expression
_SAMPLES = 1000  # places between the least and the greatest total where a utility is checked
_APART = 1e-9  # of the range: totals that are this far apart are compared
EXPECTED = (
    "write exponential=R (the risk tolerance), logarithmic=W (the wealth), "
    "points=X:U,X:U,…, utility=EXPRESSION in x, or none"
)


@dataclass(frozen=True, slots=True)
class Attitude:
    """An attitude to risk; `Tree.attitude` has the tree's."""

    kind: str  # one of `KINDS`
    number: Number | None = None  # the risk tolerance of "exponential", the wealth of "logarithmic"
    points: tuple[tuple[Number, Number], ...] = ()  # pairs (total, utility)
    expression: Expression | None = None  # of "utility"
    # Of the number, if parameters determine it; `Tree.with_parameters` evaluates it.
    formula: Expression | None = None

    def __post_init__(self) -> None:
        if self.kind == "exponential" and self.number == 0:
            raise TreeError(
                "the risk tolerance is 0\ngive a positive one, or a negative one for risk seeking"
            )
        if self.kind == "points" and len(self.points) < 2:
            raise TreeError(f"found {len(self.points)} points, expected at least 2")
        for (x, u), (next_x, next_u) in zip(self.points, self.points[1:], strict=False):
            if next_x <= x:
                raise TreeError(
                    f"the points have the total {message_text(next_x)} after "
                    f"{message_text(x)}\nwrite them in increasing order"
                )
            if next_u <= u:
                raise TreeError(
                    f"the utility does not increase from {message_text(x)} to "
                    f"{message_text(next_x)}: it goes from {message_text(u)} to "
                    f"{message_text(next_u)}"
                )

    @property
    def risk_tolerance(self) -> float | None:
        """The risk tolerance of an exponential attitude; None for another one."""
        if self.kind == "exponential" and self.number:
            return float(self.number)
        return None

    def utility(self, gain: Number) -> Any:
        """Return the utility of a gain; None if it is beyond floating point."""
        x = float(gain)
        if self.points:
            return _between_points(self.points, (gain, gain), isinstance(gain, Fraction)).of(gain)
        try:
            if self.expression is not None:
                return float(evaluate(self.expression, FLOATS, {TOTAL: x}))
            number = float(self.number or 0)
            if self.kind == "logarithmic":
                return math.log(x + number)
            return -math.copysign(math.exp(-x / number), number)
        except OverflowError:
            return None

    @property
    def text(self) -> str:
        """The attitude as `--attitude` takes it, such as `exponential=1000`."""
        if self.expression is not None:
            return f"{self.kind}={text_of(self.expression)}"
        if self.points:
            pairs = [f"{exact_text(x)}:{exact_text(u)}" for x, u in self.points]
            return f"{self.kind}={','.join(pairs)}"
        assert self.number is not None
        return f"{self.kind}={exact_text(self.number)}"


def read_attitude(text: str) -> Attitude:
    """Return the attitude in a text such as `exponential=1000`; raise `TreeError`."""
    kind, sign, rest = (part.strip() for part in text.partition("="))
    if not sign or kind not in KINDS or not rest:
        raise TreeError(f"found {quote(text)} as an attitude to risk: {EXPECTED}")
    try:
        if kind == "utility":
            return Attitude(kind, expression=parse(rest, (TOTAL,)))
        if kind == "points":
            return Attitude(kind, points=tuple(_read_points(rest)))
        return Attitude(kind, to_fraction(rest))
    except NumberError as error:
        raise TreeError(f"attitude {kind}: {error.lines}") from None


def _read_points(text: str) -> Iterable[tuple[Number, Number]]:
    for pair in text.split(","):
        x, colon, u = pair.partition(":")
        if not colon:
            raise TreeError(
                f"found {quote(pair)} as a point, expected TOTAL:UTILITY such as 50:0.7"
            )
        yield to_fraction(x.strip()), to_fraction(u.strip())


@dataclass(frozen=True, slots=True)
class Utility:
    """An increasing utility function on a range of totals, and its inverse."""

    of: Curve
    inverse: Curve
    range: Bounds
    # The greatest magnitude of the numbers whose difference is a utility, which sets the rounding
    # error; 0 if a utility is no difference.
    magnitude: float = 0.0

    def after(self, paid: Number, ends: Bounds) -> Utility:
        """Return the utility of what is still to be received, in a range, after a payment."""

        def of(x: Number) -> Any:
            return self.of(x + paid)

        return replace(self, of=of, inverse=lambda u: self.inverse(u) - paid, range=ends)

    def mirrored(self) -> Utility:
        """Return the function of totals for a player whose gain is minus the total."""
        low, high = self.range
        return replace(
            self,
            of=lambda x: -self.of(-x),
            inverse=lambda u: -self.inverse(-u),
            range=(-high, -low),
        )


def utility_of(attitude: Attitude, ends: Bounds, totals: Totals, exact: bool, sign: int) -> Utility:
    """Return the utility function of an attitude that depends on what was paid earlier.

    It is for the totals between `ends`; `totals` are those that occur. `sign` times a total is the
    gain of the decision maker (`Tree.gain_sign`). Raises `TreeError` if the function is not defined
    there or does not increase.
    """
    if sign > 0:
        return _of_gains(attitude, ends, totals, exact)
    low, high = ends
    try:
        return _of_gains(attitude, (-high, -low), [-x for x in totals], exact).mirrored()
    except TreeError as error:
        raise TreeError(
            f"{error.reason} (MIN decides, so totals here are gains of MIN: minus those in the "
            "file)",
            error.hint,
        ) from None


def _of_gains(attitude: Attitude, ends: Bounds, totals: Totals, exact: bool) -> Utility:
    if attitude.kind == "points":
        return _between_points(attitude.points, ends, exact)
    low, high = map(float, ends)
    if attitude.kind == "logarithmic":
        return _logarithm(float(attitude.number or 0), (low, high))
    assert attitude.expression is not None
    return _sampled(attitude.expression, (low, high), tuple(totals))


def _between_points(points: Sequence[tuple[Number, Number]], ends: Bounds, exact: bool) -> Utility:
    xs, us = map(list[Any], zip(*points, strict=True))
    if not exact:
        xs, us = ([*map(float, column)] for column in (xs, us))
    for end in ends:
        if not xs[0] <= end <= xs[-1]:
            raise TreeError(
                f"the total {message_text(end)} is outside the points, "
                f"{message_text(xs[0])} to {message_text(xs[-1])}\nadd one"
            )

    def line(a: list[Number], b: list[Number]) -> Curve:
        def between(x: Number) -> Number:
            i = min(max(bisect_right(a, x), 1), len(a) - 1)
            rise = (x - a[i - 1]) * (b[i] - b[i - 1])
            return b[i - 1] + rise / (a[i] - a[i - 1])

        return between

    return Utility(line(xs, us), line(us, xs), ends)


def _logarithm(wealth: float, ends: Bounds) -> Utility:
    if ends[0] + wealth <= 0:
        raise TreeError(
            f"the total {message_text(ends[0])} leaves {message_text(ends[0] + wealth)} of "
            f"the wealth {message_text(wealth)}, and no logarithm\nwrite a wealth greater "
            f"than {message_text(-ends[0])}"
        )
    if wealth > 0:  # W log(1 + x/W), which is x for a large W
        return Utility(
            lambda x: wealth * math.log1p(x / wealth),
            lambda u: wealth * math.expm1(u / wealth),
            ends,
        )
    return Utility(lambda x: math.log(x + wealth), lambda u: math.exp(u) - wealth, ends)


@lru_cache(maxsize=16)  # an analysis that moves a probability asks for the same one again
def _sampled(expression: Expression, ends: Bounds, totals: Totals) -> Utility:
    """Return the utility of an expression, checked at all totals and at places between them."""
    low, high = map(float, ends)
    between = (low + (high - low) * i / _SAMPLES for i in range(1, _SAMPLES))
    xs = [low]
    for x in sorted({high, *between, *map(float, totals)}):
        if x - xs[-1] > _APART * (high - low):  # utilities of closer totals differ by rounding
            xs.append(x)

    def value(x: float) -> float:
        try:
            return float(evaluate(expression, FLOATS, {TOTAL: x}))
        except NumberError as error:
            raise TreeError(f"the utility has no value: {error.lines}") from None

    base = value(low)  # utilities are measured from here, so that tolerances fit their range
    us = [value(x) - base for x in xs]
    for i in range(1, len(xs)):
        if us[i] <= us[i - 1]:
            word = "does not increase" if us[i] == us[i - 1] else "decreases"
            raise TreeError(
                f"the utility {text_of(expression)} {word} from x = "
                f"{message_text(xs[i - 1])} to x = {message_text(xs[i])}\nit must increase "
                "over the whole range of totals"
            )

    def inverse(u: float) -> float:
        i = bisect_left(us, u)
        if i < len(us) and us[i] == u:
            return xs[i]
        i = min(max(i, 1), len(us) - 1)
        left, right = xs[i - 1], xs[i]
        while left < (middle := (left + right) / 2) < right:
            if value(middle) - base < u:
                left = middle
            else:
                right = middle
        return right

    magnitude = max(abs(base), abs(value(high)))
    return Utility(lambda x: value(x) - base, inverse, (low, high), magnitude)
