"""Decision trees of SilverDecisions (.json)."""

from expectitree.foreign.silverdecisions.reader import read as read
from expectitree.foreign.silverdecisions.writer import write as write
