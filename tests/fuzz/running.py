"""Run workers, start a new one where one dies, and collect failures."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.sharedctypes import RawArray
from typing import Any

from fuzz.tally import Failure, Failures, State, Tally
from fuzz.worker import Job, work

# A fork would copy the threads of Arrow and numba in an unknown state.
SPAWN = multiprocessing.get_context("spawn")


@dataclass
class Worker:
    """A process, and what it shares with this one."""

    job: Job
    tallies: Any
    state: Any = field(default_factory=lambda: RawArray(State, 1))
    process: Any = None
    failures: Any = None

    def start(self) -> None:
        """Start the process, which ignores Ctrl-C: only the parent process handles it."""
        self.state[0].target = -1
        self.failures, end = SPAWN.Pipe(duplex=False)
        self.process = SPAWN.Process(target=_main, args=(self.job, self.tallies, self.state, end))
        with without_interrupts():
            self.process.start()
        end.close()

    def received(self) -> Iterator[Failure]:
        """Yield the failures that have arrived."""
        with contextlib.suppress(EOFError, OSError):
            while self.failures.poll():
                yield self.failures.recv()

    def crash(self, patience: float) -> Failure | None:
        """Return the failure of a worker that died or hangs, and end it."""
        state = self.state[0]
        if self.process.is_alive():
            if state.target < 0 or time.monotonic() - state.started < patience:
                return None
            self.process.kill()
            self.process.join()
            how = f"still running after {patience:g} s"
        elif self.process.exitcode == 0:
            return None
        else:
            code = self.process.exitcode
            how = f"died by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        if state.target < 0:
            raise RuntimeError(f"a worker {how} between two cases")
        name = self.job.names[state.target]
        return Failure(name, state.case, f"the process {how}", (name, how))


def _main(job: Job, tallies: Any, state: Any, failures: Any) -> None:
    work(job, tallies, state[0], failures)


@contextlib.contextmanager
def without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C for a moment: a process that starts now ignores it for ever."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass
class Run:
    """A run of some targets in several processes."""

    names: list[str]
    seed: int
    jobs: int
    minutes: float | None
    inputs: int | None
    patience: float
    on_failure: Callable[[Failure], None]
    failures: Failures = field(default_factory=Failures)
    workers: list[Worker] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def start(self) -> None:
        """Run all cases; an interrupt ends the workers and is raised again."""
        until = None if self.minutes is None else self.started + 60 * self.minutes
        for first in range(self.jobs):
            tallies = RawArray(Tally, len(self.names))
            for tally in tallies:
                tally.next = first
            job = Job(self.names, self.seed, self.jobs, self.inputs, until)
            self.workers.append(Worker(job, tallies))
        shown = self.started
        try:
            for worker in self.workers:
                worker.start()
            while running := [one.process.sentinel for one in self.workers if self.lives(one)]:
                wait(running, 0.2)
                shown = self.show(shown)
        finally:
            for worker in self.workers:
                if worker.process is not None and worker.process.is_alive():
                    worker.process.kill()
                    worker.process.join()

    def lives(self, worker: Worker) -> bool:
        """Take in a worker's failures, start it anew if it died, and return whether it has work."""
        crash = worker.crash(self.patience)
        for failure in worker.received():
            self.add(failure)
        if crash is not None:
            self.add(crash)
            worker.start()
        return bool(worker.process.exitcode != 0)

    def add(self, failure: Failure) -> None:
        if self.failures.add(failure):
            self.on_failure(failure)

    @property
    def tallies(self) -> list[Any]:
        return [worker.tallies for worker in self.workers]

    @property
    def inputs_done(self) -> int:
        return sum(tally.inputs for array in self.tallies for tally in array)

    @property
    def peak(self) -> int:
        """The most memory of one process, in bytes."""
        return max((worker.state[0].peak for worker in self.workers), default=0)

    def show(self, shown: float) -> float:
        """Print the progress at times; return when it was printed last."""
        now, is_terminal = time.monotonic(), sys.stderr.isatty()
        if now - shown < (1 if is_terminal else 60):
            return shown
        seconds = now - self.started
        line = (
            f"{seconds / 60:.1f} minutes, {self.inputs_done:,} inputs, "
            f"{len(self.failures.found)} distinct failures, {self.peak >> 20:,} MiB"
        )
        print(line, end="\r" if is_terminal else os.linesep, file=sys.stderr, flush=True)
        return now
