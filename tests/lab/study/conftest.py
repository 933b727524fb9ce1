"""Studies that several tests read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lab.study.studies import GRID, PUBLISHED, SMALL, figures, run_remaining, spec_in, study_of

from expectitree.lab.study.spec import Study


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    """A study and its results, which no test changes."""
    folder = tmp_path_factory.mktemp("small")
    study = study_of(folder, SMALL)
    run_remaining(study, folder / "spec.results.jsonl")
    return study, folder / "spec.results.jsonl"


@pytest.fixture(scope="session")
def grid(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, list[Any]]:
    """A study and its results in an undisturbed run."""
    folder = tmp_path_factory.mktemp("grid")
    study = study_of(folder, GRID)
    run_remaining(study, folder / "results.jsonl")
    return study, figures(study, folder / "results.jsonl")


@pytest.fixture(scope="session")
def published(
    small: tuple[Study, Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ...]:
    """The arguments of `expectitree study` for a finished study with published figures."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "results").write_bytes(small[1].read_bytes())
    return spec_in(folder, PUBLISHED), Path("--results"), folder / "results"
