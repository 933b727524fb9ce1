"""Places are shown with the digits that are known, and no others."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random

import pytest

from expectitree.base.numbers import show_exact
from expectitree.decide.sensitivity.decisions import Place, place_texts
from expectitree.text.console import ASCII, UNICODE

F = Fraction


def place(lower: Fraction | str, upper: Fraction | str) -> Place:
    return Place(F(lower), F(upper), F(0))


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [
        ("0.047655089", "0.047655090", "0.047655089…"),
        ("0.0476550899", "0.0476550901", "≈ 0.04765509"),
        ("-0.707106782", "-0.707106781", "−0.707106781…"),
        ("6275.955603123", "6275.955603124", "6,275.955603…"),
        ("0.499999999999", "0.500000000001", "≈ 0.5"),
        ("-0.250000000001", "-0.249999999999", "≈ −0.25"),
        ("0.5", "0.500000001", "0.5…"),
        ("999.9999999999", "1000.000000000001", "≈ 1,000"),
        ("-0.000000001", "0.000000001", "≈ 0"),
        ("0", "0.000000001", "≈ 0"),
        ("12345678901.1", "12345678901.2", "12,345,678,901…"),
    ],
)
def test_an_interval_is_shown_with_the_digits_that_are_known(
    lower: str, upper: str, expected: str
) -> None:
    assert place_texts(place(lower, upper), UNICODE) == (expected, expected)
    ascii_text = expected.replace("…", "...").replace("≈", "about")
    assert place_texts(place(lower, upper), ASCII)[0] == ascii_text


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (F(1, 4), ("0.25", "0.25")),
        (F(-2, 91), ("−2/91", "−2/91 = −0.02197802197…")),
        (F(10**30 + 1, 3 * 10**30), ("0.3333333333…", "0.3333333333…")),
        (F(10**30), ("1.000000000E+30…", "1.000000000E+30…")),
        (F(10**5000, 3), ("3.333333333E+4999…", "3.333333333E+4999…")),
    ],
)
def test_an_exact_place_is_a_fraction_or_its_first_digits(
    at: Fraction, expected: tuple[str, str]
) -> None:
    with show_exact(exact=True):
        assert place_texts(place(at, at), UNICODE) == expected
    assert "/" not in "".join(place_texts(place(at, at), UNICODE))


def test_json_in_floats_rounds_outwards() -> None:
    lower, upper = F(1, 3), F(1, 3) + F(1, 10**40)
    found = place(lower, upper).json_fields()
    assert F(found["at_lower"]) < lower < upper < F(found["at_upper"])
    assert place(F(10**5000, 3), F(10**5000, 3)).json_fields()["exact"] is None


def test_shown_digits_are_those_of_every_number_between() -> None:
    random = Random(3)
    for _ in range(2000):
        lower = F(random.randint(-(10**14), 10**14), 10 ** random.randint(8, 16))
        upper = lower + abs(lower) * F(random.randint(1, 20), 10 ** random.randint(6, 14))
        (text, _) = place_texts(place(lower, upper), UNICODE)
        text = text.replace("−", "-").replace(",", "")
        for i in range(1, 10):
            at = lower + (upper - lower) * i / 10
            with localcontext() as context:
                context.prec = 60
                digits = f"{Decimal(at.numerator) / Decimal(at.denominator):f}"
            if text.endswith("…"):
                assert digits.startswith(f"{Decimal(text[:-1]):f}"), (text, digits)
            else:
                shown = F(text.removeprefix("≈ "))
                assert abs(at - shown) <= max(upper - lower, abs(shown) / 2)
