"""`expectitree study`: run an experiment on all cores or a cluster, and print its results."""

from __future__ import annotations

import os

from click import UsageError

from expectitree.base.interrupts import raising
from expectitree.cli.terminal import DOES_NOT_HOLD, protect, say, show, working
from expectitree.lab.study.executors import executor_of
from expectitree.lab.study.reader import load_study
from expectitree.lab.study.report import summarize
from expectitree.lab.study.results import Results, count_done
from expectitree.lab.study.run import Task, execute, find_tasks
from expectitree.lab.study.spec import Study


def command(
    spec: str,
    jobs: int | None,
    results: str | None,
    scheduler: str | None,
    report: bool,
    format_name: str,
) -> int:
    """Run the experiment described by a YAML file, and print its results.

    \b
    trees:                       # every combination of the values
      - {family: ballard, branching: [4, 10], order: random}
    algorithms: [star1, star2, star2.5: {probes: [2, 3]}]
    repetitions: 100

    Results are saved at once: an interrupted study continues where it stopped. All seeds follow
    from the study's own, so the same file gives the same figures everywhere.

    For example: expectitree study studies/ballard-best.yaml --report
    """
    if jobs is not None and scheduler is not None:
        raise UsageError("--jobs is for this machine: on a cluster, its workers are used.")
    study = load_study(spec)
    kept = Results(results or os.path.splitext(spec)[0] + ".results.jsonl")
    protect([spec, kept.path])
    kept.read()
    tasks = find_tasks(study, kept)
    if tasks and not report:
        with kept.writing():
            _run(study, kept, tasks, jobs, scheduler)
    summary = summarize(study, kept)
    show(format_name, summary)
    return DOES_NOT_HOLD * (summary.done < summary.total)


def _run(
    study: Study, kept: Results, tasks: list[Task], jobs: int | None, scheduler: str | None
) -> None:
    done, total = count_done(study, kept)
    if done:
        say(f"{kept.path}: {done:,} of {total:,} trees are done, continuing")
    try:
        with (
            raising(),
            executor_of(jobs, scheduler) as (executor, workers),
            working(study.file, done, total) as progress,
        ):
            execute(tasks, kept, executor, workers, progress)
    except KeyboardInterrupt:
        kept.read()  # a record may have been on its way to the disk
        done, total = count_done(study, kept)
        say(f"{kept.path}: {done:,} of {total:,} trees are done; the same command continues there")
        raise
