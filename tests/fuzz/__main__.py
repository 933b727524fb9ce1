"""Fuzzing: random inputs for everything that reads input or computes a result.

Run it from the root of the checkout, with the extras that the tests need:

    python -m tests.fuzz --minutes 10
    python -m tests.fuzz --minutes 120 --jobs 8 --keep failures
    python -m tests.fuzz --only yaml efg --inputs 100000
    python -m tests.fuzz --list

A target makes an input from a seed and checks it. Differential targets compare results with
independent definitions. Hostile targets damage files, expressions and command lines: each input is
read, or refused with a message that has a place, in a few seconds and in little memory. Round trips
write a tree in a format and read it back.

The random numbers of a case follow from the target, the seed of the run and the case's number. So
each failure comes with a command that repeats it, for example

    python -m tests.fuzz --only search --seed 7 --case 1234

which prints the input and the traceback. A run goes on after a failure, also after one that kills
a process, and reports each distinct failure once. At the end it prints what each target did; its
exit status is 1 if a case failed, 130 after Ctrl-C.

To add a target, add a row to `TARGETS` of a module of this folder. A test with a parameter `seed`
or `case` becomes a target by its name alone.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [path for path in (str(TESTS.parent), str(TESTS)) if path not in sys.path]


def options(words: list[str] | None = None) -> argparse.Namespace:
    """Return the options of a command line."""
    about, _, more = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        "python -m tests.fuzz",
        description=about,
        epilog=more,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--minutes", type=float, help="how long to run; 1 by default")
    length.add_argument("--inputs", type=int, help="how many inputs each target gets")
    length.add_argument("--case", type=int, help="the number of the one case to run")
    length.add_argument("--list", action="store_true", help="print the names of the targets")
    parser.add_argument("--seed", type=int, help="the seed of the run; random by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--only", nargs="+", metavar="TARGET", help="run these targets alone")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write inputs that fail to files")
    parser.add_argument(
        "--patience", type=float, default=1200, help="seconds after which a case is a failure"
    )
    chosen = parser.parse_args(words)
    if chosen.case is not None and len(chosen.only or ()) != 1:
        parser.error("--case needs --only with one target, and --seed")
    for name in ("minutes", "inputs", "jobs", "patience"):
        found = getattr(chosen, name)
        if found is not None and not found > 0:
            parser.error(f"--{name} is {found}, expected a number above 0")
    return chosen


def main(words: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    chosen = options(words)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        # Workers make their folders here, and may die before they remove them.
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        from fuzz.commands import list_targets, repeat, run

        if chosen.list:
            return list_targets()
        if chosen.seed is None:
            chosen.seed = secrets.randbelow(10**6)
        return run(chosen) if chosen.case is None else repeat(chosen)


if __name__ == "__main__":
    sys.exit(main())
