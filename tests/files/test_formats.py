"""How the format of a text is found, and what formats cannot hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import ROOT

import expectitree as et
from expectitree.files.formats import FORMATS, format_of_text
from expectitree.files.saving import HINTS, LOSSES

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
    assert {loss for row in FORMATS.values() for loss in row.loses} == set(LOSSES)
    options = {option for row in FORMATS.values() for option in row.options}
    assert options == {
        "max_nodes",
        "max_player",
        "tree",
        "minimize",
        "normalize",
        "probabilities",
        "transpose",
    }


def test_options_and_formats_that_do_not_fit_are_refused() -> None:
    with pytest.raises(et.TransformError) as caught:
        et.loads(OURS, name="a.yaml", max_player="2")
    assert str(caught.value) == (
        "a.yaml: --max-player is for Gambit's .efg, and this is YAML: remove it, or name the "
        "format with --from"
    )
    with pytest.raises(et.TransformError, match="unknown format 'gif': choose among yaml, json,"):
        et.loads(OURS, format="gif")
    with pytest.raises(
        et.TreeError, match="unknown format 'gambit': choose one of yaml, json, efg"
    ):
        et.dumps(et.loads(OURS), "gambit")
    with pytest.raises(TypeError, match=r"argument 'maxplayer' \(did you mean 'max_player'\?\)"):
        et.loads(GAME, maxplayer=2)
    with pytest.raises(TypeError, match="argument 'colour'"):
        et.loads(OURS, colour=2)
    with pytest.raises(et.TransformError, match="Arrow is not text: load reads it from a file"):
        et.loads(OURS, format="arrow")


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("type: decision\nSign:\n  payoff: 1\n", "radiant"),  # without a name
        ("name: x\ntype: lottery\nSign:\n  payoff: 1\n", "radiant"),
        (",a,b\nx,1,2\n", "csv"),
        ("\ta\tb\r\nx\t1\t2", "csv"),
        ("max: {left: {utility: x}, right: 1}", None),
        ("title: x\nmax:\n  - profit: 3", None),
        ("1, 2", None),
    ],
)
def test_an_error_names_the_format_that_a_text_may_have(text: str, format: str | None) -> None:
    with pytest.raises(et.FileError) as caught:
        et.loads(text, name="x.yaml")
    message = f"add --from {format}"
    assert message in str(caught.value) if format else "--from" not in str(caught.value)


def test_a_name_whose_ending_does_not_fit_the_format_is_refused(tmp_path: Path) -> None:
    tree = et.loads(OURS)
    with pytest.raises(et.FileError) as caught:
        et.save(tree, tmp_path / "a.yaml", format="efg")
    assert str(caught.value).endswith(
        "a.yaml: Gambit's .efg is for files that end in .efg: choose another name"
    )
    with pytest.raises(et.FileError, match=r"YAML is for files that end in .yaml or .yml"):
        et.save(tree, tmp_path / "a", format="yaml")


def test_a_spreadsheet_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(
        et.FileError, match="found a ZIP archive, expected text: save a spreadsheet"
    ):
        et.load(tmp_path / "a.xlsx")


def test_a_player_may_be_a_number() -> None:
    game = (ROOT / "docs" / "examples" / "coins.efg").read_text("utf-8")
    assert et.loads(game, max_player=2).root.kind.name == "MIN"


def test_a_format_that_is_only_read_is_not_written(tmp_path: Path) -> None:
    tree = et.loads(OURS)
    with pytest.raises(et.FileError, match=r"CSV cannot be written: choose one of \.yaml,"):
        et.save(tree, tmp_path / "a.csv")
    with pytest.raises(et.TreeError, match="CSV cannot be written: choose one of yaml, json, efg"):
        et.dumps(tree, "csv")


def test_the_table_of_the_guide_is_that_of_the_formats() -> None:
    columns = (("yaml", "json"), ("arrow", "parquet"), ("efg",))
    guide = (ROOT / "docs" / "how-to" / "formats.md").read_text("utf-8")
    rows = re.findall(
        r"^\| ([^|-]+) \| (.*) \|$",
        guide.partition("## What each")[2].partition("## Gambit")[0],
        re.MULTILINE,
    )
    assert {name for name, _ in rows} - {*LOSSES} == {"title", "rewards"}  # no format loses them
    assert {name for row in FORMATS.values() for name in row.loses} <= {
        *(name for name, _ in rows),
        "cut nodes",
    }
    for name, cells in rows:
        is_refused = name in HINTS
        lost = "copied" if name == "sharing" else "refused" if is_refused else "left out"
        for formats, cell in zip(columns, cells.split(" | "), strict=True):
            for format in formats:
                expected = lost if name in FORMATS[format].loses else "yes"
                assert cell == expected, (format, name)
