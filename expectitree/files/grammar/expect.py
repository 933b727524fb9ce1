"""The grammar of `expect`: the answers that a tree file gives for itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from expectitree.algorithms import ALGORITHMS, OPTIONS
from expectitree.files.grammar.document import Data, Place
from expectitree.files.grammar.flow import NumberText
from expectitree.files.grammar.values import Report, ValueReader
from expectitree.files.grammar.words import described, unknown_key
from expectitree.numbers import Number, exact_text, quote
from expectitree.tree.expectation import Expectation, RunExpectation

KEYS = ("value", "best", "values", *ALGORITHMS)
COUNTS = ("nodes", "leaves", "cuts")
RUN_KEYS = (*COUNTS, "skipped", "bounds", *OPTIONS)

KeyPath: TypeAlias = tuple[str | int, ...]  # keys and indices below `expect`


def read_expectation(data: Data, place: Place, exact: bool, report: Report) -> Expectation | None:
    """Return the expectation written at the root; report every error."""
    return ExpectationReader(exact, report).read(data, place)


def written_expectation(expect: Expectation) -> dict[str, object]:
    """Return an expectation as plain data, with its numbers as they were written."""

    def number(value: Number, *key_path: str) -> NumberText:
        return NumberText(expect.written.get(key_path) or exact_text(value))

    data: dict[str, object] = {}
    if expect.value is not None:
        data["value"] = number(expect.value, "value")
    if expect.best is not None:
        data["best"] = expect.best
    if expect.values:
        data["values"] = {
            path: number(value, "values", path) for path, value in expect.values.items()
        }
    for run in expect.runs:
        previous = data.get(run.algorithm)
        if previous is None and len(run.place) <= 1:
            data[run.algorithm] = _written_run(run)
        else:
            previous = previous if isinstance(previous, list) else [previous] if previous else []
            data[run.algorithm] = [*previous, _written_run(run)]
    return data


def _written_run(run: RunExpectation) -> dict[str, object]:
    entry: dict[str, object] = {
        key: getattr(run, key) for key in COUNTS if getattr(run, key) is not None
    }
    if run.skipped is not None:
        entry["skipped"] = list(run.skipped)
    if run.bounds is not None:
        entry["bounds"] = [NumberText(exact_text(end)) for end in run.bounds]
    return {**entry, **run.options}


class ExpectationReader:
    """Reads one `expect`."""

    def __init__(self, exact: bool, report: Report) -> None:
        self.report_in_tree = report
        self.read_value = ValueReader(exact, self.report)
        self.written: dict[KeyPath, str] = {}

    def report(self, place: Place, message: str) -> None:
        self.report_in_tree(place, f"expect: {message}")

    def read(self, data: Data, place: Place) -> Expectation | None:
        if data == "":
            return Expectation()  # to be filled in
        if not isinstance(data, tuple):
            expected = f"expected a mapping with {', '.join(KEYS)}"
            self.report(place, f"found {described(data)}, {expected}")
            return None
        found: dict[str, Any] = {}
        runs: list[RunExpectation] = []
        for key, body, where in self.pairs(data):
            if key == "value":
                found[key] = self.number(body, where, (key,))
            elif key == "best":
                found[key] = self.label(body, where)
            elif key == "values":
                found[key] = self.numbers(body, where)
            elif key in ALGORITHMS:
                runs += self.runs(key, body, where)
            else:
                self.report(where._replace(of_key=True), unknown_key(key, KEYS))
        return Expectation(runs=tuple(runs), written=self.written, **found)

    def pairs(self, data: Data) -> Iterator[tuple[str, Data, Place]]:
        """Yield key, value and the value's place of each pair; report duplicate keys."""
        seen = set()
        for index, (key, value) in enumerate(data):
            if key in seen:
                self.report(Place(data, index, True), f"duplicate key {quote(key)}: keep one")
            else:
                yield str(key), value, Place(data, index)
            seen.add(key)

    def number(self, data: Data, where: Place, key_path: KeyPath) -> Number | None:
        value = self.read_value.number(data, where)
        if value is not None:
            self.written[key_path] = str(data)
        return value

    def numbers(self, data: Data, where: Place) -> dict[str, Number]:
        if not isinstance(data, tuple):
            expected = "expected a mapping from path to number"
            self.report(where, f"found {described(data)} under values, {expected}")
            return {}
        found = {
            path: self.number(text, at, ("values", path)) for path, text, at in self.pairs(data)
        }
        return {path: value for path, value in found.items() if value is not None}

    def label(self, data: Data, where: Place) -> str | None:
        if isinstance(data, str) and data:
            return str(data)
        hint = ": a label that starts with # must be quoted, as in best: '#2'" if data == "" else ""
        found = f"found {described(data)} as the best action"
        self.report(where, f"{found}, expected its label{hint}")
        return None

    def runs(self, name: str, data: Data, where: Place) -> Iterator[RunExpectation]:
        """Yield the expectations of one algorithm: one, or each of a list."""
        if isinstance(data, list):
            for index, entry in enumerate(data):
                yield from self.run(name, entry, Place(data, index), (name, index))
        else:
            yield from self.run(name, data, where, (name,))

    def run(
        self, name: str, data: Data, where: Place, key_path: KeyPath
    ) -> Iterator[RunExpectation]:
        if not isinstance(data, tuple):
            expected = f"expected a mapping with {', '.join(RUN_KEYS)}"
            self.report(where, f"found {described(data)} under {name}, {expected}")
            return
        fields: dict[str, Any] = {}
        options: dict[str, int | str] = {}
        for key, text, at in self.pairs(data):
            if key in COUNTS:
                fields[key] = self.read_value.count(text, at)
            elif key == "skipped":
                fields[key] = self.paths(text, at)
            elif key == "bounds":
                fields[key] = self.read_value.bounds(text, at)
            elif key in OPTIONS:
                value = self.option(name, key, text, at)
                if value is not None:
                    options[key] = value
            else:
                self.report(at._replace(of_key=True), unknown_key(key, RUN_KEYS))
        yield RunExpectation(name, place=key_path, options=options, **fields)

    def option(self, name: str, key: str, data: Data, where: Place) -> int | str | None:
        """Return the value of an option of an algorithm."""
        option = OPTIONS[key]
        if option.algorithm != name:
            message = f"the key {quote(key)} is for {option.algorithm} only, not for {name}"
            self.report(where._replace(of_key=True), message)
        value = data if option.values else self.read_value.count(data, where)
        if value is None and not option.values:
            return None  # reported already
        if not option.accepts(value):
            self.report(where, f"found {described(data)} as {key}, expected {option.expected}")
            return None
        return value if isinstance(value, int) else str(value)

    def paths(self, data: Data, where: Place) -> tuple[str, ...] | None:
        items = data if isinstance(data, list) else [data]
        if all(isinstance(item, str) and item for item in items):
            return tuple(map(str, items))
        hint = "; a path that starts with # must be quoted, as in ['#2']"
        expected = f"expected a list of paths such as [a2/#2]{hint}"
        self.report(where, f"found {described(data)} as skipped, {expected}")
        return None
