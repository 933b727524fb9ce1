"""Every session of the command line prints what its file says."""

from __future__ import annotations

from pathlib import Path

import pytest
from sessions import shell
from sessions.shell import sessions

SESSIONS = dict(sessions())


@pytest.mark.parametrize("name", SESSIONS)
def test_a_session_prints_what_its_file_says(name: str, tmp_path: Path) -> None:
    assert shell.rerun(SESSIONS[name], tmp_path) == SESSIONS[name]
