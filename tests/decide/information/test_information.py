"""Information against published values, and refusals."""

from __future__ import annotations

import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from helpers import invoke, object_of, run_main

import expectitree as et

OIL = "max: {sell: 3, drill: {chance: {oil: {p: 1/4, utility: 10}, dry: {p: 3/4, utility: -2}}}}"
ROCKEFELLER = "trees/rockefeller.yaml"
WILDCATTER = "trees/oil-wildcatter.yaml"
SEISMIC = "docs/examples/seismic.yaml"
SOUNDING = {
    "none": {"dry": 0.6, "wet": 0.3, "soaking": 0.1},
    "open": {"dry": 0.3, "wet": 0.4, "soaking": 0.4},
    "closed": {"dry": 0.1, "wet": 0.3, "soaking": 0.5},
}


# ---- Published values.


def test_the_test_of_rockefeller_if_the_price_of_the_land_stays() -> None:
    short = et.loads(
        "{parameters: {pr: 0.5, sens: 0.9, spec: 0.7}, max: {sell: 750, install: {cost: 250, "
        "event: oil, chance: {oil: {p: pr, utility: 2500}, none: {p: rest, utility: 0}}}}}"
    )
    test = {"plus": {"oil": "sens", "none": "1 - spec"}, "minus": {"oil": "rest", "none": "rest"}}
    found = et.information(short, "oil", likelihood=test)
    assert found.evsi == 0.6 * 1625 + 0.4 * 750 - 1000
    assert found.efficiency == pytest.approx(275 / 500)


def test_wildcatter() -> None:
    tree = et.load("example:oil-wildcatter")
    oil, cost = et.information(tree, "oil"), et.information(tree, "cost")
    assert (oil.value, oil.evpi, oil.with_information) == (140, 155, 295)
    assert (cost.evpi, cost.with_information) == (10, 150)
    found = et.information(tree, "oil", likelihood=SOUNDING)
    assert (found.with_test, found.evsi) == (180.1, 40.1)


def test_supertree_bid() -> None:
    tree = et.load("example:sealed-bid")
    assert et.information(tree, "competitor").evpi == 30
    assert et.information(tree, "competitor").with_information == 95
    # A lost bid does not meet the cost, so the event is written there, too.
    lost = "{event: cost, chance: {low: {p: 1/4, utility: 0}, middle: {p: 1/2, utility: 0}, "
    lost += "high: {p: 1/4, utility: 0}}}"
    text = Path("trees/sealed-bid.yaml").read_text("utf-8").partition("\nnodes:")[2]
    for p in ("0.35", "0.5"):
        text = text.replace(f"{{p: {p}, utility: 0}}", f"{{p: {p}, ref: lost}}")
    parameters = "parameters: {p_low: 1/4, p_high: 1/4}"
    whole = et.loads(f"{parameters}\nnodes:\n  lost: {lost}{text}")
    assert et.evaluate(whole).value == 65
    assert et.information(whole, "cost").evpi == 20
    assert et.information(tree, "cost").evpi == 20


def test_movie_contract() -> None:
    tree = et.load("example:movie-contract").with_parameters(fees=0)
    assert et.information(tree, "movie").evpi == 210_000


# ---- Where something is known, and what is an event.


def test_a_path_is_an_event_and_a_node_of_an_event_the_whole_event() -> None:
    found = et.information(et.loads(OIL), "drill")
    assert (found.event, found.evpi) == ("drill", 1.75)
    found = et.information(et.load("example:rockefeller"), "install")
    assert (found.event, found.evpi) == ("oil", 425)


def test_information_can_hurt_where_min_knows_it_too() -> None:
    text = "max: {go: {min: {a: {chance: {x: 0, y: 10}}, b: 5}}, stay: -1}"
    found = et.information(et.loads(text), "go/a")
    assert found.evpi == -2.5
    shown = invoke("information", "-e", text, "--event", "go/a").stdout
    assert "MIN knows what MAX knows, so information can also be worth less than nothing" in shown
    assert "The decision maker is MAX, who prefers large totals; MIN plays against MAX." in shown


def test_large_trees_are_computed_in_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    from expectitree.decide.information import report

    monkeypatch.setattr(report, "EXACT_NODES", 0)
    test = {"plus": {"oil": "sens", "none": 0.3}, "minus": {"oil": "rest", "none": "rest"}}
    found = et.information(et.load("example:rockefeller"), "oil", likelihood=test)
    assert (found.evpi, found.with_test) == pytest.approx((425, 1275))


def test_a_signal_is_an_event_too() -> None:
    found = et.information(et.load(SEISMIC), "seismic")
    # After plus, installing is worth 0.75 * 2500 - 250; after minus, the best is to sell.
    assert [(one.value, one.best) for one in found.outcomes] == [
        (1625, ("install",)),
        (750, ("sell",)),
    ]
    assert found.evpi == 0.6 * 1625 + 0.4 * 750 - 1075
    with pytest.raises(et.AnalysisError) as error:
        et.information(et.load("example:rockefeller"), "test")
    assert str(error.value) == (
        "install: oil may depend on test, and play also meets it without test: define both under "
        "`events`"
    )
    independent = et.loads(
        "max: {a: {chance: {h: {event: e, chance: {x: 1, y: 3}}, t: {event: e, chance: {x: 5, "
        "y: 0}}}}, b: {event: e, chance: {x: 2, y: 2}}}"
    )
    assert et.information(independent, "a").value == 2.25


# ---- Signals that the event does not follow.

DEFINED = """
events:
  oil: {prior: {oil: 0.5, none: rest}}
  seismic: {test_of: oil, likelihood: {plus: {oil: 0.9, none: 0.3}, minus: {oil: rest, none: rest}}}
"""
INSTALL = "{cost: 250, event: oil, chance: {oil: 2500, none: 0}}"
SELL = f"""
max:
  install: {INSTALL}
  test and sell: {{event: seismic, chance: {{plus: 3000, minus: 500}}}}
"""
PRUNED = f"""
max:
  sell: 750
  install: {INSTALL}
  test:
    cost: 100
    event: seismic
    chance: {{plus: {{max: {{install: {INSTALL}, sell: 1000}}}}, minus: 500}}
"""


def test_a_test_that_pays_by_itself() -> None:
    found = et.information(et.loads(DEFINED + SELL), "oil")
    assert [(one.value, one.best) for one in found.outcomes] == [
        (2750, ("test and sell",)),
        (1250, ("test and sell",)),
    ]
    assert found.evpi == 0
    longer = "{event: oil, chance: {oil: %s, none: %s}}"
    full = SELL.replace("3000", longer % (3000, 3000)).replace("500}", longer % (500, 500) + "}")
    assert et.information(et.loads(DEFINED + full), "oil").outcomes == found.outcomes
    other = et.loads(
        DEFINED
        + "max:\n  drill: {event: oil, chance: {oil: 100, none: -60}}\n"
        + "  sell after test: {event: seismic, chance: {plus: 50, minus: 10}}"
    )
    assert et.information(other, "oil").with_information == 61
    assert et.information(other, "oil").evpi == 27


def test_a_pruned_tree() -> None:
    for text in (PRUNED, PRUNED.replace("minus: 500", "minus: {max: {a: 500, b: -500}}")):
        tree = et.loads(DEFINED + text)
        assert et.information(tree, "oil").evpi == 425
        # The numbers of a tree without `events` show what oil has to be after minus.
        numbers = et.loads(in_full(tree))
        assert et.information(numbers, "oil").evpi == 425


def in_full(tree: et.Tree) -> str:
    """Return a tree as text with probabilities instead of `events`."""
    plain = replace(tree.formulas, probabilities={}, defined={})
    return et.dumps(replace(tree, formulas=plain, parameters={}))


def test_a_signal_that_the_event_does_not_follow_is_refused() -> None:
    full = PRUNED.replace("minus: 500", f"minus: {{max: {{install: {INSTALL}, sell: 500}}}}")
    both = full + "  public test: {event: seismic, chance: {plus: 3000, minus: 500}}\n"
    tree = et.loads(DEFINED + both)
    assert [one.value for one in et.information(tree, "oil").outcomes] == [2750, 1250]
    with pytest.raises(et.AnalysisError) as error:
        et.information(et.loads(in_full(tree)), "oil")
    assert str(error.value) == (
        "public test: seismic depends on oil, as test shows, and the tree does not show the "
        "probabilities of oil after seismic here: define seismic as a test of oil under `events`"
    )


def test_an_event_that_is_independent_of_the_way_to_it() -> None:
    tree = et.loads(
        "max: {bid: {chance: {won: {p: 0.3, max: {go: {event: works, chance: {yes: {p: 0.8, "
        "utility: 100}, no: {p: rest, utility: -200}}}, stop: 0}}, lost: {p: rest, utility: 0}}}, "
        "rest: 1}"
    )
    found = et.information(tree, "works")
    assert [(one.name, one.value) for one in found.outcomes] == [("yes", 30), ("no", 1)]
    assert found.evpi == pytest.approx(0.8 * 30 + 0.2 * 1 - 0.3 * 40)


def test_probabilities_that_a_person_has_rounded() -> None:
    tree = et.loads(
        "max: {a: {event: e, chance: {x: {p: 1/3, utility: 1}, y: {p: rest, utility: 0}}}, "
        "b: {event: e, chance: {x: {p: 0.33333333333, utility: 0}, y: {p: rest, utility: 1}}}}"
    )
    assert et.information(tree, "e").evpi == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("after", "other"), [("9e-12", "1e-30"), ("1e-9", "1e-12"), ("0.4", "1e-20")]
)
def test_rare_events_are_not_rounded_away(after: str, other: str) -> None:
    rings, quiet = (
        f"event: fire, chance: {{yes: {{p: {p}, utility: -1e12}}, no: {{p: rest, utility: 0}}}}"
        for p in (after, other)
    )
    tree = et.loads(
        f"chance: {{rings: {{p: 1e-9, max: {{leave: -1, stay: {{{rings}}}}}}}, "
        f"quiet: {{p: rest, {quiet}}}}}"
    )
    found = et.information(tree, "fire", exact=True)
    p, q, alarm = Fraction(after), Fraction(other), Fraction("1e-9")
    value = -alarm * p + (1 - alarm) * q * Fraction("-1e12")
    value /= alarm * p + (1 - alarm) * q
    assert [one.value for one in found.outcomes] == [value, 0]


def test_an_event_that_changes_another_is_refused() -> None:
    # Below oil, the cost is known, and at `rent` it would say something about oil.
    text = (
        "max: {drill: {event: oil, chance: {oil: {event: cost, chance: {low: {p: 0.2, utility: 9}, "
        "high: {p: 0.8, utility: 1}}}, none: {event: cost, chance: {low: {p: 0.6, utility: -1}, "
        "high: {p: 0.4, utility: -9}}}}}, "
        "rent: {event: cost, chance: {low: {p: 0.4, utility: 5}, high: {p: rest, utility: 0}}}}"
    )
    for more in ("", "events: {oil: {prior: {oil: 0.5, none: rest}}}\n"):
        with pytest.raises(et.AnalysisError, match="rent: cost may depend on oil, and play also"):
            et.information(et.loads(more + text), "oil")
    same = text.replace("0.6", "0.4").replace("0.2", "0.4").replace("0.8", "0.6")
    assert et.information(et.loads(same.replace("0.4, utility: -9", "0.6, utility: -9")), "oil")


# ---- Speed.


@pytest.mark.slow
def test_many_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = ", ".join(f"o{k}: {{p: 1/300, utility: {k}}}" for k in range(300))
    actions = (f"a{k}: {{event: e, chance: {{{outcomes}}}}}" for k in range(60))
    tree = et.loads(f"max: {{{', '.join(actions)}}}")
    start = time.process_time()
    assert et.information(tree, "e").evpi == 0
    assert time.process_time() - start < 8
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.024")
    assert et.information(tree, "e").evpi == 0
    monkeypatch.setenv("EXPECTITREE_BUDGET", "0.001")
    with pytest.raises(et.TreeError) as error:
        et.information(tree, "e")
    assert str(error.value) == (
        "to know e in advance takes 36,000 steps (300 outcomes, signals or combinations times 120 "
        "branches), and the limit is 1,500: merge outcomes, or set EXPECTITREE_BUDGET=0.01 for ten "
        "times as much"
    )


# ---- Refusals.

SPLIT = (
    "{chance: {a: {event: e, chance: {x: 1, y: 2}}, b: {event: e, chance: {x: {p: 0.4, utility: 1},"
    " y: {p: 0.6, utility: 2}}}, c: 3}}"
)
TWICE = "{event: e, chance: {x: {event: e, chance: {x: 1, y: 2}}, y: 2}}"
CHANGED = (
    "max: {install: {event: oil, chance: {oil: {p: 0.5, utility: 1}, none: {p: 0.5, utility: 0}}},"
    " test: {event: oil, chance: {oil: {p: 0.45, utility: 1}, none: {p: 0.55, utility: 0}}}}"
)


NEVER = "{chance: {x: {p: 0, event: e, chance: {x: 1, y: 2}}, y: {p: 1, utility: 2}}}"
REFUSED = {
    (CHANGED, "oil"): "/: the decision changes the probability of oil (oil: 0.5 after install, "
    "0.45 after test): oil cannot be known in advance",
    (SPLIT, "e"): "/: play meets e after a, but not after c, and the tree does not show its "
    "probabilities there: write the event into the other branches, too, or define it under "
    "`events`",
    (TWICE, "e"): "/: play can meet e again below it, and an event happens once: give the other "
    "nodes another event",
    (CHANGED, "oill"): "no event 'oill' (did you mean 'oil'?): the events are oil; the path of a "
    "chance node is an event, too, such as 'install'",
    (OIL, "oil"): "no event 'oil': the tree has no `event:`; the path of a chance node is an "
    "event, too, such as 'drill'",
    (OIL, "sell"): "sell is not a chance node: the tree has no `event:`",
    (NEVER, "e"): "play never meets e",
}


@pytest.mark.parametrize(("text", "event"), REFUSED)
def test_refused_events(text: str, event: str) -> None:
    done = run_main("information", "-e", text, "--event", event)
    assert (done.status, done.out) == (2, "")
    assert done.err == f"-e: {REFUSED[text, event]}\n"


LIKELIHOODS = {
    "[1, 2]": "found no mapping, expected signal: {outcome: probability, ...}",
    "plus: 3": "plus: found no mapping, expected signal",
    "plus: {oil: [1]}": "plus/oil: found no number, expected signal",
    "plus: {oil: sens, dry: 1}": "plus/oil: unknown parameter 'sens'",
    "plus: {oil: 2, dry: 1}": "plus/oil: the likelihood is 2, expected a number from 0 to 1\n",
    "plus: {oil: 1}": "the signal plus has likelihoods of oil, expected one of each outcome: oil, "
    "dry\n",
    "plus: {oil: 0.9, dry: 0}\nminus: {oil: 0.2, dry: 1}": "the likelihoods of the signals for oil "
    "sum to 1.1, expected 1: correct them, or write `rest` for one\n",
    "plus: {oil: rest, dry: 1}\nminus: {oil: rest, dry: 0}": "two signals have the rest of oil at "
    "plus and minus: give one a number\n",
}


@pytest.mark.parametrize("text", LIKELIHOODS)
def test_errors_in_a_file_of_likelihoods_name_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "test.yaml"
    file.write_text(text, "utf-8")
    done = run_main("information", "-e", OIL, "--event", "drill", "--likelihood", str(file))
    assert done.status == 3
    assert done.err.startswith(f"{file}: {LIKELIHOODS[text]}")


def test_a_test_from_python_is_checked_too() -> None:
    message = "the test has no signals: give the likelihoods of at least one"
    with pytest.raises(et.AnalysisError, match=f"^{message}$"):
        et.information(et.loads(OIL), "drill", likelihood={})
    with pytest.raises(et.AnalysisError, match=r"^good/oil: the likelihood is 2, expected a"):
        et.information(et.loads(OIL), "drill", likelihood={"good": {"oil": 2, "dry": 1}})


# ---- Outputs.


def test_json() -> None:
    assert object_of("information", ROCKEFELLER, "--event", "oil") == {
        "file": ROCKEFELLER,
        "title": "Sell the land, drill, or test first",
        "decision_maker": "MAX",
        "event": "oil",
        "events": ["oil"],
        "value": 1075,
        "best": ["test"],
        "with_information": 1500,
        "evpi": 425,
        "outcomes": [
            {"name": "oil", "labels": ["oil"], "p": 0.5, "value": 2250, "best": ["install"]},
            {"name": "none", "labels": ["none"], "p": 0.5, "value": 750, "best": ["sell"]},
        ],
        "with_test": None,
        "evsi": None,
        "efficiency": None,
        "signals": [],
    }


def test_the_text_about_a_test(tmp_path: Path) -> None:
    file = tmp_path / "test.yaml"
    file.write_text("plus: {oil: 0.9, none: 30%}\nminus: {oil: rest, none: rest}\n", "utf-8")
    words = ("information", SEISMIC, "--event", "oil", "--likelihood", str(file))
    shown = invoke(*words).stdout
    assert "The tree is worth 1,275 with the free test for oil, and 1,075 without it" in shown
    assert "The test is worth at most 200 (EVSI)." in shown
    assert "Perfect information is worth at most 425 (EVPI): the test has 47% of it." in shown
    found = object_of(*words)
    assert (found["evsi"], found["with_test"], found["evpi"]) == (200, 1275, 425)
    assert [(one["name"], one["best"]) for one in found["signals"]][1] == ("minus", ["sell"])
