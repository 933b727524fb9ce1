"""What is best while parameters are uncertain: draws, and what knowing more is worth."""

FORMATS = ("text", "json", "csv")
