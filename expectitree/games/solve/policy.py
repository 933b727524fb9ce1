"""Write the best move of each position to a file: CSV or Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from csv import DictReader
from csv import Error as CsvError
from io import TextIOWrapper
from itertools import islice
from typing import Any

from expectitree.base.errors import install_hint
from expectitree.files.grammar.document import error_in
from expectitree.files.writing import named_errors, whole_file
from expectitree.games.solve.report import Solution
from expectitree.searches.progress import report
from expectitree.text.csv import csv_lines

ROWS_AT_ONCE = 50_000
ENDINGS = (".csv", ".arrow")


def check_policy(path: str) -> None:
    """Raise `FileError` if a file has another ending, or pyarrow is missing."""
    if not path.lower().endswith(ENDINGS):
        problem = f"a policy is written as {' or '.join(ENDINGS)}\nchoose one of these endings"
        raise error_in(path, problem)
    if path.lower().endswith(".arrow"):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            problem = f"to write Arrow needs pyarrow\n{install_hint('arrow')}, or choose .csv"
            raise error_in(path, problem) from None


def save_policy(solution: Solution, path: str) -> None:
    """Write a row for each position in which a player moves."""
    check_policy(path)
    columns = ("position", "turn", "best", solution.ties, "lower", "upper")
    with whole_file(path) as stream:
        if path.lower().endswith(".arrow"):
            import pyarrow as pa

            types = [pa.string()] * 4 + [pa.float64()] * 2
            schema = pa.schema(list(zip(columns, types, strict=True)))
            with pa.ipc.new_file(stream, schema) as writer:
                for rows in _portions(solution):
                    for row in rows:
                        row.update(lower=float(row["lower"]), upper=float(row["upper"]))
                    writer.write_batch(pa.RecordBatch.from_pylist(rows, schema))
            return
        text = TextIOWrapper(stream, "utf-8", newline="\n", write_through=True)
        text.write(",".join(columns) + "\n")
        for rows in _portions(solution):
            text.writelines(f"{line}\n" for line in csv_lines(row.values() for row in rows))
        text.detach()


def read_policy(path: str) -> dict[str, str]:
    """Return the best move of each position in a file that `save_policy` wrote."""
    check_policy(path)
    with named_errors(path, "the policy cannot be read"), open(path, "rb") as stream:
        try:
            if path.lower().endswith(".arrow"):
                import pyarrow as pa

                rows = pa.ipc.open_file(stream).read_all().to_pylist()
            else:
                rows = list(DictReader(stream.read().decode("utf-8-sig").splitlines()))
            return {row["position"]: row["best"] for row in rows}
        except (ValueError, KeyError, CsvError):
            problem = "this is not a policy\nname a file that `solve --policy` wrote"
            raise error_in(path, problem) from None


def _portions(solution: Solution) -> Iterator[list[dict[str, Any]]]:
    records, done = solution.to_records(), 0
    while rows := list(islice(records, ROWS_AT_ONCE)):
        yield rows
        done += len(rows)
        report(done, solution.states)
