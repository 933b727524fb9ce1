"""A new analysis is its folder, its command and one row: a copy of the package gets one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import ROOT

ROW = """_COMMANDS = (
    Command("Decide", "size", "Count the nodes.", folder="decide.size", public=("Size", "size")),
"""
FILES = {
    "decide/size/__init__.py": 'FORMATS = ("text", "json")\n',
    "decide/size/report.py": """
from dataclasses import dataclass
from expectitree.base.display import Shown

@dataclass(frozen=True)
class Size(Shown):
    question = "size"
    file: str
    nodes: int

def size(tree, file=""):
    return Size(file, len(tree))
""",
    "decide/size/text.py": """
def render(reports, options):
    for report in reports:
        yield f"{report.file}: {report.nodes} nodes"
""",
    "cli/size.py": '''
from expectitree.decide.size.report import size

def command(options):
    """Count the nodes of a tree."""
    options.show_all("size of", size)
''',
}
FROM_PYTHON = """
import expectitree as et
report = et.size(et.loads("max: [1, 2]"), "risk")
assert isinstance(report, et.Size) and "size" in et.__all__
print(et.to_text(report))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package that has one more analysis."""
    folder = tmp_path_factory.mktemp("package")
    package = folder / "expectitree"
    shutil.copytree(ROOT / "expectitree", package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        (package / name).parent.mkdir(exist_ok=True)
        (package / name).write_text(text, "utf-8")
    table = package / "__init__.py"
    table.write_text(table.read_text("utf-8").replace("_COMMANDS = (\n", ROW), "utf-8")
    return folder


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["-m", "expectitree", "size", "-e", "max: [1, 2]"], "-e: 3 nodes"),
        (["-m", "expectitree", "size", "-e", "5", "--format", "json"], '"nodes": 1'),
        (["-m", "expectitree", "--help"], "size"),
        (["-m", "expectitree", "--help-all"], "  size         Count the nodes."),
        (["-m", "expectitree", "sizes", "x"], "did you mean"),
        (["-c", FROM_PYTHON], "risk: 3 nodes"),
    ],
)
def test_an_analysis_registers_in_one_row(folder: Path, words: list[str], shown: str) -> None:
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    assert shown in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
