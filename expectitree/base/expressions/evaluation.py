"""The evaluator of expressions, for every domain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from expectitree.base.expressions.domains import Domain, UndefinedError
from expectitree.base.expressions.parser import ExpressionError
from expectitree.base.expressions.syntax import Apply, Expression, Name, Number, names_in, text_of
from expectitree.base.numbers import quote

_MAX_NAMES = 8  # of which an error shows the values


def evaluate(expression: Expression, domain: Domain, values: Mapping[str, Any]) -> Any:
    """Return the value of an expression over a domain, at the values of the names in it.

    Only the case of an `if` that its comparison selects is evaluated. Raises `ExpressionError`,
    which shows the part of the expression that has no value.
    """
    results: list[Any] = []
    work: list[tuple[Expression, bool]] = [(expression, False)]
    while work:
        node, is_ready = work.pop()
        if isinstance(node, Number):
            results.append(domain.number(node.text if node.value is None else node.value))
        elif isinstance(node, Name):
            results.append(values[node.name])
        elif not is_ready:
            work.append((node, True))
            operands = node.operands[:1] if node.operation == "if" else node.operands
            work += [(operand, False) for operand in reversed(operands)]
        elif node.operation == "if":
            verdict = results.pop()
            cases = node.operands[1:]
            work.append((Apply("join", cases) if verdict is None else cases[not verdict], False))
        else:
            start = len(results) - len(node.operands)
            try:
                found = domain.operations[node.operation](*results[start:])
                results[start:] = [domain.checked(found)]
            except UndefinedError as error:
                reason, colon, hint = str(error).partition(":")
                found = f"{quote(text_of(node), 60)} {reason}{at_values(domain, values, node)}"
                raise ExpressionError(f"{found}{colon}{hint}") from None
    return results[0]


def at_values(domain: Domain, values: Mapping[str, Any], *expressions: Expression) -> str:
    """Return ` at pr = 0, spec = 1`, the values of the names in expressions, for a message."""
    names = [*dict.fromkeys(name for part in expressions for name in names_in(part))]
    known = [name for name in names if name in values]
    shown = [f"{name} = {domain.text(values[name])}" for name in known[:_MAX_NAMES]]
    return f" at {', '.join(shown)}{', …' * (len(names) > _MAX_NAMES)}" if shown else ""
