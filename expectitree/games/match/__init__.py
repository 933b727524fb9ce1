"""Which of two players is stronger? Games between engines, searches, policies and random moves."""

FORMATS = ("text", "json")  # what `--format` offers
