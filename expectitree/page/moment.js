// ---- A search after some of its steps, forwards and back.
// Python found what each step changes (page/steps.py); here the changes are only applied.

const CUT_OFF = 1, SKIPPED = 2; // places in the page's `reasons`
const AIMS = [
  "lower its upper bound", "raise its lower bound", "make it exact", "find its best action",
];
const SHORT_AIMS = ["aim: lower", "aim: raise", "aim: exact", "aim: best"];

/** The columns of one search after `step` of its steps; 0 is before the first. */
class Moment {
  /**
   * @param {any} data the page's data
   * @param {Tree} tree
   * @param {any} trace one of `data.traces`
   */
  constructor(data, tree, trace) {
    this.data = data;
    this.tree = tree;
    this.trace = trace;
    this.length = trace.kinds.length;
    this.step = 0;
    const column = (name) => Int32Array.from(trace.start[name]);
    this.lower = column("lower");
    this.upper = column("upper");
    this.visits = column("visits");
    this.alpha = column("alpha"); // the window of the last entry
    this.beta = column("beta");
    this.after = column("after"); // children done before the cut; NONE where no cut was made
    this.spared = column("spared"); // nodes that the cut spares
    this.skipped = column("skipped"); // why the node was not visited: a place in `reasons`
    this.best = column("best"); // a place in `choices`
    this.aim = column("aim"); // what the last walk was to do there
    // Alpha of a MAX node, or beta of a MIN node, where its children have moved it.
    this.narrowed = column("narrowed");
    // The same for a node's first branch; the two differ if the branch pays.
    const paid = (name) => ("worth_lower" in trace.start ? column(`worth_${name}`) : this[name]);
    this.worth_lower = paid("lower");
    this.worth_upper = paid("upper");
    this.worth_alpha = paid("alpha");
    this.worth_beta = paid("beta");
    this.columns = Object.keys(trace.start).map((name) => this[name]);
  }

  /** Return the node of a step, from 1 on. */
  node(step) { return this.tree.target(this.trace.branches[step - 1]); }

  /** Go to a step. */
  seek(step) {
    const wanted = Math.max(0, Math.min(this.length, step));
    while (this.step < wanted) this.exchange(this.step++);
    while (this.step > wanted) this.exchange(--this.step);
  }

  /** Exchange the values of a step's changes and those of the columns: applies it, or undoes it. */
  exchange(i) {
    const { columns } = this, changes = this.trace.changes[i];
    const first = this.node(i + 1) * columns.length;
    for (let at = 0; at < changes.length; at += 2) {
      const cell = first + changes[at], column = columns[cell % columns.length];
      const n = Math.floor(cell / columns.length), value = changes[at + 1];
      changes[at + 1] = column[n];
      column[n] = value;
    }
  }

  /** The steps, from 0, that entered the nodes which are still open. */
  get open() {
    const { kinds, keeps } = this.trace, open = [];
    let i = this.step - 1, count = i < 0 ? 0 : keeps[i] + Number(kinds[i] === "E");
    for (; count; i--) {
      if (kinds[i] !== "E" || keeps[i] !== count - 1) continue;
      open.unshift(i);
      count--;
    }
    return open;
  }

  /** Return the sentence of a step, then a line for each end of a window that is derived. */
  sentences(step) { return this.trace.sentences[step].split("\n"); }

  /** Return how many nodes and leaves were visited, how often any was entered, and the cuts. */
  counts() {
    const counts = { nodes: 0, leaves: 0, visits: 0, cuts: 0 };
    this.visits.forEach((visits, n) => {
      counts.nodes += Number(visits > 0);
      counts.leaves += Number(visits > 0 && this.tree.kind[n] === TERMINAL);
      counts.visits += visits;
    });
    counts.cuts = this.trace.kinds.slice(0, this.step).split("C").length - 1;
    return counts;
  }

  /** The next step that is a cut; 0 where there is none. */
  get nextCut() { return this.trace.kinds.indexOf("C", this.step) + 1; }

  /** Return the next leaf that a step visits or a cut spares, and that step; null for none. */
  get decision() {
    const { step: from, tree, trace } = this;
    const isSpared = (n) => {
      for (; n !== NONE && !this.visits[n]; n = tree.parent[n]) if (this.skipped[n]) return true;
      return false;
    };
    const leaves = Array.from(tree.order).filter((n) => tree.kind[n] === TERMINAL);
    this.seek(this.length); // a further branch may lead to what a cut spares
    const visited = new Set(leaves.filter((n) => this.visits[n]));
    this.seek(from);
    const isDecided = (n) => this.visits[n] > 0 || (!visited.has(n) && isSpared(n));
    const open = leaves.filter((n) => !isDecided(n));
    let leaf;
    while (leaf === undefined && this.step < this.length) {
      this.seek(this.step + 1);
      leaf = open.find(isDecided);
    }
    const { step } = this, isVisited = leaf !== undefined && this.visits[leaf] > 0;
    let why = "";
    if (isVisited) { // the node above had no cut before the step
      this.seek(step - 1);
      const above = tree.owner[trace.branches[step - 1]], window = this.window(above).join(", ");
      why = `No cut: ${tree.path(above, 12)} is in ${this.interval(above)}, with ${window}.`;
    }
    this.seek(from);
    return leaf === undefined ? null : { leaf, step, isVisited, why };
  }

  /** Return the branches from the root to the last step's node, by which the search came there. */
  way() {
    if (!this.step) return [];
    const { trace, tree } = this, last = trace.branches[this.step - 1];
    const entered = this.open.map((i) => trace.branches[i]);
    if (entered.length) return [...new Set([...entered, last])].filter((b) => b !== NONE);
    const branches = [];
    for (let b = last; b !== NONE; b = tree.branch[tree.owner[b]]) branches.unshift(b);
    return branches;
  }

  /** Return alpha and beta of the last entry of a node, or its aim in the last walk. */
  window(n) {
    if (!this.trace.in_order) return [SHORT_AIMS[this.aim[n]] ?? "", ""];
    const [alpha, beta] = this.ends(n);
    return [`α ${alpha}`, `β ${beta}`];
  }

  /** Return alpha and beta of the last entry of a node, as its children have moved it: `3 → 6`. */
  ends(n) {
    const { numbers, kind } = this.tree;
    const alpha = numbers[this.alpha[n]], beta = numbers[this.beta[n]];
    if (!this.trace.in_order || this.narrowed[n] === NONE) return [alpha, beta];
    const now = numbers[this.narrowed[n]];
    return kind[n] === MAX ? [`${alpha} → ${now}`, beta] : [alpha, `${beta} → ${now}`];
  }

  /** Return a node's value, or the interval that contains it. */
  interval(n) { return this.tree.interval(this.lower[n], this.upper[n]); }

  /** Return the value of a node's first branch, or the interval that contains it: with rewards. */
  worth(n) { return this.tree.interval(this.worth_lower[n], this.worth_upper[n]); }

  isExact(n) { return this.lower[n] === this.upper[n]; }

  /** Return the branches of a node that are proved to be best. */
  bestBranches(n) { return this.data.choices[this.best[n]]; }

  /** Return why a node was not visited; null where it was, or still may be. */
  reason(n) { return this.visits[n] ? null : this.data.reasons[this.skipped[n]]; }
}
