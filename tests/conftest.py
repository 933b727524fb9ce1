"""Settings of every test run: the number of examples, and the option `--fail-on-skip`."""

from __future__ import annotations

import pytest
from hypothesis import settings

# `pytest` tries the same examples every time, `--hypothesis-profile=long` new ones.
settings.register_profile("quick", max_examples=150, deadline=None, derandomize=True, database=None)
settings.register_profile("long", max_examples=20_000, deadline=None, database=None)
settings.load_profile("quick")


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
