"""The playground in a real browser: a visitor types a tree, makes a mistake, and shares a link."""

from __future__ import annotations

import base64
import importlib.util
import json
import re
import shutil
import threading
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import quote

import pytest
from files.bad_cases import CASES
from helpers import ROOT
from page.browser import NEEDS_BROWSER, Browser

from expectitree.base.tables import COMMANDS
from expectitree.editor.answers import answer
from expectitree.picture.marks import THEMES

pytestmark = [
    pytest.mark.slow,
    NEEDS_BROWSER,
    pytest.mark.skipif(shutil.which("npm") is None, reason="no npm, which downloads Pyodide"),
]
TREE = "max:\n  sure: 3\n  bold: {chance: [{p: 0.25, utility: 20}, {p: 0.75, utility: 0}]}\n"
PLAYGROUND = ROOT / "docs" / "playground"
DEEP = '{"max":[' * 1500 + "1" + "]}" * 1500
READY = (
    "return document.querySelector('#status').textContent === 'Ready'"
    " && !document.querySelector('#shown').classList.contains('old')"
)


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def module_of_playground(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, PLAYGROUND / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("playground")
    module_of_playground("build").build(folder)
    return folder


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Silent, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[tuple[Browser, str]]:
    """A browser with the playground, whose Python starts in ten seconds, and its first text."""
    with Browser(1280, 850) as browser:
        visit(browser, address)
        yield browser, str(browser.run("return document.querySelector('#text').value"))


@pytest.fixture
def browser(page: tuple[Browser, str], request: pytest.FixtureRequest) -> Browser:
    """The browser as after a visit; the text begins with the name of the test."""
    browser, first = page
    browser.call("POST", "/frame", {"id": None})
    browser.command("Emulation.clearDeviceMetricsOverride")
    browser.command("Emulation.setEmulatedMedia", features=[])
    text = f"# {request.node.name}\n{first}"
    follow(browser, link(text, view="tree", a=""))
    browser.wait(f"return document.querySelector('#text').value === {json.dumps(text)}", 30)
    browser.wait(READY, 90)
    browser.logs("browser"), browser.logs("performance")
    return browser


def visit(browser: Browser, address: str) -> None:
    browser.logs("browser"), browser.logs("performance")
    browser.call("POST", "/url", {"url": "about:blank"})
    browser.call("POST", "/url", {"url": address})
    browser.wait(READY, 90)


def link(text: str | bytes, **parameters: str) -> str:
    parameters = {"view": "tree", **parameters}
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text if isinstance(text, bytes) else text.encode()) + packer.flush()
    tree = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return "#" + "&".join([f"tree={tree}", *(f"{k}={v}" for k, v in parameters.items())])


def follow(browser: Browser, hash: str) -> None:
    browser.run("location.hash = arguments[0]", hash)


def set_text(browser: Browser, text: str) -> None:
    browser.run("document.querySelector('#text').value = arguments[0]", text)


def wait_for_problem(browser: Browser, words: str) -> None:
    script = "return document.querySelector('#problems').innerText.includes"
    browser.wait(f"{script}({json.dumps(words)})", 30)


def wait_for_text(browser: Browser, words: str) -> None:
    browser.wait(f"return document.querySelector('#shown').innerText.includes('{words}')", 90)


def choose_algorithm(browser: Browser, name: str) -> None:
    script = "const a = document.querySelector('#algorithm'); a.value = arguments[0];"
    browser.run(f"{script} a.dispatchEvent(new Event('change'))", name)


def enter_replay(browser: Browser) -> None:
    frame = browser.call("POST", "/element", {"using": "css selector", "value": "#shown iframe"})
    browser.call("POST", "/frame", {"id": frame})
    browser.wait("return document.body.innerText.includes('step 0 of')", 20)


def type_text(browser: Browser, text: str) -> None:
    """Type a text without its indentation, which the editor adds."""
    browser.click("#text")
    browser.run("document.querySelector('#text').value = ''")
    browser.press(*re.sub(r"\n +", "\n", text))


def shown(browser: Browser) -> str:
    return str(browser.run("return document.querySelector('#shown').innerText"))


def problems(browser: Browser) -> str:
    return str(browser.run("return document.querySelector('#problems').innerText"))


def test_a_visitor_types_a_tree_then_a_mistake_and_reopens_the_shared_link(
    browser: Browser, address: str
) -> None:
    visit(browser, address)
    browser.click("[data-view=tree]")
    type_text(browser, TREE.rstrip())
    browser.wait("return document.querySelector('#shown').innerText.includes('MAX 5')", 20)
    assert "bold" in shown(browser)

    browser.press("Enter", "x", ":")
    browser.wait("return document.querySelector('#problems').innerText.includes('line 4')", 20)
    browser.press(*4 * "\ue003")  # backspace
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
    assert browser.run("return document.querySelector('#text').value") == TREE.rstrip()
    assert "expectiminimax" in shown(browser)
    assert [log for log in browser.logs("browser") if log["level"] == "SEVERE"] == []


def test_a_damaged_link_and_too_large_a_tree_get_a_message(browser: Browser, address: str) -> None:
    visit(browser, f"{address}#tree=%%%")
    assert "the link is damaged" in problems(browser)
    set_text(browser, "# " + "x" * 300_000)
    browser.wait("return document.querySelector('#status').textContent === 'Not a tree yet'", 20)
    assert "more than 200,000 characters" in problems(browser)


def test_a_link_that_unpacks_to_a_huge_text_is_refused(browser: Browser) -> None:
    text = browser.run("return document.querySelector('#text').value")
    follow(browser, link(b"#" + b"x" * 200_000_000))
    wait_for_problem(browser, "more than 200,000 characters")
    assert browser.run("return document.querySelector('#text').value") == text
    follow(browser, link("max: [1, 2]"))
    wait_for_text(browser, "MAX 2")
    assert problems(browser) == ""


def test_a_note_about_a_link_goes_with_the_next_text_link_or_example(browser: Browser) -> None:
    damaged = "the link is damaged"
    follow(browser, "#tree=!!!")
    wait_for_problem(browser, damaged)
    follow(browser, link("max: [1, 20]", view="tree"))
    wait_for_text(browser, "MAX 20")
    assert problems(browser) == ""
    browser.click("[data-view=compare]")
    wait_for_text(browser, "expectiminimax")
    assert problems(browser) == ""

    follow(browser, link(b"max: [1,\xff]"))
    wait_for_problem(browser, damaged)
    set_text(browser, "max: [1, 30]")
    browser.click("[data-view=tree]")
    wait_for_text(browser, "MAX 30")
    assert problems(browser) == ""

    follow(browser, "#tree=%%%")
    wait_for_problem(browser, damaged)
    script = "const e = document.querySelector('#examples'); e.selectedIndex = 1;"
    browser.run(f"{script} e.dispatchEvent(new Event('change'))")
    browser.wait("return !document.querySelector('#problems').innerText", 20)


def test_a_link_names_its_algorithm_in_any_case_and_an_unknown_one_is_the_default(
    browser: Browser, address: str
) -> None:
    def algorithm() -> Any:
        return browser.run("return document.querySelector('#algorithm').value")

    for named, expected in (("nope", "expectiminimax"), ("STAR2", "star2"), ("", "expectiminimax")):
        follow(browser, link("max: [1, 2]", a=named))
        browser.wait(f"return document.querySelector('#algorithm').value === '{expected}'")
        if named:
            visit(browser, address + link("max: [1, 2]", a=named))
        assert (algorithm(), problems(browser)) == (expected, "")
        is_described = f"algorithm {expected}" in shown(browser)
        assert is_described == (expected == "star2")  # a search that prunes, as in the terminal


def test_arrow_keys_in_the_list_of_examples_only_pass_and_an_example_can_be_undone(
    browser: Browser,
) -> None:
    first = browser.run("return document.querySelector('#text').value")
    browser.run("document.querySelector('#examples').focus()")
    browser.press("Home", "Down", "Down", "Down")
    assert browser.run("return document.querySelector('#text').value") == first
    browser.press("Enter")
    third = browser.run("return document.querySelector('#examples').value")
    assert browser.run("return document.querySelector('#text').value") == third
    browser.wait(READY, 20)
    browser.click("#undo")
    assert browser.run("return document.querySelector('#text').value") == first


def test_json_that_nests_too_deeply_gets_a_message(browser: Browser) -> None:
    browser.click("[data-view=tree]")
    for text in (DEEP, DEEP[: len(DEEP) // 2]):
        set_text(browser, text)
        wait_for_problem(browser, "nests more than 300 nodes")
        set_text(browser, "max: [1, 2]")
        browser.wait(READY, 20)
    brackets = json.dumps({"max": {"[" * 1000: 1, '\\"' + "{" * 1000: 40}})
    set_text(browser, brackets)
    wait_for_text(browser, "MAX 40")
    assert [log for log in browser.logs("browser") if log["level"] == "SEVERE"] == []


def test_python_restarts_after_a_fatal_error_and_does_not_ask_the_same_again(
    folder: Path, address: str
) -> None:
    broken = folder / "broken"
    shutil.copytree(folder, broken)
    with (
        zipfile.ZipFile(folder / "packages.zip") as source,
        zipfile.ZipFile(broken / "packages.zip", "w") as target,
    ):
        for name in source.namelist():
            data = source.read(name)
            if name == "expectitree/editor/answers.py":
                data = data.replace(b"2 * MAX_NESTED + 100", b"10**6")
            target.writestr(name, data)
    with Browser(1280, 850) as browser:
        visit(browser, address.replace("index.html", "broken/index.html"))
        set_text(browser, DEEP)
        wait_for_problem(browser, "the browser's Python failed")
        browser.wait("return document.querySelector('#status').textContent === 'Ready'", 90)
        assert "the browser's Python failed" in problems(browser)
        browser.click("[data-view=tree]")
        set_text(browser, "max: [1, 50]")
        wait_for_text(browser, "MAX 50")
        assert problems(browser) == ""


def test_the_replay_opens_with_the_chosen_algorithm(browser: Browser) -> None:
    browser.click("[data-view=replay]")
    for name in ("star2", "expectiminimax", "best-first"):
        choose_algorithm(browser, name)
        browser.wait(READY, 20)
        enter_replay(browser)
        chosen = "return document.querySelector('#algorithm').selectedOptions[0].text"
        assert browser.run(chosen) == name
        assert browser.run("return document.querySelector('#algorithm').length") == 6
        browser.press(" ")
        browser.call("POST", "/frame", {"id": None})
    assert "violates" not in str(browser.logs("browser"))


def test_the_tree_and_all_buttons_of_the_replay_are_in_view(browser: Browser) -> None:
    for width, height in ((1300, 900), (900, 700), (390, 800)):
        browser.command(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 500,
        )  # fmt: skip
        for view in ("tree", "replay"):
            browser.click(f"[data-view={view}]")
            browser.wait(READY, 20)
        enter_replay(browser)
        bottom = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
        player = "return document.querySelector('#player').getBoundingClientRect().top"
        browser.wait("return document.querySelectorAll('#tree .TERMINAL').length === 8")
        leaves = browser.run(
            "return Math.max(...[...document.querySelectorAll('#tree .TERMINAL .shape')]"
            ".map((leaf) => leaf.getBoundingClientRect().bottom))"
        )
        assert leaves <= browser.run(bottom, "#tree") <= browser.run(bottom, ".tools")
        assert browser.run(bottom, ".tools") <= browser.run(player) + 1
        assert browser.run(bottom, "#present") <= browser.run("return innerHeight")
        browser.call("POST", "/frame", {"id": None})


def test_the_picture_is_dark_where_the_page_is(browser: Browser) -> None:
    browser.click("[data-view=picture]")
    back = set()
    for scheme in ("light", "dark"):
        browser.command(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        paper = THEMES[scheme]["paper"]
        browser.wait(
            f"return document.querySelector('#shown img')?.src.includes('{quote(paper)}')", 20
        )
        back.add(paper)
    assert len(back) == 2


def test_messages_name_only_what_a_visitor_can_do() -> None:
    asked = {"algorithm": "star1", "theme": "light"}
    texts = [case.text for name, case in CASES.items() if name.endswith((".yaml", ".json"))]
    found = {
        problem["message"]
        for text in [*texts, "", "# x", 'max: [{utility: "?"}, 1]', "max: [1e400, 1]", DEEP]
        for view in ("tree", "picture", "compare", "replay")
        for problem in answer({"text": text, "view": view, **asked}).get("problems", [])
    }
    assert len(found) > 200
    for message in found:
        named = set(re.findall(r"expectitree (\w+)", message))
        assert named <= COMMANDS.keys()
        assert "command line" in message or not (named or "--" in message)


def test_it_fits_a_phone(address: str) -> None:
    with Browser(390, 800) as browser:
        browser.command(
            "Emulation.setDeviceMetricsOverride",
            width=390, height=800, deviceScaleFactor=2, mobile=True,
        )  # fmt: skip
        visit(browser, address)
        assert browser.run("return document.documentElement.scrollWidth") <= 390
