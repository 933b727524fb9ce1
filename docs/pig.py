"""Draw the optimal policy of pig as Neller and Presser do: roll or hold, by scores and points.

`python docs/pig.py` makes docs/pictures/pig-policy.svg in a minute. It needs the extras fast and
plot. Scores and points of 1 cannot be reached, so their lines are white.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import expectitree as et

PICTURE = Path(__file__).parent / "pictures" / "pig-policy.svg"
OPPONENTS = (0, 30, 60, 90)  # scores, a panel each


def main() -> None:
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "pig"  # the same file each time
    from matplotlib import pyplot as plt
    from matplotlib.colors import ListedColormap

    rolls = {other: np.full((100, 100), np.nan) for other in OPPONENTS}
    for position in et.solve("game:pig").positions():
        state = position.state
        if position.turn == "max" and state.scores[1] in rolls:
            own, other = state.scores
            if own + state.points >= 100:
                continue  # to hold wins
            rolls[other][state.points, own] = position.best == "roll"
    figure, panels = plt.subplots(1, len(OPPONENTS), figsize=(11, 3.3), sharey=True)
    colours = ListedColormap(["#d9dee7", "#2f6db5"])
    for panel, (other, table) in zip(panels, rolls.items(), strict=True):
        panel.imshow(table, origin="lower", cmap=colours, vmin=0, vmax=1, aspect="auto")
        panel.set(title=f"the opponent has {other}", xlabel="own score")
        panel.text(6, 6, "roll", color="white")
        if not table[60, 6]:
            panel.text(6, 60, "hold", color="#333333")
    panels[0].set_ylabel("points of the turn")
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
