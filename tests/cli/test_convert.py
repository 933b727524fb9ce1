"""`expectitree convert`: from one format into another, through files and pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from files.samples import SHIPPED, content_of, max_over
from helpers import ROOT, Done, run_main

import expectitree as et

ENDINGS = ("yaml", "yml", "json", "arrow", "parquet")


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run `expectitree convert` in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Done:
        return run_main("convert", *words)

    return run


def piped(
    *words: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `expectitree convert` as a process between two pipes."""
    return subprocess.run(
        [sys.executable, "-m", "expectitree", "convert", *words],
        input=stdin,
        capture_output=True,
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_convert_there_and_back_loses_nothing(path: Path, run: Run) -> None:
    tree = et.load(path, exact=True)
    names = ["a.json", "b.yaml", "c.yml"]
    for source, out in zip([str(path), *names], names, strict=False):
        done = run(source, out)
        assert (done.status, done.out) == (0, "")
        assert done.err.endswith(
            f"{out} written: {len(tree)} nodes; next: expectitree eval {out}\n"
        )
        assert content_of(et.load(out, exact=True)) == content_of(tree)


def test_convert_refuses_to_replace_a_file(run: Run) -> None:
    Path("a.yaml").write_text("max: [1, 2]")
    for out in ("b.json", "b.arrow"):
        Path(out).write_text("old")
        done = run("a.yaml", out)
        assert (done.status, done.out) == (2, "")
        assert "exists already" in done.err
        assert "--force" in done.err
        assert Path(out).read_text() == "old"
        assert run("a.yaml", out, "--force").status == 0
        assert len(et.load(out)) == 3
    done = run("a.yaml", "a.yaml")
    assert done.status == 2


@pytest.mark.parametrize("ending", ENDINGS)
def test_convert_may_replace_its_input(ending: str, run: Run) -> None:
    """An Arrow file is still mapped into memory while it is replaced."""
    et.save(max_over(title="mine"), f"a.{ending}")
    assert run(f"a.{ending}", f"a.{ending}", "--force").status == 0
    assert content_of(et.load(f"a.{ending}")) == content_of(max_over(title="mine"))


def test_convert_drops_fractions_only_on_request(run: Run) -> None:
    Path("a.yaml").write_text("max: {x: [1/3, 2]}".replace("[", "{min: [").replace("]", "]}"))
    for ending in ("arrow", "parquet"):
        done = run("a.yaml", f"a.{ending}")
        assert done.status == 3
        assert "x/#1: the utility 1/3" in done.err
        assert "--drop fractions" in done.err
        assert not Path(f"a.{ending}").exists()
        assert run("a.yaml", f"a.{ending}", "--drop", "fractions").status == 0
        assert et.load(f"a.{ending}").find("x/#1").utility == 1 / 3
    assert run("a.yaml", "a.json", "--drop", "fractions").status == 0
    assert et.load("a.json", exact=True).find("x/#1").utility == Fraction(1, 3)


@pytest.mark.parametrize("number", ["1e400", "1e305", "-1e308"])
def test_convert_names_the_node_of_a_number_too_great_for_tables(number: str, run: Run) -> None:
    """No file is written that could not be read again."""
    Path("a.yaml").write_text(f"max: {{x: {number}, y: 0}}")
    for ending in ("arrow", "parquet"):
        done = run("a.yaml", f"a.{ending}")
        assert done.status == 3
        assert "x: " in done.err
        assert not Path(f"a.{ending}").exists()


def test_a_hint_of_convert_names_an_existing_option(run: Run) -> None:
    Path("a.yaml").write_text("max: [1e-400, 2]")
    done = run("a.yaml", "a.arrow", "--drop", "fractions")
    assert "--exact" not in done.err


def test_convert_reports_errors_in_one_line(run: Run) -> None:
    Path("a.yaml").write_text("max: [1, 2]")
    Path("cut.yaml").write_text("max: [1, {min: [2]}]")
    for words, status in (
        (("a.yaml", "b.txt"), 3),
        (("a.yaml", "b"), 3),
        (("a.yaml", "no/b.yaml"), 3),
        (("a.yaml", "no/b.arrow"), 3),
        (("none.yaml", "b.json"), 3),
        (("none.arrow", "b.json"), 3),
        (("none.parquet", "b.json"), 3),
    ):
        done = run(*words)
        assert (done.status, done.out) == (status, "")
        assert len(done.err.splitlines()) == 1
    assert run("a.yaml", "b.yaml", "--format", "json").status == 2
    assert sorted(os.listdir()) == ["a.yaml", "cut.yaml"]


def test_convert_warns_about_normalised_probabilities(run: Run) -> None:
    Path("a.yaml").write_text(
        "chance: [{p: 0.3333333333, utility: 1}, {p: 0.6666666666, utility: 2}]"
    )
    done = run("a.yaml", "-")
    assert done.status == 0
    assert "divided" in done.err
    assert et.loads(done.out, exact=True).root.branches[0].probability == Fraction(1, 3)


def test_convert_reads_and_writes_pipes() -> None:
    text = "max: {é: 1/3, b: {chance: [\U0001f600x, 3]}}".replace("\U0001f600x", "1e-3").encode()
    first = piped("-", "-", "--format", "json", stdin=text)
    second = piped("-", "-", stdin=first.stdout)
    assert (first.returncode, second.returncode) == (0, 0)
    assert (first.stderr, second.stderr) == (b"", b"")
    assert content_of(et.loads(first.stdout.decode(), exact=True)) == content_of(
        et.loads(text.decode(), exact=True)
    )
    assert second.stdout.decode() == et.dumps(et.loads(text.decode(), exact=True))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16", "cp1252"])
def test_a_tree_on_standard_output_is_utf_8_for_any_terminal(encoding: str) -> None:
    done = piped(
        "-", "-", stdin="max: {é: 1, 日本: 2}".encode(), PYTHONIOENCODING=encoding, PYTHONUTF8="0"
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert [branch.label for branch in et.loads(done.stdout.decode("utf-8")).root.branches] == [
        "é",
        "日本",
    ]


def test_tables_do_not_go_through_a_pipe(tmp_path: Path) -> None:
    et.save(max_over(), tmp_path / "a.arrow")
    done = piped("-", "-", stdin=(tmp_path / "a.arrow").read_bytes())
    assert done.returncode == 3
    assert (
        done.stderr.decode()
        == "-: found tables, expected text: give a file whose name ends in .arrow\n"
    )
