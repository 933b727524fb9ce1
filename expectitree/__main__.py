"""`python -m expectitree`."""

from expectitree.cli import main

if __name__ == "__main__":  # processes that read files import this module too
    main()
