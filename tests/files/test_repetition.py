"""Named nodes that lead to themselves: values by their recursion, and what is refused."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from files.samples import content_of
from helpers import ROOT, cases

import expectitree as et
from expectitree.base.tree.folding import unshare
from tests.helpers import for_each

PUT = """
parameters: {S0: 100, K: 100, u: 1.1, r: 0.02, n: 3, t: 0, ups: 0, S: S0*u^(2*ups - t),
  q: (1 + r - 1/u)/(u - 1/u)}
nodes:
  option:
    until: t = n
    utility: max(K - S, 0)/(1 + r)^t
    max:
      exercise: (K - S)/(1 + r)^t
      hold:
        chance:
          up: {p: q, ref: option, with: {t: t + 1, ups: ups + 1}}
          down: {p: rest, ref: option, with: {t: t + 1}}
ref: option
"""
COHORT = """
parameters: {cycle: 0, new: 0, effect: "if(new = 1 and cycle < 2, 0.5, 1)", d: 1/1.06^(cycle + 1)}
nodes:
  well:
    until: cycle = 12
    chance:
      well: {p: rest, reward: 10*d, ref: well, with: {cycle: cycle + 1}}
      ill: {p: 0.2*effect, reward: 4*d, ref: ill, with: {cycle: cycle + 1}}
  ill:
    until: cycle = 12
    chance:
      ill: {p: 0.7, reward: 4*d, ref: ill, with: {cycle: cycle + 1}}
      dead: {p: 0.3, utility: 0}
max:
  usual: {ref: well}
  new: {reward: -3, ref: well, with: {new: 1}}
"""


def put_value(n: int, start: int = 100) -> Fraction:
    u, r = Fraction("1.1"), Fraction("0.02")
    q = (1 + r - 1 / u) / (u - 1 / u)

    @cache
    def value(t: int, ups: int) -> Fraction:
        gain = 100 - start * u ** (2 * ups - t)
        if t == n:
            return max(gain, Fraction(0)) / (1 + r) ** t
        hold = q * value(t + 1, ups + 1) + (1 - q) * value(t + 1, ups)
        return max(gain / (1 + r) ** t, hold)

    return value(0, 0)


def cohort_value(is_new: bool, last: int = 12) -> Fraction:
    def d(cycle: int) -> Fraction:
        return 1 / Fraction("1.06") ** (cycle + 1)

    @cache
    def value(state: str, cycle: int) -> Fraction:
        if cycle == last:
            return Fraction(0)
        ill = 4 * d(cycle) + value("ill", cycle + 1)
        if state == "ill":
            return Fraction(7, 10) * ill
        p = Fraction(1, 10 if is_new and cycle < 2 else 5)
        return (1 - p) * (10 * d(cycle) + value("well", cycle + 1)) + p * ill

    return value("well", 0)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_an_american_put_is_worth_its_recursion(n: int) -> None:
    read = et.loads(PUT, parameters={"n": n})
    assert et.evaluate(read, exact=True).value == put_value(n)
    changed = et.loads(PUT).with_parameters(n=n)
    assert et.evaluate(changed, exact=True).value == put_value(n)
    moved = et.loads(PUT, parameters={"n": n}).with_parameters(S0=90)  # not a counter
    assert et.evaluate(moved, exact=True).value == put_value(n, 90)
    assert all([*counts] == sorted(counts) for _, counts in read.formulas.states.values())


def test_a_cohort_is_worth_its_recursion_for_each_strategy() -> None:
    tree = et.loads(COHORT)
    found = et.evaluate(tree, exact=True)
    assert found.interval("usual")[0] == cohort_value(False)
    assert found.interval("new")[0] == cohort_value(True) - 3
    assert len(tree) == 50  # states on which cycle and new agree are one node
    assert et.evaluate(tree.with_parameters(cycle=12), exact=True).value == 0


@pytest.mark.parametrize(
    ("action", "cost", "life"), [("alone", 44663.45, 7.99), ("both", 50601.65, 8.94)]
)
def test_a_published_cohort_has_its_costs_and_years(action: str, cost: float, life: float) -> None:
    """The figures are those of Chancellor and others (1997)."""
    search = et.evaluate(et.load("example:hiv"))
    node, branch = search.tree.find(action).id, search.tree.find_branch(action)
    amounts = search.expected_criteria.at(node, branch)
    assert round(float(amounts["cost"]), 2) == cost
    assert round(float(amounts["life"]), 2) == life


def test_a_published_ratio_is_the_threshold() -> None:
    frontier = et.frontier(et.load("example:hiv"))
    low, high = (one.criteria for one in frontier.best)
    ratio = (high["cost"] - low["cost"]) / (high["life"] - low["life"])
    assert round(float(ratio), 2) == 6275.96


def test_a_chain_of_480_cycles_is_unrolled() -> None:
    well = ill = 0.0
    for cycle in range(479, -1, -1):
        pay = 4 / 1.06 ** (cycle + 1) + ill
        well, ill = 0.8 * (10 / 1.06 ** (cycle + 1) + well) + 0.2 * pay, 0.7 * pay
    found = et.evaluate(et.loads(COHORT.replace("cycle = 12", "cycle = 480")))
    assert found.value_of("usual") == pytest.approx(well)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    cases("nodes", "cohort"),
)
def test_an_error_names_the_written_line_and_the_copy(old: str, new: str, message: str) -> None:
    assert old in COHORT
    line = next(at for at, text in enumerate(COHORT.split("\n")) if old in text)
    with pytest.raises(et.FileError, match=re.escape(message)) as caught:
        et.loads(COHORT.strip("\n").replace(old, new, 1), name="x.yaml")
    assert caught.value.problems[0].line == line


def test_the_number_of_nodes_is_limited() -> None:
    text = COHORT.replace("until: cycle = 12", "until: cycle = 11.5")
    limit = "the repeated nodes make more than 30 nodes, by well (cycle 0) → well (cycle 1) → …"
    with pytest.raises(et.FileError, match=re.escape(limit)):
        et.loads(text, max_nodes=30)
    assert len(et.loads(COHORT, max_nodes=50)) == 50


def test_a_copy_has_a_name() -> None:
    found = et.evaluate(et.loads(COHORT), exact=True)
    assert found.value_of("ill (cycle 12)") == 0
    assert found.value_of("well (cycle 3, new 1)") == found.value_of("well (cycle 3)")
    names = [*found.tree.formulas.named.values()]
    assert len({*names}) == len(names)
    with pytest.raises(et.TreeError, match=r"no node ill \(cycle 13\)"):
        found.value_of("ill (cycle 13)")
    label = '"ill (cycle 11)"'  # a path that equals a name is a path
    labelled = et.loads(COHORT.replace("usual", label))
    assert et.evaluate(labelled, exact=True).value_of("ill (cycle 11)") == cohort_value(False)
    expected = 'expect: {values: {"ill (cycle 11)": 1, usual: 2}}\n'
    checks = et.verify(et.loads(expected + COHORT)).checks
    assert [check.what for check in checks] == ["value of ill (cycle 11)", "value of usual"]


STALL = """
parameters: {day: 0}
nodes:
  stall:
    until: day = 3
    max:
      open:
        event: weather
        chance:
          sun: {reward: 10, ref: stall, with: {day: day + 1}}
          rain: {cost: 8, ref: stall, with: {day: day + 1}}
      close: {ref: stall, with: {day: day + 1}}
ref: stall
"""


def test_an_event_at_a_copy_is_one_event_for_each_set_of_counters() -> None:
    tree = et.loads(STALL)
    assert et.evaluate(tree).value == 3
    for day in range(3):
        found = et.information(tree, f"weather (day {day})")
        assert found.with_information == 7  # a day of rain costs nothing
    assert "event: weather\n" in et.dumps(tree)


SET_BELOW = """
parameters: {n: 4}
nodes:
  a:
    until: t = n
    utility: k
    max:
      one: {ref: a, with: {t: t + 1, k: k + 1}}
      two: {ref: a, with: {t: t + 1, k: 2*k}}
max: {x: {ref: a, with: {t: 0, k: 1}}, y: {reward: 1, ref: a, with: {t: 1, k: 0}}}
"""


def test_a_name_that_only_a_with_sets_is_known_below() -> None:
    tree = et.loads(SET_BELOW)
    assert et.evaluate(tree).value == 16
    assert et.evaluate(tree).interval("y")[0] == 5
    for format in ("yaml", "json"):
        again = et.loads(et.dumps(tree, format), name=f"x.{format}")
        assert et.evaluate(again.with_parameters(n=3)).value == 8
    plain = "nodes: {a: {max: [x, 2*x]}}\nmax: [{ref: a, with: {x: 3}}, {ref: a, with: {x: 1}}]"
    assert et.evaluate(et.loads(plain)).value == 6


@pytest.mark.parametrize(
    ("old", "new", "message"),
    cases("nodes", "unset"),
)
def test_a_name_that_nothing_sets_is_an_error(old: str, new: str, message: str) -> None:
    assert old in SET_BELOW
    with pytest.raises(et.FileError, match=re.escape(message)):
        et.loads(SET_BELOW.strip().replace(old, new), name="x.yaml")


@for_each("seed", range(40), range(40, 400))
def test_random_parameters_and_kinds_are_worth_their_recursion(seed: int) -> None:
    """Two counters, a `with` of another parameter, derived parameters, a table, own rewards."""
    rng = random.Random(seed)
    last, names = rng.randint(1, 4), ["a", "b", "c"][: rng.randint(1, 3)]
    scale, price = rng.randint(1, 3), rng.randint(-2, 3)
    nodes: dict[str, tuple[str, list[tuple[Fraction, str, int, str, str]]]] = {}
    prices = ["", "price: 2", "price: price + 1", "price: scale + 1", "extra: k", "pay: pay - t"]
    between = rng.choice(["", ", between: linear"])
    table = f"{{by: t - 1, table: {{-1: 1, 0.5: scale, 2: -price/3}}{between}}}"
    fees = {name: rng.choice([0, 0, 1, 3]) for name in names}  # of the nodes themselves
    is_ref = rng.random() < 0.3  # the root
    first = "k: 0, t: 0" if is_ref else "t: 0"
    text = [f"parameters: {{{first}, scale: {scale}, price: {price}, pay: price*scale + t + extra,"]
    text += [f"  extra: {table}}}", "nodes:"]
    for name in names:
        kind = rng.choice(["max", "min", "chance"])
        count = rng.randint(1, 3)
        ps = [Fraction(rng.randint(1, 4)) for _ in range(count)]
        ps = [p / sum(ps) for p in ps]
        branches = [
            (p, rng.choice(names), rng.randint(1, 2), rng.choice(["0", "1", "k + 1", "k"]),
             rng.choice(prices))
            for p in ps
        ]  # fmt: skip
        nodes[name] = kind, branches
        text += [f"  {name}:", f"    until: t >= {last} or k >= 3", "    utility: pay + k"]
        if fees[name]:
            text.append(f"    reward: {fees[name]}*t + scale")
        text.append(f"    {kind}:")
        for p, target, step, k, more in branches:
            chance = f"p: {p}, " if kind == "chance" else ""
            changes = f"t: t + {step}, k: {k}{', ' if more else ''}{more}"
            text.append(f"      - {{{chance}reward: pay, ref: {target}, with: {{{changes}}}}}")
    root = "max: [{ref: a, with: {k: 0}}, {ref: a, with: {k: 1, scale: 2*scale}}]"
    text.append("reward: 2*scale\nref: a" if is_ref else root)

    def looked_up(x: int, scale: int, price: int) -> Fraction:
        rows = [(Fraction(-1), 1), (Fraction(1, 2), scale), (Fraction(2), Fraction(-price, 3))]
        passed = [row for row in rows if row[0] <= x]
        (key, low), later = passed[-1], rows[len(passed) :]
        if between and later:
            return low + (later[0][1] - low) * (x - key) / (later[0][0] - key)
        return Fraction(low)

    def value(name: str, t: int, k: int, scale: int, price: int, **kept: Fraction) -> Fraction:
        extra = kept.get("extra", looked_up(t - 1, scale, price))
        pay = kept.get("pay", price * scale + t + extra)
        fee = fees[name] and fees[name] * t + scale
        if t >= last or k >= 3:
            return pay + k + fee
        kind, branches = nodes[name]
        place = {"t": t, "k": k, "price": price, "scale": scale, "pay": pay, "extra": extra}
        values = []
        for _, target, step, after, more in branches:
            changed = {"price": price, "scale": scale, **kept}
            if more:
                changed[more.partition(":")[0]] = eval(more.partition(": ")[2], place)
            values.append(pay + fee + value(target, t + step, eval(after, place), **changed))
        if kind == "chance":
            return sum(one[0] * x for one, x in zip(branches, values, strict=True))
        return max(values) if kind == "max" else min(values)

    def worth(scale: int) -> Fraction:
        start = value("a", 0, 0, scale, price)
        if is_ref:
            return 2 * scale + start
        return max(start, value("a", 0, 1, 2 * scale, price))

    tree = et.loads("\n".join(text))
    assert et.evaluate(tree, exact=True).value == worth(scale)
    for format in ("yaml", "json"):
        written = et.dumps(tree, format)
        again = et.loads(written, name=f"x.{format}")
        assert et.evaluate(again, exact=True).value == worth(scale)
        assert et.dumps(again, format) == written
    changed = tree.with_parameters(scale=scale + 1)
    assert et.evaluate(changed, exact=True).value == worth(scale + 1)


@pytest.mark.parametrize(("table", "by", "value"), cases("formulas", "tables"))
def test_a_table_has_its_values(tmp_path: Path, table: str, by: str, value: str) -> None:
    (tmp_path / "mortality.csv").write_text("age,rate\n40, 0.01\n\n41,0.02\n43,base/100 + 0.5%\n")
    path = tmp_path / "x.yaml"
    parameters = f"{{base: 3, a: {by}, m: {{by: a, table: {table}}}}}"
    path.write_text(f"parameters: {parameters}\nmax: [m]")
    tree = et.load(path)
    assert et.evaluate(tree, exact=True).value == Fraction(value)
    for format in ("yaml", "json"):
        again = tmp_path / f"again.{format}"
        et.save(tree, again)
        assert et.evaluate(et.load(again), exact=True).value == Fraction(value)
        assert et.dumps(et.load(again)) == et.dumps(tree)
    assert f"m: {{by: a, table: {table}}}" in et.dumps(tree).replace('"a"', "a").replace("'", '"')


@for_each("seed", range(20), range(20, 200))
def test_random_events_and_signals_are_worth_their_recursion(seed: int) -> None:
    """A test that repeats is of one event: its signals are independent after each outcome."""
    rng = random.Random(seed)
    last, names = rng.randint(1, 4), ["a", "b", "c"]
    prior = {"oil": Fraction(rng.randint(1, 3), 4)}
    prior["dry"] = 1 - prior["oil"]
    positive = {o: Fraction(rng.randint(1, 4), 5) for o in prior}
    likelihood = {"plus": positive, "minus": {o: 1 - p for o, p in positive.items()}}
    rows = {s: ", ".join(f"{o}: {p}" for o, p in row.items()) for s, row in likelihood.items()}
    text = ["parameters: {t: 0, pay: {by: t, table: {0: 2, 2: 5, 3: 1}}}", "events:"]
    text.append(f"  oil: {{prior: {{oil: {prior['oil']}, dry: rest}}}}")
    shown = ", ".join(f"{s}: {{{row}}}" for s, row in rows.items())
    text += [f"  test: {{test_of: oil, likelihood: {{{shown}}}}}", "nodes:"]
    labels = {"oil": ["oil", "dry"], "test": ["plus", "minus"]}
    nodes: dict[str, tuple[str, dict[str, tuple[int, str, int]]]] = {}
    for name in names:
        kind = rng.choice(["max", "min", "oil", "test"])
        branches = {
            label: (
                rng.randint(-3, 5),
                "" if kind == "oil" else rng.choice([*names, ""]),
                rng.randint(1, 2),
            )
            for label in labels.get(kind, ["x", "y"])
        }
        nodes[name] = kind, branches
        text += [f"  {name}:", f"    until: t >= {last}", "    utility: pay"]
        if kind in labels:
            text.append(f"    event: {kind}")
        text.append(f"    {'chance' if kind in labels else kind}:")
        for label, (reward, target, step) in branches.items():
            to = f"ref: {target}, with: {{t: t + {step}}}" if target else "utility: -pay"
            text.append(f"      {label}: {{reward: {reward}, {to}}}")
    text.append("max: {one: {ref: a}, two: {ref: b}, sure: 0}")

    def value(name: str, t: int, joint: dict[str, Fraction]) -> Fraction:
        pay = {0: 2, 1: 2, 2: 5}.get(t, 1)
        if t >= last:
            return Fraction(pay)
        kind, branches = nodes[name]
        total, values = sum(joint.values()), []
        for label, (reward, target, step) in branches.items():
            after = joint
            if kind == "oil":  # it happens once, so play ends here
                after = {o: p * (o == label) for o, p in joint.items()}
            elif kind == "test":
                after = {o: p * likelihood[label][o] for o, p in joint.items()}
            p = sum(after.values()) / total
            paid = value(target, t + step, after) if target else -pay
            values.append((p, reward + paid))
        if kind in labels:
            return sum((p * x for p, x in values), Fraction(0))
        return (max if kind == "max" else min)(x for _, x in values)

    tree = et.loads("\n".join(text))
    expected = max(value("a", 0, prior), value("b", 0, prior), Fraction(0))
    assert et.evaluate(tree, exact=True).value == expected
    assert et.evaluate(et.loads(et.dumps(tree)), exact=True).value == expected


@pytest.mark.parametrize(
    ("text", "message"),
    cases("nodes", "endless"),
)
def test_what_never_ends_is_refused(text: str, message: str) -> None:
    with pytest.raises(et.FileError, match=message.replace("`", "`")):
        et.loads(text)


A = "until: t = 2, {}max: [{{{}ref: a, with: {{t: t + 1}}}}, 3]"


@pytest.mark.parametrize(
    ("root", "first", "branch"),
    [
        ("ref: a", "reward: 10", ""),
        ("reward: 5\nref: a", "reward: 10", "reward: 1"),
        ("cost: s\nref: a", "reward: 10*s", "cost: s"),
        ("max: [{reward: 2, ref: a}, 1]", "cost: t + 1", "reward: s"),
        ("max: [{ref: a}, 1]", 'utility: "?"', ""),
        ("max: [{ref: a}, 1]", 'utility: "?", reward: 1', "reward: 2"),
        ("ref: a", 'utility: "?", estimate: 4', ""),
        ("ref: a", "estimate: 4, bounds: [-10, 99]", "note: more"),
    ],
)
def test_a_repeated_node_is_written_as_it_is_read(root: str, first: str, branch: str) -> None:
    node = A.format(f"{first}, ", f"{branch}, " if branch else "")
    text = f"parameters: {{t: 0, s: 2}}\nnodes: {{a: {{{node}}}}}\n{root}"
    tree = et.loads(text)
    for format in ("yaml", "json"):
        again = et.loads(et.dumps(tree, format), name=f"x.{format}")
        assert content_of(again) == content_of(tree)
        assert et.dumps(again) == et.dumps(tree)


@pytest.mark.parametrize(
    ("node", "root", "value"),
    [
        ("reward: rr, {}", "ref: a, with: {rr: 2}", 6),
        ("reward: rr, {}", "ref: a, with: {rr: rr + t}", 3),
        ("reward: rr, {rr: 5}", "ref: a, with: {rr: 2}", 12),
        ("reward: twice, {}", "ref: a, with: {rr: 2}", 12),
        ("reward: twice, {}", "ref: a, with: {twice: s, rr: 7}", 9),
        ("reward: twice*s, {s: s + 1}", "ref: a, with: {rr: 2}", 4 * (3 + 4 + 5)),
        ("reward: twice, {s: 0}", "ref: a, with: {twice: rr}", 3),
        ("reward: rr*s, {t: t + 1, rr: rr + 1}", "ref: a, with: {s: 1, rr: 0}", 3),
    ],
)
def test_a_replaced_parameter_is_not_derived_again(node: str, root: str, value: int) -> None:
    first, changes = node.split(", {")
    step = "t: t + 1, " if "t: " not in changes else ""
    text = "parameters: {t: 0, s: 3, rr: 1 + 0*t, twice: 2*rr + 0*s}\nnodes: {a: {until: t = 3, "
    text += f"max: [{{{first}, ref: a, with: {{{step}{changes}}}]}}}}\nmax: [{{{root}}}]"
    tree = et.loads(text, warn=lambda _: None)
    assert et.evaluate(tree).value == value
    assert et.evaluate(et.loads(et.dumps(tree), warn=lambda _: None)).value == value
    assert et.evaluate(et.loads(et.dumps(unshare(tree)), warn=lambda _: None)).value == value


# Equal states are one node, also where a parameter is derived from counters.
MEETING = {
    """
parameters: {month: 0, stock: 2, have: stock + 1}
nodes:
  m:
    until: month = 9
    chance:
      none: {p: 0.5, ref: m, with: {month: month + 1, stock: have}}
      sold: {p: 0.5, reward: 1, ref: m, with: {month: month + 1, stock: "max(have - 2, 0)"}}
      two: {p: 0, reward: 2*have, ref: m, with: {month: month + 1, stock: "max(have - 3, 0)"}}
ref: m
""": 64,
    """
parameters: {year: 0, age: 0, fail: 0.1, pf: fail*(age + 1)}
nodes:
  decide:
    until: year = 1
    max: {keep: {ref: run}, replace: {reward: -5, ref: run, with: {age: 0}}}
  run:
    chance:
      fails: {p: pf, reward: -90, ref: decide, with: {year: year + 1, age: age + 1}}
      fine: {p: rest, ref: decide, with: {year: year + 1, age: age + 1}}
ref: decide
""": 3,
}


# An option on a lattice of three periods: 6 decisions with 2 branches, and 4 prices at the end.
MEETING[(ROOT / "trees/american-put.yaml").read_text()] = 22


@pytest.mark.parametrize("text", MEETING, ids=["derived counter", "derived probability", "lattice"])
def test_equal_states_meet(text: str) -> None:
    assert len(et.loads(text)) == MEETING[text]
