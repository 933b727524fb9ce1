"""Named nodes that pay, and those of events below several signals: against the same written out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from files.samples import numbers
from helpers import cases, run_main

import expectitree as et
from expectitree.base.tree.folding import unshare
from expectitree.editor.changes import described, edited
from expectitree.searches.engine import search_tree

# A file with a named node that pays; what replaces it in a file without; the same next to each ref.
PAYING = cases("nodes", "paying")


def whole(tree: et.Tree) -> list[object]:
    """Return all numbers of a tree, and those by criterion."""
    amounts = tree.formulas.texts(0, 0) if tree.criteria else ()
    return [tree.root_reward, bool(amounts), *numbers(tree)]


@pytest.mark.parametrize(("text", "written_out"), PAYING)
def test_a_named_node_pays_on_every_branch_to_it(text: str, written_out: str) -> None:
    tree, expected = et.loads(text), et.loads(written_out)
    assert whole(tree) == whole(expected)
    for format in ("yaml", "json"):
        again = et.loads(et.dumps(tree, format), name=f"x.{format}")
        assert whole(again) == whole(expected)
        assert et.dumps(again, format) == et.dumps(tree, format)
    if "ref: n\ncost" not in text:  # the root is no branch
        assert "ref: n1" in et.dumps(tree)
    values = {"c": "1/7", "p": 1} if "parameters" in text else {}
    changed = [one.with_parameters(**values) for one in (tree, expected, et.loads(et.dumps(tree)))]
    assert whole(changed[0]) == whole(changed[1]) == whole(changed[2])
    floats = et.loads(text, exact_nodes=0)
    assert numbers(floats)[-1] == pytest.approx(numbers(expected.floats)[-1])
    assert "nodes" not in et.dumps(unshare(tree))


@pytest.mark.parametrize(
    ("nodes", "message"),
    cases("nodes", "paying-errors"),
)
def test_errors_of_a_named_node_that_pays(nodes: str, message: str) -> None:
    text = f"nodes: {{{nodes}}}\nmax: [{{ref: n}}, {{ref: n}}]\nparameters: {{c: 0}}"
    with pytest.raises(et.FileError) as error:
        et.loads(text)
    assert message in str(error.value)


OIL = """\
parameters: {pr: {value: 0.3, range: [0, 1]}, gain: 100}
events:
  oil: {prior: {wet: pr, dry: rest}}
  seismic: {test_of: oil, likelihood: {plus: {wet: 0.9, dry: 0.2}, minus: {wet: rest, dry: rest}}}
  core: {test_of: oil, likelihood: {good: {wet: 0.8, dry: 0.1}, bad: {wet: rest, dry: rest}}}
"""
WELL = "{cost: 20, event: oil, chance: {wet: gain, dry: 0}}"


def seismic(below: str, other: str = "", cost: int = 0) -> str:
    below = f"chance: {{plus: {below}, minus: {other or below}}}"
    return f"{{cost: {cost}, event: seismic, {below}}}"


def core(below: str, other: str = "") -> str:
    return f"{{cost: 1, event: core, chance: {{good: {below}, bad: {other or below}}}}}"


DECIDE = f"{{max: {{drill: {WELL}, stop: 0}}}}"
BASE = "{chance: [3, {max: [1, 2]}]}"
LOOK = core("1", "2")
# A tree with refs, the same written out, the value, and how many nodes of oil there are.
SHARED = [
    # The example of the documents.
    (f"nodes: {{n: {DECIDE}}}\nmax: {{now: {{ref: n}}, test: {seismic('{ref: n}', cost=5)}}}",
     f"max: {{now: {DECIDE}, test: {seismic(DECIDE, cost=5)}}}", "13.8", 3),
    # Both orders of two tests lead to the same four nodes.
    (f"nodes: {{well: {WELL}, n: {{max: {{drill: {{ref: well}}, stop: 0}}}}}}\n"
     f"max: [{seismic(core('{ref: n}'))}, {core(seismic('{ref: n}'))}]",
     f"max: [{seismic(core(DECIDE))}, {core(seismic(DECIDE))}]", "18.6", 4),
    # A node on which no signal bears stays one node, with those below it.
    (f"nodes: {{n: {{chance: [3, {{ref: m}}]}}, m: {{max: [1, 2]}}, well: {WELL}}}\n"
     f"max: [{seismic('{ref: n}', '{max: [{ref: well}, {ref: n}]}')}, {{ref: m}}]",
     f"max: [{seismic(BASE, f'{{max: [{WELL}, {BASE}]}}')}, {{max: [1, 2]}}]", "2.5", 1),
    # With other parameters below a signal.
    (f"nodes: {{n: {DECIDE}}}\n"
     f"max: [{seismic('{ref: n, with: {gain: 60}}', '{ref: n}')}, {{ref: n, with: {{gain: 99}}}}]",
     f"max: [{seismic(DECIDE.replace('gain', '60'), DECIDE)}, {DECIDE.replace('gain', '99')}]",
     "9.7", 3),
    # A shared node that is a test itself, or pays.
    (f"nodes: {{n: {core(DECIDE)}}}\nmax: [{seismic('{ref: n}')}, {{ref: n}}]",
     f"max: [{seismic(core(DECIDE))}, {core(DECIDE)}]", "18.6", 6),
    # A test after the event happened.
    (f"nodes: {{n: {LOOK}}}\n"
     "event: oil\nchance: {wet: {ref: n}, dry: {max: [{ref: n}, 0]}}",
     f"event: oil\nchance: {{wet: {LOOK}, dry: {{max: [{LOOK}, 0]}}}}", "0.69", 1),
    # By YAML's aliases.
    (f"max: [&n {DECIDE}, {seismic('*n', cost=5)}]",
     f"max: [{DECIDE}, {seismic(DECIDE, cost=5)}]", "13.8", 3),
]  # fmt: skip


@pytest.mark.parametrize(("text", "written_out", "value", "wells"), SHARED)
def test_a_shared_node_is_copied_for_each_state_of_belief(
    text: str, written_out: str, value: str, wells: int
) -> None:
    tree, expected = et.loads(OIL + text), et.loads(OIL + written_out)
    again = et.loads(et.dumps(tree))
    assert search_tree(tree).value == Fraction(value)
    assert [*tree.formulas.events.values()].count("oil") == wells
    for values in ({}, {"pr": "0.6", "gain": 50}, {"pr": 0}, {"pr": 1}):
        changed = [one.with_parameters(**values) for one in (tree, again)]
        whole = numbers(expected.with_parameters(**values))
        assert numbers(changed[0]) == numbers(changed[1]) == whole
        assert numbers(et.loads(OIL + text, parameters=values)) == whole
    assert et.dumps(again) == et.dumps(tree)
    assert "{p: " not in et.dumps(tree)
    written = et.dumps(unshare(tree))
    assert numbers(et.loads(written)) == numbers(expected)


@pytest.mark.parametrize(("text", "written_out", "value", "wells"), SHARED[:5])
def test_analyses_agree_with_the_tree_written_out(
    text: str, written_out: str, value: str, wells: int
) -> None:
    for words in (("information", "--event", "oil"), ("sensitivity", "-p", "pr"), ("risk",)):
        one, other = (run_main(*words, "-e", OIL + tree) for tree in (text, written_out))
        shown = [run.out for run in (one, other)]
        if words[0] == "information":  # a shared decision is listed once
            shown = [text.rpartition("\n\n")[2] for text in shown]
        assert one.status == 0
        assert shown[0] == shown[1]


def test_verify_writes_into_such_a_file(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    text = OIL + SHARED[0][0]
    file.write_text(text)
    assert run_main("verify", "--write", str(file)).status == 0
    (line,) = {*file.read_text().splitlines()} - {*text.splitlines()}
    assert line.startswith("expect: {value: 13.8, best: test}")
    assert run_main("verify", "--quiet", str(file)).status == 0


def test_an_error_is_reported_once_for_all_copies() -> None:
    text = OIL.replace("gain: 100", "gain: 0") + SHARED[0][0].replace("wet: gain", "wet: 1/gain")
    with pytest.raises(et.FileError) as error:
        et.loads(text)
    (problem,) = error.value.problems
    assert (problem.path, problem.line) == ("now/drill/wet", 6)
    assert problem.message == "'1/gain' divides by zero at gain = 0"


PAID: dict[str, Any] = {"fee": "cost: 3, chance: {a: 1, b: 5}", "gift": "reward: 2, utility: 5"}
EDITED = "nodes:\n" + "".join(f"  {name}: {{{node}}}\n" for name, node in PAID.items())


@pytest.mark.parametrize(
    ("path", "what", "value", "line"),
    [
        ("x", "cost", "2", "  x: {cost: 2, ref: fee}"),
        ("x/a", "utility", "4", "  fee: {cost: 3, chance: {a: 4, b: 5}}"),
        ("x", "kind", "max", "  fee: {cost: 3, max: {a: 1, b: 5}}"),
        ("x", "kind", "7", "  fee: {cost: 3, utility: 7}"),
        ("y", "utility", "6", "  gift: {reward: 2, utility: 6}"),
        ("y", "kind", "min", "  gift: {reward: 2, min: [5]}"),
        ("y", "label", "z", "  z: {ref: gift}"),
    ],
)
def test_the_editor_keeps_what_a_named_node_pays(
    path: str, what: str, value: str, line: str
) -> None:
    text = f"{EDITED}max:\n  x: {{ref: fee}}\n  y: {{ref: gift}}\n"
    assert described(text, path)["pays"][1] == ""  # of the branch alone
    found = edited(text, path, what, value)
    assert line in found.splitlines()
    assert len({*found.splitlines()} - {*text.splitlines()}) == 1
