"""Choose the engine of a search: interpreted in floats or in fractions, or compiled."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from time import perf_counter
from typing import TypeVar

from expectitree.base import compiling
from expectitree.base.algorithms import Algorithm
from expectitree.base.errors import SearchError, install_hint
from expectitree.base.numbers import quote
from expectitree.base.tree.model import Tree

Result = TypeVar("Result")


class Engine(StrEnum):
    """The engine of a search; all find the same, in floats or in fractions."""

    AUTO = "auto"  # in fractions up to 20,000 nodes; else compiled if that saves time
    INTERPRETED = "interpreted"  # in floats
    COMPILED = "compiled"  # in floats
    EXACT = "exact"  # interpreted, in fractions


ENGINES = tuple(engine.value for engine in Engine if engine is not Engine.EXACT)
# The time of one visit of a search, in rows of a scan, interpreted.
_DEPTH_FIRST_VISIT = 6  # 0.45 million visits a second; a scan reads 2.7 million rows a second
_BEST_FIRST_VISIT = 300
_FIRST_BEST_FIRST_VISIT = 30  # until the search is compiled, which takes half a minute once


def choose_engine(tree: Tree, algorithm: Algorithm, engine: str) -> Engine:
    """Return the engine that searches a tree: the one requested, or for `auto` the fastest one."""
    if engine not in ENGINES:
        raise SearchError(f"unknown engine {quote(str(engine))}\nchoose among {', '.join(ENGINES)}")
    if tree.exact:
        return Engine.EXACT
    if engine == Engine.AUTO:
        is_worth_it = algorithm.is_built_in and compiling.pays(_work_of(tree, algorithm))
        return Engine.COMPILED if is_worth_it else Engine.INTERPRETED
    if engine == Engine.COMPILED and not algorithm.is_built_in:
        raise SearchError(f"{algorithm.name} is not compiled\nremove the engine compiled")
    if engine == Engine.COMPILED and not compiling.available():
        raise SearchError(f"the engine compiled needs numba\n{install_hint('fast')}")
    return Engine(engine)


def timed(find: Callable[[], Result]) -> tuple[Result, float]:
    """Return a result, and the seconds it takes without those for compiling."""
    while True:
        known = compiling.versions()
        start = perf_counter()
        result = find()
        seconds = perf_counter() - start
        if compiling.versions() == known:
            return result, seconds


def advice(tree: Tree, engine: str) -> str | None:
    """Return a hint to install numba if it is missing and an engine would need it; else None."""
    if engine not in (Engine.AUTO, Engine.COMPILED):
        return None
    return compiling.advice(len(tree))


def _work_of(tree: Tree, algorithm: Algorithm) -> int:
    """Return the time of a search in rows of a scan, less the time that compiling it takes."""
    if not algorithm.prunes:
        return len(tree)
    if algorithm.in_order:
        return len(tree) * _DEPTH_FIRST_VISIT
    is_loaded = compiling.is_loaded("best_first")
    return len(tree) * (_BEST_FIRST_VISIT if is_loaded else _FIRST_BEST_FIRST_VISIT)
