"""The formats of other programs: a module or a folder for each, and its row in `FORMATS`."""

from __future__ import annotations

from expectitree.files.rows import Format

_UNANNOTATED = (
    "source",
    "unit",
    "notes",
    "bounds",
    "estimates",
    "expect",
    "distributions",
    "events",
    "sharing",
)
_VALUES = ("attitudes to risk", "unknown utilities", "cut nodes")

FORMATS = (
    Format(
        "efg",
        (".efg",),
        "Gambit's .efg",
        is_foreign=True,
        home="expectitree.foreign.efg",
        signature=r"\A\s*[EN]FG\s",
        options=("max_player",),
        loses=(*_UNANNOTATED, "parameters", "formulas", "criteria", *_VALUES),
    ),
    Format(
        "radiant",
        (".yaml", ".yml"),
        "Radiant's YAML",
        is_foreign=True,
        home="expectitree.foreign.radiant",
        signature=r"(?ims)\A(?=.*^name\s*:)(?=.*^type\s*:\s*(?:decision|chance)\b)"
        r"(?!.*^children\s*:)",
        options=("minimize", "normalize"),
        is_written=False,
        likeness=r"(?ims)\A(?=.*^type\s*:)(?=.*^\s+payoff\s*:)",
    ),
    Format(
        "silverdecisions",
        (".json",),
        "SilverDecisions' JSON",
        is_foreign=True,
        home="expectitree.foreign.silverdecisions",
        signature=r'\A\s*\{[^][{}]*"SilverDecisions"\s*:',  # among the first keys of the root
        options=("tree", "normalize"),
        is_written=False,
    ),
    Format(
        "csv",
        (".csv",),
        "CSV",
        is_foreign=True,
        home="expectitree.foreign.payoff_tables",
        options=("minimize", "normalize", "probabilities", "transpose"),
        is_written=False,
        # Two lines of cells.
        likeness=r"\A(?:[^]\r\n:{}[,;\t]*[,;\t][^]\r\n:{}[]*(?:\r?\n|\Z)){2}",
    ),
)
