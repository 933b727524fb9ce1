"""Check what a file expects against what is computed exactly: the report of `verify`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from expectitree.algorithms import algorithm
from expectitree.display import Shown
from expectitree.errors import AnalysisError, ExpectitreeError, FileError
from expectitree.numbers import Number, exact_text, message_text
from expectitree.searches.engine import evaluate
from expectitree.searches.result import Search
from expectitree.searches.unknown import why_unknown
from expectitree.tree.expectation import Expectation, RunExpectation
from expectitree.tree.model import Tree, check_tree

Place = tuple[str | int, ...]
_COUNTS = {"nodes": "visited", "leaves": "leaves_visited", "cuts": "cuts"}


@dataclass(frozen=True)
class Check:
    """One expectation: what was expected, what was found."""

    what: str
    expected: str
    found: str
    kept: bool
    hint: str = ""
    place: Place = ()  # the keys within `expect` that lead to what was expected
    replacement: str | int | list[str] | Fraction | None = None  # what would hold in its place


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
    return Verification(file, [*_value_checks(tree, tree.expect), *_run_checks(tree, tree.expect)])


def answers(tree: Tree) -> dict[str, object]:
    """Return an `expect` for the tree: value, best action, and the counts of Star1 and Star2.

    Raises `SearchError` where a utility is not known yet.
    """
    found: dict[str, object] = {}
    search = evaluate(tree)
    found["value"] = search.value
    if search.best is not None:
        found["best"] = search.best
    for name in ("star1", "star2"):
        counts = evaluate(tree, name).counts
        found[name] = {"nodes": counts.visited, "leaves": counts.leaves_visited}
    return found


def _value_checks(tree: Tree, expect: Expectation) -> Iterator[Check]:
    search = evaluate(tree)
    if expect.value is not None:
        yield _number_check("value", expect, ("value",), expect.value, search.value)
    if expect.best is not None:
        found = search.best
        hint, kept = "", expect.best == found
        if found is None:
            hint = "the root is not a player's, so it has no best action: take `best` out"
        elif not kept and expect.best in search.ties:
            hint = "it is worth as much, and comes later"
        yield Check("best", expect.best, found or "none", kept, hint, ("best",), found)
    for path, value in expect.values.items():
        place = ("values", path)
        try:
            node = tree.find(path)
        except ExpectitreeError as error:
            expected = expect.written.get(place, "")
            yield Check(f"value of {path}", expected, "no such node", False, str(error), place)
            continue
        yield _number_check(f"value of {path}", expect, place, value, search.lower[node.id])


def _number_check(
    what: str, expect: Expectation, place: Place, expected: Number, found: Number
) -> Check:
    text = expect.written.get(place, exact_text(expected))
    kept = expected == found
    hint = ""
    if not kept and _agrees_as_written(text, expected, found):
        hint = f"only the digits written agree: write {message_text(found)}"
    shown = text if len(text) <= 40 else message_text(expected)
    return Check(what, shown, message_text(found), kept, hint, place, Fraction(found))


def _agrees_as_written(text: str, expected: Number, found: Number) -> bool:
    mantissa, _, exponent = text.lower().partition("e")
    if "/" in text:
        return False
    places = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return abs(Fraction(expected) - Fraction(found)) * 2 <= Fraction(10) ** -places


def _run_checks(tree: Tree, expect: Expectation) -> Iterator[Check]:
    for run in expect.runs:
        chosen = algorithm(run.algorithm, **run.options)
        name = chosen.full_name if run.options else chosen.name
        if run.bounds is not None:
            name += f" with bounds [{exact_text(run.bounds[0])}, {exact_text(run.bounds[1])}]"
        try:
            search = evaluate(tree, chosen, bounds=run.bounds)
        except ExpectitreeError as error:
            yield Check(name, "a search", "none", False, str(error), run.place)
            continue
        yield from _count_checks(name, run, search)
        yield from _skip_checks(name, run, search)


def _count_checks(name: str, run: RunExpectation, search: Search) -> Iterator[Check]:
    for key, attribute in _COUNTS.items():
        expected: int | None = getattr(run, key)
        if expected is not None:
            found: int = getattr(search.counts, attribute)
            what = "cuts" if key == "cuts" else f"{key} visited"
            place, kept = (*run.place, key), expected == found
            yield Check(f"{name}: {what}", str(expected), str(found), kept, "", place, found)


def _skip_checks(name: str, run: RunExpectation, search: Search) -> Iterator[Check]:
    # --write must not replace the list if a path in it has a typing error.
    known = all(_is_there(search.tree, path) for path in run.skipped or ())
    for path in run.skipped or ():
        place = (*run.place, "skipped")
        what = f"{name}: {path}"
        try:
            visited = search.visited(path)
        except ExpectitreeError as error:
            yield Check(what, "not visited", "no such node", False, str(error), place)
            continue
        found = "visited" if visited else "not visited"
        instead = _all_skipped(search) if visited and known else None
        yield Check(what, "not visited", found, not visited, "", place, instead)


def _is_there(tree: Tree, path: str) -> bool:
    try:
        tree.find(path)
    except ExpectitreeError:
        return False
    return True


def _all_skipped(search: Search) -> list[str]:
    """Return the first path of each topmost node that a search never entered."""
    tree = search.tree
    parent = tree.first_paths.parent
    return [
        tree.path_of(n)
        for n in tree.first_paths.order
        if not search.visits[n] and (parent[n] < 0 or search.visits[parent[n]])
    ]
