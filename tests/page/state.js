// Everything that a moment knows, in plain values: for the tests in a browser and in node.

/** Return the state of a search after the step that a moment is at. */
function stateOf(moment) {
  const { data, tree, trace } = moment;
  const { json } = data.numbers;
  const kinds = ["TERMINAL", "MAX", "MIN", "CHANCE"];
  const labels = (n) => moment.bestBranches(n).map((b) => tree.label(b));
  const nodes = Array.from(tree.order, (n) => {
    const state = {
      node: n, kind: kinds[tree.kind[n]], lower: json[moment.lower[n]],
      upper: json[moment.upper[n]], visited: moment.visits[n] > 0, visits: moment.visits[n],
    };
    if (moment.alpha[n] >= 0) state.window = [json[moment.alpha[n]], json[moment.beta[n]]];
    if (moment.after[n] >= 0) {
      Object.assign(state, { after: moment.after[n], spared: moment.spared[n] });
    }
    if (labels(n).length) state.best = labels(n);
    if (moment.reason(n)) state.skipped = moment.reason(n);
    return state;
  });
  const { root } = tree, counts = moment.counts(), ties = labels(root);
  return {
    algorithm: trace.name, step: moment.step, steps: moment.length,
    value: moment.isExact(root) ? json[moment.worth_lower[root]] : null,
    best: ties[0] ?? null, ties,
    nodes: { total: tree.count, visited: counts.nodes, visits: counts.visits },
    leaves: { total: tree.leaves, visited: counts.leaves },
    cuts: counts.cuts, open: moment.open,
    tree: nodes,
  };
}
