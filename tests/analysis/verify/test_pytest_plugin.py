"""The pytest plugin, as another project would use it: in a pytest process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from helpers import ROOT

PLUGINS = ("-p", "expectitree.analysis.verify.pytest_plugin", "-p", "no:cacheprovider")
TREE = "expect: {value: 4, best: b}\nmax: {a: 1, b: 3}\n"


def run_pytest(folder: Path, *words: str) -> str:
    # The entry point is that of the installed package; -p loads the plugin where it is not.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *PLUGINS, *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\nexpectitree_files = trees/*.yaml\n")
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "one.yaml").write_text(TREE)
    (tmp_path / "other.yaml").write_text("no: tree\n")
    return tmp_path


def test_every_expectation_of_a_matching_file_is_a_test(folder: Path) -> None:
    output = run_pytest(folder, "-v")
    assert "trees/one.yaml::value FAILED" in output
    assert "trees/one.yaml::best PASSED" in output
    assert "value: expected 4, found 3" in output
    assert "1 failed, 1 passed" in output
    assert "Traceback" not in output


def test_a_test_has_the_line_of_its_expectation(folder: Path) -> None:
    (folder / "trees" / "one.yaml").write_text(
        "expect:\n  value: 4\n  best: b\nmax: {a: 1, b: 3}\n"
    )
    output = run_pytest(folder, "--junit-xml=report.xml", "-o", "junit_family=xunit1")
    assert "\ntrees/one.yaml:2: value: expected 4, found 3" in output
    cases = ElementTree.parse(folder / "report.xml").iter("testcase")
    assert [(case.get("file"), case.get("line")) for case in cases] == [
        ("trees/one.yaml", "1"),  # pytest counts from 0 there
        ("trees/one.yaml", "2"),
    ]


def test_a_file_named_on_the_command_line_is_collected(folder: Path) -> None:
    (folder / "named.yaml").write_text(TREE.replace("4", "3"))
    assert "2 passed" in run_pytest(folder, "named.yaml")


def test_an_error_in_a_file_is_an_error_of_the_collection(folder: Path) -> None:
    (folder / "trees" / "one.yaml").write_text("max: [1, x]\n")
    output = run_pytest(folder)
    assert "one.yaml:1:10" in output
    assert "1 error" in output
    assert "Traceback" not in output


def test_a_tree_with_unknown_utilities_cannot_be_checked(folder: Path) -> None:
    (folder / "trees" / "one.yaml").write_text("expect: {value: 1}\nmax: [{utility: '?'}]\n")
    assert "1 error" in run_pytest(folder)


def test_the_shipped_trees_pass() -> None:
    output = run_pytest(
        ROOT / "trees", "-q", "-c", os.devnull, "-o", "expectitree_files=*.yaml *.json"
    )
    assert " passed" in output
    assert "failed" not in output


def test_other_yaml_files_named_on_the_command_line_are_left_alone(folder: Path) -> None:
    (folder / "compose.yaml").write_text("services: {web: {image: x}}\n")
    output = run_pytest(folder, "compose.yaml")
    assert "no tests ran" in output
    assert "services" not in output
