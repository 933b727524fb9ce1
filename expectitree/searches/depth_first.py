"""Alpha-beta, Star1, Star2 and Star2.5: one depth-first search (Ballard 1983).

The contract: the search enters a node with a window (alpha, beta) and narrows the node's interval
`[lower, upper]`, which always contains its value v*, until

    lower == upper            exact, or
    upper <= alpha            fail low, or
    lower >= beta             fail high.

It does not enter a node whose interval already satisfies this. It stops where `problem.allow`
allows no more visits. Then intervals contain v*, but may satisfy none of the three.

At MAX, `low` and `high` are the greatest lower and upper bound of the branches so far; at MIN, the
least; at CHANCE, the sums of p * lower and p * upper over all outcomes. While the search is at one
outcome, the others are those that are done, and the rest, which was added up before the round. So
no term is ever taken out of a sum again.

In floats, `eps` is what rounding may change. The search compares with `floor = alpha + eps` and
`ceiling = beta - eps`, and an interval no wider than `2 * eps` is exact (docs/decisions/0002).
"""

from __future__ import annotations

from typing import Any

from expectitree.base.tree.columns import CHANCE, MAX, NONE, TERMINAL, UNSEEN
from expectitree.searches.cuts import (
    ALPHA_CUT,
    BETA_CUT,
    CHANCE_CUT_HIGH,
    CHANCE_CUT_LOW,
    CUT_PROBING,
    NOT_CUT,
    PROBED,
    STOPPED,
)
from expectitree.searches.problem import ALL, Found, Problem, Window

CALLS_A_PLY = 2  # `enter`, and the function for the kind of the node


def search_depth_first(problem: Problem, found: Found) -> None:
    """Search the root in its window: narrow the intervals of a problem, and write what is found."""
    columns, watch = problem.columns, problem.observer
    eps, narrow = problem.eps, 2 * problem.eps
    kind, utility, first, last = columns.kind, columns.utility, columns.first, columns.last
    child, probability, reward = columns.child, columns.probability, columns.reward
    lower, upper, pays = problem.lower, problem.upper, columns.pays
    visits, alphas, betas, cut, cut_after = found.columns
    rounds, done, zero = problem.rounds, problem.done, problem.zero
    shares, infinity = problem.shares, problem.infinity
    # Most of the time of a search goes into visits of terminals, so these need no call of `enter`.
    is_quick = not watch and not pays
    left = 0  # visits until `allow` is called again
    refused = NONE  # the branch that the search was not allowed to enter

    def enter(branch: int, floor: Any, ceiling: Any, rank: int = ALL) -> Window:
        """Return the interval of a branch, after a search of its child if the window needs one."""
        nonlocal left
        node = child[branch]
        low, high = lower[node], upper[node]
        if pays:  # the window of the child, without the reward
            floor, ceiling = floor - reward[branch], ceiling - reward[branch]

        if low < high and high > floor and low < ceiling and (not eps or high - low > narrow):
            k = kind[node]
            if not left or k == UNSEEN:
                if not may_go_on(branch) or rank != ALL and not can_probe(node, rank):
                    return interval(branch)
                k = kind[node]
            left -= 1
            visits[node] += 1
            if k == TERMINAL:
                lower[node] = upper[node] = low = high = utility[node]
                if watch:
                    watch.visit(node, branch)
            else:
                alphas[node] = floor - eps if eps else floor
                betas[node] = ceiling + eps if eps else ceiling
                cut[node] = NOT_CUT
                if watch:
                    watch.enter(node, branch, (alphas[node], betas[node]), rank)
                low, high = search_below[k](node, floor, ceiling, rank)
                low, high = leave(node, low, high)
        elif watch and rank == ALL:
            watch.skip(node, branch)

        if pays:
            return low + reward[branch], high + reward[branch]
        return low, high

    def leave(node: int, low: Any, high: Any) -> Window:
        """Narrow the interval of a node; return it."""
        if low < high:
            if lower[node] > low:
                low = lower[node]
            if upper[node] < high:
                high = upper[node]
            if eps and high - low <= narrow:
                found.nearly_exact.append(node)
        if low > high:  # by rounding
            low = high = (low + high) / 2
        lower[node], upper[node] = low, high
        if done:
            done(node)
        if watch:
            watch.leave(node, (low, high), cut[node], cut_after[node])
        return low, high

    def search_player(parent: int, floor: Any, ceiling: Any, rank: int) -> Window:
        """Search the children of MAX or MIN, or one child as a probe; return the interval."""
        nonlocal left
        is_max = kind[parent] == MAX
        low = high = -infinity if is_max else infinity
        begin, end = first[parent], last[parent]
        if rank != ALL:
            begin, end = begin + rank, begin + rank + 1

        for branch in range(begin, end):
            node = child[branch]
            child_low, child_high = lower[node], upper[node]
            if is_quick and not child_low < child_high:
                pass
            elif kind[node] == TERMINAL and is_quick and left:
                if child_high > floor and child_low < ceiling:
                    left -= 1
                    visits[node] += 1
                    lower[node] = upper[node] = child_low = child_high = utility[node]
            else:
                child_low, child_high = enter(branch, floor, ceiling)

            if is_max:
                if child_high > high:
                    high = child_high
                if child_low > low:
                    low = child_low
                    raised = low + eps if eps else low
                    if raised > floor:
                        floor = raised
                is_cut = low >= ceiling
            else:
                if child_low < low:
                    low = child_low
                if child_high < high:
                    high = child_high
                    lowered = high - eps if eps else high
                    if lowered < ceiling:
                        ceiling = lowered
                is_cut = high <= floor
            if watch:
                watch.narrow(parent, branch, low, high)
            if is_cut or refused != NONE:
                break

        after = branch + (branch != refused)
        if after < end or rank != ALL:
            if after < end and not is_cut:
                end_early(parent, after, STOPPED)
            elif rank != ALL:
                end_early(parent, after, PROBED)
            else:
                end_early(parent, after, BETA_CUT if is_max else ALPHA_CUT)
            # Only the node's own bounds hold for the children that were not searched.
            low, high = (low, upper[parent]) if is_max else (lower[parent], high)
        return low, high

    def search_chance(parent: int, floor: Any, ceiling: Any, _: int) -> Window:
        """Probe the outcomes of CHANCE, then search them; return the interval."""
        nonlocal left
        outcomes = possible_outcomes(parent)
        alpha, beta = alphas[parent], betas[parent]
        repeats = shares and len({child[b] for b in outcomes}) < len(outcomes)
        low = high = zero
        for ranks in rounds:
            rest = sums_from(outcomes)
            low, high = rest.pop()
            if watch:
                watch.narrow(parent, NONE, low, high)
            if high <= floor or low >= ceiling:
                mark = CHANCE_CUT_LOW if high <= floor else CHANCE_CUT_HIGH
                end_early(parent, first[parent], mark)
                break

            done_low = done_high = zero
            for branch in outcomes:
                p, (rest_low, rest_high) = probability[branch], rest.pop()
                others_low, others_high = done_low + rest_low, done_high + rest_high
                for rank in ranks:
                    node = child[branch]
                    if is_quick and not lower[node] < upper[node]:
                        child_low = child_high = lower[node]
                    elif kind[node] == TERMINAL and is_quick and left:
                        left -= 1
                        visits[node] += 1
                        lower[node] = upper[node] = utility[node]
                        child_low = child_high = lower[node]
                    elif kind[node] == TERMINAL:  # as long as CHANCE does not fail, none satisfies
                        child_low, child_high = enter(branch, -infinity, infinity, rank)
                    elif (
                        rank == ALL
                        or kind[node] == UNSEEN
                        or kind[node] != CHANCE
                        and last[node] - first[node] > rank
                    ):
                        child_floor = (alpha - others_high) / p
                        child_ceiling = (beta - others_low) / p
                        if eps:
                            child_floor, child_ceiling = child_floor + eps, child_ceiling - eps
                        child_low, child_high = enter(branch, child_floor, child_ceiling, rank)
                    else:
                        child_low, child_high = interval(branch)

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
                        return stop(parent, branch, outcomes)
                    if high <= floor or low >= ceiling:
                        mark = CHANCE_CUT_LOW if high <= floor else CHANCE_CUT_HIGH
                        end_early(parent, branch + 1, mark, rank != ALL)
                        return low, high
                done_low, done_high = done_low + term_low, done_high + term_high
        return low, high

    def search_outcomes(parent: int, *_: Any) -> Window:
        """Search all outcomes of CHANCE, where CHANCE is not cut; return the interval."""
        nonlocal left
        outcomes = possible_outcomes(parent)
        low = high = zero
        for branch in outcomes:
            node = child[branch]
            if kind[node] == TERMINAL and is_quick and left:
                if lower[node] < upper[node]:
                    left -= 1
                    visits[node] += 1
                    lower[node] = upper[node] = utility[node]
                child_low = child_high = lower[node]
            else:
                child_low, child_high = enter(branch, -infinity, infinity)
            if refused != NONE:
                return stop(parent, branch, outcomes)
            term = probability[branch] * child_low
            low += term
            high += term if child_high is child_low else probability[branch] * child_high
        return low, high

    def stop(node: int, branch: int, outcomes: list[int]) -> Window:
        """Record that the search stops at or below a branch of CHANCE; return the interval."""
        end_early(node, branch + (branch != refused), STOPPED)
        return sums_from(outcomes)[-1]

    def possible_outcomes(node: int) -> list[int]:
        return [b for b in range(first[node], last[node]) if probability[b]]

    def sums_from(outcomes: list[int]) -> list[Window]:
        """Return the sums of the bounds of no outcome, the last, the last two, and so on."""
        low = high = zero
        sums = [(low, high)]
        for branch in reversed(outcomes):
            p, node = probability[branch], child[branch]
            child_low, child_high = lower[node], upper[node]
            if pays:
                child_low, child_high = child_low + reward[branch], child_high + reward[branch]
            low += p * child_low
            high += p * child_high
            sums.append((low, high))
        return sums

    def interval(branch: int) -> Window:
        """Return the interval of a branch so far, which includes its reward."""
        node = child[branch]
        if pays:
            return lower[node] + reward[branch], upper[node] + reward[branch]
        return lower[node], upper[node]

    def can_probe(node: int, rank: int) -> bool:
        """Return whether an outcome is a terminal, or a player with a child at this place."""
        k = kind[node]
        return k in (TERMINAL, UNSEEN) or k != CHANCE and last[node] - first[node] > rank

    def end_early(parent: int, branch: int, mark: int, probing: bool = False) -> None:
        """Record that an entry ends before a branch; it is a cut if an open child is left."""
        if mark in (PROBED, STOPPED):
            cut[parent], cut_after[parent] = mark, branch - first[parent]
            return
        for other in range(first[parent] if probing else branch, last[parent]):
            node = child[other]
            if probability[other] and upper[node] - lower[node] > narrow:
                cut[parent], cut_after[parent] = mark, branch - first[parent]
                if probing:
                    cut[parent] += CUT_PROBING
                found.cuts += 1
                return

    def may_go_on(branch: int) -> bool:
        """Ask for more visits, and make the child of a branch; return False to stop the search."""
        nonlocal eps, narrow, zero, left, refused
        left = left or problem.allow()
        is_ready = left > 0 and (kind[child[branch]] != UNSEEN or problem.grow(branch))
        eps, narrow, zero = problem.eps, 2 * problem.eps, problem.zero
        if not is_ready:
            refused = branch
        return is_ready

    chance = search_chance if problem.algorithm.chance_cuts else search_outcomes
    search_below = (search_player, search_player, search_player, chance)  # by kind
    root, floor, ceiling = problem.root, problem.window[0] + eps, problem.window[1] - eps
    visits[root] += 1
    if kind[root] == TERMINAL:
        lower[root] = upper[root] = utility[root]
        if watch:
            watch.visit(root, NONE)
        return
    left = max(problem.allow() - 1, 0)
    alphas[root], betas[root], cut[root] = floor - eps, ceiling + eps, NOT_CUT
    if watch:
        watch.enter(root, NONE, (alphas[root], betas[root]), ALL)
    low, high = search_below[kind[root]](root, floor, ceiling, ALL)
    leave(root, low, high)
    found.stopped = refused != NONE
