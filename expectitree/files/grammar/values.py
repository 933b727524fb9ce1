"""Reading single values: numbers, bounds, counts and texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from typing import Any, TypeAlias

from expectitree.base.errors import (
    NOT_A_NUMBER,
    NOT_A_PROBABILITY,
    UNDEFINED,
    ExpectitreeError,
    NumberError,
)
from expectitree.base.expressions.parser import listed, parse, parse_condition
from expectitree.base.expressions.syntax import FUNCTIONS, NAME, Expression, names_in
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, quote
from expectitree.base.reading import HOW, NO_UNIT, to_bound, to_number, to_probability, without_unit
from expectitree.base.tree.columns import UNKNOWN, Bounds
from expectitree.base.tree.formulas import NO_CRITERIA, REST, ByName, Criteria, is_formula
from expectitree.base.tree.paths import composed
from expectitree.files.grammar.document import (
    Data,
    GrammarError,
    NumberText,
    Pairs,
    Place,
    place_of,
)
from expectitree.files.grammar.traps import trap
from expectitree.files.grammar.words import (
    SPLIT,
    described,
    flow_text,
    require,
    unknown_key,
    whole_number,
)

NOT_KNOWN = "?"  # the utility of a terminal that is not known yet
NOT_KNOWN_WORDS = (NOT_KNOWN, "n/a", "na", "tbd", "unknown")
NORMALIZE = "divide sums from 0.98 to 1.02 with --normalize"
HINT_OF_SUM = f"correct them, write {{}}, or {NORMALIZE} (`normalize: true`)"
REST_AS_VALUE = f"`{REST}` for one"  # of probabilities that are keys or values
_OPERATOR = re.compile(r"[A-Za-z0-9)](?<![0-9][eE]) *(?:[-+*/^−×·÷][^+-]|[-+*/^] *[-+]+[0-9.(])")
# Several signs or parentheses, such as `--1` and `((1))`, or a function.
_PREFIX = re.compile(rf"(?:[-+(] *){{2,}}[0-9.]|-?(?:{'|'.join({*FUNCTIONS} - {'max', 'min'})})\(")
_FRACTION = re.compile("[-+]?[0-9]+/[0-9]+")
NO_NAMES = {REST, "inf", "nan", "null", "none", "true", "false", "yes", "no"}  # hardly parameters
_MAX_DIGITS = 30  # of a count
_DECIMAL_PART = re.compile(r"0?\.[0-9]{1,15}")  # from 0 to 1
_NUMBER = re.compile(r"[0-9.+-][0-9.eE/%+-]*")  # roughly, to reject most labels quickly

Report: TypeAlias = Callable[[Place, "ExpectitreeError | str"], None]
Read: TypeAlias = Callable[["ValueReader", Data], Any]  # a method of `ValueReader`
# Formulas such as `1 - 80%`, `2*5%` and `x/50%`, but not numbers such as `-5%`, `1e-3%` and `1/2%`.
_ENDS_IN_PERCENT = re.compile(r"(?:[*^(]|[^\s*/(eE]\s*[-+]|[A-Za-z_%]\w*\s*/).*%$")


class ValueReader:
    """Reads the values of one document; a method raises an error, which `attempt` reports."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.has_rest = False  # whether a probability so far is `REST`
        self.normalizes = False  # whether probabilities rounded for print are divided by their sum
        # Returns probabilities that sum to 1; the grammar of events uses it, too.
        self.divided: Callable[..., Sequence[Number]]
        self.has_formulas = False  # whether a number so far is a formula
        self.parameters: Collection[str] | None = None  # the names; None without such a key
        self.set_below: Collection[str] = ()  # the other names, which only a `with` sets
        self.parsed: dict[str, Expression] = {}  # by text: one object for equal formulas
        self.warn: Callable[[str], None] = lambda message: None
        self.folder = ""  # of the document, in which a table is looked up
        self.criteria = NO_CRITERIA
        self.unit = ""  # which amounts may have
        self.is_exact = True
        self._choose_readers()

    def use_floats(self) -> None:
        """Read numbers as floats, which is faster."""
        self.is_exact = False
        self._choose_readers()

    def use_unit(self, unit: str) -> None:
        """Read amounts such as `$250,000` from now on, too."""
        self.unit = unit

    def use_criteria(self, criteria: Criteria) -> None:
        """Read amounts by criterion from now on, where a number of utility would be."""
        self.criteria = criteria
        self._choose_readers()

    def _choose_readers(self) -> None:
        self.to_number: Callable[[str], Number] = cache(self._to_number)
        self.to_probability: Callable[[str], Number] = cache(
            partial(to_probability, exact=self.is_exact)
        )
        # Reads a terminal that is not a mapping.
        self.to_terminal: Callable[[str], Number] = self.to_number
        if self.criteria:
            self.to_terminal = partial(self.nothing, form="{{utility: {{{}}}}}")

    def _to_number(self, text: str) -> Number:
        return to_number(without_unit(text, self.unit), self.is_exact)

    def attempt(self, read: Read, data: Data, item: Data, key: str | int, about: str = "") -> Any:
        """Return the value of a mapping's `key`, or a list's item; None after a report.

        The report begins with `about`.
        """
        try:
            return read(self, data)
        except ExpectitreeError as error:
            place = place_of(item, key) if isinstance(key, str) else Place(item, key)
            is_unknown = data == NOT_KNOWN and not self.criteria
            hint = '; only a utility may be "?"' if is_unknown else ""
            place = getattr(error, "place", None) or place
            error = error.about(about).with_hint(f"{error.hint}{hint}")
            self.report(place._replace(offset=offset_of(error)), error)
            return None

    def pairs(
        self, data: Pairs, known: Collection[str] = (), about: str = ""
    ) -> Iterator[tuple[int, str, Data]]:
        """Yield place, key and value of each pair; report keys that are unknown or duplicate.

        The reports begin with `about`.
        """
        seen = set()
        for position, (key, value) in enumerate(data):
            fault = ""
            if key in seen:
                fault = f"duplicate key {quote(key)}\nkeep one"
            elif known and key not in known:
                whole = whole_number(data, position)
                fault = unknown_key(key, known, f"{SPLIT} write `{whole}`" * bool(whole))
            seen.add(key)
            if fault:
                self.report(Place(data, position, True), f"{about}{fault}")
            else:
                yield position, str(key), value

    def use_names(self, names: Collection[str]) -> None:
        """Read the names that a `with` sets, besides the parameters, in formulas from now on."""
        self.set_below = [name for name in names if name not in (self.parameters or ())]
        if self.set_below:
            self.parameters = self.parameters or ()

    @property
    def known(self) -> Collection[str]:
        """The names that a formula may have."""
        parameters = self.parameters or ()
        if self.set_below:
            return [*parameters, *self.set_below]
        return parameters

    def parse(self, text: str) -> Expression:
        """Return the formula that a text is."""
        if text not in self.parsed:
            self.parsed[text] = parse(text, self.known)
            self.warn(_arithmetic_warning(text))
        return self.parsed[text]

    def condition(self, data: Data) -> Expression:
        """Return the condition on which a node ends."""
        require(
            isinstance(data, str) and data,
            data,
            " as until\nwrite a comparison of formulas, such as `cycle = 20`",
        )
        self.has_formulas = True
        return parse_condition(data, self.known)

    def number(self, data: Data) -> Number:
        """Return a number."""
        if not isinstance(data, str):
            raise GrammarError(f"{described(data)} is not a number", hint=HOW)
        return self.to_number(data)

    def amount(self, data: Data) -> Number | Expression:
        """Return a number, or the formula of one; with criteria, 0 or the objective of amounts."""
        if self.criteria:
            if isinstance(data, tuple):
                return self.amounts(data)
            return self.nothing(data)
        return self.plain_amount(data)

    def plain_amount(self, data: Data) -> Number | Expression:
        """Return a number, or the formula of one."""
        if isinstance(data, tuple) and data and not self.criteria:
            raise GrammarError(
                "a mapping is not a number",
                hint=f"{HOW}; for several criteria, define `criteria:` and `objective:` at the "
                "root",
            )
        return self.number_or_formula(data)

    def number_or_formula(self, data: Data) -> Number | Expression:
        """Return a number, or the formula in a text."""
        try:
            return self.number(data)
        except NumberError as error:
            return self.formula(data, error)

    def formula(self, data: str, error: ExpectitreeError) -> Expression:
        """Return the formula in a text; `error` is that of reading the text as a number.

        In a file without parameters, a text without an operator is hardly meant as a formula. Then
        this raises `error`, with a hint if the text may be the name of a parameter.
        """
        if not data.strip() or ("?" in data and self.parameters is None):
            raise error
        try:
            formula = self.parse(data)
        except NumberError:
            is_name = (
                len(data) <= 40
                and re.fullmatch(NAME, data)
                and data.lower() not in NO_NAMES
                and error.hint.startswith(HOW)
            )
            if self.parameters is None and is_name:
                raise error.with_hint(
                    f"{error.hint}, or define {quote(data)} under the root's `parameters:`",
                    UNDEFINED,
                ) from None
            is_number = error.kind == NOT_A_NUMBER and not error.hint.startswith(HOW)  # `1 1/2`
            if is_number or (self.parameters is None and not is_operation(data)):
                raise error from None
            raise
        self.has_formulas = True
        return formula

    def nothing(self, data: Data, form: str = "{{{}}}") -> Number:
        """Return 0, which is none of each criterion; raise `NumberError` for anything else.

        `form` is how a message shows the amounts to write.
        """
        with suppress(NumberError):
            if isinstance(data, str) and not self.to_number(data):
                return self.to_number(data)
        names = self.criteria.by_name
        amounts = ", ".join(f"{name}: 1" for name in [*names][:2])
        raise NumberError(
            f"found {described(data)} without a criterion\nwrite amounts by criterion, such as "
            f"`{form.format(amounts)}`; those left out are 0"
        )

    def are_amounts(self, data: Data) -> bool:
        """Return whether something is a mapping whose keys are criteria."""
        known = {*self.criteria.by_name}
        is_mapping = bool(known and data) and isinstance(data, tuple)
        return is_mapping and known.issuperset(map(composed, dict(data)))

    def amounts(self, data: Data) -> Expression:
        """Return the objective of amounts, which are given by criterion."""
        amounts = {}
        for index, (key, written) in enumerate(data):
            name = composed(key)
            if name not in self.criteria.by_name or name in amounts:
                known = self.criteria.by_name
                message = (
                    f"unknown criterion {quote(name)}{did_you_mean(name, known)}\nthe criteria are "
                    f"{listed(known)}"
                )
                if name in amounts:
                    message = f"the criterion {name} twice\nkeep one"
                raise GrammarError(message, Place(data, index, True))
            amounts[name] = self.attempt(ValueReader.expression, written, data, index, f"{name}: ")
        return self.objective(amounts)

    def objective(self, amounts: ByName) -> Expression:
        """Return the objective of amounts."""
        from expectitree.base.tree.criteria import objective_of

        self.has_formulas = True
        return objective_of(self.criteria, amounts)

    def cost(self, data: Data) -> Number | Expression:
        """Return a number, or the formula of one; with criteria, the objective of that cost."""
        if not self.criteria:
            return self.plain_amount(data)
        if "cost" not in self.criteria.by_name or not isinstance(data, str):
            name = next(iter(self.criteria.by_name))
            amounts = flow_text(data if isinstance(data, tuple) else ((name, data),))
            raise GrammarError(
                "found a cost, but amounts are rewards, and the objective has their signs\n"
                f"write `reward: {amounts}`"
            )
        return self.objective({"cost": self.expression(data)})

    def expression(self, data: Data) -> Expression:
        """Return the formula of a number, also of one that is written as a number."""
        amount = self.plain_amount(data)
        if is_formula(amount):
            return amount
        return self.parse(str(data))

    def utility(self, data: Data) -> Number | Expression:
        """Return a utility, `UNKNOWN` for `"?"`."""
        if self.criteria:
            return self.amount(data)
        if data == NOT_KNOWN:
            return UNKNOWN
        try:
            return self.amount(data)
        except ExpectitreeError as error:
            is_unknown = data in (None, "", "~", "null") or (isinstance(data, str) and "?" in data)
            if not is_unknown:
                raise
            raise error.with_hint(f'{error.hint}; or "?" where it is not known yet') from None

    def probability(self, data: Data) -> Number | Expression | str:
        """Return a probability or its formula, or `REST` for the remainder of 1."""
        if not isinstance(data, str):
            raise GrammarError(
                f"{described(data)} is not a probability\nwrite a number between 0 and 1, "
                "such as 1/3 or 10%"
            )
        try:
            return self.to_probability(data)
        except NumberError as error:
            if data == REST:
                self.has_rest = True
                return REST
            # A number, but not a probability.
            is_number = error.kind != NOT_A_NUMBER and error.hint != HOW
            if is_number and not _ENDS_IN_PERCENT.search(data):
                raise
            hint = f"{error.hint}, or `{REST}` for 1 minus the sum of the others"
            kind = NOT_A_PROBABILITY if error.hint == HOW else error.kind
            return self.formula(data, error.with_hint(hint, kind))

    def constants(self, formulas: Sequence[Expression]) -> list[Number]:
        """Return the values of probabilities without names; none if there are others."""
        numbers = []
        if not any(map(names_in, formulas)):
            with suppress(NumberError):
                from expectitree.base.expressions.evaluation import FRACTIONS, evaluate

                numbers = [evaluate(formula, FRACTIONS, {}) for formula in formulas]
        if all(0 <= p <= 1 for p in numbers):
            return numbers
        return []

    def bounds(self, data: Data) -> Bounds | None:
        """Return a pair of bounds; None if one of them is reported."""
        if not isinstance(data, list) or len(data) != 2:
            is_list = isinstance(data, list) and data
            shown = f"a list of {len(data)}" if is_list else described(data)
            raise GrammarError(
                f"found {shown} as bounds\nwrite the lower and the upper one, such as "
                "`[0, 100]` or `[-inf, inf]`"
            )
        lower, upper = (
            self.attempt(ValueReader.bound, data[index], data, index) for index in (0, 1)
        )
        if lower is None or upper is None:
            return None
        if lower > upper:
            raise GrammarError(
                f"the lower bound {data[0]} is greater than the upper bound {data[1]}\nswap them"
            )
        return lower, upper

    def bound(self, data: Data) -> Number:
        """Return one of two bounds."""
        require(isinstance(data, str), data, " as a bound\nwrite a number, inf or -inf")
        return to_bound(without_unit(data, self.unit), exact=True)

    def normalize(self, data: Data) -> bool:
        """Store whether probabilities rounded for print are divided by their sum."""
        text = str(data).lower()
        require(text in ("true", "false"), data, " as normalize\nwrite true or false")
        self.normalizes |= text == "true"
        return True

    def unit_of_value(self, data: Data) -> str:
        """Return the unit of the tree's value."""
        unit: str = text("the unit")(self, data)
        if unit and NO_UNIT.fullmatch(unit):
            raise GrammarError(
                f"found {quote(unit)} as the unit, which numbers may contain\nwrite a word, such "
                "as percent, or a sign, such as $"
            )
        return unit

    def count(self, data: Data, noun: str = "count") -> int:
        """Return a whole number; the error for anything else calls it `noun`."""
        is_count = isinstance(data, str) and data.isascii() and data.isdecimal()
        if is_count and len(data) <= _MAX_DIGITS:
            return int(data)
        raise GrammarError(f"found {described(data)} as a {noun}\nwrite a whole number such as 5")


def _arithmetic_warning(text: str) -> str:
    """Return the warning about a formula such as `10-20` or `2024-05-06`; nothing for others."""
    warning = trap("formula", text, text=quote(text), new=re.sub("([-/])", r" \1 ", text))
    low, _, high = text.replace("%", "").partition("-")
    if warning and text.count("-") == 1 and float(low) >= float(high):  # not a range
        return ""
    return warning


def is_operation(text: str) -> bool:
    """Return whether a text may be a formula without parameters, such as `0.5*90`."""
    is_word = _FRACTION.fullmatch(text) or text.lower() in NOT_KNOWN_WORDS
    return bool(_OPERATOR.search(text) or _PREFIX.match(text)) and not is_word


def is_probability(key: str) -> bool:
    """Return whether a key is a valid `p`: a number from 0 to 1."""
    if _DECIMAL_PART.fullmatch(key):  # nearly all; a fraction of each took a third of the reading
        return True
    if not _NUMBER.fullmatch(key):
        return False
    try:
        to_probability(key, exact=True)
    except NumberError:
        return False
    return True


def is_marked(key: str) -> bool:
    """Return whether a key, or several joined, has a sign that labels seldom have."""
    return "." in key or "/" in key or "%" in key


def are_probabilities(children: Sequence[tuple[str, Data]]) -> bool:
    """Return whether the keys of a chance node's children are probabilities, and not labels.

    Each is a probability or `rest`. At least one has a decimal point, `/` or `%`: 0 and 1 alone
    are labels.
    """
    keys = [key for key, _ in children if key != REST]
    return is_marked("".join(keys)) and all(map(is_probability, keys))


def offset_of(error: ExpectitreeError) -> int:
    """Return the place of an error within the text of a formula, 0 for any other error."""
    return getattr(error, "offset", None) or 0


def lazy(name: str) -> Read:
    """Return a function of a module of the grammar that is imported only for trees that need it."""
    module, _, function = name.partition(".")

    def read(values: ValueReader, data: Data) -> Any:
        return getattr(import_module(f"expectitree.files.grammar.{module}"), function)(values, data)

    return read


def text(name: str, is_needed: bool = False) -> Read:
    """Return the reader of a text that messages call `name`, which may be empty if not needed."""

    def read(values: ValueReader, data: Data) -> str:
        if isinstance(data, str) and not isinstance(data, NumberText) and (data or not is_needed):
            return str(data)
        raise GrammarError(f"found {described(data)} as {name}\nwrite text")

    return read
