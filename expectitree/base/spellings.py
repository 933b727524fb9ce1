"""Numbers as people write them elsewhere, for the messages that show how to write them here."""

from __future__ import annotations

import re
from fractions import Fraction
from unicodedata import normalize

_MAX_LENGTH = 40  # characters of such a number
_TYPOGRAPHIC = str.maketrans("\u2010\u2012\u2013\u2014\u2212\u2019\u2044", "-----'/")
_FRACTION = re.compile("-?[0-9]+/[1-9][0-9]*")
_POWER = r"([1-9][0-9]{0,2}(?:\.[0-9]{1,2})?)\^(-?[0-9]{1,2})"
_VULGAR = re.compile("(?<=[0-9])(?=[\u00bc-\u00be\u2150-\u215e])")  # between 1 and ½
_MIXED = re.compile("(-?)([0-9]+) ([0-9]+/[1-9][0-9]*)")
CURRENCY = "[$£¥\u20a0-\u20cf]"  # with €, ₹ and others
INDIAN = "[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"  # 1,00,000
_GROUPED = re.compile(rf"(?:[1-9][0-9]{{0,2}}(?:[,_' ][0-9]{{3}})+|{INDIAN})(?:\.[0-9]+)?")
_FACTORS = {
    "": Fraction(1),
    **dict.fromkeys(("%", "percent"), Fraction(1, 100)),
    **dict.fromkeys(("k", "thousand"), Fraction(1000)),
    **dict.fromkeys(("m", "million"), Fraction(10**6)),
    **dict.fromkeys(("bn", "billion"), Fraction(10**9)),
}
_UNITS = "(?:euro|dollar|pound|point|unit|hour|day|year)s?"
_WRITTEN = re.compile(
    rf"""(?P<open>\()?(?:{CURRENCY}|[A-Z]{{3}}\s)?(?P<minus>-)?\s?(?:{CURRENCY}\s?)?
    (?P<digits>{_GROUPED.pattern}
        |[0-9]{{1,3}}(?:\.[0-9]{{3}}){{2,}}  # 1.000.000
        |[0-9]{{1,3}}(?:\.[0-9]{{3}})+,[0-9]+  # 1.000,50
        |[0-9]+(?:_[0-9]+)+
        |[0-9]+(?:[.,][0-9]+)?)
    (?:\s?(?P<factor>%|percent|[kKM](?![A-Za-z])|bn|thousand|million|billion))?
    (?:\s?(?:{CURRENCY}|[A-Z]{{3}}|{_UNITS}))?
    (?(open)\))(?P<end>[,;])?""",
    re.VERBOSE,
)
_UNIT = re.compile(rf"{CURRENCY}|[A-Z]{{3}}|{_UNITS}")


def plain_number(text: str) -> tuple[Fraction, str] | None:
    """Return the number written as `$1,000`, `12 EUR`, `1_000`, `0,5`, `1 1/2` or `5k`, and why.

    The reason is text such as `, without the unit`, or empty. Return None if the text is not such a
    number.
    """
    if len(text) > _MAX_LENGTH or re.search("[₀-₉]", text):
        return None
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", r"^\g<0>", _VULGAR.sub(" ", text))
    plain = normalize("NFKC", plain).translate(_TYPOGRAPHIC).strip()
    if match := _WRITTEN.fullmatch(plain):
        return _plain_decimal(match, "-" in plain and "-" not in text)
    if power := re.fullmatch(_POWER, plain):
        return Fraction(power[1]) ** int(power[2]), ""
    if mixed := _MIXED.fullmatch(plain):
        return Fraction(f"{mixed[1]}1") * (int(mixed[2]) + Fraction(mixed[3])), ""
    if _FRACTION.fullmatch(plain):
        return Fraction(plain), ""
    return None


def _plain_decimal(match: re.Match[str], has_other_minus: bool) -> tuple[Fraction, str]:
    digits = match["digits"]
    is_grouped = _GROUPED.fullmatch(digits) is not None
    is_comma = "," in digits and not is_grouped
    is_pointed = digits.count(".") > 1 and not is_comma  # 1.000.000
    reasons = {
        "with - for minus": has_other_minus,
        "with a decimal point": is_comma,
        "without separators": is_grouped or is_pointed,
        "without the %": match["factor"] == "%",
        "without the unit": _UNIT.search(match[0]),
        "without the comma": match["end"] == ",",
        "without the semicolon": match["end"] == ";",
    }
    if is_comma or is_pointed:
        digits = digits.replace(".", "").replace(",", ".")
    value = Fraction(re.sub("[,_' ]", "", digits)) * _FACTORS[(match["factor"] or "").lower()]
    if match["open"] or match["minus"]:
        value = -value
    how = " and ".join(reason for reason, is_needed in reasons.items() if is_needed)
    return value, how and f", {how}"
