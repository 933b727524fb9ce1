"""Serve the editor of one file to the browser of this machine, and to no other page.

A page of another origin may send requests to this address, but it knows neither the secret in the
link nor the origin that a browser names for it. It cannot read an answer: no header allows that.
"""

from __future__ import annotations

import json
import re
import secrets
from codecs import BOM_UTF8
from contextlib import suppress
from difflib import SequenceMatcher
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Lock

from expectitree.base.errors import ExpectitreeError
from expectitree.base.tree.builder import TreeBuilder
from expectitree.editor.answers import Answer, about, answer
from expectitree.files.sources import decode
from expectitree.files.writing import OutputFile, whole_file
from expectitree.page import to_html

HOST = "127.0.0.1"  # no other machine reaches it
PAGE = "editor.html"
TYPES = {
    PAGE: "text/html",
    "editor.css": "text/css",
    "editor.js": "text/javascript",
    "text.js": "text/javascript",
    "transport.js": "text/javascript",
    "codemirror.js": "text/javascript",
}
_MAX_REQUEST = 20_000_000  # bytes; a longer one is not read
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def front_page(text: str = "", picture: str = "") -> str:
    """Return the page, with a policy that also allows the script and the style of a replay.

    The page shows a text and a picture before its script runs. A page in an iframe inherits the
    policy. Its script and style are the same for every tree.
    """
    page, tree = files(__package__).joinpath(PAGE).read_text("utf-8"), TreeBuilder()
    replay = to_html(tree.build(tree.max([1, 2])), ["star1"])
    slots = {"text": text, "picture": picture}
    for kind in ("script", "style"):
        digest = re.search(rf"{kind}-src ('sha256-[^']+')", replay)
        assert digest is not None
        slots[f"{kind}s"] = digest[1]
    for name, content in slots.items():
        page = page.replace(f"<!-- slot: {name} -->", content)
    return page


class Server(ThreadingHTTPServer):
    """The editor of one file."""

    daemon_threads = True  # a long answer does not delay the end

    def __init__(self, file: str, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.file = file
        self.secret = secrets.token_urlsafe(24)
        self.origin = f"http://{HOST}:{self.server_port}"
        self.turn = Lock()  # questions are answered one after another
        self.content = b""  # of the file, when it was opened or saved

    @property
    def address(self) -> str:
        """The link to the page."""
        return f"{self.origin}/{self.secret}/"

    def handle_error(self, *_: object) -> None:
        """Ignore a connection that the browser closed."""

    def stamp(self) -> str:
        """Return a text that changes if the file is edited or replaced."""
        return str(OutputFile(self.file).seen)

    def open(self) -> Answer:
        """Return the text of the file, and what the page needs once."""
        stamp = self.stamp()
        self.content = Path(self.file).read_bytes()
        text = re.sub("\r\n?", "\n", decode(self.content, self.file))
        return {**about(), "file": self.file, "text": text, "stamp": stamp}

    def save(self, text: str, stamp: str) -> Answer:
        """Write the text to the file, unless another program changed that since `stamp`."""
        file = OutputFile(self.file)
        if str(file.seen) == stamp:
            content = _with_line_ends(text, self.content)
            with whole_file(file) as stream:
                stream.write(content)
            self.content = content
        return {"stamp": self.stamp(), "saved": str(file.seen) == stamp}


def _with_line_ends(text: str, content: bytes) -> bytes:
    """Return a text as a file's new content: lines that are as before end as before.

    A new line ends as the first line of the old content. A byte order mark stays.
    """
    mark = BOM_UTF8 * content.startswith(BOM_UTF8)
    ends = re.findall(rb"\r\n?|\n", content) or [b"\n"]
    after = text.encode().splitlines(keepends=True)
    lines = [line.replace(b"\n", ends[0]) for line in after]
    if len(set(ends)) > 1:  # otherwise, finding the lines that stay would be a waste of time
        before = content.removeprefix(mark).splitlines(keepends=True)
        plain = [re.sub(rb"\r\n?", b"\n", line) for line in before]
        for i, j, size in SequenceMatcher(None, plain, after).get_matching_blocks():
            lines[j : j + size] = before[i : i + size]
    return mark + b"".join(lines)


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 60  # seconds for one request

    def do_GET(self) -> None:
        if self.is_allowed(self.headers["Origin"] or self.server.origin):
            name = self.path.rpartition("/")[2] or PAGE
            if name not in TYPES:
                self.send(404, "text/plain", "there is no such page here\n")
                return
            text = files(__package__).joinpath(name).read_text("utf-8")
            if name == PAGE:
                text = front_page()
            self.send(200, TYPES[name], text)

    def do_POST(self) -> None:
        if not self.is_allowed(self.headers["Origin"]):  # before anything else is read
            return
        status, asked = 400, None
        with suppress(ValueError, RecursionError):  # not a number, not UTF-8, or not JSON
            length = int(self.headers["Content-Length"] or 0)
            if length > _MAX_REQUEST:
                status = 413
            elif length >= 0:
                asked = json.loads(self.rfile.read(length))
        if not isinstance(asked, dict):
            self.send(status, "text/plain", f"expected JSON of up to {_MAX_REQUEST:,} bytes\n")
            return
        try:
            answer = self.found(self.path.rpartition("/")[2], asked)
        except Exception as error:  # the page shows a defect; without an answer, it would wait
            message = str(error)
            if not isinstance(error, (ExpectitreeError, OSError)):
                message = f"a defect of expectitree: {type(error).__name__}: {error}"
            answer = {"problems": [{"message": message}]}
        self.send(200, "application/json", json.dumps(answer))

    def found(self, question: str, asked: Answer) -> Answer:
        server = self.server
        if question == "stamp":
            return {"stamp": server.stamp()}
        with server.turn:
            if question == "open":
                return server.open()
            if question == "save":
                return server.save(asked["text"], asked["stamp"])
            return answer(asked, server.file)

    def is_allowed(self, origin: str | None) -> bool:
        """Return whether a request comes from the page itself; otherwise refuse it."""
        server = self.server
        own_host = f"{HOST}:{server.server_port}"
        secret = self.path.removeprefix("/").rpartition("/")[0]
        is_known = secrets.compare_digest(secret.encode(), server.secret.encode())
        if is_known and origin == server.origin and self.headers["Host"] == own_host:
            return True
        self.send(403, "text/plain", "open the whole link that `expectitree edit` printed\n")
        return False

    def send(self, status: int, type: str, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{type}; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        pass
