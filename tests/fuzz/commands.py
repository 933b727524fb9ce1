"""The actions of `python -m tests.fuzz`: run targets, repeat a case, list the targets."""

from __future__ import annotations

import shlex
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from fuzz.cases import content_of_input, random_of
from fuzz.running import Run
from fuzz.tally import Failure, table
from fuzz.targets import HIDDEN, TARGETS

INTERRUPTED = 130
MOST_SHOWN = 1_000  # characters of an input that is printed


def names_of(chosen: Namespace) -> list[str]:
    """Return the targets to run."""
    unknown = [name for name in chosen.only or () if name not in TARGETS]
    if unknown:
        sys.exit(f"no target {unknown[0]!r}: choose among {', '.join(TARGETS)}")
    return list(chosen.only or (name for name in TARGETS if name not in HIDDEN))


def list_targets() -> int:
    """Print the names of the targets."""
    print("\n".join(shlex.quote(name) for name in TARGETS if name not in HIDDEN))
    return 0


def command(name: str, seed: int, case: int) -> str:
    """Return the command that repeats a case."""
    return f"python -m tests.fuzz --only {shlex.quote(name)} --seed {seed} --case {case}"


def made_input(name: str, seed: int, case: int) -> Any:
    """Return the input of a case."""
    return TARGETS[name].make(random_of(name, seed, case))


def shown(content: bytes) -> str:
    """Return the beginning of an input, with control characters escaped."""
    more = f" … ({len(content):,} bytes: --keep writes all)" if len(content) > MOST_SHOWN else ""
    try:
        lines = content.decode()[:MOST_SHOWN].split("\n")
    except UnicodeDecodeError:
        return f"{content[:MOST_SHOWN]!r}{more}"
    escaped = ("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)
    return "\n".join(escaped) + more


def repeat(chosen: Namespace) -> int:
    """Run one case in this process; an exception is not caught."""
    (name,) = names_of(chosen)
    made = made_input(name, chosen.seed, chosen.case)
    print(shown(content_of_input(made)), flush=True)
    found = TARGETS[name].check(made)
    print({True: "read", False: "refused", None: "no failure"}[found])
    return 0


def report(failure: Failure, seed: int, keep: Path | None) -> None:
    """Print a failure, the command that repeats it, and its input, or write the input to a file."""
    print(f"\nFAILURE {failure.target}: {failure.message}")
    print(f"  {command(failure.target, seed, failure.case)}")
    try:
        content = content_of_input(made_input(failure.target, seed, failure.case))
    except Exception as error:
        print(f"  no input: {error!r}", flush=True)
        return
    if keep is None:
        print(shown(content), flush=True)
        return
    keep.mkdir(parents=True, exist_ok=True)
    path = keep / f"{failure.target.replace(' ', '-')}-{seed}-{failure.case}"
    path.write_bytes(content)
    print(f"  input: {path}", flush=True)


def run(chosen: Namespace) -> int:
    """Run targets; return 1 if a case failed."""
    names = names_of(chosen)
    minutes = 1.0 if chosen.minutes is None and chosen.inputs is None else chosen.minutes
    print(f"seed {chosen.seed}, {len(names)} targets, {chosen.jobs} processes", flush=True)
    going = Run(
        names=names,
        seed=chosen.seed,
        jobs=chosen.jobs,
        minutes=minutes,
        inputs=chosen.inputs,
        patience=chosen.patience,
        on_failure=lambda failure: report(failure, chosen.seed, chosen.keep),
    )
    try:
        going.start()
        status = 1 if going.failures.found else 0
    except KeyboardInterrupt:
        print("\ninterrupted")
        status = INTERRUPTED
    print("", *table(names, going.tallies, going.failures), sep="\n")
    print(f"\n{going.inputs_done:,} inputs; a process needed at most {going.peak >> 20:,} MiB")
    for failure in going.failures.found.values():
        times = f"{failure.count:,} cases" if failure.count > 1 else "1 case"
        message = failure.message.splitlines()[0]
        print(f"{times}: {message}\n  {command(failure.target, chosen.seed, failure.case)}")
    return status
