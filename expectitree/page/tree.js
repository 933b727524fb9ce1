// ---- The tree and the traces, as they stand in the page's data (data.py tells of every column).

const TERMINAL = 0, MAX = 1, MIN = 2, CHANCE = 3;
const KIND_NAMES = ["TERMINAL", "MAX", "MIN", "CHANCE"];
const KIND_MARKS = ["", "▲", "▼", "●"];
const NONE = -1;
const GAP = "\u001f";

/** Every number of the page by its place: as JSON has it, as sentences write it, and as one to compare with. */
class Numbers {
  constructor(table) {
    this.json = table.map((entry) => (Array.isArray(entry) ? entry[0] : entry));
    this.shown = table.map((entry) => String(Array.isArray(entry) ? entry[1] : entry));
    this.value = Float64Array.from(this.json, (entry) => (entry === "inf" ? Infinity : entry === "-inf" ? -Infinity : +entry));
  }

  /** A known value, or the interval that holds it. */
  interval(lower, upper) {
    return lower === upper ? this.shown[lower] : `[${this.shown[lower]}, ${this.shown[upper]}]`;
  }
}

/** The node and branch tables, and how each node is first met when the tree is walked from the root. */
class Tree {
  constructor(columns) {
    const count = columns.kinds.length;
    this.count = count;
    this.root = count - 1;
    this.kind = Uint8Array.from(columns.kinds, Number);
    this.first = new Int32Array(count + 1);
    columns.branches.forEach((branches, n) => { this.first[n + 1] = this.first[n] + branches; });
    this.child = Int32Array.from(columns.children);
    this.owner = new Int32Array(this.child.length); // of a branch: the node that it is one of
    for (let n = 0; n < count; n++) this.owner.fill(n, this.first[n], this.first[n + 1]);
    this.probability = Int32Array.from(columns.probabilities);
    this.labels = columns.labels;
    this.utility = Int32Array.from(columns.utilities); // of a terminal; else the estimate
    this.estimated = new Set(columns.estimated);
    this.bounds = columns.bounds;
    this.notes = columns.notes;
    this.branchNotes = columns.branch_notes;
    this.unfolded = columns.unfolded;
    this.leaves = this.kind.reduce((sum, kind) => sum + (kind === TERMINAL), 0);
    this.walk();
  }

  /** First paths: `order` parents first, and by node the `parent`, the `branch` from there and the `depth`. */
  walk() {
    const { count, first, child } = this;
    this.order = new Int32Array(count);
    this.parent = new Int32Array(count).fill(NONE);
    this.branch = new Int32Array(count).fill(NONE);
    this.depth = new Int32Array(count);
    let n = this.root, b = first[n], met = 1;
    this.order[0] = n;
    for (;;) {
      if (b === first[n + 1]) {
        if (n === this.root) break;
        b = this.branch[n] + 1;
        n = this.parent[n];
        continue;
      }
      const c = child[b];
      if (this.branch[c] !== NONE) { b++; continue; }
      this.parent[c] = n;
      this.branch[c] = b;
      this.depth[c] = this.depth[n] + 1;
      this.order[met++] = c;
      n = c;
      b = first[c];
    }
    this.below = new Int32Array(count).fill(1); // nodes at and below each, each under its first path
    for (let i = met - 1; i > 0; i--) this.below[this.parent[this.order[i]]] += this.below[this.order[i]];
  }

  /** The node that a branch leads to; the root for NONE. */
  target(branch) {
    return branch === NONE ? this.root : this.child[branch];
  }

  label(branch) {
    return this.labels[branch] || `#${branch - this.first[this.owner[branch]] + 1}`;
  }

  /** The first path to a node, or its last `most` labels; a label's own `/` is written `\/`. */
  path(n, most = 300) {
    const labels = [];
    let left = most;
    for (; n !== this.root && left > 0; n = this.parent[n], left--) {
      labels.push(this.label(this.branch[n]).replace(/[\\/]/g, "\\$&"));
    }
    return (n === this.root ? "" : "…/") + (labels.reverse().join("/") || "/");
  }

  /** The node at the end of a path, or the labels that it could go on with: `{node}` or `{stopped, known}`. */
  find(path) {
    const labels = path === "" || path === "/" ? [] : [""];
    for (let i = 0; labels.length && i < path.length; i++) {
      if (path[i] === "\\" && i + 1 < path.length) labels[labels.length - 1] += path[++i];
      else if (path[i] === "/") labels.push("");
      else labels[labels.length - 1] += path[i];
    }
    let n = this.root;
    for (const label of labels) {
      let b = this.first[n];
      while (b < this.first[n + 1] && this.label(b) !== label) b++;
      if (b === this.first[n + 1]) {
        const known = [];
        for (let k = this.first[n]; k < this.first[n + 1] && known.length < 8; k++) known.push(this.label(k));
        return { stopped: n, known };
      }
      n = this.child[b];
    }
    return { node: n };
  }

  /** The first node, after another in walking order, whose path's end holds a text. */
  search(text, after = NONE) {
    const wanted = text.toLowerCase();
    const start = after === NONE ? 0 : this.order.indexOf(after) + 1;
    for (let i = 0; i < this.count; i++) {
      const n = this.order[(start + i) % this.count];
      if (n !== this.root && this.path(n, 12).toLowerCase().includes(wanted)) return n;
    }
    return NONE;
  }
}

/** One search: what it came to, and its steps. What a step changes stands in `more`, from `at[step]` on. */
class Trace {
  constructor(data, columns, tree) {
    this.data = data;
    this.name = columns.name;
    this.about = columns.about;
    this.description = columns.description;
    this.cutting = columns.cutting; // false for expectiminimax, which knows neither windows nor cuts
    this.inOrder = columns.in_order; // false for best-first: walks with aims; windows and cuts are found in the end
    this.final = columns.final;
    this.decided = new Set(columns.decided); // the best action at the root, where that alone was asked for
    this.opening = columns.opening;
    this.conclusion = columns.conclusion;
    this.total = columns.total;
    this.kinds = columns.kinds;
    this.length = this.kinds.length;
    this.branches = Int32Array.from(columns.branches);
    this.more = Int32Array.from(columns.more);
    this.said = Int32Array.from(columns.said);
    const column = (ends) => (Array.isArray(ends) ? Int32Array.from(ends) : new Int32Array(tree.count).fill(ends));
    this.lower = column(columns.lower);
    this.upper = column(columns.upper);
    this.gaps = data.gaps;
    this.at = new Int32Array(this.length);
    this.saidAt = new Int32Array(this.length);
    this.depth = new Int32Array(this.length);
    this.cuts = []; // the steps (from 1) that are cuts
    const sizes = { E: 2, P: 1, V: 1, W: 1, S: 0, T: 2, X: 2, C: 2, L: 4, G: 1, K: 4 };
    const way = []; // of a walk: its nodes
    let at = 0, saidAt = 0, open = 0;
    for (let i = 0; i < this.length; i++) {
      const kind = this.kinds[i];
      this.at[i] = at;
      at += sizes[kind];
      this.saidAt[i] = saidAt;
      saidAt += 1 + this.gaps[this.said[saidAt]];
      if (kind === "C" || kind === "K") this.cuts.push(i + 1);
      if (!this.inOrder) {
        const n = tree.target(this.branches[i]);
        if (kind === "G") {
          way.length = n === tree.root ? 0 : way.lastIndexOf(tree.owner[this.branches[i]]) + 1;
          way.push(n);
        }
        const place = kind === "K" ? NONE : way.lastIndexOf(n);
        this.depth[i] = kind === "V" ? way.length : place === NONE ? tree.depth[n] : place;
        continue;
      }
      if (!this.cutting) {
        this.depth[i] = tree.depth[tree.target(this.branches[i])];
        continue;
      }
      this.depth[i] = "TCL".includes(kind) ? open - 1 : open;
      if (kind === "E") open++;
      else if (kind === "L") open--;
    }
  }

  /** What is said of a step, from 1 on: its sentence, then a line for each end of a window that is derived. */
  sentences(step) {
    const start = this.saidAt[step - 1];
    const parts = this.data.skeletons[this.said[start]].split(GAP);
    let text = parts[0];
    for (let i = 1; i < parts.length; i++) text += this.data.words[this.said[start + i]] + parts[i];
    return text.split("\n");
  }
}
