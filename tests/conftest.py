"""Settings of every test run: examples, Ctrl-C, memory, and the option `--fail-on-skip`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator, Iterator

import pytest
from hypothesis import settings

# `pytest` tries the same few examples every time, and so does `.ci/run`, which tries more of them;
# `--hypothesis-profile=long` tries new ones.
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True, database=None)
settings.register_profile("more", max_examples=60, deadline=None, derandomize=True, database=None)
settings.register_profile("long", max_examples=20_000, deadline=None, database=None)
settings.load_profile("quick")

MAX_MEMORY = 2_000  # MB, of one process: compiled code and large libraries take most of it


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_works() -> Iterator[None]:
    """Handle SIGINT as in a terminal; a runner may ignore it, which each program would inherit."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def greatest_peak() -> int:
    """Return the greatest memory, in MB, that this process or an ended child had at once."""
    if sys.platform == "win32":
        return 0
    import resource

    most = max(
        resource.getrusage(which).ru_maxrss
        for which in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return most // 1_000_000 if sys.platform == "darwin" else most * 1_024 // 1_000_000


# The highest peak so far. A process inherits the peak of the program that started it.
highest = [greatest_peak()]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Fail the test after which this process, or a child, has needed too much memory."""
    yield
    peak = greatest_peak()
    if peak > max(highest[0], MAX_MEMORY):
        highest[0] = peak
        pytest.fail(f"a process needed {peak:,} MB, expected at most {MAX_MEMORY:,} MB")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--fail-on-skip`, which the continuous integration uses, and options of the fuzzer."""
    parser.addoption(
        "--fail-on-skip",
        action="store_true",
        help="Fail if any test was skipped.",
    )
    parser.addoption("--inputs", type=int, help="How many inputs a target of the fuzzer gets.")
    parser.addoption("--seed", type=int, default=0, help="The seed of the first of them.")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turn a run with skipped tests into a failure if `--fail-on-skip` is set."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if session.config.getoption("fail_on_skip") and skipped and session.exitstatus == 0:
        reporter.write_line(f"{len(skipped)} skipped, and --fail-on-skip is set", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
