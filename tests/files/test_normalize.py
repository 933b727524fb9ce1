"""`--normalize` and `normalize: true`: probabilities rounded for print are divided by their sum."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest
from helpers import cases, invoke, run_main

import expectitree as et
from expectitree.editor.changes import edited

THIRDS = "chance: [{p: 0.3333, utility: 1}, {p: 0.3333, utility: 2}, {p: 0.3333, utility: 6}]"
SHARES = (
    "max: {go: {chance: {a: {p: 38.46%, utility: 1}, b: {p: 46.15%, utility: 2}, "
    "c: {p: 15.38%, utility: 6}}}, stay: 2}"
)
CSV = "action,low,middle,high\nprobability,0.33,0.33,0.33\nplant,3,6,9\nwait,1,1,4\n"

NORMALIZED = cases("probabilities", "normalized")
WARNING = re.compile(
    r"\S+: (\S+)(?:: (event [^:]+))?: the probabilities sum to (\S+), not 1; each was divided by "
    "that sum"
)


def probabilities(tree: et.Tree, path: str) -> list[Fraction]:
    """Return those of the outcomes of a node, as the tree has them."""
    return [Fraction(tree.columns.probability[b]) for b in tree.branches_of(tree.find(path).id)]


def sums_in(warnings: list[str] | tuple[str, ...]) -> list[str]:
    """Return the node, the event and the sum of each warning."""
    found = [WARNING.fullmatch(warning) for warning in warnings if "not used" not in warning]
    return [" ".join(part for part in match.groups() if part) for match in found if match]


@pytest.mark.parametrize(("text", "name", "path", "expected", "warned"), NORMALIZED)
def test_numbers_are_divided_by_their_sum(
    text: str, name: str, path: str, expected: str, warned: str
) -> None:
    with pytest.raises(et.FileError, match=r"--normalize|change a formula"):
        et.loads(text, name=name)
    tree = et.loads(text, name=name, normalize=True)
    ps = probabilities(tree, path)
    assert ps == [*map(Fraction, expected.split())]
    assert sums_in(tree.warnings) == warned.split("; ")
    again = et.loads(et.dumps(tree))  # the numbers are written, and need no key
    assert probabilities(again, path) == ps
    assert not again.warnings or "divided" not in again.warnings[0]


@pytest.mark.parametrize(("text", "name", "path", "expected", "warned"), NORMALIZED[:10])
def test_the_key_is_the_same_as_the_option(
    text: str, name: str, path: str, expected: str, warned: str
) -> None:
    keyed = f'{{"normalize": true, {text[1:]}' if name == "x.json" else f"{text}\nnormalize: true"
    if text.startswith("events"):
        keyed = f"normalize: true\n{text}"
    tree = et.loads(keyed, name=name)
    assert probabilities(tree, path) == [*map(Fraction, expected.split())]
    assert sums_in(tree.warnings) == warned.split("; ")


def test_python_data_and_floats() -> None:
    coin = {"chance": [{"p": 0.33, "utility": 3}, {"p": 0.66, "utility": 0}]}
    tree = et.from_dict({"normalize": True, **coin})
    assert probabilities(tree, "/") == [Fraction(1, 3), Fraction(2, 3)]
    floats = et.loads(SHARES, normalize=True, exact_nodes=2)
    assert [branch.p for branch in floats.find("go").branches] == pytest.approx(
        [3846 / 9999, 4615 / 9999, 1538 / 9999]
    )


NEAR = "divide sums from 0.98 to 1.02 with --normalize"


@pytest.mark.parametrize(
    ("text", "message"),
    cases("probabilities", "sums"),
)  # fmt: skip
def test_other_sums_are_errors_where_they_are(text: str, message: str) -> None:
    with pytest.raises(et.FileError) as error:
        et.loads(text, name="x.yaml", normalize=True)
    assert str(error.value).startswith(f"x.yaml:{message}")
    assert len(error.value.problems) == 1


def test_the_key_may_be_false() -> None:
    with pytest.raises(et.FileError, match=re.escape("sum to 0.9999, expected 1")):
        et.loads(f"normalize: false\n{THIRDS}")


def test_commands(tmp_path: Path) -> None:
    file, out, table = (tmp_path / name for name in ("x.yaml", "y.yaml", "x.csv"))
    file.write_text(SHARES)
    table.write_text(CSV)
    assert NEAR in run_main("eval", str(file)).err
    for words in (("eval",), ("compare",), ("trace",), ("risk",), ("convert", str(out))):
        done = run_main(words[0], "--normalize", str(file), *words[1:])
        assert done.status == 0
        assert "go: the probabilities sum to 0.9999, not 1; each was divided" in done.err
    assert "normalize" not in out.read_text()
    assert "p: 1282/3333" in out.read_text()
    assert "6" in run_main("eval", "--normalize", str(table)).out
    arrow = str(tmp_path / "x.arrow")
    invoke("convert", "--normalize", "--drop", "fractions", str(file), arrow)
    assert "--normalize is for YAML and JSON and " in run_main("eval", "--normalize", arrow).err


def test_the_key_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(f"# printed\nnormalize: true  # as in the book\n{SHARES}\n")
    assert run_main("verify", "--write", str(file)).status == 0
    text = file.read_text()
    assert "normalize: true  # as in the book" in text
    assert "expect: {value: 23" not in text
    assert et.verify(et.load(str(file))).checks
    assert "normalize: true  # as in the book" in edited(text, "go/a", "utility", "3")
