"""Compares the compiled engine with C++ and OpenSpiel, and measures trees of 10^8 nodes."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, thread_time
from typing import Any

import click

from benchmarks.measuring import Row, Size, as_installed
from expectitree import Tree, evaluate, generate, load, save
from expectitree.base import compiling
from expectitree.base.algorithms import algorithm
from expectitree.base.tree.adopt import adopt
from expectitree.searches.backward_induction import backward_induction
from expectitree.searches.compiled_depth_first import search_columns, start
from expectitree.searches.intervals import NO_LIMIT
from expectitree.searches.problem import Problem
from expectitree.searches.tolerance import rounding_error

HERE = Path(__file__).resolve().parent
COLUMNS = ("kind", "utility", "first", "child", "probability")
TARGETS = {"expectiminimax": 0.9, "star1": 0.8, "star2": 0.8}
OPENSPIEL = """
import sys, time
from open_spiel.python.algorithms.minimax import expectiminimax
import pyspiel
state = pyspiel.load_efg_game(open(sys.argv[1]).read()).new_initial_state()
sys.setrecursionlimit(10_000)
start = time.perf_counter()
value, _ = expectiminimax(state, 1_000_000, lambda _: float("nan"), 0)
print(value, time.perf_counter() - start)
"""


def trees(size: Size) -> Iterator[tuple[str, Tree]]:
    """Yield the trees that the engines search, with additive and with independent utilities."""
    n = size.engine_branching
    pattern = ["max", "chance", "min", "chance"]
    yield f"additive, branching {n}", generate("ballard", pattern=pattern, branching=n, seed=1)
    yield (
        f"independent, branching {n}",
        generate("uniform", pattern=pattern, branching=n, real=True, seed=1),
    )
    yield (
        "independent, branching 2 to 8",
        generate("uniform", plies=9 if n > 20 else 7, branching=(2, 8), real=True, skew=1, seed=1),
    )


def engines(size: Size) -> Iterator[Row]:
    """Yield the rates of the compiled loops, on prepared columns, as shares of C++'s."""
    with tempfile.TemporaryDirectory() as folder:
        program = _compile(folder)
        for what, tree in trees(size):
            if program:
                for name, column in zip(COLUMNS, tree.columns.stored, strict=False):
                    Path(folder, f"{name}.bin").write_bytes(memoryview(column).cast("B"))
            for name in TARGETS:
                yield from _engine_rows(what, tree, name, folder, program, size)


def _engine_rows(
    what: str, tree: Tree, name: str, folder: str, program: str | None, size: Size
) -> Iterator[Row]:
    ours, theirs = float("inf"), float("inf")
    visited = evaluate(tree, name, engine="compiled").counts.visited
    for _ in range(3 * size.repetitions):  # in turns: the best of few is noise
        ours = min(ours, _loop_seconds(tree, name))
        if program:
            found = _cpp(program, folder, tree, name)
            theirs = min(theirs, *found["seconds"])
            _check(tree, name, found)
    yield Row(
        f"{name}, {what}: {len(tree):,} nodes, {visited / len(tree):.0%} visited",
        visited / ours,
        "nodes/s",
    )
    yield Row(
        "  as a share of the C++ rate", theirs / ours if program else None, "x", TARGETS[name]
    )
    # A tree that was just read shares the columns, and remembers what checking them found.
    whole = float("inf")
    for _ in range(3 * size.repetitions):
        fresh = adopt(tree.columns, tree.label, local_bounds=tree.local_bounds)
        begin = thread_time()
        evaluate(fresh, name, engine="compiled")
        whole = min(whole, thread_time() - begin)
    share = theirs / whole if program else None
    yield Row("  the same with all preparation, of a tree just read", share, "x", 0.8)


def _loop_seconds(tree: Tree, name: str) -> float:
    """Return how long the compiled loop runs, its columns made ready (and touched) before."""
    if name == "expectiminimax":
        value = compiling.filled("d", 0.5, len(tree), True)
        begin = thread_time()
        compiling.run_compiled(backward_induction, tree.columns, value, 0.0, None)
        return thread_time() - begin
    lower, upper = map(float, tree.local_bounds[tree.root_id])
    problem = Problem.of(
        tree, algorithm(name), ((lower, upper), "file"), "compiled", (lower, upper)
    )
    work, rule = start(problem)
    for column in work:
        if column is not tree.inner_before:
            column[:] = column  # as in C++, the machine has given them memory before
    window = lower + rule.eps, upper - rule.eps
    begin = thread_time()
    arguments = tree.columns, work, rule, window, NO_LIMIT, False
    compiling.run_compiled(search_columns, *arguments)
    return thread_time() - begin


def _cpp(program: str, folder: str, tree: Tree, name: str) -> dict[str, Any]:
    lower, upper = tree.local_bounds[len(tree) - 1]
    eps = rounding_error(tree, (lower, upper))
    arguments = [folder, name, repr(lower), repr(upper), repr(eps), "2"]
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _check(tree: Tree, name: str, found: dict[str, Any]) -> None:
    """Stop where C++ finds anything else: then one of the two is no yardstick for the other."""
    search = evaluate(tree, name, engine="compiled")
    counts = search.counts
    ours = {
        "value": float(search.value),
        "nodes_visited": counts.visited,
        "leaves_visited": counts.leaves_visited,
        "visits": counts.visits, "cuts": counts.cuts,
    }  # fmt: skip
    if any(found[key] != value for key, value in ours.items()):
        raise SystemExit(f"{name}: C++ finds {found}, and the compiled engine {ours}")


def _compile(folder: str) -> str | None:
    """Return the C++ program, None where there is no compiler."""
    compiler = shutil.which("g++")
    if compiler is None:
        click.echo("no g++: nothing to compare the compiled engine with", err=True)
        return None
    program = str(Path(folder, "reference"))
    source = str(HERE / "reference.cpp")
    subprocess.run(
        [compiler, "-std=c++17", "-O3", "-march=native", source, "-o", program], check=True
    )
    return program


def whole_process(size: Size) -> Iterator[Row]:
    """Yield rates and whole processes beside OpenSpiel's: the same tree as JSON, and as .efg."""
    n = size.engine_branching
    tree = generate("ballard", pattern=["max", "chance", "min", "chance"], branching=n, seed=1)
    small = generate("ballard", pattern=["max", "chance", "min"], branching=40, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        large_file, small_file, json_file = (
            str(Path(folder, name)) for name in ("a.efg", "b.efg", "b.json")
        )
        for path, one in ((large_file, tree), (small_file, small)):
            save(one, path)
        save(small, json_file)
        theirs = _openspiel(large_file, tree)
        ours = min(_loop_seconds(tree, "expectiminimax") for _ in range(size.repetitions))
        rate = None if theirs is None else theirs / ours
        yield Row(f"expectiminimax, {len(tree):,} nodes, over OpenSpiel's rate", rate, "x", 300)
        command = [sys.executable, "-m", "expectitree", "eval", json_file]
        seconds: list[list[float]] = [[], []]
        for _ in range(max(3, size.processes // 4)):
            start = perf_counter()
            subprocess.run(command, env=as_installed(), stdout=subprocess.DEVNULL, check=True)
            seconds[0].append(perf_counter() - start)
            start = perf_counter()
            if _openspiel(small_file, small) is None:
                break
            seconds[1].append(perf_counter() - start)
        rate = min(seconds[1]) / min(seconds[0]) if seconds[1] else None
        what = f"file to value, whole process, {len(small):,} nodes"
        if seconds[1]:
            what += f": {min(seconds[0]) * 1000:.0f} ms / {min(seconds[1]) * 1000:.0f} ms"
        yield Row(f"{what}: OpenSpiel takes", rate, "x", 1)


def _openspiel(path: str, tree: Tree) -> float | None:
    """Return the seconds of OpenSpiel's expectiminimax for a file, None if it is not installed."""
    command = [sys.executable, "-c", OPENSPIEL, path]
    done = subprocess.run(command, env=as_installed(), capture_output=True, text=True, check=False)
    if done.returncode:
        click.echo(f"OpenSpiel: {done.stderr.strip().splitlines()[-1]}", err=True)
        return None
    value, seconds = map(float, done.stdout.split())
    if abs(value - float(evaluate(tree).value)) > 1e-6:
        raise SystemExit(f"OpenSpiel finds {value}, expectitree {evaluate(tree).value}")
    return seconds


def large(size: Size) -> Iterator[Row]:
    """Yield the costs of a tree of 10^8 nodes, each step in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "large.arrow"))
        free = shutil.disk_usage(folder).free
        if free < 8 << 30:
            click.echo(f"{free >> 30} GiB free: too little for a tree of 10^8 nodes", err=True)
            return
        for step in ("make and save", "open", "evaluate", "star1"):
            arguments = [sys.executable, "-m", "benchmarks.engines", step, path]
            runs = [] if step == "make and save" else [None]  # the second time everything is warm
            for _ in [None, *runs]:
                done = subprocess.run(
                    arguments, env=as_installed(), capture_output=True, text=True, check=True
                )
            seconds, peak, nodes, per_node = map(float, done.stdout.split())
            target = {"open": 5, "evaluate": 2}.get(step)
            yield Row(f"10^8 nodes: {step}", seconds, "s", target, at_most=True)
            if step == "open":
                yield Row("  rate", nodes / seconds, "nodes/s", 100_000_000)
                yield Row("  bytes a node in the columns", per_node, "bytes", 33, at_most=True)
            yield Row("  peak memory", peak, "GB", 8 if step == "evaluate" else None, at_most=True)


def _step(step: str, path: str) -> None:
    """Do one step with a tree of 10^8 nodes; print seconds, peak GB, nodes and bytes per node."""
    for name in (
        "expectiminimax",
        "star1",
    ):  # what compiles, and starting it up, is measured elsewhere
        evaluate(generate("ballard", branching=2), name, engine="compiled")
    compiling.assume_started()
    start = perf_counter()
    if step == "make and save":
        tree = generate("ballard", pattern=["max", "chance", "min", "max"], branching=100)
        save(tree, path)
    else:
        tree = load(path)
        if step != "open":
            start = perf_counter()
            evaluate(tree, "expectiminimax" if step == "evaluate" else step)
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    size = sum(memoryview(column).nbytes for column in tree.columns.stored)
    print(seconds, peak, len(tree), size / len(tree))


if __name__ == "__main__":
    _step(*sys.argv[1:])
