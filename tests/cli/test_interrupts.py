"""Ctrl-C and SIGTERM end every command at every moment: one line, no traceback, no half file."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
LEFT = "expectitree: interrupted\n"
TREE = "max: [1, {chance: [2, 3]}]"
BOTH = [signal.SIGINT, signal.SIGTERM]
ENOUGH = 5.0  # seconds for what takes half a second where no other process runs
COMMANDS = {
    "eval": ["eval", "-e", TREE, "-a", "star2"],
    "arrow": ["eval", "tree.arrow", "-a", "star2"],
    "json": ["eval", "tree.json", "--exact"],
    "compare": ["compare", "tree.json"],
    "page": ["draw", "tree.json", "-o", "new.html"],
    "convert": ["convert", "tree.json", "new.yaml"],
    "generate": ["generate", "ballard", "--plies", "6", "--branching", "8", "-o", "new.arrow"],
    "verify": ["verify", "example:risk"],
    "study": ["study", "study.yaml", "--jobs", "2"],
}  # fmt: skip
STUDY = """
trees: [{family: ballard, branching: 4, plies: 4, order: random}]
algorithms: [star1, star2]
repetitions: 200
"""


def start(words: list[str], folder: Path, **settings: Any) -> subprocess.Popen[str]:
    """Start the program or, if the first word is -c, a piece of Python."""
    program = words if words[0] == "-c" else ["-m", "expectitree", *words]
    return subprocess.Popen(
        [sys.executable, *program],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **settings,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("interrupts")
    (found / "study.yaml").write_text(STUDY)
    for file in ("tree.arrow", "tree.parquet", "tree.json"):
        words = ["generate", "ballard", "--plies", "4", "--branching", "7", "-o", file]
        process = start(words, found)
        process.communicate(timeout=120)
        assert process.returncode == 0
    return found


@pytest.mark.slow
@pytest.mark.parametrize("number", BOTH)
@pytest.mark.parametrize("moments", [6, pytest.param(12, marks=pytest.mark.long)])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_ends_at_every_moment(
    command: str, moments: int, number: signal.Signals, folder: Path
) -> None:
    files = {file.name for file in folder.iterdir()}
    begin = time.monotonic()
    start(COMMANDS[command], folder).communicate()
    whole = time.monotonic() - begin
    for name in ("new.svg", "new.html", "new.yaml", "new.arrow", "study.results.jsonl"):
        (folder / name).unlink(missing_ok=True)
    chosen = random.Random(command)
    ended = set()
    for _ in range(moments):
        process = start(COMMANDS[command], folder)
        time.sleep(chosen.uniform(0, whole))
        process.send_signal(number)
        sent = time.monotonic()
        _, errors = process.communicate(timeout=60)
        left = {file.name for file in folder.iterdir()} - files
        assert not [name for name in left if name.startswith(".")]
        ended.add(process.returncode)
        if process.returncode == 128 + number:
            assert time.monotonic() - sent < ENOUGH
            lines = [text for text in errors.splitlines(True) if " trees are done" not in text]
            assert lines == [LEFT]
        elif process.returncode:  # Python was starting
            assert process.returncode in (-number, 1)
            assert str(Path("expectitree", "cli")) not in errors
        for name in left:
            (folder / name).unlink()
    assert 128 + number in ended


def run_code(code: str, number: int = signal.SIGINT) -> tuple[int, str, float]:
    """Run Python that prints a line when the signal may come; return how it ended."""
    process = start(["-c", f"from expectitree.base import interrupts\n{code}"], ROOT)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.3)
    process.send_signal(number)
    sent = time.monotonic()
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors, time.monotonic() - sent


INSTALL = "interrupts.install()\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        f"{INSTALL}print(flush=True)\nwhile True: pass",
        f"{INSTALL}import hashlib as h; print(flush=True); h.pbkdf2_hmac('md5', b'', b'', 10**9)",
        f"{INSTALL}class A:\n def __del__(self):\n  print(flush=True)\n  while True: pass\nA()",
        f"{INSTALL}import hashlib as h\nwith interrupts.raising():\n"
        " print(flush=True); h.pbkdf2_hmac('md5', b'', b'', 10**9)",
    ],
    ids=["in Python", "in compiled code", "in a callback", "in compiled code that may raise"],
)
@pytest.mark.parametrize("number", BOTH)
def test_no_code_keeps_the_program_from_ending(code: str, number: int) -> None:
    status, errors, seconds = run_code(code, number)
    assert (status, errors) == (128 + number, LEFT)
    assert seconds < ENOUGH


def test_an_interrupt_cleans_up_once() -> None:
    code = (
        f"{INSTALL}import os, time\n"
        "with interrupts.raising():\n"
        " try:\n  print(flush=True); time.sleep(30)\n"
        " except KeyboardInterrupt:\n  os.kill(os.getpid(), 2); time.sleep(0.5)\n"
        "  print('cleaned', file=sys.stderr)\n"
        "sys.exit(7)\n"
    )
    assert run_code("import sys\n" + code)[:2] == (7, "cleaned\n")


@pytest.mark.parametrize("number", BOTH)
def test_a_program_that_leaves_at_once_leaves_no_half_file(number: int, tmp_path: Path) -> None:
    """The main thread is in C code, such as a slow `fsync`, when Ctrl-C comes."""
    file = tmp_path / "x"
    code = (
        f"{INSTALL}import hashlib\nfrom expectitree.files.writing import whole_file\n"
        f"with whole_file({str(file)!r}):\n"
        " print(flush=True); hashlib.pbkdf2_hmac('md5', b'', b'', 10**9)"
    )
    assert run_code(code, number)[:2] == (128 + number, LEFT)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", BOTH)
def test_an_interrupt_can_be_held(number: int) -> None:
    code = (
        f"{INSTALL}import os\n"
        "with interrupts.held():\n"
        f" os.kill(os.getpid(), {number:d}); print('whole', file=sys.stderr)\n"
    )
    assert run_code("import sys\n" + code)[:2] == (128 + number, f"whole\n{LEFT}")


@pytest.mark.parametrize("number", BOTH)
def test_a_program_that_ignores_the_signal_goes_on(number: int) -> None:
    code = (
        f"import signal, os\nsignal.signal({number:d}, signal.SIG_IGN)\n"
        f"{INSTALL}print(flush=True); os.kill(os.getpid(), {number:d}); os._exit(7)"
    )
    assert run_code(code)[0] == 7


def test_sigterm_cleans_up_where_ctrl_c_does_and_has_its_own_status() -> None:
    code = (
        f"{INSTALL}import time\n"
        "try:\n with interrupts.raising():\n  print(flush=True); time.sleep(30)\n"
        "except KeyboardInterrupt:\n print('cleaned', file=sys.stderr)\n"
        "interrupts.finish(0)\n"
    )
    assert run_code("import sys\n" + code, signal.SIGTERM)[:2] == (143, "cleaned\n")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no groups of processes")
@pytest.mark.parametrize("number", BOTH)
def test_a_study_whose_workers_receive_the_signal_too(number: int, folder: Path) -> None:
    """As `timeout` and a terminal send it. The workers ignore it, and nothing is leaked."""
    process = start(COMMANDS["study"], folder, start_new_session=True)
    time.sleep(3)
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=60)
    (folder / "study.results.jsonl").unlink()
    lines = [text for text in errors.splitlines(True) if " trees are done" not in text]
    assert (process.returncode, lines) in ((128 + number, [LEFT]), (0, []))
