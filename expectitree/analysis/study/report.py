"""Summarises a study: means with 95% intervals for each kind of tree and search."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, median, stdev

from expectitree.analysis.study.results import Record, Results, count_done
from expectitree.analysis.study.spec import Parameters, Run, Study


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean, and half the width of its 95% confidence interval (None for a single value)."""

    value: float
    half: float | None


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One search of one kind of tree."""

    tree: Parameters
    run: Run
    trees: int
    leaves_total: float  # a tree, on average
    leaves: Mean  # visited
    leaf_share: Mean  # of all, in per cent
    node_share: Mean
    visits: Mean
    seconds: float  # a search, the median
    published: str | None

    @property
    def published_share(self) -> float | None:
        """The published figure in per cent."""
        if self.published is None:
            return None
        leaves, slash, total = self.published.partition("/")
        return 100 * float(leaves) / float(total) if slash else float(leaves)


@dataclass(frozen=True, slots=True)
class Summary:
    """A study and its results so far."""

    study: Study
    rows: Sequence[SummaryRow]
    done: int  # trees
    total: int

    @property
    def has_published(self) -> bool:
        """Whether there is a published figure to compare with."""
        return any(row.published is not None for row in self.rows)

    @property
    def varying(self) -> list[str]:
        """The parameters that differ between trees."""
        names = dict.fromkeys(name for tree in self.study.trees for name in tree)
        return [name for name in names if len({tree.get(name) for tree in self.study.trees}) > 1]


def summarize(study: Study, results: Results) -> Summary:
    """Return the means over all finished trees of a study."""
    rows = []
    for tree, keys in study.keys:
        records = [results.records[key] for key in keys if key in results.records]
        for run in study.runs:
            of_run = [record for record in records if run.name in record.runs]
            if of_run:
                rows.append(_row(study, tree, run, of_run))
    return Summary(study, rows, *count_done(study, results))


def _row(study: Study, tree: Parameters, run: Run, records: list[Record]) -> SummaryRow:
    found = [(record, record.runs[run.name]) for record in records]
    figures = [f.figure for f in study.published if f.applies_to(tree, run.algorithm)]
    return SummaryRow(
        tree,
        run,
        len(records),
        fmean(record.leaves for record in records),
        mean([counts["leaves"] for _, counts in found]),
        mean([100 * counts["leaves"] / record.leaves for record, counts in found]),
        mean([100 * counts["nodes"] / record.nodes for record, counts in found]),
        mean([counts["visits"] for _, counts in found]),
        median(counts["seconds"] for _, counts in found),
        figures[0] if figures else None,
    )


def mean(values: Sequence[float]) -> Mean:
    """Return the mean of some values with its 95% interval, by Student's t distribution."""
    count = len(values)
    if count < 2:
        return Mean(fmean(values), None)
    return Mean(fmean(values), _t(count - 1) * stdev(values) / math.sqrt(count))


# Student's t, two-sided 95%, for 1 to 5 degrees of freedom.
_FEW = (12.706, 4.303, 3.182, 2.776, 2.571)


def _t(degrees: int) -> float:
    """Return the two-sided 95% quantile of Student's t to three digits.

    The series is Abramowitz and Stegun 26.7.5; for few degrees of freedom it is too coarse.
    """
    if degrees <= len(_FEW):
        return _FEW[degrees - 1]
    z = NormalDist().inv_cdf(0.975)
    return (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )
