"""Maps of utilities, and the class of a map on some utilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from expectitree.errors import TransformError
from expectitree.numbers import Number, message_text, to_exact

AFFINE, ORDERED, NEITHER = "positive affine", "order-preserving", "neither"
_STRAIGHT = 1e-12  # of the images' range: a smaller bend is a rounding error of irrational images
_MOST_BITS = 100_000  # of a power that is computed exactly
Image = Fraction | float  # a float where the image is irrational


@dataclass(frozen=True)
class Scale:
    """A map of utilities."""

    kind: str  # map, affine, power, log, exp, table, any or function
    text: str  # the map, for people
    rule: Callable[[Number], Image]  # raises TransformError where a utility has no image
    names: Mapping[Fraction, Fraction] = field(default_factory=dict)  # named utility -> image
    bends: bool = False  # strictly concave or strictly convex: affine on no three utilities
    rises: bool = False  # strictly, wherever it is defined


def as_number(u: Number, image: Image, exact: bool) -> Number:
    """Return a utility's image as a number of the tree; raise `TransformError` if there is none."""
    if exact:
        if isinstance(image, Fraction):
            return image
        raise TransformError(
            f"the map takes {message_text(u)} to an irrational number: leave --exact out, or "
            "choose another map"
        )
    rounded = _float_or_none(image)
    if rounded is None or (image and not rounded):
        end = "beyond 10^301" if rounded is None else "to a number too small for floating point"
        raise TransformError(f"the map takes {message_text(u)} {end}: use --exact, or another map")
    return rounded


@dataclass(frozen=True)
class MapClass:
    """The class of a map on some utilities: `AFFINE`, `ORDERED` or `NEITHER`."""

    name: str
    slope: Image = 0  # of an affine one: u -> slope * u + offset
    offset: Image = 0
    witness: tuple[tuple[Number, Image], ...] | None = None  # two: u < v, but f(u) >= f(v)

    @property
    def is_identity(self) -> bool:
        """Whether the map leaves these utilities as they are."""
        return self.name == AFFINE and self.slope == 1 and self.offset == 0


def classify(pairs: Sequence[tuple[Number, Image]], bends: bool = False) -> MapClass:
    """Return the class of a map, given as pairs of utility and image, the least utility first.

    The utilities are compared as fractions. Where images are irrational, a line is straight within
    1e-12 of their range, unless the map is known to bend.
    """
    for (u, image), (v, other) in pairwise(pairs):
        if other <= image:
            return MapClass(NEITHER, witness=((u, image), (v, other)))
    (least, low), (greatest, high) = pairs[0], pairs[-1]
    start, end = to_exact(least), to_exact(greatest)
    if start == end:
        return MapClass(AFFINE, Fraction(1), Fraction(low) - start)
    if bends and len(pairs) > 2:
        return MapClass(ORDERED)
    slope = (Fraction(high) - Fraction(low)) / (end - start)
    offset = Fraction(low) - slope * start
    is_exact = not any(isinstance(image, float) for _, image in pairs)
    slack = 0 if is_exact else _STRAIGHT * (float(high) - float(low))
    if all(abs(slope * to_exact(u) + offset - Fraction(image)) <= slack for u, image in pairs):
        return MapClass(AFFINE, slope, offset)
    return MapClass(ORDERED)


# ---- The maps.


def named(images: Mapping[Fraction, Fraction], kind: str = "map", text: str | None = None) -> Scale:
    """Return the map that takes the named utilities to their images and leaves the others."""
    rounded = {_float_or_none(u): image for u, image in images.items()}

    def rule(u: Number) -> Image:
        found = images.get(u) if isinstance(u, Fraction) else rounded.get(u)
        return to_exact(u) if found is None else found

    listed = ", ".join(f"{message_text(u)}={message_text(image)}" for u, image in images.items())
    return Scale(kind, listed if text is None else text, rule, images)


def affine(slope: Fraction, offset: Fraction) -> Scale:
    """Return the map u -> slope * u + offset."""
    shift = f" {'-' if offset < 0 else '+'} {message_text(abs(offset))}" if offset else ""
    text = f"{message_text(slope)} * u{shift}"
    return Scale("affine", text, lambda u: slope * to_exact(u) + offset)


def power(exponent: Fraction) -> Scale:
    """Return the map u -> u^exponent that keeps the sign: of a negative u it is -|u|^exponent."""
    if exponent <= 0:
        raise TransformError(
            f"found {message_text(exponent)}, expected a power above 0, such as 2, which favours "
            "risk (of gains), or 0.5, which avoids it"
        )
    text = f"u^{message_text(exponent)}"
    return Scale("power", text, lambda u: _power(to_exact(u), exponent), rises=True)


def _power(u: Fraction, exponent: Fraction) -> Image:
    size, degree = abs(u), exponent.denominator
    bits = max(size.numerator.bit_length(), size.denominator.bit_length())
    try:
        roots = [_nearest_root(n, degree) for n in (size.numerator, size.denominator)]
        if bits * exponent.numerator <= _MOST_BITS and Fraction(*roots) ** degree == size:
            exactly: Fraction = Fraction(*roots) ** exponent.numerator
            return -exactly if u < 0 else exactly
        image = math.pow(size, exponent)
    except OverflowError:
        image = math.inf
    if math.isinf(image) or (u and not image):
        end = "beyond 10^301" if image else "nearer to 0 than floats reach"
        raise TransformError(f"the map takes {message_text(u)} {end}: choose a power nearer to 1")
    return math.copysign(image, u)


def _nearest_root(number: int, degree: int) -> int:
    """Return the whole number nearest to a root, as far as floats tell."""
    return number if degree == 1 or number < 2 else round(math.exp(math.log(number) / degree))


def logarithm() -> Scale:
    """Return the map u -> ln(u), for u > 0."""
    return Scale("log", "ln(u)", _logarithm, bends=True, rises=True)


def _logarithm(u: Number) -> float:
    if u <= 0:
        raise TransformError(
            f"{message_text(u)} has no logarithm: every utility (and estimate) must be above 0; "
            "add a number to all of them first, with --affine and -o"
        )
    return (
        math.log(u.numerator) - math.log(u.denominator) if isinstance(u, Fraction) else math.log(u)
    )


def exponential(rate: Fraction) -> Scale:
    """Return the map u -> (1 - e^(-rate * u)) / rate, which increases for every rate."""
    if rate == 0:
        raise TransformError(
            "found a rate of 0, expected one above 0 (risk-averse) or below 0 (risk-seeking)"
        )

    def rule(u: Number) -> float:
        try:
            image = -math.expm1(-float(rate * to_exact(u))) / float(rate)
        except (OverflowError, ZeroDivisionError):
            image = math.inf
        if math.isinf(image):
            raise TransformError(
                f"the map takes {message_text(u)} beyond 10^301: choose a rate of about 1 over the "
                "range of the utilities"
            )
        return image

    return Scale(
        "exp", f"(1 - e^(-R*u)) / R, R = {message_text(rate)}", rule, bends=True, rises=True
    )


def stepped(steps: Mapping[Fraction, Fraction]) -> Scale:
    """Return the map that adds each step's height to the utilities that reach its threshold."""
    texts = (f", plus {message_text(h)} from {message_text(t)} up" for t, h in steps.items())

    def rule(u: Number) -> Fraction:
        exactly = to_exact(u)
        return exactly + sum(height for threshold, height in steps.items() if exactly >= threshold)

    return Scale("any", "u" + "".join(texts), rule)


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


def unknown_names(names: Iterable[Fraction], numbers: Iterable[Number]) -> list[Fraction]:
    """Return the names that are none of these numbers, not even rounded to a float."""
    known = set(numbers)
    return [name for name in names if name not in known and _float_or_none(name) not in known]


def _float_or_none(value: Image) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None
