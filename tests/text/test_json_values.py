"""Texts in JSON: what a strict reader accepts, and what a terminal shows without harm."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from helpers import invoke

from expectitree.text.json_values import dumps


@pytest.mark.parametrize("text", ["a\x1b[31m", "\x7f\x80\x9b1m", "größer ≥ 😀", 'a\\"b\n'])
def test_a_text_is_read_back_and_cannot_control_the_terminal(text: str) -> None:
    written = dumps({text: [text]})
    assert json.loads(written) == {text: [text]}
    assert not [c for c in written if ord(c) < 32 or 127 <= ord(c) < 160]


def test_a_lone_surrogate_is_escaped_as_in_text() -> None:
    written = dumps({"file": "\udcff\udcfe.yaml"})
    assert written == r'{"file": "\\udcff\\udcfe.yaml"}'
    assert json.loads(written)["file"] == r"\udcff\udcfe.yaml"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such file names")
@pytest.mark.parametrize("command", ["eval", "compare", "verify", "trace"])
def test_a_file_name_that_is_not_utf8(command: str, tmp_path: Path) -> None:
    file = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.yaml")
    Path(file).write_text("max: [1, 2]\nexpect: {value: 2}")
    done = invoke(command, file, "--format", "json")
    assert done.exit_code == 0
    for line in done.stdout.splitlines():
        json.dumps(json.loads(line), ensure_ascii=False).encode()
    assert r"\\udcff.yaml" in done.stdout
