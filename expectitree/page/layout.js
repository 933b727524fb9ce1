// ---- What the page shows of the tree, and where. The design is that of expectitree/picture:
// each parent is above the middle of its children, and texts and branches have room of their own.

const ROW = 82; // pixels from one ply to the next, without the texts on the branches
const HALF = 12; // of a symbol's width and height
const BESIDE = HALF + 11; // from a symbol's middle to its text
const BOX = 11; // half the height of a leaf's box
const FAN = 28; // below a node's middle: where its branches fan out, below its window
const TEXT = 13, LINE = 15; // pixels: the size of text, and from one line to the next
const BETWEEN = 11; // pixels between columns
const STACK = 27; // pixels from one leaf of a stack to the next
const BUS = 16; // from the line of a stack to its boxes
const LEAST_STACKED = 4, MANY = 48; // leaves of a node that are stacked, in a tree of so many
const LONGEST_REFERENCE = 22; // characters
const FEW = 100; // a tree of so many nodes is shown whole at first
const SHOWN_FIRST = 64; // nodes of a larger tree that the page shows at first
const WIDE = 24; // a node of so many branches is shown with all of them
const START = 12; // and this many first branches of a wider node
const DEEP = 60, NEAR = 30; // plies above the current node: at most DEEP are shown, else NEAR
const MOST = 3000; // nodes that "Expand all" shows

const count = (number) => number.toLocaleString("en");

/** Return about how many pixels wide a text is; East Asian characters are as wide as high. */
function textWidth(text, size) {
  let units = 0;
  for (const character of text) {
    if (character.codePointAt(0) > 0x2e7f) units += 1;
    else units += "[](),.:;|!'/ijlt ".includes(character) ? 0.38 : 0.64;
  }
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
    /** @type {string[]} the texts of `branchTexts`, above the item or left of it in a stack */
    this.texts = [];
    this.lines = 0; // the most texts that it or one of its siblings has
    this.text = ""; // of a run, a further branch, or a collapsed node
    this.slot = NONE; // its place in a stack of leaves
    this.half = this.aside = this.wide = 0; // of its box; of texts left of it; of texts above
    this.ownLeft = this.ownRight = 0; // how far it reaches from its middle
    this.x = this.y = 0;
    /** @type {number[][]} how far the subtree reaches left and right: texts, nodes, texts, … */
    this.contour = [];
    this.bare = false; // whether the branches to it and its siblings are straight: no texts
    // Whether it is grey, the best branch, or the first that a cut or a probe left (view.js).
    this.hidden = this.isBest = this.isFirstLeft = false;
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
    this.row = 0; // wanted from one ply to the next
    this.step = ROW; // from one ply to the next
    this.lines = 0; // the most texts that an item has
    this.places = false; // whether labels such as #1 are shown where no sibling has a label
    this.roomRight = new Float64Array(tree.count); // for the interval and the window of a node
    this.openSome(tree.count <= FEW && tree.child.length <= 2 * FEW ? Infinity : SHOWN_FIRST);
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
    const reserve = (n, text) => {
      roomRight[n] = Math.max(roomRight[n], textWidth(text, TEXT));
    };
    roomRight.fill(0);
    moment.seek(0);
    for (let n = 0; trace.cutting && n < tree.count; n++) reserve(n, moment.interval(n));
    while (moment.step < moment.length) {
      moment.seek(moment.step + 1);
      const n = moment.node(moment.step);
      reserve(n, moment.interval(n));
      if (trace.in_order && moment.alpha[n] === NONE) continue;
      for (const text of moment.window(n)) reserve(n, text);
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

  /** Return the texts on a branch: the lines of its label, its probability, and what it pays. */
  branchTexts(branch) {
    const { tree } = this, n = tree.owner[branch];
    const helps = tree.labels[branch] || this.places || tree.labelled[n];
    const lines = helps ? tree.lines[branch] ?? [tree.label(branch)] : [];
    return [...lines, tree.probability[branch], tree.payment(branch)].filter(Boolean);
  }

  /** Write an item's texts, and how far it reaches to the left and to the right of its middle. */
  measure(item) {
    const { tree } = this, n = item.node;
    if (item.above) item.texts = [`… ${count(item.above)} plies above`];
    else if (item.branch !== NONE) item.texts = this.branchTexts(item.branch);
    item.lines = item.texts.length;
    const half = (text) => textWidth(text, TEXT) / 2;
    if (item.run) item.text = `… ${count(item.run[1] - item.run[0])} more`;
    else if (item.further) item.text = `↪ ${clip(tree.path(n, 3), LONGEST_REFERENCE)}`;
    else if (item.inner && !item.open) {
      item.text = `${count(tree.below[n] - 1 || tree.branches(n).length)} below`;
    }
    const isLeaf = !item.run && !item.inner, isNode = item.inner && !item.further;
    const utility = `${tree.estimated.has(n) ? "est. " : ""}(${tree.numbers[tree.utility[n]]})`;
    item.half = Math.max(HALF, isLeaf ? half(utility) + 3 : isNode ? 0 : half(item.text));
    item.ownLeft = item.ownRight = item.half;
    item.wide = Math.max(0, ...item.texts.map(half));
    if (isNode) item.ownRight = Math.max(2 * half(item.text) + 6, BESIDE + this.roomRight[n]);
  }

  /** Write where each item is. */
  place(items) {
    for (const item of items) this.measure(item);
    this.lines = Math.max(0, ...items.map((item) => item.texts.length));
    const row = this.step = Math.max(this.row, ROW + this.lines * LINE), hang = FAN + BOX + 3;
    for (const item of items.slice().reverse()) {
      const { children } = item;
      item.contour = [[-item.wide, item.wide], [-item.ownLeft, item.ownRight]];
      const bare = children.every((child) => !child.texts.length && !child.inner);
      const most = Math.max(0, ...children.map((child) => child.texts.length));
      for (const child of children) Object.assign(child, { bare, lines: most });
      const areLeaves = children.every((child) => !child.inner && !child.further);
      const areMany = children.length >= LEAST_STACKED && this.tree.leaves >= MANY;
      if (areLeaves && areMany) this.stack(item, row);
      else if (children.length) this.spread(item);
    }
    for (const item of items) {
      item.x += item.parent?.x ?? 0;
      item.y = item.slot < 0 ? item.depth * row : item.parent.y + hang + item.slot * STACK;
    }
  }

  /** Place the leaves below an item one below the other, right of a line. */
  stack(item, row) {
    const reach = item.children.map((child, slot) => {
      child.slot = slot;
      child.texts = child.texts.length ? [child.texts.join(", ")] : [];
      child.aside = child.texts.length && textWidth(child.texts[0], TEXT) + 6;
      child.x = BUS + child.aside + child.half;
      return child.x + child.half;
    });
    const rows = 2 * Math.ceil((FAN + item.children.length * STACK) / row);
    item.contour.push(...Array(rows).fill([-6, Math.max(...reach)]));
  }

  /** Place the subtrees below an item as close together as they fit; Kennedy's tidy layout. */
  spread(item) {
    const contours = item.children.map((child) => child.contour), whole = item.contour;
    const mirrored = contours.map((rows) => rows.map(([left, right]) => [-right, -left])).reverse();
    const fromRight = pushed(mirrored).reverse();
    const places = pushed(contours).map((place, i) => (place - fromRight[i]) / 2);
    const middle = (places[0] + places[places.length - 1]) / 2;
    contours.forEach((rows, i) => {
      const x = item.children[i].x = places[i] - middle;
      rows.forEach(([left, right], k) => {
        const row = (whole[k + 2] ??= [Infinity, -Infinity]);
        row[0] = Math.min(row[0], left + x);
        row[1] = Math.max(row[1], right + x);
      });
    });
  }
}

/** Return the places of subtrees, each as far to the left as the ones before it allow. */
function pushed(contours) {
  const reached = []; // by row: how far the subtrees reach that have a place
  return contours.map((rows) => {
    const most = Math.min(reached.length, rows.length);
    let place = reached.length ? -Infinity : 0;
    for (let k = 0; k < most; k++) place = Math.max(place, reached[k] + BETWEEN - rows[k][0]);
    const ends = rows.map(([, right]) => right + place);
    ends.forEach((end, k) => { reached[k] = Math.max(reached[k] ?? end, end); });
    return place;
  });
}

/**
 * Return the least rectangle around some items and their texts.
 * @param {Item[]} items
 */
function extent(items) {
  const left = (item) => item.x - Math.max(item.wide, item.ownLeft + item.aside);
  const x = Math.min(...items.map(left));
  const y = Math.min(...items.map((item) => item.y - (item.above ? ROW : HALF + 10)));
  const right = Math.max(...items.map((item) => item.x + Math.max(item.wide, item.ownRight)));
  const bottom = Math.max(...items.map((item) => item.y + HALF + (item.text ? 18 : 12)));
  return { x, y, width: right - x, height: bottom - y };
}
