"""Answer the editor's questions about a tree: in the browser, or in `expectitree edit`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any, TypeAlias, TypeVar

from rich.style import Style as RichStyle

from expectitree.analysis.compare.report import compare
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.algorithms import ALGORITHMS, algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import (
    EMPTY,
    NEEDS_EXACT,
    WRONG_SUM,
    AnalysisError,
    ExpectitreeError,
    FileError,
    Problem,
    SearchError,
)
from expectitree.base.tables import QUESTIONS, module_of
from expectitree.base.tree.formulas import P_REST
from expectitree.base.tree.model import Tree
from expectitree.decide.information.report import every_event
from expectitree.decide.risk.report import risk
from expectitree.decide.sensitivity.report import tornado
from expectitree.editor.changes import described, edited
from expectitree.files import loads, sources
from expectitree.files.grammar.document import MAX_NESTED, TOO_DEEP
from expectitree.files.grammar.keys import ROOT_KEYS, SCHEMA_KEY
from expectitree.page import page_text, replays
from expectitree.picture.content import SYMBOLS, Glyph, Style
from expectitree.picture.diagram import diagram
from expectitree.picture.hidden import evaluate_known
from expectitree.picture.svg import svg_lines
from expectitree.searches.engine import evaluate, usual_algorithms
from expectitree.text.console import text_console

Answer: TypeAlias = dict[str, Any]  # an object of JSON: what the page asks, or the answer
View: TypeAlias = Callable[[Tree, Answer], Answer]
Error = TypeVar("Error", ExpectitreeError, Problem)
_SCHEMA = re.compile("^# yaml-language-server.*\n")  # a comment for editors
_JSON_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|([\[{])|[\]}]')  # or a text
_HINTS = {  # what to do about errors here, by their kinds
    EMPTY: "write `max: [1, 2]`, for example",
    NEEDS_EXACT: "; use the command line with --exact",
    WRONG_SUM: f"correct them, write {P_REST}, or divide sums from 0.98 to 1.02 with "
    "`normalize: true`",
}
_MAX_CONTAINERS = 2 * MAX_NESTED + 100  # as in YAML; deeper JSON overflows the browser's stack
MAX_NODES = 20_000  # of a tree that is searched here
MAX_VISITS = 500_000
MAX_REPLAYED = 3_000  # nodes of a tree that is replayed
MAX_DRAWN = 150
WIDTH = 90
_NO_EVENT = (
    "the tree has no event\nname an uncertainty by `event: NAME` at its chance nodes, to see what "
    "knowing it in advance is worth"
)
_NO_PARAMETER = "the tree has no parameter\nname a number under the root's `parameters:`"


def about() -> Answer:
    """Return what the page needs once: the algorithms, and the keys of tree files.

    A key has its description, and whether only the root has it.
    """
    schema = json.loads(files("expectitree.files").joinpath("tree.schema.json").read_text("utf-8"))
    fields = {
        name.removeprefix("key."): definition.get("description", "")
        for name, definition in schema["definitions"].items()
        if name.startswith("key.") and name != f"key.{SCHEMA_KEY}"
    }
    keys = [[key, description, key in ROOT_KEYS] for key, description in fields.items()]
    return {"algorithms": list(ALGORITHMS), "keys": keys}


def examples() -> dict[str, str]:
    """Return the texts of the example trees by title."""
    texts = [path.read_text("utf-8") for path in sources.examples().values()]
    return dict(sorted((str(loads(text).title), _SCHEMA.sub("", text)) for text in texts))


def answer(asked: Answer, name: str = "") -> Answer:
    """Return what the page asks for: a view of its text, or a node; or the text's problems.

    `asked` has the `text`, and the `view` with `algorithm` and `theme`, or the `path` of a node.
    With a path, `change` may have the next arguments of `edited`. `name` is the file's.
    """
    text = asked["text"]
    name = name or ("tree.json" if text.lstrip().startswith("{") else "tree.yaml")
    try:
        if not text.strip():
            return _refusal("the editor is empty: choose an example, or write `max: [1, 2]`")
        if name.endswith(".json") and _nests_too_deeply(text):
            return _refusal(str(TOO_DEEP))
        if "change" in asked:
            return {"changed": edited(text, asked["path"], *asked["change"], name=name)}
        if "path" in asked:
            return {"node": described(text, asked["path"], name=name)}
        return _view(asked, name)
    except FileError as error:
        problems = [
            {"line": p.line, "column": p.column, "message": p.message, "path": p.path}
            for p in map(_advised, error.problems)
        ]
        return {"problems": problems}
    except ExpectitreeError as error:
        return _refusal(str(_advised(error)))
    except (RecursionError, MemoryError):
        return _refusal("the tree is too large for this page")


def _view(asked: Answer, name: str) -> Answer:
    warnings: list[str] = []
    tree = loads(asked["text"], name=name, warn=warnings.append)
    if len(tree) > MAX_NODES:
        return _too_large(f"{len(tree):,} nodes, this page takes {MAX_NODES:,}")
    if tree.unknown and asked["view"] != "picture":
        return _refusal(
            "a utility is unknown: write a number, or use the command line: expectitree ask"
        )
    name = asked["algorithm"]
    if tree.unknown or not (name or tree.has_min):
        name = "expectiminimax"  # no other search draws a tree with unknown utilities
    elif not name:
        name = "star1"
    answer = _VIEWS[asked["view"]](tree, {**asked, "algorithm": name})
    return {**answer, "algorithm": name, "warnings": warnings, "idle": _idle(tree)}


def _nests_too_deeply(text: str) -> bool:
    depth = 0
    for bracket in _JSON_BRACKET.finditer(text):
        if bracket[0][0] != '"':
            depth += 2 * bool(bracket[1]) - 1
            if depth > _MAX_CONTAINERS:
                return True
    return False


def _advised(error: Error) -> Error:
    """Return an error or a problem with the hint that helps here."""
    return error.with_hint(_HINTS.get(error.kind, error.hint))


def _too_large(what: str) -> Answer:
    return _refusal(f"the tree has {what}: use the command line")


def _refusal(message: str) -> Answer:
    return {"problems": [{"message": message}]}


def _tree(tree: Tree, asked: Answer) -> Answer:
    search = evaluate(tree, asked["algorithm"], max_visits=MAX_VISITS)
    return _text("evaluate", Evaluation("", search), asked)


def _analysis(question: str, reports: Callable[[Tree], list[Shown]]) -> View:
    """Return the view of an analysis, or why this tree has none."""

    def view(tree: Tree, asked: Answer) -> Answer:
        if note := _idle(tree).get(question):
            return {"note": note}
        try:
            return _text(question, reports(tree), asked)
        except (AnalysisError, SearchError) as error:
            return {"note": str(_advised(error))}

    return view


def _idle(tree: Tree) -> dict[str, str]:
    """Return why each view that does not apply to a tree has nothing to show."""
    found = {}
    if not tree.formulas.events:
        found["information"] = _NO_EVENT
    if not tree.parameters:
        found["sensitivity"] = _NO_PARAMETER
    return found


def _picture(tree: Tree, asked: Answer) -> Answer:
    search = evaluate_known(tree, asked["algorithm"], max_visits=MAX_VISITS)
    evaluation, style = Evaluation("", search), Style(MAX_DRAWN, asked["theme"])
    picture = diagram(evaluation, style)
    nodes = [
        [tree.path_of(group.of.node), group.of.tooltip.partition("\n")[0], *group.box]
        for group in picture.groups
        if group.box and isinstance(group.of, Glyph) and group.of.kind in SYMBOLS
    ]
    svg = "\n".join(svg_lines(picture, style.theme))
    return {"svg": svg, "size": [picture.width, picture.height], "nodes": nodes}


def _replay(tree: Tree, asked: Answer) -> Answer:
    if len(tree) > MAX_REPLAYED:
        return _too_large(f"{len(tree):,} nodes, a replay here takes {MAX_REPLAYED:,}")
    first = asked["algorithm"]
    others = [a for a in usual_algorithms(tree) if a.name != first]
    traces = replays(tree, [algorithm(first), *others], max_visits=MAX_VISITS)
    return {"page": page_text(traces, first)}


_VIEWS: dict[str, View] = {
    "picture": _picture,
    "tree": _tree,
    "compare": lambda tree, asked: _text("compare", [compare(tree, max_visits=MAX_VISITS)], asked),
    "sensitivity": _analysis("sensitivity", lambda tree: [tornado(tree)]),
    "risk": _analysis("risk", lambda tree: [risk(tree, exact=True)]),
    "information": _analysis("information", lambda tree: [every_event(tree, exact=True)]),
    "replay": _replay,
}


def _text(question: str, report: object, asked: Answer) -> Answer:
    """Return what the command line prints, as pairs of a text and the names of its styles."""
    console = text_console(asked.get("columns", WIDTH), True)
    render = module_of(f"{QUESTIONS[question]}.text").render
    pieces = []
    for renderable in render(report, console.options):
        if str(renderable).startswith("Ask further: "):  # by options of the command line
            continue
        for line in console.render_lines(renderable, pad=False):
            for segment in line:
                pieces.append([segment.text, " ".join(_names(segment.style or RichStyle()))])
            pieces.append(["\n", ""])
    return {"text": pieces}


def _names(style: RichStyle) -> list[str]:
    names = [name for name in ("bold", "dim", "italic") if getattr(style, name)]
    if style.color is not None:
        names.append(style.color.name)
    return names
