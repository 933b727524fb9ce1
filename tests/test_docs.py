"""The documents are right: examples run, quoted outputs are fresh, and links lead somewhere."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from click import Context
from helpers import ROOT

import expectitree as et
from expectitree.base.tables import COMMANDS
from expectitree.cli import cli

# Documents that describe a tree file in parts, and other kinds of YAML files.
NOT_TREES = ("title: Star1 and Star2", "title: Which search", "launch now/", "# .")
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
)
DOCUMENTS = [document for document in DOCUMENTS if "node_modules" not in document.parts]


# By a word in the Python examples of a document, how they are run.
MARKS = {"open_spiel": pytest.mark.extra, "class Stones": pytest.mark.slow}


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", document.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.fixture(scope="module")
def refresh() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# A page: the paragraphs and blocks that a reader meets, and what each command must print.
STEPS = [
    ("console", "eval risk.yaml", "risk.yaml: error: there is no such file"),
    ("yaml", "max: [7, 5]", "Save this as `risk.yaml`:"),
    ("console", "eval risk.yaml", "value     7"),
    ("yaml", "max: [1, 2]", "Without a name:"),
    ("console", "eval risk.yaml", "value     7"),
    ("python", "max: [3, 2]", "`risk.yaml` is now:"),
    ("console", "eval -a star1 risk.yaml", "value     3"),
    ("console", "eval trees/risk.yaml", "value     54.5"),
    ("yaml", "note: added", "Add a note to `risk.yaml`:"),
    ("console", "eval risk.yaml", "value     3"),
    ("{literalinclude} docs/examples/umbrella.yaml", "", "Write `risk.yaml`:"),
    ("console", "eval risk.yaml", "value     7"),
    ("sh", "eval risk.yaml", "succeeds:"),
    ("sh", "eval gone.yaml", "fails:"),
]


def test_a_reader_saves_what_a_page_gives_and_runs_its_commands(
    refresh: ModuleType, tmp_path: Path
) -> None:
    page = "".join(
        f"```console\n$ expectitree {content}\nold\n```\n\n"
        if language == "console"
        else f"{about}\n\n```{language}\n{'expectitree ' * (language == 'sh')}{content}\n```\n\n"
        for language, content, about in STEPS
    )
    read = refresh.Reader(tmp_path).refreshed(page)
    outputs = re.findall(r"^(?:value .*|\S+: error: .*)$", read, re.MULTILINE)
    expected = [about for language, _, about in STEPS if language == "console"]
    assert outputs == [*expected, "gone.yaml: error: there is no such file"]


@pytest.mark.slow
def test_quoted_outputs_and_the_picture_are_fresh(refresh: ModuleType) -> None:
    assert any("$ expectitree" in d.read_text("utf-8") for d in refresh.DOCUMENTS)
    assert refresh.stale() == []


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (document, text)
        for document in DOCUMENTS
        for text in blocks(document, "yaml")
        if not text.startswith(NOT_TREES)
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_yaml_examples_give_the_results_they_expect(document: Path, text: str) -> None:
    text = text if re.search("^(max|min|chance|ref):", text, re.MULTILINE) else text + "max: [0]\n"
    found = et.verify(et.loads(text), file=document.name)
    assert found.broken == []


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(document, marks=[mark for word, mark in MARKS.items() if word in text])
        for document in DOCUMENTS
        if (text := "".join(blocks(document, "python")))
    ],
    ids=lambda d: d.name,
)
def test_python_examples_print_what_their_comments_show(
    document: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code = "\n".join(blocks(document, "python"))
    exec(compile(code, document.name, "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    for comment in re.findall(r"^print\(.*\)  +# (.+)$", code, re.MULTILINE):
        if not comment.startswith("what "):
            assert comment in printed


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_have_existing_targets(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", document.read_text("utf-8")):
        if not target.startswith("http"):
            assert (document.parent / target).exists(), target


def test_decisions_are_numbered_without_gaps() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    for number, decision in enumerate(decisions, 1):
        assert decision.name.startswith(f"{number:04}-")
        assert decision.read_text("utf-8").startswith(f"# {number}. ")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("completion", "edit")])
def test_the_examples_in_the_help_of_a_command_run(name: str, tmp_path: Path) -> None:
    help = str(cli.get_command(Context(cli), name).help)
    examples = [
        e
        for e in re.findall(r"^.*?\b(expectitree .+?)(?=   |`|$)", help, re.MULTILINE)
        if name in e
    ]
    assert examples, "the help has no example"
    for folder in ("trees", "studies", "docs/examples"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("launch", "money"):
        shutil.copy(ROOT / "docs" / "examples" / f"{file}.yaml", tmp_path)
    (tmp_path / "expectitree").write_text(f'#!/bin/sh\nexec {sys.executable} -m expectitree "$@"\n')
    (tmp_path / "expectitree").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    for example in examples:
        done = subprocess.run(
            ["bash", "-c", example], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        # Without answers, the decision that `ask` asks for stays open.
        assert done.returncode == (1 if name == "ask" else 0), done.stderr
