"""The program: `expectitree`, or `python -m expectitree`."""

import os

try:
    from expectitree.base import interrupts
except KeyboardInterrupt:  # some milliseconds after Python has started
    os.write(2, b"expectitree: interrupted\n")
    os._exit(130)


def main() -> None:
    """Run the command line; Ctrl-C has its effect before anything slow is imported."""
    interrupts.install()
    from expectitree.cli import main as run

    run()


if __name__ == "__main__":  # processes that read files import this module too
    main()
