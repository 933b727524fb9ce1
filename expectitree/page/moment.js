// ---- A search as it stood after some of its steps: forwards, and back again (as analysis/moment.py).

const NOT_CUT = 0, PROBED = 5, STOPPED = 6, CUT_PROBING = 8;
const isCut = (code) => code !== NOT_CUT && code !== PROBED && code !== STOPPED;

// Why a node was not entered (as analysis/explain.py).
const VISITED = 0, CUT_OFF = 1, PASSED_OVER = 2, IMPOSSIBLE = 3, BELOW_PASSED_OVER = 4, NOT_REACHED = 5, WAITING = 6;
const REASONS = [null, "cut", "passed over", "probability 0", null, "not reached", null];
const AIMS = ["make it exact", "lower its upper bound", "raise its lower bound", "find its best action"]; // of a walk
const SHORT_AIMS = ["aim: exact", "aim: lower", "aim: raise", "aim: best"];
const NOBODY = -1, UNREACHED = -2, UNDECIDED = -3; // in place of the node whose cut it was

class Moment {
  constructor(tree, numbers, trace, exact, eps) {
    Object.assign(this, { tree, numbers, trace, exact, eps });
    const column = (value) => new Int32Array(tree.count).fill(value);
    this.step = 0; // how many are made
    this.lower = trace.lower.slice();
    this.upper = trace.upper.slice();
    this.visits = column(0);
    this.alpha = column(NONE);
    this.beta = column(NONE);
    this.cut = column(NOT_CUT);
    this.after = column(0);
    this.columns = [this.lower, this.upper, this.visits, this.alpha, this.beta, this.cut, this.after];
    this.before = new Int32Array(this.columns.length * trace.length); // what the columns held at each step's node
    this.open = []; // the steps (from 0) that entered the nodes which are not yet left, the root first
    this.left = []; // the entries of those that were left, to come back to
    this.walked = []; // of best-first: by step, the entries that it left
    this.unfinished = null; // of best-first, after its last step: windows and cuts as they were before the end
    this.cuts = this.entries = this.visited = this.leavesVisited = 0;
    this.explained = NONE; // the step for which `reason` holds
  }

  get length() { return this.trace.length; }

  /** The node of a step, from 1 on. */
  node(step) { return this.tree.target(this.trace.branches[step - 1]); }

  /** Go to a step: 0 is before the first. */
  seek(step) {
    const wanted = Math.max(0, Math.min(this.length, step));
    while (this.step < wanted) this.forward();
    while (this.step > wanted) this.back();
  }

  forward() {
    const { trace, columns } = this;
    const i = this.step++, n = this.node(this.step), kind = trace.kinds[i], at = trace.at[i], more = trace.more;
    columns.forEach((column, c) => { this.before[i * columns.length + c] = column[n]; });
    if (!trace.inOrder) this.leave(i, n, kind);
    if (kind === "G") {
      this.open.push(i);
      this.count(n, 1);
      this.cut[n] = STOPPED;
    } else if (kind === "X") {
      this.lower[n] = more[at];
      this.upper[n] = more[at + 1];
    } else if (kind === "K") {
      this.cuts++;
      this.cut[n] = more[at];
      this.after[n] = more[at + 1];
      this.alpha[n] = more[at + 2];
      this.beta[n] = more[at + 3];
    } else if (kind === "E") {
      this.open.push(i);
      this.count(n, 1);
      this.alpha[n] = more[at];
      this.beta[n] = more[at + 1];
      this.cut[n] = STOPPED; // of what is left of it, nothing is known yet
    } else if (kind === "V" || kind === "W") {
      this.count(n, 1);
      this.lower[n] = this.upper[n] = more[at];
    } else if (kind === "T") {
      this.lower[n] = more[at];
      this.upper[n] = more[at + 1];
    } else if (kind === "C") {
      this.cuts++;
      this.cut[n] = more[at];
      this.after[n] = more[at + 1];
    } else if (kind === "L") {
      this.left.push(this.open.pop());
      this.lower[n] = more[at];
      this.upper[n] = more[at + 1];
      this.cut[n] = more[at + 2];
      this.after[n] = more[at + 3];
    }
    if (!trace.inOrder && this.step === trace.total) this.finish();
  }

  /** Leave what a walk has left by this step: at its end, up to the node that is backed up. */
  leave(i, n, kind) {
    let depth = this.trace.depth[i];
    if ("TXK".includes(kind)) {
      const isOnIt = kind !== "K" && depth < this.open.length && this.node(this.open[depth] + 1) === n;
      depth = isOnIt ? depth + (kind === "T" ? 1 : 0) : 0;
    }
    this.walked.push(this.open.splice(depth));
  }

  /** Write the windows and cuts that are found when a best-first search is over. */
  finish() {
    const columns = this.columns.slice(3), { final } = this.trace;
    this.unfinished = columns.map((column) => column.slice());
    [final.alpha, final.beta, final.cut, final.after].forEach((column, c) => columns[c].set(column));
  }

  back() {
    const { trace, columns } = this;
    if (this.unfinished) {
      this.unfinished.forEach((column, c) => columns[c + 3].set(column));
      this.unfinished = null;
    }
    const i = --this.step, n = this.node(i + 1), kind = trace.kinds[i];
    if (kind === "G") {
      this.open.pop();
      this.count(n, -1);
    } else if (kind === "K") this.cuts--;
    else if (kind === "E") {
      this.open.pop();
      this.count(n, -1);
    } else if (kind === "V" || kind === "W") this.count(n, -1);
    else if (kind === "C") this.cuts--;
    else if (kind === "L") this.open.push(this.left.pop());
    if (!trace.inOrder) this.open.push(...this.walked.pop());
    columns.forEach((column, c) => { column[n] = this.before[i * columns.length + c]; });
  }

  /** Count an entry of a node, or take it back. */
  count(n, by) {
    const before = this.visits[n];
    this.visits[n] += by;
    this.entries += by;
    if (!before || !this.visits[n]) {
      this.visited += by;
      if (this.tree.kind[n] === TERMINAL) this.leavesVisited += by;
    }
  }

  /** The branches from the root to the last step's node, by which the search came there. */
  way() {
    const { trace } = this;
    if (!this.step) return [];
    const last = trace.branches[this.step - 1];
    if (!trace.cutting || (!trace.inOrder && !this.open.length)) return this.firstWay(last);
    const branches = this.open.map((i) => trace.branches[i]).filter((b) => b !== NONE);
    if (last !== NONE && branches[branches.length - 1] !== last) branches.push(last);
    return branches;
  }

  /** The branches from the root to the end of one, by the first paths. */
  firstWay(last) {
    const branches = [];
    for (let b = last; b !== NONE; b = this.tree.branch[this.tree.owner[b]]) branches.push(b);
    return branches.reverse();
  }

  /** What the walk that is going on is to do at a node, in these words: empty where there is none. */
  aim(n, words) {
    if (this.trace.inOrder) return "";
    const i = this.open.find((entry) => this.node(entry + 1) === n);
    return i === undefined ? "" : words[this.trace.more[this.trace.at[i]]];
  }

  isExact(n) { return this.lower[n] === this.upper[n]; }

  /** Whether a branch of a player's node is proved to be worth the node's known value (`Search.is_best`). */
  isBest(n, branch) {
    const kind = this.tree.kind[n];
    if (kind !== MAX && kind !== MIN) return false;
    if (!this.isExact(n)) return n === this.tree.root && this.unfinished !== null && this.trace.decided.has(branch);
    const column = kind === MAX ? this.lower : this.upper;
    const found = column[this.tree.child[branch]], value = column[n];
    if (found === value) return true;
    if (this.exact) return false; // a child can be no better than the best
    const { value: numbers } = this.numbers;
    return kind === MAX ? numbers[found] >= numbers[value] - this.eps : numbers[found] <= numbers[value] + this.eps;
  }

  bestBranches(n) {
    const found = [];
    for (let b = this.tree.first[n]; b < this.tree.first[n + 1]; b++) if (this.isBest(n, b)) found.push(b);
    return found;
  }

  /** Write why each node was not entered, as far as that is decided by now (`account_for_skipped`). */
  explain() {
    if (this.explained === this.step) return;
    this.explained = this.step;
    const { tree, visits, cut, after } = this;
    if (!this.reason) {
      this.reason = new Uint8Array(tree.count);
      this.by = new Int32Array(tree.count); // the node whose cut an unvisited node belongs to
      this.spared = new Int32Array(tree.count); // nodes that a cut spares
    }
    const { reason, by, spared } = this;
    if (!this.trace.cutting) {
      for (let n = 0; n < tree.count; n++) reason[n] = visits[n] ? VISITED : WAITING;
      return;
    }
    const open = new Set(this.open.map((i) => tree.target(this.trace.branches[i])));
    spared.fill(0);
    // Of a search not in order: a node may be asked from another place than its first path, but from a later row.
    const { inOrder, final } = this.trace;
    for (let i = 0; i < tree.count; i++) {
      const n = inOrder ? tree.order[i] : tree.count - 1 - i;
      const above = tree.parent[n];
      by[n] = NOBODY;
      reason[n] = VISITED;
      if (visits[n]) {
        if (cut[n] === PROBED) by[n] = by[inOrder ? above : final.asked_by[n]] ?? NOBODY;
        else if (cut[n] === STOPPED) by[n] = (inOrder ? open.has(n) : !this.unfinished) ? UNDECIDED : UNREACHED;
        else if (isCut(cut[n])) by[n] = n;
        continue;
      }
      if (above === NONE) {
        reason[n] = WAITING;
        by[n] = UNDECIDED;
      } else if (!visits[above]) {
        by[n] = by[above];
        if (reason[above] === PASSED_OVER || reason[above] === BELOW_PASSED_OVER) reason[n] = BELOW_PASSED_OVER;
        else if (reason[above] === WAITING) reason[n] = WAITING;
      } else if (this.isImpossible(tree.branch[n])) reason[n] = IMPOSSIBLE;
      else if (by[above] === UNDECIDED) {
        reason[n] = WAITING;
        by[n] = UNDECIDED;
      } else if (by[above] === UNREACHED) reason[n] = NOT_REACHED;
      else if (
        by[above] === NOBODY ||
        // the cut came later than this child's turn
        (inOrder && by[above] === above && cut[above] < CUT_PROBING && tree.branch[n] - tree.first[above] < after[above])
      ) reason[n] = PASSED_OVER;
      else {
        reason[n] = CUT_OFF;
        by[n] = by[above];
      }
      if (by[n] >= 0) spared[by[n]]++;
    }
  }

  isImpossible(branch) {
    const p = this.tree.probability[branch];
    return p !== NONE && this.numbers.value[p] === 0;
  }

  /** Everything that is known, in plain values: for tests, and for whoever opens the browser's console. */
  state() {
    this.explain();
    const { tree, numbers } = this;
    const { root } = tree;
    const nodes = Array.from(tree.order, (n) => {
      const found = {
        node: n, kind: KIND_NAMES[tree.kind[n]], lower: numbers.json[this.lower[n]], upper: numbers.json[this.upper[n]],
        visited: this.visits[n] > 0, visits: this.visits[n], code: this.cut[n],
      };
      if (this.alpha[n] !== NONE) found.window = [numbers.json[this.alpha[n]], numbers.json[this.beta[n]]];
      if (tree.kind[n] !== TERMINAL && isCut(this.cut[n])) {
        Object.assign(found, { after: this.after[n], spared: this.spared[n] });
      }
      const best = this.bestBranches(n);
      if (best.length) found.best = best.map((b) => tree.label(b));
      const above = tree.parent[n];
      if (above !== NONE && this.visits[above] && REASONS[this.reason[n]]) found.skipped = REASONS[this.reason[n]];
      return found;
    });
    const best = this.bestBranches(root).map((b) => tree.label(b));
    return {
      algorithm: this.trace.name, step: this.step, steps: this.length,
      value: this.isExact(root) ? numbers.json[this.lower[root]] : null, best: best[0] ?? null, ties: best,
      nodes: { total: tree.count, visited: this.visited, visits: this.entries },
      leaves: { total: tree.leaves, visited: this.leavesVisited }, cuts: this.cuts,
      open: this.open.slice(), tree: nodes,
    };
  }
}

