"""Every command gives the same answer for a tree: the one on paper, rounded once.

Each test takes random trees as text (`random_documents`) to one command, and compares what it
prints, draws or returns with the definition in fractions (`paper`). A number in JSON, on the page
or in Python must be the float nearest to the exact one. Its text must be the exact number with six
digits or two decimals. Ties must be those on paper.

A pruning search need not prove every tie. It proves the first one, as its order is that of the
file; best-first may prove another.
"""

from __future__ import annotations

import csv
import json
import re
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache, cached_property, partial
from html import unescape
from math import isclose
from pathlib import Path
from random import Random
from typing import Any

import paper
import pytest
import yaml
from helpers import LONG, invoke
from oracle import gain_sign
from paper import Branch, shown
from random_documents import MAX_LENGTH, as_text, random_document, with_parameter, with_value

import expectitree as et

# What beginners write first: a rare event with a great amount, "never", a fair game.
EXAMPLES: dict[str, dict[str, Any]] = yaml.load(
    """
insurance:
  max:
    bare: {chance: {accident: {p: 1e-9, utility: -1e10}, none: {p: rest, utility: 0}}}
    insure: -1
never: {max: {ruin: -1e12, a: 1, b: 900}}
fair:
  max:
    c: {chance: [0.1, 0.2, -0.3]}
    d: {chance: {x: {p: 1/6, utility: -20}, y: {p: 5/6, utility: 4}}}
powerball:
  max:
    buy: {cost: 2, chance: {win: {p: 1/292201338, utility: 480e6}, lose: {p: rest, utility: 0}}}
    pass: 0
fire:
  max:
    bare: {chance: {fire: {p: 1e-8, utility: -1e8}, none: {p: rest, utility: 0}}}
    insure: -0.98
far: {max: {sum: {chance: [1e16, 1, -1e16]}, third: 1/3, less: 0.3333333333}}
near: {max: {a: 1, b: 1.0000000000000001, c: 1.0000000000000000000000002}}
never for MIN: {min: {ruin: 1e12, a: -1, b: -900}}
refund: {max: {drill: {cost: -20, utility: 1}, wait: 0}}
impossible: {chance: {x: {p: 0, max: [7, 8]}, y: {p: rest, utility: 1}}}
""",
    yaml.BaseLoader,  # which leaves numbers as text
)
RESULTS = {
    "insurance": (["insure"], "−1"),
    "never": (["b"], "900"),
    "fair": (["c", "d"], "0"),
    "powerball": (["pass"], "0"),
    "fire": (["insure"], "−0.98"),
    "far": (["sum", "third"], "0.333333"),
    "near": (["b"], "1"),
    "never for MIN": (["b"], "−900"),
    "refund": (["drill"], "21"),
    "impossible": ([], "1"),
}
QUICK = range(8)
MANY = [range(8, 120), pytest.param(range(120, 1560), marks=LONG)]
MIN_ROOT = Decimal("1e-300")
WIDE = {"COLUMNS": "250"}  # no line is broken


@dataclass(frozen=True)
class Case:
    """A file, and what it means on paper."""

    seed: int
    path: Path
    document: dict[str, Any]

    @cached_property
    def text(self) -> str:
        return as_text(self.document, quoted=self.seed % 2 == 0)

    @cached_property
    def root(self) -> Branch:
        return paper.read(self.document)

    @cached_property
    def branches(self) -> dict[str, Branch]:
        return paper.by_path(self.root)

    @property
    def value(self) -> Fraction:
        return self.root.value

    @property
    def best(self) -> str | None:
        return next(iter(self.ties), None)

    @property
    def ties(self) -> tuple[str, ...]:
        return self.root.child.best

    @property
    def search(self) -> str:
        """The algorithm of this case, where one is enough."""
        return [*et.ALGORITHMS][self.seed % len(et.ALGORITHMS)]

    def run(self, command: str, *options: str) -> str:
        """Return what a command prints for the file; it must end well."""
        words = command.split()
        self.path.write_text(self.text, encoding="utf-8")
        return run(words[0], str(self.path), *words[1:], *options)

    def objects(self, command: str) -> list[Any]:
        """Return what a command prints as JSON, an object a line."""
        return [json.loads(line) for line in self.run(f"{command} --format json").splitlines()]


@cache
def case_of(seed: int, folder: Path) -> Case:
    return Case(seed, folder / f"{seed}.yaml", random_document(seed))


def run(*words: str) -> str:
    done = invoke(*words, **WIDE)
    ended = f"{words[0]} ends with {done.exit_code}: {done.exception!r} {done.output[-300:]}"
    assert done.exit_code == 0, ended
    return done.stdout


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("agreement")


# ---- Comparisons.


def same(what: str, found: object, expected: object) -> None:
    assert found == expected, f"{what}: found {found!r}, on paper {expected!r}"


def same_number(what: str, found: Any, value: Fraction, is_exact: bool = False) -> None:
    """Check a number of JSON or Python: the nearest float, or with `--exact` the fraction."""
    if is_exact:
        same(what, found, str(value))
        return
    assert isinstance(found, (int, float)), f"{what}: found {found!r}, expected a float"
    same(what, float(found), float(value))


def same_ties(what: str, algorithm: str, best: Any, ties: Iterable[str], case: Case) -> None:
    """Check the best actions that a search reports."""
    if algorithm == "expectiminimax":
        same(f"{what}: ties", tuple(ties), case.ties)
    assert {*ties} <= {*case.ties}, f"{what}: ties {ties}, on paper {case.ties}"
    if algorithm == "best-first":
        assert best in (case.ties or (None,)), f"{what}: best {best}, on paper {case.ties}"
    else:
        same(f"{what}: best", best, case.best)


def same_fields(what: str, found: dict[str, Any], case: Case, is_exact: bool = False) -> None:
    """Check the fields of a search in JSON."""
    what = f"{what} {found.get('algorithm', '')}"
    same_number(f"{what}: value", found["value"], case.value, is_exact)
    same_ties(what, found.get("algorithm", ""), found["best"], found["ties"], case)


def contains(what: str, interval: Any, value: Fraction, is_proved: bool = False) -> None:
    """Check that an interval contains the value; if it is proved, that it is the value."""
    lower, upper = (float(end) for end in interval)
    assert lower <= float(value) <= upper, f"{what}: {interval}, on paper {float(value)!r}"
    if is_proved or lower == upper:
        same(what, (lower, upper), (float(value),) * 2)


# ---- Each check takes a case, and fails with a message of one line.


def eval_text(case: Case) -> None:
    """The summary, the first line, and every value in the outline."""
    text = case.run("eval")
    check_summary("eval", text, case)
    kinds = {"max": "MAX", "min": "MIN", "chance": "CHANCE"}
    known = {(kinds.get(b.child.kind), shown(b.value)) for b in case.branches.values()}
    found = {*re.findall(r"[▲▼●] (MAX|MIN|CHANCE) (\S+)", text)}
    assert found <= known, f"eval: prints {found - known}, which is the value of no node"
    same("eval: first line", [*roots(text)][:1], [shown(case.value)])


def roots(text: str) -> Iterator[str]:
    """Yield the values of the roots in an outline."""
    start = r"^(?:(?:cost|reward) \S+ +)?[▲▼●] (?:MAX|MIN|CHANCE) "
    yield from re.findall(start + r"(\S+)", text, re.MULTILINE)


def check_summary(what: str, text: str, case: Case, algorithm: str = "expectiminimax") -> None:
    facts = dict(re.findall(r"^(?:expected )?(value|best) +(.*)$", text, re.MULTILINE))
    same(f"{what}: value", facts["value"], shown(case.value))
    if case.best is None:
        assert "best" not in facts
        return
    best, _, others = facts["best"].partition("  (worth as much: ")
    ties = [best, *others.removesuffix(")").split(", ")] if others else [best]
    same_ties(what, algorithm, best, ties, case)


def eval_json(case: Case, is_exact: bool = False) -> None:
    """Every node of the tree."""
    (found,) = case.objects("eval --exact" if is_exact else "eval")
    same_fields("eval", found, case, is_exact)
    nodes = found["nodes"]

    def check(path: str, branch: Branch, written: dict[str, Any]) -> None:
        if "ref" in written:
            assert str(written["ref"]) in nodes or written["ref"] in ids
            return
        ids.add(written.get("id"))
        node, where = branch.child, f"eval: {path}"
        if node.kind == "terminal":
            same_number(f"{where} utility", written["utility"], node.utility, is_exact)
        for end in ("lower", "upper"):
            same_number(f"{where} {end}", written[end], node.value, is_exact)
        same(f"{where} best", written.get("best"), next(iter(node.best), None))
        for below, fields in zip(node.branches, written.get("children", ()), strict=True):
            same(f"{where} label", fields["label"], below.label)
            paid = fields.get("reward", "0" if is_exact else 0)
            same_number(f"{where}/{below.label} reward", paid, below.reward, is_exact)
            if node.kind == "chance":
                same_number(f"{where}/{below.label} p", fields["p"], below.p, is_exact)
            check(f"{path.rstrip('/')}/{below.label}", below, fields)

    ids: set[Any] = set()
    check("", case.root, found["tree"])


def eval_algorithms(case: Case) -> None:
    """Each algorithm in JSON, and one of them in text."""
    for name in et.ALGORITHMS:
        (found,) = case.objects(f"eval -a {name}")
        same_fields("eval", found, case)
    check_summary(f"eval -a {case.search}", case.run(f"eval -a {case.search}"), case, case.search)


def eval_strategy(case: Case) -> None:
    """The strategy has the first best action at the root."""
    text = case.run("eval --strategy")
    check_summary("eval --strategy", text, case)
    same("eval --strategy: first line", [*roots(text)][:1], [shown(case.value)])
    starred = re.findall(r"^[├└]─★ (\S+)", text, re.MULTILINE)
    same("eval --strategy: best", starred, [case.best] if case.best else [])


def compare_text(case: Case) -> None:
    """All rows of the table have the value and the best action."""
    lines = case.run("compare").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("algorithm"))
    heads = re.split(r" {2,}", lines[start].strip())
    rows = [re.split(r" {2,}", line) for line in lines[start + 1 : lines.index("", start)]]
    same("compare: algorithms", [row[0].split()[0] for row in rows], [*et.ALGORITHMS])
    for row in rows:
        found = dict(zip(heads, row, strict=True))
        same(f"compare {row[0]}: value", found["value"], shown(case.value))
        if case.best is not None:
            same_ties("compare", found["algorithm"], found["best"], case.ties, case)


def compare_json(case: Case, is_exact: bool = False) -> None:
    """All rows, in JSON and CSV."""
    (found,) = case.objects("compare --exact" if is_exact else "compare")
    same("compare: algorithms", [row["algorithm"] for row in found["rows"]], [*et.ALGORITHMS])
    for row in found["rows"]:
        same_fields("compare", row, case, is_exact)
    if not is_exact:
        for cells in csv.DictReader(case.run("compare --format csv").splitlines()):
            same_number(f"compare csv {cells['algorithm']}", float(cells["value"]), case.value)


def trace_text(case: Case) -> None:
    """The last sentence of a trace."""
    name = case.search
    end = " ".join(case.run(f"trace -a {name}").split("\n\n")[-1].split())
    match = re.search(r"The value is (\S+?)(?:, and the best action is (\S+))?\.$", end)
    assert match, f"trace: ends with {end}"
    same(f"trace -a {name}: value", match[1], shown(case.value))
    same_ties(f"trace -a {name}", name, match[2], case.ties, case)


def trace_json(case: Case) -> None:
    """The end of a trace, and each step of expectiminimax."""
    name = case.search
    same_fields("trace", case.objects(f"trace -a {name}")[-1] | {"algorithm": name}, case)
    for event in case.objects("trace")[1:-1]:
        value = case.branches[event["path"]].child.value
        contains(f"trace: {event['path']}", (event["lower"], event["upper"]), value, True)


def limit_json(case: Case, is_exact: bool = False) -> None:
    """The value, the leaves and the bounds."""
    if "nodes" in case.document:  # shared nodes, which limit refuses
        return
    (found,) = case.objects("limit --exact" if is_exact else "limit")
    same_fields("limit", found | {"algorithm": "expectiminimax"}, case, is_exact)
    leaves = {b.child for b in case.branches.values() if b.child.kind == "terminal"}
    same("limit: leaves", found["leaves"], len(leaves))
    if any(branch.reward for branch in case.branches.values()):
        return
    for bound, end in zip(found["bounds"], (min, max), strict=True):
        same_number("limit: bounds", bound, end(leaf.utility for leaf in leaves), is_exact)


def limit_text(case: Case) -> None:
    """The sentence that has the value."""
    if "nodes" in case.document:  # shared nodes, which limit refuses
        return
    text = " ".join(case.run("limit").split())
    value = re.search(r"proves? the value (\S+?)[,.:] ", text)
    assert value, f"limit: {text}"
    same("limit: value", value[1], shown(case.value))


def risk_json(case: Case, is_exact: bool = False) -> None:
    """Means and stars; the rest is that of the exact report, which enumeration checks, rounded."""
    (found,) = case.objects("risk --exact" if is_exact else "risk")
    tree, actions = loaded(case), worth_of_actions(case)
    report: Any = et.risk(tree, exact=True)
    same("risk: decision maker", found["decision_maker"], "MAX" if gain_sign(tree) > 0 else "MIN")
    same("risk: actions", [one["action"] for one in found["actions"]], [*actions])
    for one, exact in zip(found["actions"], report.actions, strict=True):
        label = one["action"]
        same_number(f"risk {label}: mean", one["mean"], actions[label], is_exact)
        if case.ties:
            same(f"risk {label}: is_best", one["is_best"], label in case.ties)
        fields = exact.json_fields()
        for name in ("min", "max", "loss", "cvar"):
            same_number(f"risk {label}: {name}", one[name], fields[name], is_exact)
        same_root(f"risk {label}: sd", one["sd"], exact.variance)
        for share, total in one["quantiles"].items():
            value = exact.quantiles[share]
            same_number(f"risk {label}: quantile {share}", total, value, is_exact)
        for pair, expected in zip(one["distribution"], fields["distribution"], strict=True):
            for part, value in zip(pair, expected, strict=True):
                same_number(f"risk {label}: distribution", part, value, is_exact)
    same("risk: dominance", found["dominance"], [vars(one) for one in report.dominance])


def risk_text(case: Case) -> None:
    """The column of means, and the stars."""
    rows = case.run("risk").split("\n\n")[1].splitlines()[1:]
    if case.ties:
        for row, (label, value) in zip(rows, worth_of_actions(case).items(), strict=True):
            name, star, number = re.match(r"(\S+)( ★)? +(\S+)", row).groups()  # type: ignore[union-attr]
            same("risk: action", name, label)
            same(f"risk {label}: star", bool(star), label in case.ties)
            same(f"risk {label}: mean", number, shown(value))


def worth_of_actions(case: Case) -> dict[str | None, Fraction]:
    """Return the value of each action at the root, or that of the tree."""
    if not case.ties:
        return {None: case.value}
    return {b.label: b.value + case.root.reward for b in case.root.child.branches}


def same_root(what: str, found: float, square: Fraction) -> None:
    """Check a square root, to the last bits, unless it is too small for a float."""
    with localcontext(Context(60, Emin=-999_999, Emax=999_999)):
        root = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
    if not root or root > MIN_ROOT:
        assert isclose(found, float(root), rel_tol=1e-15), (
            f"{what}: {found!r}, on paper {root:.17g}"
        )


def picture(case: Case) -> None:
    """The title, the description, and the value of each node that an SVG shows."""
    drawn = case.path.with_suffix(".svg")
    case.run("draw", "-o", str(drawn), "--force")
    text = unescape(drawn.read_text(encoding="utf-8"))
    best = f", best: {case.best}" if case.best else ""
    about = f"Value {shown(case.value)}{best}"
    title, words = (re.findall(rf"<{tag}>(.*?)</{tag}>", text)[0] for tag in ("title", "desc"))
    assert title.startswith(about), f"draw: title {title}, on paper {about}"
    assert f". {about}" in words, f"draw: description {words}, on paper {about}"
    found = re.findall(r"<title>(MAX|MIN|CHANCE|TERMINAL) (.+?): (.*?)(?:\n.*?)?</title>", text)
    assert found, "draw: no node"
    for kind, path, worth in found:
        branch = case.branches[path]
        same(f"draw {path}: kind", kind, branch.child.kind.upper())
        worth = worth.split(" = ")[0]
        as_written = str(branch.value).replace("-", "−")
        if kind == "TERMINAL" and "/" in as_written and worth == as_written:
            continue  # a fraction in the file stays one
        same(f"draw {path}", worth, shown(branch.value))


def page(case: Case) -> None:
    """The result of each search on the page."""
    drawn = case.path.with_suffix(".html")
    case.run("draw", "-o", str(drawn), "--force")
    packed = re.search(r'<script type="text/plain" id="data">(.*?)<', drawn.read_text("utf-8"))
    assert packed
    traces = json.loads(zlib.decompress(b64decode(packed[1])))["traces"]
    same("page: searches", [trace["about"]["algorithm"] for trace in traces], [*et.ALGORITHMS])
    for trace in traces:
        same_fields("page", trace["about"], case)
        text = f"The value is {shown(case.value)}{',' if case.ties else '.'}"
        assert text in trace["conclusion"], f"page: {trace['conclusion']}, on paper {text}"


def python_results(case: Case) -> None:
    """`evaluate` returns floats, or fractions if asked: values, intervals, ties, the strategy."""
    tree = loaded(case)
    for name in et.ALGORITHMS:
        found = et.evaluate(tree, name)
        same(f"evaluate {name}: type", type(found.value), float)
        same_number(f"evaluate {name}: value", found.value, case.value)
        same_ties(f"evaluate {name}", name, found.best, found.ties, case)
        exact: Any = et.evaluate(tree, name, exact=True)
        fractions = [exact.value, *exact.interval("/")]
        same(f"evaluate {name}: exact types", {*map(type, fractions)}, {Fraction})
        same(f"evaluate {name}: exact values", {*fractions}, {case.value})
        for path, branch in case.branches.items():
            is_proved = name == "expectiminimax" or path == "/"
            contains(f"evaluate {name}: {path}", found.interval(path), branch.value, is_proved)
    found = et.evaluate(tree)
    for path, branch in case.branches.items():
        same_number(f"value_of {path}", found.value_of(path), branch.value)
        node = tree.find(path).id
        for b, below in zip(tree.branches_of(node), branch.child.branches, strict=True):
            is_best = below in branch.child.best_branches
            same(f"is_best at {path} of {below.label}", found.is_best(node, b), is_best)
    for path, action in found.strategy.items():
        same(f"strategy at {path}", action, case.branches[path].child.best[0])
    same_number("mean", found.mean, case.value)


def loaded(case: Case) -> et.Tree:
    case.path.write_text(case.text, encoding="utf-8")
    return et.load(case.path)


def python_reports(case: Case) -> None:
    """Reports of Python, to the last bit."""
    tree = loaded(case)
    for row in et.compare(tree).rows:
        same_number(f"compare {row.search.algorithm.name}", float(row.search.value), case.value)
    searches = {"trace": et.trace(tree).search}
    if not tree.is_sharing:
        searches["limit"] = et.limit(tree).search
    for name, search in searches.items():
        same_number(name, float(search.value), case.value)
        same(f"{name}: ties", search.ties, case.ties)
    actions = worth_of_actions(case)
    for one in et.risk(tree).actions:
        same_number(f"risk {one.action}", float(one.mean), actions[one.action])
    same("from_dict", et.evaluate(et.from_dict(case.document)).value, float(case.value))
    again = et.loads(et.dumps(tree, "yaml"))
    same("dumps", et.evaluate(again).value, float(case.value))


def verify(case: Case) -> None:
    """An `expect` with the exact results is kept; with any other it is not."""
    values = {
        path: str(branch.value)
        for path, branch in case.branches.items()
        if path != "/" and len(str(branch.value)) <= MAX_LENGTH
    }
    right = {"value": str(case.value), "values": values}
    if case.best:
        right["best"] = case.best
    if len(right["value"]) > MAX_LENGTH:
        return
    wrong: list[dict[str, Any]] = [{"best": b.label} for b in case.root.child.branches]
    wrong = [one for one in wrong if one["best"] != case.best]
    nearly = str(case.value * (1 + Fraction(1, 10**25)) or Fraction(1, 10**305))
    if len(nearly) <= MAX_LENGTH:
        wrong.append({"value": nearly})
    for expect, is_kept in ((right, True), *((one, False) for one in wrong)):
        text = as_text({"expect": expect, **case.document}, quoted=True)
        case.path.write_text(text, encoding="utf-8")
        done = invoke("verify", str(case.path), "--format", "json")
        (found,) = map(json.loads, done.stdout.splitlines())
        broken = [check for check in found["checks"] if not check["kept"]]
        same(f"verify {expect}: {found['errors']} {broken}", found["kept"], is_kept)
        assert done.exit_code == (0 if is_kept else 1)


def sensitivity(case: Case) -> None:
    """With a number as a parameter: the result at its value, and the best actions elsewhere."""
    document, value = with_parameter(case.document, Random(case.seed))
    case.path.write_text(as_text(document), encoding="utf-8")
    command = ["sensitivity", str(case.path), "-p", "x", "--format", "json"]
    (found,) = map(json.loads, run(*command).splitlines())
    same_number("sensitivity: value", found["value"], case.value)
    same("sensitivity: best", tuple(found["best"]), case.ties)
    same_number("sensitivity: current", found["current"], paper.number(value))
    for piece in found["pieces"]:
        start, end = (Fraction(piece[key]) for key in ("from", "to"))
        if start < end:
            node = paper.read(with_value(document, (start + end) / 2)).child
            same(f"sensitivity from {start} to {end}", tuple(piece["best"]), node.best)
    (again,) = map(json.loads, run("eval", str(case.path), "--format", "json").splitlines())
    same_fields("eval with a parameter", again, case)


def rescale(case: Case) -> None:
    """An affine map: before and after; paths with other rewards to one node cannot be mapped."""
    if "nodes" in case.document and any(branch.reward for branch in case.branches.values()):
        return
    (found,) = case.objects("rescale --map 2*u+3")
    for when, value in (("before", case.value), ("after", 2 * case.value + 3)):
        same_number(f"rescale: {when}", found[when]["value"], value)
        same(f"rescale: ties {when}", tuple(found[when]["ties"]), case.ties)
    same("rescale: changed", found["changed"], False)


CHECKS: dict[str, Callable[[Case], None]] = {
    check.__name__: check
    for check in (
        eval_text, eval_json, eval_algorithms, eval_strategy, compare_text, compare_json,
        trace_text, trace_json, limit_text, limit_json, risk_text, risk_json, picture, page,
        python_results, python_reports, verify, sensitivity, rescale,
    )
}  # fmt: skip
# With `--exact`, numbers are text fractions.
CHECKS |= {
    f"{check.__name__} exact": partial(check, is_exact=True)
    for check in (eval_json, compare_json, limit_json, risk_json)
}
EACH = pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)


def check_seeds(check: Callable[[Case], None], seeds: Iterable[int], folder: Path) -> None:
    """Run a check on the trees of some seeds; report how many fail, and the shortest files."""
    failed: list[tuple[int, int, str]] = []
    for seed in seeds:
        case = case_of(seed, folder)
        try:
            check(case)
        except Exception as error:
            is_check = isinstance(error, AssertionError)
            message = str(error).split("\nassert")[0] if is_check else repr(error)
            failed.append((len(case.text), seed, f"seed {seed}: {message}\n    {case.text[:1000]}"))
    shortest = "\n".join(message for *_, message in sorted(failed)[:5])
    if failed:
        pytest.fail(f"{len(failed)} trees fail; the shortest are\n{shortest}", pytrace=False)


@EACH
def test_a_command_agrees_with_paper(check: Callable[[Case], None], folder: Path) -> None:
    check_seeds(check, QUICK, folder)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", MANY)
@EACH
def test_a_command_agrees_with_paper_on_many_trees(
    check: Callable[[Case], None], seeds: range, folder: Path
) -> None:
    check_seeds(check, seeds, folder)


@EACH
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_agrees_with_paper(
    name: str, check: Callable[[Case], None], tmp_path: Path
) -> None:
    check(Case(0, tmp_path / "tree.yaml", EXAMPLES[name]))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_definition_has_the_results_of_the_examples(name: str) -> None:
    """The results are those that a person finds."""
    root = paper.read(EXAMPLES[name])
    assert ([*root.child.best], shown(root.value)) == RESULTS[name]
