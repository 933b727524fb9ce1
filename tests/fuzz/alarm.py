"""Planted defects: `--only alarm` shows that a run finds, names and survives them."""

from __future__ import annotations

import os
import signal
import time
from random import Random

from fuzz.cases import Target

ACTIONS = ("read", "refuse", "fail", "die", "hang")


def make(random: Random) -> str:
    """Return the action of a case: most inputs are read."""
    return random.choices(ACTIONS, (20, 5, 3, 1, 1))[0]


def check(made: str) -> bool:
    """Perform the action of the input."""
    if made == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if made == "hang":
        time.sleep(3600)
    assert made != "fail", "a planted defect"
    return made == "read"


TARGETS = {"alarm": Target(make, check)}
