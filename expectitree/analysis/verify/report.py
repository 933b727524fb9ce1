"""Check what a file expects against what is computed exactly: the report of `verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from expectitree.algorithms import algorithm
from expectitree.display import Shown
from expectitree.errors import AnalysisError, ExpectitreeError, FileError
from expectitree.numbers import Number, exact_text, message_text
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.searches.unknown import why_unknown
from expectitree.tree.expectation import Expectation, RunExpectation
from expectitree.tree.model import Tree, check_tree

Place: TypeAlias = tuple[str | int, ...]
_COUNTS = {"nodes": "visited", "leaves": "leaves_visited", "cuts": "cuts"}


class Hint(Enum):
    """Why an expectation does not hold, where that is not plain."""

    NO_BEST = "no best"  # the root is not a player's
    TIE = "tie"  # the expected action is as good, and comes later
    DIGITS = "digits"  # the value is what was written, with more digits


@dataclass(frozen=True)
class Check:
    """One expectation: what was expected, what was found."""

    what: str
    expected: str
    found: str
    kept: bool
    place: Place  # the keys within `expect` that lead to what was expected
    replacement: str | int | list[str] | Fraction | None = None  # what would hold in its place
    hint: Hint | ExpectitreeError | None = None


@dataclass(frozen=True)
class Verification(Shown):
    """One file: its checks, or why it is not a tree, or why it cannot be checked."""

    file: str
    checks: Sequence[Check] = ()
    error: FileError | None = None
    has_expect: bool = True
    unchecked: str | None = None  # why there are no checks of a tree that has an `expect`

    @property
    def broken(self) -> list[Check]:
        """The expectations that do not hold."""
        return [check for check in self.checks if not check.kept]


def verify(tree: Tree, *, file: str = "") -> Verification:
    """Check every expectation of a tree read with `exact=True`; the report calls it `file`.

    A tree with unknown utilities cannot be checked: then `unchecked` has the reason.
    """
    check_tree(tree)
    if not tree.exact:
        raise AnalysisError("expectations are checked exactly: read the tree with exact=True")
    if tree.expect is None or tree.expect == Expectation():
        return Verification(file, has_expect=False)
    if tree.unknown:
        return Verification(file, unchecked=why_unknown(tree))
    checks = list(_value_checks(tree, tree.expect))
    for run in tree.expect.runs:
        checks += _run_checks(tree, run)
    return Verification(file, checks)


def answers(tree: Tree) -> dict[str, object]:
    """Return an `expect` for the tree: value, best action, and the counts of Star1 and Star2.

    Raises `SearchError` where a utility is not known yet.
    """
    search = evaluate(tree)
    found: dict[str, object] = {"value": search.value}
    if search.best is not None:
        found["best"] = search.best
    for name in ("star1", "star2"):
        counts = evaluate(tree, name).counts
        found[name] = {"nodes": counts.visited, "leaves": counts.leaves_visited}
    return found


def _value_checks(tree: Tree, expect: Expectation) -> Iterator[Check]:
    search, best = evaluate(tree), expect.best
    if expect.value is not None:
        yield _number_check("value", expect, ("value",), expect.value, search.value)
    if best is not None:
        found, hint = search.best, None
        if found is None:
            hint = Hint.NO_BEST
        elif best != found and best in search.ties:
            hint = Hint.TIE
        yield Check("best", best, found or "none", best == found, ("best",), found, hint)
    for path, value in expect.values.items():
        what, place = f"value of {path}", ("values", path)
        try:
            node = tree.find(path)
        except ExpectitreeError as error:
            yield _missing(what, expect.written.get(place, ""), place, error)
        else:
            yield _number_check(what, expect, place, value, search.lower[node.id])


def _number_check(
    what: str, expect: Expectation, place: Place, expected: Number, found: Number
) -> Check:
    text = expect.written.get(place, exact_text(expected))
    kept = expected == found
    hint = Hint.DIGITS if not kept and _agrees_as_written(text, expected, found) else None
    shown = text if len(text) <= 40 else message_text(expected)
    return Check(what, shown, message_text(found), kept, place, Fraction(found), hint)


def _agrees_as_written(text: str, expected: Number, found: Number) -> bool:
    mantissa, _, exponent = text.lower().partition("e")
    if "/" in text:
        return False
    places = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return abs(Fraction(expected) - Fraction(found)) * 2 <= Fraction(10) ** -places


def _missing(what: str, expected: str, place: Place, error: ExpectitreeError) -> Check:
    """Return the check of an expectation about a node that is not there."""
    return Check(what, expected, "no such node", False, place, hint=error)


def _run_checks(tree: Tree, run: RunExpectation) -> Iterator[Check]:
    chosen = algorithm(run.algorithm, **run.options)
    name = chosen.full_name if run.options else chosen.name
    if run.bounds is not None:
        name += f" with bounds [{exact_text(run.bounds[0])}, {exact_text(run.bounds[1])}]"
    try:
        search = evaluate(tree, chosen, bounds=run.bounds)
    except ExpectitreeError as error:
        yield Check(name, "a search", "none", False, run.place, hint=error)
        return
    for key, attribute in _COUNTS.items():
        expected: int | None = getattr(run, key)
        if expected is not None:
            found: int = getattr(search.counts, attribute)
            what = f"{name}: {key if key == 'cuts' else f'{key} visited'}"
            place = (*run.place, key)
            yield Check(what, str(expected), str(found), expected == found, place, found)
    yield from _skip_checks(name, run, search)


def _skip_checks(name: str, run: RunExpectation, search: Search) -> list[Check]:
    place, instead = (*run.place, "skipped"), _all_skipped(search) if run.skipped else []
    checks = []
    for path in run.skipped or ():
        what = f"{name}: {path}"
        try:
            kept = not search.visited(path)
        except ExpectitreeError as error:
            checks.append(_missing(what, "not visited", place, error))
        else:
            found = "not visited" if kept else "visited"
            checks.append(Check(what, "not visited", found, kept, place, None if kept else instead))
    if any(isinstance(check.hint, ExpectitreeError) for check in checks):
        # A path may have a typing error: --write must not replace the list.
        return [replace(check, replacement=None) for check in checks]
    return checks


def _all_skipped(search: Search) -> list[str]:
    """Return the first path of each topmost node that a search never entered."""
    tree = search.tree
    parent = tree.first_paths.parent
    return [
        tree.path_of(n)
        for n in tree.first_paths.order
        if not search.visits[n] and (parent[n] < 0 or search.visits[parent[n]])
    ]
