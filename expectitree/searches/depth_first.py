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

from typing import Any

from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL, UNSEEN
from expectitree.searches.cuts import CUT_OF, CUT_PROBING, NOT_CUT, PROBED, STOPPED
from expectitree.searches.problem import ALL, Found, Window
from expectitree.searches.recursion import Recursion

CALLS_A_PLY = 4  # `enter_paying`, `enter`, `narrow`, and the function for the kind of the node


def search_depth_first(problem: Recursion, found: Found) -> None:
    """Search the root in its window: narrow the intervals in `found`, and write what is found."""
    columns, watch, eps = problem.columns, problem.observer, problem.eps
    kind, utility, first, last = columns.kind, columns.utility, columns.first, columns.last
    child, probability, reward = columns.child, columns.probability, columns.reward
    lower, upper, visits, pays = found.lower, found.upper, found.visits, columns.pays
    alphas, betas, cut, cut_after = found.alpha, found.beta, found.cut, found.cut_after
    zero, infinity, prunes_chance = problem.zero, problem.infinity, problem.algorithm.chance_cuts
    is_quick = not watch and not pays  # then terminals, most of the visits, need no call
    left = 1 if kind[problem.root] == TERMINAL else max(1, problem.allow())  # until it allows more
    refused = NONE  # the branch that the search was not allowed to enter

    def enter(branch: int, floor: Any, ceiling: Any, rank: int = ALL) -> Window:
        """Return the interval of a child, after a search of it if the window needs one."""
        node = child[branch]
        low, high = lower[node], upper[node]
        if low < high and high > floor and low < ceiling and (not eps or high - low > 2 * eps):
            has_rank = rank == ALL or kind[node] != CHANCE and rank < last[node] - first[node]
            if has_rank or kind[node] in (TERMINAL, UNSEEN):
                if left and kind[node] != UNSEEN:
                    return narrow(node, branch, floor, ceiling, rank)
                return enter(branch, floor, ceiling, rank) if may_go_on(branch) else (low, high)
        elif watch and rank == ALL:
            watch.skip(node, branch)
        return low, high

    def enter_paying(branch: int, floor: Any, ceiling: Any, rank: int = ALL) -> Window:
        """Enter a branch with a reward, which the window and the interval of its child exclude."""
        low, high = enter(branch, floor - reward[branch], ceiling - reward[branch], rank)
        return low + reward[branch], high + reward[branch]

    def may_go_on(branch: int) -> bool:
        """Ask for more visits, and make the child of a branch; return False to stop the search."""
        nonlocal eps, zero, left, refused
        left = left or problem.allow()
        if not left or kind[child[branch]] == UNSEEN and not problem.grow(branch):
            refused = branch
        eps, zero = problem.eps, problem.zero
        return refused == NONE

    def narrow(node: int, branch: int, floor: Any, ceiling: Any, rank: int) -> Window:
        """Visit a node, and narrow its interval by a search below it; return the interval."""
        nonlocal left
        left -= 1
        visits[node] += 1
        if kind[node] == TERMINAL:
            lower[node] = upper[node] = utility[node]
            if watch:
                watch.visit(node, branch)
            return utility[node], utility[node]

        alphas[node] = floor - eps if eps else floor
        betas[node] = ceiling + eps if eps else ceiling
        cut[node] = NOT_CUT
        if watch:
            watch.enter(node, branch, (alphas[node], betas[node]), rank)
        search_below = search_chance if kind[node] == CHANCE else search_player
        low, high = search_below(node, floor, ceiling, rank)

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
        if problem.done:
            problem.done(node)
        if watch:
            watch.leave(node, (low, high), cut[node], cut_after[node])
        return low, high

    def search_player(parent: int, floor: Any, ceiling: Any, rank: int) -> Window:
        """Search the children of MAX or MIN, or one child as a probe; return the interval."""
        nonlocal left
        is_max = kind[parent] == MAX
        alpha, beta = alphas[parent], betas[parent]
        low = high = -infinity if is_max else infinity
        begin, end = first[parent], last[parent]
        if rank != ALL:
            begin, end = begin + rank, begin + rank + 1

        for branch in range(begin, end):
            node = child[branch]
            child_low, child_high = lower[node], upper[node]
            if kind[node] == TERMINAL and is_quick and left and child_low < child_high:
                if child_high > floor and child_low < ceiling:
                    left -= 1
                    visits[node] += 1
                    lower[node] = upper[node] = child_low = child_high = utility[node]
            else:
                child_low, child_high = enter_branch(branch, floor, ceiling)

            if (child_low > low) == is_max:  # the greatest at MAX, the least at MIN
                low = child_low
                if is_max and low > alpha:
                    floor = low + eps if eps else low
            if (child_high > high) == is_max:
                high = child_high
                if not is_max and high < beta:
                    ceiling = high - eps if eps else high
            is_cut = low >= ceiling if is_max else high <= floor
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

    def search_chance(parent: int, floor: Any, ceiling: Any, _: int) -> Window:
        """Probe the outcomes of CHANCE, then search them; return the interval."""
        nonlocal left
        alpha, beta = alphas[parent], betas[parent]
        outcomes = [b for b in range(first[parent], last[parent]) if probability[b]]
        repeats = problem.shares and len({child[b] for b in outcomes}) < len(outcomes)
        for ranks in problem.rounds:
            rest = sums_from(outcomes)
            low, high = rest.pop()
            if watch:
                watch.narrow(parent, NONE, low, high)
            if prunes_chance and (high <= floor or low >= ceiling):
                end_with_cut(parent, first[parent], high <= floor)
                break

            done_low = done_high = zero
            for branch in outcomes:
                node, p, (rest_low, rest_high) = child[branch], probability[branch], rest.pop()
                others_low, others_high = done_low + rest_low, done_high + rest_high
                for rank in ranks:
                    if kind[node] == TERMINAL and is_quick and left:
                        if lower[node] < upper[node]:
                            left -= 1
                            visits[node] += 1
                            lower[node] = upper[node] = utility[node]
                        child_low = child_high = lower[node]
                    else:
                        least, most = -infinity, infinity  # the window of the outcome
                        if prunes_chance and kind[node] != TERMINAL and lower[node] < upper[node]:
                            least, most = (alpha - others_high) / p, (beta - others_low) / p
                            if eps:
                                least, most = least + eps, most - eps
                        child_low, child_high = enter_branch(branch, least, most, rank)

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
                        cut[parent], cut_after[parent] = STOPPED, after - first[parent]
                        return sums_from(outcomes)[-1]
                    if prunes_chance and (high <= floor or low >= ceiling):
                        end_with_cut(parent, branch + 1, high <= floor, rank != ALL)
                        return low, high
                done_low, done_high = done_low + term_low, done_high + term_high
        return low, high

    def sums_from(outcomes: list[int]) -> list[Window]:
        """Return the sums of the bounds of no outcome, the last, the last two, and so on."""
        low = high = zero
        sums = [(low, high)]
        for branch in reversed(outcomes):
            p, node = probability[branch], child[branch]
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
    narrow(problem.root, NONE, problem.window[0] + eps, problem.window[1] - eps, ALL)
    found.stopped = refused != NONE
