"""Errors in files: the exact message of every case in `bad/`, and generated hostile inputs."""

from __future__ import annotations

import io
import json
import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
import yaml
from files.bad_cases import CASES, FOLDER, shown_lines
from helpers import sentences
from rich.cells import cell_len

import expectitree as et
from expectitree.base.errors import FileError
from expectitree.base.tree.builder import EXACT_NODES
from expectitree.files import loads
from expectitree.files.formats import FORMATS
from expectitree.files.grammar.document import TOO_DEEP, Place

NEED_FRACTIONS = (
    "max: [1e302, 1e400]",
    "chance: [{p: 1e-399, utility: 1}, {p: 1, utility: 1}]",
    "max: {a: {min: [1]}, b: 1e400}",
    'EFG 2 R "" { "Ann" "Bob" }\np "" 1 1 "" { "l" "r" } 0\nt "" 1 "" { 1, -1 }\n'
    't "" 2 "" { 1e400, -1e400 }\n',
    'EFG 2 R "" { "Ann" "Bob" }\np "" 1 1 "" { "l" "r" } 1 "" { 1e302, -1e302 }\n'
    't "" 2 "" { 1, -1 }\nt "" 3 "" { 2, -2 }\n',
    'EFG 2 R "" { "Ann" "Bob" }\nc "" 1 "" { "l" 1e-400 "r" 1 } 0\n'
    't "" 1 "" { 1, -1 }\nt "" 2 "" { 2, -2 }\n',
    "name: Contract\ntype: decision\nmovie:\n    payoff: 2\ntv:\n    payoff: 1e400\n",
)
SYNTAX = "this is not YAML: "  # The rest is PyYAML's wording.


def message(text: str, name: str = "x.yaml") -> str:
    """Return the error message of a text."""
    with pytest.raises(FileError) as caught:
        et.loads(text, name=name)
    return str(caught.value)


@pytest.fixture
def pure_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read YAML as if libyaml were missing."""
    monkeypatch.setattr("expectitree.files.formats.yaml.yaml.__with_libyaml__", False)


def test_every_broken_file_is_a_case() -> None:
    """A section that is not written like the others would not be tested."""
    headings = [
        line.removeprefix("## ")
        for path in FOLDER.iterdir()
        for line in path.read_text("utf-8").splitlines()
        if re.match(r"## \S+\.\w+$", line)
    ]
    assert sorted(headings) == sorted(CASES)
    assert len(CASES) >= 488


@pytest.mark.parametrize("name", CASES)
def test_a_bad_file_has_its_exact_message(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lines that the command line prints are compared, at 80 columns."""
    expected = CASES[name].message
    with pytest.raises(FileError) as caught:
        CASES[name].load()
    found = "\n".join(shown_lines(caught.value))
    if SYNTAX in expected and not yaml.__with_libyaml__:
        found, expected = (text.partition(SYNTAX)[0] for text in (found, expected))
    assert found == expected
    assert all(line.isprintable() for line in found.splitlines())
    without_source = re.sub(r"(?m)^ *\d* *\| .*\n?", "", found)
    assert str(caught.value).splitlines() == sentences(without_source).splitlines()
    assert len(caught.value.problems) <= 20
    check_places_in_floats(name)
    if name.endswith(".yaml"):
        check_pure_python(name, monkeypatch)


def check_places_in_floats(name: str) -> None:
    """Check that the file is refused for the same reasons if its numbers are read as floats."""
    problems = []
    for exact_nodes in (0, EXACT_NODES):
        with pytest.raises(FileError) as caught:
            CASES[name].load(exact_nodes)
        problems.append(
            [
                (p.line, p.column, p.path)
                for p in caught.value.problems
                if "exp(exp(x))" not in p.message  # a number of 3,520 digits
            ]
        )
    assert problems[0] == problems[1]


# libyaml marks an empty scalar at the next token.
EMPTY = ("nothing was", "found nothing", "ref nothing", "label is empty", "has no children")


def check_pure_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that without libyaml only PyYAML's wording and places of empty scalars differ."""
    if not yaml.__with_libyaml__:
        pytest.fail("this test compares with libyaml: install a PyYAML that has it")
    seen = []
    for with_libyaml in (True, False):
        monkeypatch.setattr("expectitree.files.formats.yaml.yaml.__with_libyaml__", with_libyaml)
        with pytest.raises(FileError) as caught:
            CASES[name].load()
        found: list[object] = []
        for p in caught.value.problems:
            is_empty = any(words in p.message for words in EMPTY)
            is_syntax = SYNTAX in p.message
            place = (p.line, 0 if is_empty or is_syntax else p.column)
            found.append((place, SYNTAX if is_syntax else (p.path, p.message)))
        seen.append(found)
    assert seen[0] == seen[1]


@pytest.mark.parametrize("text", NEED_FRACTIONS)
def test_numbers_beyond_floats_need_fractions(text: str) -> None:
    assert loads(text, name="-").exact
    with pytest.raises(FileError, match=r" (beyond|too small for) .*; use --exact$"):
        loads(text, name="-", exact_nodes=0)


# ---- Source lines.


def source_lines(text: str, width: int = 80, name: str = "x.yaml") -> list[str]:
    """Return the lines below the first message of an error."""
    with pytest.raises(FileError) as caught:
        et.loads(text, name=name)
    return [line for line in shown_lines(caught.value, width) if re.match(r"\d* *\| ", line)][:2]


@pytest.mark.parametrize(
    ("text", "line", "mark"),
    [
        ("max:\n  a: 1\n  b: x\n  c: 2", "3 | b: x", "  |    ^"),
        ("max: [1,\ty]", "1 | max: [1,    y]", "  |             ^"),
        ('max:\n  "日本": x', '2 | "日本": x', "  |         ^"),
        ("max: {e\u0301: x}", "1 | max: {e\u0301: x}", "  |          ^"),
        ("max: {a\xa0b: x}", "1 | max: {a\\xa0b: x}", "  |               ^"),
        ("max: [1]\r\nnote: [x]\r\n", "2 | note: [x]", "  |       ^"),
        ("\ufeffmax: [x]", "1 | max: [x]", "  |       ^"),
    ],
)
def test_the_mark_is_below_the_column(text: str, line: str, mark: str) -> None:
    """Tabs, wide and combining characters and escapes take the columns that they are shown in."""
    assert source_lines(text) == [line, mark]


@pytest.mark.parametrize("width", [1, 24, 30, 80, 200])
@pytest.mark.parametrize("at", [0, 1, 5, 40, 98, 99])
@pytest.mark.parametrize("item", ["7", "日本"])
def test_a_long_line_is_cut_around_the_column(item: str, at: int, width: int) -> None:
    """The mark stays below the item, and no line is wider than the terminal."""
    items = [f'"{item}{n}": 1' for n in range(100)]
    items[at] = '"x": "y"'
    line, mark = source_lines(f'{{"max": {{{", ".join(items)}}}}}', width, "x.json")
    assert cell_len(line) <= max(width, 24)
    before = next(n for n in range(len(line)) if cell_len(line[:n]) == len(mark) - 1)
    assert line[before : before + 3] == '"y"'


@pytest.mark.parametrize(
    "text", ["", "max: [1]\rnote: [x]", '{"max": [{"note": "\u2028", "utility": true}]}']
)
def test_no_line_is_shown_where_lines_are_unclear(text: str) -> None:
    """YAML and JSON count some line breaks differently."""
    assert source_lines(text, 80, "x.json" if text[:1] == "{" else "x.yaml") == []


# ---- Places.


def test_json_has_the_places_that_yaml_has() -> None:
    """JSON is YAML in flow style: both formats find each item of a text at the same place."""
    random_ = random.Random(7)

    def data(depth: int) -> object:
        if depth == 0 or random_.random() < 0.2:
            return random_.choice([-2.5, "a", "x: [y], {z}", 'a "b"', "\\", "é\t", "", True, None])
        items = [data(depth - 1) for _ in range(random_.randint(0, 4))]
        return items if random_.random() < 0.5 else {f'k"{n},': v for n, v in enumerate(items)}

    for n in range(200):
        text = json.dumps([data(4)], indent=random_.choice((None, 1, 3)), ensure_ascii=n % 2 == 0)
        marks = []
        for format in ("json", "yaml"):
            document = FORMATS[format].module.parse(text, "x")
            places, stack = [Place()], [document.root]
            while stack:
                container = stack.pop()
                if isinstance(container, (list, tuple)):
                    for at, item in enumerate(container):
                        places.append(Place(container, at))
                        if isinstance(container, tuple):
                            places.append(Place(container, at, True))
                        stack.append(item[1] if isinstance(container, tuple) else item)
            marks.append(document.locate(places))
        assert marks[0] == marks[1], text


# ---- Inputs that are not files.


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"max: {\xe9: 1}", ":1:7: the byte 0xe9 is not UTF-8: save the file as UTF-8"),
        (
            "max: {é: 1,".encode() + b" \xff: 2}",
            ":1:13: the byte 0xff is not UTF-8: save the file as UTF-8",
        ),
        ("max: [1]".encode("utf-16"), ": found UTF-16, expected UTF-8: save the file as UTF-8"),
        (
            "\ufeffmax: [1]".encode("utf-32-be"),
            ": found UTF-32, expected UTF-8: save the file as UTF-8",
        ),
        (
            "max: [1]".encode("utf-16-le"),
            ":1:2: found a NUL character, expected text: the file is not text, or it is damaged",
        ),
        (
            b"\x89PNG\r\n\x1a\n\0\0",
            ":1:1: the byte 0x89 is not UTF-8: save the file as UTF-8, if it is text",
        ),
    ],
)  # fmt: ski)
def test_text_that_is_not_utf_8_is_refused(content: bytes, expected: str) -> None:
    """Only UTF-8 is read, and the column counts characters, not bytes."""
    stream = io.BytesIO(content)
    stream.name = "s.yaml"
    with pytest.raises(FileError) as caught:
        et.load(stream)
    assert str(caught.value) == f"s.yaml{expected}"


@pytest.mark.parametrize("escape", ["\\ud800", "\\U00110000", "\\UFFFFFFFF"])
@pytest.mark.usefixtures("pure_python")
def test_invalid_escapes_are_refused_without_libyaml(escape: str) -> None:
    """Pure-Python PyYAML lets surrogates pass, and fails with a ValueError beyond Unicode."""
    with pytest.raises(FileError):
        et.loads(f'max: {{"{escape}": 1}}', name="x.yaml")


NESTINGS = {
    "flow.yaml": ("{max: [", "]}"),
    "mapping.yaml": ("{min: {a: ", "}}"),
    "chance.yaml": ("{chance: [{p: 1, ", "}]}"),
    "list.json": ('{"max": [', "]}"),
    "mapping.json": ('{"min": {"a": ', "}}"),
}


@pytest.mark.parametrize("name", NESTINGS)
def test_nesting_is_limited_to_300_nodes(name: str) -> None:
    """300 levels are read, 301 are refused, and the message suggests refs."""
    before, after = NESTINGS[name]
    if name == "chance.yaml":  # The braces of a node are the outcome of its parent.
        texts = ["{" + "chance: [{p: 1, " * n + "utility: 1" + "}]" * n + "}" for n in (299, 300)]
    else:
        texts = [before * n + "1" + after * n for n in (299, 300)]
    assert len(et.loads(texts[0], name=name)) == 300
    refusal = message(texts[1], name)
    assert refusal.endswith(
        "the text nests more than 300 nodes: give a deeper part a name under the root's `nodes:` "
        "and write "
        "`ref: NAME` in its place"
    )
    assert len(refusal) < 500


def test_the_limit_of_pyyaml_has_our_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML 6.0.4 refuses a thousand containers itself, before the events reach us."""

    def refused(text: str) -> NoReturn:
        mark = yaml.Mark("x", 1000, 0, 1000, None, None)
        problem = "exceeded maximum nesting depth while increasing flow level"
        raise yaml.scanner.ScannerError(None, None, problem, mark)

    monkeypatch.setattr("expectitree.files.formats.yaml.events", refused)
    assert message("[", "x.yaml").startswith(f"x.yaml:1:1001: {TOO_DEEP}")


def hostile_texts() -> Iterator[str]:
    """Yield texts that take much time or long messages if they are read without care."""
    yield from (text * 100_000 for text in ('{"max": [', "[", "- ", "? ", "{a: ", "- - ? "))
    for number in ("9" * 6000, "1e" + "9" * 6000, "1e10000000", "1/" + "3" * 6000, "1e-999999999"):
        yield f'{{"max": ["{number}"]}}'
    for place in ('{{"max": ["{}"]}}', '{{"max": [1], "expect": {{"{}": 1}}}}', '{{"m{}": [1]}}'):
        yield place.format("1" * 300_000)
    yield '{"max": [' + "1, " * 200_000 + "x"
    yield f"max: [*{'a' * 5000}]"
    yield f"max: [&{'a' * 900} 1, &{'a' * 900} 2]"
    yield f"max: [{{ref: b}}]\nnodes:\n  ? {'a' * 5000}\n  : 1\n"
    yield f"max:\n  ? '#{'1' * 5000}'\n  : 1\n"
    yield f"max: {{a: {{{', '.join(f'act{n}: 1' for n in range(10_000))}}}}}"
    yield f"max: [{'1' * 395}e400]\nbounds: [0, 1]\n"
    fractions = (f"{{p: 1/{10**198 + 2 * i + 1}, utility: 1}}" for i in range(40))
    yield f"chance: [{', '.join(fractions)}]"  # a sum of more digits than Python prints
    yield '{"max": {"\ud800": 1}}'
    yield f"MAX: {'[[a, ' * 300}1{'], [b, 1]]' * 300}"
    pairs = (", ".join(f"[l{k}, *n{i}]" for k in range(10)) for i in range(30))
    levels = "".join(f"  a{i}: &n{i + 1} [{level}]\n" for i, level in enumerate(pairs))
    yield f"x:\n  a: &n0 [1, 2]\n{levels}MAX: *n30\n"


@pytest.mark.slow
def test_hostile_texts_are_refused_quickly_and_in_few_words() -> None:
    for text in hostile_texts():
        for name in ("x.yaml", "x.json", "-"):
            started = time.perf_counter()
            assert len(message(text, name)) < 500
            assert time.perf_counter() - started < 5, text[:60]


def test_only_twenty_errors_of_a_long_chain_are_reported() -> None:
    """Only the paths of the twenty reported errors are computed (4,000 took 7 s)."""
    names = "".join(f"  n{i}: {{max: [5, {{ref: n{i + 1}}}]}}\n" for i in range(3000))
    started = time.perf_counter()
    refusal = message(f"bounds: [0, 1]\nmax: [{{ref: n0}}]\nnodes:\n{names}  n3000: 1\n")
    assert time.perf_counter() - started < 5
    assert refusal.count("\n") == 20
    assert refusal.startswith("x.yaml:4:14: #1/#1: the utility 5 lies outside the bounds [0, 1]: ")


def test_a_bomb_of_refs_or_aliases_is_small() -> None:
    """A few kilobytes describe 10^301 nodes, but each node is stored once."""
    lines = [f"  n{i}: {{max: [{', '.join([f'{{ref: n{i - 1}}}'] * 10)}]}}" for i in range(1, 301)]
    tree = et.loads("ref: n300\nnodes:\n  n0: {max: [1, 2]}\n" + "\n".join(lines), name="x.yaml")
    assert len(tree) == 303
    assert 10**300 < tree.unfolded < 10**301
    lines = [f"  - &n{i} {{max: [{', '.join([f'*n{i - 1}'] * 10)}]}}" for i in range(1, 301)]
    tree = et.loads("max:\n  - &n0 {max: [1, 2]}\n" + "\n".join(lines), name="x.yaml")
    assert len(tree) == 304
    assert tree.unfolded > 10**300


def test_a_bomb_outside_of_nodes_is_refused() -> None:
    """Aliases outside of nodes are not expanded."""
    lists = "[&a [x, x, x, x], " + ", ".join(
        f"&{c} [*{b}, *{b}, *{b}]" for b, c in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert (
        message(f"max: [1]\nnote: {lists}]\n")
        == "x.yaml:2:7: /: found a list as a note: write text"
    )


@pytest.mark.parametrize("count", [20, 21, 30])
def test_a_file_gets_at_most_20_warnings_of_a_kind(count: int) -> None:
    nodes = ", ".join(["{chance: {win 0.6: 5, lose 0.4: 1}}"] * count)
    idle = ", ".join(f"p{n}: 1" for n in range(count))
    more = ["more such warnings are left out"] * (count > 20)
    for text in (f"max: [{nodes}]", f"parameters: {{{idle}}}\nmax: [1]"):
        warnings: list[str] = []
        et.loads(text, name="x.yaml", warn=warnings.append)
        assert len(set(warnings[:20])) == 20
        assert warnings[20:] == [f"x.yaml: {line}" for line in more]


def test_warnings_of_a_long_chain_are_short() -> None:
    """Paths in warnings are abbreviated as in errors."""
    outcomes = "{p: 0.3333333333, utility: 1}, {p: 0.3333333333, utility: 2}"
    names = "".join(
        f"  n{i}: {{chance: [{{p: 0.3333333333, ref: n{i + 1}}}, {outcomes}]}}\n"
        for i in range(300)
    )
    warnings: list[str] = []
    et.loads(f"ref: n0\nnodes:\n{names}  n300: 1\n", name="x.yaml", warn=warnings.append)
    assert warnings
    assert max(map(len, warnings)) < 400


# ---- Files and streams that cannot be read.


def test_a_missing_file_suggests_a_similar_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual reason is a typing error."""
    monkeypatch.chdir(tmp_path)
    Path("risk.yaml").write_text("max: [1]")
    for name, expected in {
        "rsk.yaml": "rsk.yaml: there is no such file: did you mean risk.yaml?",
        "zzz": "zzz: there is no such file: check the path",
        "nowhere/risk.yaml": "nowhere/risk.yaml: there is no such file: the example of this name "
        "is example:risk",
        "risk.yaml/x": "risk.yaml/x: the file cannot be read: not a directory",
        ".": ".: this is a folder, expected a file",
    }.items():
        with pytest.raises(FileError) as caught:
            et.load(name)
        assert str(caught.value) == expected


@pytest.mark.parametrize("name", ["a\nb.yaml", "\x1b[31mred.yaml", "a\0b.yaml", "half\udcff.yaml"])
def test_control_characters_in_file_names_are_escaped(name: str) -> None:
    """A file's name reaches the terminal too."""
    with pytest.raises(FileError) as caught:
        et.load(name)
    assert str(caught.value).isprintable()
