"""Random tree files as text, from a seed: ties on paper, near ties, rare events, great numbers."""

from __future__ import annotations

import json
import re
from decimal import Context, Decimal
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

from paper import Branch, Written, by_path, number, read

MAX_LENGTH = 400  # characters of a number that a file may have
# Utilities, and rewards of the same magnitude. Floats lose most of their sums.
SCALES = (
    ("-1 0 1", "1 -1"),
    ("-20 4 -3 7 12 100", "5 -2.5"),
    ("1/3 -2/3 4/3 5/7 0", "1/3 -2/3"),
    ("0.1 0.2 -0.3 .7 -4.5e1 0.30", "0.1 -.2"),
    ("0.12345678901234567 123456789.123456789 -98765.4321 2.5", "0.1"),
    ("-1e12 1 900 0 -0.5", "10 -0.1"),
    ("1e300 -1e300 3e299 1 0", "1e299 -1e299"),
    ("1e-300 -1e-300 3e-300 0", "1e-300 -2e-300"),
    ("1e300 -1e-300 1 -1e12 1/3", "1e-300 -1e299 1/7"),
)
SHARES = {
    "decimal": ("0.1", "0.25", ".05", "0.3"),
    "percent": ("12.5%", "30%", "5%", "0.1%"),
    "rare": ("1e-40", "1e-9", "1/292201338", "1e-15"),
}
NEAR = [sign * Fraction(1, 10**places) for places in (9, 13, 18) for sign in (1, -1)]
LEAST, GREATEST = Fraction(1, 10**307), Fraction(10) ** 301  # magnitudes that a float can have


def random_document(seed: int | str) -> dict[str, Written]:
    """Return a file as a dict whose numbers are text, all of whose values a float can have."""
    for attempt in count():
        document = _Writer(Random(f"{seed}, attempt {attempt}")).document()
        values = [abs(v) for b in by_path(read(document)).values() for v in (b.value, b.reward)]
        if all(not value or LEAST <= value <= GREATEST for value in values):
            return document
    raise AssertionError


def as_text(document: dict[str, Written], quoted: bool = True) -> str:
    """Return a file as JSON, with its numbers in quotes, or as YAML without any quotes."""
    text = json.dumps(document)
    return text if quoted else re.sub(r'"([^"]*)"', r"\1", text)


def with_parameter(document: dict[str, Written], random: Random) -> tuple[dict[str, Any], str]:
    """Return a file with one utility or probability as parameter `x`, and the number's text."""
    copy = json.loads(json.dumps(document))
    places = [*_numbers(copy)]
    holder, key, ends = random.choice(places)
    text = holder[key]
    holder[key] = "x"
    return {"parameters": {"x": {"value": text, "range": ends}}, **copy}, text


def with_value(document: dict[str, Any], value: Fraction) -> dict[str, Any]:
    """Return a file without parameters, with a number in place of `x`."""
    text = json.dumps({key: part for key, part in document.items() if key != "parameters"})
    found: dict[str, Any] = json.loads(text.replace('"x"', json.dumps(str(value))))
    return found


def _numbers(written: Written) -> Any:
    """Yield where each number is that may become a parameter, and a range for it."""
    if isinstance(written, str):
        return
    for kind in ("max", "min", "chance", "nodes"):
        if kind not in written:
            continue
        below = written[kind]
        children = below.items() if isinstance(below, dict) else enumerate(below)
        for key, child in children:
            if isinstance(child, str):
                yield below, key, _around(number(child))
                continue
            if "utility" in child:
                yield child, "utility", _around(number(child["utility"]))
            yield from _numbers(child)
        shares = [c.get("p") for _, c in children if isinstance(c, dict)]
        if kind == "chance" and "rest" in shares:
            known = sum(number(p) for p in shares if p != "rest")
            for _, child in children:
                if child["p"] != "rest":
                    yield child, "p", ["0", str(1 - known + number(child["p"]))]


def _around(utility: Fraction) -> list[str]:
    """Return a range around a number, in short texts."""
    power = len(str(int(abs(utility))))
    return [f"-1e{power}", f"1e{power}"]


class _Writer:
    """Writes one file."""

    def __init__(self, random: Random) -> None:
        self.random = random
        utilities, rewards = random.choice(SCALES)
        self.utilities, self.rewards = utilities.split(), rewards.split()
        self.unit = max(abs(number(text)) for text in self.utilities)
        self.paying = random.choice((0, 0, 0.2))  # the share of branches that pay
        self.nodes: dict[str, Written] = {}
        self.used: set[str] = set()

    def document(self) -> dict[str, Written]:
        random = self.random
        for name in random.choice(("", "", "s", "st")):
            node = self.inner(random.randint(1, 2), "max min chance chance")
            # The oracle reads rewards of branches only, so each ref has its own.
            self.nodes[name] = {key: node[key] for key in node if key not in ("reward", "cost")}
        kinds = "max max max max min chance"
        root = self.inner(random.randint(1, 4), kinds)
        self.use(root)
        nodes = {name: node for name, node in self.nodes.items() if name in self.used}
        return {"nodes": nodes, **root} if nodes else root

    def use(self, written: Written) -> None:
        """Note every name that a node refers to."""
        for name in set(re.findall(r'"ref": "(\w+)"', json.dumps(written))) - self.used:
            self.used.add(name)
            self.use(self.nodes[name])

    def node(self, depth: int) -> Written:
        random = self.random
        if self.nodes and random.random() < 0.2:
            return self.paid({"ref": random.choice([*self.nodes])})
        if not depth or random.random() < 0.25:
            utility = random.choice(self.utilities)
            return self.paid({"utility": utility} if random.random() < 0.3 else utility)
        return self.inner(depth, "max min chance chance")

    def inner(self, depth: int, kinds: str) -> dict[str, Written]:
        random = self.random
        kind = random.choice(kinds.split())
        children = [self.node(depth - 1) for _ in range(random.choice((1, 2, 2, 2, 3, 3, 4)))]
        if kind == "chance":
            children = self.with_probabilities(children)
        elif len(children) > 1 and random.random() < 0.5:
            old, new = random.sample(range(len(children)), 2)
            children[new] = self.twin(children[old])
        return self.paid({kind: self.labelled(children)})

    def labelled(self, children: list[Written]) -> Written:
        if self.random.random() < 0.2:
            return children
        return dict(zip("abcdefg", children, strict=False))

    def paid(self, written: Written) -> Any:
        if self.random.random() >= self.paying:
            return written
        key = self.random.choice(("reward", "cost"))
        node = {"utility": written} if isinstance(written, str) else written
        return {key: self.random.choice(self.rewards), **node}

    def twin(self, written: Written) -> Written:
        """Return another node that is worth exactly as much, or nearly as much."""
        random = self.random
        value = self.branch(written).value
        if random.random() < 0.4:
            value += self.unit * random.choice(NEAR)
        texts = self.spelling(value), self.spelling(value - self.unit / 3)
        if max(map(len, texts)) > MAX_LENGTH:
            return random.choice(self.utilities)
        k = random.randint(1, 9)
        win = str(k * number(random.choice(self.utilities)))
        fair = {"w": {"p": f"1/{k + 1}", "utility": win}, "l": {"p": "rest"}}
        fair["l"]["utility"] = str(-number(win) / k)
        return random.choice(
            (
                texts[0],
                {"utility": texts[0]},
                {"reward": texts[0], "chance": fair},
                {"chance": [self.spelling(value + self.unit / 3), texts[1]]},
            )
        )

    def branch(self, written: Written) -> Branch:
        node = {"utility": written} if isinstance(written, str) else written
        return read({"nodes": self.nodes, **node})

    def spelling(self, value: Fraction) -> str:
        """Return a decimal if there is one of at most 200 digits, or a fraction."""
        context = Context(200, Emin=-999, Emax=999)
        decimal = context.divide(Decimal(value.numerator), Decimal(value.denominator))
        is_same = Fraction(decimal) == value
        return (
            str(context.normalize(decimal))
            if is_same and self.random.random() < 0.7
            else str(value)
        )

    def with_probabilities(self, children: list[Written]) -> list[Written]:
        random, size = self.random, len(children)
        how = random.choice(("equal", "fraction", *SHARES))
        if how == "equal":
            return children
        if how == "fraction":
            weights = [random.choice((0, 1, 2, 3, 9)) for _ in children]
            weights[0] = weights[0] or 1
            times = random.choice((1, 2, 19))
            shares = [f"{weight * times}/{sum(weights) * times}" for weight in weights]
        else:
            shares = [*random.choices(SHARES[how], k=size - 1), "rest"]
        random.shuffle(shares)
        return [
            {"p": p, **({"utility": child} if isinstance(child, str) else child)}
            for p, child in zip(shares, children, strict=True)
        ]
