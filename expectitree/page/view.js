// ---- How each item looks after a step, and what the page says of it.

/** Return the names of the classes that an element has. */
const classes = (is) => Object.keys(is).filter((name) => is[name]).join(" ");

/** The looks of the items after the step that is shown. */
class View {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.tree = page.tree;
    /** @type {Item | null} the item where the search is */
    this.here = null;
  }

  /**
   * @param {Moment} moment
   * @param {Item[]} items
   */
  update(moment, items) {
    const { step, trace } = moment, lastBranch = step ? trace.branches[step - 1] : null;
    const lastNode = step ? moment.node(step) : NONE;
    this.moment = moment;
    this.way = new Set(moment.way());
    this.open = new Set(moment.open.map((i) => moment.node(i + 1)));
    this.changed = step && "TXVL".includes(trace.kinds[step - 1]) ? lastNode : NONE;
    for (const item of items) {
      item.hidden = item.parent?.hidden ?? false;
      if (item.further) item.hidden ||= this.tree.impossible.has(item.branch);
      else if (!item.run) {
        item.hidden = !moment.visits[item.node] && (item.hidden || moment.skipped[item.node] > 0);
      }
      const left = item.parent && !item.parent.hidden ? this.leftBranch(item.parent.node) : NONE;
      const [first, end] = item.run ?? [item.branch, item.branch + 1];
      item.isFirstLeft = left !== NONE && first <= left && left < end;
      item.isBest = !item.run && item.parent !== null
        && moment.bestBranches(item.parent.node).includes(item.branch);
    }
    this.play(items);
    const nodes = items.filter((item) => step && !item.run);
    this.here = nodes.find((item) => item.branch === lastBranch)
      ?? nodes.find((item) => item.node === lastNode && !item.further)
      ?? nodes.reverse().find((item) => item.branch === NONE || this.way.has(item.branch)) ?? null;
  }

  /** Note which branches optimal play can reach, as picture/content.py does. */
  play(items) {
    const { tree, moment } = this, played = new Set([tree.root]);
    this.played = new Set();
    const below = items.filter((item) => !item.run && item.parent);
    for (const { node, branch, parent } of below.sort((a, b) => b.parent.node - a.parent.node)) {
      const isChosen = tree.kind[parent.node] === CHANCE
        ? !tree.impossible.has(branch) : moment.bestBranches(parent.node)[0] === branch;
      if (isChosen && played.has(parent.node)) {
        played.add(node);
        this.played.add(branch);
      }
    }
  }

  /** Return whether this is the reason why the search did not visit the node of an item. */
  isLeft(item, reason) {
    const { visits, skipped } = this.moment;
    return !item.run && !item.further && !visits[item.node] && skipped[item.node] === reason;
  }

  /** Return whether a node was left by a cut, or only probed. */
  isCut(n) { return this.moment.after[n] !== NONE; }

  /**
   * Return the first branch that a cut of a node left, or a probe of it; NONE if neither did. Where
   * all children were visited, it is the first that is still open.
   */
  leftBranch(n) {
    const { tree, moment } = this, branches = tree.branches(n);
    const isOfCut = (b) => !moment.visits[tree.child[b]]
      && moment.skipped[tree.child[b]] === CUT_OFF && tree.branch[tree.child[b]] === b;
    const left = moment.visits[n] ? branches.find(isOfCut) ?? NONE : NONE;
    if (left !== NONE || !this.isCut(n)) return left;
    const rest = moment.trace.in_order ? branches.slice(moment.after[n]) : branches;
    const isOpen = (b) => !tree.impossible.has(b) && !moment.isExact(tree.child[b]);
    return rest.find(isOpen) ?? branches.find(isOpen) ?? branches[branches.length - 1];
  }

  branchClasses(item) {
    const isZero = this.tree.impossible.has(item.branch);
    const isFirst = item.isBest && this.moment.bestBranches(item.parent.node)[0] === item.branch;
    return classes({
      best: isFirst && this.played.has(item.branch), tie: item.isBest && !isFirst,
      unplayed: isFirst && !this.played.has(item.branch), way: this.way.has(item.branch),
      grey: item.hidden, zero: isZero, passed: !isZero && this.isLeft(item, SKIPPED),
    });
  }

  nodeClasses(item) {
    const n = item.node, isVisited = this.moment.visits[n] > 0;
    return classes({
      visited: isVisited, grey: !isVisited && item.hidden, waiting: !isVisited && !item.hidden,
      open: this.open.has(n), here: this.here?.node === n, selected: this.page.selected === n,
      changed: this.changed === n, exact: this.moment.isExact(n),
    });
  }

  /** Return a leaf's utility, a node's value, or the interval that contains it. */
  known(n) {
    const { tree, moment } = this;
    if (tree.kind[n] === TERMINAL) {
      const utility = (tree.estimated.has(n) ? "est. " : "") + tree.numbers[tree.utility[n]];
      return moment.visits[n] ? utility : this.page.showAll ? `(${utility})` : "?";
    }
    const found = moment.interval(n);
    return found === "[−∞, ∞]" ? "" : found;
  }

  /** Return what a node's first branch is worth, if that differs from the node's value. */
  worth(n) {
    const { tree, moment } = this, isKnown = moment.visits[n] || tree.kind[n] !== TERMINAL;
    const found = isKnown && tree.payment(tree.branch[n]) ? moment.worth(n) : "";
    return found === "[−∞, ∞]" ? "" : found;
  }

  /** Return alpha and beta of a node that is being searched, or its aim in a walk. */
  window(n) { return this.open.has(n) ? this.moment.window(n) : ["", ""]; }

  /** Return an item in words, for the outline and for the tooltip. */
  words(item) {
    if (item.run) return item.text;
    const { tree, moment } = this, n = item.node, p = tree.probability[item.branch];
    const paid = tree.payment(item.branch), worth = this.worth(n);
    const facts = [p && `p ${p}`, paid].filter(Boolean).join(", ");
    const odds = facts ? ` (${facts})` : "";
    const branch = item.branch === NONE ? "" : `${tree.label(item.branch)}${odds}: `;
    if (item.further) return `${branch}a further branch to ${tree.path(n, 12)}`;
    const value = this.known(n);
    const leaf = value === "?" ? "leaf, not visited" : `leaf ${value}`;
    const node = tree.kind[n] === TERMINAL ? leaf : `${KIND_NAMES[tree.kind[n]]} ${value}`;
    const [alpha, beta] = this.window(n);
    return [
      branch + node, worth && `with ${paid} worth ${worth}`,
      alpha.replace("α", "alpha"), beta.replace("β", "beta"),
      item.isBest && "best", !item.parent?.hidden && moment.reason(n), item.text,
    ].filter(Boolean).join(", ");
  }
}
