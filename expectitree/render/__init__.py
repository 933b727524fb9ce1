"""Renderers: reports in, lines out. The tables here feed `--format`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

# --format -> the module and the function of a renderer, imported when it is chosen.
EVALUATION_FORMATS = {
    "text": ("evaluation_text", "evaluation_text"),
    "json": ("evaluation_json", "evaluation_json"),
}
COMPARISON_FORMATS = {
    "text": ("comparison", "comparison_text"),
    "json": ("comparison", "comparison_json"),
    "csv": ("comparison", "comparison_csv"),
    "markdown": ("comparison", "comparison_markdown"),
}
VERIFICATION_FORMATS = {
    "text": ("verification", "verification_text"),
    "json": ("verification", "verification_json"),
    "junit": ("verification", "verification_junit"),
}


def renderer(formats: dict[str, tuple[str, str]], name: str) -> Callable[..., Iterator[str]]:
    """Return the function that renders the format of that name."""
    from importlib import import_module

    module, function = formats[name]
    found: Callable[..., Iterator[str]] = getattr(import_module(f"{__name__}.{module}"), function)
    return found

