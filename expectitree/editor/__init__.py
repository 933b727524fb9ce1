"""The editor: a page that shows a tree while its text or its picture is edited.

`expectitree edit` serves it; the playground of the documentation site is the same page, whose
questions are answered in the browser (docs/decisions/0029-editor.md).
"""
