"""Tables of parameters in CSV, as spreadsheets write them: `--parameters FILE`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from helpers import ROOT, run_main

import expectitree as et
from expectitree.foreign.parameter_tables import read_settings

OIL = str(ROOT / "trees" / "rockefeller.yaml")


def table(folder: Path, text: str) -> str:
    file = folder / "inputs.csv"
    file.write_text(text, "utf-8")
    return str(file)


@pytest.mark.parametrize(
    "text",
    [
        'name,value,low,high,unit,description\npr,0.4,25%,0.75,%,"chance, of oil"\nsens,,0.8,1\n',
        "name;value;low;high;unit;description\npr;0,4;0,25;0,75;%;chance, of oil\nsens;;0,8;1\n",
        "\ufeffNAME\tDescription\tlow\thigh\tvalue\tunit\tsource\r\n"
        "pr\tchance, of oil\t0.25\t0.75\t0.4\t%\tmy guess\r\n\r\nsens\t\t0.8\t1\r\n",
    ],
    ids=["comma", "semicolon", "tab"],
)
def test_a_table_sets_value_range_unit_and_description(tmp_path: Path, text: str) -> None:
    settings = read_settings(table(tmp_path, text))
    tree = et.load(OIL, parameters=settings)
    pr, sens = tree.parameters["pr"], tree.parameters["sens"]
    assert pr.range == (Fraction(1, 4), Fraction(3, 4))
    assert (pr.unit, pr.description) == ("%", "chance, of oil")
    assert sens.description == "probability of plus if there is oil"
    assert et.evaluate(tree).value == et.evaluate(et.load(OIL).with_parameters(pr=0.4)).value
    assert et.dumps(tree).count("pr: {value: 0.4, range: [0.25, 0.75]") == 1


def test_commands_take_a_table_and_set_has_the_last_word(tmp_path: Path) -> None:
    file = table(tmp_path, "name,value,low,high\nsens,0.95,0.9,1\npr,0.4,0.2,0.6\n")
    words = ("--set", "pr=0.3", "--parameters", file)
    shown = run_main("sensitivity", OIL, "-p", "pr", *words).out
    assert "pr is 0.3: the best action is sell, worth 750." in shown
    assert "to 0.6" in shown
    assert "sens: {value: 0.95, range: [0.9, 1]" in run_main("convert", OIL, "-", *words).out
    assert run_main("verify", OIL, *words).status == 1  # `expect` is about other parameters
    assert "--set changes" in run_main("eval", "game:pig", "--depth", "1", *words).err


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("pr,0.4\n", [":1:1: found no column name, expected a first row with the names"]),
        ("", [":1:1: found no column name"]),
        ("name,vale\npr,1\n", [":1:6: unknown column 'vale' (did you mean 'value'?)"]),
        (
            "name,value,low,high\np,abc\npr,1,0.3\nsens,1,0.7,1/3\n,3\nspec,0.2\nspec,0.3\n",
            [
                ":2:3: p, column value: 'abc' is not a number",
                ":3:1: pr: expected low and high with low < high, or neither",
                ":4:1: sens: expected low and high with low < high, or neither",
                ":5:1: the cell in the column name is empty: name the parameter",
                ":7:1: a second row 'spec': keep one of them",
            ],
        ),
        (
            "name;value\npr;1.234\n",
            [":2:4: pr, column value: '1.234' has a thousands separator or"],
        ),
        ("name,value\nprr,0.2\n", [":2:1: unknown parameter 'prr' (did you mean 'pr'?)"]),
        ("value,name\n0.2,p_plus\n", [":2:5: p_plus is derived: p_plus = "]),
        ('name,value\n"pr,1\n', [":2:1: a quote opens this cell, and none closes it"]),
    ],
)
def test_an_error_has_its_line_and_its_column(tmp_path: Path, text: str, places: list[str]) -> None:
    file = table(tmp_path, text)
    done = run_main("eval", OIL, "--parameters", file)
    assert done.status in (2, 3)
    flat = " ".join(done.err.split())
    assert [place for place in places if f"{file}{place}" not in flat] == []


def test_a_file_that_is_missing() -> None:
    done = run_main("eval", OIL, "--parameters", "none.csv")
    assert (done.status, "none.csv: there is no such file" in done.err) == (3, True)
