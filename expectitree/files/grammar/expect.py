"""The grammar of `expect`: the results that a tree file states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from expectitree.base.algorithms import ALGORITHMS, ALIASES, OPTIONS, name_of
from expectitree.base.errors import ExpectitreeError, lines_of
from expectitree.base.numbers import Number, exact_text, quote
from expectitree.base.reading import check_setting, without_unit
from expectitree.base.tree.formulas import Expectation, PointExpectation, RunExpectation
from expectitree.files.grammar.document import Data, Fields, GrammarError, NumberText, Place
from expectitree.files.grammar.values import Report, ValueReader
from expectitree.files.grammar.words import (
    described,
    filled_mapping,
    filled_text,
    is_number,
    require,
)


def read_expectation(values: ValueReader, data: Data) -> Expectation:
    """Return the expectation written at the root; report every error."""
    if data == "":
        return Expectation()  # to be filled in
    if is_number(data):
        raise GrammarError(f"expect: found {quote(data)}\nwrite `expect: {{value: {data}}}`")
    if not isinstance(data, tuple):
        raise GrammarError(
            f"expect: found {described(data)}\nwrite `expect: {{value: …}}`; the keys are "
            f"{', '.join(KEYS)}"
        )

    def report(place: Place, error: ExpectitreeError | str) -> None:
        values.report(place, f"expect: {lines_of(error)}")

    reader = _ExpectationReader(report)
    reader.use_unit(values.unit)
    return reader.read(data)


def written_expectation(expect: Expectation) -> Fields:
    """Return an expectation as plain data, with its numbers as they were written."""

    def number(value: Number, *key_path: str) -> NumberText:
        return NumberText(expect.written.get(key_path) or exact_text(value))

    data: Fields = {}
    if expect.value is not None:
        data["value"] = number(expect.value, "value")
    if expect.best is not None:
        data["best"] = expect.best
    if expect.values:
        data["values"] = {
            path: number(value, "values", path) for path, value in expect.values.items()
        }
    if expect.at:
        data["at"] = [
            {"set": number_texts(point.settings), **written_expectation(point.expect)}
            for point in expect.at
        ]
    for run in expect.runs:
        runs = [other for other in expect.runs if other.algorithm == run.algorithm]
        data[run.algorithm] = [*map(_written_run, runs)]
        if len(runs) == len(run.place) == 1:
            (data[run.algorithm],) = data[run.algorithm]
    return data


def number_texts(settings: Mapping[str, str]) -> dict[str, str]:
    """Return values of parameters as numbers to be written; a percentage is text."""
    return {name: v if "%" in v else NumberText(v) for name, v in settings.items()}


def _written_run(run: RunExpectation) -> dict[str, object]:
    entry = {key: getattr(run, key) for key in RUN_VALUES}
    if run.bounds is not None:
        entry["bounds"] = [NumberText(exact_text(end)) for end in run.bounds]
    return {**{key: value for key, value in entry.items() if value is not None}, **run.options}


class _ExpectationReader(ValueReader):
    def __init__(self, report: Report) -> None:
        super().__init__(report)
        # The texts of the numbers, by the keys below `expect`.
        self.written: dict[tuple[str | int, ...], str] = {}

    def read(self, data: Data) -> Expectation:
        fields = {}
        runs: list[RunExpectation] = []
        for place, key, value in self.pairs(data, (*KEYS, *ALIASES)):
            if key in VALUES:
                fields[key] = self.attempt(VALUES[key], value, data, place)
                if key == "value" and fields[key] is not None:
                    self.written[(key,)] = without_unit(str(value), self.unit)
            elif key == "at":
                fields[key] = tuple(self.points(value, Place(data, place)))
            elif isinstance(value, list):
                for index, entry in enumerate(value):
                    runs += self.run(entry, Place(value, index), (key, index))
            else:
                runs += self.run(value, Place(data, place), (key,))
        return Expectation(runs=tuple(runs), written=self.written, **fields)

    def points(self, data: Data, where: Place) -> Iterator[PointExpectation]:
        """Yield what is expected at other values of the parameters."""
        hint = "write a list, such as `[{set: {pr: 0.3}, value: 750, best: sell}]`"
        if not isinstance(data, list):
            self.report(where, f"found {described(data)} under at\n{hint}")
            return
        for index, entry in enumerate(data):
            if not isinstance(entry, tuple) or "set" not in dict(entry):
                self.report(
                    Place(data, index),
                    f"found {described(entry)} without `set` under at\n{hint}",
                )
                continue
            reader = _ExpectationReader(self.report)
            fields = {
                key: reader.attempt(POINT_VALUES[key], value, entry, position)
                for position, key, value in reader.pairs(entry, tuple(POINT_VALUES))
            }
            settings, value = fields.pop("set"), fields.get("value")
            if value is not None:
                reader.written[("value",)] = str(dict(entry)["value"])
            expect = Expectation(written=reader.written, **fields)
            yield PointExpectation(settings or {}, expect)

    def settings(self, data: Data) -> dict[str, str]:
        hint = "write numbers by parameter, such as `{pr: 0.3}`"
        settings = {}
        for index, name, value in self.pairs(filled_mapping(data, f" under set\n{hint}")):
            if self.attempt(lambda _, value: self.setting(value), value, data, index) is not None:
                settings[name] = str(value)
        return settings

    def setting(self, data: Data) -> Number:
        if isinstance(data, str):
            check_setting(data)
            data = data.removesuffix("%")
        return self.number(data)

    def run(
        self, data: Data, where: Place, place: tuple[str | int, ...]
    ) -> Iterator[RunExpectation]:
        """Yield the expectation of one search, whose keys below `expect` are `place`."""
        name = name_of(str(place[0]))
        if not isinstance(data, tuple):
            self.report(
                where,
                f"found {described(data)} under {place[0]}\nwrite a mapping, such as "
                f"`{{leaves: 5}}`, with keys of {', '.join(RUN_KEYS)}",
            )
            return
        fields = {}
        options = {}
        for index, key, value in self.pairs(data, RUN_KEYS):
            if key in RUN_VALUES:
                fields[key] = self.attempt(RUN_VALUES[key], value, data, index)
                continue
            owner = OPTIONS[key].algorithm
            if owner != name:
                self.report(
                    Place(data, index, True),
                    f"the key {quote(key)} is for {owner} only, not for {name}\nremove it",
                )
            options[key] = self.attempt(
                partial(_ExpectationReader.option, key=key), value, data, index
            )
        yield RunExpectation(name, place=place, options=options, **fields)

    def option(self, data: Data, key: str) -> int | str:
        option = OPTIONS[key]
        value = data
        if not option.values:
            value = self.count(data)
        require(option.accepts(value), data, f" as {key}\nwrite {option.expected}")
        if isinstance(value, int):
            return value
        return str(value)

    def label(self, data: Data) -> str:
        return filled_text(data, " as the best action\nwrite its label")

    def numbers(self, data: Data) -> dict[str, Number]:
        """Return the numbers by path; each that is wrong is reported and left out."""
        require(
            isinstance(data, tuple),
            data,
            " under values\nwrite numbers by path, such as `{a/b: 3}`",
        )
        numbers = {}
        for index, path, value in self.pairs(data):
            number = self.attempt(ValueReader.number, value, data, index)
            if number is not None:
                numbers[path] = number
                self.written["values", path] = without_unit(str(value), self.unit)
        return numbers

    def paths(self, data: Data) -> tuple[str, ...]:
        items = data
        if not isinstance(data, list):
            items = [data]
        if all(isinstance(item, str) and item for item in items):
            return tuple(map(str, items))
        raise GrammarError(
            f"found {described(data)} as skipped\nwrite a list of paths, such as `[a2/#2]`"
        )


# The functions that read the values of the keys, of `expect` and of one search in it.
VALUES: Fields = {
    "value": ValueReader.number,
    "best": _ExpectationReader.label,
    "values": _ExpectationReader.numbers,
}
RUN_VALUES: Fields = {
    **dict.fromkeys(("nodes", "leaves", "cuts"), ValueReader.count),
    "skipped": _ExpectationReader.paths,
    "bounds": ValueReader.bounds,
}
POINT_VALUES = {"set": _ExpectationReader.settings, **VALUES}
KEYS = (*VALUES, "at", *ALGORITHMS)
RUN_KEYS = (*RUN_VALUES, *OPTIONS)
