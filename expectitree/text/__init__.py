"""What all terminal output shares: consoles, styles, tables, headings and phrases.

A renderer is the function `render` of `analysis/QUESTION/FORMAT.py`. It reads a report and computes
nothing but words.

- `text.py`: `render(report, options, ...)` takes a `rich.console.ConsoleOptions` and yields
  renderables. `options.max_width` is the width; `characters(options)` has the symbols, in ASCII
  where the console has no others.
- Every other format (`csv.py`, `markdown.py`, `junit.py`): `render(report, ...)` takes
  no options and yields lines as `str`. A module with `YIELDS_PIECES = True` yields pieces of lines.

What a `text.py` yields:

| renderable | for |
|---|---|
| `Text(sentence, style="title")` | a sentence: rich wraps it at the width |
| `indented(text, 2)` | a sentence that wraps behind two blanks |
| `line("plain", ("styled", "best"))` | one line that must never wrap, such as a row of a tree |
| `*table(columns, rows, options)` | a table of `Column`s, and a line that names columns left out |
| `str` | a line without style that never wraps; `""` is a blank line |

Styles are the names in `console.THEME`: no colours, no escape codes and no markup in a renderer.
Everything that a file's author wrote (labels, titles, file names) goes through
`safe(text, options)`; `table` does this for its cells. `console` has `safe`, `clipped`, `line`,
`indented`; `tables` has
`Column`, `table`, `markdown`; `headings` has titles and file names; `phrases` has `plural`,
`value_text`, `interval_text`, `seconds_text`, `node_name`.

The command line calls `cli.terminal.show(question, format, report, **settings)`, which makes the
console (colours, width, encoding) and writes. Tests call `helpers.rendered_lines(render, report,
width, unicode)` or `et.to_text(report, width=...)`.
`analysis/compare` is the example to follow.
"""
