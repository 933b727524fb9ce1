"""An editor of a file that was just written."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from editor.example import TEXT

from expectitree.editor.server import Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    path = tmp_path / "tree.yaml"
    path.write_text(TEXT)
    server = Server(str(path))
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
    yield server
    server.shutdown()
    server.server_close()
