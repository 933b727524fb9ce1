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
    reasons = ["with - for minus"] if "-" in plain and "-" not in text else []
    match = _WRITTEN.fullmatch(plain)
    if match is None:
        if power := re.fullmatch(_POWER, plain):
            return Fraction(power[1]) ** int(power[2]), ""
        if mixed := _MIXED.fullmatch(plain):
            value = int(mixed[2]) + Fraction(mixed[3])
            return -value if mixed[1] else value, ""
        return (Fraction(plain), "") if _FRACTION.fullmatch(plain) else None
    digits = match["digits"]
    if _GROUPED.fullmatch(digits):
        digits = re.sub("[,_' ]", "", digits)
        reasons.append("without separators")
    elif "," in digits or digits.count(".") > 1:
        digits = digits.replace(".", "").replace(",", ".")
        reasons.append("with a decimal point" if "," in match["digits"] else "without separators")
    if match["factor"] == "%":
        reasons.append("without the %")
    if _UNIT.search(plain):
        reasons.append("without the unit")
    if match["end"]:
        reasons.append("without the " + ("comma" if match["end"] == "," else "semicolon"))
    value = Fraction(digits.replace("_", "")) * _FACTORS[(match["factor"] or "").lower()]
    value = -value if match["open"] or match["minus"] else value
    return value, f", {' and '.join(reasons)}" if reasons else ""
