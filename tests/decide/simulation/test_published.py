"""Published analyses, within their standard errors and ours.

The trees of the first two are in the documentation. The third is the model of HIV in exercise 4.7
of Briggs, Claxton and Sculpher (2006), of which the R package rdecision has 1,000 runs.
"""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
import pytest
from helpers import ROOT

import expectitree as et

EXAMPLES = ROOT / "docs" / "examples"


def test_dressing() -> None:
    """Jenks and others (2016): 151.29 and 77.75 pounds; 97.8% of their runs save costs."""
    found = et.simulate(et.load(EXAMPLES / "tegaderm.yaml"))
    standard, gel = found.actions
    for one, published in ((standard, 151.29), (gel, 77.75)):
        assert -one.mean == pytest.approx(published, abs=3 * one.sd / 100)
    saving = found.values[1] - found.values[0]
    # A calculation with NumPy alone, of 2 million draws.
    assert saving.mean() == pytest.approx(73.57, abs=3 * 62.1 / 100)
    assert saving.std() == pytest.approx(62.1, rel=0.05)
    assert gel.share == pytest.approx(0.955, abs=0.007)
    assert gel.share == pytest.approx(0.978, abs=0.03)


def test_dressing_where_infections_are_rare() -> None:
    """The second scenario: 34.47 and 30.79 pounds; 57.9% of the runs save costs."""
    text = (EXAMPLES / "tegaderm.yaml").read_text("utf-8")
    text = text.replace("{mean: 1.48, sd: 0.12}", "{mean: 0.3, sd: 0.102}")
    standard, gel = et.simulate(et.loads(text)).actions
    assert -standard.mean == pytest.approx(34.47, abs=3 * standard.sd / 100)
    assert -gel.mean == pytest.approx(30.79, abs=3 * gel.sd / 100)
    assert gel.share == pytest.approx(0.566, abs=0.015)  # NumPy alone
    assert gel.share == pytest.approx(0.579, abs=0.03)


def test_migraine() -> None:
    """Evans and others (1997): an ICER of 29,366, and 18,950 to 60,839 at the 95% interval."""
    tree = et.load(EXAMPLES / "sumatriptan.yaml")
    for gain, icer in ((0.179, 29_366), (0.268, 18_950), (0.091, 60_839)):
        (threshold,) = et.sensitivity(tree.with_parameters(gain=gain), "wtp").thresholds
        assert float(threshold.middle) == pytest.approx(icer, rel=0.05)
    found = et.acceptability(tree, "wtp", range=(19_619, 58_458))
    first, last = found.points[0], found.points[-1]
    assert first.shares[1] == pytest.approx(0.025, abs=0.006)
    assert last.shares[1] == pytest.approx(0.975, abs=0.006)


BERNOULLI = (
    "{parameters: {p: {distribution: 'beta(3, 7)'}}, "
    "max: {sure: 0.25, bet: {chance: {win: {p: p, utility: 1}, lose: {p: rest, utility: 0}}}}}"
)
NORMAL = "{parameters: {a: {distribution: 'normal(1, 1)'}, b: {distribution: 'normal(0, 2)'}}, "


@pytest.mark.parametrize(
    ("text", "names", "exact"),
    [
        # The vignette of Jackson's package voi. Once the parameters are known, t2 gains y on
        # average, and y is normal(1, s). Knowing them adds E[max(0, y)] - 1, which is
        # s*(f(1/s) - F(-1/s)/s), with the density f and the distribution function F of
        # normal(0, 1).
        (NORMAL + "max: {t1: 0, t2: a - b}}", ("a", "b"), 0.4798),
        (NORMAL + "max: {t1: 0, t2: a - b}}", ("b",), 0.3956),
        (NORMAL + "max: {t1: b - a, t2: 0, t3: -100}}", ("a",), 0.0833),
        (NORMAL + "min: {t1: 0, t2: b - a}}", ("a", 10, 1), 0.0723251),
        (NORMAL + "max: {t1: 0, t2: a - b}}", ("a", 100, 1), 0.0821176),
        (NORMAL + "max: {t1: 0, t2: a - b}}", ("b", 1, 2), 0.1996412),
        # The sum over the results of a beta-binomial distribution, by SciPy.
        (BERNOULLI, ("p", 1), 0),
        (BERNOULLI, ("p", 10), 0.0167957),
        (BERNOULLI, ("p", 50), 0.0279751),
    ],
)
def test_information_about_parameters(text: str, names: tuple[Any, ...], exact: float) -> None:
    """EVPPI of parameters, and EVSI of studies, against closed forms."""
    if all(isinstance(name, str) for name in names):
        found = et.simulate(et.loads(text), draws=100_000, known=[names]).evppi
        (worth,) = {one.evppi for one in found if one.parameters == names}
    else:
        (study,) = et.simulate(et.loads(text), draws=100_000, studies=[names]).evsi
        worth = study.evsi
    assert worth.value == pytest.approx(exact, abs=3 * worth.error + 5e-5)
    assert worth.error < 0.005


def hiv(years: int = 20) -> et.Tree:
    """Return Chancellor's cohort, with half-cycle correction of the years of life."""
    moves = {
        "A": {"A": 1251, "B": 350, "C": 116, "dead": 17},
        "B": {"B": 731, "C": 512, "dead": 15},
        "C": {"C": 1312, "dead": 437},
    }
    costs = {"A": (1701, 1055), "B": (1774, 1278), "C": (6948, 2059)}
    parameters: dict[str, Any] = {
        "wtp": 10000,
        "rate": 0.06,
        "rr": {"value": 0.509, "distribution": "lognormal(log(0.509), log(0.71/0.365)/3.92)"},
    }
    for state, row in moves.items():
        for to, count in row.items():
            one = {"distribution": {"dirichlet": count, "set": f"from {state}"}}
            parameters[f"{state}_{to}"] = one
        for kind, mean in zip(("direct", "community"), costs[state], strict=True):
            parameters[f"{kind}_{state}"] = {"distribution": f"gamma(1, {mean})"}
    nodes = {}
    for drugs in ("one", "two"):
        for year in range(1, years + 1):
            has_two = drugs == "two" and year <= 2
            for state, row in moves.items():
                outcomes: dict[str, Any] = {}
                for to in row:
                    p = "rest" if to == state else f"{state}_{to}" + "*rr" * has_two
                    outcomes[to] = {"p": p, "utility": 0, "reward": "wtp/2"}
                    if to != "dead":
                        cost = f"direct_{to} + community_{to} + {2278 + 2087 * has_two}"
                        outcomes[to]["reward"] = f"wtp - ({cost})/(1 + rate)^{year}"
                        if year < years:
                            del outcomes[to]["utility"]
                            outcomes[to]["ref"] = f"{drugs} {to} {year + 1}"
                nodes[f"{drugs} {state} {year}"] = {"chance": outcomes}
    actions = {"one drug": {"ref": "one A 1"}, "two drugs": {"ref": "two A 1"}}
    return et.from_dict({"parameters": parameters, "nodes": nodes, "max": actions})


@pytest.mark.slow
def test_hiv() -> None:
    tree = hiv()
    free, paid = (et.simulate(tree.with_parameters(wtp=wtp)) for wtp in (0, 1))
    cost = [-values for values in free.values]
    life = [values + spent for values, spent in zip(paid.values, cost, strict=True)]
    published = {  # of 1,000 runs: the mean, the standard deviation, both 95% quantiles
        "cost of one": (cost[0], 45924, 19386, 22627, 98857),
        "cost of two": (cost[1], 51759, 18811, 28714, 103447),
        "life with one": (life[0], 8.488, 0.206, 8.08, 8.890),
        "life with two": (life[1], 9.413, 0.267, 8.87, 9.930),
        "more cost": (cost[1] - cost[0], 5835, 1796, 2695, 9700),
        "more life": (life[1] - life[0], 0.925, 0.174, 0.580, 1.230),
    }
    for values, mean, sd, low, high in published.values():
        assert values.mean() == pytest.approx(mean, abs=3 * sd / 1000**0.5)
        assert values.std() == pytest.approx(sd, rel=0.1)
        assert np.quantile(values, 0.025) == pytest.approx(low, abs=0.3 * sd)
        assert np.quantile(values, 0.975) == pytest.approx(high, abs=0.6 * sd)
    curve = et.acceptability(tree, "wtp", range=(0, 20_000))
    for wtp, share in ((2000, 0.016), (4000, 0.092), (6000, 0.438), (8000, 0.778), (10000, 0.941)):
        (point,) = (one for one in curve.points if one.at == wtp)
        assert point.shares[1] == pytest.approx(share, abs=3 * (share * (1 - share) / 1000) ** 0.5)


@pytest.mark.slow
def test_speed() -> None:
    tree = hiv()
    et.simulate(tree, draws=100)
    start = process_time()  # other programs may be running
    et.simulate(tree, draws=10_000)
    assert process_time() - start < 1
