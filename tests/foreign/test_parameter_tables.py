"""Tables of parameters in CSV, as spreadsheets write them: `--parameters FILE`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from helpers import ROOT

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
