"""The readable games of Gambit's repository: their texts in .efg, values and sizes.

Their shapes and numbers are those of the files at 8883f75, written anew here; names are our own.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple


class Game(NamedTuple):
    """A game in the EFG format, with its value and the number of its nodes."""

    text: str
    value: Fraction
    nodes: tuple[int, int, int]  # of chance, of players, terminals


GAMES = {
    "nature_leaves_generic": Game(
        """\
EFG 2 R "A game" { "Ann" "Bob" } "A comment"
p "" 1 1 "" { "B" "T" } 0
p "" 2 1 "" { "r" "l" } 0
c "" 1 "" { "heads" 1/2 "tails" 1/2 } 0 t "" 1 "" { 1, -1 } t "" 2 "" { 2, -2 }
c "" 2 "" { "heads" 1/2 "tails" 1/2 } 0 t "" 3 "" { 3, -3 } t "" 4 "" { 4, -4 }
p "" 2 2 "" { "R" "L" } 0
c "" 3 "" { "heads" 1/2 "tails" 1/2 } 0 t "" 5 "" { 5, -5 } t "" 6 "" { 6, -6 }
c "" 4 "" { "heads" 1/2 "tails" 1/2 } 0 t "" 7 "" { 7, -7 } t "" 8 "" { 8, -8 }
""",
        Fraction("11/2"),
        (4, 3, 8),
    ),
    "perfect_info_with_chance": Game(
        """\
EFG 2 R "A game" { "Ann" "Bob" } ""
p "" 1 1 "" { "a" "b" } 0
c "" 1 "" { "L" 0.5 "R" 0.5 } 0
p "" 2 1 "" { "A" "B" } 0 t "" 1 "" { -2, 2 } t "" 1
p "" 2 2 "" { "C" "D" } 0 t "" 1 t "" 1 t "" 2 "" { -1, 1 }
""",
        Fraction("-1"),
        (1, 3, 5),
    ),
    "chance_root_3_moves_only_one_nonzero_prob": Game(
        """\
EFG 2 R "A game" { "Ann" } ""
c "" 1 "" { "A" 1 "B" 0 "C" 0 } 0
p "" 1 1 "" { "left" "right" } 0 t "" 1 "" { 0 } t "" 2 "" { 1 } t "" 3 "" { 2 }
t "" 4 "" { 3 }
""",
        Fraction("1"),
        (1, 1, 4),
    ),
    "two_player_perfect_info_win_lose_with_nonterm_outcomes": Game(
        """\
EFG 2 R "A game" { "Ann" "Bob" } ""
p "" 2 1 "" { "a" "b" } 0
p "" 1 1 "" { "L" "R" } 1 "" { -100, 50 }
p "" 2 2 "" { "l" "r" } 0 t "" 2 "" { 101, -51 } t "" 3 "" { 99, -49 } t "" 2
p "" 1 2 "" { "L" "R" } 0 t "" 4 "" { 1, -1 } t "" 5 "" { -1, 1 }
""",
        Fraction("1"),
        (0, 4, 5),
    ),
    "two_player_perfect_info_win_lose": Game(
        """\
EFG 2 R "A game" { "Ann" "Bob" } ""
p "" 2 1 "" { "a" "b" } 0
p "" 1 1 "" { "L" "R" } 0
p "" 2 2 "" { "l" "r" } 0 t "" 1 "" { 1, -1 } t "" 2 "" { -1, 1 } t "" 1
p "" 1 2 "" { "L" "R" } 0 t "" 3 "" { 1, -1 } t "" 4 "" { -1, 1 }
""",
        Fraction("1"),
        (0, 4, 5),
    ),
    "centcs6": Game(
        """\
EFG 2 R "A game" { "Ann" "Bob" } ""
p "" 1 1 "" { "take" "pass" } 0 t "" 1 "" { 1.60, 1.6 }
p "" 2 1 "" { "take" "pass" } 0 t "" 2 "" { 1.20, 2 }
p "" 1 2 "" { "take" "pass" } 0 t "" 3 "" { 2.30, 0.9 }
p "" 2 2 "" { "take" "pass" } 0 t "" 4 "" { .68, 2.52 }
p "" 1 3 "" { "take" "pass" } 0 t "" 5 "" { 2.69, 0.51 }
p "" 2 3 "" { "take" "pass" } 0 t "" 6 "" { .38, 2.82 } t "" 7 "" { 2.92, 0.28 }
""",
        Fraction("8/5"),
        (0, 6, 7),
    ),
    "e10": Game(
        """\
EFG 2 R "A game" { "Ann" "Bob" }
p "5 left" 1 1 "" { "take 1" "take 2" } 0
p "4 left" 2 1 "" { "take 1" "take 2" } 0
p "3 left" 1 2 "" { "take 1" "take 2" } 0
p "2 left" 2 2 "" { "take 1" "take 2" } 0 t "1 left" 1 "" { 1, -1 }
t "0 left" 2 "" { -1, 1 } t "1 left" 2
p "2 left" 1 3 "" { "take 1" "take 2" } 0 t "1 left" 2 t "0 left" 1
p "3 left" 2 3 "" { "take 1" "take 2" } 0
p "2 left" 1 4 "" { "take 1" "take 2" } 0 t "1 left" 2 t "0 left" 1 t "1 left" 1
""",
        Fraction("1"),
        (0, 7, 8),
    ),
    "perfect_recall": Game(
        """\
EFG 2 R "A game" { "Ann" } ""
p "" 1 1 "" { "1" } 0 t "" 0
""",
        Fraction("0"),
        (0, 1, 1),
    ),
}
