"""Commands without options answer, and help has two sizes."""

from __future__ import annotations

import pytest
from helpers import ROOT, run_main

import expectitree as et
from expectitree.base.tables import COMMANDS
from expectitree.picture.notebook import Picture

RISK = str(ROOT / "trees" / "risk.yaml")


def out(*words: str, status: int = 0) -> str:
    done = run_main(*words)
    assert done.status == status, done.err
    return done.out


# ---- Commands without options.


def test_a_picture_without_a_file_is_shown_in_a_notebook() -> None:
    picture = et.draw(et.load(RISK), theme="dark")
    assert isinstance(picture, Picture)
    assert picture == et.to_svg(et.load(RISK), theme="dark")


# ---- What `eval` shows.


def test_numbers_are_grouped_and_have_a_minus() -> None:
    tree = "max: {a: -2500000.5, b: {min: [-4e9, -123456789012]}}"
    assert "├─★ a  −2,500,000.5\n└── b  ▼ MIN −123,456,789,012 = " in out("eval", "-e", tree)
    plain = et.to_text(et.evaluate(et.loads(tree)), unicode=False)
    assert plain.isascii()
    assert "|-* a  -2,500,000.5\n" in plain


# ---- `verify`.


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
