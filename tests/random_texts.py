"""Random tree files in every spelling of the grammar, each with the tree that it means.

The tree comes first, as rows; each number, branch and node is then spelled in a random way.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from oracle import definition
from random_trees import REWARDS, Row, random_rows, with_rare_features
from text_spelling import Shared, Text, json_text, yaml_text

from expectitree import Kind, Tree, TreeBuilder
from expectitree.base.numbers import INFINITY, MAX_LENGTH
from expectitree.base.tree.builder import NodeId
from expectitree.base.tree.columns import UNKNOWN

KEYS = {Kind.MAX: "max", Kind.MIN: "min", Kind.CHANCE: "chance"}
LABELS = ("a", "b c", "no", "x/y", "é", "~", "it's", 'say "x"', "0x1F", "12:30", "max", "-", "a: b")
PLAYER_LABELS = (*LABELS, "0.5", "1/2", "rest", "30%")  # below CHANCE these are probabilities
NOTES = ("a note", "# no comment", "two\nlines\n", "null", "日本", " x ", "'", "a\\b")
NAMES = {"x": Fraction(2), "pr": Fraction(1, 4), "fee": Fraction(-3, 2)}
DERIVED = {"twice": ("2*x", Fraction(4)), "sum": ("x + fee", Fraction(1, 2))}


@dataclass
class Branch:
    """A branch of the tree: what is written at it and not at its node."""

    child: int
    reward: Fraction
    label: str | None = None
    p: Fraction | None = None
    note: str | None = None


class RandomText:
    """A random tree file: its `text` and `suffix`, and the `features` of the grammar in it.

    With `estimates`, each inner node has an estimate, and no number is at the limits of floats.
    With `texts`, which are further labels and notes, there is a tree and no text.
    """

    def __init__(self, seed: int, estimates: bool = False, texts: tuple[str, ...] = ()) -> None:
        self.random = Random(seed)
        self.labels, self.words = texts, (*NOTES, *texts)
        self.features: Counter[str] = Counter()
        rare = not estimates and self.chance(0.3)
        self.has_attitude = not estimates and not rare and self.chance(0.05)
        self.rows = random_rows(self.random, rewards=self.random.choice(REWARDS), rare=rare)
        if estimates:
            self.rows = with_rare_features(self.random, self.rows, 1)
        self.suffix = "json" if self.chance(0.25) else "yaml"
        self.features[self.suffix] += 1
        self.has_parameters = self.chance(0.4)
        self.share = self.random.choice((0.1, 0.5))
        self.notes = [self.maybe(self.words, "note at a node") for _ in self.rows]
        is_unknown = self.chance(0.1)
        self.unknown = [is_unknown and not r.children and self.chance(0.4) for r in self.rows]
        self.title, self.source = self.maybe(self.words, "title"), self.maybe(self.words, "source")
        self.root_reward = Fraction(self.random.choice((0, 0, 3, Fraction(-1, 3))))
        self.styles = [self.style_of(row) for row in self.rows]
        self.branches = [self.branches_of(n) for n in range(len(self.rows))]
        self.uses = Counter(b.child for own in self.branches for b in own)
        self.names, self.anchored = self.shared_rows()
        self.definitions: dict[int, Any] = {}
        self.events: dict[str, Any] = {}  # those with a prior
        self.named_events: set[str] = set()
        self.text = "" if texts else self.write()

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def maybe(self, values: tuple[str, ...], feature: str) -> str | None:
        if not self.chance(self.share / 2):
            return None
        self.features[feature] += 1
        return self.random.choice(values)

    # ---- The tree.

    def style_of(self, row: Row) -> str:
        """Return how the children of a node are written."""
        shares = row.probabilities
        are_keys = len(set(shares)) == len(shares) and any(p.denominator > 1 for p in shares)
        if are_keys and self.chance(0.4):
            return "probabilities as keys"
        return self.random.choice(("list", "labels as keys"))

    def branches_of(self, n: int) -> list[Branch]:
        row, style = self.rows[n], self.styles[n]
        pool = LABELS if row.kind == Kind.CHANCE else PLAYER_LABELS
        pool = self.labels or pool
        labels = self.random.sample(pool, len(row.children))
        found = []
        for at, child in enumerate(row.children):
            label: str | None = labels[at]
            is_numbered = style == "labels as keys" and self.chance(0.1)
            if is_numbered or (style != "labels as keys" and not self.chance(self.share / 2)):
                label = None
            reward = row.rewards[at] if row.rewards else Fraction(0)
            p = row.probabilities[at] if row.probabilities else None
            found.append(Branch(child, reward, label, p))
        return found

    def shared_rows(self) -> tuple[dict[int, str], set[int]]:
        """Choose names and anchors for the shared rows."""
        names, anchored = {}, set()
        for n in range(len(self.rows) - 1):
            if self.uses[n] < 2 and not self.chance(0.05):
                continue
            is_plain = all(
                self.is_plain(m, b) for m, own in enumerate(self.branches) for b in own
                if b.child == n
            )  # fmt: skip
            if is_plain and self.suffix == "yaml" and self.chance(0.6):
                anchored.add(n)
                self.features["alias"] += self.uses[n] > 1
                continue
            names[n] = self.random.choice((f"n{n}", f"node {n}", str(n)))
            self.features["ref"] += 1
            for own in self.branches:
                for b in own:
                    if b.child == n:
                        b.note = self.maybe(self.words, "note at a branch")
        return names, anchored

    def is_plain(self, n: int, branch: Branch) -> bool:
        """Return whether a branch of a node needs no key next to those of its child."""
        has_label = branch.label is not None and self.styles[n] != "labels as keys"
        has_p = len(set(self.rows[n].probabilities)) > 1 and not self.is_keyed(n)
        return branch.reward == 0 and not has_label and not has_p

    def is_keyed(self, n: int) -> bool:
        return self.styles[n] == "probabilities as keys"

    def tree(self, exact: bool = True) -> Tree:
        """Return the tree that the text means."""
        builder = TreeBuilder(exact)
        number: Callable[[Any], Any] = Fraction if exact else float
        order = self.reachable()
        ids: dict[int, int] = {}
        for n in order:
            row, branches = self.rows[n], self.branches[n]
            if not row.children:
                ids[n] = builder.add_terminal(UNKNOWN if self.unknown[n] else number(row.utility))
            else:
                ids[n] = builder.add_inner(
                    row.kind,
                    [ids[b.child] for b in branches],
                    [number(p) for p in row.probabilities] or None,
                    [b.label for b in branches],
                    None if row.estimate is None else number(row.estimate),
                    {at: number(b.reward) for at, b in enumerate(branches)},
                )
                for at, b in enumerate(branches):
                    if b.note is not None:
                        builder.annotate_branch(ids[n], at, b.note)
            bounds = row.bounds and tuple(
                end if abs(end) == INFINITY else number(end) for end in row.bounds
            )
            builder.annotate(ids[n], bounds=bounds, note=self.notes[n])
        root = NodeId(ids[len(self.rows) - 1])
        about = {"title": self.title, "source": self.source}
        return builder.build(root, reward=self.root_reward, check=False, **about)

    def reachable(self) -> list[int]:
        found = {len(self.rows) - 1}
        for n in range(len(self.rows) - 1, -1, -1):
            if n in found:
                found.update(b.child for b in self.branches[n])
        return sorted(found)

    # ---- Numbers.

    def number(self, value: Any, formula: bool = True) -> Text:
        """Return a number, or with `formula` maybe a formula, in a random spelling."""
        if abs(value) == INFINITY:
            self.features["infinite end"] += 1
            forms = ("inf", ".inf", "+.INF", "+inf") if value > 0 else ("-inf", "-.inf", "-.Inf")
            return Text(self.random.choice(forms))
        value = Fraction(value)
        if formula and self.has_parameters and len(str(value)) < 40 and self.chance(0.3):
            return self.formula(value)
        forms = [str(value)]
        if len(str(value)) < 60:
            forms.append(f"{value.numerator * 3}/{value.denominator * 3}")
        decimal = decimal_text(value)
        if decimal:
            forms += [decimal, decimal, f"{decimal}e0", decimal if value < 0 else f"+{decimal}"]
            if decimal.startswith("0."):
                forms.append(decimal[1:])
            if "." not in decimal:
                forms.append(f"{decimal}.")
            forms.append(f"{decimal_text(value * 1000) or decimal + '000'}e-3")
        form = self.random.choice([form for form in forms if len(form) <= 400])
        self.features["fraction"] += "/" in form
        self.features["exponent"] += "e" in form
        self.features["decimal without digits on one side"] += form[0] == "." or form[-1] == "."
        return Text(form)

    def formula(self, value: Fraction) -> Text:
        self.features["formula"] += 1
        known = {**NAMES, **{name: v for name, (_, v) in DERIVED.items()}}
        name, v = self.random.choice([*known.items()])
        size = abs(value)
        forms = (
            f"{name} + ({value - v})", f"({value - v}) + {name}*1", f"-(-({value}))",
            f"min({name}, {name} + 1) + ({value - v})", f"max({value}, {value})",
            f"if({name} <= {name}, {value}, 0)", f"if({name} < {name}, 7, {value})",
            f"{name}/{name}*({value})", f"(({value})^3/({value})^2)" if value else f"0*{name}",
            f"abs(-({size}))" if value >= 0 else f"-abs({size})",
            f"{value.numerator * 100}%/{value.denominator}",
            f"sqrt(({size})^2)" if value >= 0 else f"-sqrt(({size})^2)",
            f"({value}) + log(1) + exp(0) - 1",
        )  # fmt: skip
        return Text(self.random.choice(forms))

    def probability(self, p: Fraction, formula: bool) -> Text:
        percent = decimal_text(p * 100)
        if percent and self.chance(0.3):
            self.features["percent"] += 1
            return Text(f"{percent}%")
        return self.number(p, formula)

    # ---- Nodes and branches.

    def node(self, n: int) -> Any:
        """Return a node without its branch: a text, pairs, or a reference to a shared one."""
        row, pairs = self.rows[n], []
        if row.children:
            is_event = self.is_event(n)
            children = self.children(n, has_p=not is_event)
            pairs.append((KEYS[row.kind], children))
            if row.estimate is not None:
                self.features["estimate"] += 1
                pairs.append(("estimate", self.number(row.estimate)))
            if is_event or (row.kind == Kind.CHANCE and self.chance(0.1)):
                self.features["event with a prior" if is_event else "event"] += 1
                self.named_events.add(f"event {n}")
                pairs.append(("event", Text(f"event {n}", is_quoted=True)))
        elif self.unknown[n]:
            self.features["unknown utility"] += 1
            pairs.append(("utility", Text("?", is_quoted=True)))
        else:
            pairs.append(("utility", self.number(row.utility)))
        if row.bounds:
            self.features["bounds at a terminal" if not row.children else "bounds"] += 1
            pairs.append(("bounds", [self.number(end, formula=False) for end in row.bounds]))
        note = self.notes[n]
        if note is not None:
            pairs.append(("note", Text(note, is_quoted=True)))
        return self.shuffled(pairs)

    def is_event(self, n: int) -> bool:
        """Choose whether the probabilities of a node are those of an event; write its prior."""
        labels = [branch.label for branch in self.branches[n]]
        is_chance = self.rows[n].kind == Kind.CHANCE and not self.is_keyed(n)
        if not is_chance or None in labels or not self.chance(0.3):
            return False
        prior = dict(zip(labels, self.probabilities(n, always=True), strict=True))
        self.events[f"event {n}"] = {"prior": prior}
        return True

    def shuffled(self, pairs: list[Any]) -> list[Any]:
        """Return a mapping's pairs, mostly in the usual order."""
        return self.random.sample(pairs, len(pairs)) if self.chance(0.3) else pairs

    def payment(self, reward: Fraction) -> list[Any]:
        if reward == 0 and not self.chance(0.05):
            return []
        key = self.random.choice(("reward", "cost"))
        self.features[key] += 1
        return [(key, self.number(reward if key == "reward" else -reward))]

    def child(self, branch: Branch, at: list[Any]) -> Any:
        """Return a child with the keys of its branch, of which `at` are given."""
        n = branch.child
        if n in self.names:
            self.define(n)
            own = [("ref", Text(self.names[n], is_quoted=True))]
            at = [*at, *self.payment(branch.reward)]
            if branch.note is not None:
                at.append(("note", Text(branch.note, is_quoted=True)))
            return self.mapping([*at, *own])
        if n in self.anchored:
            if n not in self.definitions:
                self.definitions[n] = Shared(f"a{n}", self.short(self.node(n)))
            return self.definitions[n]
        return self.mapping([*at, *self.payment(branch.reward), *self.node(n)])

    def short(self, pairs: list[Any]) -> Any:
        """Return a node as a bare number, if it may be one."""
        if len(pairs) == 1 and pairs[0][0] == "utility" and pairs[0][1].text != "?":
            text = pairs[0][1].text
            if (self.has_parameters or not re.search("[a-z(^]", text)) and self.chance(0.8):
                self.features["bare terminal"] += 1
                return pairs[0][1]
        return dict(pairs)

    def mapping(self, pairs: list[Any]) -> Any:
        return self.short(self.shuffled(pairs))

    def define(self, n: int) -> None:
        """Write the definition of a named node, once."""
        if n not in self.definitions:
            self.definitions[n] = None
            self.definitions[n] = self.mapping(self.node(n))

    def children(self, n: int, has_p: bool) -> Any:
        style, branches = self.styles[n], self.branches[n]
        self.features[style] += 1
        spelled = self.probabilities(n) if has_p and self.rows[n].kind == Kind.CHANCE else []
        found = []
        for at, branch in enumerate(branches):
            keys: list[Any] = []
            if style != "labels as keys" and branch.label is not None:
                self.features["label in a list"] += 1
                keys.append(("label", Text(branch.label, is_quoted=True)))
            if spelled and not self.is_keyed(n):
                keys.append(("p", spelled[at]))
            key = spelled[at] if self.is_keyed(n) else branch.label or f"#{at + 1}"
            found.append((str(key), self.child(branch, keys)))
        return [child for _, child in found] if style == "list" else dict(found)

    def probabilities(self, n: int, always: bool = False) -> list[Text]:
        """Return how the probabilities of a chance node are spelled.

        Equal ones may be left out, but not with `always`.
        """
        shares = self.rows[n].probabilities
        is_keyed = self.is_keyed(n)
        if not is_keyed and not always and len(set(shares)) == 1:
            has_alias = any(b.child in self.anchored for b in self.branches[n])
            if has_alias or self.chance(0.5):
                self.features["equally likely"] += 1
                return []
        while True:
            found = [self.probability(p, formula=not is_keyed) for p in shares]
            at = self.random.randrange(len(shares))
            if self.chance(0.4):
                alike = [k for k, p in enumerate(shares) if p == shares[at]]
                alike = [at] if is_keyed else alike
                self.features["rest"] += 1
                self.features["several rest"] += len(alike) > 1
                for k in alike:
                    found[k] = Text("rest")
            others = [text.text for text in found if text.text != "rest"]
            texts = {text.text for text in found}
            if not is_keyed or (len(texts) == len(found) and re.search("[./%]", "".join(others))):
                return found

    # ---- The file.

    def write(self) -> str:
        root = len(self.rows) - 1
        pairs = [*self.payment(self.root_reward), *self.node(root)]
        head: list[Any] = []
        for key, text in (("title", self.title), ("source", self.source)):
            if text is not None:
                head.append((key, Text(text, is_quoted=True)))
        if self.has_parameters:
            head.append(("parameters", self.parameters()))
        if self.events:
            head.append(("events", self.events))
        if self.has_attitude:
            self.features["attitude"] += 1
            head.append(("attitude", {"exponential": Text("1000")}))
        elif self.chance(0.3) and not any(self.unknown):
            value = self.root_reward + definition(self.tree().root)
            if len(str(value)) <= MAX_LENGTH:
                self.features["expect"] += 1
                head.append(("expect", {"value": Text(str(value))}))
        if self.chance(0.05):
            self.features["$schema"] += 1
            head.append(("$schema", Text("x.json")))
        named = {name: self.definitions[n] for n, name in self.names.items()
                 if n in self.definitions}  # fmt: skip
        if named:
            items = self.random.sample([*named.items()], len(named))
            head.append(("nodes", dict(items)))
        head = self.shuffled(head)
        document = dict([*pairs, *head] if self.chance(0.3) else [*head, *pairs])
        if self.suffix == "json":
            return json_text(document, self.random)
        return yaml_text(document, self.random)

    def parameters(self) -> dict[str, Any]:
        self.features["parameters"] += 1
        found: dict[str, Any] = {}
        for name, value in NAMES.items():
            found[name] = Text(str(value))
            if self.chance(0.3):
                self.features["parameter with a range"] += 1
                found[name] = {
                    "value": Text(str(value)), "range": [Text("-10"), Text("1e2")],
                    "unit": Text("$"), "description": Text("about it", is_quoted=True),
                }  # fmt: skip
        derived = {name: Text(formula) for name, (formula, _) in DERIVED.items()}
        items = [*found.items(), *derived.items()]
        return dict(self.random.sample(items, len(items)))


def decimal_text(value: Fraction) -> str:
    """Return a number as a decimal without exponent, or nothing if it has none."""
    places, rest = 0, value.denominator
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1:
        return ""
    digits = str(abs(value) * 10**places).rjust(places + 1, "0")
    sign = "-" if value < 0 else ""
    whole = digits[: len(digits) - places]
    return sign + (f"{whole}.{digits[-places:]}" if places else whole)
