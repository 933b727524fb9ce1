"""`expectitree edit`: only the page itself is answered, and only the file is written."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from editor.example import TEXT
from helpers import run_main

from expectitree.editor.server import TYPES, Server


def send(
    server: Server, path: str, asked: Any = None, method: str = "POST", **headers: str | None
) -> tuple[int, str, dict[str, str]]:
    """Send a request as the page does, unless a header says otherwise; None leaves one out."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    usual = {"Host": f"127.0.0.1:{server.server_port}", "Origin": server.origin}
    found = {key: value for key, value in {**usual, **headers}.items() if value is not None}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    content = json.dumps(asked).encode() if method == "POST" else b""
    for name, value in {**found, "Content-Length": str(len(content))}.items():
        connection.putheader(name, value)
    connection.endheaders(content)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, dict(answer.getheaders())


def ask(server: Server, question: str, **asked: Any) -> Any:
    status, text, _ = send(server, f"/{server.secret}/{question}", asked)
    assert status == 200
    return json.loads(text)


def test_the_page_and_its_files_are_served_with_a_policy(server: Server) -> None:
    for name in ("", *TYPES):
        status, text, headers = send(server, f"/{server.secret}/{name}", method="GET", Origin=None)
        assert status == 200
        assert text
        assert "slot" not in text[:2000]
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in headers
    assert send(server, f"/{server.secret}/passwd", method="GET", Origin=None)[0] == 404


@pytest.mark.parametrize("question", ["open", "ask", "save", "stamp", ""])
def test_a_request_from_elsewhere_is_refused(server: Server, question: str) -> None:
    own = f"/{server.secret}/{question}"
    asked = {"text": "max: [9]", "stamp": server.stamp(), "view": "tree"}
    for path, headers in (
        (f"/{question}", {}),
        (f"/{'x' * 32}/{question}", {}),
        (f"/{server.secret}x/{question}", {}),
        (own, {"Origin": "http://127.0.0.1:1"}),
        (own, {"Origin": "null"}),
        (own, {"Origin": "https://example.com"}),
        (own, {"Host": "example.com"}),
        (own, {"Host": f"localhost.example.com:{server.server_port}"}),
        (own, {"Host": None}),
    ):
        for method in ("POST", "GET"):
            if method == "POST" or question == "":
                status, text, _ = send(server, path, asked, method, **headers)
                assert (status, "whole link" in text) == (403, True), (path, headers)
    assert send(server, own, asked, Origin=None)[0] == 403
    assert Path(server.file).read_text() == TEXT


def test_it_listens_on_the_loopback_address_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert len(server.secret) >= 32


def test_a_text_is_shown_changed_and_saved(server: Server) -> None:
    opened = ask(server, "open")
    assert opened["text"] == TEXT
    view = ask(server, "ask", text=TEXT, view="picture", algorithm="", theme="light")
    assert view["svg"].startswith("<svg")
    assert (view["algorithm"], len(view["nodes"])) == ("expectiminimax", 5)
    node = ask(server, "ask", text=TEXT, path="a")["node"]
    assert (node["kind"], node["utility"], node["label"]) == ("TERMINAL", "3", "a")
    changed = ask(server, "ask", text=TEXT, path="a", change=["utility", "7"])["changed"]
    assert changed == TEXT.replace("3", "7")
    saved = ask(server, "save", text=changed, stamp=opened["stamp"])
    assert saved["saved"]
    assert Path(server.file).read_text() == changed
    assert ask(server, "stamp")["stamp"] == saved["stamp"] != opened["stamp"]


def test_a_file_that_changed_is_not_replaced(server: Server) -> None:
    stamp = ask(server, "open")["stamp"]
    Path(server.file).write_text("max: [1, 2]\n")
    answer = ask(server, "save", text="max: [5]\n", stamp=stamp)
    assert not answer["saved"]
    assert Path(server.file).read_text() == "max: [1, 2]\n"
    assert ask(server, "save", text="max: [5]\n", stamp=answer["stamp"])["saved"]
    Path(server.file).unlink()
    assert "No such file" in ask(server, "open")["problems"][0]["message"]


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        (b"max:\r\n  a: 3\r\n", ("3", "4"), b"max:\r\n  a: 4\r\n"),
        (b"\xef\xbb\xbfmax:\r\n  a: 3\r\n", ("3", "4"), b"\xef\xbb\xbfmax:\r\n  a: 4\r\n"),
        (b"max: [1, 2]\r\n# a\n# b\n", ("# a", "# c"), b"max: [1, 2]\r\n# c\r\n# b\n"),
        (b"# a\nmax: [1, 2]\r\n# b\r\n", ("1", "3\n"), b"# a\nmax: [3\n, 2]\n# b\r\n"),
        (b"# a\rmax: [1, 2]\r# b", ("b", "c"), b"# a\rmax: [1, 2]\r# c"),
        (b"# a\nmax: [1, 2]\r", ("# a\n", ""), b"max: [1, 2]\r"),
        (b"\r\n\nmax: [1]", ("1]", "1]\n"), b"\r\n\nmax: [1]\r\n"),
        (b"max: [1]", ("1]", "1]\n# end\n"), b"max: [1]\n# end\n"),
    ],
)
def test_lines_that_nobody_edited_and_a_byte_order_mark_stay(
    server: Server, before: bytes, changes: tuple[str, str], after: bytes
) -> None:
    Path(server.file).write_bytes(before)
    opened = ask(server, "open")
    assert "\r" not in opened["text"]
    saved = ask(server, "save", text=opened["text"], stamp=opened["stamp"])
    assert Path(server.file).read_bytes() == before
    ask(server, "save", text=opened["text"].replace(*changes), stamp=saved["stamp"])
    assert Path(server.file).read_bytes() == after


def test_a_request_from_elsewhere_is_refused_before_its_body_is_read(server: Server) -> None:
    for length in ("-1", "0", "1000000000000", "none"):
        head = f"POST /x/ HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n"
        assert status_of(server, head.encode()) == 403


@pytest.mark.parametrize(
    ("length", "content", "status"),
    [
        ("-1", b"{}", 400),
        ("none", b"{}", 400),
        ("9" * 5000, b"{}", 400),
        ("20000001", b"", 413),
        ("9" * 30, b"", 413),
        (None, b"", 400),
        ("0", b"", 400),
        ("5", b"max: ", 400),
        ("3", b'"\xff"', 400),
        ("100000", b"[" * 100_000, 400),
        ("600000", b'{"a":' * 120_000, 400),
        ("4", b"null", 400),
        ("2", b"{}", 200),
    ],
)
def test_every_request_of_the_page_gets_an_answer(
    server: Server, length: str | None, content: bytes, status: int
) -> None:
    head = f"POST /{server.secret}/stamp HTTP/1.1\r\nHost: {server.origin[7:]}\r\n"
    head += f"Origin: {server.origin}\r\n"
    if length is not None:
        head += f"Content-Length: {length}\r\n"
    assert status_of(server, head.encode() + b"\r\n" + content) == status


def status_of(server: Server, request: bytes) -> int:
    """Send the bytes of a request, and keep the connection open until it is answered."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as connection:
        connection.sendall(request)
        return int(connection.recv(4096).split()[1])


@pytest.mark.parametrize(
    ("text", "view", "words"),
    [
        ("max: {a: {min: [1, 2]}, b: 3}", "tree", "star1"),
        (TEXT, "risk", "worst 5%"),
        (TEXT, "sensitivity", "parameter"),
        (TEXT, "information", "event: NAME"),
        (TEXT, "compare", "expectiminimax"),
        ("chance: {event: e, chance: [1]}", "tree", "keys of a node without a kind"),
        ("max: [1, }", "tree", "this is not YAML"),
        ("max: {a: {min: [1, 2]}, b: {utility: '?'}}", "picture", "1 utility not known yet"),
        ("max: {a: {min: [1, 2]}, b: {utility: '?'}}", "tree", "expectitree ask"),
        ("", "tree", "the editor is empty"),
        ("{" * 2000, "tree", "nests"),
    ],
)
def test_every_text_gets_an_answer(server: Server, text: str, view: str, words: str) -> None:
    answer = ask(server, "ask", text=text, view=view, algorithm="", theme="light")
    assert words in json.dumps(answer)


@pytest.mark.slow
def test_it_prints_the_link_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    path = tmp_path / "tree.yaml"
    path.write_text(TEXT)
    words = [sys.executable, "-m", "expectitree", "edit", "--no-browser", str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        link = process.stdout.readline().decode()
        assert link.startswith("http://127.0.0.1:")
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 0
        assert b"Traceback" not in process.stderr.read()  # type: ignore[union-attr]


def test_a_port_that_is_taken_is_refused(server: Server) -> None:
    done = run_main("edit", "--no-browser", "--port", str(server.server_port), server.file)
    assert done.status == 2
    assert f"port {server.server_port} cannot be used: Address already in use\n" in done.err
