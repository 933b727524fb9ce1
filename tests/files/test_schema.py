"""The JSON Schema accepts and refuses the same files as the reader, as far as a schema can."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
import yaml
from files.bad_cases import CASES
from files.samples import SHIPPED, random_full_tree
from helpers import ROOT, cases, for_each, invoke
from test_docs import blocks

import expectitree as et
from expectitree.base.algorithms import ALGORITHMS
from expectitree.base.errors import FileError, NumberError
from expectitree.base.reading import to_bound, to_fraction, to_probability
from expectitree.files.grammar import expect
from expectitree.files.grammar.keys import NODE_KEYS, ROOT_KEYS, SCHEMA_KEY

SCHEMA_FILE = ROOT / "expectitree" / "files" / "tree.schema.json"
SCHEMA = json.loads(SCHEMA_FILE.read_text("ascii"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)

# Mistakes that no schema can detect, and the files of `bad/` with no others. The list is exact.
UNSEEN = {
    "a sum of probabilities": """
        event-prior.yaml normalize-far.yaml
        json-p-sum.json p-sum-close.yaml p-sum-fractions.yaml p-sum-zero.yaml p-sum.yaml
        p-key-mixed.yaml p-key-percent.yaml p-key-sum.yaml p-rest-key-sum.yaml p-rest-sum.yaml""",
    "a key or a label twice (an editor's own parser says so)": """
        duplicate-key-kind.yaml duplicate-key-named.yaml duplicate-key-thrice.yaml
        duplicate-key.yaml
        duplicate-label-list.yaml duplicate-label.yaml duplicate-name.yaml expect-duplicate.yaml
        json-duplicate-key.json json-duplicate-label.json
        p-key-label.yaml p-labels-twice.yaml p-labels-twice-inner.yaml""",
    "a number label in another place": "json-label-hash.json label-hash-elsewhere.yaml",
    "a ref that leads nowhere": """
        ref-unknown-many.yaml ref-unknown.yaml ref-without-nodes.yaml""",
    "a replacement of a parameter that its node does not use, or that is too long": """
        with-long.yaml with-unused.yaml""",
    "a cycle": """
        json-ref-cycle.json ref-cycle-alias.yaml ref-cycle-names.yaml
        ref-cycle-unused.yaml ref-cycle.yaml with-cycle.yaml
        """,
    "bounds that do not hold": """
        bounds-apart.yaml bounds-estimate.yaml bounds-inherited.yaml
        bounds-intersected.yaml bounds-own.yaml reward-outside-bounds.yaml
        bounds-shared.yaml bounds-turned.yaml bounds-utility.yaml
        expect-bounds.yaml json-bounds.json
        question-bounds.yaml unused-name-bounds.yaml""",
    "a number by its text (an editor has its value, and none is too great for --exact)": """
        bounds-nan.yaml number-exponent.yaml number-long.yaml""",
    "a formula, or a name in it (a word alone may be the name of a parameter)": """
        control-character-label.yaml crlf.yaml more-than-twenty.yaml number-estimate.yaml
        p-percent-fraction.yaml p-rest-word.yaml path-escaped.yaml tag-custom.yaml
        param-cycle.yaml param-itself.yaml param-unknown.yaml until-without-value.yaml
        objective-constant.yaml objective-function.yaml objective-name.yaml
        objective-product.yaml objective-without.yaml""",
    "a distribution that does not fit its value or the others": "distribution-value.yaml",
    "a number where the root has criteria": "criteria-cost.yaml",
    "the value of a formula": """
        formula-bounds.yaml formula-large.yaml formula-many.yaml formula-named.yaml formula-p.yaml
        event-likelihood.yaml formula-value.yaml param-table-below.yaml
        param-table-below-several.yaml with-event.yaml
        with-value.yaml""",
    "the labels of an event": """
        event-labels.yaml event-signal.yaml event-turned.yaml event-turned-before.yaml""",
    "a utility that does not increase, or not for all totals, and a name in it": """
        attitude-decreases.yaml attitude-name.yaml attitude-number.yaml attitude-outside.yaml
        attitude-points.yaml
        attitude-wealth.yaml attitude-zero.yaml""",
    "tags": "tag-plain.yaml tag.yaml",
    "half of a surrogate pair": "json-surrogate-utility.json json-surrogate.json",
    "null, which YAML's readers make of nothing, and nothing is an empty text": "json-title.json",
}  # fmt: skip


# ---- A file as an editor parses it: by the core schema of YAML 1.2.

CORE = [
    (re.compile(r"|~|null|Null|NULL"), lambda text: None),
    (re.compile(r"true|True|TRUE|false|False|FALSE"), lambda text: text.lower() == "true"),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text, 8)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text, 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(inf|Inf|INF)"), lambda text: float(text.replace(".", ""))),
    (re.compile(r"\.(nan|NaN|NAN)"), lambda text: float("nan")),
]


class NotReadError(Exception):
    """The parser of an editor refuses the text."""


def parsed_by_editor(text: str, name: str) -> Any:
    """Return the document as an editor parses it, or raise `NotReadError`."""
    if name.endswith(".json"):
        try:
            return json.loads(text, parse_constant=lambda name: json.loads(f"no {name} in JSON"))
        except json.JSONDecodeError as error:
            raise NotReadError from error
    try:
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise NotReadError from error
    return None if root is None else plain(root, ())


def plain(node: Any, above: tuple[Any, ...]) -> Any:
    if node in above:
        raise NotReadError
    if isinstance(node, yaml.MappingNode):
        if not all(isinstance(key, yaml.ScalarNode) for key, _ in node.value):
            raise NotReadError
        return {key.value: plain(value, (*above, node)) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [plain(value, (*above, node)) for value in node.value]
    if not node.style:
        for pattern, typed in CORE:
            if pattern.fullmatch(node.value):
                return typed(node.value)
    return node.value


def schema_errors(data: Any) -> list[str]:
    return [
        f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}"
        for e in VALIDATOR.iter_errors(data)
    ]


# ---- The schema.


def test_the_schema_is_valid() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    json.dumps(SCHEMA).encode("ascii")


def test_every_reference_is_defined_and_every_definition_used() -> None:
    used = set(re.findall(r'"#/definitions/([^"]+)"', json.dumps(SCHEMA)))
    assert used == set(SCHEMA["definitions"])


def test_every_key_and_algorithm_of_the_grammar_is_there_with_a_description() -> None:
    definitions = SCHEMA["definitions"]
    of = {
        "key": {*NODE_KEYS, *ROOT_KEYS, SCHEMA_KEY},
        "expect": set(expect.KEYS),
        "run": set(expect.RUN_KEYS),
    }
    for group, keys in of.items():
        named = {
            name.removeprefix(f"{group}.") for name in definitions if name.startswith(f"{group}.")
        }
        assert named == keys
        for key in keys:
            assert definitions[f"{group}.{key}"]["description"].endswith((".", ")"))
    assert set(ALGORITHMS) <= set(definitions["key.expect"]["properties"])
    assert set(SCHEMA["properties"]) == of["key"] - {"p", "label", "with"}
    for place in ("child", "labelledChild", "outcome", "labelledOutcome"):
        keys = set(definitions[place]["properties"])
        assert keys | {"p", "label"} == set(NODE_KEYS)
        assert ("p" in keys, "label" in keys) == (
            "utcome" in place,
            not place.startswith("labelled"),
        )


@for_each("name", sorted(SCHEMA["definitions"]))
def test_examples_and_defaults_are_valid(name: str) -> None:
    part = SCHEMA["definitions"][name]
    validator = jsonschema.Draft7Validator({**part, "definitions": SCHEMA["definitions"]})
    for example in [*part.get("examples", []), *([part["default"]] if "default" in part else [])]:
        assert [error.message for error in validator.iter_errors(example)] == []


# ---- Valid files.


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_trees_are_valid(path: Path) -> None:
    assert schema_errors(parsed_by_editor(path.read_text("utf-8"), path.name)) == []


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_trees_name_the_schema(path: Path) -> None:
    """They name the file that `expectitree schema` prints."""
    text = path.read_text("utf-8")
    if path.suffix == ".json":
        named = json.loads(text)[SCHEMA_KEY]
    else:
        named = text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
    printed = invoke("schema").output
    assert (path.parent / named).resolve() == SCHEMA_FILE
    assert printed == SCHEMA_FILE.read_text("ascii")


@pytest.mark.parametrize("document", ["README.md", "docs/reference/tree-file.md"])
def test_examples_of_the_documentation_are_valid(document: str) -> None:
    texts = blocks(ROOT / document, "yaml")
    assert texts
    for text in texts:
        text = (
            text if re.search("^(max|min|chance|ref):", text, re.MULTILINE) else text + "max: [0]\n"
        )
        assert schema_errors(parsed_by_editor(text, "x.yaml")) == []


def test_templates_of_new_are_valid() -> None:
    assert schema_errors(parsed_by_editor(invoke("new").output, "x.yaml")) == []


GOOD = [
    "max: [1e400, '1e400', -1e-400, '+.5', 7., 1/7, '0001/0003']",
    f"max: ['{'9' * 400}', 1/{'3' * 398}]",
    "chance: [{p: -0, utility: 1}, {p: '-0/3', utility: 1}, {p: +1.000, utility: 1}, {p: 0%, "
    "utility: 2}]",
    "chance: [{p: 1e2%, utility: 1}, {p: '000', utility: 1}]",
    "chance: {a: {p: .25e0, max: [1]}, b: {p: 3/4, ref: c}}\nnodes: {c: &c {min: [1]}, d: *c}",
    "title: no\nsource: 2024\nnote: ~\nmax: [{note: , utility: 1}, {label: 1.0, utility: 2}, "
    "{label: no, utility: 2}]",
    "title:\nexpect:\nmax: [1]",
    'max: [1]\nexpect: ""',
    "expect: {best: 1, value: '1/3', star1: [], star2: {}, alphabeta: {skipped: 1, leaves: "
    "'007'}}\nmax: {1: 1/3}",
    "expect: {values: {}, star2.5: [{probes: '01', bounds: [-.inf, .Inf]}]}\nnodes: {}\nmax: {no: "
    "1, ~: 2, '#3': 3}",
    "parameters: {p: 1/2}\nmax: [{ref: a, with: {p: 0.3}}, {ref: a, with: {p: p/2}}]\n"
    "nodes: {a: {max: [p]}}",
    "ref: a\nnote: here\ntitle: t\nexpect: {value: 1}\nnodes: {a: 1}",
    "$schema: x\nmax: [1]",
    "chance: {0.7: {label: a, utility: 1}, 3/10: {note: b, max: [1]}}",
    "parameters: {x: 2, y_1: 2*x - 1e-3, z: {value: '-(x + .5)^2', range: [0, 1e3], unit: $, "
    "description: 7}}\nmax: [x, '-x', {utility: 'max(x, y_1, 2)', cost: 5%, note: x}, "
    "{estimate: z/3, min: ['if(x <= y_1, abs (x), 2^-x)']}]",
    "parameters: {p: 50%}\nchance: {a: {event: e, p: p, chance: [1, 2]}, b: {p: '1 - p', utility: "
    "p*100%}}",
    "parameters: {a: {distribution: beta(12, 12)}, b: {value: 1, distribution: 'normal(0, 2^2)'}, "
    "c: {distribution: {discrete: {10: 30%, -2: 0.7}}}, d: {distribution: {dirichlet: 3, set: s}}, "
    "e: {distribution: {dirichlet: 1.5, set: s}}, f: {value: 2, distribution: {csv: x.csv, column: "
    "g}}}\nmax: [a + b + c, d + e + f]\n",
    "parameters: {a: 40, m: {by: a + 1, table: {-1: 1/3, 40: a*2, 5e1: 5%}, between: linear, unit: "
    "$}, n: {by: a, table: {1: 2, 3: 4}}}\nmax: [m, n]",
    "parameters: {q: 1/3}\nchance: [{p: q/2, utility: 1}, {p: rest, utility: 2}]\n"
    "expect: {at: [{set: {q: 10%}, value: 19/10}, {set: {q: .5}}]}",
    "max: [{utility: 2*3}, {chance: [{p: 1 - 0.3, utility: 1}, {p: rest, reward: (1), max: [1]}]}]",
    "chance: {0: 1, 0.5: 2, 50%: 3, rest: 4}",
    "chance: {3/2: {p: 1/2, utility: 1}, 1/2: {p: rest, utility: 2}}",
    "chance: [{p: 30%, utility: 1}, {p: rest, utility: 2}]",
    "chance: {0: {p: 1/2, utility: 1}, 1: {p: 1/2, utility: 2}}",
    "max: [{utility: '?'}, {utility: \"?\", note: x, bounds: [0, 1]}, {ref: u}]\n"
    "nodes: {u: {utility: '?'}}",
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_files_that_the_reader_accepts_are_valid(text: str) -> None:
    et.loads(text, name="x.yaml")
    assert schema_errors(parsed_by_editor(text, "x.yaml")) == []


@pytest.mark.parametrize("format", ["yaml", "json"])
def test_written_files_are_valid(format: str) -> None:
    for seed in range(80):
        text = et.dumps(random_full_tree(seed, seed % 2 == 0), format)
        assert schema_errors(parsed_by_editor(text, f"x.{format}")) == [], text


# ---- Bad files.


def test_every_file_listed_as_undetectable_exists() -> None:
    names = [name for files in UNSEEN.values() for name in files.split()]
    assert len(names) == len(set(names))
    assert set(names) <= CASES.keys()


@for_each("name", [name for name in CASES if name.endswith((".yaml", ".json"))])
def test_bad_files_are_invalid_or_listed_as_undetectable(name: str) -> None:
    """The parser or the schema refuses each one, or the list names it."""
    text = CASES[name].text
    try:
        refused = schema_errors(parsed_by_editor(text, name)) != []
    except NotReadError:
        refused = True
    listed = [kind for kind, files in UNSEEN.items() if name in files.split()]
    assert refused == (not listed), listed or "the schema lets it pass"


@pytest.mark.parametrize(
    ("text", "place"),
    cases("interfaces", "schema"),
)
def test_each_fault_is_reported_at_its_place(text: str, place: str) -> None:
    with pytest.raises(FileError):
        et.loads(text, name="x.yaml")
    assert place in {
        fault.partition(": ")[0] for fault in schema_errors(parsed_by_editor(text, "x.yaml"))
    }


# ---- Numbers as text.


def is_valid(text: str, part: str) -> bool:
    schema = {"$ref": f"#/definitions/{part}", "definitions": SCHEMA["definitions"]}
    return bool(jsonschema.Draft7Validator(schema).is_valid(text))


@pytest.mark.slow
def test_number_patterns_match_the_numbers_that_the_reader_accepts() -> None:
    """Patterns of numbers and bounds match exactly what the reader accepts.

    The pattern of probabilities matches at least as much.
    """
    random = Random(1)
    pieces = (
        "0", "1", "9", "00", "400", "401", ".", "-", "+", "e", "E", "/", "%", "inf", "Inf", " ",
        "_", "x", "5",
    )  # fmt: skip
    numbers = probabilities = 0
    for _ in range(6000):
        text = "".join(random.choices(pieces, k=random.randint(1, 6)))

        def accepted(read: Any, text: str = text) -> bool:
            try:
                read(text, True)
            except NumberError:
                return False
            return True

        numbers += accepted(lambda text, _: to_fraction(text))
        assert is_valid(text, "number") == accepted(lambda text, _: to_fraction(text)), text
        assert is_valid(text, "key.utility") or not is_valid(text, "number")
        schema = {"items": SCHEMA["definitions"]["bounds"]["items"]}
        assert jsonschema.Draft7Validator(schema).is_valid([text]) == accepted(to_bound), text
        if accepted(to_probability):
            probabilities += 1
            assert is_valid(text, "key.p"), text
        elif is_valid(text, "key.p") and accepted(lambda text, _: to_fraction(text)):
            assert "e" in text.lower() or "/" in text, text  # These exceed 1 in a way that
            assert to_fraction(text) > Fraction(1)  # no pattern can tell.
    assert [is_valid(text, part) for part in ("key.utility", "number") for text in ("?", "??")] == [
        True,
        *[False] * 3,
    ]
    assert numbers > 400
    assert probabilities > 150


# ---- The key `$schema`.


@pytest.mark.parametrize(
    ("text", "message"),
    cases("interfaces", "schema-key"),
)  # fmt: skip
def test_mistakes_in_the_schema_key_are_reported(text: str, message: str) -> None:
    with pytest.raises(FileError) as caught:
        et.loads(text, name="x.json")
    assert str(caught.value).startswith(f"x.json:{message}")


def test_writing_keeps_the_schema_key_and_converting_drops_it(tmp_path: Path) -> None:
    for name, line in (
        ("a.yaml", "# yaml-language-server: $schema=x\n"),
        ("a.json", '{"$schema": "x", '),
    ):
        file = tmp_path / name
        body = "max: [1]\n" if name == "a.yaml" else '"max": [1]}'
        file.write_text(line + body)
        assert invoke("verify", "--write", str(file)).exit_code == 0
        assert file.read_text().startswith(line)
        assert '"value": 1' in file.read_text() or "value: 1" in file.read_text()
        out = tmp_path / f"to-{name}"
        assert invoke("convert", str(file), str(out)).exit_code == 0
        assert "schema" not in out.read_text()
