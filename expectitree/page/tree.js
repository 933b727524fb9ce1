// ---- The tree, from the page's data. page/data.py describes that data.

const TERMINAL = 0, MAX = 1, MIN = 2, CHANCE = 3;
const KIND_NAMES = ["TERMINAL", "MAX", "MIN", "CHANCE"];
const KIND_MARKS = ["", "▲", "▼", "●"];
const NONE = -1;

/** The node table, the branch table, the first path to each node, and the numbers as texts. */
class Tree {
  constructor(columns, numbers) {
    this.numbers = numbers; // by place
    this.count = columns.kinds.length;
    this.root = this.count - 1;
    this.kind = Uint8Array.from(columns.kinds, Number);
    this.first = new Int32Array(this.count + 1);
    columns.branches.forEach((branches, n) => { this.first[n + 1] = this.first[n] + branches; });
    this.child = Int32Array.from(columns.children);
    this.owner = new Int32Array(this.child.length); // of a branch: its parent node
    for (let n = 0; n < this.count; n++) this.owner.fill(n, this.first[n], this.first[n + 1]);
    this.labelled = new Uint8Array(this.count); // nodes with a label on a branch
    columns.labels.forEach((label, b) => { if (label) this.labelled[this.owner[b]] = 1; });
    this.probability = columns.probabilities; // texts, "" below MAX and MIN
    this.payments = columns.payments ?? []; // texts, "" where a branch pays nothing
    this.rootPayment = columns.root_payment ?? "";
    this.impossible = new Set(columns.impossible); // branches of probability 0
    this.labels = columns.labels;
    this.lines = columns.lines; // of long labels
    this.utility = columns.utilities; // of a terminal; else the estimate
    this.estimated = new Set(columns.estimated);
    this.bounds = columns.bounds;
    this.notes = columns.notes;
    this.branchNotes = columns.branch_notes;
    this.leaves = this.kind.reduce((sum, kind) => sum + Number(kind === TERMINAL), 0);
    this.order = Int32Array.from(columns.order); // nodes as their first paths meet them
    this.branch = Int32Array.from(columns.first_branch); // of a node: the end of its first path
    this.parent = this.branch.map((b) => (b === NONE ? NONE : this.owner[b]));
    this.below = new Int32Array(this.count).fill(1); // nodes at and below each, by first paths
    for (let n = 0; n < this.root; n++) this.below[this.parent[n]] += this.below[n];
  }

  /** Return a known value, or the interval that contains it. */
  interval(lower, upper) {
    const { numbers } = this;
    return lower === upper ? numbers[lower] : `[${numbers[lower]}, ${numbers[upper]}]`;
  }

  /** Return the node that a branch leads to; the root for NONE. */
  target(branch) { return branch === NONE ? this.root : this.child[branch]; }

  /** Return the branches of a node. */
  branches(n) {
    return Array.from({ length: this.first[n + 1] - this.first[n] }, (_, i) => this.first[n] + i);
  }

  /** Return what a branch pays MAX, or what the root pays for NONE; "" if that is nothing. */
  payment(branch) { return branch === NONE ? this.rootPayment : this.payments[branch] ?? ""; }

  /** Return the label of a branch, `#k` where the file has none. */
  label(branch) {
    return this.labels[branch] || `#${branch - this.first[this.owner[branch]] + 1}`;
  }

  /** Return the last `most` labels of a node's first path; a `/` within a label becomes `\/`. */
  path(n, most = 300) {
    const labels = [];
    for (; n !== this.root && labels.length < most; n = this.parent[n]) {
      labels.unshift(this.label(this.branch[n]).replace(/[\\/]/g, "\\$&"));
    }
    return (n === this.root ? "" : "…/") + (labels.join("/") || "/");
  }

  /** Return the node at the end of a path, or where the path stops: `{node}` or `{stopped}`. */
  find(path) {
    let n = this.root;
    for (const [, escaped] of path.matchAll(/((?:\\.|[^/\\])+)/gs)) {
      const label = escaped.replace(/\\(.)/gs, "$1");
      const found = this.branches(n).find((b) => this.label(b) === label);
      if (found === undefined) return { stopped: n };
      n = this.child[found];
    }
    return { node: n };
  }

  /** Return the next node, in the order of first paths, whose path contains a text; or NONE. */
  search(text, after = NONE) {
    const wanted = text.toLowerCase(), start = this.order.indexOf(after) + 1;
    const order = [...this.order.subarray(start), ...this.order.subarray(0, start)];
    const isFound = (n) => n !== this.root && this.path(n, 12).toLowerCase().includes(wanted);
    return order.find(isFound) ?? NONE;
  }
}
