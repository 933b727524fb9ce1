"""A process that runs cases, and records each case before it runs it."""

from __future__ import annotations

import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import pytest
from fuzz.cases import Target, random_of
from fuzz.tally import Failure
from fuzz.targets import TARGETS

SLICE = 0.1  # seconds for a target before another one's turn
MOST_SECONDS = 10  # of processor time for a hostile input
MOST_MEMORY = 500 << 20  # bytes by which a hostile input may raise the peak
ADDRESS_SPACE = 8 << 30


@dataclass(frozen=True)
class Job:
    """What a worker does: every `step`-th case of some targets."""

    names: Sequence[str]
    seed: int
    step: int
    inputs: int | None  # of each target
    until: float | None  # the time of `time.monotonic`


def peak_memory() -> int:
    """Return the peak of this process in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def work(job: Job, tallies: Any, state: Any, failures: Connection) -> None:
    """Run cases until the time or the inputs are used up, the least used target first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    while True:
        left = [at for at in range(len(job.names)) if not is_done(job, tallies[at])]
        if not left:
            return
        at = min(left, key=lambda n: tallies[n].seconds)
        tally = tallies[at]
        end = time.monotonic() + SLICE
        while time.monotonic() < end and not is_done(job, tally):
            failure = run_case(job, at, tally, state)
            if failure is not None:
                failures.send(failure)


def is_done(job: Job, tally: Any) -> bool:
    """Return whether a target has no case left."""
    if job.until is not None and time.monotonic() >= job.until:
        return True
    return job.inputs is not None and tally.next >= job.inputs


def run_case(job: Job, at: int, tally: Any, state: Any) -> Failure | None:
    """Run the next case of a target; return its failure."""
    name, number = job.names[at], tally.next
    state.case, state.started, state.target = number, time.monotonic(), at
    tally.next += job.step
    tally.inputs += 1
    failure, seconds = None, 0.0
    try:
        target = TARGETS[name]
        made = target.make(random_of(name, job.seed, number))
        seconds, is_read = checked(target, made)
        tally.read += is_read is True
        tally.refused += is_read is False
    except (Exception, pytest.fail.Exception) as error:
        failure = failure_of(name, number, error)
    except pytest.skip.Exception:
        pass
    if seconds > tally.slowest:
        tally.slowest, tally.slowest_case = seconds, number
    tally.seconds += time.monotonic() - state.started
    state.target, state.peak = -1, max(state.peak, peak_memory())
    return failure


def checked(target: Target, made: Any) -> tuple[float, bool | None]:
    """Check an input; return the seconds, and whether it was read."""
    peak, started = peak_memory(), time.process_time()
    is_read = target.check(made)
    seconds = time.process_time() - started
    if target.is_hostile and seconds > MOST_SECONDS:
        # The first time may include an import or a compilation.
        started = time.process_time()
        target.check(made)
        seconds = time.process_time() - started
        assert seconds <= MOST_SECONDS, f"takes more than {MOST_SECONDS} s"
    grown = peak_memory() - peak
    assert not target.is_hostile or grown <= MOST_MEMORY, f"needs {grown >> 20} MiB more"
    return seconds, is_read


def failure_of(name: str, number: int, error: BaseException) -> Failure:
    """Return a failure with its place, which identifies a defect."""
    cause = error.__context__ if isinstance(error, pytest.fail.Exception) else None
    steps = traceback.extract_tb((cause or error).__traceback__)
    places = [f"{step.filename.rpartition('/')[2]}:{step.lineno}" for step in steps]
    message = f"{type(error).__name__}: {error}"[:2_000]
    where = "\n".join(f"  {step.filename}:{step.lineno}: {step.line}" for step in steps[-3:])
    key = (name, type(cause or error).__name__, places[-1])
    return Failure(name, number, f"{message}\n{where}", key)
