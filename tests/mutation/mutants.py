"""Mutants: small changes in one place of a module; for each, at least one test should fail."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The operators that replace another one. A comparison moves its border, or is negated.
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mutant:
    """One change: the text from `start` to `end`, in bytes of the module, becomes `after`.

    Attributes:
        path: The module, below the root of the checkout.
        line: The line of the change, from 1.
        lines: The first and last line of the statement around it, or of the change if that
            statement has others in it.
        function: The qualified name of the function or class around it; empty at the module's top.
        before: The text that changes.
        after: What it becomes.
        start: Where the text begins.
        end: Where the text ends.
    """

    path: str
    line: int
    lines: tuple[int, int]
    function: str
    before: str
    after: str
    start: int
    end: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        """An identifier of the change that does not depend on the lines above it."""
        return self.path, self.function, " ".join(self.before.split()), self.after

    def apply(self, text: bytes) -> bytes:
        """Return the module's text with the change."""
        return text[: self.start] + self.after.encode() + text[self.end :]


def mutants_of(root: Path, path: str) -> list[Mutant]:
    """Return every mutant of a module, in the order of its text."""
    text = (root / path).read_bytes()
    found = list(_Finder(path, text).visit(ast.parse(text), ""))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.end, mutant.after))


class _Finder:
    """Walks through a module; yields its mutants."""

    def __init__(self, path: str, text: bytes) -> None:
        self.path, self.text = path, text
        self.line_starts = [0]
        for line in text.splitlines(keepends=True):
            self.line_starts.append(self.line_starts[-1] + len(line))

    def visit(
        self, node: ast.AST, function: str, statement: ast.stmt | None = None
    ) -> Iterator[Mutant]:
        """Yield the mutants of a node and of all nodes in it."""
        if isinstance(node, ast.stmt):
            statement = node
        if _is_left_alone(node):
            return
        if statement is not None:
            for place, after in _changes(node):
                yield self._mutant(place, after, function, statement)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            function = f"{function}.{node.name}" if function else node.name
        for child in _parts(node):
            yield from self.visit(child, function, statement)

    def _mutant(self, place: ast.AST, after: str, function: str, statement: ast.stmt) -> Mutant:
        start = self.line_starts[place.lineno - 1] + place.col_offset
        end = self.line_starts[place.end_lineno - 1] + place.end_col_offset
        before = self.text[start:end].decode()
        around = place if hasattr(statement, "body") else statement
        lines = around.lineno, around.end_lineno
        return Mutant(self.path, place.lineno, lines, function, before, after, start, end)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that run: neither annotations nor decorators nor docstrings."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        parts = value if isinstance(value, list) else [value]
        yield from (part for part in parts if isinstance(part, ast.AST))


def _is_left_alone(node: ast.AST) -> bool:
    """Return whether a node is not changed.

    That holds for text for readers, imports, and code for types only. It also holds for the
    `strict=True` of `zip`, which asserts equal lengths: a correct program behaves the same without.
    """
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return True  # Python 3.11 gives no places inside of f-strings
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.keyword):
        return _is_assertion(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in ("cast", "TypeVar")
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name):
        return node.test.id == "TYPE_CHECKING"
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        return node.targets[0].id == "__all__"
    return False


def _is_assertion(keyword: ast.keyword) -> bool:
    value = keyword.value
    return keyword.arg == "strict" and isinstance(value, ast.Constant) and value.value is True


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield the changes of one node: which part of it changes, and the new text."""
    match node:
        case ast.Compare():
            for position, operator in enumerate(node.ops):
                for other in _COMPARISONS[type(operator)]:
                    changed = copy.deepcopy(node)
                    changed.ops[position] = other()
                    yield node, f"({ast.unparse(changed)})"
        case ast.BinOp() if type(node.op) in _OPERATORS:
            changed = copy.deepcopy(node)
            changed.op = _OPERATORS[type(node.op)]()
            yield node, f"({ast.unparse(changed)})"
        case ast.BoolOp():
            changed = copy.deepcopy(node)
            changed.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
            yield node, f"({ast.unparse(changed)})"
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            yield node, f"({ast.unparse(node.operand)})"
        case ast.Constant(value=bool()):
            yield node, str(not node.value)
        case ast.Constant(value=int() | float()):
            yield node, f"({node.value + 1})"
        case ast.IfExp():
            changed = copy.deepcopy(node)
            changed.body, changed.orelse = changed.orelse, changed.body
            yield node, f"({ast.unparse(changed)})"
        case ast.If():
            yield from ((node.test, word) for word in ("True", "False"))
        case ast.While() if not isinstance(node.test, ast.Constant):
            yield node.test, "False"
        case ast.Call():
            yield from _changed_calls(node)
        case ast.Return() if node.value and not isinstance(node.value, ast.Constant):
            yield node.value, "None"
        case ast.AugAssign() | ast.Raise() | ast.Expr(value=ast.Call() | ast.Yield()):
            yield node, "pass"
        case ast.Continue():
            yield node, "break"
        case ast.Break():
            yield node, "continue"


def _changed_calls(node: ast.Call) -> Iterator[tuple[ast.AST, str]]:
    """Yield the changes of a call: another function of its kind, and each keyword left out."""
    if isinstance(node.func, ast.Name) and node.func.id in _NAMES:
        yield node.func, _NAMES[node.func.id]
    for keyword in node.keywords:
        if keyword.arg is not None and not _is_assertion(keyword):
            changed = copy.deepcopy(node)
            changed.keywords = [other for other in changed.keywords if other.arg != keyword.arg]
            yield node, ast.unparse(changed)
