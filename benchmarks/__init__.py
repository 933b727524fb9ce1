"""Measurements of speed behind every claim: run them all with `python -m benchmarks`."""
