"""Alpha-beta, Star1, Star2 and Star2.5: one depth-first search (Ballard 1983).

The contract: the search enters a node with a window (alpha, beta) and narrows the node's interval
`[lower, upper]`, which always contains its value v*, until

    lower == upper (exact), or upper <= alpha (fail low), or lower >= beta (fail high).

It does not enter a node whose interval satisfies this already. Where `problem.allow` stops it,
intervals contain v*, but may satisfy none of the three.

At MAX, `low` and `high` are the greatest bounds of the branches so far; at MIN, the least. At
CHANCE, they are sums of p * bound: of the outcomes done, of the one that is searched, and of the
rest, added up before each round. So no term is ever replaced (docs/background/pruning.md).

In floats, `floor` is alpha + eps, `ceiling` is beta - eps, and `2 * eps` is exact (decision 2).
"""

from __future__ import annotations

from typing import Any, TypeAlias

from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL, UNSEEN
from expectitree.searches.cuts import CUT_OF, CUT_PROBING, NOT_CUT, PROBED, STOPPED
from expectitree.searches.problem import ALL, Found, Window
from expectitree.searches.recursion import Recursion

Outcome: TypeAlias = tuple[int, int, Any]  # a branch, its child, its probability
CALLS_A_PLY = 3  # `enter_paying`, `enter`, and the function for the kind of the node


def search_depth_first(problem: Recursion, found: Found) -> None:
    """Search the root in its window: narrow the intervals in `found`, and write what is found."""
    columns, watch, eps = problem.columns, problem.observer, problem.eps
    kind, utility, first, last = columns.kind, columns.utility, columns.first, columns.last
    child, probability, reward = columns.child, columns.probability, columns.reward
    lower, upper, visits, pays = found.lower, found.upper, found.visits, columns.pays
    alphas, betas, cut, cut_after = found.alpha, found.beta, found.cut, found.cut_after
    grow, done = problem.grow, problem.done
    zero, infinity, prunes_chance = problem.zero, problem.infinity, problem.algorithm.chance_cuts
    is_quick = not watch and not pays  # then terminals, most of the visits, need no call
    left = 1 if kind[problem.root] == TERMINAL else max(1, problem.allow())  # until it allows more
    refused = NONE  # the branch that the search was not allowed to enter

    def enter(node: int, branch: int, floor: Any, ceiling: Any, rank: int = ALL) -> Window:
        """Search a child if the window needs it, and narrow its interval; return the interval."""
        nonlocal left
        low, high = lower[node], upper[node]
        is_known = low >= high or high <= floor or low >= ceiling
        if eps and kind[node] != TERMINAL and high - low <= 2 * eps:
            is_known = True
        if is_known and branch != NONE:
            if watch and rank == ALL:
                watch.skip(node, branch)
            return low, high
        if kind[node] == UNSEEN and not may_go_on(node, branch):
            return low, high
        decider = kind[node]
        has_rank = rank == ALL or (decider != CHANCE and rank < last[node] - first[node])
        if not has_rank and decider != TERMINAL:
            return low, high
        if not left and not may_go_on(node, branch):
            return low, high
        left -= 1
        visits[node] += 1
        if decider == TERMINAL:
            lower[node] = upper[node] = utility[node]
            if watch:
                watch.visit(node, branch)
            return utility[node], utility[node]

        alphas[node] = floor - eps if eps else floor
        betas[node] = ceiling + eps if eps else ceiling
        cut[node] = NOT_CUT
        if watch:
            watch.enter(node, branch, (alphas[node], betas[node]), rank)
        if decider == CHANCE:
            low, high = search_chance(node, floor, ceiling)
        else:
            low, high = search_player(node, floor, ceiling, rank)

        if low < high:
            if lower[node] > low:
                low = lower[node]
            if upper[node] < high:
                high = upper[node]
            if eps and high - low <= 2 * eps:
                problem.nearly_exact.append(node)
        if low > high:  # by rounding
            low = high = (low + high) / 2
        lower[node], upper[node] = low, high
        if done:
            done(node)
        if watch:
            watch.leave(node, (low, high), cut[node], cut_after[node])
        return low, high

    def enter_paying(node: int, branch: int, floor: Any, ceiling: Any, rank: int = ALL) -> Window:
        """Enter a branch with a reward, which the window and the interval of its child exclude."""
        pay = reward[branch]
        low, high = enter(node, branch, floor - pay, ceiling - pay, rank)
        return low + pay, high + pay

    def may_go_on(node: int, branch: int) -> bool:
        """Ask for more visits, and make a node; return False to stop the search."""
        nonlocal eps, zero, done, left, refused
        left = left or problem.allow()
        if not left or (kind[node] == UNSEEN and not grow(node)):
            refused = branch
        eps, zero, done = problem.eps, problem.zero, problem.done
        return refused == NONE

    def search_player(parent: int, floor: Any, ceiling: Any, rank: int) -> Window:
        """Search the children of MAX or MIN, or one child as a probe; return the interval."""
        nonlocal left
        is_max = kind[parent] == MAX
        alpha, beta = alphas[parent], betas[parent]
        low = high = -infinity if is_max else infinity
        begin, end = first[parent], last[parent]
        if rank != ALL:
            begin, end = begin + rank, begin + rank + 1

        is_cut = False
        for branch in range(begin, end):
            node = child[branch]
            child_low, child_high = lower[node], upper[node]
            if not is_quick:
                child_low, child_high = enter_branch(node, branch, floor, ceiling)
            elif child_low < child_high and child_high > floor and child_low < ceiling:
                if kind[node] == TERMINAL and left:
                    left -= 1
                    visits[node] += 1
                    lower[node] = upper[node] = child_low = child_high = utility[node]
                else:
                    child_low, child_high = enter(node, branch, floor, ceiling)

            if is_max:
                if child_high > high:
                    high = child_high
                if child_low > low:
                    low = child_low
                    if low > alpha:
                        floor = low + eps if eps else low
                    is_cut = low >= ceiling
            else:
                if child_low < low:
                    low = child_low
                if child_high < high:
                    high = child_high
                    if high < beta:
                        ceiling = high - eps if eps else high
                    is_cut = high <= floor
            if watch:
                watch.narrow(parent, branch, low, high)
            if is_cut or refused != NONE:
                break

        after = branch + (branch != refused)
        if after == end and rank == ALL:
            return low, high
        if is_cut and after < end:
            end_with_cut(parent, after, fails_low=not is_max)
        else:
            cut[parent] = PROBED if after == end else STOPPED
            cut_after[parent] = after - first[parent]
        # Only the node's own bounds hold for the children that were not searched.
        return (low, upper[parent]) if is_max else (lower[parent], high)

    def search_chance(parent: int, floor: Any, ceiling: Any) -> Window:
        """Probe the outcomes of CHANCE, then search them; return the interval."""
        nonlocal left
        alpha, beta = alphas[parent], betas[parent]
        begin, end = first[parent], last[parent]
        nodes = child[begin:end]
        branches = zip(range(begin, end), nodes, probability[begin:end], strict=True)
        outcomes = [outcome for outcome in branches if outcome[2]]
        if len(outcomes) < len(nodes):
            nodes = [node for _, node, _ in outcomes]
        repeats = problem.shares and len({*nodes}) < len(nodes)
        for ranks in problem.rounds:
            rest = sums_from(outcomes)
            low, high = rest.pop()
            if watch:
                watch.narrow(parent, NONE, low, high)
            if prunes_chance and (high <= floor or low >= ceiling):
                end_with_cut(parent, begin, high <= floor)
                break

            done_low = done_high = zero
            for branch, node, p in outcomes:
                rest_low, rest_high = rest.pop()
                others_low, others_high = done_low + rest_low, done_high + rest_high
                for rank in ranks:
                    child_low, child_high = lower[node], upper[node]
                    is_open = child_low < child_high
                    if kind[node] == TERMINAL and is_quick and left:
                        if is_open:
                            left -= 1
                            visits[node] += 1
                            lower[node] = upper[node] = child_low = child_high = utility[node]
                    elif is_open or not is_quick:
                        least, most = -infinity, infinity  # the window of the outcome
                        if prunes_chance and is_open and kind[node] != TERMINAL:
                            least, most = (alpha - others_high) / p, (beta - others_low) / p
                            if eps:
                                least = min(least + eps, problem.far)
                                most = max(most - eps, -problem.far)
                        child_low, child_high = enter_branch(node, branch, least, most, rank)

                    if repeats:  # what follows may lead to the same child
                        rest = sums_from(outcomes)[: len(rest) + 1]
                        rest_low, rest_high = rest.pop()
                        others_low, others_high = done_low + rest_low, done_high + rest_high
                    term_low = p * child_low
                    term_high = term_low if child_high is child_low else p * child_high
                    low, high = others_low + term_low, others_high + term_high
                    if watch:
                        watch.narrow(parent, branch, low, high)
                    if refused != NONE:
                        after = branch + (branch != refused)
                        cut[parent], cut_after[parent] = STOPPED, after - begin
                        return sums_from(outcomes)[-1]
                    if prunes_chance and (high <= floor or low >= ceiling):
                        end_with_cut(parent, branch + 1, high <= floor, rank != ALL)
                        return low, high
                done_low, done_high = done_low + term_low, done_high + term_high
        return low, high

    def sums_from(outcomes: list[Outcome]) -> list[Window]:
        """Return the sums of the bounds of no outcome, the last, the last two, and so on."""
        low = high = zero
        sums = [(low, high)]
        for branch, node, p in reversed(outcomes):
            child_low, child_high = lower[node], upper[node]
            if pays:
                child_low, child_high = child_low + reward[branch], child_high + reward[branch]
            term_low = p * child_low
            low += term_low
            high += term_low if child_high is child_low else p * child_high
            sums.append((low, high))
        return sums

    def end_with_cut(parent: int, branch: int, fails_low: bool, is_probing: bool = False) -> None:
        """Record that a node is cut before a branch, if the cut leaves an open child."""
        for other in range(first[parent] if is_probing else branch, last[parent]):
            if probability[other] and upper[child[other]] - lower[child[other]] > 2 * eps:
                cut[parent] = CUT_OF[kind[parent], fails_low] + CUT_PROBING * is_probing
                cut_after[parent] = branch - first[parent]
                found.cuts += 1
                return

    enter_branch = enter_paying if pays else enter
    enter(problem.root, NONE, problem.window[0] + eps, problem.window[1] - eps)
    found.stopped = refused != NONE
