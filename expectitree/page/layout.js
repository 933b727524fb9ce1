// ---- What of the tree is shown, and where: children side by side, their parent above the middle of them.

const ROW = 112, HIGHEST_ROW = 210; // from one ply to the next
const RADIUS = 15;
const BETWEEN = 12; // columns
const LABEL_AT = 0.74; // where on its branch a label stands, from the parent's end
const LONGEST_LABEL = 18, LONGEST_REFERENCE = 16; // characters
const FEW = 100; // nodes that are all shown at first
const SOME = 64; // that are shown of more
const WIDE = 24; // branches that are all shown
const START = 12; // that are shown of more, from the first one on
const DEEP = 60, NEAR = 30; // plies of the way to the current node that are shown; of more, so many at least
const MOST = 3000; // nodes that "expand all" shows

/** About how wide a text is in pixels; East Asian characters are as wide as high. */
function textWidth(text, size) {
  let units = 0;
  for (const character of text) units += character.codePointAt(0) > 0x2e7f ? 1 : 0.57;
  return units * size;
}

const clip = (text, most) => {
  const characters = Array.from(text);
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : text;
};

class Layout {
  constructor(tree, numbers) {
    Object.assign(this, { tree, numbers });
    this.opened = new Uint8Array(tree.count); // nodes whose children are shown
    this.closed = new Set(); // nodes that were closed by hand: the player does not open them
    this.extra = new Map(); // node -> how many branches more than START are shown of it
    this.row = ROW;
    this.roomRight = new Float64Array(tree.count); // for the interval and the window beside a node
    this.openSome(tree.count <= FEW && tree.child.length <= 2 * FEW ? Infinity : SOME);
  }

  /** Show about so many nodes, those near the root. */
  openSome(most) {
    const { tree } = this;
    this.opened.fill(0);
    this.closed.clear();
    let shown = 1;
    for (let waiting = [tree.root], i = 0; i < waiting.length; i++) {
      const n = waiting[i], branches = tree.first[n + 1] - tree.first[n];
      const more = Math.min(branches, branches > WIDE ? START : branches);
      if (!branches || this.opened[n] || shown + more > most) continue;
      this.opened[n] = 1;
      shown += more;
      for (let b = tree.first[n]; b < tree.first[n] + more; b++) if (tree.branch[tree.child[b]] === b) waiting.push(tree.child[b]);
    }
  }

  toggle(n, open = !this.opened[n]) {
    this.opened[n] = open ? 1 : 0;
    if (open) this.closed.delete(n);
    else this.closed.add(n);
  }

  /** Open all nodes above a node. */
  reveal(n) {
    const { tree } = this;
    for (let c = n; c !== tree.root; c = tree.parent[c]) {
      this.toggle(tree.parent[c], true);
      this.showBranch(tree.branch[c]);
    }
  }

  showBranch(branch) {
    const n = this.tree.owner[branch], place = branch - this.tree.first[n];
    if (place >= START + (this.extra.get(n) ?? 0)) this.pinned = (this.pinned ?? new Set()).add(branch);
  }

  showMore(n) {
    this.extra.set(n, (this.extra.get(n) ?? 0) + WIDE);
  }

  /** Keep room for the widest text that a search will put beside each node, so that nothing moves as bounds tighten. */
  reserve(trace) {
    const { tree, numbers, roomRight } = this;
    roomRight.fill(0);
    const width = (n, text, size) => { roomRight[n] = Math.max(roomRight[n], textWidth(text, size)); };
    if (trace.cutting) for (let n = 0; n < tree.count; n++) width(n, numbers.interval(trace.lower[n], trace.upper[n]), 13);
    for (let i = 0; i < trace.length; i++) {
      const n = tree.target(trace.branches[i]), kind = trace.kinds[i], at = trace.at[i], more = trace.more;
      if (kind === "T" || kind === "X" || kind === "L") width(n, numbers.interval(more[at], more[at + 1]), 13);
      else if (kind === "W") width(n, numbers.shown[more[at]], 13);
      else if (kind === "G") width(n, SHORT_AIMS[more[at]], 11.5);
      else if (kind === "E") {
        width(n, `α ${numbers.shown[more[at]]}`, 11.5);
        width(n, `β ${numbers.shown[more[at + 1]]}`, 11.5);
      }
    }
  }

  /**
   * The items that are shown, parents first in branch order, and where each is.
   *
   * An item is a node at its first path; the end of a further branch to a shared node (`further`); or a run of
   * branches that are left out (`run`). `way` are branches that must be seen, `current` a node whose children must.
   */
  items(way, current) {
    const { tree } = this;
    const along = new Set(way);
    const onWay = new Set(way.map((b) => tree.owner[b]));
    if (current !== NONE) onWay.add(current);
    let top = tree.root, above = 0;
    if (way.length > DEEP) {
      above = Math.floor((way.length - NEAR) / NEAR) * NEAR; // moves on in leaps, not at every step
      top = tree.owner[way[above]];
    }
    const items = [];
    const stack = [{ node: top, branch: top === tree.root ? NONE : tree.branch[top], parent: null, depth: 0, above }];
    while (stack.length) {
      const item = stack.pop();
      items.push(item);
      item.children = [];
      item.key = item.run ? `run ${item.run[0]}` : `${item.branch}`;
      item.inner = !item.run && tree.kind[item.node] !== TERMINAL;
      if (!item.inner || item.further) continue;
      const n = item.node;
      item.open = !this.closed.has(n) && (this.opened[n] === 1 || onWay.has(n));
      if (!item.open) continue;
      for (const piece of this.pieces(n, along)) {
        const child = { parent: item, depth: item.depth + 1, ...piece };
        if (!piece.run) {
          child.node = tree.child[piece.branch];
          child.further = tree.branch[child.node] !== piece.branch;
        }
        item.children.push(child);
      }
      for (let i = item.children.length - 1; i >= 0; i--) stack.push(item.children[i]);
    }
    this.place(items);
    return items;
  }

  /** The branches of a node that are shown, with runs of those that are not. */
  pieces(n, along) {
    const { tree } = this;
    const begin = tree.first[n], end = tree.first[n + 1];
    if (end - begin <= WIDE) return Array.from({ length: end - begin }, (_, i) => ({ branch: begin + i }));
    const shown = new Set();
    for (let b = begin; b < Math.min(end, begin + START + (this.extra.get(n) ?? 0)); b++) shown.add(b);
    const add = (b) => { for (let k = b - 1; k <= b + 1; k++) if (k >= begin && k < end) shown.add(k); };
    for (const b of along) if (b >= begin && b < end) add(b);
    for (const b of this.pinned ?? []) if (b >= begin && b < end) add(b);
    const pieces = [];
    let next = begin;
    for (const b of [...shown].sort((one, other) => one - other)) {
      if (b > next) pieces.push({ run: [next, b], node: n });
      pieces.push({ branch: b });
      next = b + 1;
    }
    if (next < end) pieces.push({ run: [next, end], node: n });
    return pieces;
  }

  /** How far an item reaches to the left and to the right of its middle. */
  measure(item) {
    const { tree, numbers } = this;
    if (item.run) {
      item.text = `… ${(item.run[1] - item.run[0]).toLocaleString("en")} more`;
      item.ownLeft = item.ownRight = textWidth(item.text, 12) / 2;
      return;
    }
    const n = item.node;
    let half = 0;
    if (item.branch !== NONE && item.parent) {
      item.label = clip(tree.label(item.branch), LONGEST_LABEL);
      const p = tree.probability[item.branch];
      item.p = p === NONE ? "" : numbers.shown[p];
      half = Math.max(textWidth(item.label, 12), textWidth(item.p, 12)) / 2 / LABEL_AT;
    }
    if (item.further) {
      item.text = `↪ ${clip(tree.path(n, 3), LONGEST_REFERENCE)}`;
      item.ownLeft = item.ownRight = Math.max(half, textWidth(item.text, 11) / 2);
    } else if (!item.inner) {
      item.ownLeft = item.ownRight = Math.max(half, 10, textWidth(numbers.shown[tree.utility[n]], 13) / 2);
    } else {
      const branches = tree.first[n + 1] - tree.first[n];
      if (!item.open) {
        const hidden = tree.below[n] - 1;
        item.text = hidden ? `${hidden.toLocaleString("en")} below` : `${branches} below`;
      }
      const text = item.text ? textWidth(item.text, 11) / 2 + 8 : 0;
      item.ownLeft = Math.max(half, RADIUS, text);
      item.ownRight = Math.max(half, RADIUS + 12 + this.roomRight[n], text);
    }
  }

  place(items) {
    for (let i = items.length - 1; i >= 0; i--) {
      const item = items[i];
      this.measure(item);
      item.left = item.ownLeft;
      item.right = item.ownRight;
      const { children } = item;
      if (!children.length) continue;
      let reach = 0;
      for (const child of children) {
        child.offset = reach + child.left;
        reach = child.offset + child.right + BETWEEN;
      }
      reach -= BETWEEN;
      const middle = (children[0].offset + children[children.length - 1].offset) / 2;
      for (const child of children) child.offset -= middle;
      item.left = Math.max(item.left, middle);
      item.right = Math.max(item.right, reach - middle);
    }
    for (const item of items) {
      item.x = item.parent ? item.parent.x + item.offset : 0;
      item.y = item.depth * this.row;
    }
  }
}

/** The least rectangle around some items, with what stands beside and below them. */
function extent(items) {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  for (const item of items) {
    left = Math.min(left, item.x - item.ownLeft);
    right = Math.max(right, item.x + item.ownRight);
    top = Math.min(top, item.y - RADIUS);
    bottom = Math.max(bottom, item.y + RADIUS + (item.inner && item.open ? 4 : 18));
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
