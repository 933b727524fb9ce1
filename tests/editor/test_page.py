"""The page of `expectitree edit` in a real Chromium, and a page of another origin beside it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from editor.example import TEXT
from page.browser import NEEDS_BROWSER, Browser

from expectitree.editor.server import Server

pytestmark = [
    pytest.mark.slow,
    NEEDS_BROWSER,
]
READY = (
    "return document.querySelector('#status').textContent === 'Ready'"
    " && !document.querySelector('#shown').classList.contains('old')"
)


@pytest.fixture
def browser(server: Server) -> Iterator[Browser]:
    with Browser(1280, 850) as browser:
        browser.call("POST", "/url", {"url": server.address})
        browser.wait(READY, 20)
        yield browser
        browser.run("document.querySelector('#text').value = arguments[0]", "max: [1]")
        assert "Content Security Policy" not in str(browser.logs("browser"))


def text_of(browser: Browser) -> str:
    return str(browser.run("return document.querySelector('#text').value"))


def wait_for_text(browser: Browser, text: str) -> None:
    browser.wait(f"return document.querySelector('#text').value === {json.dumps(text)}")
    browser.wait(READY)


def choose(browser: Browser, path: str) -> None:
    browser.wait(READY)
    browser.click(f".spot[data-path='{path}']")
    browser.wait("return !document.querySelector('#node').hidden")
    script = "return document.querySelector('#node .path').textContent === arguments[0]"
    browser.wait(script.replace("arguments[0]", json.dumps(path if path != "/" else "the root")))


def fill(browser: Browser, name: str, value: str) -> None:
    browser.run(
        "const field = document.querySelector('#node').elements[arguments[0]];"
        "field.value = arguments[1]; field.dispatchEvent(new Event('change'))",
        name, value,
    )  # fmt: skip


def press(browser: Browser, button: str) -> None:
    browser.run(
        "[...document.querySelectorAll('#node button')]"
        ".find((one) => one.textContent === arguments[0]).click()",
        button,
    )


def test_clicks_on_the_picture_change_the_text_and_keep_its_comments(browser: Browser) -> None:
    choose(browser, "a")
    line = "document.querySelector('#text').shadowRoot.querySelector('.cm-activeLine').textContent"
    assert browser.run(f"return {line}") == "  a: 3  # sure"
    fill(browser, "utility", "7")
    wait_for_text(browser, text := TEXT.replace("3", "7"))
    fill(browser, "label", "safe")
    wait_for_text(browser, text := text.replace("a:", "safe:"))
    choose(browser, "b")
    press(browser, "Add a child")
    wait_for_text(browser, text := text.replace("10]", "10, 0]"))
    browser.wait("return document.querySelector('#node .path').textContent === 'b/#3'")
    choose(browser, "b")
    fill(browser, "kind", "MIN")
    wait_for_text(browser, text := text.replace("chance", "min"))
    choose(browser, "b/#3")
    press(browser, "Remove")
    wait_for_text(browser, text := text.replace(", 0]", "]"))
    choose(browser, "safe")
    fill(browser, "utility", "1 + ")
    browser.wait("return document.querySelector('#refused').textContent.includes('1 +')")
    assert text_of(browser) == text
    choose(browser, "b")
    fill(browser, "kind", "TERMINAL")
    answer_question(browser, "accept")
    wait_for_text(browser, text.replace("{min: [0, 10]}", "{utility: 0}"))


FOCUSES = {  # where the focus is when the user undoes, and the keys of redo that are tried there
    "[name=label]": "Control+Shift+Z",
    "[name=kind]": "Control+y",
    "[name=add]": "Control+Shift+Z",
    "#undo": "Control+y",
    ".spot": "Control+Shift+Z",
    "body": "Control+y",
    "#text": "Control+Shift+Z",
}


def focus(browser: Browser, selector: str) -> None:
    if selector == "#text":
        browser.click(selector)
    else:
        browser.run(
            "document.activeElement.blur(); document.querySelector(arguments[0]).focus()", selector
        )


def is_off(browser: Browser, button: str) -> bool:
    return bool(browser.run(f"return document.querySelector('#{button}').ariaDisabled === 'true'"))


@pytest.mark.parametrize(("place", "redo"), FOCUSES.items())
def test_undo_and_redo_work_on_the_whole_text_wherever_the_focus_is(
    browser: Browser, place: str, redo: str
) -> None:
    assert is_off(browser, "undo")
    choose(browser, "b")
    press(browser, "Add a child")
    wait_for_text(browser, once := TEXT.replace("10]", "10, 0]"))
    choose(browser, "b")
    press(browser, "Add a child")
    wait_for_text(browser, twice := TEXT.replace("10]", "10, 0, 0]"))
    choose(browser, "b")
    focus(browser, place)
    for keys, text in ((redo, twice), ("Control+z", once), (redo, twice), ("Control+z", once)):
        browser.press(keys)
        wait_for_text(browser, text)
    browser.press("Control+z", "Control+z")
    wait_for_text(browser, TEXT)
    assert is_off(browser, "undo")


def test_the_buttons_undo_and_redo_and_the_form_follows(browser: Browser) -> None:
    choose(browser, "b")
    fill(browser, "label", "bold")
    wait_for_text(browser, named := TEXT.replace("b:", "bold:"))
    browser.click("#undo")
    wait_for_text(browser, TEXT)
    browser.wait("return document.querySelector('#node').elements.label.value === 'b'")
    browser.click("#redo")
    wait_for_text(browser, named)
    browser.wait("return document.querySelector('#node').elements.label.value === 'bold'")
    press(browser, "Add a child")
    wait_for_text(browser, named.replace("10]", "10, 0]"))
    choose(browser, "bold/#3")
    browser.click("#undo")  # the node in the form goes: its parent takes its place
    wait_for_text(browser, named)
    browser.wait("return document.querySelector('#node .path').textContent === 'bold'")


def test_a_field_in_which_the_user_types_undoes_what_was_typed(browser: Browser) -> None:
    choose(browser, "a")
    fill(browser, "utility", "7")
    wait_for_text(browser, seven := TEXT.replace("3", "7"))
    browser.click("[name=utility]")
    browser.press("End", "5", "Control+z")
    assert browser.run("return document.querySelector('[name=utility]').value") == "7"
    assert text_of(browser) == seven
    browser.press("Control+z")
    wait_for_text(browser, TEXT)


def answer_question(browser: Browser, answer: str) -> str:
    question = str(browser.call("GET", "/alert/text"))
    browser.call("POST", f"/alert/{answer}")
    return question


def make_leaf(browser: Browser) -> None:
    fill(browser, "kind", "TERMINAL")


def remove(browser: Browser) -> None:
    press(browser, "Remove")


@pytest.mark.parametrize(
    ("path", "act", "question", "after"),
    [
        ("b", make_leaf, "everything below b", TEXT.replace("{chance: [0, 10]}", "{utility: 5}")),
        ("b", remove, "b and everything below it", TEXT[: TEXT.index("  b:")]),
        ("/", make_leaf, "everything below the root", "# mine\nutility: 5\n"),
        ("a", remove, None, TEXT.replace("  a: 3  # sure\n", "")),
        ("b/#1", remove, None, TEXT.replace("0, ", "")),
    ],
)
def test_children_go_only_after_a_question(
    browser: Browser, path: str, act: Callable[[Browser], None], question: str | None, after: str
) -> None:
    choose(browser, path)
    if question:
        act(browser)
        assert answer_question(browser, "dismiss") == f"Remove {question}? Undo brings it back."
        assert text_of(browser) == TEXT
        assert browser.run("return document.querySelector('[name=kind]').value") != "TERMINAL"
    act(browser)
    if question:
        answer_question(browser, "accept")
    wait_for_text(browser, after)
    assert browser.run("return document.querySelector('#node').contains(document.activeElement)")
    browser.press("Control+z")
    wait_for_text(browser, TEXT)


@pytest.mark.parametrize(
    ("keys", "kind"),
    [
        (["Down"], None),
        (["Down", "Up"], None),
        (["Home", "Down", "End"], None),
        (["m"], None),
        (["Up", "Escape"], None),
        (["Up", "Enter"], "min"),
        (["Home", "Down", "Enter"], "max"),
        (["Up", "Up", "Tab"], "max"),
    ],
)
def test_arrow_keys_in_the_list_of_kinds_only_pass(
    browser: Browser, keys: list[str], kind: str | None
) -> None:
    choose(browser, "b")
    focus(browser, "[name=kind]")
    browser.press(*keys)
    if kind is None:
        time.sleep(0.3)
        assert text_of(browser) == TEXT
    else:
        wait_for_text(browser, TEXT.replace("chance", kind))
        assert not is_off(browser, "undo")
        browser.press("Control+z")
        wait_for_text(browser, TEXT)
        assert is_off(browser, "undo")  # one change, not one for each kind


def test_what_is_typed_is_shown_at_once_and_saved(browser: Browser, server: Server) -> None:
    browser.click("#text")
    browser.run("document.querySelector('#text').value = ''")
    browser.press(*"max:", "Enter", *"sure: 3", "Enter", *"bold:", "Enter", *"chance: [0, 20]")
    wait_for_text(browser, text := "max:\n  sure: 3\n  bold:\n    chance: [0, 20]")
    browser.click("[data-view=tree]")
    browser.wait("return document.querySelector('#shown').innerText.includes('MAX 10')")
    for view in ("compare", "sensitivity", "risk", "information", "replay", "picture"):
        browser.click(f"[data-view={view}]")
        browser.wait(READY)
    assert browser.run("return document.title").startswith("●")
    browser.click("#save")
    browser.wait("return document.querySelector('#status').textContent === 'Saved'")
    assert Path(server.file).read_text() == text
    requests = [one for one in browser.requests() if not one.startswith(("data:", "about:"))]
    assert all(one.startswith((server.address, "chrome:")) for one in requests), requests


def test_enter_indents_as_the_line_before_needs(browser: Browser) -> None:
    browser.click("#text")
    browser.run("document.querySelector('#text').value = ''")
    lines = ("max:", "- chance:  # a coin", "- {p: 1/2, utility: 3}", "- p: rest", "utility: 4")
    for line in lines:
        browser.press(*line, "Enter")
    wait_for_text(
        browser,
        "max:\n  - chance:  # a coin\n      - {p: 1/2, utility: 3}\n      - p: rest\n"
        "        utility: 4\n        ",
    )


def test_keys_are_completed_and_errors_are_marked_in_place(browser: Browser) -> None:
    browser.click("#text")
    browser.run("document.querySelector('#text').value = ''")
    browser.press(*"cha")
    shadow = "document.querySelector('#text').shadowRoot"
    browser.wait(f"return {shadow}.querySelector('.cm-tooltip-autocomplete')?.innerText")
    time.sleep(0.3)  # CodeMirror does not take an Enter for a choice just after the list appeared
    browser.press("Enter")
    browser.wait("return document.querySelector('#text').value === 'chance: '")
    browser.press(*"oops")
    browser.wait(f"return {shadow}.querySelector('.cm-lintRange-error')?.textContent === 'oops'")


def test_a_file_that_changes_on_disk_is_noticed(browser: Browser, server: Server) -> None:
    Path(server.file).write_text("max: [1, 2]\n")
    browser.wait("return document.querySelector('#text').value === 'max: [1, 2]\\n'")
    browser.run("document.querySelector('#text').value = arguments[0]", mine := "max: [1, 2, 3]\n")
    Path(server.file).write_text("max: [8]\n")
    browser.wait("return !document.querySelector('#notice').hidden")
    browser.click("#save")
    assert Path(server.file).read_text() == "max: [8]\n"
    browser.click("#keep")
    browser.click("#save")
    browser.wait("return document.querySelector('#status').textContent === 'Saved'")
    assert Path(server.file).read_text() == mine


class _Stranger(BaseHTTPRequestHandler):
    """A page of another origin; it knows even the secret."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>stranger</title><body>")

    def log_message(self, *_: object) -> None:
        pass


ATTACK = """
const [address, stamp] = arguments, done = arguments[arguments.length - 1];
const body = JSON.stringify({text: "max: [666]", stamp}), method = "POST", found = {};
const tries = {
  read: () => fetch(address, {}).then((answer) => answer.text()),
  open: () => fetch(`${address}open`, {method, body}).then((answer) => answer.text()),
  json: () => fetch(`${address}save`,
    {method, body, headers: {"Content-Type": "application/json"}}).then((answer) => answer.text()),
  blind: () => fetch(`${address}save`, {method, body, mode: "no-cors"})
    .then((answer) => answer.text()),
  script: () => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = `${address}editor.js`;
    script.onload = () => resolve("loaded");
    script.onerror = () => reject(new Error("no script"));
    document.body.append(script);
  }),
  frame: () => new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.src = address;
    frame.onload = () => {
      try { resolve(frame.contentDocument?.body.innerText ?? ""); } catch { resolve(""); }
    };
    document.body.append(frame);
  }),
};
(async () => {
  for (const [name, attempt] of Object.entries(tries)) {
    found[name] = await attempt().catch((error) => `refused: ${error.message}`);
  }
  done(found);
})();
"""


def test_a_page_of_another_origin_reads_and_writes_nothing(server: Server) -> None:
    stranger = ThreadingHTTPServer(("127.0.0.1", 0), _Stranger)
    threading.Thread(target=stranger.serve_forever, daemon=True).start()
    try:
        with Browser() as browser:
            url = f"http://127.0.0.1:{stranger.server_port}/"
            browser.call("POST", "/url", {"url": url})
            script = {"script": ATTACK, "args": [server.address, server.stamp()]}
            found: dict[str, Any] = browser.call("POST", "/execute/async", script)
    finally:
        stranger.shutdown()
        stranger.server_close()
    assert found.pop("frame") == ""
    assert len(found) == 5
    assert all(answer.startswith("refused") for answer in found.values()), found
    assert Path(server.file).read_text() == TEXT
