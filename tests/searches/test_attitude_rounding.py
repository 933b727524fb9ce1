"""Attitudes with exp and log are computed in floats; the errors stay within `Search.eps`."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest

import expectitree as et

# Each attitude with its utility function and the inverse, to 50 digits.
ATTITUDES: dict[str, tuple[Callable[[Decimal], Decimal], Callable[[Decimal], Decimal]]] = {
    "exponential=50": (lambda x: -(-x / 50).exp(), lambda u: -50 * (-u).ln()),
    "exponential=-30": (lambda x: (x / 30).exp(), lambda u: 30 * u.ln()),
    "exponential=1000000": (lambda x: -(-x / 10**6).exp(), lambda u: -(10**6) * (-u).ln()),
    "logarithmic=21": (lambda x: (x + 21).ln(), lambda u: u.exp() - 21),
    "logarithmic=10000000": (lambda x: (x + 10**7).ln(), lambda u: u.exp() - 10**7),
    "utility=sqrt(x+100)": (lambda x: (x + 100).sqrt(), lambda u: u * u - 100),
}


def random_node(chosen: random.Random, depth: int) -> dict[str, Any] | int | float:
    """Return a tree as `from_dict` takes it, with totals from -20 to 100."""
    if not depth:
        return chosen.choice([chosen.randint(-20, 100), chosen.randint(-200, 1000) / 10, 0])
    kind = chosen.choice(["max", "min", "chance"])
    below = [random_node(chosen, chosen.choice([0, depth - 1])) for _ in range(3)]
    if kind != "chance":
        return {kind: below}
    parts = [chosen.randint(1, 9) for _ in below]
    return {
        kind: [
            {"p": f"{part}/{sum(parts)}", **(one if isinstance(one, dict) else {"utility": one})}
            for part, one in zip(parts, below, strict=True)
        ]
    }


def expected_utility(node: Any, utility: Callable[[Decimal], Decimal]) -> Decimal:
    """Return the utility of a tree by its definition."""
    if not isinstance(node, dict) or "utility" in node:
        return utility(Decimal(str(node["utility"] if isinstance(node, dict) else node)))
    kind = next(key for key in node if key != "p")
    below = [expected_utility(child, utility) for child in node[kind]]
    if kind != "chance":
        return max(below) if kind == "max" else min(below)
    shares = [Fraction(child["p"]) for child in node[kind]]
    return sum(
        (Decimal(p.numerator) / p.denominator * u for p, u in zip(shares, below, strict=True)),
        Decimal(0),
    )


@pytest.mark.slow
@pytest.mark.parametrize("attitude", ATTITUDES)
def test_errors_stay_within_eps(attitude: str) -> None:
    utility, inverse = ATTITUDES[attitude]
    judged = 0
    for seed in range(120):
        root = random_node(random.Random(seed), 3)
        if not isinstance(root, dict):
            continue
        tree = et.from_dict(root)
        if attitude == "logarithmic=21" and tree.total_ends[0] <= -20.9:
            continue
        tree = tree.with_attitude(attitude)
        with localcontext(prec=50):
            expected = inverse(expected_utility(root, utility))
            found = et.evaluate(tree)
            error = abs(Decimal(found.value) - expected)
            limit = max(Decimal(float(found.eps)), abs(expected) * Decimal("1.2e-16"))
            assert error <= limit + Decimal("1e-40"), (seed, found.value, expected)
            judged += 1
    assert judged > 50
