"""Monte-Carlo search: play at random to the end, many times, and evaluate what was seen."""

from random import Random

import expectitree as et
from expectitree.searches.cuts import NOT_CUT
from expectitree.searches.problem import ALL, Found


def run(problem):
    tree, columns, watch = problem.tree, problem.columns, problem.observer
    found, random, count = Found.of(problem), Random(problem.seed), 0
    while count < (problem.max_visits or 1_000):
        node, branch, way = tree.root_id, -1, []
        while branches := tree.branches_of(node):
            way.append(node)
            if watch:
                watch.enter(node, branch, problem.window, ALL)
            is_chance = columns.kind[node] == et.Kind.CHANCE
            weights = [columns.probability[b] for b in branches] if is_chance else None
            branch = random.choices(branches, weights)[0]
            node = columns.child[branch]
        found.lower[node] = found.upper[node] = columns.utility[node]
        if watch:
            watch.visit(node, branch)
        for above in reversed(way):
            if watch:
                watch.leave(above, (found.lower[above], found.upper[above]), NOT_CUT, 0)
        for entered in (*way, node):
            found.visits[entered] += 1
            count += 1

    values = list(columns.utility)
    for node in range(len(tree)):  # children come before their parents
        seen = [b for b in tree.branches_of(node) if found.visits[columns.child[b]]]
        worth = {b: tree.reward_of(b) + values[columns.child[b]] for b in seen}
        if columns.kind[node] == et.Kind.CHANCE and seen:
            weight = sum(columns.probability[b] for b in seen)
            values[node] = sum(columns.probability[b] * worth[b] for b in seen) / weight
        elif seen:
            best = max if columns.kind[node] == et.Kind.MAX else min
            values[node] = best(worth.values())
    found.stopped = problem.max_visits is not None
    found.estimate = values[tree.root_id]
    return found


SAMPLING = et.Algorithm("sampling", "Plays at random to the end.", run, proves=False)
