"""A real browser without a window: Chromium, through chromedriver (W3C WebDriver, JSON over HTTP).

The tests need so few commands that no client library is necessary.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars",
)  # fmt: skip
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
_MISSING = " and ".join(
    name for name, found in (("chromium", BROWSER), ("chromedriver", DRIVER)) if found is None
)
NEEDS_BROWSER = pytest.mark.skipif(
    bool(_MISSING), reason=f"no {_MISSING} here: apt-get install chromium chromium-driver"
)
KEYS = {
    "Left": "\ue012", "Right": "\ue014", "Up": "\ue013", "Down": "\ue015", "Home": "\ue011",
    "End": "\ue010", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004", "Space": " ",
    "Control": "\ue009", "Shift": "\ue008",
}  # fmt: skip
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def start_driver() -> tuple[subprocess.Popen[str], str]:
    """Start chromedriver, and return its process and its port.

    It exits if the free port that it found for IPv4 is taken for IPv6, so it may need another try.
    """
    for _ in range(5):
        driver = subprocess.Popen(
            [str(DRIVER), "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert driver.stdout is not None
        for line in driver.stdout:
            started = re.search(r"on port ([1-9]\d*)", line)
            if started:
                return driver, started[1]
        driver.stdout.close()
        driver.wait(10)
    raise AssertionError("chromedriver did not start, five times")


class Browser:
    """One window, closed at the end of its `with`."""

    def __init__(self, width: int = 1280, height: int = 800, *flags: str) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True)
        self.driver, port = start_driver()
        self.url = f"http://127.0.0.1:{port}/session"
        wanted = {
            "goog:chromeOptions": {
                "binary": BROWSER,
                "args": [
                    *FLAGS,
                    f"--user-data-dir={self.profile.name}",
                    f"--window-size={width},{height}",
                    *flags,
                ],
            },
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        try:
            found = self.call("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self.driver.kill()
            raise
        self.url += f"/{found['sessionId']}"

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(10)
            assert self.driver.stdout is not None
            self.driver.stdout.close()
            self.profile.cleanup()

    def call(self, method: str, path: str, data: Any = None) -> Any:
        """Send a command and return its result."""
        body = None if method != "POST" else json.dumps(data or {}).encode()
        request = urllib.request.Request(
            self.url + path, body, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                request, timeout=60
            ) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, page: Path) -> None:
        """Open a file."""
        self.logs("browser"), self.logs("performance")
        self.call("POST", "/url", {"url": page.as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """Run a script and return its result."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script: str, seconds: float = 10) -> Any:
        """Return the first true result of a script."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if found := self.run(script):
                return found
            time.sleep(0.02)
        raise AssertionError(f"not true within {seconds} s: {script}")

    def logs(self, kind: str) -> list[dict[str, Any]]:
        """Return the log since the last call: `browser` (the console) or `performance`."""
        found: list[dict[str, Any]] = self.call("POST", "/se/log", {"type": kind})
        return found

    def requests(self) -> list[str]:
        """Return every address that was requested since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.logs("performance")]
        return [
            m["params"]["request"]["url"]
            for m in messages
            if m["method"] == "Network.requestWillBeSent"
        ]

    def click(self, selector: str) -> None:
        """Click in the middle of an element, as a user does."""
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        try:
            self.call("POST", f"/element/{found[_ELEMENT]}/click")
        except AssertionError as error:
            if "stale element" not in str(error):
                raise
            self.click(selector)  # of the new element that has just taken its place

    def press(self, *keys: str) -> None:
        """Press keys one after another in the focused element; `Control+z` is one chord."""
        actions = []
        for key in keys:
            chord = key.split("+") if len(key) > 1 else [key]
            values = [KEYS.get(part, part) for part in chord]
            actions += [{"type": "keyDown", "value": value} for value in values]
            actions += [{"type": "keyUp", "value": value} for value in reversed(values)]
        self.call(
            "POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        )

    def command(self, name: str, **parameters: Any) -> Any:
        """Send a command of the DevTools."""
        return self.call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def screenshot(self, path: Path) -> None:
        """Write a picture of the window."""
        path.write_bytes(base64.b64decode(self.call("GET", "/screenshot")))

    def print(self, path: Path) -> None:
        """Write the printed page as PDF."""
        path.write_bytes(base64.b64decode(self.call("POST", "/print", {"background": True})))
