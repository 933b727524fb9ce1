import tomllib

import expectitree as et
from expectitree.files.rows import Format

TOML = Format("toml", (".toml",), "TOML", is_foreign=True, is_written=False, home=__name__)


def read(text, name, warn, exact_nodes):
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise et.FileError([et.Problem(name, f"this is not TOML: {error}")]) from None
    return et.from_dict(data, name=name, warn=warn)


class Nim:
    title = "Take one or two stones; the last one wins"
    utility_bounds = (-1, 1)

    def __init__(self, stones=7):
        self.start = (stones, "max")

    def turn(self, state):
        stones, player = state
        return player if stones else None

    def moves(self, state):
        return ["one", "two"][: state[0]]

    def play(self, state, move):
        stones, player = state
        return (stones - (1 if move == "one" else 2), "min" if player == "max" else "max")

    def value(self, state):
        return 0 if state[0] else 1 if state[1] == "min" else -1
