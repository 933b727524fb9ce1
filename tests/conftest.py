"""Settings of every test run: the number of examples, Ctrl-C, and the option `--fail-on-skip`."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

# `pytest` tries the same examples every time, `--hypothesis-profile=long` new ones.
settings.register_profile("quick", max_examples=150, deadline=None, derandomize=True, database=None)
settings.register_profile("long", max_examples=20_000, deadline=None, database=None)
settings.load_profile("quick")


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_works() -> Iterator[None]:
    """Handle SIGINT as in a terminal; a runner may ignore it, which each program would inherit."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--fail-on-skip`, which the continuous integration uses."""
    parser.addoption(
        "--fail-on-skip",
        action="store_true",
        help="Fail if any test was skipped.",
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turn a run with skipped tests into a failure if `--fail-on-skip` is set."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if session.config.getoption("fail_on_skip") and skipped and session.exitstatus == 0:
        reporter.write_line(f"{len(skipped)} skipped, and --fail-on-skip is set", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
