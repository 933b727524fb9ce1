"""Analyses: searches in, reports out, as plain dataclasses. Renderers know how to show them."""
