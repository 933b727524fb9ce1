"""Copies of the checkout in which mutants are tested."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant

# Tests that judge no mutant: they need a browser or a network of processes, or read documents.
_IGNORED = (
    "tests/page", "tests/picture", "tests/test_docs.py", "tests/test_playground.py",
    "tests/test_package.py", "tests/cli/test_completion.py", "tests/cli/test_interrupts.py",
    "tests/lab/study/test_cluster.py", "tests/test_fuzz.py", "tests/test_mutation.py",
)  # fmt: skip
_MAX_MEMORY = 6 << 30  # bytes that a process may reserve: a mutant may ask for more and more


@dataclass(frozen=True)
class Verdict:
    """The result of testing a mutant.

    Attributes:
        word: `killed`, `survived`, or `never run` if no test runs the line.
        by: The test that failed, or why the tests could not run; empty if it survived.
        tests: How many tests ran at most.
    """

    word: str
    by: str
    tests: int


class Checkout:
    """A copy of the tracked files of a checkout, which one process changes and tests."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        names = subprocess.run(
            ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
        ).stdout
        for name in filter(None, names.split("\0")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, folder / name)
        # Machine code of modules is compared by content: a mutant may be as long as the module,
        # and written within the same second.
        compiled = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
        subprocess.run([sys.executable, *compiled, "expectitree"], cwd=folder, check=True)

    def pytest(
        self, *arguments: str, timeout: float | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run pytest in the copy. Compiled loops run interpreted: their text is the same."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["-p", "tests.mutation.selection", "--tb=line", "--no-header", *arguments]
        settings = {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            command,
            cwd=self.folder,
            env=os.environ | settings | {"PYTHONPATH": str(self.folder)} | environment,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            preexec_fn=_limit_memory,
        )

    def judge(self, mutant: Mutant, seconds: dict[str, float]) -> Verdict:
        """Test a mutant with the tests in `seconds`, the fastest first."""
        if not seconds:
            return Verdict("never run", "", 0)
        path = self.folder / mutant.path
        text = path.read_bytes()
        chosen = self.folder / "chosen.json"
        chosen.write_text(json.dumps(dict(sorted(seconds.items(), key=lambda pair: pair[1]))))
        files = sorted({name.split("::")[0] for name in seconds})
        limit = 60 + 10 * sum(seconds.values())
        path.write_bytes(mutant.apply(text))
        try:
            found = self.pytest("-x", *files, timeout=limit, MUTATION_TESTS=str(chosen))
        except subprocess.TimeoutExpired:
            return Verdict("killed", "the tests did not end", len(seconds))
        finally:
            path.write_bytes(text)
        if found.returncode == 0:
            return Verdict("survived", "", len(seconds))
        failed = [
            line for line in found.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))
        ]
        reason = (failed or found.stdout.splitlines()[-1:] or ["no output"])[0]
        if found.returncode == 5:
            raise RuntimeError(f"no test was found for {mutant.key}: {reason}")
        return Verdict("killed", reason, len(seconds))


def _failed(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]


def _limit_memory() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (_MAX_MEMORY, _MAX_MEMORY))


class Coverage:
    """Which tests run which lines, from one run of the quick tests."""

    def __init__(self, folder: Path) -> None:
        self.seconds: dict[str, float] = {}
        for path in folder.glob("*.json"):
            self.seconds |= json.loads(path.read_text())
        self.tests: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        for path in folder.glob("lines.*"):
            if path.suffix != ".json":
                self._read(path)

    def _read(self, path: Path) -> None:
        from coverage.numbits import numbits_to_nums

        rows = sqlite3.connect(path).execute(
            "select file.path, context.context, numbits from line_bits "
            "join file on file.id = file_id join context on context.id = context_id "
            "where context.context != ''"
        )
        for name, test, bits in rows:
            name = "expectitree" + name.rpartition("/expectitree")[2]
            for line in numbits_to_nums(bits):
                self.tests[name][line].add(test)

    def of(self, mutant: Mutant) -> dict[str, float]:
        """Return the tests that run a mutant's lines, with their times.

        A line that no test runs may run when the module is imported, which concerns every test of
        the module.
        """
        lines = self.tests[mutant.path]
        first, last = mutant.lines
        tests = set().union(*(lines[n] for n in range(first, last + 1)))
        tests = tests or set().union(*lines.values())
        return {t: self.seconds[t] for t in tests if self.seconds.get(t, 1e9) < 60}


def record(checkout: Checkout, folder: Path, jobs: int) -> None:
    """Run the quick tests once; write to a folder which lines each of them runs."""
    folder.mkdir(parents=True)
    ignored = [f"--ignore={name}" for name in _IGNORED]
    found = checkout.pytest("-n", str(jobs), *ignored, MUTATION_COVERAGE=str(folder / "lines"))
    if found.returncode not in (0, 1):
        raise RuntimeError(f"the tests did not run: {found.stdout[-2000:]}{found.stderr[-2000:]}")
    failed = _failed(found.stdout)
    if failed:
        print("\n".join(["these tests fail here and judge no mutant:", *failed]), file=sys.stderr)
