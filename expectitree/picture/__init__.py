"""Pictures of a tree and a search: one content and one layout, drawn in several formats.

To add a format, write a module with a function `draw` and add its row to `PICTURES` in
`expectitree/__init__.py`.
"""

CHOICES = {
    "theme": ("light", "dark"),
    "direction": ("auto", "down", "right"),
    "style": ("auto", "game", "decision"),
}  # of a picture
