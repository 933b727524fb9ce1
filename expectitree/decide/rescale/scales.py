"""Maps of utilities, and the class of a map on some utilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

from expectitree.base.errors import NumberError, TransformError
from expectitree.base.expressions.evaluation import DIGITS, evaluate, rounded_fractions
from expectitree.base.expressions.parser import parse
from expectitree.base.numbers import (
    Number,
    message_text,
    quote,
    to_exact,
    to_fraction,
)
from expectitree.base.rounding import UNIT, Rounded

AFFINE, ORDERED, NEITHER = "positive affine", "order-preserving", "neither"
UTILITY = "u"  # its name in a formula


@dataclass(frozen=True)
class Scale:
    """A map of utilities.

    Attributes:
        text: The map, for people.
        image: Returns the image of a utility, and the most by which it may be off: 0 unless the
            image is irrational. Raises `TransformError` if there is none.
        names: The images of the utilities that a mapping names; empty for a formula.
    """

    text: str
    image: Callable[[Any], tuple[Fraction, Number]]
    names: Mapping[Fraction, Fraction] = field(default_factory=dict)


def scale_of(given: str | Mapping[Any, Any]) -> Scale:
    """Return the map that a formula in `u`, pairs such as `2=20,3=30`, or a mapping describes."""
    if isinstance(given, Mapping):
        return _named({to_exact(u): to_exact(image) for u, image in given.items()})
    if not isinstance(given, str):
        expected = "expected a formula in u such as 'u^2', or a mapping such as {2: 20}"
        raise TransformError(f"found a map of type {type(given).__name__}, {expected}")
    if "=" in given and "(" not in given:  # a formula has `=` within if(…) only
        return _named(_read_pairs(given))
    return _formula(given)


def _read_pairs(text: str) -> dict[Fraction, Fraction]:
    images: dict[Fraction, Fraction] = {}
    for pair in text.split(","):
        utility, _, image = (part.strip() for part in pair.partition("="))
        if (u := to_fraction(utility)) in images:
            raise NumberError(f"the utility {quote(utility)} occurs twice: keep one")
        images[u] = to_fraction(image)
    return images


def _named(images: Mapping[Fraction, Fraction]) -> Scale:
    """Return the map that takes the named utilities to their images and leaves the others."""
    text = ", ".join(f"{message_text(u)}={message_text(image)}" for u, image in images.items())
    return Scale(text, lambda u: (images.get(u, u), 0), images)


def _formula(text: str) -> Scale:
    """Return the map of a formula; the error of 60 digits shows with 30 more."""
    expression = parse(text, (UTILITY,))

    def image(u: Fraction) -> tuple[Fraction, Number]:
        rounded: list[object] = []
        values = {UTILITY: u}
        try:
            domain = rounded_fractions(note=lambda: rounded.append(None))
            found: Fraction = evaluate(expression, domain, values)
            if not rounded:
                return found, 0
            better = evaluate(expression, rounded_fractions(DIGITS + 30), values)
        except NumberError as error:
            hint = "the map must be defined at every utility and estimate, so choose another one"
            raise TransformError(f"{error}: {hint}") from None
        return Rounded.of(better), 2 * abs(better - found) + to_exact(UNIT) * abs(better)

    return Scale(text, image)


def stepped(threshold: Fraction, height: Fraction) -> Scale:
    """Return the map that adds a height to the utilities that reach a threshold."""
    u, plus = message_text(threshold), message_text(height)
    return Scale(
        f"if(u >= {u}, u + {plus}, u)",
        lambda u: (u + height if u >= threshold else u, 0),
    )


@dataclass(frozen=True)
class MapClass:
    """The class of a map on some utilities: `AFFINE`, `ORDERED` or `NEITHER`."""

    name: str
    slope: Number = Fraction(0)  # of an affine one: u -> slope * u + offset
    offset: Number = Fraction(0)
    witness: tuple[tuple[Number, Number], ...] = ()  # two: u < v, but f(u) >= f(v)


def classify(images: Mapping[Any, tuple[Fraction, Number]]) -> MapClass:
    """Return the class of a map, given as the image and its error by utility.

    The map is affine if the slopes between neighbours are equal within their errors. Raises
    `TransformError` if two images are equal within theirs.
    """
    points = [(u, *images[u]) for u in sorted(images)]
    slopes = []
    for (u, image, error), (v, other, other_error) in pairwise(points):
        if abs(other - image) <= error + other_error > 0:
            raise TransformError(
                f"{message_text(u)} and {message_text(v)} both become {message_text(image)} when "
                "they are rounded to 60 digits: choose a map that tells them apart"
            )
        if other <= image:
            return MapClass(NEITHER, witness=((u, image), (v, other)))
        slopes.append(((other - image) / (v - u), (error + other_error) / (v - u)))
    if any(abs(s - t) > error + slack for (s, error), (t, slack) in pairwise(slopes)):
        return MapClass(ORDERED)
    (u, image, _), (v, other, _) = points[0], points[-1]
    slope = (other - image) / (v - u) if slopes else Fraction(1)
    line = slope, image - slope * u
    if any(error for *_, error in points):
        line = Rounded.of(line[0]), Rounded.of(line[1])
    return MapClass(AFFINE, *line)
