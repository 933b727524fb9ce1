"""What all terminal output shares: consoles, styles, tables, headings and phrases.

A renderer is the function `render` of `analysis/QUESTION/FORMAT.py`. It reads a report and computes
nothing but words; `analysis/compare` is the example to follow.

- In `text.py`, `render(report, options, ...)` takes a `rich.console.ConsoleOptions` and yields
  renderables: `Text(sentence)`, which rich wraps; `indented(text)`; `line(...)`, which never wraps;
  `*table(...)`; and `str`, a line without style that never wraps. Styles are the names in
  `console.THEME`. What a file's author wrote goes through `safe(text, options)`, which `table` does
  for its cells.
- In the modules of other formats, `render(report, ...)` yields lines. A module with
  `YIELDS_PIECES = True` yields pieces of lines.
"""
