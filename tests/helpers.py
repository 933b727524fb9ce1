"""Helpers of the tests: the root folder, small trees and ways to run the program."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml
from click.testing import CliRunner, Result
from rich.console import RenderableType

import expectitree as et
from expectitree.analysis.evaluate.cuts import Cut, Explanation
from expectitree.base.numbers import MINUS
from expectitree.base.tree.model import Tree
from expectitree.cli import cli, main
from expectitree.games.built_in import BUILT_IN, EXAMPLES
from expectitree.games.finding import run_file
from expectitree.text.console import text_console, to_strings

# The compiled engine needs numba, which the quick tests do without.
COMPILED = pytest.param("compiled", marks=pytest.mark.extra)
ROOT = Path(__file__).resolve().parent.parent
# The games that come with the package, and the examples, by name.
GAMES = {name: f"game:{name}" for name in BUILT_IN} | {
    name: str(ROOT / reference) for name, reference in EXAMPLES.items()
}

LONG = (pytest.mark.slow, pytest.mark.long)  # `pytest -m slow` runs it, and `.ci/run` does not


def example(name: str) -> Any:
    """Return the module of a game in the folder of examples."""
    return run_file(str(ROOT / "docs" / "examples" / f"{name}.py"))


def cases(file: str, table: str) -> list[tuple[str, ...]]:
    """Return a table of a file in `tests/messages`: the texts of each case."""
    text = (ROOT / "tests" / "messages" / f"{file}.yaml").read_text("utf-8")
    return [tuple(case.values()) for case in yaml.load(text, yaml.BaseLoader)[table]]


def for_each(
    names: str, cases: Iterable[Any], more: Iterable[Any] = (), slow: Iterable[Any] = ()
) -> Callable[[Callable[..., None]], Any]:
    """Run a test with each case in turn, as one test; a failure names its case.

    The arguments are those of `pytest.mark.parametrize`, which makes a test of each case. With
    `slow` cases, there is a second test, a slow one; with `more` cases, another, a long one.
    """
    keys, parts = names.split(", "), {"quick": [*cases], "slow": [*slow], "more": [*more]}
    marks = {"quick": (), "slow": pytest.mark.slow, "more": LONG}
    chosen = [pytest.param(part, marks=marks[part]) for part, some in parts.items() if some]

    def decorate(test: Callable[..., None]) -> Any:
        @functools.wraps(test)
        def run(part: str = "quick", **fixtures: Any) -> None:
            for case in parts[part]:
                values = dict(zip(keys, case if len(keys) > 1 else [case], strict=True))
                try:
                    test(**fixtures, **values)
                except BaseException as error:
                    error.add_note(f"with {values}")
                    raise

        signature = inspect.signature(test)
        others = [one for name, one in signature.parameters.items() if name not in keys]
        if len(chosen) > 1:
            others.append(inspect.Parameter("part", inspect.Parameter.KEYWORD_ONLY))
        # pytest passes the arguments of this signature.
        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return pytest.mark.parametrize("part", chosen)(run) if len(chosen) > 1 else run

    return decorate


def seed_ranges(quick: int, slow: int, long: int) -> list[Any]:
    """Return seeds up to three numbers, as cases of a quick, of a slow and of a long test."""
    return [
        pytest.param(range(quick), id="quick"),
        pytest.param(range(quick, slow), id="many", marks=pytest.mark.slow),
        pytest.param(range(slow, long), id="all", marks=LONG),
    ]


def typed(text: str) -> str:
    """Return a text of the terminal with its numbers as they are typed: `−1,000` as `-1000`."""
    return re.sub(r"(?<=\d),(?=\d{3})", "", text).replace(MINUS, "-")


def cuts_of(explanation: Explanation) -> dict[int, Cut]:
    """Return every cut that holds at the end of a search, parents first."""
    order = explanation.search.tree.first_paths.order
    return {n: cut for n in order if (cut := explanation.cut(n)) is not None}


def invoke(*words: str, stdin: str | None = None, **environment: str) -> Result:
    """Run a command in this process, at 80 columns and piped; an error is an exception."""
    return CliRunner().invoke(cli, list(words), input=stdin, env={"COLUMNS": "80", **environment})


def objects(*words: str) -> list[dict[str, Any]]:
    """Return the objects that a command prints as JSON, one a line."""
    result = invoke(*words, "--format", "json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def object_of(*words: str) -> dict[str, Any]:
    """Return the only object that a command prints as JSON."""
    (found,) = objects(*words)
    return found


def rendered_lines(
    render: Callable[..., Iterable[RenderableType]],
    report: object,
    width: int = 80,
    unicode: bool = True,
    **settings: Any,
) -> list[str]:
    """Return the lines of a text renderer, without colour."""
    console = text_console(width, unicode)
    return "".join(to_strings(render(report, console.options, **settings), console)).splitlines()


@dataclass
class Done:
    """The exit status and the output of the program."""

    status: int
    out: str
    err: str


def run_main(*words: str, stdin: str | None = None, **environment: str) -> Done:
    """Run the whole program in this process, at 80 columns and piped; an error is a status."""
    environment = {"COLUMNS": "80", **environment}
    argv = mock.patch.object(sys, "argv", ["expectitree", *words])
    with CliRunner().isolation(stdin, environment) as (out, err, _), argv:
        with pytest.raises(SystemExit) as ended:
            main()
        sys.stderr.flush()  # click's stream for tests keeps what is printed
        status = ended.value.code
        assert isinstance(status, int)
        done = Done(status, out.getvalue().decode(), err.getvalue().decode())
    assert "Traceback" not in done.out + done.err
    return done


def error_of(*words: str, status: int = 2) -> str:
    """Return the error of a program that ends with a status, without line breaks."""
    done = run_main(*words)
    assert done.status == status
    return " ".join(sentences(done.err).split())


def sentences(errors: str) -> str:
    """Return errors of the program with what to do in the same line, as in the text of an error."""
    return re.sub(r"(?m)^expectitree: |error: ", "", errors).replace("\nhelp: ", ": ")


def in_a_terminal(
    *words: str, talk: Iterable[tuple[bytes, bytes]] = (), columns: int = 60, **environment: str
) -> Done:
    """Run the program in a terminal of that width; type a text after each prompt of a talk.

    The output is all that the terminal shows after the last text.
    """
    import pty
    import termios

    child, terminal = pty.fork()
    if child == 0:
        termios.tcsetwinsize(0, (24, columns))
        os.environ |= {"TERM": "xterm", **environment}
        os.environ.pop("COLUMNS", None)
        os.execv(sys.executable, [sys.executable, "-m", "expectitree", *words])
    for prompt, typed in talk:
        seen = b""
        while prompt not in seen:
            seen += os.read(terminal, 4096)
        os.write(terminal, typed)
    seen = b""
    with suppress(OSError):  # the program has ended
        while more := os.read(terminal, 4096):
            seen += more
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os.close(terminal)
    return Done(status, seen.decode().replace("\r\n", "\n"), "")


def load(source: Any, exact: bool = True, **about: Any) -> Tree:
    """Return the tree of a file, in fractions or in floats."""
    tree = et.load(source, **about)
    return tree if exact else tree.floats


def loads(text: str, exact: bool = True, **about: Any) -> Tree:
    """Return the tree of a text, in fractions or in floats."""
    tree = et.loads(text, **about)
    return tree if exact else tree.floats
