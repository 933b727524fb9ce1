"""The colours of a picture, by purpose. A symbol has a colour for its area and one for its line."""

from __future__ import annotations

THEMES = {
    "light": {
        "paper": "#ffffff", "ink": "#1f2328", "line": "#57606a", "dim": "#59636e",
        "grey": "#868e97", "cut": "#a40e91",
        "MAX": "#d3f0da", "MAXline": "#1a7f37", "MIN": "#ffdcd7", "MINline": "#b62324",
        "CHANCE": "#d8e9ff", "CHANCEline": "#0b5cc4",
        "TERMINAL": "#f6f8fa", "TERMINALline": "#868e97",
        "best": "#f6f8fa", "bestline": "#1f2328",
        "hidden": "#ffffff", "hiddenline": "#a4abb3",
    },
    "dark": {
        "paper": "#0d1117", "ink": "#f0f6fc", "line": "#a3acb6", "dim": "#a3acb6",
        "grey": "#7d8590", "cut": "#f08fe5",
        "MAX": "#123d20", "MAXline": "#4ac26b", "MIN": "#4b1a19", "MINline": "#ff7b72",
        "CHANCE": "#10305c", "CHANCEline": "#6cb6ff",
        "TERMINAL": "#1c2330", "TERMINALline": "#7d8590",
        "best": "#1c2330", "bestline": "#f0f6fc",
        "hidden": "#0d1117", "hiddenline": "#59626c",
    },
}  # fmt: skip
