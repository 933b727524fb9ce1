"""The program: `expectitree`, or `python -m expectitree`."""

import os
import sys

try:
    from expectitree.base import interrupts
except KeyboardInterrupt:  # some milliseconds after Python has started
    os.write(2, b"expectitree: interrupted\n")
    os._exit(130)


def main() -> None:
    """Run the command line; Ctrl-C has its effect before anything slow is imported."""
    interrupts.install()
    from expectitree.cli import main as run

    try:
        run()
    except Exception as error:  # a defect: all that users can cause is reported by `run`
        from expectitree.cli.terminal import DEFECT, say_defect

        say_defect(error)
        sys.exit(DEFECT)


if __name__ == "__main__":  # processes that read files import this module too
    main()
