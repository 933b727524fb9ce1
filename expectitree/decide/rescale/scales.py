"""Maps of utilities, and the class of a map on some utilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from expectitree.errors import TransformError
from expectitree.expressions.domains import DIGITS, UndefinedError, rounded_fractions
from expectitree.numbers import INFINITY, Number, message_text, to_exact, to_nearest_float
from expectitree.rounding import Rounded

AFFINE, ORDERED, NEITHER = "positive affine", "order-preserving", "neither"
# A smaller relative bend is a rounding error of irrational images, in floats and in `Rounded`.
_STRAIGHT, _STRAIGHT_ROUNDED = Fraction(1, 10**12), Fraction(1, 10**50)
_MOST_BITS = 100_000  # of a power that is computed exactly
Image = Fraction | float  # a float or `Rounded` where the image is irrational


@dataclass(frozen=True)
class Scale:
    """A map of utilities."""

    kind: str  # map, affine, power, log, exp, table, any or function
    text: str  # the map, for people
    rule: Callable[[Number], Image]
    names: Mapping[Fraction, Fraction] = field(default_factory=dict)  # named utility -> image
    rises: bool = False  # strictly, wherever it is defined

    def image(self, u: Number) -> Image:
        """Return the image of a utility, an infinity if it is beyond floats.

        Raises `TransformError` if there is none.
        """
        try:
            return self.rule(u)
        except UndefinedError as error:
            raise TransformError(f"the image of {message_text(u)} {error}") from None
        except (OverflowError, ZeroDivisionError):
            return INFINITY

    def unknown_names(self, numbers: Iterable[Number]) -> list[Fraction]:
        """Return the names that are none of these numbers, not even rounded to a float."""
        known = set(numbers)
        return [u for u in self.names if u not in known and to_nearest_float(u) not in known]


def as_number(u: Number, image: Image, exact: bool) -> Number:
    """Return a utility's image as a number of the tree; raise `TransformError` if there is none."""
    if exact and isinstance(image, Fraction):
        return image
    rounded = to_nearest_float(image)
    if math.isinf(rounded) or (image and not rounded):
        end = "to a number too small for floating point" if not rounded else "beyond 10^301"
        raise TransformError(f"the map takes {message_text(u)} {end}: use --exact, or another map")
    return rounded


@dataclass(frozen=True)
class MapClass:
    """The class of a map on some utilities: `AFFINE`, `ORDERED` or `NEITHER`."""

    name: str
    slope: Fraction = Fraction(0)  # of an affine one: u -> slope * u + offset
    offset: Fraction = Fraction(0)
    witness: tuple[tuple[Number, Image], ...] | None = None  # two: u < v, but f(u) >= f(v)


def classify(pairs: Sequence[tuple[Number, Image]]) -> MapClass:
    """Return the class of a map, given as pairs of utility and image, the least utility first.

    The utilities are compared as fractions. Where images are irrational, a line is straight within
    a part of their range, and between neighbours within that part of the greater image: utilities
    may have very different magnitudes. The part is 1e-12 for floats, and 1e-50 for 60 digits.
    """
    for (u, image), (v, other) in pairwise(pairs):
        if other <= image:
            return MapClass(NEITHER, witness=((u, image), (v, other)))
    (start, low), (end, high) = (
        (to_exact(u), Fraction(image)) for u, image in (pairs[0], pairs[-1])
    )
    if start == end:
        return MapClass(AFFINE, Fraction(1), low - start)
    slope = (high - low) / (end - start)
    offset = low - slope * start
    slack: Fraction | int = 0
    if any(isinstance(image, float) for _, image in pairs):
        slack = _STRAIGHT
    elif any(isinstance(image, Rounded) for _, image in pairs):
        slack = _STRAIGHT_ROUNDED
    if slack:
        slope, offset = Rounded.of(slope), Rounded.of(offset)
    bends = [(slope * to_exact(u) + offset - Fraction(v), abs(Fraction(v))) for u, v in pairs]
    if all(abs(bend) <= slack * (high - low) for bend, _ in bends) and all(
        abs(bend - other) <= slack * max(size, size_of_other)
        for (bend, size), (other, size_of_other) in pairwise(bends)
    ):
        return MapClass(AFFINE, slope, offset)
    return MapClass(ORDERED)


# ---- The maps.


def named(images: Mapping[Fraction, Fraction], kind: str = "map", text: str = "") -> Scale:
    """Return the map that takes the named utilities to their images and leaves the others."""
    rounded = {to_nearest_float(u): image for u, image in images.items()}

    def rule(u: Number) -> Image:
        found = images.get(u) if isinstance(u, Fraction) else rounded.get(u)
        return to_exact(u) if found is None else found

    listed = ", ".join(f"{message_text(u)}={message_text(image)}" for u, image in images.items())
    return Scale(kind, text or listed, rule, images)


def affine(slope: Fraction, offset: Fraction) -> Scale:
    """Return the map u -> slope * u + offset."""
    text = line_text(slope, offset, message_text)
    return Scale("affine", text, lambda u: slope * to_exact(u) + offset)


def line_text(slope: Number, offset: Number, text: Callable[[Number], str]) -> str:
    """Return a line for people, with its numbers as `text` writes them."""
    shift = f" - {text(-offset)}" if offset < 0 else f" + {text(offset)}" if offset else ""
    return f"{text(slope)} * u{shift}"


def power(exponent: Fraction) -> Scale:
    """Return the map u -> u^exponent that keeps the sign: of a negative u it is -|u|^exponent."""
    if exponent <= 0:
        raise TransformError(
            f"found {message_text(exponent)}, expected a power above 0, such as 2, which favours "
            "risk (of gains), or 0.5, which avoids it"
        )

    def rule(u: Number) -> Image:
        size = abs(to_exact(u))
        length = max(size.numerator.bit_length(), size.denominator.bit_length())
        root = _exact_root(size, exponent.denominator)
        if root is None or length * exponent.numerator > _MOST_BITS:
            if isinstance(u, float):
                return math.copysign(math.pow(size, exponent), u)
            image: Fraction = _rounded("^", size, exponent)
        else:
            image = Fraction(root**exponent.numerator)
        return -image if u < 0 else image

    return Scale("power", f"u^{message_text(exponent)}", rule, rises=True)


def _rounded(function: str, *values: Fraction, more: int = 0) -> Fraction:
    """Return an irrational number with 60 digits, and more where the first ones cancel."""
    notes: list[bool] = []
    domain = rounded_fractions(DIGITS + more, lambda: notes.append(True))
    found: Fraction = domain.operations[function](*values)
    return Rounded(found) if notes else found


def _exact_root(size: Fraction, degree: int) -> Fraction | None:
    """Return the root of a non-negative number if it is rational."""
    root = Fraction(*(_integer_root(n, degree) for n in (size.numerator, size.denominator)))
    return root if root**degree == size else None


def _integer_root(n: int, degree: int) -> int:
    """Return the root of an integer, rounded down, by Newton's method from above."""
    if n.bit_length() <= degree:
        return min(n, 1)
    root = 1 << -(-n.bit_length() // degree)
    while (lower := ((degree - 1) * root + n // root ** (degree - 1)) // degree) < root:
        root = lower
    return root


def logarithm() -> Scale:
    """Return the map u -> ln(u), for u > 0."""

    def rule(u: Number) -> Image:
        if u <= 0:
            raise TransformError(
                f"{message_text(u)} has no logarithm: every utility (and estimate) must be above "
                "0; add a number to all of them first, with --affine and -o"
            )
        return math.log(u) if isinstance(u, float) else _rounded("log", u)

    return Scale("log", "ln(u)", rule, rises=True)


def exponential(rate: Fraction) -> Scale:
    """Return the map u -> (1 - e^(-rate * u)) / rate, which increases for every rate."""
    if rate == 0:
        raise TransformError(
            "found a rate of 0, expected one above 0 (risk-averse) or below 0 (risk-seeking)"
        )

    def rule(u: Number) -> Image:
        if isinstance(u, float):
            return -math.expm1(-float(rate * to_exact(u))) / float(rate)
        size = abs(rate * u)
        zeros = max(0, size.denominator.bit_length() - size.numerator.bit_length())
        return (1 - _rounded("exp", -rate * u, more=zeros // 3)) / rate  # a digit has 3.3 bits

    return Scale("exp", f"(1 - e^(-R*u)) / R, R = {message_text(rate)}", rule, rises=True)


def stepped(threshold: Fraction, height: Fraction) -> Scale:
    """Return the map that adds a height to the utilities that reach a threshold."""
    text = f"u + {message_text(height)} if u >= {message_text(threshold)}, else u"
    return Scale("any", text, lambda u: (x := to_exact(u)) + (height if x >= threshold else 0))


def scale_of(given: Scale | Mapping[Any, Any] | Callable[[Number], Any]) -> Scale:
    """Return the map that a mapping from utilities to images, or a function, describes."""
    if isinstance(given, Scale):
        return given
    if isinstance(given, Mapping):
        return named({to_exact(u): to_exact(image) for u, image in given.items()})
    name = getattr(given, "__name__", "")
    text = name if name.isidentifier() else "a function"

    def rule(u: Number) -> Image:
        image: Any = given(u)
        return image if isinstance(image, float) else Fraction(image)

    return Scale("function", text, rule)
