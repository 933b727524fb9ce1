"""Decision trees of Radiant and pyrsm in YAML: `name`, `type`, `payoff`, `cost`, `variables`."""

from expectitree.foreign.radiant.reader import read as read
from expectitree.foreign.radiant.writer import write as write
