"""Compiling without numba's private options."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import loads

from expectitree.base import compiling
from expectitree.tree import scans


@pytest.mark.extra
def test_loops_compile_if_numba_refuses_its_private_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numba

    njit = numba.njit

    def refuse(loop: Any, **options: Any) -> Any:
        def fail(*arguments: Any) -> Any:
            raise KeyError("_nrt")

        return fail if "_nrt" in options else njit(loop, **options)

    monkeypatch.setattr(compiling, "PRIVATE_OPTIONS", {"_nrt": False})
    monkeypatch.setattr(numba, "njit", refuse)
    compiling._compiled.cache_clear()
    columns = loads("max: [{chance: [0, 10]}, 4, 5]", exact=False).columns
    assert compiling.run(scans.measure, columns, rows=0, compiled=True)[2] == 3
    assert compiling.PRIVATE_OPTIONS == {}
    compiling._compiled.cache_clear()  # the loops of other tests use the usual options
