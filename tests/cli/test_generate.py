"""`expectitree generate`: families of trees from the command line."""

from __future__ import annotations

import json
import re
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest
from helpers import run_main

import expectitree as et
from expectitree.lab.families import FAMILIES, parameters_of, read_parameters

OWN = {"output", "format", "force", "help"}


# ---- Generated trees.


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ("ballard", {}),
        (
            "ballard --pattern min,chance --plies 4 --branching 3 --order worst",
            {"pattern": ["min", "chance"], "plies": 4, "branching": 3, "order": "worst"},
        ),
        (
            "uniform --branching 1-3 --utilities -5,5 --end 0.2 --plies 5 --seed 3",
            {"branching": (1, 3), "utilities": (-5, 5), "end": 0.2, "plies": 5, "seed": 3},
        ),
        ("uniform --real --skew 1 --branching 2", {"real": True, "skew": 1, "branching": 2}),
    ],
)
@pytest.mark.parametrize("format", ["yaml", "json"])
def test_the_printed_tree_equals_the_tree_from_python(
    words: str, given: dict[str, object], format: str
) -> None:
    done = run_main("generate", *words.split(), "--format", format)
    assert (done.status, done.err) == (0, "")
    tree = et.generate(words.split()[0], **given)
    assert done.out == et.dumps(tree, format)
    if format == "json":
        json.loads(done.out)
    read = et.loads(done.out)
    assert (len(read), read.title, read.source) == (len(tree), tree.title, tree.source)
    # A generated tree has floats; what is read has their decimals, which sum to 1 at CHANCE.
    one, other = (map(str, each.floats.columns.utility) for each in (read, tree))
    assert sorted(one) == sorted(other)
    assert et.evaluate(read).value == pytest.approx(et.evaluate(tree).value, rel=1e-14)


@pytest.mark.slow
def test_a_generated_file_serves_the_other_commands(tmp_path: Path) -> None:
    file = str(tmp_path / "tree.yaml")
    assert (
        run_main("generate", "ballard", "--branching", "10", "--order", "best", "-o", file).status
        == 0
    )
    assert "1,111 nodes" in run_main("compare", file).out
    assert re.search(r"^star2 .* 166 ", run_main("compare", file).out, re.MULTILINE)
    assert "value     13.5" in run_main("eval", file, "-a", "star1").out
    assert run_main("verify", "--write", file).status == 0
    assert re.search(r"1 file, (\d+) of \1 expectations kept", run_main("verify", file).out)


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
@pytest.mark.parametrize("words", ["ballard --dice 3 --plies 5", "uniform --skew 2 --end 0.1"])
def test_a_table_is_that_of_the_tree_from_python(
    words: str, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("expectitree.files.formats.arrow.ROWS", 100)
    file, whole = tmp_path / f"tree.{ending}", tmp_path / f"whole.{ending}"
    done = run_main("generate", *words.split(), "-o", str(file))
    family, *given = words.split()
    parameters = {name[2:]: value for name, value in zip(given[::2], given[1::2], strict=True)}
    tree = et.generate(family, **parameters)
    et.save(tree, whole)
    module = import_module(f"expectitree.files.formats.{ending}")
    found, expected = (module.read_table(str(path))[0] for path in (file, whole))
    assert found.schema.equals(expected.schema, check_metadata=True)
    assert found.equals(expected)
    assert (done.status, done.out) == (0, "")
    assert f"written: {len(tree):,} nodes; next: expectitree eval {file}" in done.err


# ---- Errors.


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "tree.txt"],
        ["-o", "there.yaml"],
        ["-o", "tree.json", "--format", "yaml"],
        ["-o", "nowhere/tree.yaml"],
    ],
    ids=" ".join,
)
def test_errors_are_found_before_the_tree_is_generated(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large tree takes minutes, which a wrong name must not cost."""

    def work(*_: object, **__: object) -> None:
        raise AssertionError

    (tmp_path / "there.yaml").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("expectitree.cli.generate.generate", work)
    assert run_main("generate", "ballard", *words).status in (2, 3)


# ---- The help.


@pytest.fixture
def options() -> dict[str, str]:
    """Return the help of each option."""
    _, _, printed = run_main("generate", "--help-all").out.partition("Options:\n")
    row = r"^  (?:-\w, )?--(\w+).*?(?:  |\n {20})(.*(?:\n {20}.*)*)"
    return {name: " ".join(text.split()) for name, text in re.findall(row, printed, re.MULTILINE)}


def test_the_help_keeps_to_80_columns_and_its_tables() -> None:
    found = run_main("generate", "--help").out
    assert max(map(len, found.splitlines())) <= 80
    assert all(line == line.rstrip() for line in found.splitlines())
    assert "  uniform  independent utilities\n" in found
    assert "{ballard|uniform}" in found
    assert re.search(r"generate +Generate a tree from a seed", run_main("--help-all").out)


def test_the_help_names_the_families_of_every_parameter(options: dict[str, str]) -> None:
    assert set(options) - OWN == {name for family in FAMILIES for name in parameters_of(family)}
    for name in set(options) - OWN:
        having = [family for family in FAMILIES if name in parameters_of(family)]
        assert [family for family in FAMILIES if family in options[name]] == having, name


def test_the_defaults_in_the_help_equal_those_in_python(options: dict[str, str]) -> None:
    for family, make in FAMILIES.items():
        for name, parameter in signature(make).parameters.items():
            found = re.search(r"\[default: ([^\]]*)\]", options[name])
            if name == "branching":
                continue  # it has two defaults
            if found is None:
                assert parameter.default in (None, False)
            else:
                text = found[1].split(",")[0] if name in ("skew", "dice") else found[1]
                read = read_parameters(family, {name: text})[name]
                assert (tuple(read) if name == "pattern" else read) == parameter.default
    assert "4; uniform 2-4" in options["branching"]
