"""What is claimed of speed, reproducible by one command: `python -m benchmarks`."""
