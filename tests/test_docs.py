"""The documents are right: examples run, quoted outputs are fresh, and links lead somewhere."""

from __future__ import annotations

import doctest
import importlib.util
import re
import sys
from pathlib import Path

import pytest
from helpers import ROOT

import expectitree as et

DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")]
)


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", document.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )


@pytest.mark.slow
def test_quoted_outputs_and_the_picture_are_fresh() -> None:
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh.py")
    assert spec is not None
    assert spec.loader is not None
    refresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(refresh)
    assert any("$ expectitree" in d.read_text("utf-8") for d in refresh.DOCUMENTS)
    assert refresh.stale() == []


@pytest.mark.parametrize(
    ("document", "text"),
    [
        (d, text)
        for d in (ROOT / "README.md", ROOT / "docs" / "format.md")
        for text in blocks(d, "yaml")
    ],
    ids=lambda value: value.name if isinstance(value, Path) else "",
)
def test_yaml_examples_give_the_results_they_expect(document: Path, text: str) -> None:
    text = text if re.search("^(max|min|chance):", text, re.MULTILINE) else text + "max: [0]\n"
    found = et.verify(et.loads(text, exact=True), file=document.name)
    assert found.broken == []


@pytest.mark.parametrize(
    "document", [ROOT / "README.md", ROOT / "docs" / "ask.md"], ids=lambda d: d.name
)
def test_python_examples_print_what_their_comments_show(
    document: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = blocks(document, "python")
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


def test_examples_in_docstrings_run() -> None:
    assert doctest.testmod(et).attempted > 0
    assert doctest.testmod(et).failed == 0
    assert sys.version_info >= (3, 11)
