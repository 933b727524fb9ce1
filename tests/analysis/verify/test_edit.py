"""`verify --write` refreshes expectations and changes no other character."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import expectitree as et
from expectitree.analysis.verify.edit import rewritten
from expectitree.files.formats import FORMATS

REPLACED = [
    ("yaml", "expect: {value: 1} #é\nmax: [2]\n", {("value",): Fraction(1, 3)},
        "expect: {value: 1/3} #é\nmax: [2]\n"),
    ("yaml", "expect:\n    best:   'a'\nmax: [2]\n", {("best",): "#2"},
        'expect:\n    best:   "#2"\nmax: [2]\n'),
    ("yaml", "expect: {best: a}\r\nmax: [2]\r\n", {("best",): "no, b"},
        'expect: {best: "no, b"}\r\nmax: [2]\r\n'),
    (
        "yaml",
        "expect:\n  star1:\n    skipped:\n    - a/b\n    - c\n    leaves: 3 # y\nmax: [1]\n",
        {("star1", "skipped"): ["d/#1"], ("star1", "leaves"): 4},
        "expect:\n  star1:\n    skipped: [d/#1]\n    leaves: 4 # y\nmax: [1]\n",
    ),
    (
        "yaml",
        "{max: [1], expect: {values: {a: 1, 'b c': 2}, star1: [{leaves: 1}, {leaves: 2}]}}",
        {("values", "b c"): Fraction(7), ("star1", 1, "leaves"): 5},
        "{max: [1], expect: {values: {a: 1, 'b c': 7}, star1: [{leaves: 1}, {leaves: 5}]}}",
    ),
    (
        "json",
        '{"expect" : {"value":1.50, "star1": [ {"leaves": 1} , {"skipped" : ["a", "b"]}]}, "max": '
        '[2, "é"]}',
        {("value",): Fraction(1, 3), ("star1", 1, "skipped"): ["é/#1"]},
        '{"expect" : {"value":"1/3", "star1": [ {"leaves": 1} , {"skipped" : ["é/#1"]}]}, "max": '
        '[2, "é"]}',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "replacements", "expected"), REPLACED)
def test_replacements(
    kind: str, text: str, replacements: dict[tuple[str | int, ...], object], expected: str
) -> None:
    assert rewritten(text, FORMATS[kind], replacements) == expected


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("yaml", "# c\nmax: [1]\n", "# c\nexpect: {value: 1}\nmax: [1]\n"),
        ("yaml", "title: x\n\n# c\nmin: [1]\n", "title: x\n\n# c\nexpect: {value: 1}\nmin: [1]\n"),
        ("yaml", "{title: x, max: [1]}", "{title: x, expect: {value: 1}, max: [1]}"),
        ("json", '{\n  "max": [1]\n}\n', '{\n  "expect": {"value": 1},\n  "max": [1]\n}\n'),
        ("yaml", "{\n  max: [1]\n}", "{\n  expect: {value: 1},\n  max: [1]\n}"),
        ("json", '{"max": [1]}', '{"expect": {"value": 1}, "max": [1]}'),
        # The key that names the schema stays first, since editors look for it there only.
        (
            "yaml",
            "# yaml-language-server: $schema=x.json\nmax: [1]\n",
            "# yaml-language-server: $schema=x.json\nexpect: {value: 1}\nmax: [1]\n",
        ),
        (
            "json",
            '{"$schema": "x", "max": [1]}',
            '{"$schema": "x", "expect": {"value": 1}, "max": [1]}',
        ),
        ("yaml", "{$schema: x, max: [1]}", "{$schema: x, expect: {value: 1}, max: [1]}"),
    ],
)
def test_a_new_expectation(kind: str, text: str, expected: str) -> None:
    assert rewritten(text, FORMATS[kind], {(): {"value": Fraction(1)}}) == expected
    assert et.loads(expected, name=f"x.{kind}").expect is not None


def test_a_bare_number_cannot_hold_an_expectation() -> None:
    with pytest.raises(et.FileError, match="utility: NUMBER"):
        rewritten("42\n", FORMATS["yaml"], {(): {"value": 1}})


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("expect:\n  best: |-\n    a\n# c\nmax: {a: 1}\n", ("best",)),
        ("expect:\n  star1: &s {leaves: 9}\n  star2: *s\nmax: [1]\n", ("star2", "leaves")),
        ("expect: {star1: {skipped: [a, # why\n b]}}\nmax: [1]\n", ("star1", "skipped")),
        (
            "expect:\n  star1:\n    skipped:\n      - a # one\n      - b # two\nmax: [1]\n",
            ("star1", "skipped"),
        ),
    ],
)
def test_an_expectation_that_cannot_be_replaced_without_loss_is_refused(
    text: str, place: tuple[str | int, ...]
) -> None:
    with pytest.raises(et.FileError, match="change it by hand"):
        rewritten(text, FORMATS["yaml"], {place: ["x"]})


def test_an_empty_expectation_is_filled_in() -> None:
    for text in ("expect:\nmax: [1]\n", "expect: {}\nmax: [1]\n"):
        changed = rewritten(text, FORMATS["yaml"], {(): {"value": Fraction(1)}})
        assert changed == "expect: {value: 1}\nmax: [1]\n"


def test_odd_characters_are_escaped() -> None:
    changed = rewritten("expect: {best: a}\nmax: [1]\n", FORMATS["yaml"], {("best",): "a\x85\x7fb"})
    assert changed.startswith('expect: {best: "a\\x85\\x7fb"}')
    assert et.loads(changed).expect.best == "a\x85\x7fb"  # type: ignore[union-attr]


def test_refresh_from_python(tmp_path: Path) -> None:
    file = tmp_path / "tree.yaml"
    text = "\ufeff# mine\r\nexpect: {value: 1, best: b}\r\nmax: {a: 1/3, b: 0}\r\n"
    file.write_bytes(text.encode())
    assert et.refresh(file).broken == []
    expected = text.replace("value: 1, best: b", "value: 1/3, best: a")
    assert file.read_bytes() == expected.encode()
    before = file.read_text()
    assert et.refresh(file).broken == []
    assert file.read_text() == before


def test_a_list_with_a_path_that_is_missing_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "tree.yaml"
    file.write_text("expect: {value: 1, star1: {skipped: [a, x]}}\nmax: {a: 1, b: 2}\n")
    assert [check.found for check in et.refresh(file).broken] == ["visited", "no such node"]
    assert file.read_text().startswith("expect: {value: 2, star1: {skipped: [a, x]}}\n")
