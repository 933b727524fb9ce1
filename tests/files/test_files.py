"""Valid tree files: every form of the grammar in YAML and JSON."""

from __future__ import annotations

import io
import json
import math
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from files.samples import content_of, exact_at
from oracle import exact_root
from random_texts import RandomText

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.base.tree.formulas import RunExpectation
from expectitree.files import tree_files


@pytest.fixture(params=[True, False], ids=["libyaml", "pure"])
def either_yaml(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Read YAML with and without libyaml."""
    if request.param and not yaml.__with_libyaml__:
        pytest.fail("this test compares with libyaml: install a PyYAML that has it")
    monkeypatch.setattr("expectitree.files.formats.yaml.yaml.__with_libyaml__", request.param)
    return bool(request.param)


@pytest.mark.slow
def test_pure_python_reads_the_same_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(60):
        drawn, found = RandomText(seed), []
        for with_libyaml in (True, False):
            name = "expectitree.files.formats.yaml.yaml.__with_libyaml__"
            monkeypatch.setattr(name, with_libyaml)
            found.append(content_of(et.loads(drawn.text, name="x.yaml")))
        assert found[0] == found[1] == content_of(et.loads(drawn.text, name=f"x.{drawn.suffix}"))


def test_labels_are_text_as_written(either_yaml: bool) -> None:
    """YAML would read these as false, true, a float, 750, a date and null."""
    labels = ["no", "on", "1.0", "12:30", "1e-3", "2024-01-02", "~", "null", "0x10", "p", "é東"]
    text = "max:\n" + "".join(f"  {label}: {n}\n" for n, label in enumerate(labels))
    tree = et.loads(text, name="x.yaml")
    assert [branch.label for branch in tree.root.branches] == labels
    assert [tree.find(label).utility for label in labels] == list(range(len(labels)))
    as_json = et.loads(
        json.dumps({"max": {label: n for n, label in enumerate(labels)}}), name="x.json"
    )
    assert content_of(as_json) == content_of(tree)


def test_aliases_share_a_node(either_yaml: bool) -> None:
    """A shared node is stored once, and each branch keeps its `p` and `label`."""
    tree = et.loads(
        "max:\n  a: &n {min: [1, &t 2]}\n  b: {max: [*n, *t, 2]}\n  c: *n\n", name="x.yaml"
    )
    assert tree.find("a") == tree.find("b/#1") == tree.find("c")
    assert tree.find("a/#2") == tree.find("b/#2") != tree.find("b/#3")
    assert len(tree) == 6
    chance = et.loads("chance: [&x {p: 1/2, min: [1]}, *x]", name="x.yaml")
    assert [branch.p for branch in chance.root.branches] == [0.5, 0.5]
    assert len(chance) == 3


def test_unused_names_are_not_counted() -> None:
    """They are checked (see `unused-name.yaml` in tests/bad/names.md) but not stored."""
    tree = et.loads(
        "max: [1, {ref: a}]\nnodes: {a: 2, b: {min: [3, 4], bounds: [0, 9], note: n}}",
        name="x.yaml",
    )
    assert len(tree) == 3
    assert tree.utility_range == (1, 2)
    assert not tree.local_bounds
    assert not tree.notes


def test_every_key_of_expect_is_read() -> None:
    """All keys are read, with several runs of an algorithm, and numbers keep their text."""
    tree = et.loads(
        "max: {a: {chance: [1, 2]}, '#2': 1}\n"
        "expect:\n"
        "  value: 3/2\n  best: a\n  values: {a: 1.50, /: 1.5}\n"
        "  star1: {leaves: 5, nodes: 7, cuts: 0, bounds: [-inf, 9]}\n"
        "  star2: {skipped: [a/#2, '#2']}\n"
        "  star2.5: [{probes: 2, probe-order: sequential}, {probes: 3, leaves: 1}]\n"
        "  expectiminimax: {skipped: []}\n"
    )
    expect = tree.expect
    assert expect is not None
    assert (expect.value, expect.best, expect.values) == (1.5, "a", {"a": 1.5, "/": 1.5})
    assert expect.written == {("value",): "3/2", ("values", "a"): "1.50", ("values", "/"): "1.5"}
    assert expect.runs == (
        RunExpectation("star1", nodes=7, leaves=5, cuts=0, bounds=(-math.inf, 9), place=("star1",)),
        RunExpectation("star2", skipped=("a/#2", "#2"), place=("star2",)),
        RunExpectation(
            "star2.5", options={"probes": 2, "probe-order": "sequential"}, place=("star2.5", 0)
        ),
        RunExpectation("star2.5", options={"probes": 3}, leaves=1, place=("star2.5", 1)),
        RunExpectation("expectiminimax", skipped=(), place=("expectiminimax",)),
    )


def test_normalised_probabilities_cause_a_warning(either_yaml: bool) -> None:
    """A small deviation causes a warning with the path; rounding does not."""
    text = (
        "max:\n  a/b:\n    chance: [{p: 0.3333333333, utility: 1}, {p: 0.6666666666, utility: 2}]\n"
    )
    warnings: list[str] = []
    tree = et.loads(text, name="x.yaml", warn=warnings.append)
    assert warnings == [
        "x.yaml: a\\/b: the probabilities sum to 0.9999999999, not 1; each was divided by that sum"
    ]
    assert sum(branch.p for branch in exact_at(tree, "a\\/b").branches) == 1
    warnings.clear()
    et.loads("chance: [" + ", ".join(["{p: 0.1, utility: 1}"] * 10) + "]", warn=warnings.append)
    et.loads(
        "chance: [{p: 1/3, utility: 1}, {p: 1/3, utility: 1}, {p: 1/3, utility: 1}]",
        warn=warnings.append,
    )
    assert warnings == []
    tiny = "chance: [{p: 0.5, utility: 1}, {p: 0.5000000000000000001, utility: 1}]"
    tree = et.loads(tiny, warn=warnings.append)
    assert warnings == []
    assert sum(branch.p for branch in exact_root(tree).branches) == 1


@pytest.mark.parametrize("name", ["x.yaml", "x.json", "-", "<text>"])
def test_a_byte_order_mark_is_ignored(name: str, tmp_path: Path) -> None:
    """Editors write one, and a text stream passes it on."""
    text = '\ufeff{"max": [1, 2]}'
    assert len(et.load(named(io.BytesIO(text.encode()), name))) == 3
    assert len(et.load(named(io.StringIO(text), name))) == 3
    assert len(et.loads(text, name=name)) == 3


def named(stream: Any, name: str) -> Any:
    """Give a stream a name that determines the format."""
    stream.name = name
    return stream


def test_trees_are_read_from_paths_streams_and_texts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sources are paths, text and byte streams, standard input and texts."""
    text = "max: [1, 2]\n"
    path = tmp_path / "tree.yml"
    path.write_text(text)
    wanted = content_of(et.loads(text))
    assert content_of(et.load(path)) == content_of(et.load(str(path))) == wanted
    with path.open() as as_text, path.open("rb") as as_bytes:
        assert content_of(et.load(as_text)) == content_of(et.load(as_bytes)) == wanted
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert content_of(et.load("-")) == wanted


def test_the_format_follows_from_the_name_or_the_text() -> None:
    """A .json file is not read as YAML; without an ending both are tried."""
    with pytest.raises(FileError, match="this is not JSON"):
        et.loads("max: [1]", name="x.JSON")
    for name in ("-", "-e", "tree", "tree.txt"):
        assert len(et.loads("max: [1]", name=name)) == 2
        assert len(et.loads('{"max": [1]}', name=name)) == 2
        assert (
            len(et.loads('{"max":\t[1]}', name=name)) == 2
        )  # a tab, which YAML's pure-Python reader refuses
        assert len(et.loads("{max: [1]}", name=name)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "max: {'<<': 1}",
        "---\nmax: [1]\n...\n",
        "%YAML 1.1\n---\n# why\nmax: [1]\n",
        "max: [1]\r\nnote: x\r\n",
        '"max": ["1"]',
        "max:\n- 1\n",
        "? max\n: [1]\n",
        "max: [1,]\n",
        "&root\nmax: [1]\n",
        "max: ['1'] # why\n",
    ],
)
def test_layouts_of_yaml_give_the_same_tree(text: str, either_yaml: bool) -> None:
    """YAML allows markers, comments, line ends, quotes and indentation."""
    tree = et.loads(text, name="x.yaml")
    assert [node.utility for node in tree.root.children] == [1]


def test_tree_files_lists_the_trees_of_a_folder(tmp_path: Path) -> None:
    """The list is sorted and contains no hidden and no other files."""
    names = "b.yaml a.json sub/c.YML sub/deep/d.yml .hidden.yaml .git/e.yaml f.txt sub/g.yaml~"
    for name in names.split():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("max: [1]")
    found = [Path(path).relative_to(tmp_path).as_posix() for path in tree_files(str(tmp_path))]
    assert found == ["a.json", "b.yaml", "sub/c.YML", "sub/deep/d.yml"]


def test_reading_restores_the_garbage_collector() -> None:
    """The collector stays on or off, after success and after failure."""
    import gc

    for enabled in (True, False):
        (gc.enable if enabled else gc.disable)()
        try:
            et.loads("max: [1]")
            assert gc.isenabled() == enabled
            with pytest.raises(FileError):
                et.loads("max: [x]")
            assert gc.isenabled() == enabled
        finally:
            gc.enable()


def test_a_tree_of_floats_has_only_floats() -> None:
    many = ", ".join(["1"] * 20_000)
    text = f"reward: 1/3\nbounds: [1/3, 9]\nmax: [{{max: [{{cost: 1/3, utility: 1}}]}}, {many}]"
    tree = et.loads(text)
    assert not tree.exact
    found = [tree.root_reward, *tree.local_bounds[tree.root_id], tree.columns.reward[0]]
    assert [*map(type, found)] == [float] * 4
    assert found == [1 / 3, 1 / 3, 9, -1 / 3]
