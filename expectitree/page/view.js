// ---- How each item looks after a step, and what the page says of it.

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
      item.isBest = !item.run && item.parent !== null
        && moment.bestBranches(item.parent.node).includes(item.branch);
    }
    const nodes = items.filter((item) => step && !item.run);
    this.here = nodes.find((item) => item.branch === lastBranch)
      ?? nodes.find((item) => item.node === lastNode && !item.further)
      ?? nodes.reverse().find((item) => item.branch === NONE || this.way.has(item.branch)) ?? null;
  }

  /** Say whether a search left the branch to an item by a cut. */
  isCut(item) {
    if (item.run || item.further || item.branch === NONE || item.parent?.hidden) return false;
    return !this.moment.visits[item.node] && this.moment.skipped[item.node] === CUT_OFF;
  }

  branchClasses(item) {
    const { moment, tree } = this, classes = [];
    if (item.isBest) {
      classes.push(moment.bestBranches(item.parent.node)[0] === item.branch ? "best" : "tie");
    }
    if (this.way.has(item.branch)) classes.push("way");
    if (item.hidden) classes.push("grey");
    const isSkipped = !item.further && !item.run && !moment.visits[item.node]
      && moment.skipped[item.node] === SKIPPED;
    if (tree.impossible.has(item.branch)) classes.push("zero");
    else if (isSkipped) classes.push("passed");
    return classes.join(" ");
  }

  nodeClasses(item) {
    const n = item.node;
    const classes = [this.moment.visits[n] ? "visited" : item.hidden ? "grey" : "waiting"];
    if (this.open.has(n)) classes.push("open");
    if (this.here?.node === n) classes.push("here");
    if (this.page.selected === n) classes.push("selected");
    if (this.changed === n) classes.push("changed");
    if (this.moment.isExact(n)) classes.push("exact");
    return classes.join(" ");
  }

  /** Return a leaf's utility, or what is known of a node's value. */
  known(n) {
    const { tree, moment } = this;
    if (tree.kind[n] === TERMINAL) {
      if (!moment.visits[n] && !this.page.showAll) return "?";
      return (tree.estimated.has(n) ? "≈ " : "") + tree.numbers[tree.utility[n]];
    }
    const found = moment.interval(n);
    return found === "[-inf, inf]" ? "" : found;
  }

  /** Return alpha and beta of a node that is being searched, or its aim in a walk. */
  window(n) { return this.open.has(n) ? this.moment.window(n) : ["", ""]; }

  /** Return an item in words, for the outline and for the tooltip. */
  words(item) {
    if (item.run) return item.text;
    const { tree, moment } = this, n = item.node, p = tree.probability[item.branch];
    const odds = p ? ` (p ${p})` : "";
    const branch = item.branch === NONE ? "" : `${tree.label(item.branch)}${odds}: `;
    if (item.further) return `${branch}a further branch to ${tree.path(n, 12)}`;
    const value = this.known(n);
    const leaf = value === "?" ? "leaf, not visited" : `leaf ${value}`;
    const node = tree.kind[n] === TERMINAL ? leaf : `${KIND_NAMES[tree.kind[n]]} ${value}`;
    const [alpha, beta] = this.window(n);
    return [
      branch + node, alpha.replace("α", "alpha"), beta.replace("β", "beta"),
      item.isBest && "best", !item.parent?.hidden && moment.reason(n), item.text,
    ].filter(Boolean).join(", ");
  }
}
