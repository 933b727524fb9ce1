"""How the format of a text is found, and what formats cannot hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import ROOT

import expectitree as et
from expectitree.files.formats import FORMATS, format_of_text
from expectitree.files.losses import LOSSES

OURS = "max: {left: 1, right: 2}\n"
GAME = 'EFG 2 R "" { "A" "B" }\nt "" 1 "" { 1, -1 }\n'
RADIANT = "name: Contract\nvariables:\n  fee: 5\ntype: decision\nSign:\n  payoff: fee\n"
SILVER = '{\n "SilverDecisions": "1.2.0", "data": {}}'


@pytest.mark.parametrize(
    ("name", "text", "format"),
    [
        ("a.yaml", OURS, "yaml"),
        ("a.yaml", RADIANT, "radiant"),
        ("-", RADIANT, "radiant"),
        ("a.yaml", "name: x\ntype: chance\nchildren: [1, 2]\n", "yaml"),
        ("a.yml", "type: decision\nSign: {payoff: 1}\n", "yaml"),
        ("a.json", '{"max": [1, 2]}', "json"),
        ("a.json", SILVER, "silverdecisions"),
        ("a.json", RADIANT, "json"),
        ("-e", SILVER, "silverdecisions"),
        ("a.efg", "", "efg"),
        ("<text>", f"\n {GAME}", "efg"),
        ("a.yaml", GAME, "yaml"),
        ("a.csv", "x", "csv"),
        ("a.arrow", OURS, "yaml"),
        ("<text>", OURS, "yaml"),
    ],
)
def test_the_format_of_a_text_is_found(name: str, text: str, format: str) -> None:
    assert format_of_text(text, name).name == format


def test_rows_name_known_losses_and_options() -> None:
    assert {loss for row in FORMATS.values() for loss in row.loses} <= set(LOSSES)
    options = {option for row in FORMATS.values() for option in row.options}
    assert options == {"max_player", "payoffs_of", "tree", "minimize"}


def test_options_and_formats_that_do_not_fit_are_refused() -> None:
    with pytest.raises(et.TransformError) as caught:
        et.loads(OURS, name="a.yaml", max_player="2")
    assert str(caught.value) == (
        "a.yaml: --max-player is for Gambit's .efg, and this is YAML: leave it out, or name the "
        "format with --from"
    )
    with pytest.raises(et.TransformError, match="unknown format 'gif': choose among yaml, json,"):
        et.loads(OURS, format="gif")
    with pytest.raises(et.TransformError, match="Arrow is not text: load reads it from a file"):
        et.loads(OURS, format="arrow")


def test_a_format_that_is_only_read_is_not_written(tmp_path: Path) -> None:
    tree = et.loads(OURS)
    with pytest.raises(et.FileError, match=r"CSV is only read: choose one of \.yaml,"):
        et.save(tree, tmp_path / "a.csv")
    with pytest.raises(et.TreeError, match="CSV is only read: choose one of yaml, json, efg"):
        et.dumps(tree, "csv")


def test_the_table_of_the_guide_is_that_of_the_formats() -> None:
    columns = (("yaml", "json"), ("arrow", "parquet"), ("efg",), ("radiant",), ("silverdecisions",))
    guide = (ROOT / "docs" / "how-to" / "formats.md").read_text("utf-8")
    rows = re.findall(
        r"^\| ([^|-]+) \| (.*) \|$",
        guide.partition("## What each")[2].partition("## Gambit")[0],
        re.MULTILINE,
    )
    assert [name for name, _ in rows if name not in LOSSES] == []
    assert {name for row in FORMATS.values() for name in row.loses} <= {
        *(name for name, _ in rows),
        "cut nodes",
    }
    for name, cells in rows:
        lost = "copied" if name == "sharing" else "refused" if LOSSES[name].hint else "left out"
        for formats, cell in zip(columns, cells.split(" | "), strict=True):
            for format in formats:
                expected = lost if name in FORMATS[format].loses else "yes"
                assert cell == expected, (format, name)
