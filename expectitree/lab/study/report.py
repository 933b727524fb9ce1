"""Compare algorithms on many random trees: the report of `study`.

It has means with 95% intervals for each kind of tree and search.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from expectitree.base.algorithms import OPTIONS, Algorithm
from expectitree.base.display import Shown
from expectitree.base.errors import AnalysisError
from expectitree.base.means import Mean, mean
from expectitree.lab.study.executors import executor_of
from expectitree.lab.study.reader import Spec, load_study
from expectitree.lab.study.results import Record, Results, count_done
from expectitree.lab.study.run import execute, find_tasks, perform
from expectitree.lab.study.spec import Parameters, Study, is_lazy
from expectitree.text.json_values import Fields, Records


@dataclass(frozen=True, slots=True)
class SummaryRow:
    tree: Parameters
    algorithm: Algorithm
    trees: int
    leaves_total: float  # a tree, on average
    leaves: Mean  # visited
    nodes: Mean  # visited
    visits: Mean
    seconds: float  # a search, the median
    published: str | None
    leaf_share: Mean | None = None  # of all, in percent; None for a lazy search
    node_share: Mean | None = None
    evaluations: Mean | None = None  # of a lazy search
    rows: Mean | None = None

    @property
    def published_share(self) -> float | None:
        """The published figure in percent."""
        if self.published is None:
            return None
        leaves, _, total = self.published.partition("/")
        if not total:
            return float(leaves)
        return 100 * float(leaves) / float(total)

    @property
    def figures(self) -> Fields:
        """The search and its figures by name, for records and JSON."""
        chosen = self.algorithm
        columns = {
            "algorithm": chosen.name,
            **{key.replace("-", "_"): chosen.options.get(key) for key in OPTIONS},
            "trees": self.trees,
            "leaves_total": self.leaves_total,
        }
        for name in ("leaves", "leaf_share", "nodes", "node_share", "evaluations", "rows"):
            mean: Mean | None = getattr(self, name)
            columns |= {name: None, f"{name}_half": None}
            if mean is not None:
                columns |= {name: mean.value, f"{name}_half": mean.half}
        columns |= {"visits": self.visits.value, "seconds": self.seconds}
        return columns | {"published": self.published}


@dataclass(frozen=True, slots=True)
class Summary(Shown):
    """The results of a study so far; `study` makes it.

        >>> import expectitree as et
        >>> trees = {"family": "ballard", "branching": 4, "order": "best"}
        >>> found = et.study({"trees": trees, "algorithms": ["star1", "star2"]})
        >>> [(row.algorithm.name, row.leaves.value) for row in found.rows]
        [('star1', 40.0), ('star2', 25.0)]

    Attributes:
        study: The experiment that the file describes.
        rows: One for each kind of tree and search, in the order of the study; `to_records` explains
            the figures.
        done: The number of trees that have the results of all searches.
        total: The number of trees.
    """

    question = "study"
    is_shown_alone = True

    study: Study
    rows: Sequence[SummaryRow]
    done: int
    total: int

    def json_fields(self) -> Fields:
        """Return the fields of the report in JSON."""
        return {
            "file": self.study.file,
            "title": self.study.title,
            "seed": self.study.seed,
            "trees": {"done": self.done, "total": self.total},
            "rows": [{"tree": row.tree, **row.figures} for row in self.rows],
        }

    @property
    def has_published(self) -> bool:
        """Whether a row has a published figure."""
        return any(row.published is not None for row in self.rows)

    @property
    def varying(self) -> list[str]:
        """The parameters that differ between trees."""
        names = dict.fromkeys(name for tree in self.study.trees for name in tree)
        return [name for name in names if len({tree.get(name) for tree in self.study.trees}) > 1]

    def to_records(self) -> Records:
        """Return a flat dict for each kind of tree and search, in the order of the study.

        All have the same keys: the parameters of the trees; `algorithm` and its options;
        `trees`, how many were searched; and means over them. `leaves`, `leaves_total`, `nodes` and
        `visits` are counts for one tree, `leaf_share` and `node_share` percent of all, and a name
        that ends in `_half` is half the width of a 95% confidence interval. `evaluations` and
        `rows` are those of lazy searches. `seconds` is the median for one search, and
        `seconds_limit` the parameter. None means that the row does not have it. pandas and polars
        take this list.

            >>> import expectitree as et
            >>> trees = {"family": "ballard", "branching": [4, 10], "order": "best"}
            >>> found = et.study({"trees": trees, "algorithms": "star2"})
            >>> [(row["branching"], row["leaves"]) for row in found.to_records()]
            [(4, 25.0), (10, 166.0)]
        """
        names = dict.fromkeys(name for row in self.rows for name in row.tree)
        columns = [_numbers([row.tree.get(name) for row in self.rows]) for name in names]
        headings = [{"seconds": "seconds_limit"}.get(name, name) for name in names]
        return [
            {**dict(zip(headings, parameters, strict=True)), **row.figures}
            for row, *parameters in zip(self.rows, *columns, strict=True)
        ]


def _numbers(texts: list[str | None]) -> list[Any]:
    """Return texts as numbers if all of them are, for a column of one type."""
    for read in (int, float):
        with suppress(ValueError):
            return [None if text is None else read(text) for text in texts]
    return list(texts)


def study(
    spec: Spec,
    *,
    jobs: int = 1,
    results: str | os.PathLike[str] | None = None,
) -> Summary:
    """Search many trees with several algorithms, and return means of what the searches visit.

    All seeds follow from the study's own, so the same study gives the same figures everywhere.

        >>> import expectitree as et
        >>> found = et.study({
        ...     "trees": {"family": "ballard", "branching": range(3, 5), "order": "best"},
        ...     "algorithms": ["star1", "star2"],
        ... })
        >>> found.done, found.total
        (2, 2)
        >>> row = found.rows[0]
        >>> row.algorithm.name, row.leaves.value, row.leaves_total
        ('star1', 15.0, 27.0)

    Args:
        spec: The path of a study's file, a stream, or a dict with the same keys, where lists may be
            ranges.
        jobs: The number of processes. If there are several, a script must call this below
            `if __name__ == "__main__":`.
        results: The path of a file where each tree's counts are written at once, so that the study
            can continue where it stopped. Without it, nothing is written.

    Raises:
        AnalysisError: `jobs` or `spec` is wrong, or a process fails.
        FileError: The study or the results are wrong.
    """
    if type(jobs) is not int or jobs < 1:
        raise AnalysisError(f"found {jobs!r} as jobs, expected a whole number, 1 or more")
    asked = load_study(spec)
    kept = Results("" if results is None else os.fspath(results))
    kept.read()
    tasks = find_tasks(asked, kept)
    if tasks:
        with kept.writing():
            if jobs == 1:
                for task in tasks:
                    kept.add(perform(task))
            else:
                with executor_of(jobs, None) as (executor, workers):
                    execute(tasks, kept, executor, workers, lambda trees: None)
    return summarize(asked, kept)


def summarize(study: Study, results: Results) -> Summary:
    """Return the means over all finished trees of a study."""
    rows = []
    for tree, keys in study.keys:
        records = [results.records[key] for key in keys if key in results.records]
        for chosen in study.algorithms:
            searched = [record for record in records if chosen.full_name in record.runs]
            if searched:
                rows.append(_row(study, tree, chosen, searched))
    return Summary(study, rows, *count_done(study, results))


def _row(
    study: Study, tree: Parameters, chosen: Algorithm, records: Sequence[Record]
) -> SummaryRow:
    runs = [record.runs[chosen.full_name] for record in records]
    figures = [f.figure for f in study.published if f.applies_to(tree, chosen)]

    def means_of(*names: str) -> dict[str, Mean]:
        return {name: mean([run[name] for run in runs]) for name in names}

    if is_lazy(tree):
        more = means_of("evaluations", "rows")
    else:
        pairs = list(zip(runs, records, strict=True))
        more = {
            "leaf_share": mean([100 * run["leaves"] / record.leaves for run, record in pairs]),
            "node_share": mean([100 * run["nodes"] / record.nodes for run, record in pairs]),
        }
    return SummaryRow(
        tree,
        chosen,
        trees=len(records),
        leaves_total=fmean(record.leaves for record in records),
        seconds=median(run["seconds"] for run in runs),
        published=next(iter(figures), None),
        **means_of("leaves", "nodes", "visits"),
        **more,
    )
