"""Star2 for one game, as a programmer writes it for that game: the peer of `expectitree.search`.

It has what saves evaluations, a table of two-sided bounds by state and plies left, and nothing
else: no checks of the rules, no limits, no tolerance, no record of what it did.
"""

from __future__ import annotations

from typing import Any


class Node:
    __slots__ = "bounds", "children", "lower", "moves", "plies", "state", "turn", "upper"


class Script:
    """A search of a game to a depth; `value` is what it finds, in floats or in fractions."""

    def __init__(self, game: Any, depth: int, number: Any = float) -> None:
        self.game, self.number = game, number
        self.key = getattr(game, "key", lambda state: state)
        self.table: dict[Any, Node] = {}
        self.visits = self.evaluations = 0
        bounds = tuple(map(number, game.utility_bounds))
        root = self.node(game.start, depth, bounds)
        self.search(root, *bounds)
        self.value = root.lower

    def node(self, state: Any, plies: int, bounds: Any) -> Node:
        """Return the node of a state, which may be in the table."""
        at = self.key(state), plies
        if at in self.table:
            return self.table[at]
        self.table[at] = node = Node()
        node.state, node.plies, node.turn = state, plies, self.game.turn(state)
        if hasattr(self.game, "bounds"):
            bounds = tuple(map(self.number, self.game.bounds(state)))
        node.bounds, (node.lower, node.upper) = bounds, bounds
        if node.turn is not None and plies > 0:
            node.moves = [*self.game.moves(state)]
            node.children = [None] * len(node.moves)
            if node.turn == "chance":
                node.moves = [(outcome, self.number(p)) for outcome, p in node.moves]
        return node

    def search(self, node: Node, alpha: Any, beta: Any, probes: bool = False) -> None:
        """Narrow the bounds of a node to its value, or until they prove it outside the window."""
        self.visits += 1
        if node.turn is None or node.plies == 0:
            self.evaluations += 1
            node.lower = node.upper = self.number(self.game.value(node.state))
        elif node.turn == "chance":
            self.search_chance(node, alpha, beta)
        else:
            self.search_player(node, alpha, beta, probes)

    def child(self, node: Node, at: int, move: Any) -> Node:
        found: Node | None = node.children[at]
        if found is None:
            state = self.game.play(node.state, move)
            found = node.children[at] = self.node(state, node.plies - 1, node.bounds)
        return found

    def search_player(self, node: Node, alpha: Any, beta: Any, probes: bool) -> None:
        lows, highs = [], []
        for at, move in enumerate(node.moves[:1] if probes else node.moves):
            child = self.child(node, at, move)
            if child.lower < child.upper and child.upper > alpha and child.lower < beta:
                self.search(child, alpha, beta)
            lows.append(child.lower)
            highs.append(child.upper)
            if node.turn == "max":
                alpha = max(alpha, child.lower)
            else:
                beta = min(beta, child.upper)
            if alpha >= beta:
                break
        is_whole = len(lows) == len(node.moves)
        best = max if node.turn == "max" else min
        if is_whole or node.turn == "max":
            node.lower = max(node.lower, best(lows))
        if is_whole or node.turn == "min":
            node.upper = min(node.upper, best(highs))

    def search_chance(self, node: Node, alpha: Any, beta: Any) -> None:
        bounds = [node.bounds if c is None else (c.lower, c.upper) for c in node.children]
        low = sum(p * lower for (_, p), (lower, _) in zip(node.moves, bounds, strict=True))
        high = sum(p * upper for (_, p), (_, upper) in zip(node.moves, bounds, strict=True))
        for probes in (True, False):
            for at, (move, p) in enumerate(node.moves):
                if high <= alpha or low >= beta:
                    break
                lower, upper = bounds[at]
                if lower == upper:
                    continue
                child = self.child(node, at, move)
                if probes and child.turn == "chance":
                    continue
                below = (alpha - high) / p + upper, (beta - low) / p + lower
                if child.lower < child.upper and (
                    probes or (child.upper > below[0] and child.lower < below[1])
                ):
                    self.search(child, *below, probes)
                low, high = low + p * (child.lower - lower), high + p * (child.upper - upper)
                bounds[at] = child.lower, child.upper
        node.lower, node.upper = max(node.lower, low), min(node.upper, high)
