"""Random tree files as text, from a seed: ties on paper, near ties, rare events, great numbers."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

from paper import Written, by_path, number, read
from random_trees import Row, random_rows

from expectitree import Kind

MAX_LENGTH = 400  # characters of a number that a file may have
MAX_ROWS = 50
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
# Of outcomes: equal, common and rare ones.
WEIGHTS = ((1,), (0, 1, 2, 3, 9), (1, 19), (1, 10**9), (1, 10**15), (1, 292201337), (1, 10**40))
NEAR = [0] * 9 + [sign * Fraction(1, 10**places) for places in (9, 13, 18) for sign in (1, -1)]
LEAST, GREATEST = Fraction(1, 10**307), Fraction(10) ** 301  # magnitudes that a float can have


def random_document(seed: int | str) -> dict[str, Written]:
    """Return a file as a dict whose numbers are text, all of whose values a float can have."""
    for attempt in count():
        random = Random(f"{seed}, attempt {attempt}")
        scale = random.choice(SCALES)
        utilities, rewards = (tuple(map(Fraction, texts.split())) for texts in scale)
        paid = random.choice(((0,), (0,), (0, 0, 0, 0, *rewards)))
        weights = random.choice(WEIGHTS)
        rows = random_rows(random, 0, paid, utilities=utilities, weights=weights)
        if not 1 < len(rows) <= MAX_ROWS:
            continue
        document = document_of(with_twins(random, rows, max(map(abs, utilities))))
        values = [abs(v) for b in by_path(read(document)).values() for v in (b.value, b.reward)]
        if all(not value or LEAST <= value <= GREATEST for value in values):
            return document
    raise AssertionError


def with_twins(random: Random, rows: list[Row], unit: Fraction) -> list[Row]:
    """Return rows in which some actions are worth exactly or nearly as much as another one."""
    found, values = [*rows], list[Fraction]()
    uses = Counter(child for row in rows for child in row.children)
    for row in rows:
        paid = row.rewards or (Fraction(0),) * len(row.children)
        worth = [values[c] + r for c, r in zip(row.children, paid, strict=True)]
        free = [uses[child] == 1 and not rows[child].children for child in row.children]
        ends = [place for place, is_free in enumerate(free) if is_free]
        if row.kind in (Kind.MAX, Kind.MIN) and ends and random.random() < 0.5:
            place = random.choice(ends)
            worth[place] = random.choice(worth) + unit * random.choice(NEAR)
            child, utility = row.children[place], worth[place] - paid[place]
            if len(str(utility)) <= MAX_LENGTH:
                found[child] = replace(rows[child], utility=utility)
        if not row.children:
            values.append(row.utility)
        elif row.kind == Kind.CHANCE:
            shares = zip(row.probabilities, worth, strict=True)
            values.append(sum((p * value for p, value in shares), Fraction(0)))
        else:
            values.append(max(worth) if row.kind == Kind.MAX else min(worth))
    return found


def document_of(rows: list[Row]) -> dict[str, Written]:
    """Return rows as a file; each inner node that is shared has a name."""
    uses = Counter(child for row in rows for child in row.children)
    named = {n for n, times in uses.items() if times > 1 and rows[n].children}

    def node(n: int) -> dict[str, Written]:
        row = rows[n]
        if not row.children:
            return {"utility": str(row.utility)}
        children = {}
        for place, (label, child) in enumerate(zip("abcdefg", row.children, strict=False)):
            about = {"p": str(row.probabilities[place])} if row.probabilities else {}
            if row.rewards and row.rewards[place]:
                about["reward"] = str(row.rewards[place])
            below = {"ref": f"n{child}"} if child in named else node(child)
            children[label] = {**about, **below}
        return {row.kind.name.lower(): children}

    nodes = {f"n{n}": node(n) for n in sorted(named)}
    return {**({"nodes": nodes} if nodes else {}), **node(len(rows) - 1)}


def as_text(document: dict[str, Written], quoted: bool = True) -> str:
    """Return a file as JSON, with its numbers in quotes, or as YAML without any quotes."""
    text = json.dumps(document)
    return text if quoted else re.sub(r'"([^"]*)"', r"\1", text)


def with_parameter(document: dict[str, Written], random: Random) -> tuple[dict[str, Any], str]:
    """Return a file with one utility as parameter `x`, and the number's text."""
    copy = json.loads(json.dumps(document))
    holder, key = {"": copy}, ""
    while not isinstance(node := holder[key], str):
        (kind,) = {"max", "min", "chance", "ref", "utility"} & {*node}
        if kind == "ref":
            holder, key = copy["nodes"], node["ref"]
        elif kind == "utility":
            holder, key = node, kind
        else:
            holder = node[kind]
            key = random.choice([*holder] if isinstance(holder, dict) else range(len(holder)))
    holder[key], power = "x", len(str(int(abs(number(node)))))
    parameter = {"value": node, "range": [f"-1e{power}", f"1e{power}"]}
    return {"parameters": {"x": parameter}, **copy}, node


def with_value(document: dict[str, Any], value: Fraction) -> dict[str, Any]:
    """Return a file without parameters, with a number in place of `x`."""
    text = json.dumps({key: part for key, part in document.items() if key != "parameters"})
    found: dict[str, Any] = json.loads(text.replace('"x"', json.dumps(str(value))))
    return found
