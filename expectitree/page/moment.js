// ---- A search after some of its steps, forwards and back.
// Python found what each step changes (page/steps.py); here the changes are only applied.

const CUT_OFF = 1, SKIPPED = 2; // places in the page's `reasons`
const AIMS = [
  "make it exact", "lower its upper bound", "raise its lower bound", "find its best action",
];
const SHORT_AIMS = ["aim: exact", "aim: lower", "aim: raise", "aim: best"];

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
    const column = (name) => {
      const start = trace.start[name];
      return Array.isArray(start) ? Int32Array.from(start) : new Int32Array(tree.count).fill(start);
    };
    this.lower = column("lower");
    this.upper = column("upper");
    this.visits = column("visits");
    this.alpha = column("alpha"); // the window of the last entry
    this.beta = column("beta");
    this.after = column("after"); // children done before the cut; NONE where no cut was made
    this.spared = column("spared"); // nodes that the cut spares
    this.skipped = column("skipped"); // why the node was not visited: a place in `reasons`
    this.best = column("best"); // a place in `choices`
    this.aims = column("aim"); // what the last walk was to do there
    this.columns = Object.keys(trace.start).map((name) => this[name === "aim" ? "aims" : name]);
    /** @type {number[]} the steps, from 0, that entered the nodes which are still open */
    this.open = [];
    /** @type {number[][]} for each step, the entries that it closed */
    this.closed = [];
    this.cuts = []; // the steps, from 1, that are cuts
    this.locate();
  }

  /** Find where the changes and the sentence of each step begin. */
  locate() {
    const { kinds, changes, sentences } = this.trace;
    const gaps = this.data.skeletons.map((skeleton) => skeleton.split(GAP).length - 1);
    this.changesAt = new Int32Array(this.length);
    this.sentencesAt = new Int32Array(this.length);
    for (let i = 0, changesAt = 0, sentencesAt = 0; i < this.length; i++) {
      this.changesAt[i] = changesAt;
      changesAt += 1 + 2 * changes[changesAt];
      this.sentencesAt[i] = sentencesAt;
      sentencesAt += 1 + gaps[sentences[sentencesAt]];
      if (kinds[i] === "C") this.cuts.push(i + 1);
    }
  }

  /** Return the node of a step, from 1 on. */
  node(step) { return this.tree.target(this.trace.branches[step - 1]); }

  /** Go to a step. */
  seek(step) {
    const wanted = Math.max(0, Math.min(this.length, step));
    while (this.step < wanted) this.forward();
    while (this.step > wanted) this.back();
  }

  forward() {
    const i = this.step++;
    this.closed.push(this.open.splice(this.trace.keeps[i]));
    if (this.trace.kinds[i] === "E") this.open.push(i);
    this.exchange(i);
  }

  back() {
    const i = --this.step;
    this.exchange(i);
    if (this.trace.kinds[i] === "E") this.open.pop();
    this.open.push(...this.closed.pop());
  }

  /** Exchange the values of a step's changes and those of the columns: applies it, or undoes it. */
  exchange(i) {
    const { changes } = this.trace, { columns } = this;
    const first = this.node(i + 1) * columns.length, start = this.changesAt[i] + 1;
    for (let at = start; at < start + 2 * changes[start - 1]; at += 2) {
      const cell = first + changes[at], column = columns[cell % columns.length];
      const n = Math.floor(cell / columns.length), value = changes[at + 1];
      changes[at + 1] = column[n];
      column[n] = value;
    }
  }

  /** Return the sentence of a step, then a line for each end of a window that is derived. */
  sentences(step) {
    if (!step) return [this.trace.opening];
    const { skeletons, words } = this.data;
    const packed = this.trace.sentences, start = this.sentencesAt[step - 1];
    const [head, ...parts] = skeletons[packed[start]].split(GAP);
    const filled = parts.map((part, i) => words[packed[start + 1 + i]] + part);
    return [head, ...filled].join("").split("\n");
  }

  /** Return how many nodes and leaves were visited, and how often any was entered. */
  counts() {
    const counts = { nodes: 0, leaves: 0, visits: 0 };
    this.visits.forEach((visits, n) => {
      if (!visits) return;
      counts.nodes++;
      counts.visits += visits;
      if (this.tree.kind[n] === TERMINAL) counts.leaves++;
    });
    return counts;
  }

  /** Return the branches from the root to the last step's node, by which the search came there. */
  way() {
    if (!this.step) return [];
    const last = this.trace.branches[this.step - 1], branches = [];
    if (this.open.length) {
      branches.push(...this.open.map((i) => this.trace.branches[i]).filter((b) => b !== NONE));
      if (last !== NONE && branches[branches.length - 1] !== last) branches.push(last);
    } else {
      for (let b = last; b !== NONE; b = this.tree.branch[this.tree.owner[b]]) branches.unshift(b);
    }
    return branches;
  }

  /** Return a node's aim in the walk that is going on, in these words; "" where there is none. */
  aim(n, words) {
    return this.open.some((i) => this.node(i + 1) === n) ? words[this.aims[n]] ?? "" : "";
  }

  isExact(n) { return this.lower[n] === this.upper[n]; }

  /** Return the branches of a node that are proved to be best. */
  bestBranches(n) { return this.data.choices[this.best[n]]; }

  /** Return why a node was not visited; null where it was, or still may be. */
  reason(n) { return this.visits[n] ? null : this.data.reasons[this.skipped[n]]; }
}
