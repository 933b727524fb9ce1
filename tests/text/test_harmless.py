"""CSV and JSON: no spreadsheet takes a text for a formula, no terminal or reader is harmed."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from helpers import invoke

import expectitree
from expectitree.text.csv import csv_lines
from expectitree.text.json_values import dumps

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
    assert not [one for one in cells if re.match(r"[=+@]|-(?!inf$)[a-z]", one)]


@pytest.mark.parametrize("text", ["a\x1b[31m", "\x7f\x80\x9b1m", "größer ≥ 😀", 'a\\"b\n'])
def test_a_text_is_read_back_and_cannot_control_the_terminal(text: str) -> None:
    written = dumps({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not [c for c in written if ord(c) < 32 or 127 <= ord(c) < 160]


def test_a_lone_surrogate_is_escaped_as_in_text() -> None:
    written = dumps({"file": "\udcff\udcfe.yaml"})
    assert written == r'{"file": "\\udcff\\udcfe.yaml"}'
    assert json.loads(written)["file"] == r"\udcff\udcfe.yaml"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such file names")
@pytest.mark.parametrize("command", ["eval", "compare", "verify", "trace"])
def test_a_file_name_that_is_not_utf8(command: str, tmp_path: Path) -> None:
    file = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.yaml")
    Path(file).write_text("max: [1, 2]\nexpect: {value: 2}")
    done = invoke(command, file, "--format", "json")
    assert done.exit_code == 0
    for line in done.stdout.splitlines():
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    assert r"\\udcff.yaml" in done.stdout
