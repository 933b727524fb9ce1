"""The example trees are what their comments say: other definitions give the same numbers."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from helpers import ROOT, invoke

import expectitree as et
from expectitree.base.tree.model import Kind
from expectitree.searches.engine import search_tree

FILES = sorted((ROOT / "trees").iterdir())

# Pays, and probability: the oil wildcatter of SAS, and the bids of McNamee and Celona.
WELL = {150: Fraction(2, 10), 300: Fraction(6, 10), 500: Fraction(2, 10)}
OIL = {0: Fraction(5, 10), 700: Fraction(3, 10), 1200: Fraction(2, 10)}
JOB = {200: Fraction(25, 100), 400: Fraction(50, 100), 600: Fraction(25, 100)}
RIVAL = {400: Fraction(35, 100), 600: Fraction(50, 100), 800: Fraction(15, 100)}

Board = tuple[tuple[int, ...], ...]


def example(name: str, **parameters: object) -> et.Tree:
    tree = et.load(f"example:{name}")
    return tree.with_parameters(**parameters) if parameters else tree


def mean(distribution: dict[int, Fraction]) -> Fraction:
    return sum((p * x for x, p in distribution.items()), Fraction(0))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_has_what_a_reader_needs(file: Path) -> None:
    tree = et.load(file)
    assert tree.title
    assert tree.expect is not None
    assert et.verify(tree).broken == []
    printed = invoke("new", "--example", file.stem).stdout
    assert set(printed.splitlines()) < set(file.read_text("utf-8").splitlines())
    assert et.dumps(et.loads(printed)) == et.dumps(tree)
    assert invoke("eval", f"example:{file.stem}").exit_code == 0


# ---- Pig.


@cache
def best_total(total: int) -> Fraction:
    """Return the expected score of a turn of Pig that has reached a total."""
    if total > 100:
        return Fraction(total)
    return max(Fraction(total), sum(best_total(total + face) for face in range(2, 7)) / 6)


def test_pig_has_every_total_and_its_best_score() -> None:
    search = et.evaluate(example("pig"), exact=True)
    totals, paths = {0: ""}, [(0, "")]
    for total, path in paths:
        for face in range(2, 7):
            if total + face <= 20 and total + face not in totals:
                totals[total + face] = f"{path}roll/{face}/"
                paths.append((total + face, totals[total + face]))
    assert sorted(totals) == [0, *range(2, 21)]
    for total, path in totals.items():
        assert search.value_of(f"{path}bank") == total
        assert search.value_of(path.rstrip("/") or "/") == best_total(total)
        rolled = sum(best_total(total + face) for face in range(2, 7)) / 6
        assert search.value_of(f"{path}roll") == rolled
        assert (rolled > total) == (total < 20)
        assert (rolled == total) == (total == 20)


# ---- 2048.


def slide(line: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """Return a line after a move to its start, and the score."""
    tiles, score = [tile for tile in line if tile], 0
    for i in range(len(tiles) - 1):
        if tiles[i] and tiles[i] == tiles[i + 1]:
            tiles[i : i + 2] = [2 * tiles[i], 0]
            score += tiles[i]
    tiles = [tile for tile in tiles if tile]
    return tuple(tiles + [0] * (len(line) - len(tiles))), score


def moves(board: Board) -> dict[str, tuple[Board, int]]:
    """Return the board and the score of each move that changes the board."""
    found = {}
    for name in ("left", "right", "up", "down"):
        lines = board if name in ("left", "right") else tuple(zip(*board, strict=True))
        step = -1 if name in ("right", "down") else 1
        slid = [slide(line[::step]) for line in lines]
        moved = tuple(line[::step] for line, _ in slid)
        moved = moved if name in ("left", "right") else tuple(zip(*moved, strict=True))
        if moved != board:
            found[name] = moved, sum(score for _, score in slid)
    return found


def test_the_two_moves_of_2048_follow_the_rules() -> None:
    tree = example("game-2048")
    search, board = et.evaluate(tree, exact=True), ((2, 4, 2), (2, 8, 8))
    assert [branch.label for branch in tree.root.branches] == list(moves(board))
    for name, (moved, score) in moves(board).items():
        worth = Fraction(score)
        for tile, p in ((2, Fraction(9, 10)), (4, Fraction(1, 10))):
            assert sum(row.count(0) for row in moved) == 1
            full = tuple(tuple(cell or tile for cell in row) for row in moved)
            scores = {name: Fraction(later) for name, (_, later) in moves(full).items()}
            node = tree.find(f"{name}/{tile}")
            if node.kind is not Kind.TERMINAL:
                found = {branch.label: branch.child.utility for branch in node.branches}
                assert found == scores
            assert search.value_of(f"{name}/{tile}") == max(scores.values(), default=0)
            worth += p * max(scores.values(), default=0)
        assert search.value_of(name) == worth


# ---- Monty Hall.


@pytest.mark.parametrize("habit", ["0", "1/4", "1/2", "1"])
def test_monty_hall_agrees_with_the_joint_distribution(habit: str) -> None:
    """Add up the probabilities of the car's door and the host's door; the player has door 1."""
    opens_3 = {1: Fraction(habit), 2: Fraction(1), 3: Fraction(0)}
    search = et.evaluate(example("monty-hall", habit=habit), exact=True)
    for door, other in ((2, 3), (3, 2)):
        joint = {car: (p if door == 3 else 1 - p) * Fraction(1, 3) for car, p in opens_3.items()}
        for action, wins in (("stay", 1), ("switch", other)):
            found = search.value_of(f"opens {door}/{action}")
            assert found == joint[wins] / sum(joint.values())


def test_a_host_who_plays_against_you_needs_the_right_to_refuse() -> None:
    text = (ROOT / "trees" / "monty-hall-minimax.yaml").read_text("utf-8")
    rules, switch = text.split("  switch:\n    chance:")
    rules = rules.partition("expect:")[0] + rules[rules.index("bounds:") :]
    must_open = re.sub(", opens none: [01]", "", switch)
    assert switch.count("opens none") == 3
    found = search_tree(et.loads(f"{rules}  switch:\n    chance:{must_open}"))
    assert (found.value, found.best) == (Fraction(2, 3), "switch")


# ---- Decisions.


def test_the_oil_wildcatter_agrees_with_the_table_of_outcomes() -> None:
    search, oil, well = et.evaluate(example("oil-wildcatter")), mean(OIL), mean(WELL)
    assert search.value == oil - well == 140
    knows_oil = sum(p * max(0, x - well) for x, p in OIL.items())
    knows_cost = sum(p * max(0, oil - x) for x, p in WELL.items())
    assert (knows_oil, knows_cost) == (295, 150)  # published


@pytest.mark.parametrize("low", ["1/4", "0", "2/5", "1"])
def test_the_sealed_bid_agrees_with_the_table_of_outcomes(low: str) -> None:
    costs, tree = JOB, example("sealed-bid")
    if low != "1/4":
        costs = {200: Fraction(low), 600: 1 - Fraction(low)}
        tree = example("sealed-bid", p_low=low, p_high=1 - Fraction(low))
    search = et.evaluate(tree)
    for bid in (300, 500, 700):
        worth = sum(
            p * q * (bid - cost)
            for (rival, p), (cost, q) in product(RIVAL.items(), costs.items())
            if bid < rival
        )
        assert search.value_of(f"bid {bid}") == worth


@pytest.mark.parametrize(
    ("pr", "published"),  # the values of six strategies
    [("0.3", (750, 500, 400, 715, 325, 640)), ("0.5", (750, 1000, 900, 1075, 525, 700))],
)
def test_rockefeller_is_worth_his_best_strategy(pr: str, published: tuple[int, ...]) -> None:
    assert et.evaluate(example("rockefeller", pr=pr)).value == max(published)


def test_the_medical_test_pays_between_the_thresholds_of_pauker_and_kassirer() -> None:
    risk, benefit, test = Fraction(5), Fraction(95), Fraction(1, 10)
    positive = {"sick": Fraction(8, 10), "well": Fraction(96, 1000)}
    negative = {who: 1 - p for who, p in positive.items()}
    low = (positive["well"] * risk + test) / (positive["well"] * risk + positive["sick"] * benefit)
    high = (negative["well"] * risk - test) / (negative["well"] * risk + negative["sick"] * benefit)
    for prevalence, best in (
        (low - Fraction(1, 10**6), ["wait"]),
        (low, ["wait", "test"]),
        (high, ["biopsy", "test"]),
        (high + Fraction(1, 10**6), ["biopsy"]),
    ):
        search = et.evaluate(example("medical-test", prevalence=prevalence))
        assert sorted(search.ties) == sorted(best)
