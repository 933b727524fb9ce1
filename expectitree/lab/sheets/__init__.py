"""Exercise sheets: variants of a tree, a page each, and a key with all answers."""

# The ending of a sheet's file -> the module and the function that draw it. The function receives a
# `Sheet`, and whether to draw its key, and returns the content of the file.
FORMATS = {
    ".html": ("paper", "web_page"),
    ".pdf": ("paper", "pdf"),
    ".tex": ("latex", "document"),
    ".xml": ("moodle", "quiz"),
}
