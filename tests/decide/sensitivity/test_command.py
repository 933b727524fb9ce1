"""`expectitree sensitivity`: text, JSON, CSV and messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import ROOT, invoke

import expectitree as et
from expectitree.base.errors import AnalysisError, TreeError
from expectitree.decide.sensitivity.strategies import strategies_of

OIL = str(ROOT / "trees" / "rockefeller.yaml")


# ---- Text.


@pytest.mark.parametrize("file", sorted((ROOT / "trees").glob("*.yaml")), ids=lambda f: f.stem)
def test_an_example_with_ranges_has_a_tornado(file: Path) -> None:
    tree = et.load(file)
    if names := [name for name, one in tree.parameters.items() if one.range]:
        assert all(bar.method == "exact" for bar in et.tornado(tree, names).bars)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize(
    "words",
    [
        ("-p", "pr=0..1"),
        ("-p", "pr=0..1", "-p", "sens"),
        ("--tornado",),
        ("--tornado", "--fixed"),
        ("--add", "test"),
        ("--strategies",),
        ("-p", "pr", "--until", "value=1200"),
    ],
)
def test_text_keeps_to_its_width_and_to_ascii(width: int, words: tuple[str, ...]) -> None:
    ascii_only = {"COLUMNS": str(width), "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    result = invoke("sensitivity", OIL, *words, **ascii_only)
    assert result.exit_code == 0
    assert all(len(line) <= width for line in result.stdout.splitlines())
    assert et.to_text(et.tornado(et.load(OIL)), width=width, unicode=False).isascii()


# ---- Messages.


def test_bad_arguments_from_python() -> None:
    tree = et.load(OIL)
    for ends, message in {
        (0, float("inf")): "the range of pr needs two finite numbers: ",
        (0, "x"): "the range of pr needs two finite numbers: ",
        (0,): r"the range of pr is \(0,\): write \(low, high\)",
        "01": "the range of pr is '01': write",
    }.items():
        with pytest.raises(AnalysisError, match=message):
            et.sensitivity(tree, "pr", range=ends)  # type: ignore[arg-type]
    with pytest.raises(AnalysisError, match="a map needs at least 2 rows, got 1"):
        et.sensitivity_map(tree, "pr", "sens", grid=1)
    with pytest.raises(TreeError, match="unknown parameter 'prr'"):
        et.tornado(tree, "prr")
    assert [bar.range.name for bar in et.tornado(tree, "pr").bars] == ["pr"]
    with pytest.raises(
        AnalysisError,
        match="the tree has at least 6 strategies, and at most 5 are listed: --parameter",
    ):
        strategies_of(tree, most=5)
