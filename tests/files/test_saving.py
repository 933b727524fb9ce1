"""Writing trees as text: nothing is lost, and files are replaced completely or not at all."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
import yaml
from files.samples import SHIPPED, chain, content_of, max_over, random_full_tree, read
from hypothesis import given
from hypothesis import strategies as st

import expectitree as et
from expectitree.base.errors import FileError, TreeError
from expectitree.base.tree.builder import EXACT_NODES, NodeId
from expectitree.base.tree.formulas import Expectation, RunExpectation
from expectitree.files import load, saving
from expectitree.files.grammar.expect import written_expectation

FORMATS = ("yaml", "json")


# ---- Nothing is lost.


@given(format=st.sampled_from(FORMATS), seed=st.integers(0, 2**32), exact=st.booleans())
def test_a_written_tree_is_read_back_unchanged(format: str, seed: int, exact: bool) -> None:
    tree = random_full_tree(seed, exact)
    text = et.dumps(tree, format)
    content = normalize("NFC", repr(content_of(tree)))  # as files are read
    assert repr(content_of(read(text, name=f"x.{format}", exact=exact))) == content
    # The format follows from the text.
    assert repr(content_of(read(text, exact=exact))) == content


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "float"])
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_every_shipped_tree_is_read_back_unchanged(
    path: Path, exact: bool, format: str, tmp_path: Path
) -> None:
    tree = load(path, exact_nodes=EXACT_NODES if exact else 0)
    out = tmp_path / f"tree.{format}"
    et.save(tree, out)
    assert content_of(load(out, exact_nodes=EXACT_NODES if exact else 0)) == content_of(tree)
    if exact:
        assert et.verify(et.load(out)).checks == et.verify(tree).checks


COMPOSED = st.text().map(partial(normalize, "NFC"))  # as files are read
TEXTS = COMPOSED.filter(lambda text: text and not text.startswith("#"))


@given(
    format=st.sampled_from(FORMATS),
    labels=st.lists(TEXTS, min_size=1, max_size=5, unique=True),
    note=COMPOSED,
)
def test_any_text_may_be_a_label_or_a_note(format: str, labels: list[str], note: str) -> None:
    builder = et.TreeBuilder()
    under = builder.max(dict.fromkeys(labels, 1), note=note)
    tree = builder.build(
        builder.chance(dict.fromkeys(labels, under), note=note), title=note, source=note
    )
    expect = Expectation(best=labels[0], values={"/".join(labels) or "/": 1.0})
    tree = tree.changed(expect=replace(expect, written={("values", "/".join(labels)): "1"}))
    assert content_of(et.loads(et.dumps(tree, format), name=f"x.{format}")) == content_of(tree)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("length", [1_000, 1_025, 5_000])
@pytest.mark.parametrize("character", ["x", "é\n"])
def test_a_label_may_be_long(character: str, length: int, format: str) -> None:
    """A YAML key of more than 1,024 characters needs the prefix `? `."""
    builder = et.TreeBuilder()
    label = character * (length // len(character))
    tree = builder.build(
        builder.max({label: builder.min({label: 1, "other": builder.max([3, builder.min([2])])})})
    )
    tree = tree.changed(expect=Expectation(values={f"{label}/{label}": 1.0}))
    assert (
        list(content_of(et.loads(et.dumps(tree, format), name=f"x.{format}")))[4:]
        == content_of(tree)[4:]
    )


@pytest.mark.parametrize(
    ("length", "p"),
    [(100, Fraction(5 * 10**48, 10**49 + 1)), (101, Fraction(4 * 10**49, 9 * 10**49 + 1))],
)
def test_a_key_has_at_most_100_characters(length: int, p: Fraction) -> None:
    """A longer label or probability is next to its node."""
    assert len(str(p)) == len(str(1 - p)) == length
    builder = et.TreeBuilder(exact=True)
    label, lottery = "x" * length, builder.chance([1, 2], [p, 1 - p])
    text = et.dumps(builder.build(builder.max({label: 3, "other": lottery})))
    assert (f"{label}: " in text, f"{p}: 1" in text) == ((length == 100),) * 2


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "float"])
def test_a_deep_tree_is_written_within_the_nesting_limit(exact: bool, format: str) -> None:
    tree = chain(730, exact)
    text = et.dumps(tree, format)
    assert content_of(read(text, name=f"x.{format}", exact=exact)) == content_of(tree)
    assert max(len(line) - len(line.lstrip()) for line in text.splitlines()) < 1_000


class Counted(Sequence[str | None]):
    """Labels that count how often they are read."""

    def __init__(self, labels: Sequence[str | None]) -> None:
        self.labels, self.reads = labels, 0

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, at: Any) -> Any:
        self.reads += len(range(len(self))[at]) if isinstance(at, slice) else 1
        return self.labels[at]


@pytest.mark.parametrize("format", FORMATS)
def test_writing_a_wide_node_takes_linear_time(format: str) -> None:
    builder = et.TreeBuilder()
    tree = builder.build(builder.max([builder.max([n]) for n in range(3_000)]))
    labels = Counted(list(tree.label))
    et.dumps(replace(tree, label=labels), format)
    assert labels.reads < 20 * len(labels)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("miss", [Fraction(1, 10**9), Fraction(1, 2**50), Fraction(1, 10**30)])
def test_nearly_equal_probabilities_are_not_changed(miss: Fraction, format: str) -> None:
    third = Fraction(1, 3)
    for exact in (True, False):
        builder = et.TreeBuilder(exact)
        tree = builder.build(builder.chance([1, 2, 3], [third + miss, third - miss, third]))
        assert content_of(
            read(et.dumps(tree, format), name=f"x.{format}", exact=exact)
        ) == content_of(tree)


FLOATS = (
    "-0.0", "0", "1", "-1", "1e15", "1e300", "-1e300", "5e-324", "2.5e-300", "0.1", "1e-5",
    "123456789012345678",
)  # fmt: skip
NOT_FLOATS = (
    "1/3", "-22/7", f"1/{10**390}", "1e-400", "-1e400", "10e400", "-0.5e-400",
    f"1.{'23' * 190}e-400",
)  # fmt: skip


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("exact", [True, False], ids=["exact", "float"])
def test_every_number_is_read_back_unchanged(exact: bool, format: str) -> None:
    """The grammar accepts exponents up to 400: numbers of more than 400 digits."""
    for number in [*FLOATS, *(NOT_FLOATS if exact else ())]:
        bounds = f"[{number}, inf]" if number[0] == "-" else f"[-inf, {number}]"
        text = f"""
expect: {{value: {number}, values: {{/: {number}}}}}
bounds: [-inf, inf]
max: {{a: {number}, b: {{estimate: {number}, bounds: {bounds}, min: [{number}]}}}}
"""
        tree = read(text, exact=exact)
        again = read(et.dumps(tree, format), name=f"x.{format}", exact=exact)
        assert content_of(again) == content_of(tree), number


@pytest.mark.parametrize("format", FORMATS)
def test_an_expectation_keeps_its_spelling(format: str) -> None:
    text = """
expect:
  value: 0.50
  best: '#2'
  values: {/: 5e-1, a/b: 1/2, '#2': .5}
  star1: [{nodes: 3, bounds: [-inf, 1/3]}, {leaves: 2, skipped: ['#1', a\\/b]}]
  star2.5: {probes: 2, probe-order: sequential, cuts: 0}
max: [0, 0.5]
"""
    for exact, written in ((True, text), (False, text), (True, "max: [1]\nexpect:\n")):
        tree = read(written, exact=exact)
        assert tree.expect is not None
        assert content_of(
            read(et.dumps(tree, format), name=f"x.{format}", exact=exact)
        ) == content_of(tree)


def test_no_run_of_an_expectation_is_lost() -> None:
    """Runs made by a script have no places in a file that distinguish them."""
    expect = Expectation(
        runs=(RunExpectation("star1", nodes=3), RunExpectation("star1", bounds=(0.0, 9.0), nodes=2))
    )
    assert len(written_expectation(expect)["star1"]) == 2


# ---- Other readers.


@pytest.mark.slow
@given(seed=st.integers(0, 2**32))
def test_independent_readers_agree_on_both_formats(seed: int) -> None:
    """PyYAML's composer and json agree, and PyYAML reads every label as text."""
    tree = random_full_tree(seed, exact=bool(seed % 2))
    text, json_text = et.dumps(tree, "yaml"), et.dumps(tree, "json")
    read = json.loads(json_text, parse_int=str, parse_float=str)
    assert yaml.load(text, yaml.BaseLoader) == read
    assert [*texts_in(yaml.safe_load(text))] == [*texts_in(read)]


def texts_in(data: Any) -> Iterator[object]:
    """Yield the keys of a document, and the values of keys that hold text."""
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for key, value in item.items():
                # A probability may be a key.
                yield repr(key) if isinstance(key, float) and 0 < key < 1 else key
                if key in ("title", "source", "note") and not isinstance(value, (dict, list)):
                    yield value
                stack.append(value)
        elif isinstance(item, list):
            stack += item


def test_the_written_text_is_readable() -> None:
    builder = et.TreeBuilder()
    coin = builder.chance([0, 10], note="fair")
    bet = builder.chance({"win": coin, "lose": -3}, ["1/4", "3/4"], estimate=1, bounds=("-inf", 10))
    tree = builder.build(builder.max({"pass": 1.5, "no": coin, "bet": bet}), title="A bet")
    assert et.dumps(tree) == (
        "title: A bet\n"
        "nodes:\n"
        "  n1: {note: fair, chance: [0, 10]}\n"
        "max:\n"
        "  pass: 1.5\n"
        '  "no": {ref: n1}\n'
        "  bet:\n"
        "    estimate: 1\n"
        "    bounds: [-inf, 10]\n"
        "    chance:\n"
        "      win: {p: 0.25, ref: n1}\n"
        "      lose: {p: 0.75, utility: -3}\n"
    )
    assert et.dumps(tree, "json").splitlines()[:3] == ["{", '  "title": "A bet",', '  "nodes": {']


# ---- Trees that text cannot hold.


@pytest.mark.parametrize("format", FORMATS)
def test_estimates_of_a_depth_limit_are_refused_with_their_path(format: str) -> None:
    tree = et.prepare(et.loads("max: {a: 1, b: {min: [2, 3], estimate: 2.5}}"), depth=1)
    with pytest.raises(TreeError, match=r"^b: .* cannot hold cut nodes"):
        et.dumps(tree, format)


@pytest.mark.parametrize("format", FORMATS)
def test_a_number_too_long_is_refused_with_its_path(format: str) -> None:
    """Normalising two probabilities can give fractions that the grammar cannot hold."""
    long = 10**300 + 7
    builder = et.TreeBuilder(exact=True)
    shares = builder.distribution([Fraction(1, 3) + Fraction(1, long), Fraction(2, 3)], 2)[0]
    inner = builder.add_inner(
        3, [builder.add_terminal(Fraction(n)) for n in (1, 2)], shares, ["x", None]
    )
    tree = builder.build(builder.max({"here": NodeId(inner), "b": 1}))
    with pytest.raises(TreeError, match=r"^here"):
        et.dumps(tree, format)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("text", ["\\ud83d", '"\\ud83d', "\\uDE00", "'\\ud83d\"", "\\\\ud83d"])
def test_text_that_resembles_an_escape_is_kept(text: str, format: str) -> None:
    """A backslash, a u and four digits are six characters, not half of a surrogate pair."""
    tree = max_over(title=text, **{text: 1})
    assert content_of(et.loads(et.dumps(tree, format), name=f"x.{format}")) == content_of(tree)


@pytest.mark.parametrize("format", ["arrow", "parquet", "toml"])
def test_only_text_is_dumped(format: str) -> None:
    with pytest.raises(TreeError, match=format):
        et.dumps(max_over(), format)


@pytest.mark.parametrize("name", ["tree", "tree.txt", "tree.yaml.bak", ".yaml"])
def test_an_unknown_ending_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"choose one of \.yaml, \.yml, \.json, \.arrow, \.parquet"):
        et.save(max_over(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


# ---- Files are replaced completely or not at all.

ENDINGS = ("yaml", "yml", "json", "arrow", "parquet")


def failing(error: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


FULL = OSError(28, "No space left on device")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    ("call", "there"),
    [("fsync", True), ("fsync", False), ("chmod", True), ("replace", True), ("replace", False)],
)
def test_the_old_file_survives_a_failure_at_the_end(
    call: str, there: bool, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"tree.{ending}"
    if there:
        path.write_text("old")
        path.chmod(0o666)  # which the umask does not give to new files
    monkeypatch.setattr(os, call, failing(FULL))
    with pytest.raises(
        FileError, match=r"tree\.\w+: the file cannot be written: No space left on device$"
    ):
        et.save(max_over(), path)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ([path.name] if there else [])
    assert not there or path.read_text() == "old"


@pytest.mark.parametrize(
    "error", [FULL, KeyboardInterrupt(), MemoryError(), TreeError("found late")], ids=repr
)
@pytest.mark.parametrize("format", FORMATS)
def test_the_old_file_survives_a_failure_midway(
    format: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(tree: et.Tree, *_: object) -> Iterator[str]:
        yield "x" * 600_000  # This exceeds the buffer, so part of the file is written.
        raise error

    path = tmp_path / f"tree.{format}"
    path.write_text("old")
    monkeypatch.setattr(saving, "pieces", broken)
    with pytest.raises(FileError if isinstance(error, OSError) else type(error)):
        et.save(max_over(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


# `resource` limits how long a file may grow: a disk that is full in the middle of a write.


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o755])
def test_a_file_keeps_its_mode(ending: str, mode: int, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{ending}"
    path.touch()
    path.chmod(mode)
    et.save(max_over(), path)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert len(et.load(path)) == 3
    old = os.umask(0o777 & ~mode)
    try:
        et.save(max_over(), tmp_path / f"new.{ending}")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / f"new.{ending}").stat().st_mode) == 0o666 & mode


@pytest.mark.parametrize("ending", ["yaml", "arrow", "parquet"])
def test_a_link_is_not_replaced_by_a_file(ending: str, tmp_path: Path) -> None:
    """The target of the link is replaced or created, by a new file in its folder."""
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / f"target.{ending}", tmp_path / f"link.{ending}"
    link.symlink_to(Path("far") / target.name)
    for title in ("new", "again"):
        et.save(max_over(title=title), link)
        assert link.is_symlink()
        assert et.load(target).title == title
    assert sorted(p.name for p in tmp_path.iterdir()) == ["far", link.name]
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_folder_is_not_replaced(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{ending}"
    path.mkdir()
    with pytest.raises(FileError, match="cannot be written"):
        et.save(max_over(), path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.is_dir()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("ending", ["yaml", "arrow", "parquet"])
def test_a_pipe_that_closes_early_is_not_removed(ending: str, tmp_path: Path) -> None:
    """A pipe or device is written to and never removed."""
    path = tmp_path / f"pipe.{ending}"
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: os.close(os.open(path, os.O_RDONLY)), daemon=True)
    reader.start()
    tree = et.generate("uniform", plies=7, branching=4, seed=1)
    with pytest.raises(FileError, match="cannot be written"):
        et.save(tree, path)
    reader.join(10)
    assert stat.S_ISFIFO(path.stat().st_mode)
