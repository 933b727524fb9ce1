"""Cells of CSV: no spreadsheet takes a text for a formula, and numbers stay numbers."""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from pathlib import Path

import pytest
from helpers import invoke

import expectitree
from expectitree.text.csv import csv_lines

PACKAGE = Path(expectitree.__file__).parent


def cell(value: object) -> str:
    (line,) = csv_lines([[value]])
    return next(csv.reader([line]), [""])[0]


def test_a_text_that_starts_a_formula_is_escaped() -> None:
    for start in "=+-@＝＋－＠":
        assert cell(f"{start}1+cmd|x") == f"'{start}1+cmd|x"


def test_a_text_cannot_control_the_terminal() -> None:
    for text in (
        "\t=1",
        "\r=1",
        "\n=1",
        "\x1b[31mred",
        "\x9b31mred\x7f",
        "\u202ered",
        "\udcff.yaml",
    ):
        assert list(csv_lines([[text]])) == [text.encode("unicode_escape").decode()]


def test_other_texts_and_numbers_are_kept() -> None:
    for text in ("a=1", "sell", "'=1", "", "a - b", "-5", "+1.5e-3", "-1e5"):
        assert cell(text) == text
    numbers = [-5, -2.5, -3.0, Fraction(-1, 3), float("-inf"), True, None]
    texts = ["-5", "-2.5", "-3", "-0.3333333333333333", "-inf", "1", ""]
    assert list(map(cell, numbers)) == texts


def test_one_module_writes_csv() -> None:
    sources = {path: path.read_text("utf-8") for path in PACKAGE.rglob("*.py")}
    pattern = re.compile(r"csv\.(Dict)?[wW]riter|to_csv")
    found = [
        path.relative_to(PACKAGE).as_posix() for path in sources if pattern.search(sources[path])
    ]
    assert found == ["text/csv.py"]


TREE = "max: {'=1+1': {chance: {'@x': -1, b: 3}}, '-cmd': {min: [-2, 2]}}"


@pytest.mark.parametrize("command", ["risk", "compare"])
def test_reports_escape_labels(command: str) -> None:
    done = invoke(command, "-e", TREE, "--format", "csv")
    assert done.exit_code == 0
    cells = [one for row in csv.reader(done.stdout.splitlines()) for one in row]
    assert {"'=1+1", "'-e"} & set(cells)
    assert not [one for one in cells if re.match(r"[=+@]|-[a-z]", one)]


def test_sensitivity_escapes_paths() -> None:
    tree = "{parameters: {p: {value: 0.5, range: [0, 1]}}, max: {'=a': {utility: p}, b: 0.3}}"
    done = invoke("sensitivity", "-e", tree, "-p", "p", "--format", "csv")
    assert "'-e,p,0.3,1,'=a,1,p" in done.stdout.splitlines()
