"""Tables of parameters in CSV, as spreadsheets write them: `--parameters FILE`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from helpers import ROOT, run_main

import expectitree as et
from expectitree.foreign.parameter_tables import read_settings

OIL = str(ROOT / "trees" / "rockefeller.yaml")


def ignore(warning: str) -> None:
    """Ignore a warning."""


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
    settings = read_settings(table(tmp_path, text), ignore)
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
    "header",
    [
        "Name,Base case,Min,Max", "parameter,basecase,minimum,maximum", "Variable,BASE,Lower,Upper",
        "input,base value,lower bound,upper bound", "Name,Value (%),Low case,High case",
        "Name;Wert;Min.;Max.", "name,most likely,P10,P90", "Parameters\tNominal\tMinimum\tMaximum",
        "name,Valeur,min,max", "names,values,lower limit,upper limit", "name,Best guess,von,bis",
        "Variable;Basisfall;Untergrenze;Obergrenze",
    ],
)  # fmt: skip
def test_columns_have_usual_names(tmp_path: Path, header: str) -> None:
    row = "pr,0.4,0.25,0.75"
    for separator in ";\t":
        row = row.replace(",", separator) if separator in header else row
    warnings: list[str] = []
    setting = read_settings(table(tmp_path, f"{header}\n{row}\n"), warnings.append)["pr"]
    assert (setting.value, setting.range) == ("0.4", (Fraction(1, 4), Fraction(3, 4)))
    assert not warnings


@pytest.mark.parametrize(
    ("header", "unused"),
    [
        ("name,value,source", ["'source'"]),
        ("name,vale,sd", ["'vale' is not used (did you mean 'value'?)", "'sd' is not used"]),
        ("name,distribution,unit", ["'distribution' is not used"]),
        ("name,Worst case,Best case", ["'Worst case' is not used", "'Best case'"]),
        ("name,value,Mean,sd", ["'Mean'", "'sd'"]),
        ("name,,base case,", []),
    ],
)
def test_columns_that_are_not_used_are_named(
    tmp_path: Path, header: str, unused: list[str]
) -> None:
    file = table(tmp_path, f"{header}\npr,0.4,0.4\n")
    done = run_main("eval", OIL, "--parameters", file)
    found = [line for line in done.err.splitlines() if "the column" in line]
    assert done.status == 0
    assert len(found) == len(unused)
    for line, name in zip(found, unused, strict=True):
        assert f"the column {name}" in line


def test_a_base_case_and_its_limits_change_the_tree(tmp_path: Path) -> None:
    file = table(tmp_path, "name,base case,Min,Max\npr,0.3,0.2,0.6\n")
    assert "pr: {value: 0.3, range: [0.2, 0.6]" in (
        run_main("convert", OIL, "-", "--parameters", file).out
    )
    shown = run_main("eval", OIL, "--parameters", file).out
    assert shown == run_main("eval", OIL, "--set", "pr=0.3").out


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("pr,0.4\n", [":1:1: found no column name, expected a first row with the names"]),
        ("", [":1:1: found no column name"]),
        ("name,base case,value\npr,1,2\n", [":1:16: a second column 'value', the first is at 1:6"]),
        ("name,min\npr,0.1\n", [":2:1: pr: expected low and high with low < high, or neither"]),
        (
            "name,value,low,high\np,abc\npr,1,0.3\nsens,1,0.7,1/3\n,3\nspec,0.2\nspec,0.3\n",
            [
                ":2:3: p, column value: 'abc' is not a number",
                ":3:1: pr: expected low and high with low < high, or neither",
                ":4:1: sens: expected low and high with low < high, or neither",
                ":5:1: this parameter has no name: write one",
                ":7:1: a second parameter 'spec', the first is at 6:1: keep one of them",
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
