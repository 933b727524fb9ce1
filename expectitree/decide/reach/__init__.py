"""How likely play enters each node that repeats: the trace of a cohort."""

FORMATS = ("text", "json", "csv")
