"""A plugin of pytest: which tests run which lines, and runs of chosen tests.

With `MUTATION_COVERAGE`, the name of a file, it records the lines that each test runs and how long
the test takes. With `MUTATION_TESTS`, the name of a file, it runs only the tests in that file, in
its order, and each for a limited time.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

_PATIENCE = 10.0  # seconds that a test may take in addition to ten times what it took before


def pytest_configure(config: pytest.Config) -> None:
    """Register the plugins that the environment variables request."""
    coverage, tests = os.environ.get("MUTATION_COVERAGE"), os.environ.get("MUTATION_TESTS")
    if coverage and (hasattr(config, "workerinput") or not config.getoption("numprocesses")):
        config.pluginmanager.register(_Recorder(Path(coverage)))
    elif tests:
        config.pluginmanager.register(_Chosen(json.loads(Path(tests).read_text())))


class _Recorder:
    """Records the lines of each test."""

    def __init__(self, path: Path) -> None:
        from coverage import Coverage

        self.path = path
        self.coverage: Any = Coverage(
            data_file=str(path), data_suffix=True, source=["expectitree"], config_file=False
        )
        self.seconds: dict[str, float] = {}
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record what one test runs, its fixtures included."""
        self.coverage.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how long a test took; a failed test judges no mutant."""
        before = self.seconds.get(report.nodeid, 0.0)
        failed = report.outcome != "passed"
        self.seconds[report.nodeid] = float("inf") if failed else before + report.duration

    def pytest_sessionfinish(self) -> None:
        """Write what was recorded; each process writes files of its own."""
        self.coverage.stop()
        self.coverage.save()
        self.path.with_suffix(f".{os.getpid()}.json").write_text(json.dumps(self.seconds))


class _Chosen:
    """Runs chosen tests, the fastest first."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the chosen tests, in their order."""
        order = {name: position for position, name in enumerate(self.seconds)}
        items[:] = sorted(
            (item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid]
        )

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """End a test that takes far too long: a mutant may run for ever."""

        def stop(*_: object) -> None:
            signal.setitimer(signal.ITIMER_REAL, 1)  # again, if the test catches this
            raise TimeoutError(item.nodeid)

        previous = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE + 10 * self.seconds[item.nodeid])
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, previous)
