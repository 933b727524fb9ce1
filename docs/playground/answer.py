"""Answer the playground's questions about a tree. This runs in the browser, in Pyodide."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import expectitree as et
from expectitree.analysis.evaluate.report import Evaluation
from expectitree.base.algorithms import ALGORITHMS
from expectitree.base.errors import FileError
from expectitree.base.tree.model import Tree
from expectitree.files.grammar.document import MAX_NESTED, NESTED_TOO_DEEPLY
from expectitree.searches.engine import usual_algorithms

_SCHEMA = re.compile("^# yaml-language-server.*\n")  # a comment for editors
_JSON_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|([\[{])|[\]}]')  # or a text
_ADVICE = {  # of a message, and what helps here
    "`expectitree new` prints a tree to start from": "choose an example",
    "use --exact": "use the command line with --exact",
}
_MAX_CONTAINERS = 2 * MAX_NESTED + 100  # as in YAML; deeper JSON overflows the browser's stack
MAX_NODES = 20_000  # of a tree that is searched here
MAX_VISITS = 500_000
MAX_REPLAYED = 3_000  # nodes of a tree that is replayed
MAX_DRAWN = 150
WIDTH = 90


def start() -> str:
    """Return the algorithms and the example trees, as JSON."""
    folder = files("expectitree").joinpath("trees")
    texts = [file.read_text("utf-8") for file in folder.iterdir()]
    examples = {str(et.loads(text).title): _SCHEMA.sub("", text) for text in texts}
    examples = dict(sorted(examples.items()))
    return json.dumps({"algorithms": list(ALGORITHMS), "examples": examples})


def answer(request: str) -> str:
    """Return the view of a tree that a request asks for, or the problems of its text, as JSON."""
    asked = json.loads(request)
    try:
        return json.dumps(_view(asked))
    except FileError as error:
        problems = [
            {"line": p.line, "column": p.column, "message": _advised(p.message), "path": p.path}
            for p in error.problems
        ]
        return json.dumps({"problems": problems})
    except et.ExpectitreeError as error:
        return json.dumps({"problems": [{"message": _advised(str(error))}]})
    except (RecursionError, MemoryError):
        return json.dumps({"problems": [{"message": "the tree is too large for the browser"}]})


def _view(asked: dict[str, str]) -> dict[str, Any]:
    text = asked["text"]
    if not text.strip():
        return _refusal("the editor is empty: choose an example")
    warnings: list[str] = []
    name = "tree.json" if text.lstrip().startswith("{") else "tree.yaml"
    if name == "tree.json" and _nests_too_deeply(text):
        return _refusal(NESTED_TOO_DEEPLY)
    tree = et.loads(text, name=name, warn=warnings.append)
    if len(tree) > MAX_NODES:
        return _too_large(f"{len(tree):,} nodes, the playground takes {MAX_NODES:,}")
    if tree.unknown:
        return _refusal(
            "a utility is unknown: write a number, or use the command line: expectitree ask"
        )
    return {**_VIEWS[asked["view"]](tree, asked), "warnings": warnings}


def _nests_too_deeply(text: str) -> bool:
    depth = 0
    for found in _JSON_BRACKET.finditer(text):
        if found[0][0] != '"':
            depth += 1 if found[1] else -1
            if depth > _MAX_CONTAINERS:
                return True
    return False


def _advised(message: str) -> str:
    for advice, here in _ADVICE.items():
        message = message.replace(advice, here)
    return message


def _too_large(what: str) -> dict[str, Any]:
    return _refusal(f"the tree has {what}: use the command line")


def _refusal(message: str) -> dict[str, Any]:
    return {"problems": [{"message": message}]}


def _tree(tree: Tree, asked: dict[str, str]) -> dict[str, Any]:
    search = et.evaluate(tree, asked["algorithm"], max_visits=MAX_VISITS)
    return _text("evaluate", Evaluation("", search))


def _compare(tree: Tree, asked: dict[str, str]) -> dict[str, Any]:
    return _text("compare", [et.compare(tree, max_visits=MAX_VISITS)])


def _picture(tree: Tree, asked: dict[str, str]) -> dict[str, Any]:
    from expectitree.picture.content import Style
    from expectitree.picture.drawing import drawn

    search = et.evaluate(tree, asked["algorithm"], max_visits=MAX_VISITS)
    style = Style(MAX_DRAWN, asked["theme"])
    return {"svg": drawn("svg", Evaluation("", search), style)}


def _replay(tree: Tree, asked: dict[str, str]) -> dict[str, Any]:
    from expectitree.page import page_text, replays

    if len(tree) > MAX_REPLAYED:
        return _too_large(f"{len(tree):,} nodes, a replay here takes {MAX_REPLAYED:,}")
    first = asked["algorithm"]
    others = [a for a in usual_algorithms(tree) if a.name != first]
    traces = replays(tree, [et.algorithm(first), *others], max_visits=MAX_VISITS)
    return {"page": page_text(traces, first)}


_VIEWS: dict[str, Callable[[Tree, dict[str, str]], dict[str, Any]]] = {
    "tree": _tree,
    "compare": _compare,
    "picture": _picture,
    "replay": _replay,
}


def _text(question: str, report: Any) -> dict[str, Any]:
    """Return what the command line prints, as pairs of a text and the names of its styles."""
    from importlib import import_module

    from expectitree.text.console import text_console

    console = text_console(WIDTH, True)
    render = import_module(f"expectitree.analysis.{question}.text").render
    pieces = []
    for renderable in render(report, console.options):
        for line in console.render_lines(renderable, pad=False):
            for segment in line:
                style = segment.style
                names = [] if style is None else _names(style)
                pieces.append([segment.text, " ".join(names)])
            pieces.append(["\n", ""])
    return {"text": pieces}


def _names(style: Any) -> list[str]:
    names = [name for name in ("bold", "dim", "italic") if getattr(style, name)]
    return names if style.color is None else [*names, style.color.name]
