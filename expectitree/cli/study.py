"""`expectitree study`: an experiment, run on all cores or a cluster, and what it comes to."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from typing import Any

import click

from expectitree import __version__
from expectitree.analysis.show import renderer
from expectitree.analysis.study.results import Results
from expectitree.analysis.study.run import count_trees, execute
from expectitree.analysis.study.spec import Study, load_study
from expectitree.analysis.study.summary import summarize
from expectitree.cli.options import completes_files, format_option
from expectitree.cli.parallel import cores, start, stop
from expectitree.cli.status import DOES_NOT_HOLD
from expectitree.cli.terminal import counting, make_look, say, write
from expectitree.errors import AnalysisError, ExpectitreeError, FileError, Problem
from expectitree.numbers import quote


@click.command("study")
@click.argument("spec", shell_complete=completes_files(".yaml", ".yml", ".json"))
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that search.  [default: one a core]",
)
@click.option(
    "--results",
    metavar="FILE",
    help="Where results are kept.  [default: SPEC.results.jsonl, beside it]",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Run on the Dask cluster whose scheduler has this address.",
)
@click.option("--report", is_flag=True, help="Run nothing: tell what the results so far come to.")
@click.option("--plot", "plot", metavar="FILE", help="Draw it too, as .svg, .png or .pdf.")
@format_option("study")
@click.pass_context
def command(
    context: click.Context,
    /,
    spec: str,
    jobs: int | None,
    results: str | None,
    scheduler: str | None,
    report: bool,
    plot: str | None,
    format_name: str,
) -> None:
    """Run an experiment that a YAML file describes, and print what it comes to.

    \b
    trees:                       # every combination of what is listed
      - {family: ballard, branching: [4, 10], order: random}
    algorithms: [star1, star2, star2.5: {probes: [2, 3]}]
    repetitions: 100

    Results are kept as they come: a study that was interrupted goes on where it stopped. All seeds follow from the
    study's own, so that the same file gives the same figures everywhere.
    """
    if jobs is not None and scheduler is not None:
        raise click.UsageError("--jobs is for this machine: on a cluster, its workers are used.")
    if plot is not None:
        from expectitree.analysis.study.plot import check_plot

        check_plot(plot)
    study = load_study(spec)
    kept = Results(results or os.path.splitext(spec)[0] + ".results.jsonl")
    kept.read()
    done, total = count_trees(study, kept)
    if done < total and not report:
        kept.open()
        try:
            _run(study, kept, done, total, jobs, scheduler)
        finally:
            kept.close()
    done, total = count_trees(study, kept)
    summary = summarize(study, kept, done, total)
    write(renderer("study", format_name)(summary, make_look()))
    if plot is not None:
        _draw(summary, plot)
    if done < total:
        context.exit(DOES_NOT_HOLD)


def _run(
    study: Study, kept: Results, done: int, total: int, jobs: int | None, scheduler: str | None
) -> None:
    if done:
        say(f"{kept.path}: {done:,} of {total:,} trees are done, going on")
    try:
        with (
            _executor(jobs, scheduler) as (executor, workers),
            counting(study.file, done, total) as progress,
        ):
            execute(study, kept, executor, workers, progress)
    except BrokenExecutor:
        message = "a process that searched has died, perhaps for want of memory: what is done is kept; try fewer --jobs"
        raise AnalysisError(message) from None
    except ExpectitreeError:
        raise
    except Exception as error:
        if scheduler is None:
            raise
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"the scheduler at {scheduler} or its workers failed: {said}"
        raise AnalysisError(f"{message}; what is done is kept, the same command goes on") from None
    except KeyboardInterrupt:
        kept.read()  # what was on its way to the disk counts too
        now, total = count_trees(study, kept)
        say(
            f"{kept.path}: {now:,} of {total:,} trees are done; the same command goes on from there"
        )
        raise


@contextmanager
def _executor(jobs: int | None, scheduler: str | None) -> Iterator[tuple[Executor, int]]:
    """Give the executor, and how many workers it has."""
    if scheduler is not None:
        with _cluster(scheduler) as found:
            yield found
        return
    count = jobs or cores()
    executor = start(count)
    try:
        yield executor, count
    except BaseException:
        stop(executor)
        raise
    executor.shutdown()


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    try:
        import distributed
    except ImportError:
        raise AnalysisError("a cluster needs Dask: pip install 'expectitree[cluster]'") from None
    logging.disable(logging.CRITICAL)  # what goes wrong over there is told here, in a line
    if not re.fullmatch(r"([a-z+]+://)?\S+:[0-9]+", address):
        raise AnalysisError(
            f"found {quote(address)} as the scheduler, expected an address such as tcp://host:8786"
        )
    try:
        client: Any = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise AnalysisError(f"no Dask scheduler answers at {address}: {said}") from None
    try:
        workers = len(client.ncores())
        if not workers:
            raise AnalysisError(
                f"the scheduler at {address} has no workers: start some with `dask worker {address}`"
            )
        _check_workers(client, address)
        yield client.get_executor(pure=False), sum(client.ncores().values())
    finally:
        client.close()


def _check_workers(client: Any, address: str) -> None:
    """Raise where workers lack this package, or have another version: tasks that cannot be read there never end."""
    from importlib.metadata import version

    try:
        found = set(client.run(version, "expectitree").values())
    except Exception:
        raise AnalysisError(f"a worker at {address} has no expectitree: install it there") from None
    if found != {__version__}:
        raise AnalysisError(
            f"the workers at {address} have expectitree {', '.join(sorted(found))}, not {__version__}"
        )


def _draw(summary: object, plot: str) -> None:
    from expectitree.analysis.study.plot import draw_study
    from expectitree.files.saving import whole_file

    try:
        with whole_file(plot) as temporary:
            draw_study(summary, temporary, plot)  # type: ignore[arg-type]
    except OSError as error:
        raise FileError(
            [Problem(plot, f"the plot cannot be written: {error.strerror or error}")]
        ) from None
    say(f"{plot} written")
