"""The grammar of `expect`: what a tree file says its own answers are."""

from __future__ import annotations

from typing import Any

from expectitree.algorithms import ALGORITHMS, OPTIONS
from expectitree.errors import NumberError
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.flow import NumberText
from expectitree.files.grammar.keys import Report, read_bounds
from expectitree.files.grammar.words import described, unknown_key
from expectitree.numbers import Number, exact_text, quote, to_number
from expectitree.tree.expectation import Expectation, RunExpectation

KEYS = ("value", "best", "values", *ALGORITHMS)
COUNTS = ("nodes", "leaves", "cuts")
RUN_KEYS = (*COUNTS, "skipped", "bounds", *OPTIONS)


def read_expectation(data: Data, place: Place, exact: bool, report: Report) -> Expectation | None:
    """Return the expectation written at the root; whatever is wrong is reported."""
    return _Reader(exact, report).read(data, place)


def written_expectation(expect: Expectation) -> dict[str, object]:
    """Return an expectation as the grammar has it, with its numbers as they were written."""
    written = expect.written
    data: dict[str, object] = {}
    if expect.value is not None:
        data["value"] = NumberText(written.get(("value",)) or exact_text(expect.value))
    if expect.best is not None:
        data["best"] = expect.best
    if expect.values:
        data["values"] = {
            path: NumberText(written.get(("values", path)) or exact_text(value))
            for path, value in expect.values.items()
        }
    for run in expect.runs:
        entry: dict[str, object] = {}
        for key in COUNTS:
            count = getattr(run, key)
            if count is not None:
                entry[key] = NumberText(count)
        if run.skipped is not None:
            entry["skipped"] = list(run.skipped)
        if run.bounds is not None:
            entry["bounds"] = [NumberText(exact_text(end)) for end in run.bounds]
        for key, value in run.options.items():
            entry[key] = NumberText(value) if isinstance(value, int) else value
        if len(run.place) > 1:
            entries = data.setdefault(run.algorithm, [])
            assert isinstance(entries, list)
            entries.append(entry)
        else:
            data[run.algorithm] = entry
    return data


class _Reader:
    def __init__(self, exact: bool, report: Report) -> None:
        self.exact = exact
        self.tell = report
        self.written: dict[tuple[str | int, ...], str] = {}

    def report(self, place: Place, message: str) -> None:
        self.tell(place, f"expect: {message}")

    def read(self, data: Data, place: Place) -> Expectation | None:
        if data == "":
            return Expectation()  # to be filled in
        if not isinstance(data, tuple):
            self.report(
                place, f"found {described(data)}, expected a mapping with {', '.join(KEYS)}"
            )
            return None
        value: Number | None = None
        best: str | None = None
        values: dict[str, Number] = {}
        runs: list[RunExpectation] = []
        for key, body, where in self.pairs(data):
            if key == "value":
                value = self.number(body, where, (key,))
            elif key == "best":
                if isinstance(body, str) and body:
                    best = str(body)
                else:
                    hint = (
                        ": a label that starts with # must be quoted, as in best: '#2'"
                        if body == ""
                        else ""
                    )
                    self.report(
                        where,
                        f"found {described(body)} as the best action, expected its label{hint}",
                    )
            elif key == "values":
                values = self.values(body, where)
            elif key in ALGORITHMS:
                entries = body if isinstance(body, list) else [body]
                for index, entry in enumerate(entries):
                    at = Place(body, index) if isinstance(body, list) else where
                    run = self.run(
                        key, entry, at, (key, index) if isinstance(body, list) else (key,)
                    )
                    if run is not None:
                        runs.append(run)
            else:
                self.report(where._replace(of_key=True), unknown_key(key, KEYS))
        return Expectation(value, best, values, tuple(runs), self.written)

    def pairs(self, data: Data) -> list[tuple[str, Data, Place]]:
        found, seen = [], set()
        for index, (key, value) in enumerate(data):
            if key in seen:
                self.report(Place(data, index, True), f"duplicate key {quote(key)}: keep one")
            else:
                found.append((str(key), value, Place(data, index)))
            seen.add(key)
        return found

    def number(self, body: Data, where: Place, place: tuple[str | int, ...]) -> Number | None:
        if isinstance(body, str):
            try:
                value = to_number(body, self.exact)
            except NumberError as error:
                self.report(where, str(error))
                return None
            self.written[place] = str(body)
            return value
        self.report(
            where, f"{described(body)} is no number: write a decimal, or a fraction such as 1/3"
        )
        return None

    def values(self, body: Data, where: Place) -> dict[str, Number]:
        values: dict[str, Number] = {}
        if not isinstance(body, tuple):
            self.report(
                where,
                f"found {described(body)} under values, expected a mapping from path to number",
            )
            return values
        for path, text, at in self.pairs(body):
            value = self.number(text, at, ("values", path))
            if value is not None:
                values[path] = value
        return values

    def run(
        self, name: str, body: Data, where: Place, place: tuple[str | int, ...]
    ) -> RunExpectation | None:
        if not isinstance(body, tuple):
            self.report(
                where,
                f"found {described(body)} under {name}, expected a mapping with {', '.join(RUN_KEYS)}",
            )
            return None
        fields: dict[str, Any] = {}
        options: dict[str, int | str] = {}
        for key, text, at in self.pairs(body):
            if key in COUNTS:
                fields[key] = self.count(text, at)
            elif key == "skipped":
                fields[key] = self.paths(text, at)
            elif key == "bounds":
                fields[key] = read_bounds(text, self.exact, self.report, at)
            elif key in OPTIONS:
                option = OPTIONS[key]
                if option.algorithm != name:
                    self.report(
                        at._replace(of_key=True),
                        f"the key {quote(key)} is for {option.algorithm} only, not for {name}",
                    )
                value = text if option.values else self.count(text, at)
                if value is not None and not option.accepts(value):
                    self.report(at, f"found {described(text)} as {key}, expected {option.expected}")
                elif isinstance(value, (int, str)):
                    options[key] = value if isinstance(value, int) else str(value)
            else:
                self.report(at._replace(of_key=True), unknown_key(key, RUN_KEYS))
        return RunExpectation(name, place=place, options=options, **fields)

    def count(self, text: Data, where: Place) -> int | None:
        if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) <= 30:
            return int(text)
        self.report(where, f"found {described(text)} as a count, expected a whole number such as 5")
        return None

    def paths(self, body: Data, where: Place) -> tuple[str, ...] | None:
        items = body if isinstance(body, list) else [body]
        if all(isinstance(item, str) for item in items) and "" not in items:
            return tuple(map(str, items))
        hint = "; a path that starts with # must be quoted, as in ['#2']"
        self.report(
            where,
            f"found {described(body)} as skipped, expected a list of paths such as [a2/#2]{hint}",
        )
        return None
