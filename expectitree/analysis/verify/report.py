"""Check what a file expects against what is computed exactly, or write that into the file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from expectitree.analysis.verify.edit import Place, replace_text, rewritten
from expectitree.base.algorithms import algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import ExpectitreeError, FileError, SearchError, TreeError
from expectitree.base.numbers import (
    Number,
    are_near,
    display_text,
    exact_text,
    is_finite,
    message_text,
    number_text,
    to_exact,
)
from expectitree.base.rounding import Rounded
from expectitree.base.tree.formulas import Expectation, PointExpectation, RunExpectation
from expectitree.base.tree.model import FLOAT_UNIT, Tree, check_tree
from expectitree.base.tree.paths import ROOT, composed
from expectitree.base.tree.replacing import set_parameters
from expectitree.base.tree.transform import in_fractions
from expectitree.files import load, loads, read_text
from expectitree.files.formats import FORMATS, format_by_suffix, format_of_text
from expectitree.files.grammar.document import error_in
from expectitree.files.grammar.expect import number_texts
from expectitree.files.rows import Warn
from expectitree.files.sources import UnreadableError
from expectitree.files.writing import OutputFile
from expectitree.searches.engine import search_tree
from expectitree.searches.result import Search
from expectitree.searches.unknown import why_unknown
from expectitree.text.json_values import Fields, fields_of

UNREAD, NO_TREE = "cannot be read", "not a tree"  # the faults of a file
_COUNTS = {"nodes": "visited", "leaves": "leaves_visited", "cuts": "cuts"}


@dataclass(frozen=True)
class Check:
    """One expectation, and the result that was found."""

    what: str
    expected: str
    found: str
    kept: bool
    place: Place = field(repr=False)  # the keys within `expect` that lead to what was expected
    # What would hold: a text, a number, a list, a mapping.
    replacement: object = field(default=None, repr=False)
    hint: str = ""  # why it does not hold, where that is not plain

    @property
    def text(self) -> str:
        """What was expected and found, and the hint."""
        text = f"{self.what}: expected {self.expected}, found {self.found}"
        if self.hint:
            text += f" ({self.hint})"
        return text


@dataclass(frozen=True)
class Verification(Shown):
    """The expectations of one file, checked; `verify` makes it.

        >>> import expectitree as et
        >>> found = et.verify(et.loads("{expect: {value: 3}, max: [1, 2]}"))
        >>> [(check.what, check.expected, check.found) for check in found.broken]
        [('value', '3', '2')]

    Attributes:
        file: The name of the tree in outputs.
        checks: One for each expectation, with `what`, `expected`, `found` and `kept`.
        error: Why the file is not a tree, if it is not.
        has_expect: Whether the file expects anything.
        unchecked: Why there are no checks of a tree that expects something.
        warnings: The warnings of the tree.
        is_game: Whether this is a game, with one check of its rules.
    """

    question = "verify"

    file: str
    checks: Sequence[Check] = ()
    error: FileError | None = None
    has_expect: bool = True
    unchecked: str | None = None
    warnings: Sequence[str] = ()
    is_game: bool = False

    @property
    def broken(self) -> list[Check]:
        """The expectations that do not hold."""
        return [check for check in self.checks if not check.kept]

    @property
    def fault(self) -> str | None:
        """What is wrong with the file itself, if anything is."""
        if self.error is None:
            return None
        if isinstance(self.error, UnreadableError):
            return UNREAD
        return NO_TREE

    @property
    def is_bad(self) -> bool:
        """Whether the file is not a tree, cannot be checked or has a broken expectation."""
        return self.error is not None or self.unchecked is not None or bool(self.broken)

    def to_records(self) -> list[dict[str, Any]]:
        """Return a flat dict for each expectation, with its `what`, `expected`, `found`, `kept`."""
        return [{"file": self.file, **fields_of(check)} for check in self.checks]

    def json_fields(self) -> Fields:
        """Return the fields for JSON."""
        about: Fields = {"file": self.file}
        if self.warnings:
            about["warnings"] = self.warnings
        return about | {
            "tree": self.error is None,
            "expect": self.has_expect and self.error is None,
            "kept": not self.is_bad,
            "errors": str(self.error or self.unchecked or "").splitlines(),
            "checks": self.checks,
        }


def verify(tree: Tree, *, file: str = "") -> Verification:
    """Check that a tree has the results that its file expects.

        >>> import expectitree as et
        >>> et.verify(et.load("example:risk")).broken
        []

    Results are checked exactly. Those that have no exact value, because of a formula or an attitude
    to risk, are checked to the digits that are written.

    Args:
        tree: The tree. If a utility is not known, nothing is checked, and `unchecked` has the
            reason.
        file: The name of the tree in outputs.
    """
    check_tree(tree)
    tree = in_fractions(tree)
    if tree.expect is None or tree.expect == Expectation():
        return Verification(file, has_expect=False)
    if tree.unknown:
        return Verification(file, unchecked=str(SearchError(why_unknown(tree))))
    runs = (check for run in tree.expect.runs for check in _run_checks(tree, run))
    points = (c for at, point in enumerate(tree.expect.at) for c in _point_checks(tree, point, at))
    return Verification(file, [*_value_checks(tree, tree.expect), *points, *runs])


def verify_file(
    path: str | os.PathLike[str],
    *,
    warn: Warn | None = None,
    parameters: Mapping[str, str] | None = None,
) -> Verification:
    """Check every expectation of a file, or report the error in it."""
    file = os.fspath(path)
    try:
        tree = load(path, exact_nodes=sys.maxsize, warn=warn)
        if parameters:  # `expect` is about the parameters in the file, and asked about others
            tree = set_parameters(tree, parameters).changed(expect=tree.expect)
    except FileError as error:
        return Verification(file, error=error)
    return replace(verify(tree, file=file), warnings=tree.warnings)


def _value_checks(tree: Tree, expect: Expectation) -> Iterator[Check]:
    search = search_tree(tree)
    best = composed(expect.best or "")
    if expect.value is not None:
        yield _number_check("value", search, expect, ("value",), expect.value)
    if best:
        hint = ""
        kept = best == composed(search.best or "")
        if search.best is None:
            hint = "the root is not a player's, so it has no best action: remove `best`"
        elif not kept and best in map(composed, search.ties):
            hint = "it is worth as much, and comes later"
        yield Check("best", best, search.best or "none", kept, ("best",), search.best, hint)
    for path, value in expect.values.items():
        yield _number_check(f"value of {path}", search, expect, ("values", path), value)


def _point_checks(tree: Tree, point: PointExpectation, index: int) -> Iterator[Check]:
    """Yield the checks of an entry of `at`: the tree at other values of its parameters."""
    at = f"at {', '.join(f'{name} = {value}' for name, value in point.settings.items())}"
    place: Place = ("at", index)
    try:
        varied = tree.with_parameters(**point.settings)
        search = search_tree(varied)
    except ExpectitreeError as error:
        yield Check(at, "a tree", "none", False, place, hint=str(error))
        return
    checks = [*_value_checks(varied, point.expect)]
    if not checks:
        found: Fields = {"set": number_texts(point.settings), "value": search.value}
        if search.best is not None:
            found["best"] = search.best
        yield Check(at, "a value to compare with", found_text(search.value), False, place, found)
    for check in checks:
        yield replace(check, what=f"{at}: {check.what}", place=(*place, *check.place))


def _number_check(
    what: str, search: Search, expect: Expectation, place: tuple[str, ...], expected: Number
) -> Check:
    text = expect.written.get(place, exact_text(expected))
    shown = text
    if len(text) > 40:
        shown = message_text(expected)
    try:
        found = search.value_of("".join(place[1:]) or ROOT)
    except ExpectitreeError as error:
        return Check(what, shown, "no such node", False, place, hint=str(error))
    kept = expected == found
    hint = ""
    if not kept and search.tree.roundoff and is_finite(expected):  # its values are rounded
        slack = to_exact(search.eps) + abs(to_exact(found)) * Fraction(FLOAT_UNIT)  # of a float
        kept = are_near(to_exact(expected), to_exact(found), slack)
    if not kept and agrees_as_written(text, expected, found):
        kept = bool(search.tree.roundoff) or not is_writable(found)
        if not kept:
            hint = f"{shown} is rounded: write the exact value, or use --write"
    return Check(what, shown, found_text(found), kept, place, written(found), hint)


def found_text(found: Number) -> str:
    """Return a number for a message; a long one with its rounded decimal."""
    text = message_text(found)
    if len(text) > 12:
        return f"{text}, about {display_text(found)}"
    return text


def written(found: Number) -> Number:
    """Return a number to write: a float has as many digits as every machine finds.

    So has a fraction that is too long for a file, such as the value of a cohort after 40 years.
    """
    if isinstance(found, (float, Rounded)) or not is_writable(found):
        return float(f"{float(found):.9g}")
    return Fraction(found)


def is_writable(number: Number) -> bool:
    """Return whether a file can have an exact number."""
    try:
        number_text(number)
    except TreeError:
        return False
    return True


def agrees_as_written(text: str, expected: Number, found: Number) -> bool:
    """Return whether a decimal is another number, rounded to the decimals that are written."""
    mantissa, _, exponent = text.lower().partition("e")
    if "/" in text:
        return False
    places = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return abs(Fraction(expected) - Fraction(found)) * 2 <= Fraction(10) ** -places


def _run_checks(tree: Tree, run: RunExpectation) -> Iterator[Check]:
    chosen = algorithm(run.algorithm, **run.options)
    name = chosen.name
    if run.options:
        name = chosen.full_name
    if run.bounds is not None:
        name += f" with bounds [{exact_text(run.bounds[0])}, {exact_text(run.bounds[1])}]"
    try:
        search = search_tree(tree, chosen, bounds=run.bounds)
    except ExpectitreeError as error:
        yield Check(name, "a search", "none", False, run.place, hint=str(error))
        return
    for key, attribute in _COUNTS.items():
        expected = getattr(run, key)
        if expected is not None:
            found = getattr(search.counts, attribute)
            what = f"{name}: {key}"
            if key != "cuts":
                what += " visited"
            kept = expected == found
            place = (*run.place, key)
            yield Check(what, str(expected), str(found), kept, place, found)
    yield from _skip_checks(name, run, search)


def _skip_checks(name: str, run: RunExpectation, search: Search) -> Iterator[Check]:
    place = (*run.place, "skipped")
    expected = "not visited"
    for path in run.skipped or ():
        what = f"{name}: {path}"
        found = expected
        try:
            if search.visited(path):
                found = "visited"
        except ExpectitreeError as error:
            yield Check(what, expected, "no such node", False, place, hint=str(error))
        else:
            kept = found == expected
            yield Check(what, expected, found, kept, place, _all_skipped(search))


def _all_skipped(search: Search) -> list[str]:
    """Return the first path of each topmost node that a search never entered."""
    tree = search.tree
    parent = tree.first_paths.parent
    return [
        tree.path_of(n)
        for n in tree.first_paths.order
        if not search.visits[n] and (parent[n] < 0 or search.visits[parent[n]])
    ]


def refresh(path: str | os.PathLike[str]) -> Verification:
    """Write the results of a tree into the `expect` of its file, and return what then holds.

    Expectations that hold stay as written. A file without expectations gets some. All else stays
    as it is.

        >>> import expectitree as et
        >>> et.refresh("game.yaml").broken  # doctest: +SKIP
        []

    Args:
        path: A tree file in YAML or JSON.

    Raises:
        FileError: The file is not a tree, cannot be written, or cannot be changed without loss. It
            is then as it was, with any edit made while this function ran.
        SearchError: A utility is not known.
    """
    format = format_by_suffix(path) or FORMATS["yaml"]
    if not format.is_text:
        message = "expect cannot be written into a table\nconvert it to YAML or JSON first"
        raise error_in(os.fspath(path), message)
    file = OutputFile(os.fspath(path))
    text, name = read_text(path)
    if (row := format_of_text(text, name)).is_foreign:
        message = f"expect cannot be written into {row.title}\nconvert it to YAML or JSON first"
        raise error_in(name, message)
    tree = _read(text, name)
    before = verify(tree, file=name)
    # A path that is missing may have a typing error: what holds it is not replaced.
    kept = {check.place for check in before.broken if check.replacement is None}
    replacements = {c.place: c.replacement for c in before.broken if c.place not in kept}
    if not before.checks:
        replacements = {(): _answers(tree)}
    changed = rewritten(text, format, replacements)
    try:
        after = verify(_read(changed, name), file=name)
        holds = not any(check.place in replacements for check in after.broken)
    except FileError:
        holds = False
    if not holds:
        raise error_in(name, "the new `expect` would not hold\nchange it by hand")
    if changed != text:
        replace_text(file, changed)
    return after


def _answers(tree: Tree) -> Fields:
    """Return an `expect` for a tree whose utilities are known."""
    search = search_tree(tree)
    answers: Fields = {"value": written(search.value)}
    if search.best is not None:
        answers["best"] = search.best
    return answers


def _read(text: str, name: str) -> Tree:
    """Return the tree of a text, with exact numbers at any size."""
    return loads(text, name=name, exact_nodes=sys.maxsize)
