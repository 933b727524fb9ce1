"""The questions that the tool answers, a folder each: its mathematics, its report, and how that is shown."""
