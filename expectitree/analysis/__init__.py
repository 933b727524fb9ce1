"""The questions that the tool answers: a folder each, with its report and how that is shown."""
