"""YAML and JSON as people write them: texts that YAML takes for something else, and numbers."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from helpers import cases, invoke

import expectitree as et
from expectitree.base.errors import FileError

BLANK, NARROW = "\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}"
SPLIT = unicodedata.normalize("NFD", "größe")  # as macOS writes it


def said(text: str, name: str = "x.yaml") -> str:
    """Return the value of a text and its warnings, or its error."""
    try:
        tree = et.loads(text, name=name)
    except FileError as error:
        return f"error: {error}"
    return f"value: {et.evaluate(tree, exact=True).value}; {'; '.join(tree.warnings)}"


COMMENTS = cases("writing", "comments")


@pytest.mark.parametrize(("text", "line", "meant"), COMMENTS)
def test_a_comment_that_may_be_text_has_a_warning(text: str, line: str, meant: str) -> None:
    message = said(text)
    if not line:
        assert "comment" not in message
        return
    assert f":{line}:" in message
    assert f'is a comment in YAML: for text, write `"{meant}"`; for a comment, write a' in message


@pytest.mark.parametrize(
    "text",
    [
        "# one\n  #two\nmax: [1, 2] #three",
        "max:\n  a: 5 #best\n  b: 1/2 #second",
        'title: "Exercise #4"\nmax: [1]',
        "note: |\n  Plan #1\n  Plan #2\nmax: [1]",
        "max:  #later\n  a: 1\n  #b: 2\n  c: 3",
        "title: Plan # 1\nmax: [1]",
        "title: C#\nmax: {a#1: 2}",
    ],
)
def test_other_comments_have_no_warning(text: str) -> None:
    assert said(text).endswith("; ")


QUOTED = [  # a text that must be quoted, in its place at `$`
    *((place, text)
      for place in ("max:\n  $: 5\n  b: 3", "max: {$: 5, b: 3}", "max: {b: 3, $: 5}")
      for text in (">100 units", "|x|", "&Co", '"A" or "B"', "[A] or B", "!stop", "*best", "@home",
                   "%x", "'it' or not", "Site #1")),
    *((place, text)
      for place in ("title: $\nmax: [1]", "max:\n- label: $\n  utility: 1")
      for text in (">100 units", "|x| < 3", '"A" or "B"', "[A] or B", "!stop", "*best", "@home",
                   "%x", "> 5 units")),
]  # fmt: skip


@pytest.mark.parametrize(("place", "text"), QUOTED)
def test_a_text_that_must_be_quoted_is_shown_in_quotes(place: str, text: str) -> None:
    message = said(place.replace("$", text))
    assert message.startswith("error: ")
    assert "must be quoted" in message
    (quoted,) = set(message.split("must be quoted: write `")[1].split("`")[:1])
    assert quoted.strip("\"'") == text.strip("\"'")
    tree = et.loads(place.replace("$", quoted))
    assert text in (
        tree.title,
        *(tree.branch_label(tree.root_id, b) for b in (0, 1, 2)[: len(tree) - 1]),
    )


PLACES = cases("writing", "syntax")


@pytest.mark.parametrize(("text", "place", "hint"), PLACES)
def test_an_error_of_syntax_is_at_its_cause(text: str, place: str, hint: str) -> None:
    message = said(text)
    assert message.startswith(f"error: x.yaml:{place}: ")
    assert hint in message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2^-3", "1/8"), ("1/-3", "-1/3"), ("(((1)))", "1"), ("--1", "1"),
        ("10^-400", "1/1" + "0" * 400), ("-+-2", "2"), ("5--3", "8"), ("2*-+3", "-6"),
        ("-(3)", "-3"), ("(-5)", "-5"), ("- -3", "3"), ("2^-(1+1)", "1/4"),
    ],
)  # fmt: skip
def test_a_formula_may_have_several_signs_and_parentheses(text: str, value: str) -> None:
    for node in (f'["{text}"]', f'{{"a": {{"utility": "{text}"}}}}'):
        for name in ("x.yaml", "x.json"):
            assert said(f'{{"max": {node}}}', name) == f"value: {value}; "
    assert said(f"parameters: {{x: '{text}'}}\nmax: [x]") == f"value: {value}; "


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10³", "1000"),
        ("2⁻³", "0.125"),
        ("1.5²", "2.25"),
        ("10⁶", "1000000"),
        ("10^3", "1000"),
    ],
)
def test_an_exponent_is_no_digit(text: str, number: str) -> None:
    message = said(f"max: [1]\nexpect: {{value: {text}}}")
    assert message.endswith(f"'{text}' is not a number: write {number}")
    assert "write 102" not in said("max: {a: 10₂, b: 1}")


@pytest.mark.parametrize(
    ("text", "warning"),
    cases("writing", "arithmetic"),
)
def test_ranges_and_dates_have_a_warning(text: str, warning: str) -> None:
    message = said(text)
    assert message.startswith("value: ")
    assert warning in message
    assert bool(warning) == ("arithmetic" in message)


NAMES = ["größe", "λ", "λ₁", "цена", "prix_été", "价格", SPLIT]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_has_letters_of_any_language(name: str, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(f"parameters: {{{name}: 3}}\nmax: [2*{name}, 1 + {name}]\n", "utf-8")
    assert et.evaluate(et.load(file)).value == 6
    composed = unicodedata.normalize("NFC", name)
    assert "value     14" in invoke("eval", str(file), "--set", f"{composed}=7").output
    assert composed in invoke("sensitivity", str(file)).output
    assert (
        said(et.dumps(et.load(file)))
        == said(et.dumps(et.load(file), "json"), "x.json")
        == "value: 6; "
    )
    with_criteria = f"criteria: [{name}]\nobjective: {name}\nmax: [{{utility: {{{name}: 3}}}}]"
    assert said(with_criteria) == "value: 3; "


@pytest.mark.parametrize("name", ["x²", "½", "1a", "a-b", "⁰x"])
def test_exponents_and_fractions_are_no_names(name: str) -> None:
    assert f"'{name}' is not a name" in said(f"parameters: {{{name}: 3}}\nmax: [1]")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("max:\n  a:_5\n  b: _6", "6"), ("max:_{a:_5,_b:_6}", "6"), ("max: [_5,_7]", "7"),
        ("max:\n__a: 5\n__b:_{chance:_[1,_2]}", "5"),
        ("max:\n-_5\n-_label: x_y\n  utility:_7", "7"),
        ("title: One,_two\nmax: [1]", "1"),
        ("max: {10_€: 5, b: 3}\nexpect: {best:_10_€}", "5"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("blank", [BLANK, NARROW])
def test_a_blank_before_a_value_is_a_space(text: str, value: str, blank: str) -> None:
    assert said(text.replace("_", blank)) == f"value: {value}; "


def test_other_blanks_stay_in_texts() -> None:
    tree = et.loads(f"title: One,{BLANK}two\nmax: {{10{BLANK}€: 5}}")
    assert (tree.title, tree.branch_label(tree.root_id, 0)) == (f"One,{BLANK}two", f"10{BLANK}€")


@pytest.mark.parametrize(
    "expect",
    [f"best: {SPLIT}", f"values: {{{SPLIT}: 5}}", f"values: {{{SPLIT}/#1: 5}}",
     f"at: [{{set: {{x: 5}}, best: {SPLIT}}}]", f"star1: {{skipped: [{SPLIT}]}}"],
)  # fmt: skip
def test_labels_in_expect_are_compared_after_nfc(expect: str, tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    text = f"parameters: {{x: 5}}\nmax: {{größe: {{max: [x]}}, b: 3}}\nexpect: {{{expect}}}\n"
    file.write_text(text, "utf-8")
    result = invoke("verify", str(file))
    assert ("no such node" in result.output, result.exit_code) in [(False, 0), (False, 1)]
    assert result.exit_code == ("skipped" in expect)
    assert invoke("eval", str(file), "--explain", f"{SPLIT}/#1").exit_code == 0


EQUAL = cases("writing", "equal-keys")


@pytest.mark.parametrize("name", ["x.yaml", "x.json"])
@pytest.mark.parametrize(("text", "expected"), EQUAL)
def test_equal_probabilities_are_outcomes(text: str, expected: str, name: str) -> None:
    assert expected in said(text, name)
    if expected.startswith("value"):
        tree = et.loads(text, name=name)
        assert said(et.dumps(tree)) == said(et.dumps(tree, "json"), "x.json") == expected


TWO = "o\u0308"  # ö in two characters, which stand as @ below
OIL = "{prior: {a: 0.4, b: rest}}"


@pytest.mark.parametrize(
    "text",
    [
        f"events: {{öl: {OIL}}}\nmax: {{x: {{event: @l, chance: {{a: 5, b: -2}}}}}}",
        f"events: {{@l: {OIL}}}\nmax: {{x: {{event: öl, chance: {{a: 5, b: -2}}}}}}",
        "events: {e: {prior: {ö: 0.4, b: rest}}}\nmax: {x: {event: e, chance: {@: 5, b: -2}}}",
        "nodes: {ö: 0.8}\nmax: {x: {ref: @}}",
        "parameters: {@: 0.8}\nmax: {x: ö}",
        '{"nodes": {"ö": 0.8}, "max": {"x": {"ref": "@"}}}',
        "max: {ö: 0.8}\nexpect: {best: @}",
    ],
)
def test_a_letter_of_two_characters_is_the_letter(text: str) -> None:
    tree = et.loads(text.replace("@", TWO))
    assert et.evaluate(tree).value == 0.8
    assert et.verify(tree).broken == []
    assert tree.warnings == ()


@pytest.mark.parametrize("text", ["max: {ö: 1, @: 2}", '{"max": {"ö": 1, "@": 2}}'])
def test_siblings_whose_labels_look_alike_are_refused(text: str) -> None:
    with pytest.raises(FileError, match="duplicate label"):
        et.loads(text.replace("@", TWO))


@pytest.mark.parametrize(
    ("command", "option", "name"),
    [
        ("information", "--event", "@l"),
        ("sensitivity", "-p", "p@=0..1"),
        ("eval", "--set", "p@=1/2"),
    ],
)
def test_names_on_the_command_line_are_compared_as_in_files(
    command: str, option: str, name: str
) -> None:
    text = (
        "parameters: {pö: 0.4}\nevents: {öl: {prior: {a: pö, b: rest}}}\n"
        "max: {x: {event: öl, chance: {a: 5, b: -2}}, y: 0}"
    )
    assert invoke(command, "-e", text, option, name.replace("@", TWO)).exit_code == 0


TEST = ", test: {test_of: oil, likelihood: {p: {a: 0.9, b: 0.2}, m: {a: rest, b: rest}}}"


@pytest.mark.parametrize(
    ("more", "event", "said"),
    [
        ("", "oill, chance: {a: 5, b: -2}", True),
        ("", "Oil, chance: {a: 5, b: -2}", True),
        ("", "oil, chance: {a: 5, b: -2}", False),
        (TEST, "oil, chance: {a: 5, b: -2}", False),
        (TEST, "test, chance: {p: 1, m: 2}", False),
    ],
)
def test_an_event_that_is_not_used_causes_a_warning(more: str, event: str, said: bool) -> None:
    tree = et.loads(f"events: {{oil: {OIL}{more}}}\nmax: {{x: {{event: {event}}}, y: 0}}")
    warning = "the event 'oil' is not used"
    assert any(warning in other for other in tree.warnings) == said
