"""Commands without options answer, and help has two sizes."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import ROOT, invoke, run_main

import expectitree as et
from expectitree.base.tables import COMMANDS
from expectitree.picture.notebook import Picture

RISK = str(ROOT / "trees" / "risk.yaml")
OIL = str(ROOT / "trees" / "rockefeller.yaml")
LEFT = str(ROOT / "trees" / "aima-5.12-left.yaml")
UNITS = """\
parameters: {price: {value: 5000, unit: EUR, range: [2000, 9000]}, p: 0.95, zero: 0}
max:
  buy: {cost: price, chance: {win: {p: p, utility: 6000}, lose: {p: rest, utility: -1500 + zero}}}
  wait: -100
"""


def out(*words: str, status: int = 0) -> str:
    done = run_main(*words)
    assert done.status == status, done.err
    return done.out


# ---- Commands without options.


def test_sensitivity_moves_every_parameter() -> None:
    text = out("sensitivity", "-e", UNITS)
    assert "price  2,000..9,000 EUR" in text
    assert "p      0.855..1 " in text  # 10% more would be more than 1
    assert "Without a range in the file, so moved by 10% both ways: p.\n" in text
    assert "Not moved: zero: it is 0 or not known" in text
    assert "Ask further: -p price for its thresholds, a second -p for a map" in text
    assert "moved by 10%" not in out("sensitivity", OIL)
    assert "the tree has no parameters: name its uncertain" in run_main("sensitivity", RISK).err


def test_a_parameter_without_a_range_is_named_with_one() -> None:
    text = out("sensitivity", "-e", "parameters: {x: 5000}\nmax: {a: x, b: 4900}")
    assert "Ask further: -p x=4500..5500 for its thresholds" in " ".join(text.split())


def test_information_lists_the_events_best_first() -> None:
    lines = out("information", str(ROOT / "trees" / "oil-wildcatter.yaml")).splitlines()
    assert lines[2:5] == ["event  if known  EVPI", "oil         295   155", "cost        150    10"]
    assert lines[6] == "The tree is worth 140 now (drill)."
    assert "--event oil shows the best action" in lines[7]
    done = run_main("information", RISK)
    assert (done.status, done.out) == (2, "")
    assert "write `event: NAME` next to `chance:`" in done.err
    assert "such as --event 'left'" in done.err
    assert "name it with --event" in run_main("information", OIL, "--likelihood", "x").err
    found = invoke("information", OIL, "--format", "json").stdout
    assert '"events": [{"event": "oil", "value": 1075' in found


def test_rescale_looks_for_any_map() -> None:
    assert out("rescale", RISK) == out("rescale", RISK, "--any")


def test_a_picture_is_next_to_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file, picture = tmp_path / "a.yaml", tmp_path / "a.svg"
    file.write_text("max: [1, 2]")
    for _ in range(2):  # it replaces its own picture
        assert run_main("draw", str(file)).err == f"{picture} written\n"
    picture.write_text("mine")
    done = run_main("draw", str(file))
    assert (done.status, picture.read_text()) == (2, "mine")
    assert "exists already" in done.err
    assert run_main("draw", str(file), "--force").status == 0
    assert run_main("draw", "example:risk").err == "risk.svg written\n"
    for words in (["-e", "max: [1]"], ["game:pig", "--depth", "2"], []):
        assert "Name one FILE, whose picture" in run_main("draw", *words).err


def test_a_picture_without_a_file_is_shown_in_a_notebook() -> None:
    picture = et.draw(et.load(RISK), theme="dark")
    assert isinstance(picture, Picture)
    assert picture == et.to_svg(et.load(RISK), theme="dark")


def test_a_file_alone_is_evaluated() -> None:
    for name in (RISK, "example:risk"):
        assert out(name) == out("eval", name)
    assert out("game:pig", "--depth", "2") == out("eval", "game:pig", "--depth", "2")
    assert invoke("-", stdin="max: [1, 2]").stdout == invoke("eval", "-e", "max: [1, 2]").stdout


# ---- What `eval` shows.


def test_a_plain_evaluation_ends_with_value_and_best_action() -> None:
    assert out(RISK).endswith("\n\nexpected value 54.5\nbest           right\n")
    for words in (["-v", RISK], ["-a", "expectiminimax", RISK], ["-e", "max: [{min: [1]}]"]):
        assert "\nbounds  " in out("eval", *words)


def test_the_answer_is_whole() -> None:
    label = "Wait for the results of the next three seismic tests, and for the price of oil"
    for command in ("eval", "compare"):
        text = out(command, "-e", f"max: {{'{label}': 2, sell: 1}}")
        answer = text[text.index("best ") if command == "eval" else text.index("algorithm") :]
        assert "…" not in answer
        assert set(label.replace(",", "").split()) <= set(answer.replace(",", "").split())


def test_equal_probabilities_are_written_once_and_as_fractions() -> None:
    lines = out("eval", "-e", "chance: [1, {max: [2, 3]}, 5]")
    assert lines.startswith(
        "● CHANCE 3  p 1/3 each\n├── #1  1\n├── #2  ▲ MAX 3 = max(2, 3)\n└── #3  5\n"
    )
    text = out("eval", "-e", "chance: {a: {p: 1/36, utility: -20}, b: {p: 35/36, utility: 0.5}}")
    assert "├── a  p 1/36   −20\n└── b  p 35/36  0.5\n" in text
    assert "p 0.999999999  " in out("eval", "-e", "chance: [{p: 1e-9, utility: 1}, "
                                    "{p: rest, utility: 2}]")  # fmt: skip


def test_numbers_are_grouped_and_have_a_minus() -> None:
    tree = "max: {a: -2500000.5, b: {min: [-4e9, -123456789012]}}"
    assert "├─★ a  −2,500,000.5\n└── b  ▼ MIN −123,456,789,012 = " in out("eval", "-e", tree)
    plain = et.to_text(et.evaluate(et.loads(tree)), unicode=False)
    assert plain.isascii()
    assert "|-* a  -2,500,000.5\n" in plain


def test_totals_are_at_the_ends_of_paths() -> None:
    lines = out("eval", "--totals", "--no-notes", OIL).splitlines()
    assert "│   ├── oil   2,500  total 2,250" in lines
    assert "        └─★ sell               500  total 400" in lines
    shared = "reward: 3\nnodes: {x: 5}\nmax: {a: {ref: x, cost: 1}, b: {ref: x, reward: 9}}"
    lines = out("eval", "--totals", "-e", shared).splitlines()
    assert [line.split("total ")[1] for line in lines[1:3]] == ["7", "17"]


# ---- Bounds.


def test_alphabeta_knows_no_bounds_unless_it_is_told() -> None:
    tree = "max: {a: {min: [1, 1]}, b: {min: [0, 1]}, c: {min: [-1, 0]}}"
    for words, leaves, bounds in (
        ([], 4, "none"),
        (["--bounds", "leaves"], 2, "[−1, 1] from the leaves"),
        (["--bounds=-9,9"], 4, "[−9, 9] from --bounds"),
    ):
        text = out("eval", "-a", "alphabeta", "-e", tree, *words)
        assert f"leaves    {leaves} of 6" in text
        assert text.endswith(f"bounds    {bounds}\n")
    bounded = "bounds: [0, 9]\nmax: {a: {min: [1, 1]}, b: {min: [0, 1]}}"
    assert "[0, 9] given in the tree" in out("eval", "-a", "alphabeta", "-e", bounded)
    found = et.evaluate(et.loads(tree), "alphabeta", bounds="leaves")
    assert (found.bounds_source, found.counts.leaves_visited) == ("leaves", 2)
    assert et.evaluate(et.loads(tree), "star1", bounds="none").bounds_source == "none"
    assert (
        "leaves of a game" in run_main("eval", "game:pig", "--depth", "2", "--bounds", "leaves").err
    )


def test_compare_says_which_bounds_each_search_used() -> None:
    assert "\nbounds: none for alphabeta; [1, 4] from the leaves for the others\n" in out(
        "compare", LEFT
    )
    assert "\nbounds: [0, 100] given in the tree\n" in out("compare", RISK)
    assert "bounds:" not in out("compare", RISK, "-a", "expectiminimax")


def test_an_exercise_is_without_bounds() -> None:
    for words, text in (
        ([], "alphabeta without bounds visited"),
        (["--bounds", "leaves"], "alphabeta with bounds [1, 4] visited"),
    ):
        words = [LEFT, "--blank", "-a", "alphabeta", "-o", "-", "--format", "svg", *words]
        assert text in out("draw", *words)
    words = [RISK, "--blank", "-a", "star1", "-o", "-", "--format", "svg"]
    assert "star1 with bounds [0, 100] visited" in out("draw", *words)


# ---- `verify`.


def test_verify_has_a_line_for_each_file(tmp_path: Path) -> None:
    text = out("verify", RISK, OIL)
    assert text == (
        f"✓ {RISK}: 7 of 7 expectations kept\n✓ {OIL}: 35 of 35 expectations kept\n"
        "\n2 files, 42 of 42 expectations kept\n"
    )
    assert "    ✓ value: expected 54.5, found 54.5\n" in out("verify", "-v", RISK)
    text = out("verify", str(tmp_path / "none.yaml"), status=3)
    assert "none.yaml: cannot be read\n" in text
    assert text.endswith("1 cannot be read\n")


def test_verify_takes_parameters() -> None:
    assert out("verify", OIL, "--set", "pr=0.5") == out("verify", OIL)
    assert "value: expected 1075, found 895" in out("verify", OIL, "--set", "pr=0.4", status=1)
    assert "--write keeps the results" in run_main("verify", OIL, "--set", "pr=1", "--write").err
    assert run_main("verify", OIL, "--set", "pq=1").status == 2


def test_results_without_exact_values_are_verified_within_a_bound() -> None:
    text = "parameters: {{r: 3}}\nexpect: {{value: {}}}\nmin: {{a: exp(-log(r)), b: log(r)}}"
    for value, kept in (("1/3", True), ("0.3333", True), ("0.33333333333333331", True),
                        ("0.3334", False), ("0.333333333333334", False)):  # fmt: skip
        assert bool(et.verify(et.loads(text.format(value))).broken) != kept


# ---- Help.


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_short_and_the_whole_help_is_complete(name: str) -> None:
    short, whole = out(name, "--help"), out(name, "--help-all")
    options = short[short.index("\nOptions:\n") :].splitlines()
    assert len([line for line in options if line.startswith(("  -", "      --"))]) <= 14
    assert "--help-all" in short
    assert "--help-all" in whole
    assert "Options of searches:" not in short
    assert len(whole) >= len(short)
    assert max(map(len, whole.splitlines())) <= 90


def test_the_help_of_eval_fits_a_screen() -> None:
    assert len(out("eval", "--help").splitlines()) <= 36
    whole = out("eval", "--help-all")
    for title in ("Options of searches:", "Options of trees:", "Options for games:"):
        assert f"\n{title}\n" in whole
    assert "--max-player" in whole


def test_the_first_help_lists_the_usual_commands_and_names_the_others() -> None:
    text, whole = out("--help"), out("--help-all")
    listed = [name for name, row in COMMANDS.items() if row.is_listed]
    assert 7 <= len(listed) <= 10
    more = " ".join(text[text.index("More commands:") :].split())
    for name in COMMANDS:
        assert (f"\n  {name} " in text) == (name in listed)
        assert (name in more) == (name not in (*listed, "schema", "completion"))
        assert f"\n  {name} " in whole
