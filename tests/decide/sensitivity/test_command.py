"""`expectitree sensitivity`: text, JSON, CSV and messages."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from helpers import ROOT, invoke, object_of, run_main

import expectitree as et
from expectitree.base.errors import AnalysisError, TreeError
from expectitree.decide.sensitivity.strategies import strategies_of

OIL = str(ROOT / "trees" / "rockefeller.yaml")
MOVIE = str(ROOT / "trees" / "movie-contract.yaml")
VERIFIED = (
    "Each threshold is verified on both sides, by evaluating the tree in exact\narithmetic.\n"
)
TITLE = "Sell the land, drill, or test first\n"


def text_of(*words: str) -> str:
    result = invoke("sensitivity", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def found_by(*words: str) -> dict[str, Any]:
    return object_of("sensitivity", *words)


def rows_of(*words: str) -> list[list[str]]:
    return list(csv.reader(text_of(*words, "--format", "csv").splitlines()))


# ---- Text.


def test_text_of_one_parameter() -> None:
    text = text_of(OIL, "--parameter", "pr=0..1")
    assert text.startswith(TITLE)
    assert text[text.index("pr  ") :] == (
        "pr              best     value\n"
        "0 to 23/72      sell     750\n"
        "23/72 to 17/28  test     175 + 1,800·pr\n"
        "17/28 to 1      install  −250 + 2,500·pr\n"
        "\n"
        "pr is 0.5: the best action is test, worth 1,075.\n"
        "It can fall by 0.1806 or rise by 0.1071 before another action is best.\n"
        "At 23/72 = 0.3194444444… sell and test tie at 750.\n"
        "At 17/28 = 0.6071428571… install and test tie at 8875/7 = 1,267.857143.\n" + VERIFIED
    )


TEXTS = {
    "OIL -p pr=0..0.3 --set pr=0.2": "No value from 0 to 0.3 changes that.\n",
    "OIL -p pr --set pr=23/72": "actions are sell and test, worth 750.\nThis is a threshold.\n",
    "MOVIE -p fees": "fees is $5,000: the best action is movie, worth 955,000.\nIt can rise by ",
    "OIL --add test": "test stays best until test costs 175; it costs 100 now.\n",
    "OIL --add install": "test stays best until install costs 175; it costs 250 now.\n",
    "OIL --add sell": "test stays best until sell pays 325; it pays nothing now.\n",
    "OIL --add test/plus/sell": "No amount at test/plus/sell changes that; it pays nothing now.\n",
    "OIL -p pr --until value=1200": "value = 1,200 at pr = 41/72 = 0.5694444444….\npr is 0.5",
    "OIL -p pr=0..1 --until value=750": "value = 750 for every pr from 0 to 23/72.\npr is",
    "OIL -p pr=0..1 --until value=5000": "value = 5,000 for no pr from 0 to 1.\n",
    "MOVIE -p fees --until movie=tv": "movie = tv at fees = $60,000, where both are worth 900,000.",
    "CHANCE -p a=0..2 --everywhere": "Play reaches no decision.\n",
    "CHANCE -p a=0..2": "a is 1: the tree is worth 2. There is no decision at the root.\n",
    "TIE -p a=3..4": "a is 1: the best actions are x and y, worth 2.\n",
}


@pytest.mark.parametrize("words", TEXTS)
def test_text_says_how_far_the_decision_holds(words: str) -> None:
    name, *others = words.split()
    trees = {
        "OIL": [OIL],
        "MOVIE": [MOVIE],
        "CHANCE": ["-e", "parameters: {a: 1}\nchance: {x: {p: 1, utility: 2*a}}"],
        "TIE": ["-e", "parameters: {a: 1}\nmax: {x: 2*a, y: 2}"],
    }
    assert TEXTS[words] in text_of(*trees[name], *others)


@pytest.mark.parametrize(
    ("tree", "words", "shown"),
    [
        (  # no sets of actions have letters
            "parameters: {a: 1, b: 2}\nchance: {x: {p: 1/2, utility: a}, y: {p: 1/2, utility: b}}",
            "-p a=0..1 -p b=0..1 --grid 2",
            "There is no decision at the root.\nb 1  =",
        ),
        (  # the probabilities of an action that is not played have to be valid, too
            "parameters: {a: {value: 1/2, range: [0, 2]}}\n"
            "max: {x: {chance: {u: {p: a, utility: 1}, v: {p: rest, utility: 0}}}, y: 9}",
            "--tornado --fixed",
            "a moves from 0 to 1 only, and not from 0 to 2: p of x/u is 2 at a = 2.",
        ),
    ],
)
def test_text_about_what_is_not_decided(tree: str, words: str, shown: str) -> None:
    assert shown in text_of("-e", tree, *words.split())


def test_text_of_a_map() -> None:
    text = text_of(OIL, "-p", "pr=0..1", "-p", "sens=0.7..1", "--grid", "4")
    assert text[text.index("best action") :] == (
        "best action: s sell, t test, i install\n"
        f"sens 1    {'s' * 18}{'t' * 30}{'i' * 12}\n"
        f"     0.9  {'s' * 19}{'t' * 17}{'i' * 24}\n"
        f"     0.8  {'s' * 21}{'t' * 8}{'i' * 31}\n"
        f"     0.7  {'s' * 24}{'i' * 36}\n"
        f"pr        0{'1':>59}\n"
    )


def test_letters_of_a_map_differ() -> None:
    text = "parameters: {a: 1, b: 1}\nmax: {bid 500: 2*a, bid 700: 1 + b, Bid: 3 - a*b}"
    found = et.sensitivity_map(et.loads(text), "a", "b", ranges=[(0, 3), (0, 3)], grid=7)
    assert "best action: b Bid, i bid 500, d bid 700" in et.to_text(found)


def test_text_of_a_tornado() -> None:
    text = text_of(OIL, "--tornado")
    assert text[text.index("1,075 now") :] == (
        "1,075 now, with test; the policy is re-optimized.\n"
        "\n"
        "      range     least                                   greatest  changes at\n"
        "pr    0.3..0.7    750  ◆████████████|███████◆█████████     1,500  23/72, 17/28\n"
        "sens  0.8..1    1,000            ◆██|███                 1,162.5  57/70\n"
        "spec  0.5..0.9  1,000            ███|███                   1,150  0.5 (tie)\n"
        "◆ the value where the best action changes\n"
        "\n"
        "Ask further: -p pr for its thresholds, a second -p for a map, --until, --add or\n"
        "--strategies: see --help.\n"
    )
    fixed = text_of(OIL, "--tornado", "--fixed")
    assert "1,075 now, with test; the policy is fixed.\n" in fixed
    assert "changes at" not in fixed


def test_the_places_of_later_decisions_are_shown() -> None:
    file = str(ROOT / "trees" / "texaco-pennzoil.yaml")
    shown = text_of(file, "-p", "second_offer")
    assert "2 to 5        ask for 5  a later decision changes at 4.56\n" in shown
    assert "--everywhere shows the later decisions.\n" in shown
    assert "4.78  a later decision at 4.56\n" in text_of(file, "--tornado")
    both = "parameters: {a: 3}\nmax: {x: {max: [a, 4]}, y: {max: [5, {chance: [7, a - 1]}]}}"
    shown = text_of("-e", both, "-p", "a=0..30")
    assert "a later decision changes at 4" in shown
    found = found_by("-e", both, "-p", "a=0..30")
    assert [piece["later_changes_at"] for piece in found["pieces"]] == [[4], []]
    (bar,) = found_by(file, "-p", "second_offer", "--tornado")["bars"]
    assert bar["later_changes_at"] == [4.56]


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("1234567890123/7654321098765 + a/123456789012345678901234567", "≈ 0.16129 + 8.1e−27·a"),
        (
            "(a + 1/7)/(a^2 + 123456789/1000003 + a/999983)",
            "≈ (0.0011571 + 0.0081·a)/(1 + 8.1002e−09·a + 0.0081·a^2)",
        ),
    ],
)
def test_long_coefficients_are_rounded(formula: str, shown: str) -> None:
    text = text_of("-e", f"parameters: {{a: 1}}\nmax: {{x: '{formula}', y: -9}}", "-p", "a=0..1")
    assert shown in text
    assert "a long formula" not in text


def test_a_tornado_in_which_nothing_moves() -> None:
    text = text_of(str(ROOT / "trees" / "monty-hall.yaml"), "--tornado")
    assert "\n0.666667 now; the policy is re-optimized.\n" in text
    assert "habit  0..1   0.666667  |  " in text


@pytest.mark.parametrize("file", sorted((ROOT / "trees").glob("*.yaml")), ids=lambda f: f.stem)
def test_an_example_with_ranges_has_a_tornado(file: Path) -> None:
    tree = et.load(file)
    if names := [name for name, one in tree.parameters.items() if one.range]:
        assert all(bar.method == "exact" for bar in et.tornado(tree, names).bars)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize(
    "words",
    [
        ("-p", "pr=0..1"),
        ("-p", "pr=0..1", "-p", "sens"),
        ("--tornado",),
        ("--tornado", "--fixed"),
        ("--add", "test"),
        ("--strategies",),
        ("-p", "pr", "--until", "value=1200"),
    ],
)
def test_text_keeps_to_its_width_and_to_ascii(width: int, words: tuple[str, ...]) -> None:
    ascii_only = {"COLUMNS": str(width), "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    result = invoke("sensitivity", OIL, *words, **ascii_only)
    assert result.exit_code == 0
    assert all(len(line) <= width for line in result.stdout.splitlines())
    assert et.to_text(et.tornado(et.load(OIL)), width=width, unicode=False).isascii()


# ---- JSON and CSV.


def test_json_of_one_parameter() -> None:
    found = found_by(OIL, "-p", "pr=0..1")
    assert {"file", "parameter", "range", "current", "pieces", "thresholds", "method"} <= set(found)
    assert (found["file"], found["parameter"], found["range"]) == (OIL, "pr", [0, 1])
    assert (found["current"], found["method"], found["reason"]) == (0.5, "exact", None)
    names = ("from", "to", "best", "value", "later_changes_at")
    assert found["pieces"] == [
        dict(zip(names, (*piece, []), strict=True))
        for piece in (
            (0, 23 / 72, ["sell"], "750"),
            (23 / 72, 17 / 28, ["test"], "175 + 1800*pr"),
            (17 / 28, 1, ["install"], "-250 + 2500*pr"),
        )
    ]
    assert found["thresholds"][0] == {
        **dict.fromkeys(("at", "at_lower", "at_upper"), 23 / 72), "exact": "23/72", "value": 750,
        "before": ["sell"], "at_ties": ["sell", "test"], "after": ["test"],
    }  # fmt: skip
    exact = found_by(OIL, "--exact", "-p", "pr=0..1")
    assert exact["thresholds"][0]["at"] == "23/72"
    assert exact["thresholds"][1]["value"] == "8875/7"


def test_json_of_an_irrational_threshold_has_no_exact_place() -> None:
    found = found_by("-e", "parameters: {a: 1}\nmax: {x: a^2, y: 1/2}", "-p", "a=0..1")
    (one,) = found["thresholds"]
    assert one["exact"] is None
    assert one["at_lower"] < 0.5**0.5 < one["at_upper"]
    sampled = found_by("-e", "parameters: {a: 1}\nmax: {x: exp(a), y: 2}", "-p", "a=0..1")
    assert (sampled["method"], sampled["pieces"][0]["value"]) == ("sampled", None)


def test_json_of_the_other_questions() -> None:
    rows = found_by(OIL, "-p", "pr", "-p", "sens", "--grid", "3")["rows"]
    assert [row["at"] for row in rows] == [0.8, 0.9, 1]
    tornado = found_by(OIL, "--tornado")
    assert tornado["strategy"] == "re-optimized"
    assert [bar["parameter"] for bar in tornado["bars"]] == ["pr", "sens", "spec"]
    (place,) = found_by(MOVIE, "-p", "fees", "--until", "movie = tv")["places"]
    assert (place["exact"], place["value"], place["is_part"]) == ("60000", 900000, False)
    added = found_by(OIL, "--add", "test")
    assert (added["branch"], added["branch_pays"], added["can_fall_by"]) == ("test", -100, 75)
    assert len(found_by(OIL, "--strategies")["strategies"]) == 6


def test_csv_has_the_records() -> None:
    assert rows_of(OIL, "-p", "pr=0..1")[:3] == [
        ["file", "parameter", "start", "end", "best", "ties", "value"],
        [OIL, "pr", "0", str(23 / 72), "sell", "1", "750"],
        [OIL, "pr", str(23 / 72), str(17 / 28), "test", "1", "175 + 1800*pr"],
    ]
    assert rows_of(OIL, "-p", "pr", "-p", "sens", "--grid", "2")[1][:2] == [OIL, "0.8"]
    assert rows_of(OIL, "--tornado")[1][:6] == [OIL, "pr", "0.3", "0.7", "750", "0.3"]
    assert rows_of(MOVIE, "-p", "fees", "--until", "value=950000")[1:] == [
        [MOVIE, "fees", "10000", "950000"],
    ]
    assert rows_of(MOVIE, "-p", "fees", "--until", "value=1") == [["file"]]
    assert rows_of(OIL, "-p", "sens=0..1", "--everywhere")[-1][:5] == [
        OIL, "test/minus", "sens", str(57 / 70), "1",
    ]  # fmt: skip
    assert rows_of(OIL, "--strategies")[0] == ["file", "value", "/", "test/plus", "test/minus"]


# ---- Messages.


MESSAGES = {
    "-p pr -p sens -p spec": "Name one --parameter, or two for a map",
    "--tornado --until a=b": "--tornado and --until are two questions: ask one.",
    "-p pr --add test": "--add moves no parameter: remove --parameter.",
    "--until value=0": "--until needs one --parameter, which moves.",
    "-p pr -p sens --everywhere": "--everywhere needs one --parameter",
    "-p pr --fixed": "--fixed is for --tornado.",
    "-p p": "unknown parameter 'p' (did you mean 'pr'?): the parameters are pr, sens, spec, p_plus",
    "-p p_plus=0..1": "p_plus is derived: p_plus = pr*sens + (1 - pr)*(1 - spec); set pr or sens",
    "-p p_plus --tornado": "p_plus is derived",
    "-p pr=0": "found 'pr=0' as a parameter and its range, expected NAME=LOW..HIGH, such as pr=",
    "-p pr=0...1": "found 'pr=0...1' as a parameter and its range, expected NAME=LOW..HIGH, such ",
    "-p pr=low..1": "found 'pr=low..1', expected NAME=LOW..HIGH, such as pr=0..1: ",
    "-p pr=1..0": "the range of pr is 1 to 0: expected its lower end first, and a greater upper",
    "-p pr -p pr": "--parameter pr was given twice: pr and pr; give it once.",
    "-p pr --until 0": "found '0' in --until: expected the value of the tree",
    "-p pr --until value=many": "in --until: expected the value of the tree and a number, such as "
    "'value = 0', or two paths, such as 'sell = test'",
    "-p pr --until sell=": "found 'sell=' in --until: expected",
    "-p pr --until sell=rent": "no node rent: the branches of / are sell, install, test",
    "--add /": "an amount at the root changes no decision: name a branch below it",
    "--add rent": "no node rent",
}


@pytest.mark.parametrize("words", MESSAGES)
def test_messages(words: str) -> None:
    done = run_main("sensitivity", OIL, *words.split())
    assert (done.status, done.out) == (2, "")
    assert MESSAGES[words] in " ".join(done.err.replace("\n", " ").split())


@pytest.mark.parametrize(
    ("tree", "words", "message"),
    [
        ("{x: a, y: 1}", "-p a", "the parameter a has no range: write --parameter a=LOW..HIGH, "
         "or give it `range: [low, high]` in the file"),
        ("{x: a, y: b}", "--set a=0 --set b=0", "no parameter can move "
         "(a: it is 0 or not known, so 10% of it says nothing; b: it is 0"),
        ("{x: exp(a), y: b}", "-p a=0..1 -p b=0..1", "a map needs exact functions, but a formula "
         "uses exp: move one parameter at a time, which then samples"),
        ("{x: abs(a), y: 1}", "-p a=0..1 --until value=1", "a break-even point needs exact "
         "functions, but a formula uses abs: use --parameter alone, which then samples"),
        ("{x: exp(a), y: 1}", "-p a=0..1 --everywhere", "--everywhere needs exact functions, but a "
         "formula uses exp: remove it, then --parameter samples"),
    ],
)  # fmt: skip
def test_messages_about_trees(tree: str, words: str, message: str) -> None:
    text = f"parameters: {{a: 1, b: 1}}\nmax: {tree}"
    done = run_main("sensitivity", "-e", text, *words.split())
    assert done.status == 2
    assert message in " ".join(done.err.split())


def test_bad_arguments_from_python() -> None:
    tree = et.load(OIL)
    for ends, message in {
        (0, float("inf")): "the range of pr needs two finite numbers: ",
        (0, "x"): "the range of pr needs two finite numbers: ",
        (0,): r"the range of pr is \(0,\): expected \(low, high\)",
        "01": "the range of pr is '01': expected",
    }.items():
        with pytest.raises(AnalysisError, match=message):
            et.sensitivity(tree, "pr", range=ends)  # type: ignore[arg-type]
    with pytest.raises(AnalysisError, match="a map needs at least 2 rows, got 1"):
        et.sensitivity_map(tree, "pr", "sens", grid=1)
    with pytest.raises(TreeError, match="unknown parameter 'prr'"):
        et.tornado(tree, "prr")
    assert [bar.range.name for bar in et.tornado(tree, "pr").bars] == ["pr"]
    with pytest.raises(
        AnalysisError,
        match="the tree has at least 6 strategies, and at most 5 are listed: --parameter",
    ):
        strategies_of(tree, most=5)
