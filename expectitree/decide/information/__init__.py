"""What knowing an uncertain event in advance, or testing for it, is worth."""

FORMATS = ("text", "json")
