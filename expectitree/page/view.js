// ---- What is seen of a moment: how each item looks, and what is said of it.

/** What is seen of a moment: how each item looks, and what stands beside it. */
class View {
  constructor(page) {
    Object.assign(this, { page, tree: page.tree, numbers: page.numbers });
  }

  update(moment, items) {
    this.moment = moment;
    moment.explain();
    this.way = new Set(moment.way());
    this.open = new Set(moment.open.map((i) => moment.node(i + 1)));
    this.last = moment.step ? moment.trace.kinds[moment.step - 1] : "";
    const lastBranch = moment.step ? moment.trace.branches[moment.step - 1] : null;
    const lastNode = moment.step ? moment.node(moment.step) : NONE;
    this.here = null;
    this.first = new Map(); // player -> its first best branch
    for (const item of items) {
      const n = item.node;
      const above = item.parent?.hidden ?? false;
      if (item.run) item.hidden = above;
      else if (item.further) item.hidden = above || moment.isImpossible(item.branch);
      else {
        const reason = moment.reason[n];
        item.hidden = !moment.visits[n] && (above || (reason !== VISITED && reason !== WAITING));
      }
      item.isBest = !item.run && item.parent !== null && moment.isBest(item.parent.node, item.branch);
      if (item.isBest && !this.first.has(item.parent.node)) this.first.set(item.parent.node, item.branch);
      if (!item.run && (item.branch === lastBranch || (n === lastNode && !item.further && !this.here))) this.here = item;
      else if (!item.run && !this.here && (this.way.has(item.branch) || item.branch === NONE) && moment.step) this.near = item;
    }
    if (!this.here && moment.step) this.here = this.near ?? null;
    this.changed = "TXVWL".includes(this.last || "-") ? lastNode : NONE;
  }

  isHidden(item) { return item.hidden; }

  isCut(item) {
    if (item.run || item.further || item.branch === NONE || item.parent?.hidden) return false;
    return this.moment.reason[item.node] === CUT_OFF;
  }

  branchClasses(item) {
    const classes = [];
    if (item.isBest) classes.push(this.first.get(item.parent.node) === item.branch ? "best" : "tie");
    if (!item.run && this.way.has(item.branch)) classes.push("way");
    if (item.hidden) classes.push("grey");
    if (item.run || item.branch === NONE) return classes.join(" ");
    if (this.moment.isImpossible(item.branch)) classes.push("zero");
    else if (!item.further && this.moment.reason[item.node] === PASSED_OVER) classes.push("passed");
    return classes.join(" ");
  }

  nodeClasses(item) {
    const n = item.node, classes = [];
    classes.push(this.moment.visits[n] ? "visited" : item.hidden ? "grey" : "waiting");
    if (this.open.has(n)) classes.push("open");
    if (this.here && this.here.node === n) classes.push("here");
    if (this.page.selected === n) classes.push("selected");
    if (this.changed === n) classes.push("changed");
    if (this.moment.isExact(n)) classes.push("exact");
    return classes.join(" ");
  }

  /** A leaf's utility, or what is known of a node's value. */
  known(n) {
    const { tree, numbers, moment } = this;
    if (tree.kind[n] === TERMINAL) {
      if (!moment.visits[n] && !this.page.showAll) return "?";
      return (tree.estimated.has(n) ? "≈ " : "") + numbers.shown[tree.utility[n]];
    }
    const [lower, upper] = [moment.lower[n], moment.upper[n]];
    if (numbers.json[lower] === "-inf" && numbers.json[upper] === "inf") return "";
    return numbers.interval(lower, upper);
  }

  /** What is asked of a node that is entered and not yet left: alpha and beta, or the aim of a walk. */
  window(n) {
    if (!this.open.has(n)) return ["", ""];
    if (!this.moment.trace.inOrder) return [this.moment.aim(n, SHORT_AIMS), ""];
    const { shown } = this.numbers;
    return [`α ${shown[this.moment.alpha[n]]}`, `β ${shown[this.moment.beta[n]]}`];
  }

  /** A node in words, for the outline and for whoever points at it. */
  words(item) {
    if (item.run) return item.text;
    const { tree, numbers, moment } = this;
    const n = item.node, kind = tree.kind[n];
    const words = [];
    if (item.branch !== NONE) {
      const p = tree.probability[item.branch];
      words.push(tree.label(item.branch) + (p === NONE ? "" : ` (p ${numbers.shown[p]})`));
    }
    if (item.further) return `${words.join("")}: the node that is ${tree.path(n, 12)} too`;
    const value = this.known(n);
    const what = kind === TERMINAL ? (value === "?" ? "leaf, not seen" : `leaf ${value}`) : `${KIND_NAMES[kind]} ${value}`;
    words.push(words.length ? `: ${what}` : what);
    const [alpha, beta] = this.window(n);
    if (alpha) words.push(`, ${alpha.replace("α", "alpha")}`);
    if (beta) words.push(`, ${beta.replace("β", "beta")}`);
    if (item.isBest) words.push(", best");
    const reason = REASONS[moment.reason[n]];
    if (reason && !item.parent?.hidden) words.push(`, ${reason}`);
    if (item.text) words.push(`, ${item.text}`);
    return words.join("");
  }
}
