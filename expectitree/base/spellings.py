"""Numbers as people write them elsewhere, for the messages that show how to write them here."""

from __future__ import annotations

import re
from fractions import Fraction
from unicodedata import normalize

_MAX_LENGTH = 40  # characters of such a number
_TYPOGRAPHIC = str.maketrans("\u2010\u2012\u2013\u2014\u2212\u2019\u2044", "-----'/")
_FRACTION = re.compile("-?[0-9]+/[1-9][0-9]*")
_MIXED = re.compile("[0-9][\u00bc-\u00be\u2150-\u215e]")  # a number before a fraction such as ½
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:[,_' ][0-9]{3})+(?:\.[0-9]+)?")
_FACTORS = {
    "": Fraction(1),
    **dict.fromkeys(("%", "percent"), Fraction(1, 100)),
    **dict.fromkeys(("k", "thousand"), Fraction(1000)),
    **{"million": Fraction(10**6), "billion": Fraction(10**9)},
}
_UNITS = "(?:euro|dollar|pound|point|unit|hour|day|year)s?"
_WRITTEN = re.compile(
    rf"""(?P<open>\()?(?:[$€£¥]|[A-Z]{{3}}\s)?(?P<minus>-)?\s?(?:[$€£¥]\s?)?
    (?P<digits>{_GROUPED.pattern}
        |[0-9]{{1,3}}(?:\.[0-9]{{3}}){{2,}}  # 1.000.000
        |[0-9]{{1,3}}(?:\.[0-9]{{3}})+,[0-9]+  # 1.000,50
        |[0-9]+(?:_[0-9]+)+
        |[0-9]+(?:[.,][0-9]+)?)
    (?:\s?(?P<factor>%|percent|[kK](?![A-Za-z])|thousand|million|billion))?
    (?:\s?(?:[$€£¥]|[A-Z]{{3}}|{_UNITS}))?
    (?(open)\))""",
    re.VERBOSE,
)


def plain_number(text: str) -> Fraction | None:
    """Return the number written as `$1,000`, `12 EUR`, `1_000`, `0,5`, `(5)` or `5k`.

    Return None if the text is not such a number.
    """
    if len(text) > _MAX_LENGTH or _MIXED.search(text):
        return None
    plain = normalize("NFKC", text).translate(_TYPOGRAPHIC)
    match = _WRITTEN.fullmatch(plain)
    if match is None:
        return Fraction(plain) if _FRACTION.fullmatch(plain) else None
    digits = match["digits"]
    if _GROUPED.fullmatch(digits):
        digits = re.sub("[,_' ]", "", digits)
    elif "," in digits or digits.count(".") > 1:
        digits = digits.replace(".", "").replace(",", ".")
    value = Fraction(digits.replace("_", "")) * _FACTORS[(match["factor"] or "").lower()]
    return -value if match["open"] or match["minus"] else value
