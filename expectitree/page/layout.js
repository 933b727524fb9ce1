// ---- What the page shows of the tree, and where: each parent is above the middle of its children.

const ROW = 112, HIGHEST_ROW = 210; // pixels from one ply to the next
const RADIUS = 15;
const BETWEEN = 12; // pixels between columns
const LABEL_AT = 0.74; // where on its branch a label is, from the parent's end
const LONGEST_LABEL = 18, LONGEST_REFERENCE = 16; // characters
const FEW = 100; // a tree of so many nodes is shown whole at first
const SOME = 64; // nodes that are shown of a larger tree
const WIDE = 24; // a node of so many branches is shown with all of them
const START = 12; // branches that are shown of a wider node, from the first one on
const DEEP = 60, NEAR = 30; // plies above the current node: at most DEEP are shown, else NEAR
const MOST = 3000; // nodes that "Expand all" shows

const count = (number) => number.toLocaleString("en");

/** Return about how many pixels wide a text is; East Asian characters are as wide as high. */
function textWidth(text, size) {
  let units = 0;
  for (const character of text) units += character.codePointAt(0) > 0x2e7f ? 1 : 0.57;
  return units * size;
}

/** Return a text of at most so many characters. */
function clip(text, most) {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
}

/**
 * What is drawn in one place: a node at its first path; a further branch to a shared node; or a run
 * of branches that are left out.
 */
class Item {
  /**
   * @param {Tree} tree
   * @param {any} parent an item, or null
   * @param {any} piece
   */
  constructor(tree, parent, { run, branch, node = tree.child[branch], above = 0 }) {
    this.parent = parent;
    /** @type {Item[]} */
    this.children = [];
    this.depth = parent ? parent.depth + 1 : 0;
    this.above = above; // plies that are left out above the first item
    this.run = run; // the first branch that is left out, and one past the last
    this.branch = branch; // NONE at the root and at a run
    this.node = node; // of a run: its parent
    this.key = run ? `run ${run[0]}` : `${branch}`;
    this.further = !run && tree.branch[node] !== branch;
    this.inner = !run && tree.kind[node] !== TERMINAL;
    this.open = false; // whether its children are shown
    this.label = this.p = "";
    this.text = ""; // of a run, a further branch, or a collapsed node
    this.ownLeft = this.ownRight = 0; // how far it reaches from its middle
    this.left = this.right = 0; // the same, with all that is below it
    this.x = this.y = 0;
    this.hidden = this.isBest = false; // whether it is grey, or a best branch (view.js)
  }
}

/** Which nodes are expanded, and the items that follow from that. */
class Layout {
  /** @param {Tree} tree */
  constructor(tree) {
    this.tree = tree;
    this.opened = new Uint8Array(tree.count); // nodes whose children are shown
    this.closed = new Set(); // nodes that the user closed: the player does not open them
    this.extra = new Map(); // node -> how many branches more than START are shown
    this.pinned = new Set(); // branches that are shown wherever they are
    this.row = ROW;
    this.roomRight = new Float64Array(tree.count); // for the interval and the window of a node
    this.openSome(tree.count <= FEW && tree.child.length <= 2 * FEW ? Infinity : SOME);
  }

  /** Show about so many nodes, those near the root. */
  openSome(most) {
    const { tree } = this, waiting = [tree.root];
    this.opened.fill(0);
    this.closed.clear();
    let shown = 1;
    for (const n of waiting) {
      const branches = tree.branches(n);
      if (branches.length > WIDE) branches.length = START;
      if (!branches.length || this.opened[n] || shown + branches.length > most) continue;
      this.opened[n] = 1;
      shown += branches.length;
      waiting.push(...branches.map((b) => tree.child[b]).filter((c) => tree.parent[c] === n));
    }
  }

  /** Show a node's children, or hide them. */
  toggle(n, open) {
    this.opened[n] = Number(open);
    if (open) this.closed.delete(n);
    else this.closed.add(n);
  }

  /** Expand all nodes above a node. */
  reveal(n) {
    for (let c = n; c !== this.tree.root; c = this.tree.parent[c]) {
      this.toggle(this.tree.parent[c], true);
      this.pinned.add(this.tree.branch[c]);
    }
  }

  /** Show more branches of a wide node. */
  showMore(n) { this.extra.set(n, (this.extra.get(n) ?? 0) + WIDE); }

  /**
   * Keep room for the widest text that a search writes beside each node, so that nothing moves.
   * @param {Moment} moment
   */
  reserve(moment) {
    const { roomRight, tree } = this, { step, trace } = moment;
    const reserve = (n, text, size) => {
      roomRight[n] = Math.max(roomRight[n], textWidth(text, size));
    };
    roomRight.fill(0);
    moment.seek(0);
    for (let n = 0; trace.cutting && n < tree.count; n++) reserve(n, moment.interval(n), 13);
    while (moment.step < moment.length) {
      moment.seek(moment.step + 1);
      const n = moment.node(moment.step);
      reserve(n, moment.interval(n), 13);
      if (trace.kinds[moment.step - 1] !== "E") continue;
      for (const text of moment.window(n)) reserve(n, text, 11.5);
    }
    moment.seek(step);
  }

  /**
   * Return the items that are shown, parents first in branch order, with their places.
   * @param {number[]} way branches that must be shown
   * @param {number} current a node whose children must be shown, or NONE
   */
  items(way, current) {
    const { tree } = this;
    const along = new Set(way), onWay = new Set([...way.map((b) => tree.owner[b]), current]);
    // Of a long way only the last plies are shown; they move on in leaps, not at every step.
    const above = way.length > DEEP ? Math.floor((way.length - NEAR) / NEAR) * NEAR : 0;
    const top = above ? tree.owner[way[above]] : tree.root;
    /** @type {Item[]} */
    const items = [];
    const stack = [new Item(tree, null, { node: top, branch: tree.branch[top], above })];
    while (stack.length) {
      const item = stack.pop(), n = item.node;
      items.push(item);
      if (!item.inner || item.further) continue;
      item.open = !this.closed.has(n) && (this.opened[n] === 1 || onWay.has(n));
      if (!item.open) continue;
      item.children = this.pieces(n, along).map((piece) => new Item(tree, item, piece));
      stack.push(...item.children.slice().reverse());
    }
    this.place(items);
    return items;
  }

  /** Return the branches of a node that are shown, and the runs of those that are not. */
  pieces(n, along) {
    const { tree, extra, pinned } = this, begin = tree.first[n], end = tree.first[n + 1];
    const few = end - begin <= WIDE ? end : begin + START + (extra.get(n) ?? 0);
    const isKept = (b) => along.has(b) || pinned.has(b);
    const pieces = [];
    for (let b = begin, run; b < end; b++) {
      if (b < few || isKept(b - 1) || isKept(b) || isKept(b + 1)) {
        pieces.push({ branch: b });
        run = null;
      } else if (run) run[1] = b + 1;
      else pieces.push({ run: run = [b, b + 1], node: n, branch: NONE });
    }
    return pieces;
  }

  /** Write an item's texts, and how far it reaches to the left and to the right of its middle. */
  measure(item) {
    const { tree } = this, n = item.node;
    let half = 0;
    if (item.branch !== NONE && item.parent) {
      item.label = clip(tree.label(item.branch), LONGEST_LABEL);
      item.p = tree.probability[item.branch];
      half = Math.max(textWidth(item.label, 12), textWidth(item.p, 12)) / 2 / LABEL_AT;
    }
    const widen = (width) => { half = Math.max(half, width / 2); };
    if (item.run) {
      item.text = `… ${count(item.run[1] - item.run[0])} more`;
      widen(textWidth(item.text, 12));
    } else if (item.further) {
      item.text = `↪ ${clip(tree.path(n, 3), LONGEST_REFERENCE)}`;
      widen(textWidth(item.text, 11));
    } else if (!item.inner) {
      widen(Math.max(20, textWidth(tree.numbers[tree.utility[n]], 13)));
    } else {
      if (!item.open) item.text = `${count(tree.below[n] - 1 || tree.branches(n).length)} below`;
      widen(Math.max(2 * RADIUS, item.text ? textWidth(item.text, 11) + 16 : 0));
    }
    item.ownLeft = item.ownRight = half;
    if (item.inner && !item.further) {
      item.ownRight = Math.max(half, RADIUS + 12 + this.roomRight[n]);
    }
  }

  /** Write where each item is: subtrees side by side, and a parent above their middle. */
  place(items) {
    for (const item of items.slice().reverse()) {
      this.measure(item);
      const { children } = item;
      let reach = -BETWEEN;
      for (const child of children) {
        child.x = reach + BETWEEN + child.left;
        reach = child.x + child.right;
      }
      const middle = children.length ? (children[0].x + children[children.length - 1].x) / 2 : 0;
      for (const child of children) child.x -= middle;
      item.left = Math.max(item.ownLeft, middle);
      item.right = Math.max(item.ownRight, reach - middle);
      item.x = 0;
      item.y = item.depth * this.row;
    }
    for (const item of items) item.x += item.parent?.x ?? 0;
  }
}

/**
 * Return the least rectangle around some items and their texts.
 * @param {Item[]} items
 */
function extent(items) {
  const x = Math.min(...items.map((item) => item.x - item.ownLeft));
  const y = Math.min(...items.map((item) => item.y - RADIUS));
  const right = Math.max(...items.map((item) => item.x + item.ownRight));
  const bottom = Math.max(...items.map((item) => item.y + RADIUS + (item.open ? 4 : 18)));
  return { x, y, width: right - x, height: bottom - y };
}
