"""Completion: by the protocol, in process and through the scripts of bash, zsh and fish."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from helpers import ROOT

from expectitree.algorithms import ALGORITHMS
from expectitree.cli import COMMANDS, cli, completion
from expectitree.cli.options import tree_path
from expectitree.searches.engine import ENGINES

ODD = """\
max:
  "it's": {min: [1, 2]}
  'a/b "c"': {min: {"x:y=z": {max: [1]}, '$HOME': 2, 'back\\slash': {max: [3]}}}
  '#tag': 3
  é 日本: {max: [1, 2]}
  "new\\nline": 4
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to stand in, with trees and other files."""
    (tmp_path / "my trees").mkdir()
    for name in ("risk.yaml", "pacman-corridor.yaml", "shared.yaml"):
        shutil.copy(ROOT / "trees" / name, tmp_path)
    (tmp_path / "my trees" / "one.json").write_text('{"max": {"a": 1}}')
    (tmp_path / "odd.yaml").write_text(ODD, "utf-8")
    (tmp_path / "bad.yaml").write_text("max: {a: x}")
    for name in ("notes.txt", ".hidden.yaml", "table.csv"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(before: str, after: str = "", shell: str = "fish") -> list[str]:
    """Return what a shell reads for a line with the cursor behind `before`."""
    environment = {
        "COMP_WORDS": f"expectitree {before}{after}",
        "COMP_BEFORE": f"expectitree {before}",
    }
    return answered(shell, environment)


def answered(shell: str, environment: dict[str, str]) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("COMP_WORDS", "COMP_BEFORE", "COMP_CWORD", "COMP_CURRENT"):
            patch.delenv(name, raising=False)
        for name, value in environment.items():
            patch.setenv(name, value)
        shell_class = completion.SHELLS[shell]
        return shell_class(cli, {}, "expectitree", completion.VARIABLE).complete().splitlines()


def values(before: str, after: str = "") -> list[str]:
    """Return the completions alone."""
    return [line.partition(",")[2].partition("\t")[0] for line in typed(before, after)]


# ---- Commands, options and their values.


def test_commands() -> None:
    assert typed("") == [f"plain,{name}\t{about}" for name, about in COMMANDS.items()]
    assert values("co") == ["compare", "convert", "completion"]
    assert values("--v") == ["--version"]


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_every_command(command: str) -> None:
    context = click.Context(cli, info_name="expectitree")
    found = cli.get_command(context, command)
    assert found is not None
    names = {name for p in found.params if isinstance(p, click.Option) for name in p.opts}
    assert names <= set(values(f"{command} -"))
    assert "--help" in values(f"{command} --h")


def test_option_values() -> None:
    assert values("eval --engine ") == list(ENGINES)
    assert values("eval --format=j") == ["--format=json"]
    assert values("eval --format j") == ["json"]
    assert values("eval --probe-order ") == ["cyclic", "sequential"]
    assert typed("compare --order ") == ["plain,given", "plain,best", "plain,worst", "part,random:"]
    assert typed("compare --order=r") == ["part,--order=random:"]
    assert values("generate --order b") == ["best"]
    assert values("generate la") == ["lattice"]
    assert values("completion ") == list(completion.SHELLS)
    assert values("eval --bounds ") == []


def test_algorithms_that_are_left() -> None:
    assert values("eval -a ") == list(ALGORITHMS)
    assert values("compare -a star") == ["star1", "star2", "star2.5"]
    assert values("compare -a star1 --algorithm star") == ["star2", "star2.5"]
    assert values("compare -a star1 -a star1") == []
    assert values("compare -a star2") == ["star2", "star2.5"]
    assert values("compare --algorithm=star", " -a star2") == [
        "--algorithm=star1",
        "--algorithm=star2.5",
    ]


# ---- Files.


def test_tree_files_and_folders(folder: Path) -> None:
    files = ["bad.yaml", "odd.yaml", "pacman-corridor.yaml", "risk.yaml", "shared.yaml"]
    trees = ["bad.yaml", "folder,my trees/", *files[1:]]
    for command in (
        "eval",
        "compare",
        "trace",
        "limit",
        "rescale",
        "opponents",
        "verify",
        "convert",
    ):
        assert values(f"{command} ") == ["bad.yaml", "my trees/", *files[1:]]
    assert typed("eval ") == [name if "," in name else f"file,{name}" for name in trees]
    assert values("verify r") == values("verify risk.yaml r") == ["risk.yaml"]
    assert (
        values("eval my\\ trees/")
        == values("eval 'my trees/")
        == values('eval "my trees/o')
        == ["my trees/one.json"]
    )
    assert values("eval ./my") == ["./my trees/"]
    assert values("eval .h") == [".hidden.yaml"]
    assert values(f"eval {folder}/r") == [f"{folder}/risk.yaml"]
    assert values("eval nowhere/") == values("eval r\\*") == []
    assert values("convert risk.yaml -") == [*values("convert -")]
    assert "table.csv" in values("rescale --table t")
    assert values("generate ballard -o r") == ["risk.yaml"]
    assert values("eval -- r") == ["risk.yaml"]


def test_files_at_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert typed("eval ~/r") == ["file,~/risk.yaml"]
    assert typed("eval ~/r", shell="bash") == [f"file,{folder}/risk.yaml"]


def test_tables_are_tree_files_too(folder: Path) -> None:
    (folder / "big.ARROW").write_bytes(b"")
    assert values("eval b") == ["bad.yaml", "big.ARROW"]


# ---- Paths within the tree.


def test_paths_label_by_label(folder: Path) -> None:
    assert typed("trace pacman-corridor.yaml --at ") == [
        "part,left/\tCHANCE",
        "part,right/\tCHANCE",
    ]
    assert typed("trace pacman-corridor.yaml --at right/") == [
        "file,right/to 4\t0",
        "part,right/to 6/\tMAX",
    ]
    assert values("trace pacman-corridor.yaml --at left/to\\ 4/r") == ["left/to 4/right/"]
    assert values("trace pacman-corridor.yaml --at 'left/to 4/left/") == [
        "left/to 4/left/to 3",
        "left/to 4/left/to 5",
    ]
    assert values("eval risk.yaml --explain r") == ["right/"]
    assert values("trace risk.yaml --at left/") == ["left/#1", "left/#2"]
    assert values("trace risk.yaml --at=left/") == ["--at=left/#1", "--at=left/#2"]
    assert values("trace risk.yaml --at /") == ["/"]
    assert values("trace risk.yaml --at x") == values("trace risk.yaml --at x/y/") == []
    assert values("trace risk.yaml --at left/#1/") == []


def test_the_file_may_stand_behind_the_cursor(folder: Path) -> None:
    assert values("trace --at ", " risk.yaml") == ["left/", "right/"]
    assert values("trace --at=l", " -a star1 risk.yaml") == ["--at=left/"]
    assert values("trace --at le", "ft/x risk.yaml") == ["left/"]
    assert values("eval --explain ", " risk.yaml") == ["left/", "right/"]


def test_the_tree_may_be_typed(folder: Path) -> None:
    assert values("eval -e 'max: {a: 1, bc: {min: [1]}, bd: 3}' --explain b") == ["bc/", "bd"]


def test_without_a_tree(folder: Path) -> None:
    """`eval --explain FILE` is allowed, so that files are completed there."""
    assert values("trace --at ") == []
    assert values("eval --explain r") == ["risk.yaml"]
    assert (
        values("trace bad.yaml --at ")
        == values("trace nowhere.yaml --at ")
        == values("trace - --at ")
        == []
    )
    assert values("trace 'my trees' --at ") == values("trace notes.txt --at ") == []


def test_labels_that_need_escapes(folder: Path) -> None:
    found = ["it's/", 'a\\/b "c"/', "#tag", "é 日本/"]
    assert values("trace odd.yaml --at ") == found  # one that no line can hold is left out
    assert values("trace odd.yaml --at a") == values("trace odd.yaml --at 'a\\/") == ['a\\/b "c"/']
    below = ['a\\/b "c"/x:y=z/', 'a\\/b "c"/$HOME', 'a\\/b "c"/back\\\\slash/']
    assert values('trace odd.yaml --at \'a\\/b "c"/') == below
    assert values('trace odd.yaml --at \'a\\/b "c"/back\\') == below[2:]
    assert values("trace odd.yaml --at é\\ 日本/") == ["é 日本/#1", "é 日本/#2"]


def test_what_is_completed_is_a_path(folder: Path) -> None:
    """A slash at the end, as shells leave it there, is no label."""
    for arguments in (
        ["trace", "risk.yaml", "--at", "left/"],
        ["eval", "risk.yaml", "--explain", "left/"],
        ["eval", "risk.yaml", "--explain=/"],
        ["trace", "odd.yaml", "--at", 'a\\/b "c"/'],
    ):
        assert CliRunner().invoke(cli, arguments).exit_code == 0, arguments
    for path, wanted in {
        "a/": "a",
        "a\\/": "a\\/",
        "a\\\\/": "a\\\\",
        "/": "/",
        "a": "a",
        None: None,
    }.items():
        assert tree_path(click.Context(cli), click.Option(["--at"]), path) == wanted


def test_the_tree_is_that_which_is_searched(folder: Path) -> None:
    """Its children stand in the order that is asked for, and a depth limit cuts."""
    tree = "max: [1, {min: [2, 3]}]\nestimate: 0\n"
    (folder / "t.yaml").write_text(tree)
    assert values("trace t.yaml --at ") == ["#1", "#2/"]
    assert values("trace t.yaml --order best --at ") == ["#2/", "#1"]
    assert values("trace t.yaml --depth 0 --at ") == []
    assert values("trace t.yaml --order nonsense --at ") == ["#1", "#2/"]


def test_a_large_file_is_left_alone(folder: Path) -> None:
    (folder / "large.yaml").write_text(f"max: [{'1, ' * 400_000}1]")
    (folder / "wide.yaml").write_text(f"max: [{'1, ' * 300_000}1]")
    assert values("trace large.yaml --at ") == []
    assert len(values("trace wide.yaml --at ")) == completion.MOST_ITEMS


# ---- What each shell is told.


def test_click_s_own_protocol() -> None:
    environment = {"COMP_WORDS": "expectitree compare --format ma trees", "COMP_CWORD": "3"}
    assert answered("bash", environment) == ["plain,markdown"]
    assert answered("zsh", environment) == ["plain", "markdown", "_"]
    assert answered("bash", {"COMP_WORDS": "expectitree ", "COMP_CWORD": "1"})[0] == "plain,eval"


@pytest.mark.parametrize(
    ("before", "current", "found"),
    [
        ("trace odd.yaml --at=a", "a", ['part,a\\/b "c"/']),
        (
            "trace odd.yaml --at=",
            "=",
            ["part,it's/", 'part,a\\/b "c"/', "file,#tag", "part,é 日本/"],
        ),
        ('trace odd.yaml --at=a\\\\/b\\ \\"c\\"/x:y', "y", ["part,y=z/"]),
        ('trace odd.yaml --at=a\\\\/b\\ \\"c\\"/x:', ":", ["part,y=z/"]),
        ('trace odd.yaml --at \'a\\/b "c"/x:y', '\'a\\/b "c"/x:y', ['part,a\\/b "c"/x:y=z/']),
        (
            "trace odd.yaml --at ",
            "",
            ["part,it's/", 'part,a\\/b "c"/', "file,#tag", "part,é 日本/"],
        ),
        ("compare --order=r", "r", ["part,random:"]),
    ],
)
def test_bash_takes_what_stands_behind_a_break(
    folder: Path, before: str, current: str, found: list[str]
) -> None:
    line = f"expectitree {before}"
    assert (
        answered("bash", {"COMP_WORDS": line, "COMP_BEFORE": line, "COMP_CURRENT": current})
        == found
    )


def test_zsh_has_three_lines_an_item(folder: Path) -> None:
    assert typed("trace risk.yaml --at=l", shell="zsh") == ["part", "--at=left/", "CHANCE"]
    assert typed("eval my", shell="zsh") == ["folder", "my trees/", "_"]


def test_powershell_quotes(folder: Path) -> None:
    """A value that PowerShell would read otherwise stands in single quotes."""
    assert typed("eval r", shell="powershell") == ["file,risk.yaml\trisk.yaml\trisk.yaml"]
    assert typed("trace odd.yaml --at ", shell="powershell") == [
        "part,'it''s/'\tit's/\tMIN",
        'part,\'a\\/b "c"/\'\ta\\/b "c"/\tMIN',
        "file,'#tag'\t#tag\t3",
        "part,'é 日本/'\té 日本/\tMAX",
    ]
    assert typed("trace 'pacman-corridor.yaml' --at 'right/to ", shell="powershell") == [
        "file,'right/to 4'\tright/to 4\t0",
        "part,'right/to 6/'\tright/to 6/\tMAX",
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a  b", ["a", "b"]),
        ("a 'b c' d", ["a", "b c", "d"]),
        ('\'it\'\'s\' "say `"x`" ""y"""', ["it's", 'say "x" "y"']),
        ("a` b c\\d", ["a b", "c\\d"]),
        ("--at='left/to 4'/x", ["--at=left/to 4/x"]),
        ("a 'open b", ["a", "open b"]),
        ('a "open b', ["a", "open b"]),
        ("", []),
    ],
)
def test_words_of_powershell(line: str, words: list[str]) -> None:
    assert completion.SHELLS["powershell"].words(line) == words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a  b\\ c 'd e'", ["a", "b c", "d e"]),
        ("a 'open b", ["a", "open b"]),
        ("a \\", ["a", ""]),
        ("a #b", ["a", "#b"]),
        ("", []),
    ],
)
def test_words_of_the_others(line: str, words: list[str]) -> None:
    assert completion.SHELLS["bash"].words(line) == words


# ---- The program, as a shell calls it.


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH in which `expectitree` is the one that is tested."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "expectitree"
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m expectitree "$@"\n'
    )
    script.chmod(0o755)
    return folder


def run(
    program: Path, arguments: list[str], **environment: str
) -> subprocess.CompletedProcess[str]:
    path = f"{program}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        arguments,
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        encoding="utf-8",
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_the_program_answers_and_is_never_heard_otherwise(folder: Path, program: Path) -> None:
    def asked(variable: str, **environment: str) -> tuple[int, str, str]:
        done = run(program, ["expectitree"], _EXPECTITREE_COMPLETE=variable, **environment)
        return done.returncode, done.stdout, done.stderr

    assert asked("bash_complete", COMP_WORDS="expectitree eval --format j", COMP_CWORD="3") == (
        0,
        "plain,json\n",
        "",
    )
    for line in (
        "expectitree trace bad.yaml --at ",
        "expectitree nonsense --x 'y",
        "expectitree trace --at \0"[:-1],
    ):
        status, _, errors = asked("bash_complete", COMP_WORDS=line, COMP_BEFORE=line)
        assert (status, errors) == (0, "")
    assert asked("bash_complete") == (0, "", "")
    assert asked("bash_complete", COMP_WORDS="expectitree", COMP_CWORD="many") == (0, "", "")
    assert asked("zsh_source") == (0, completion.SHELLS["zsh"].script, "")
    assert asked("tcsh_complete") == (1, "", "")
    assert asked("") == (1, "", "")


def test_ordinary_use_does_not_import_it() -> None:
    code = (
        "import sys; sys.argv = ['expectitree', 'trace', '-e', 'max: {a: 1}', '-a', 'star1', '--at', 'a/']\n"
        "from expectitree.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('click.shell_completion', 'expectitree.cli.completion') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_the_script_says_how_to_install_it(shell: str) -> None:
    printed = CliRunner().invoke(cli, ["completion", shell]).output
    assert f"expectitree completion {shell}" in "\n".join(printed.splitlines()[:4])
    assert f"{completion.VARIABLE}" in printed
    assert printed.isascii()


def test_bash(folder: Path, program: Path) -> None:
    """The script in a real bash, which is told what it tells: the line, its words, and which is wanted."""

    def completed(line: str, *words: str) -> list[str]:
        setting = 'COMP_LINE=$1 COMP_POINT=${#1}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))'
        show = 'printf "%s\\n" "${COMPREPLY[@]}"'
        script = f'eval "$(expectitree completion bash)"; {setting}; _expectitree_completion "$1"; {show}'
        done = run(program, ["bash", "--norc", "-c", script, "bash", line, *words])
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert completed("expectitree con", "expectitree", "con") == ["convert"]
    assert completed("expectitree eval my", "expectitree", "eval", "my") == ["my trees"]
    words = ["expectitree", "trace", "pacman-corridor.yaml", "--at"]
    assert completed(f"{' '.join(words)} ", *words, "") == ["left/", "right/"]
    assert completed(f"{' '.join(words)}=left/to\\ 4/", *words, "=", "left/to\\ 4/") == [
        "left/to 4/left/",
        "left/to 4/right/",
    ]
    assert completed(
        "expectitree trace odd.yaml --at 'it", "expectitree", "trace", "odd.yaml", "--at", "'it"
    ) == ["it's/"]
    done = run(
        program,
        ["bash", "--norc", "-c", 'eval "$(expectitree completion bash)"; complete -p expectitree'],
    )
    assert done.stdout == "complete -o nosort -F _expectitree_completion expectitree\n"


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish(folder: Path, program: Path) -> None:
    def completed(line: str) -> list[str]:
        script = "expectitree completion fish | source; complete -C $argv[1]"
        done = run(program, ["fish", "--no-config", "-c", script, line], HOME=str(folder))
        assert done.stderr == ""
        return done.stdout.replace("\\ ", " ").splitlines()  # some versions show them with escapes

    assert completed("expectitree con") == [f"convert\t{COMMANDS['convert']}"]
    assert completed("expectitree eval my") == ["my trees/"]
    assert completed("expectitree trace pacman-corridor.yaml --at=left/to\\ 4/") == [
        "--at=left/to 4/left/\tCHANCE",
        "--at=left/to 4/right/\tCHANCE",
    ]
    assert completed("expectitree trace odd.yaml --at é") == ["é 日本/\tMAX"]


@pytest.mark.skipif(not shutil.which("zsh"), reason="zsh is not installed")
def test_zsh(folder: Path, program: Path) -> None:
    """The function in a real zsh, with the parts of its completion system that it uses put in place."""

    def completed(*words: str, prefix: str) -> list[str]:
        script = (
            "compdef() {}; "
            '_describe() { local name=$3; print -rl -- "${(@P)name}"; }; '
            'eval "$(expectitree completion zsh)"; '
            "PREFIX=$1; shift; words=(expectitree $@ $PREFIX); CURRENT=$#words; _expectitree_completion"
        )
        done = run(program, ["zsh", "-f", "-c", script, "zsh", prefix, *words])
        assert done.stderr == ""
        return done.stdout.splitlines()

    assert completed(prefix="conv") == [f"convert:{COMMANDS['convert']}"]
    assert completed("eval", prefix="my") == ["my trees/"]
    assert completed("trace", "odd.yaml", "--at", prefix="a") == ['a\\\\/b "c"/:MIN']
    assert completed("trace", "odd.yaml", "--at", prefix='\'a\\/b "c"/x') == [
        'a\\\\/b "c"/x\\:y=z/:MAX'
    ]
    assert completed("compare", prefix="--order=r") == ["--order=random\\:"]
