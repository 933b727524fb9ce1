// ---- The page: the player, and everything around the picture.

const SPEEDS = [0.5, 1, 2, 4, 10, 40, 200]; // steps a second
const LAST_STEPS = 7; // that are told of
const LEAST_SCALE = 0.62, GREATEST_SCALE = 1.7; // of the picture at first
const LEAST_OVERVIEW = 0.1; // its scale when everything was expanded
const PRINTED = 0.6, HIGHEST_PRINTED_ROW = 420; // how high the picture is printed, of its width
const SPOKEN = 2; // steps a second, beyond which a screen reader is not told of every one

const element = (id) => document.getElementById(id);
const plural = (count, one, more = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

/** Make an element of the page; its text is put in as text. */
function make(name, text = "", attributes = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

class Page {
  constructor(data) {
    data.gaps = data.skeletons.map((skeleton) => skeleton.split(GAP).length - 1);
    this.data = data;
    this.numbers = new Numbers(data.numbers);
    this.tree = new Tree(data.tree);
    this.layout = new Layout(this.tree, this.numbers);
    this.svg = element("tree");
    this.picture = new Picture(this.svg, this.tree, this.numbers);
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    this.camera = new Camera(this.svg, () => still.matches || this.rate > 4);
    this.view = new View(this);
    this.moments = data.traces.map(() => null);
    this.selected = NONE;
    this.showAll = false;
    this.following = true;
    this.rate = 0; // steps a second while it plays
    this.controls = new Controls(this);
    this.fill();
    const names = data.traces.map((trace) => trace.about.algorithm);
    this.choose(Math.max(0, names.indexOf("star1")));
    this.start();
  }

  get moment() { return this.moments[this.chosen]; }
  get trace() { return this.moment.trace; }

  /** What stands on the page once and for all. */
  fill() {
    const { data } = this;
    element("source").textContent = data.source;
    data.traces.forEach((trace, i) => element("algorithm").append(make("option", trace.name, { value: i })));
    for (const speed of SPEEDS) element("speed").append(make("option", `${speed} / s`, { value: speed }));
    element("speed").value = 1;
    const body = element("totals").tBodies[0];
    for (const { name, about } of data.traces) {
      const row = make("tr");
      row.append(make("th", name, { scope: "row" }));
      row.append(make("td", `${about.leaves.visited.toLocaleString("en")} of ${about.leaves.total.toLocaleString("en")}`));
      row.append(make("td", `${about.nodes.visited.toLocaleString("en")} of ${about.nodes.total.toLocaleString("en")}`));
      row.append(make("td", about.cuts.toLocaleString("en")));
      body.append(row);
    }
  }

  /** Choose a search by its place; its player stands where it was left. */
  choose(i) {
    this.stop();
    this.chosen = i;
    if (!this.moments[i]) {
      const trace = new Trace(this.data, this.data.traces[i], this.tree);
      this.moments[i] = new Moment(this.tree, this.numbers, trace, this.data.exact, this.data.eps);
    }
    element("algorithm").value = i;
    element("about-algorithm").textContent = this.trace.description;
    const short = this.trace.length < this.trace.total;
    element("shortened").textContent = short
      ? `This page has the first ${plural(this.trace.length, "step")} of ${this.trace.total.toLocaleString("en")}. ${this.trace.conclusion}`
      : "";
    Array.from(element("totals").tBodies[0].rows).forEach((row, k) => {
      if (k === i) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    });
    element("slider").max = this.moment.length;
    this.layout.reserve(this.trace);
    this.update();
  }

  /** The picture at first: all of it if that can be read, else the root and what is near. */
  start() {
    this.fit(LEAST_SCALE, GREATEST_SCALE);
    const box = extent(this.items);
    if (box.width * this.camera.scale > this.camera.screen.width) {
      this.camera.x = -this.camera.width / 2;
      this.camera.apply();
    }
  }

  // ---- The player

  go(step) {
    const before = this.moment.step;
    this.moment.seek(step);
    if (this.moment.step !== before) this.update();
  }

  nextCut() {
    const next = this.trace.cuts.find((step) => step > this.moment.step);
    if (next !== undefined) this.go(next);
  }

  play() {
    if (this.rate) return this.stop();
    if (this.moment.step === this.moment.length) this.go(0);
    this.rate = Number(element("speed").value);
    const tick = () => {
      const pause = Math.max(1000 / this.rate, 25);
      this.go(this.moment.step + Math.max(1, Math.round((this.rate * pause) / 1000)));
      if (this.moment.step === this.moment.length) this.stop();
      else this.timer = setTimeout(tick, pause);
    };
    this.timer = setTimeout(tick, 150);
    return this.playing();
  }

  stop() {
    clearTimeout(this.timer);
    this.rate = 0;
    this.playing();
  }

  playing() {
    element("play").classList.toggle("playing", this.rate > 0);
    element("play").querySelector("span").textContent = this.rate ? "Stop" : "Play";
    element("told").setAttribute("aria-live", this.rate > SPOKEN ? "off" : "polite");
  }

  // ---- What is seen

  update() {
    const { moment, view } = this;
    const current = moment.step ? moment.node(moment.step) : NONE;
    this.items = this.layout.items(this.following ? moment.way() : [], this.following ? current : NONE);
    view.near = null;
    view.update(moment, this.items);
    this.picture.update(this.items, view);
    if (this.following && view.here) this.look(view.here);
    this.tell();
    this.count();
    this.describe();
    this.remember();
    if (element("outline-panel").open) this.outline();
  }

  /** Keep an item in sight, with its parent and the middle of its children if there is room. */
  look(item) {
    const near = extent([item, ...(item.parent ? [item.parent] : []), ...item.children.slice(0, WIDE)]);
    const fits = near.width < this.camera.width - 40 && near.height < this.camera.height - 40;
    this.camera.include(fits ? near : extent([item]));
  }

  tell() {
    const { moment, trace } = this;
    const { step } = moment;
    const [sentence, ...derived] = step ? trace.sentences(step) : [trace.opening];
    const told = [document.createTextNode(sentence + (/[.!?]$/.test(sentence) ? "" : "."))];
    if (step === trace.length && step === trace.total) told.push(make("span", ` ${trace.conclusion}`, { class: "conclusion" }));
    element("sentence").replaceChildren(...told);
    element("derivation").replaceChildren(...derived.map((line) => make("div", line)));
    const position = `step ${step.toLocaleString("en")} of ${trace.length.toLocaleString("en")}`;
    element("position").textContent = position;
    element("slider").value = step;
    element("slider").setAttribute("aria-valuetext", position);
    const able = {
      first: step > 0, back: step > 0, next: step < trace.length, last: step < trace.length,
      "next-cut": step < (trace.cuts[trace.cuts.length - 1] ?? 0),
    };
    for (const [id, is] of Object.entries(able)) element(id).setAttribute("aria-disabled", String(!is));
  }

  count() {
    const { moment, tree, trace } = this;
    const meter = (value, max, label) => {
      const made = make("meter", "", { min: 0, max, value, "aria-label": label });
      return made;
    };
    const rows = [];
    const row = (term, value, rest, bar) => {
      const data = make("dd");
      data.append(make("span", value, { class: "big" }), make("small", rest));
      if (bar) data.append(bar);
      rows.push(make("dt", term), data);
    };
    const number = (value) => value.toLocaleString("en");
    row("leaves", number(moment.leavesVisited), ` of ${number(tree.leaves)}; expectiminimax needs all ${number(tree.leaves)}`,
      meter(moment.leavesVisited, tree.leaves, "leaves seen"));
    row("nodes", number(moment.visited), ` of ${number(tree.count)}`, meter(moment.visited, tree.count, "nodes visited"));
    const again = moment.entries - moment.visited;
    if (again) row("again", number(again), ` more visit${again === 1 ? "" : "s"} of nodes seen before`);
    if (trace.cutting) row("cuts", number(moment.cuts), "");
    row("value", this.view.known(tree.root) || "unknown", "");
    const best = moment.bestBranches(tree.root).map((b) => tree.label(b));
    if (best.length) row("best", clip(best[0], 40), best.length > 1 ? `  (as good: ${clip(best.slice(1, 6).join(", "), 60)})` : "");
    element("counts").replaceChildren(...rows);
  }

  /** The node that was chosen, else the one where the search is. */
  describe() {
    const { moment, tree, numbers, view } = this;
    const n = this.selected !== NONE ? this.selected : moment.step ? moment.node(moment.step) : tree.root;
    const kind = tree.kind[n];
    const list = make("dl", "", { class: "facts" });
    const fact = (term, value) => { if (value) list.append(make("dt", term), make("dd", value)); };
    const path = make("p", `${KIND_MARKS[kind]} ${tree.path(n, 40)}`.trim(), { class: "path" });
    fact("kind", kind === TERMINAL ? (tree.estimated.has(n) ? "leaf (cut at the depth limit)" : "leaf") : KIND_NAMES[kind]);
    fact(kind === TERMINAL ? "utility" : moment.isExact(n) ? "value" : "lies in", view.known(n) || "[-inf, inf]");
    if (moment.alpha[n] !== NONE) {
      const ends = [moment.alpha[n], moment.beta[n]].map((end) => numbers.shown[end]);
      const name = view.open.has(n) ? "window" : "last window";
      fact(moment.trace.inOrder ? name : "window found", `alpha ${ends[0]}, beta ${ends[1]}`);
    }
    fact("aim", moment.aim(n, AIMS));
    if (kind === MAX || kind === MIN) fact("best", moment.bestBranches(n).slice(0, 8).map((b) => tree.label(b)).join(", "));
    if (kind !== TERMINAL && isCut(moment.cut[n])) {
      const spared = moment.spared[n];
      const behind = spared ? `; ${plural(spared, "node")} behind it not visited` : "";
      fact("cut", `after ${moment.after[n]} of ${tree.first[n + 1] - tree.first[n]}${behind}`);
    }
    fact("visits", moment.visits[n] ? String(moment.visits[n]) : REASONS[moment.reason[n]] ?? "none so far");
    if (tree.bounds[n]) fact("bounds", `[${tree.bounds[n].map((end) => numbers.shown[end]).join(", ")}], as written`);
    if (kind !== TERMINAL && tree.utility[n] !== NONE) fact("estimate", numbers.shown[tree.utility[n]]);
    for (const note of [tree.notes[n], tree.branchNotes[tree.branch[n]]]) {
      if (note) list.append(make("dd", note, { class: "long" }));
    }
    const buttons = [];
    if (this.selected !== NONE) {
      const button = make("button", "Show where the search is", { type: "button" });
      button.addEventListener("click", () => this.select(NONE));
      buttons.push(button);
    }
    const hadFocus = element("details").contains(document.activeElement);
    element("details").replaceChildren(path, list, ...buttons);
    if (hadFocus) (buttons[0] ?? element("next")).focus();
    const nodeHeading = this.selected !== NONE ? "The node you chose" : moment.step ? "Where the search is" : "The root";
    element("details-heading").textContent = nodeHeading;
  }

  remember() {
    const { moment, trace } = this;
    const rows = [];
    for (let step = moment.step; step > Math.max(0, moment.step - LAST_STEPS); step--) {
      const row = make("li", "", "CK".includes(trace.kinds[step - 1]) ? { class: "cut" } : {});
      const button = make("button", "", { type: "button" });
      button.style.paddingLeft = `${0.25 + Math.min(trace.depth[step - 1], 8) * 0.8}em`;
      button.append(make("span", `${step}`, { class: "number" }), trace.sentences(step)[0]);
      button.addEventListener("click", () => this.go(step));
      row.append(button);
      rows.push(row);
    }
    const hadFocus = element("history").contains(document.activeElement);
    element("history").replaceChildren(...rows);
    if (hadFocus) (rows[0]?.querySelector("button") ?? element("next")).focus();
  }

  /** The items in words, for screen readers above all. */
  outline() {
    const container = element("outline");
    const focused = container.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const kept = focused ?? this.outlineKey;
    const rows = this.items.map((item) => {
      const row = make("div", this.view.words(item), { role: "treeitem", "aria-level": item.depth + 1, tabindex: -1 });
      row.dataset.key = item.key;
      row.style.paddingLeft = `${0.2 + Math.min(item.depth, 14) * 0.9}em`;
      if (item.inner && !item.further) row.setAttribute("aria-expanded", String(Boolean(item.open)));
      row.setAttribute("aria-selected", String(!item.run && item.node === this.selected));
      if (item === this.view.here) row.setAttribute("aria-current", "step");
      if (item.hidden) row.className = "grey";
      return row;
    });
    container.replaceChildren(...rows);
    const stop = rows.find((row) => row.dataset.key === kept) ?? rows[0];
    stop.tabIndex = 0;
    if (focused !== null) stop.focus();
  }

  // ---- What people do

  /** Expand so many nodes, those near the root, and collapse the others. */
  expand(most) {
    this.layout.openSome(most);
    this.update();
    this.fit(LEAST_OVERVIEW);
    if (this.view.here) this.look(this.view.here);
  }

  select(n) {
    this.selected = n;
    this.update();
  }

  item(key) { return this.items.find((item) => item.key === key); }

  /** Open or close a node; the picture stays where that node is. */
  toggle(n, open) {
    const before = this.items.find((item) => item.node === n && !item.further && !item.run);
    this.layout.toggle(n, open);
    const { x, y } = before ?? { x: 0, y: 0 };
    this.update();
    const after = this.items.find((item) => item.node === n && !item.further && !item.run);
    if (before && after) {
      this.camera.stop();
      this.camera.x += after.x - x;
      this.camera.y += after.y - y;
      this.camera.apply();
    }
  }

  /** What was done to an item: a run shows more, a reference leads to its node, a node is chosen. */
  act(item, folds) {
    if (item.run) {
      this.layout.showMore(item.run ? item.node : NONE);
      this.update();
    } else if (item.further) this.show(item.node);
    else if (folds && item.inner) this.toggle(item.node, !item.open);
    else this.select(item.node);
  }

  /** Choose a node and bring it into sight. */
  show(n) {
    this.layout.reveal(n);
    this.select(n);
    const item = this.items.find((found) => found.node === n && !found.further && !found.run);
    if (!item) return;
    this.camera.settle();
    if (this.camera.scale < LEAST_SCALE) this.camera.zoom(LEAST_SCALE / this.camera.scale); // or nobody could read it
    this.camera.settle();
    this.look(item);
  }

  find(text) {
    const say = (words) => { element("found").textContent = words; };
    if (!text.trim()) return say("");
    const exact = this.tree.find(text.trim());
    if (exact.node !== undefined) {
      this.show(exact.node);
      return say(this.tree.path(exact.node, 40));
    }
    const n = this.tree.search(text.trim(), this.selected);
    if (n !== NONE) {
      this.show(n);
      return say(`${this.tree.path(n, 40)} (Enter: the next one)`);
    }
    const known = exact.known.length ? `its branches are ${exact.known.join(", ")}` : "it is a leaf";
    return say(`Found nothing. As far as ${this.tree.path(exact.stopped, 40)} there is a node; ${known}`);
  }

  /** All of the picture, in the proportions of a page. */
  print() {
    const { camera, layout } = this;
    camera.settle();
    this.unprinted = { row: layout.row, x: camera.x, y: camera.y };
    const plies = Math.max(1, ...this.items.map((item) => item.depth));
    layout.row = Math.max(ROW, Math.min(HIGHEST_PRINTED_ROW, (extent(this.items).width * PRINTED) / plies));
    this.update();
    camera.stop();
    const { x, y, width, height } = extent(this.items);
    this.svg.setAttribute("viewBox", [x - 6, y - 6, width + 12, height + 12].map(round).join(" "));
    this.svg.classList.remove("far");
  }

  printed() {
    const { row, x, y } = this.unprinted;
    this.layout.row = row;
    this.update();
    this.camera.stop();
    Object.assign(this.camera, { x, y });
    this.camera.apply();
  }

  /** Show the whole picture, the plies as far apart as the screen is high for it. */
  fit(least, most) {
    const { camera, layout } = this;
    camera.size();
    const plies = Math.max(1, ...this.items.map((item) => item.depth));
    const scale = Math.max(LEAST_SCALE, Math.min(GREATEST_SCALE, camera.screen.width / (extent(this.items).width + 40)));
    const row = (camera.screen.height / scale - 90) / plies;
    layout.row = Math.max(ROW, Math.min(HIGHEST_ROW, row));
    this.update();
    camera.fit(extent(this.items), least, most);
  }
}

const page = new Page(JSON.parse(element("data").textContent));

/** For tests, and for whoever opens the browser's console. */
window.expectitree = {
  page,
  algorithms: page.data.traces.map((trace) => trace.name),
  choose(algorithm) { page.choose(page.data.traces.findIndex((trace) => trace.name === algorithm)); },
  go(step) { page.go(step); },
  /** What is known at a step, by default the one that is shown. */
  state(step = page.moment.step) {
    page.go(step);
    return page.moment.state();
  },
  sentences(step) { return step ? page.trace.sentences(step) : [page.trace.opening]; },
};
