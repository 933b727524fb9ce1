"""The grammar of `parameters`, `with`, `events` and `attitude`, which few files have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from graphlib import CycleError, TopologicalSorter

from expectitree.base.errors import TreeError
from expectitree.base.expressions.parser import listed, parse
from expectitree.base.expressions.syntax import FUNCTIONS, NAME, RESERVED, Expression, text_of
from expectitree.base.expressions.syntax import Number as Written
from expectitree.base.names import did_you_mean
from expectitree.base.numbers import Number, escape, exact_text, quote
from expectitree.base.reading import HOW, without_unit
from expectitree.base.tree.attitude import KINDS, TOTAL, Attitude
from expectitree.base.tree.bayes import rest_of
from expectitree.base.tree.criteria import check_objective
from expectitree.base.tree.formulas import (
    REST,
    ZERO,
    ByName,
    Criteria,
    Criterion,
    Definition,
    Events,
    Parameter,
    is_formula,
)
from expectitree.base.tree.paths import composed
from expectitree.files.grammar.document import (
    Data,
    Fields,
    FormulaText,
    GrammarError,
    NumberText,
    Place,
    keys_of,
    place_of,
)
from expectitree.files.grammar.traps import trap
from expectitree.files.grammar.values import (
    REST_AS_VALUE,
    Read,
    ValueReader,
    lazy,
    text,
)
from expectitree.files.grammar.words import (
    described,
    filled_mapping,
    filled_text,
    flow_text,
    is_number,
    require,
    unknown_key,
)

# ---- Parameters.

_PARAMETERS = " under parameters\nwrite names, as in `parameters: {pr: 0.3, fee: 1 - pr}`"
_CORRELATION = " as correlation\nwrite other parameters with numbers, such as `{NAME: 0.5}`"


def read_parameters(values: ValueReader, data: Data) -> dict[str, Parameter]:
    """Return the parameters written at the root; report every error.

    Their names are stored in `values`, for the formulas that it reads later.
    """
    values.parameters = ()
    filled_mapping(data, _PARAMETERS)
    names = [composed(name) for name, _ in data]
    values.parameters = {name: None for name in names if not _fault_of_name(name)}
    parameters = {}
    places = {}
    for index, (name, (_, written)) in enumerate(zip(names, data, strict=True)):
        fault = _fault_of_name(name)
        if name in parameters:
            fault = f"duplicate parameter {quote(name)}\nkeep one"
        if fault:
            values.report(Place(data, index, True), f"parameters: {fault}")
            continue
        places[name] = Place(data, index)
        parameters[name] = _read_parameter(values, name, written, Place(data, index))
    if any(parameter.distribution or parameter.correlation for parameter in parameters.values()):
        from expectitree.files.grammar.distributions import complete

        parameters = complete(values, parameters, places)
    try:
        TopologicalSorter({p.name: p.bases for p in parameters.values()}).prepare()
    except CycleError as error:
        cycle = error.args[1][::-1]  # each is derived from the next, and the last is the first
        index = names.index(cycle[0])
        if len(cycle) > 8:
            cycle[7:-1] = ["…"]
        way = " from ".join(cycle)
        values.report(
            Place(data, index),
            f"{cycle[0]} is derived from itself: {way}\ngive one of them a number",
        )
    return parameters


def _fault_of_name(name: str) -> str:
    if name in FUNCTIONS:
        return f"{quote(name)} is a function\nchoose another name"
    if name in RESERVED:
        return f"{quote(name)} is a word of the grammar\nchoose another name"
    if not re.fullmatch(NAME, name):
        return f"{quote(name)} is not a name\nwrite letters, digits and _, but no digit first"
    return ""


def _read_parameter(values: ValueReader, name: str, written: Data, place: Place) -> Parameter:
    """Return one parameter; after a report, with the value 0 for a missing one.

    The value is None if the mean of a distribution takes its place.
    """
    about = f"parameter {name}: "
    fields = {}
    if not isinstance(written, tuple):
        fields["value"] = values.attempt(_formula, written, place.container, place.at, about)
        written = ()
    for index, key, value in _whole_calls(written):
        if key in _PARAMETER_VALUES and key not in fields:
            if key in _AMOUNTS:
                value = _without_units(value, dict(written).get("unit"))
            fields[key] = values.attempt(_PARAMETER_VALUES[key], value, written, index, about)
            continue
        message = unknown_key(key, tuple(_PARAMETER_VALUES), trap("parameter", key.lower()))
        if key in fields:
            message = f"duplicate key {quote(key)}\nkeep one"
        values.report(Place(written, index, True), f"{about}{message}")
    if not fields.keys().isdisjoint(("by", "table", "between")):
        _look_up(values, fields, written, name, place)
    if "value" not in fields and "distribution" not in fields:
        values.report(place, f"{about}the value is missing\nadd `value:`")
    if "value" in fields or not fields.get("distribution"):
        fields["value"] = fields.get("value") or values.parse("0")
    known = {key: read for key, read in fields.items() if read is not None}
    return Parameter(name, **{"value": None, **known})


def _look_up(values: ValueReader, fields: Fields, written: Data, name: str, place: Place) -> None:
    """Put the formula of a table in place of the fields that define it."""
    by, rows, between = (fields.pop(key, None) for key in ("by", "table", "between"))
    keys, fault = dict(written), ""
    for key, hint in _NEEDED.items():
        if key not in keys:
            fault = f"{key} is missing\n{hint}"
    for key in ("value", "distribution"):
        if key in keys:
            fault = f"found a table and a {key}\nremove one of them"
    fields.setdefault("value", None)
    if fault:
        values.report(place, f"parameter {name}: {fault}")
    elif by and rows:
        from expectitree.files.grammar.lookup import look_up

        table: object = keys["table"]
        if not isinstance(table, str):  # else it is a file
            table = {NumberText(text_of(row.key)): _as_written(row.value) for row in rows}
        fields["value"] = look_up(by, rows, between, name)
        fields["table"] = {"by": _as_written(by), "table": table}
        if between:
            fields["table"]["between"] = between


def _whole_calls(written: Data) -> Iterator[tuple[int, str, Data]]:
    """Yield each pair of a mapping with its place.

    YAML splits `{distribution: beta(2, 3)}` at the comma; this joins the parts.
    """
    index = 0
    while index < len(written):
        start, (key, value) = index, written[index]
        index += 1
        while key == "distribution" and isinstance(value, str) and index < len(written):
            if value.count("(") <= value.count(")") or written[index][1]:
                break
            value, index = f"{value}, {written[index][0]}", index + 1
        yield start, key, value


def _without_units(data: Data, unit: Data) -> Data:
    """Return a number, a list of numbers or a distribution of a parameter without its unit.

    YAML splits `[250,000 $, 350,000 $]` at each comma; this joins the parts.
    """
    if not isinstance(unit, str):
        return data
    if isinstance(data, list) and all(isinstance(end, str) for end in data):
        if len(data) > 2 and any(unit in end for end in data):
            joined = re.sub(r"(?<=\d), (?=\d{3}(?!\w))", ",", ", ".join(data))
            data = joined.split(", ")
        return [without_unit(end, unit) for end in data]
    if isinstance(data, str):
        return type(data)(without_unit(data, unit))
    return data


def _formula(values: ValueReader, data: Data) -> Expression:
    if not isinstance(data, str) or not data:
        raise GrammarError(f"{described(data)} is not a number\n{HOW}, or a formula")
    return values.parse(data)


def _between(_: ValueReader, data: Data) -> str:
    require(data == "linear", data, " as between\nwrite `between: linear`; for steps, leave it out")
    return str(data)


def _correlation(values: ValueReader, data: Data) -> dict[str, Number]:
    numbers = dict[str, Number]()
    for position, (key, written) in enumerate(filled_mapping(data, _CORRELATION)):
        number = numbers[composed(key)] = values.number(written)
        if not -1 <= number <= 1:
            fault = f"found {written} as correlation\nwrite a number from -1 to 1"
            raise GrammarError(fault, Place(data, position))
    if len(numbers) < len(data):
        raise GrammarError("correlation: found a parameter twice\nkeep one")
    return numbers


def _range(values: ValueReader, data: Data) -> tuple[Number, Number] | None:
    require(
        isinstance(data, list) and len(data) == 2,
        data,
        " as range\nwrite the lower and the upper end, such as `range: [0, 1]`",
    )
    low, high = map(values.number, data)
    if low > high:
        raise GrammarError(f"the range starts at {data[0]} and ends at {data[1]}\nswap them")
    return low, high


_NEEDED = {  # with the others that define a table
    "by": "add the formula that is looked up, such as `by: age`",
    "table": "add values by number, such as `table: {40: 0.0016, 50: 0.0031}`",
}
_PARAMETER_VALUES: dict[str, Read] = {
    "value": _formula,
    "range": _range,
    "distribution": lazy("distributions.read_distribution"),
    "by": _formula,
    "table": lazy("lookup.read_rows"),
    "between": _between,
    "correlation": _correlation,
    "unit": text("a unit"),
    "description": text("a description"),
}


_AMOUNTS = ("value", "range", "distribution")  # that may have the unit


def read_replacements(values: ValueReader, data: Data) -> ByName:
    """Return the formulas that replace parameters below a ref, by name; report every error."""
    hint = "write names and what replaces them, such as `{p: 0.8, price: 2*price}`"
    known, replacements = values.known, dict[str, Expression]()
    for index, (key, written) in enumerate(filled_mapping(data, f" under with\n{hint}")):
        name, fault = composed(key), ""
        if name in replacements:
            fault = f"duplicate parameter {quote(name)}\nkeep one"
        elif name not in known:
            hint = "define it under the root's `parameters:`"
            if known:
                hint = f"the parameters are {listed(known)}"
            fault = f"unknown parameter {quote(name)}{did_you_mean(name, known)}\n{hint}"
        if fault:
            values.report(Place(data, index, True), f"with: {fault}")
            continue
        read = values.attempt(_formula, written, data, index, f"with {name}: ")
        replacements[name] = read or values.parse("0")
    values.has_formulas = True
    return replacements


# ---- Criteria.

_CRITERIA = (
    "write names, such as `[cost, effect]`, or units, `{cost: {unit: €}, effect: {unit: QALY}}`"
)
_CRITERION_VALUES = {key: _PARAMETER_VALUES[key] for key in ("unit", "description")}


def read_criteria(values: ValueReader, data: Data) -> bool:
    """Store the criteria written at the root in `values`; report every error."""
    listed = data
    if isinstance(data, list):
        listed = [(name, ()) for name in data]
    is_named = isinstance(listed, (list, tuple)) and all(isinstance(n, str) for n, _ in listed)
    require(is_named and listed, data, f" under criteria\n{_CRITERIA}")
    criteria = {}
    for index, (written, about) in enumerate(listed):
        name = composed(written)
        fault, fields = _fault_of_name(name), Fields()
        if name in criteria or name in (values.parameters or ()):
            fault = f"{quote(name)} is the name of another number\nchoose another one"
        if not isinstance(about, tuple):
            if about:
                fault = f"found {described(about)} for {name}\n{_CRITERIA}"
            about = ()
        for place, key, value in values.pairs(about, _CRITERION_VALUES, f"criteria: {name}: "):
            fields[key] = values.attempt(_CRITERION_VALUES[key], value, about, place)
        if fault:
            values.report(Place(data, index, True), f"criteria: {fault}")
        criteria[name] = Criterion(name, **fields)
    values.use_criteria(Criteria(criteria, ZERO))
    return True


def read_objective(values: ValueReader, data: Data) -> bool:
    """Store the objective written at the root in `values`, which has its criteria."""
    criteria = values.criteria
    if not criteria:  # which is reported
        return False
    example = " - ".join(criteria.by_name)
    filled_text(data, f" as objective\nwrite a formula of the criteria, such as `{example}`")
    objective = parse(data, (*(values.parameters or ()), *criteria.by_name))
    check_objective(objective, criteria.by_name)
    values.use_criteria(replace(criteria, objective=objective))
    return True


# ---- Events.

_EVENT_KEYS = ("prior", "test_of", "likelihood")
_PRIOR = "{prior: {oil: 0.5, none: rest}}"
_TEST = "{test_of: oil, likelihood: {plus: {oil: 0.9, none: 0.3}, minus: {oil: rest, none: rest}}}"
_WRITE_EVENT = f"write an event, such as `{_PRIOR}`, or a test, such as `{_TEST}`"


def read_events(values: ValueReader, data: Data) -> dict[str, Definition]:
    """Return the events and the tests written at the root; report every error."""
    events = {}
    places = {}
    filled_mapping(data, f" under events\nwrite events by name, such as `{{seismic: {_PRIOR}}}`")
    for index, (name, written) in enumerate(data):
        subject = f"event {escape(name)}"
        if name in events:
            values.report(Place(data, index, True), f"{subject}: defined twice\nkeep one")
            continue
        if not name:
            values.report(
                Place(data, index, True), "found nothing as the name of an event\nwrite its name"
            )
        places[name] = Place(data, index)
        read = partial(_read_definition, subject=subject, events=data)
        events[name] = values.attempt(read, written, data, index, f"{subject}: ") or Definition()
    known = [name for name, event in events.items() if not event.test_of]
    for name, test in events.items():
        fault = ""
        if test.test_of in known:
            fault = _fault_of_test(test, events[test.test_of])
        elif test.test_of:
            hint = did_you_mean(test.test_of, known)
            fault = f"no event {quote(test.test_of)}{hint}\ngive it a prior under events"
        if fault:
            values.report(places[name], f"event {escape(name)}: {fault}")
    return events


def _read_definition(values: ValueReader, data: Data, subject: str, events: Data) -> Definition:
    require(isinstance(data, tuple), data, f"\n{_WRITE_EVENT}")
    keys = dict(data)
    if keys and all(is_number(p) or p == REST for p in keys.values()):
        raise GrammarError(f"found a prior alone\nwrite `{{prior: {flow_text(data)}}}`")
    for _ in values.pairs(data, _EVENT_KEYS, f"{subject}: "):
        pass  # only the reports are needed
    is_test = "test_of" in keys
    if is_test == ("prior" in keys) or is_test != ("likelihood" in keys):
        raise GrammarError(f"found the keys {', '.join(map(escape, keys))}\n{_WRITE_EVENT}")
    if not is_test:
        place = place_of(data, "prior")
        row = _read_row(values, keys["prior"], subject, place)
        return Definition(_whole(values, row, subject, place))
    place = place_of(data, "likelihood")
    event, rows = keys["test_of"], keys["likelihood"]
    require(isinstance(event, str), event, f" as test_of\n{_WRITE_EVENT}")
    prior = keys_of(keys_of(keys_of(events).get(event)).get("prior")).keys()
    inside = [keys_of(row).keys() for row in keys_of(rows).values()]
    if prior and keys_of(rows).keys() == prior and prior not in inside:
        raise GrammarError(
            "found outcomes with signals inside\nwrite signals outside, and outcomes inside", place
        )
    likelihood = {
        str(signal): _read_row(values, row, f"{subject}: {escape(signal)}", place)
        for signal, row in filled_mapping(rows, f" as likelihood\n{_WRITE_EVENT}")
    }
    columns: dict[str, Fields] = {}  # by outcome, then by signal
    for signal, row in likelihood.items():
        for outcome, p in row.items():
            columns.setdefault(outcome, {})[signal] = p
    whole = {
        outcome: _whole(values, column, f"{subject} after {escape(outcome)}", place)
        for outcome, column in columns.items()
    }
    complete = {s: {o: whole[o][s] for o in row} for s, row in likelihood.items()}
    return Definition(test_of=str(event), likelihood=complete)


def _read_row(
    values: ValueReader, data: Data, subject: str, place: Place
) -> dict[str, Expression | str]:
    """Return probabilities by label, as expressions or the word `rest`."""
    if not isinstance(data, tuple) or not data:
        values.report(place, f"{subject}: found {described(data)}\n{_WRITE_EVENT}")
        return {}
    row = {}
    for index, (label, p) in enumerate(data):
        about = f"{subject}/{escape(label)}: "
        read = values.attempt(_read_probability, p, data, index, about)
        if label in row:
            values.report(Place(data, index), f"{about}duplicate label {quote(label)}\nkeep one")
            read = None
        row[str(label)] = read or REST
    return row


def _read_probability(values: ValueReader, data: Data) -> Expression | str:
    p = values.probability(data)
    if isinstance(p, str) or is_formula(p):
        return p
    return values.parse(str(data))


def _fault_of_test(test: Definition, event: Definition) -> str:
    """Return the message about a signal that does not have a likelihood of each outcome."""
    for signal, row in test.likelihood.items():
        if event.prior and sorted(row) != sorted(event.prior):
            labels, expected = (", ".join(map(escape, chances)) for chances in (row, event.prior))
            return (
                f"the signal {escape(signal)} has likelihoods of {labels}\nwrite one of each "
                f"outcome: {expected}"
            )
    return ""


def _whole(
    values: ValueReader, row: Mapping[str, Expression | str], subject: str, place: Place
) -> ByName:
    """Return probabilities without `rest`; numbers are normalised, or a report says why not."""
    others = [p for p in row.values() if not isinstance(p, str)]
    rest = rest_of(others, max(1, len(row) - len(others)))
    chances: Fields = {label: rest if p == REST else p for label, p in row.items()}
    numbers = values.constants(others)
    if not numbers or len(numbers) < len(row):
        return chances  # `evaluated` checks formulas
    try:
        shares = values.divided(numbers, len(row), f"{subject}: ", REST_AS_VALUE)
        if shares != numbers:
            return {o: parse(exact_text(p), ()) for o, p in zip(row, shares, strict=True)}
    except TreeError as error:
        values.report(place, error.about(f"{subject}: "))
    return chances


def written_definitions(defined: Events) -> dict[str, object]:
    """Return the definitions of events as plain data."""

    def row(chances: ByName) -> dict[str, str]:
        return {label: _as_written(p) for label, p in chances.items()}

    definitions: dict[str, object] = {}
    for name, event in defined.items():
        definitions[name] = {"prior": row(event.prior)}
        if event.test_of:
            rows = {signal: row(chances) for signal, chances in event.likelihood.items()}
            definitions[name] = {"test_of": event.test_of, "likelihood": rows}
    return definitions


def _as_written(formula: Expression) -> str:
    """Return the text of a formula, as a number or a formula to be written."""
    if isinstance(formula, Written):
        return NumberText(formula.text)
    return FormulaText(text_of(formula))


# ---- The attitude to risk.

_ATTITUDE = f" as attitude\nwrite one of {', '.join(KINDS)}, such as `{{exponential: 1000}}`"


def read_attitude(values: ValueReader, data: Data) -> Attitude | None:
    """Return the attitude written at the root; None after a report."""
    if not isinstance(data, tuple) or len(data) != 1:
        filled_mapping(data, _ATTITUDE)
        raise GrammarError(f"found {len(data)} keys{_ATTITUDE}")
    [(kind, written)] = data
    if kind not in KINDS:
        raise GrammarError(f"attitude: {unknown_key(kind, KINDS)}", Place(data, 0, True))
    attitude: Attitude | None = values.attempt(
        partial(_read_attitude, kind=kind), written, data, 0, "attitude: "
    )
    return attitude


def _read_attitude(values: ValueReader, data: Data, kind: str) -> Attitude:
    if kind == "points":
        return Attitude(kind, points=tuple(_points(values, data)))
    if kind == "utility":
        hint = f"write an expression in {TOTAL}, such as `{TOTAL}^(1/2)`"
        return Attitude(kind, expression=parse(filled_text(data, f" as utility\n{hint}"), (TOTAL,)))
    number = values.number_or_formula(data)
    if is_formula(number):
        return Attitude(kind, formula=number)
    return Attitude(kind, number)


def _points(values: ValueReader, data: Data) -> list[tuple[Number, Number]]:
    hint = "write pairs of a total and its utility, such as `[[0, 0], [50, 0.7], [100, 1]]`"
    require(isinstance(data, list), data, f" as points\n{hint}")
    pairs = []
    for index, pair in enumerate(data):
        require(
            isinstance(pair, list) and len(pair) == 2,
            pair,
            f" as a point\n{hint}",
            Place(data, index),
        )
        pairs.append((values.number(pair[0]), values.number(pair[1])))
    return pairs


def written_attitude(attitude: Attitude) -> dict[str, object]:
    """Return an attitude as plain data."""

    def number(value: Number) -> NumberText:
        return NumberText(exact_text(value))

    if formula := attitude.expression or attitude.formula:
        return {attitude.kind: text_of(formula)}
    if attitude.points:
        return {attitude.kind: [[number(x), number(u)] for x, u in attitude.points]}
    assert attitude.number is not None
    return {attitude.kind: number(attitude.number)}
