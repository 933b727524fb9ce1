"""`python -m expectitree`."""

from expectitree.cli import main

main()
