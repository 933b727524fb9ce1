"""Which strategies are best for some weight of a criterion, and which never are."""

FORMATS = ("text", "json", "csv")
