"""Compare the CPU time of this checkout with that of another commit, on trees without rewards.

    python -m benchmarks.against 580872a            # some minutes
    python -m benchmarks.against 580872a compiled   # only the jobs with this in their name

Each figure is the median of the ratios of 15 interleaved pairs of runs: a process for each checkout
runs the same job in turn. Both processes are restarted after every three pairs. Otherwise a process
that gets its memory in large pages by chance stays faster, by up to half.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
ROUNDS, PAIRS = 5, 3  # of processes, and of runs in each
TARGET = 1.05  # the target of every ratio
SECONDS = 0.05  # of CPU time, about, for each run
ALGORITHMS = ("expectiminimax", "alphabeta", "star1", "star2", "star2.5", "best-first")
FAMILIES = {
    "independent, branching 2": {"family": "uniform", "branching": 2, "real": True},
    "independent, branching 8": {"family": "uniform", "branching": 8, "real": True},
    "additive, branching 2": {"family": "ballard", "branching": 2},
    "additive, branching 8": {"family": "ballard", "branching": 8},
}
PLIES = {("interpreted", 2): 11, ("interpreted", 8): 4, ("compiled", 2): 16, ("compiled", 8): 5}
BEST_FIRST_PLIES = {2: 8, 8: 3}


def jobs() -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield what a process runs: a name, and the function to measure."""
    import expectitree as et

    assert Path(et.__file__).is_relative_to(os.environ["PYTHONPATH"]), et.__file__
    shipped = sorted(path for path in (REPOSITORY / "trees").glob("*") if _is_without_news(path))
    texts = [(path.read_text(encoding="utf-8"), path.name) for path in shipped]
    yield "read, shipped trees", lambda: [et.loads(text, name=name) for text, name in texts]
    large = et.generate("uniform", branching=4, plies=6)
    for style in ("yaml", "json"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"large.{style}")
            et.save(large, path)
            text = path.read_text(encoding="utf-8")
        yield f"read, {style}", lambda text=text, style=style: et.loads(text, name=f"x.{style}")
    trees = [et.loads(text, name=name) for text, name in texts]
    for algorithm in ALGORITHMS:
        yield (
            f"{algorithm}, shipped trees",
            lambda a=algorithm: [et.evaluate(tree, a) for tree in trees],
        )
    for engine in ("interpreted", "compiled"):
        for what, parameters in FAMILIES.items():
            given: dict[str, Any] = {**parameters, "seed": 1, "plies": 0}
            branching = given["branching"]
            for algorithm in ALGORITHMS:
                name = f"{algorithm}, {engine}, {what}"
                if os.environ["ONLY"] not in name:
                    continue
                is_best_first = algorithm == "best-first"
                plies = BEST_FIRST_PLIES[branching] if is_best_first else PLIES[engine, branching]
                tree = et.generate(**given | {"plies": plies})
                yield (
                    name,
                    lambda t=tree, a=algorithm, e=engine: et.evaluate(t, a, engine=e),
                )


def _is_without_news(path: Path) -> bool:
    """Return whether the other commit has the same file."""
    return path.name in os.environ["SHIPPED"].split()


def work() -> None:
    """Run each job when a line asks for it; print its CPU time."""
    for name, job in jobs():
        if os.environ["ONLY"] not in name:
            continue
        job()  # compiles
        start = process_time()
        job()
        repetitions = max(1, round(SECONDS / max(process_time() - start, 1e-6)))
        print(json.dumps({"name": name, "repetitions": repetitions}), flush=True)
        for line in iter(sys.stdin.readline, "next\n"):
            gc.collect()
            gc.disable()
            start = process_time()
            for _ in range(int(line)):
                job()
            print(process_time() - start, flush=True)
            gc.enable()


@contextmanager
def worker(checkout: Path, shipped: str, only: str) -> Iterator[subprocess.Popen[str]]:
    """Start a process that runs the jobs with the code of a checkout."""
    environment = os.environ | {"PYTHONPATH": str(checkout), "SHIPPED": shipped, "ONLY": only}
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).resolve()), "--work"],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def tell(process: subprocess.Popen[str], line: str) -> None:
    """Send a line to a worker."""
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def answer(process: subprocess.Popen[str]) -> Any:
    """Return the next line of a worker; None at its end."""
    assert process.stdout is not None
    line = process.stdout.readline()
    return json.loads(line) if line else None


def compare(commit: str, only: str = "") -> None:
    """Print the ratio of each job whose name has `only`; exit with status 1 if one misses it."""
    git = ["git", "-C", str(REPOSITORY)]
    ratios: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder, "other")
        subprocess.run([*git, "worktree", "add", "-q", "--detach", str(other), commit], check=True)
        try:
            shipped = " ".join(
                path.name
                for path in (REPOSITORY / "trees").glob("*")
                if (other / "trees" / path.name).is_file()
                and (other / "trees" / path.name).read_bytes() == path.read_bytes()
            )
            for number in range(ROUNDS):
                with worker(REPOSITORY, shipped, only) as new, worker(other, shipped, only) as old:
                    while (job := answer(new)) is not None:
                        assert answer(old)["name"] == job["name"]
                        pairs = range(number, number + PAIRS)
                        found = ratios.setdefault(job["name"], [])
                        found += (_ratio(new, old, job, pair) for pair in pairs)
                        tell(new, "next")
                        tell(old, "next")
        finally:
            subprocess.run([*git, "worktree", "remove", "--force", str(other)], check=True)
    for name, found in ratios.items():
        print(f"{median(found):5.2f}  {name}{'  missed' if median(found) > TARGET else ''}")
    sys.exit(any(median(found) > TARGET for found in ratios.values()))


def _ratio(new: Any, old: Any, job: Any, pair: int) -> float:
    """Return the ratio of one pair; the order of the two alternates."""
    seconds = {}
    for process in (new, old) if pair % 2 else (old, new):
        tell(process, str(job["repetitions"]))
        seconds[process] = answer(process)
    return float(seconds[new] / seconds[old])


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        compare(*sys.argv[1:])
