"""A GAME in place of a FILE on the command line, and what is shown of its search."""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from helpers import invoke

import expectitree as et

PIG = "game:pig(target=10)"
PRUNING = [name for name, algorithm in et.ALGORITHMS.items() if algorithm.prunes]


def data_of(page: str) -> Any:
    """Return the data of a page that replays searches."""
    found = re.search(r'id="data"[^>]*>([^<]*)<', page)
    assert found is not None
    return json.loads(zlib.decompress(b64decode(found[1])))


# ---- Games in files.


def test_a_file_may_have_a_colon_in_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("game:pig").write_text("max: [1, 2]")
    assert "value     2\n" in invoke("eval", "game:pig").stdout


# ---- Other commands.


@pytest.mark.parametrize("algorithm", [name for name in PRUNING if name != "best-first"])
@pytest.mark.parametrize("limit", [(), *(("--max-rows", str(rows)) for rows in range(5, 90, 28))])
def test_without_merging_a_trace_makes_the_visits_of_the_search(
    algorithm: str, limit: tuple[str, ...]
) -> None:
    about = (PIG, "--depth", "4", "-a", algorithm, "--no-merge", *limit, "--format", "json")
    found = json.loads(invoke("eval", *about).stdout)
    end = json.loads(invoke("trace", *about).stdout.splitlines()[-1])
    assert end["nodes"] == found["nodes"]


def test_pictures_and_pages_of_a_game(tmp_path: Path) -> None:
    picture, page = tmp_path / "a.svg", tmp_path / "a.html"
    assert invoke("draw", PIG, "--depth", "3", "-o", str(picture)).exit_code == 0
    assert "star2 visited 25 nodes and 15 leaves, 2 cuts" in picture.read_text()
    assert invoke("draw", PIG, "--depth", "3", "-o", str(page)).exit_code == 0
    assert data_of(page.read_text())["traces"][0]["about"]["game"]["depth"] == 3
    several = ("-a", "star1", "-a", "star2", "-o", str(page), "--force")
    assert invoke("draw", PIG, "--depth", "3", *several).exit_code == 0
    assert all("game" not in trace["about"] for trace in data_of(page.read_text())["traces"])


def test_positions_are_shown_in_traces_and_pages(tmp_path: Path) -> None:
    board = "1 2 3 . .\n4 5 . . .\n6 . . . f\n. . . e d\n. . c b a\nMAX's turn, roll 3"
    about = ("game:einstein", "--depth", "2", "--play", "3")
    lines = [line.strip() for line in invoke("trace", *about, "--limit", "2").stdout.splitlines()]
    assert "\n".join(lines[4:10]) == board
    assert "1 2 . 3 ." in lines
    page = tmp_path / "a.html"
    assert invoke("draw", *about, "-o", str(page)).exit_code == 0
    notes = data_of(page.read_text())["tree"]["notes"]
    assert board in notes.values()
    assert len(notes) == 4


# ---- Python


def test_records_and_repr_of_a_game_have_no_totals() -> None:
    found = et.search(PIG, depth=3)
    assert repr(found) == "<Search star2: 0.333333, depth 3, 25 nodes, 15 evaluations>"
    (record,) = found.to_records()
    assert record["nodes_total"] is None
    assert record["leaves_total"] is None
    assert (record["rows"], record["evaluations"], record["merged"]) == (28, 15, 1)
