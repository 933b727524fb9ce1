"""The playground in a real browser: a visitor types a tree, makes a mistake, and shares a link."""

from __future__ import annotations

import importlib.util
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from helpers import ROOT
from page.browser import MISSING, Browser

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(MISSING), reason=f"no {MISSING}"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="no npm, which downloads Pyodide"),
]
TREE = "max:\n  sure: 3\n  bold: {chance: [{p: 0.25, utility: 20}, {p: 0.75, utility: 0}]}\n"
READY = (
    "return document.querySelector('#status').textContent === 'Ready'"
    " && !document.querySelector('#shown').classList.contains('old')"
)


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("playground")
    spec = importlib.util.spec_from_file_location(
        "build", ROOT / "docs" / "playground" / "build.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.build(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()


@pytest.fixture
def browser(address: str) -> Iterator[Browser]:
    with Browser(1280, 850) as browser:
        visit(browser, address)
        yield browser


def visit(browser: Browser, address: str) -> None:
    browser.logs("browser"), browser.logs("performance")
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {"url": address})
    browser.wait(READY, 90)


def type_text(browser: Browser, text: str) -> None:
    browser.click("#text")
    browser.run("document.querySelector('#text').value = ''")
    browser.press(*text)


def shown(browser: Browser) -> str:
    return str(browser.run("return document.querySelector('#shown').innerText"))


def problems(browser: Browser) -> str:
    return str(browser.run("return document.querySelector('#problems').innerText"))


def test_a_visitor_types_a_tree_then_a_mistake_and_reopens_the_shared_link(
    browser: Browser, address: str
) -> None:
    type_text(browser, TREE)
    browser.wait("return document.querySelector('#shown').innerText.includes('MAX 5')", 20)
    assert "bold" in shown(browser)

    browser.press("x", ":")
    browser.wait("return document.querySelector('#problems').innerText.includes('line 4')", 20)
    browser.press("\ue003", "\ue003")  # backspace
    browser.wait(READY, 20)

    for view in ("picture", "replay", "compare"):
        browser.click(f"[data-view={view}]")
        browser.wait(READY, 20)
    assert "expectiminimax" in shown(browser)
    browser.click("#share")
    browser.wait("return location.hash.includes('tree=')")
    link = str(browser.run("return location.href"))
    requests = browser.requests()
    assert requests
    host = address.removesuffix("index.html")
    assert all(r.startswith((host, "data:", "about:", "chrome:")) for r in requests), requests

    visit(browser, link)
    assert browser.run("return document.querySelector('#text').value") == TREE
    assert "expectiminimax" in shown(browser)
    assert [log for log in browser.logs("browser") if log["level"] == "SEVERE"] == []


def test_the_replay_runs_in_the_playground(browser: Browser) -> None:
    browser.click("[data-view=replay]")
    browser.wait(READY, 20)
    frame = browser.call("POST", "/element", {"using": "css selector", "value": "#shown iframe"})
    browser.call("POST", "/frame", {"id": frame})
    browser.wait("return document.body.innerText.includes('step 0 of')", 20)
    browser.press(" ")
    assert "violates" not in str(browser.logs("browser"))


def test_a_damaged_link_and_too_large_a_tree_get_a_message(browser: Browser, address: str) -> None:
    visit(browser, f"{address}#tree=%%%")
    assert "the link is damaged" in problems(browser)
    script = "const t = document.querySelector('#text'); t.value = arguments[0];"
    browser.run(f"{script} t.dispatchEvent(new Event('input'))", "# " + "x" * 300_000)
    browser.wait("return document.querySelector('#status').textContent === 'Not a tree yet'", 20)
    assert "the playground takes 200,000" in problems(browser)


def test_it_fits_a_phone(address: str) -> None:
    with Browser(390, 800) as browser:
        browser.command(
            "Emulation.setDeviceMetricsOverride",
            width=390, height=800, deviceScaleFactor=2, mobile=True,
        )  # fmt: skip
        visit(browser, address)
        assert browser.run("return document.documentElement.scrollWidth") <= 390
