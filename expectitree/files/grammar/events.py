"""The grammar of `events`, read and written: priors of events and likelihoods of tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectitree.base.errors import ExpectitreeError
from expectitree.base.expressions.syntax import Expression, Number, text_of
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import escape, quote
from expectitree.base.tree.bayes import rest_of
from expectitree.base.tree.formulas import REST, Definition, is_formula
from expectitree.files.grammar.document import Data, FormulaText, NumberText, Place
from expectitree.files.grammar.problems import GrammarError
from expectitree.files.grammar.values import ValueReader, offset_of
from expectitree.files.grammar.words import described, unknown_key

KEYS = ("prior", "test_of", "likelihood")
_PRIOR = "{prior: {oil: 0.5, none: rest}}"
_TEST = "{test_of: oil, likelihood: {plus: {oil: 0.9, none: 0.3}, minus: {oil: rest, none: rest}}}"
_EXPECTED = f"expected an event such as {_PRIOR}, or a test such as {_TEST}"


def read_events(values: ValueReader, data: Data) -> dict[str, Definition]:
    """Return the events and the tests written at the root; report every error."""
    return _Reader(values).read(data)


class _Reader:
    """Reads the value of one key `events`."""

    def __init__(self, values: ValueReader) -> None:
        self.values = values

    def read(self, data: Data) -> dict[str, Definition]:
        if not isinstance(data, tuple) or not data:
            raise GrammarError(f"found {described(data)} under events, expected names of events")
        found: dict[str, Definition] = {}
        places: dict[str, Place] = {}
        for at, (name, written) in enumerate(data):
            if name in found:
                self._report(Place(data, at, True), name, "defined twice: keep one")
                continue
            if not name:
                message = "found nothing as the name of an event, expected text"
                self.values.report(Place(data, at, True), message)
            places[name] = Place(data, at)
            found[name] = self._definition(name, written, Place(data, at))
        for name, one in found.items():
            if not one.test_of:
                continue
            event = found.get(one.test_of)
            known = [other for other, two in found.items() if not two.test_of]
            if event is None or event.test_of:
                hint = did_you_mean(one.test_of, known)
                message = f"no event {quote(one.test_of)}{hint}: give it a prior under events"
                self._report(places[name], name, message)
            elif event.prior:
                self._check_outcomes(name, one, event, places[name])
        return found

    def _definition(self, name: str, written: Data, place: Place) -> Definition:
        """Return the definition of one name; after a report, an empty one."""
        if not isinstance(written, tuple):
            self._report(place, name, f"found {described(written)}, {_EXPECTED}")
            return Definition()
        keys = dict(written)
        for at, (key, _) in enumerate(written):
            if key not in KEYS:
                self._report(Place(written, at, True), name, unknown_key(key, KEYS))
        if ("prior" in keys) == ("test_of" in keys) or ("test_of" in keys) != (
            "likelihood" in keys
        ):
            self._report(place, name, f"found the keys {', '.join(map(escape, keys))}, {_EXPECTED}")
            return Definition()
        if "prior" in keys:
            prior = self._row(name, keys["prior"], place)
            return Definition(_with_rest(prior))
        if not isinstance(keys["test_of"], str):
            self._report(place, name, f"found {described(keys['test_of'])} as test_of, {_EXPECTED}")
            return Definition()
        rows = keys["likelihood"]
        if not isinstance(rows, tuple) or not rows:
            self._report(place, name, f"found {described(rows)} as likelihood, {_EXPECTED}")
            return Definition()
        found = {str(s): self._row(f"{name}: {s}", row, place) for s, row in rows}
        outcomes = dict.fromkeys(outcome for row in found.values() for outcome in row)
        columns = {o: _with_rest({s: row[o] for s, row in found.items() if o in row})
                   for o in outcomes}  # fmt: skip
        likelihood = {s: {o: columns[o][s] for o in row} for s, row in found.items()}
        return Definition(test_of=str(keys["test_of"]), likelihood=likelihood)

    def _row(self, name: str, written: Data, place: Place) -> dict[str, Expression | str]:
        """Return probabilities by label, as expressions or the word `rest`."""
        if not isinstance(written, tuple) or not written:
            self._report(place, name, f"found {described(written)}, {_EXPECTED}")
            return {}
        found: dict[str, Expression | str] = {}
        for at, (label, p) in enumerate(written):
            try:
                read: Any = self.values.probability(p)
                if label in found:
                    raise GrammarError(f"duplicate label {quote(label)}: keep one")
                is_text = read == REST or is_formula(read)
                found[str(label)] = read if is_text else self.values.parse(str(p))
            except ExpectitreeError as error:
                where = Place(written, at, offset=offset_of(error))
                self._report(where, f"{name}/{label}", str(error))
        return found

    def _check_outcomes(self, name: str, test: Definition, event: Definition, place: Place) -> None:
        """Report a signal that does not have a likelihood of each outcome."""
        for signal, row in test.likelihood.items():
            if sorted(row) != sorted(event.prior):
                found, expected = (", ".join(map(escape, some)) for some in (row, event.prior))
                message = f"the signal {escape(signal)} has likelihoods of {found}, expected one "
                self._report(place, name, f"{message}of each outcome: {expected}")

    def _report(self, place: Place, name: str, message: str) -> None:
        self.values.report(place, f"event {escape(name)}: {message}")


def _with_rest(row: Mapping[str, Expression | str]) -> dict[str, Expression]:
    """Return probabilities with a formula for each `rest`."""
    others: list[Any] = [p for p in row.values() if p != REST]
    rest = rest_of(others, max(1, len(row) - len(others)))
    found: dict[str, Any] = {label: rest if p == REST else p for label, p in row.items()}
    return found


def written_definitions(defined: Mapping[str, Definition]) -> dict[str, object]:
    """Return the definitions of events as plain data."""

    def row(chances: Mapping[str, Expression]) -> dict[str, str]:
        return {label: written(p) for label, p in chances.items()}

    def written(p: Expression) -> str:
        return NumberText(p.text) if isinstance(p, Number) else FormulaText(text_of(p))

    found: dict[str, object] = {}
    for name, one in defined.items():
        if one.test_of:
            rows = {signal: row(chances) for signal, chances in one.likelihood.items()}
            found[name] = {"test_of": one.test_of, "likelihood": rows}
        else:
            found[name] = {"prior": row(one.prior)}
    return found
