"""A search step by step: each picture shows what the trace knows, and nothing moves."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from helpers import ROOT, invoke
from page.browser import Browser

import expectitree as et
from expectitree.analysis.trace.moment import Moment
from expectitree.analysis.trace.report import trace
from expectitree.errors import AnalysisError
from expectitree.picture.content import Glyph, Style
from expectitree.picture.frames import Frames, draw_steps
from expectitree.picture.marks import Symbol

LEFT = "trees/aima-5.12-left.yaml"
INF = float("inf")
SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str = "star1", file: str = LEFT, **style: object) -> Frames:
    return draw_steps(et.load(ROOT / file), name, Style(**style), windows=True)


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("expectiminimax", LEFT),
        ("star1", LEFT),
        ("best-first", LEFT),
        ("star2", "trees/ballard.yaml"),
        ("alphabeta", "trees/shared.yaml"),
    ],
)
def test_a_picture_shows_what_the_search_knows_after_a_step(name: str, file: str) -> None:
    found = drawn(name, file)
    report = trace(et.load(ROOT / file), name)
    moment = Moment(report)
    assert len(found.frames) == report.total + 1
    for step, frame in enumerate(found.frames):
        event = moment.forward() if step else None
        assert frame.node == (event.node if event else -1)
        for glyph in frame.picture.content.glyphs:
            if glyph.kind in ("MAX", "MIN", "CHANCE"):
                n = glyph.node
                assert ("[" in glyph.value) == (moment.lower[n] != moment.upper[n])
                assert glyph.is_grey == (not moment.visits[n])
                assert any("α" in line for line in glyph.remarks) == (
                    bool(moment.visits[n]) and moment.alpha[n] is not None
                )


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("name", ["star2", "best-first"])
def test_nothing_moves(name: str, direction: str) -> None:
    found = drawn(name, "trees/ballard.yaml", direction=direction, reasons=True)
    places = [
        {
            group.of.node: (mark.box.left, mark.box.top)
            for group in frame.picture.groups
            for mark in group.marks
            if isinstance(group.of, Glyph) and isinstance(mark, Symbol) and group.of.below
        }
        for frame in found.frames
    ]
    assert all(place == places[0] for place in places)
    assert len({(frame.picture.width, frame.picture.height) for frame in found.frames}) == 1
    sizes = {re.search('viewBox="(.*?)"', text)[1] for text in found.pictures()}  # type: ignore[index]
    assert len(sizes) == 1


def test_each_picture_is_valid_and_says_its_step() -> None:
    pictures = list(drawn().pictures())
    for step, text in enumerate(pictures):
        words = " ".join(ElementTree.fromstring(text).itertext())
        assert ("star1: before the first step" if not step else f"star1, step {step}: ") in words


@pytest.mark.parametrize("name", ["expectiminimax", "star2"])
def test_every_picture_has_the_payments(name: str) -> None:
    text = "{cost: 5, max: {a: 7, b: {cost: 100, chance: [{reward: 3, utility: 1}, 2000, 4]}}}"
    found = draw_steps(et.loads(text), name, Style(), windows=True)
    for frame in found.frames:
        edges = frame.picture.content.edges
        assert sorted(edge.payment for edge in edges) == ["", "", "", "+3", "−100"]
        assert frame.picture.content.glyphs[0].remarks[0] == "−5 at the start"


def test_large_searches_are_refused() -> None:
    with pytest.raises(AnalysisError, match="there are 1,093 nodes, step by step at most 500"):
        draw_steps(et.generate("uniform", branching=3, plies=6, seed=1), "star1")
    with pytest.raises(AnalysisError, match=r"steps, step by step at most 500 steps can be drawn"):
        draw_steps(
            et.generate("uniform", branching=7, plies=3, seed=1), "star1", bounds=(-INF, INF)
        )


# ---- The animation.


def test_the_animation_without_motion_is_the_last_picture() -> None:
    found = drawn()
    root = ElementTree.fromstring(found.animation())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.get("visibility") == "hidden" or child.tag == f"{SVG}style":
                parent.remove(child)

    def shapes(tree: ElementTree.Element) -> list[str]:
        drawn = (child for child in tree.iter() if child.tag in (f"{SVG}path", f"{SVG}text"))
        return sorted(f"{child.attrib}{child.text}" for child in drawn)

    *_, last = found.pictures()
    assert shapes(root) == shapes(ElementTree.fromstring(last))


@pytest.mark.slow
def test_a_browser_plays_the_animation(tmp_path: Path) -> None:
    found = drawn()
    file = tmp_path / "x.svg"
    file.write_text(found.animation(), "utf-8")
    with Browser() as browser:
        browser.open(file)
        script = """
            document.getAnimations().forEach(a => { a.pause(); a.currentTime = arguments[0]; });
            return [...document.querySelectorAll("text")]
                .filter(t => getComputedStyle(t).visibility === "visible")
                .map(t => t.textContent).join("|");"""
        for step in (0, 1, 10, 28, 30):
            sentence = found.frames[min(step, 28)].sentence
            shown = browser.run(script, 1000 * step + 500)
            assert sentence[:25] in shown
            assert shown.count("star1") == 1
        end = "return document.getAnimations()[0].effect.getComputedTiming().endTime"
        assert browser.run(end) is None  # it never ends


# ---- The command.


@pytest.mark.extra
def test_the_command_writes_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "steps"
    done = invoke("draw", LEFT, "-a", "star1", "--frames", str(folder))
    assert done.exit_code == 0, done.stderr
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"step-{step:02}.svg" for step in range(29)]
    assert done.stderr == f"{folder} written: 29 pictures, one a step\n"
    again = ["draw", "-e", "max: [1, 2]", "--frames", str(folder), "--format", "png"]
    assert invoke(*again).exit_code == 2
    assert invoke(*again, "--force").exit_code == 0
    names = sorted(path.name for path in folder.iterdir())
    assert names == [f"step-{step}.png" for step in range(4)]
    assert (folder / "step-0.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_writes_an_animation(tmp_path: Path) -> None:
    out = tmp_path / "x.svg"
    assert invoke("draw", LEFT, "-a", "star2", "--animate", "-o", str(out)).exit_code == 0
    assert "@keyframes" in out.read_text("utf-8")
    stopped = ["draw", LEFT, "-a", "star1", "--max-visits", "4", "--animate", "-o", "-"]
    done = invoke(*stopped, "--format", "svg")
    assert done.exit_code == 1
    assert "@keyframes" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(
            ["--animate", "-o", "x.png"], "--animate makes an .svg", marks=pytest.mark.extra
        ),
        (["--animate"], "Missing option '-o'"),
        (["--frames", "d", "-o", "x.svg"], "--frames DIR a folder: give -o X.svg or DIR."),
        (["--frames", "d", "--format", "dot"], "found --format dot, expected svg or png"),
        (["--frames", "tests"], "tests is not an empty folder: choose another name"),
        (["--frames", "d", "--blank"], "--blank is for single pictures"),
        (["--animate", "-o", "x.svg", "--rows", "9"], "--rows is for single pictures"),
        (["-o", "x.html", "--animate"], "--animate makes an .svg"),
        (["-o", "-", "--format", "png"], "-o - needs --format: one of svg"),
    ],
)
def test_wrong_usage(words: list[str], message: str) -> None:
    done = invoke("draw", LEFT, *words)
    assert message in re.sub(r"\s+", " ", done.stderr)
    assert done.exit_code == 2
