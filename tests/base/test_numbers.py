"""Numbers: reading, refusing and writing them."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import expectitree as et
from expectitree.base.errors import NumberError
from expectitree.base.numbers import (
    INFINITY,
    display_text,
    escape,
    exact_text,
    percent_text,
    probability_text,
    quote,
    show_exact,
)
from expectitree.base.reading import to_bound, to_float, to_fraction, to_probability

READ = {
    "2": (2.0, Fraction(2)),
    "+2": (2.0, Fraction(2)),
    "-0": (0.0, Fraction(0)),
    "007": (7.0, Fraction(7)),
    "-4.5e3": (-4500.0, Fraction(-4500)),
    ".9": (0.9, Fraction(9, 10)),
    "9.": (9.0, Fraction(9)),
    "1E-3": (0.001, Fraction(1, 1000)),
    "1e+3": (1000.0, Fraction(1000)),
    "1/3": (1 / 3, Fraction(1, 3)),
    "-10/4": (-2.5, Fraction(-5, 2)),
    "+6/3": (2.0, Fraction(2)),
    "0.1": (0.1, Fraction(1, 10)),
}
REFUSED = (
    "", " ", "1 ", " 1", "1_000", "0x10", "0o17", "0b1", "１", "½", "−1", "1,5", "12:30", "e5",
    "1e", "1e5.5", ".", "+", "-", "--1", "1/-3", "1/+3", "1/3.5", "1.0/3", "1/", "/3", "1/2/3",
    "1e5/3", "1\n", "1\u2028", "true", "no", "null", "~", "nan", ".NaN", "-nan", "inf",
    "-.inf", "Infinity", "1e401", "1e-401", "1/0", "1j", "1" * 401, "1e10000000",
    "1e-99999999999999999999", "1/" + "3" * 400, "٣", "1²",
)  # fmt: skip


def test_numbers_are_read() -> None:
    for text, values in READ.items():
        assert (to_float(text), to_fraction(text)) == values
        assert isinstance(to_float(text), float)
        assert isinstance(to_fraction(text), Fraction)


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: ascii(text[:20]))
def test_texts_that_are_not_numbers_are_refused(text: str) -> None:
    started = time.perf_counter()
    messages = []
    for read in (to_float, to_fraction):
        with pytest.raises(NumberError) as caught:
            read(text)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert messages[0].isprintable()
    assert len(messages[0]) < 200
    assert time.perf_counter() - started < 0.1


def test_numbers_too_large_or_small_for_floats_are_refused() -> None:
    """Beyond 2^1000 a difference of utilities could overflow; exact mode takes it."""
    for text in ("1e302", "-1e400", "1" * 400, "9" * 390 + "/1"):
        with pytest.raises(
            NumberError, match=r"beyond what floating point can search .* use --exact"
        ):
            to_float(text)
        assert abs(to_fraction(text)) > 10**301
    assert to_float("1e301") == 1e301
    with pytest.raises(NumberError, match="too small for floating point; use --exact"):
        to_float("1e-400")
    assert to_fraction("1e-400") == Fraction(1, 10**400)
    assert to_float("0e-400") == 0


def test_probabilities_are_read() -> None:
    percentages = {"10%": Fraction(1, 10), "12.5%": Fraction(1, 8), "1e1%": Fraction(1, 10)}
    numbers = {text: Fraction(text) for text in ("0", "-0", "1", "1/3", "1e-3")}
    for text, value in (percentages | numbers | {"100%": Fraction(1)}).items():
        assert to_probability(text, exact=True) == value
        found = to_probability(text)
        assert isinstance(found, float)
        assert found == float(value)


def test_numbers_that_are_not_probabilities_are_refused() -> None:
    outside = ("-1/2", "1.5", "101%", "-1%", "2", "-1e-9", "1.00000000000000000001")
    for text in (*outside, "", "%", "50 %", "% 50", "10%%", "1/2%", "inf", "nan%"):
        for exact in (False, True):
            with pytest.raises(NumberError):
                to_probability(text, exact)


def test_a_probability_too_small_for_floats_is_refused() -> None:
    """A positive probability never becomes 0 silently; 0 has many spellings."""
    for text in ("1e-399", "1e-330", "1/" + "9" * 390, "1e-350%"):
        with pytest.raises(NumberError, match="too small for floating point; use --exact"):
            to_probability(text)
        assert to_probability(text, exact=True) > 0
    for text in ("0", "0.000", "0e5", "0%", "0/7", ".0e-3"):
        assert to_probability(text) == 0


def test_bounds_may_be_infinite() -> None:
    for exact in (False, True):
        for text in ("inf", "+inf", ".inf", "+.inf", ".Inf", "INF"):
            assert to_bound(text, exact) == INFINITY
        for text in ("-inf", "-.inf", "-.INF"):
            assert to_bound(text, exact) == -INFINITY
        for text in ("nan", "", "infinit", "--inf"):
            with pytest.raises(NumberError):
                to_bound(text, exact)
    assert to_bound("1/3", True) == Fraction(1, 3)


def test_quote_cuts_long_texts() -> None:
    assert quote("a") == "'a'"
    assert quote("a\n\x1b[31mb") == "'a\\n\\x1b[31mb'"
    assert quote("x" * 40) == f"'{'x' * 40}'"
    assert quote("a" * 1000 + "b" * 1000) == f"'{'a' * 19}…{'b' * 19}' (2,000 characters)"


def test_escape_keeps_texts_on_one_line() -> None:
    assert escape("añ東🎲 b") == "añ東🎲 b"
    assert escape("\x07\x9b\u202e\u2028\ud800\0") == "\\x07\\x9b\\u202e\\u2028\\ud800\\x00"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e15, "1000000000000000.0"),
        (1e300, "1e+300"),
        (INFINITY, "inf"),
        (-INFINITY, "-inf"),
        (Fraction(109, 2), "54.5"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-7), "-7"),
        (Fraction(1, 10**15), "0.000000000000001"),
        (Fraction(1, 10**16), "1/10000000000000000"),
    ],
)
def test_exact_text_is_as_short_as_possible(value: float | Fraction, text: str) -> None:
    assert exact_text(value) == text


@given(st.fractions())
def test_exact_text_loses_nothing_of_a_fraction(value: Fraction) -> None:
    assert to_fraction(exact_text(value)) == value


@given(st.floats(min_value=-1e300, max_value=1e300))
def test_floats_read_as_python_reads_them(value: float) -> None:
    assert to_float(repr(value)) == to_float(exact_text(value)) == value
    assert float(to_fraction(repr(value))) == value


def test_display_text_has_few_digits() -> None:
    assert display_text(0.1 + 0.2) == "0.3"
    assert display_text(-1e-320 * 0) == "0"
    assert display_text(Fraction(1, 3)) == "0.333333"
    assert display_text(INFINITY) == "∞"
    assert display_text(Fraction(10**400 + 1, 7)) == "1.428571429e+399"
    assert display_text(Fraction(1, 3**900)) == "3.89826e-430"
    with show_exact(exact=True):
        assert display_text(Fraction(1, 3)) == "1/3"
        assert display_text(INFINITY) == "∞"
        assert display_text(Fraction(10**400 + 1, 7)) == "about 1.428571429e+399"
        assert display_text(Fraction(1, 3**900)) == "about 3.898259557e-430"
        assert display_text(Fraction(10**40, 3)) == "about 3.333333333e+39"


def test_numbers_are_grouped_and_have_a_minus_sign() -> None:
    texts = {
        -2_500_000: "−2,500,000", -12345.678901: "−12,345.68", 9999: "9,999", 999: "999",
        10**10: "10,000,000,000", Fraction(10**11, 3): "33,333,333,333.33", 10**15: "1e+15",
        1e-07: "1e-07", -INFINITY: "−∞", 0.000012: "0.000012", Fraction(-1, 10**6): "−0.000001",
        123456789.0: "123,456,789", to_fraction("-2/6"): "−2/6", to_fraction("-12.5%"): "−12.5%",
        to_fraction("1/16"): "1/16",
        -to_fraction("-1/8"): "1/8", 2 * to_fraction("1/3"): "0.666667",
    }  # fmt: skip
    assert {value: display_text(value) for value in texts} == texts
    with show_exact(exact=True):
        assert display_text(Fraction(-2, 3)) == "−2/3"


def test_probabilities_are_fractions_where_that_is_what_they_are() -> None:
    texts = {
        1 / 6: "1/6", 5 / 36: "5/36", 0.25: "0.25", 0.3: "0.3", 1 / 3: "1/3", 0.0: "0", 1: "1",
        Fraction(1, 3): "1/3", Fraction(1, 8): "0.125", Fraction(37, 101): "0.3663",
        Fraction(1, 10**400): "1e-400", 0.12345678: "0.1235", to_fraction("9/12"): "9/12",
        to_fraction("123/100000"): "123/100000", 1e-5: "0.00001",
    }  # fmt: skip
    assert {p: probability_text(p) for p in texts} == texts
    assert probability_text(Fraction(1, 216), most=10_000) == "1/216"
    with show_exact(exact=True):
        assert probability_text(Fraction(37, 101)) == "37/101"


@given(st.fractions(min_value=0, max_value=1))
def test_a_probability_never_looks_like_0_or_1(p: Fraction) -> None:
    for chance in (p, 1 - p / 10**9, 1 - p / 10**30, p / 10**9):
        assert (probability_text(chance) == "1") is (chance == 1)
        assert (probability_text(chance) == "0") is (chance == 0)


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_a_share_never_looks_like_none_or_all(count: int, total: int) -> None:
    count = min(count, total)
    assert (percent_text(count, total) == "0%") is (count == 0)
    assert (percent_text(count, total) == "100%") is (count == total)


def test_numbers_of_thousands_of_digits_can_be_written() -> None:
    """Python refuses to print more than 4,300 digits; a value in exact mode may have more."""
    huge = Fraction(10**5000 + 1, 3**9000)
    assert display_text(huge) == "8.104150975e+705"
    with show_exact(exact=True):
        assert display_text(huge) == "about 8.104150975e+705"
    assert exact_text(huge) == "about 8.104150975e+705"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("p: 30%", ["30%", "70%"]),
        ("p: 0.3", ["0.3", "0.7"]),
        ("p: 3/9", ["3/9", "2/3"]),
        ("p: 2.5%", ["2.5%", "97.5%"]),
        ("p: q", ["40%", "60%"]),  # the parameter q is 40%
        ("p: q/2", ["0.2", "0.8"]),  # computed
    ],
)
def test_a_rest_of_percentages_is_one(written: str, shown: list[str]) -> None:
    tree = et.loads(
        "parameters: {q: 40%}\n"
        f"chance:\n  a: {{{written}, utility: 1}}\n  b: {{p: rest, utility: 2}}\n"
    )
    assert [*map(probability_text, tree.columns.probability)] == shown
