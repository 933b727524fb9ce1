"""Change the program in small ways, and see whether the tests notice.

    python -m tests.mutation --sample 400 --seed 1
    python -m tests.mutation --area games --sample 60 --seed 3 --coverage ../coverage

Each mutant is one change of one place: an operator, a number, a condition, a call, a keyword. The
quick tests that run its line are run, the fastest first; a failure kills the mutant. The sample has
nearly equal numbers of mutants of all areas. A mutant that no test can kill, because it behaves
like the original, is listed in `tests/mutation/equivalent.yaml` with the reason.

The exit status is 1 if fewer than 97% of the others were killed. The package `coverage` is needed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from hashlib import sha256
from pathlib import Path
from queue import Queue

import yaml

from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.running import Checkout, Coverage, Verdict, record

ROOT = Path(__file__).parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")
TRANSFORMS = (
    "expectitree/tree/transform.py",
    "expectitree/tree/folding.py",
    "expectitree/decide/flip.py",
    "expectitree/searches/prepare.py",
)
# Plots are left out of the areas: no test compares their colours and margins.
AREAS = {
    "tree": ["expectitree/tree/*.py"],
    "searches": ["expectitree/searches/*.py"],
    "grammar": ["expectitree/files/grammar/*.py", "expectitree/base/expressions/*.py"],
    "limit": ["expectitree/lab/limit/*.py"],
    "transforms": list(TRANSFORMS),
    "sensitivity": ["expectitree/decide/sensitivity/*.py", "expectitree/decide/algebra/*.py"],
    "games": ["expectitree/games/**/*.py"],
}
NEEDED = 0.97


def modules_of(area: str) -> list[str]:
    """Return the modules of an area; each belongs to one area."""
    found = sorted({str(p.relative_to(ROOT)) for glob in AREAS[area] for p in ROOT.glob(glob)})
    if area != "transforms":
        found = [name for name in found if name not in TRANSFORMS]
    return [name for name in found if not name.endswith(("/plot.py", "/charts.py"))]


def sample_of(areas: list[str], count: int, seed: int) -> list[tuple[str, Mutant]]:
    """Return a sample of mutants with their areas, nearly as many of each area.

    The place of a mutant in the sample follows from its text, so that a change elsewhere in a
    module leaves it there.
    """
    chosen = []
    for position, area in enumerate(areas):
        found = [mutant for path in modules_of(area) for mutant in mutants_of(ROOT, path)]
        found.sort(key=lambda mutant: sha256(f"{seed} {mutant.key}".encode()).digest())
        size = count // len(areas) + (position < count % len(areas))
        chosen += [(area, mutant) for mutant in found[:size]]
    return chosen


def equivalents() -> dict[tuple[str, str, str, str], str]:
    """Return the reasons of the mutants that no test can kill."""
    return {
        (entry["module"], entry["in"], before, after): entry["because"]
        for entry in yaml.safe_load(EQUIVALENT.read_text())
        for before, after in entry["changes"]
    }


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=400, help="how many mutants (default 400)")
    parser.add_argument("--seed", type=int, default=1, help="of the sample (default 1)")
    parser.add_argument("--area", action="append", choices=AREAS, help="one area, or several")
    parser.add_argument("--module", help="only the mutants of this module that are in the sample")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument(
        "--coverage", type=Path, help="keep the lines of each test here, or read them"
    )
    options = parser.parse_args()
    chosen = sample_of(options.area or list(AREAS), options.sample, options.seed)
    if options.module:
        chosen = [(area, mutant) for area, mutant in chosen if mutant.path == options.module]
    with tempfile.TemporaryDirectory(prefix="mutation-") as name:
        return run(options, chosen, Path(name))


def run(options: argparse.Namespace, chosen: list[tuple[str, Mutant]], work: Path) -> int:
    """Judge the chosen mutants; print each that survives, and a table; return the exit status."""
    copies: Queue[Checkout] = Queue()
    for number in range(options.jobs):
        copies.put(Checkout(ROOT, work / str(number)))
    folder = options.coverage or work / "coverage"
    if not folder.is_dir():
        record(copies.queue[0], folder, options.jobs)
    coverage = Coverage(folder)
    reasons = equivalents()
    started, counts = time.monotonic(), Counter[tuple[str, str]]()

    def judge(mutant: Mutant) -> Verdict:
        if mutant.key in reasons:
            return Verdict("equivalent", reasons[mutant.key], 0)
        copy = copies.get()
        try:
            return copy.judge(mutant, coverage.of(mutant))
        finally:
            copies.put(copy)

    with ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(judge, mutant): (area, mutant) for area, mutant in chosen}
        try:
            for number, done in enumerate(as_completed(running), 1):
                (area, mutant), verdict = running[done], done.result()
                counts[area, verdict.word] += 1
                if verdict.word in ("survived", "never run"):
                    print(shown(mutant, verdict), flush=True)
                rate = (time.monotonic() - started) / number
                print(f"\r{number} of {len(chosen)}, {rate:.1f} s each ", end="", file=sys.stderr)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
    print(file=sys.stderr)
    return summary(counts, time.monotonic() - started)


def shown(mutant: Mutant, verdict: Verdict) -> str:
    """Return the lines about a mutant that no test killed."""
    return (
        f"{verdict.word}: {mutant.path}:{mutant.line} in {mutant.function or 'the module'}"
        f" ({verdict.tests} tests)\n  - {' '.join(mutant.before.split())}\n  + {mutant.after}"
    )


def summary(counts: Counter[tuple[str, str]], seconds: float) -> int:
    """Print how many mutants of each area were killed; return the exit status."""
    words = ["killed", "survived", "never run", "equivalent"]
    print(f"{'area':14}" + "".join(f"{word:>12}" for word in words))
    areas = list(dict.fromkeys(area for area, _ in counts))
    for area in areas:
        print(f"{area:14}" + "".join(f"{counts[area, word]:12}" for word in words))
    total = {word: sum(counts[area, word] for area in areas) for word in words}
    print(f"{'all':14}" + "".join(f"{total[word]:12}" for word in words))
    judged = sum(total.values()) - total["equivalent"]
    share = total["killed"] / judged if judged else 1.0
    print(
        f"{share:.1%} of {judged} mutants that are not equivalent were killed, in {seconds:.0f} s"
    )
    return 0 if share >= NEEDED else 1


if __name__ == "__main__":
    sys.exit(main())
