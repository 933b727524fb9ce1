// ---- The page: the player, and everything around the picture.

const SPEEDS = [0.5, 1, 2, 4, 10, 40, 200]; // steps per second
const LAST_STEPS = 7; // in the history
const LEAST_SCALE = 0.62, GREATEST_SCALE = 1.7; // of the picture at first
const LEAST_OVERVIEW = 0.1; // its scale after "Expand all"
const PHONE = 500; // pixels of the width of a phone, at most
const PHONE_SCALE = 0.75; // of a tree that is wider
const NARROWER = [48, 24, 12, 6]; // nodes of a wide tree that are shown at first: the most that fit
const HIGHEST_ROW = 170, HIGHEST_OVERVIEW = 560; // pixels of the picture from ply to ply
const PRINTED = 0.6, HIGHEST_PRINTED_ROW = 420; // a printed picture's height, of its width
const SPOKEN = 2; // steps per second above which a screen reader does not read each one

/** @returns {any} */
const element = (id) => document.getElementById(id);
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** Make an element of the page; attributes and children that are missing are left out. */
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter(Boolean));
  return made;
}

/** Replace an element's children, and keep the focus within it. */
function replace(id, children, focusable) {
  const hadFocus = element(id).contains(document.activeElement);
  element(id).replaceChildren(...children);
  if (hadFocus) (focusable ?? element("next")).focus();
}

/** The player of all searches, and what the page shows of the one that is chosen. */
class Page {
  constructor(data) {
    this.data = data;
    this.tree = new Tree(data.tree, data.numbers.shown);
    this.layout = new Layout(this.tree);
    this.svg = element("tree");
    this.picture = new Picture(this.svg, this.layout);
    this.rate = 0; // steps per second while it plays
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    this.camera = new Camera(this.svg, () => still.matches || this.rate > 4);
    this.view = new View(this);
    /** @type {Moment[]} by the place of the search, once it was chosen */
    this.moments = [];
    this.selected = NONE;
    /** @type {Item[]} */
    this.items = [];
    /** @type {string | null} the row of the outline that has the focus */
    this.outlineKey = null;
    this.quiz = new Quiz(this);
    this.controls = new Controls(this);
    this.fill();
    const names = data.traces.map((trace) => trace.about.algorithm);
    this.choose(Math.max(0, names.indexOf(data.first)));
    this.isWide = this.isTooWide;
    this.isNarrow = this.camera.screen.width <= PHONE && this.isWide;
    for (const most of NARROWER) {
      if (!this.isTooWide) break;
      this.layout.openSome(most);
      this.update();
    }
    this.start();
    readAddress(this);
    addEventListener("hashchange", () => readAddress(this));
  }

  get moment() { return this.moments[this.chosen]; }
  get trace() { return this.moment.trace; }
  get showAll() { return element("show-all").checked; }
  get following() { return element("follow").checked; }
  get presenting() { return document.documentElement.classList.contains("presenting"); }

  /** Write what never changes. */
  fill() {
    element("source").textContent = this.data.source;
    for (const speed of SPEEDS) {
      element("speed").append(make("option", { value: speed }, `${speed} / s`));
    }
    element("speed").value = 1;
    const total = (part) => (part.total === undefined ? "" : ` of ${count(part.total)}`);
    const share = (part) => make("td", {}, count(part.visited) + total(part));
    this.data.traces.forEach(({ name, about }, i) => {
      element("algorithm").append(make("option", { value: i }, name));
      element("totals").tBodies[0].append(make(
        "tr", {}, make("th", { scope: "row" }, name), share(about.leaves), share(about.nodes),
        make("td", {}, count(about.cuts)),
      ));
    });
  }

  /** Choose a search by its place; it is shown at a step, by default where it was left. */
  choose(i, step = undefined) {
    this.stop();
    if (i !== this.chosen) this.quiz.start();
    this.chosen = i;
    this.moments[i] ??= new Moment(this.data, this.tree, this.data.traces[i]);
    const { trace, moment } = this;
    const part = `${plural(moment.length, "step")} of ${count(trace.total)}`;
    element("algorithm").value = i;
    element("about-algorithm").textContent = trace.description;
    element("shortened").textContent = moment.length < trace.total
      ? `This page has the first ${part}. ${trace.conclusion}`
      : "";
    [...element("totals").tBodies[0].rows].forEach((row, k) => {
      row.ariaCurrent = String(k === i);
    });
    element("slider").max = moment.length;
    // It takes a line of a small window, so only where a search makes probes.
    element("probe-legend").hidden = !trace.kinds.includes("P");
    this.layout.reserve(moment);
    if (step !== undefined) moment.seek(step);
    this.update();
  }

  /** Whether the items are too wide for the screen if their text can be read. */
  get isTooWide() { return extent(this.items).width * LEAST_SCALE > this.camera.screen.width; }

  /** Show the whole picture at first if its text can be read; else the root and what is near. */
  start() {
    if (this.isNarrow && !this.presenting) {
      this.fit(PHONE_SCALE, PHONE_SCALE, 0);
      this.camera.jump(this.camera.x, extent(this.items).y - HALF); // the tree grows from the top
      if (this.following && this.view.here) this.look(this.view.here);
      this.camera.fitted = () => this.start();
      return;
    }
    const type = this.presenting ? parseFloat(getComputedStyle(document.body).fontSize) / 16 : 1;
    const least = this.presenting ? type * 0.9 : LEAST_SCALE;
    const highest = this.camera.screen.width <= PHONE ? HIGHEST_OVERVIEW : HIGHEST_ROW;
    // A wide tree has room for the nodes that the search expands.
    const [most, row] = this.isWide ? [1, ROW] : [GREATEST_SCALE, highest];
    this.fit(least, most * type, row);
    const { camera } = this, { x, width } = extent(this.items);
    camera.fitted = () => this.start();
    if (width > camera.width) camera.jump(Math.max(x - 16, -camera.width / 2), camera.y);
    if (this.following && this.view.here) this.look(this.view.here);
  }

  /** Begin or end the presentation: large type, and only the tree, the sentence and the player. */
  present(is, fills = true) {
    if (is === this.presenting) return;
    document.documentElement.classList.toggle("presenting", is);
    element("present").setAttribute("aria-pressed", String(is));
    if (is && fills) document.documentElement.requestFullscreen?.().catch(() => {});
    if (!is && document.fullscreenElement) document.exitFullscreen();
    this.start();
    writeAddress(this);
  }

  // ---- The player

  go(step) {
    const before = this.moment.step;
    this.moment.seek(step);
    if (this.moment.step !== before) this.update();
  }

  play() {
    if (this.rate) {
      this.stop();
      return;
    }
    if (this.moment.step === this.moment.length) this.go(0);
    this.setRate(Number(element("speed").value));
    const tick = () => {
      const pause = Math.max(1000 / this.rate, 25); // milliseconds
      this.go(this.moment.step + Math.max(1, Math.round((this.rate * pause) / 1000)));
      if (this.moment.step === this.moment.length) this.stop();
      else this.timer = setTimeout(tick, pause);
    };
    this.timer = setTimeout(tick, 150);
  }

  stop() {
    clearTimeout(this.timer);
    this.setRate(0);
  }

  setRate(rate) {
    this.rate = rate;
    element("play").classList.toggle("playing", rate > 0);
    element("play").querySelector("span").textContent = rate ? "Stop" : "Play";
    element("explanation").setAttribute("aria-live", rate > SPOKEN ? "off" : "polite");
  }

  // ---- What the page shows

  /** Show the step that the search is at. */
  update() {
    const { moment, view } = this;
    this.quiz.ask();
    const way = this.following ? moment.way() : [];
    this.layout.places = element("show-places").checked;
    this.items = this.layout.items(way, this.following && moment.step ? this.current : NONE);
    view.update(moment, this.items);
    this.picture.update(this.items, view);
    const asked = this.quiz.decision && this.itemOf(this.selected);
    if (this.following && view.here) this.look(asked ?? view.here);
    this.explain();
    this.count();
    this.describe();
    this.remember();
    if (element("outline-panel").open) this.outline();
    writeAddress(this);
  }

  /** The node where the search is; before the first step the root. */
  get current() { return this.moment.step ? this.moment.node(this.moment.step) : this.tree.root; }

  /** Keep an item in sight; its parent, its children and the root's best branch if they fit. */
  look(item) {
    const { camera, items } = this, near = [item.parent ?? item, ...item.children.slice(0, WIDE)];
    const best = items.find((other) => other.parent === items[0] && other.isBest);
    const sets = [[item, ...near, items[0], best ?? items[0]], [item, ...near], [item]];
    const boxes = sets.map(extent);
    const fits = ({ width, height }) => width < camera.width - 40 && height < camera.height - 30;
    camera.include(boxes.find(fits) ?? boxes[2]);
  }

  /** Write the sentences of the step, and where the player is. */
  explain() {
    const { moment, trace } = this, { step, length } = moment;
    const [sentence, ...derived] = moment.sentences(step);
    element("sentence").replaceChildren(sentence + (/[.!?]$/.test(sentence) ? "" : "."));
    if (step === trace.total) {
      element("sentence").append(make("span", { class: "conclusion" }, ` ${trace.conclusion}`));
    }
    element("derivation").replaceChildren(...derived.map((line) => make("div", {}, line)));
    const position = `step ${count(step)} of ${count(length)}`;
    element("position").textContent = position;
    element("slider").value = step;
    element("slider").setAttribute("aria-valuetext", position);
    const able = {
      first: step > 0, back: step > 0, next: step < length, last: step < length,
      "next-cut": moment.nextCut > 0,
    };
    for (const [id, is] of Object.entries(able)) {
      element(id).setAttribute("aria-disabled", String(!is));
    }
  }

  /** Write what the search has visited and found so far. */
  count() {
    const { moment, tree, trace } = this, { nodes, leaves, visits, cuts } = moment.counts();
    const rows = [];
    const row = (term, value, rest = "", meter = undefined) => {
      rows.push(make("dt", {}, term), make(
        "dd", {}, make("span", { class: "big" }, value), make("small", {}, rest),
        meter?.max && make("meter", { min: 0, ...meter }),
      ));
    };
    if (trace.about.game) { // its tree is not known as a whole
      row("leaves", count(leaves));
      row("nodes", count(nodes));
    } else {
      const all = count(tree.leaves);
      row("leaves", count(leaves), ` of ${all}; expectiminimax needs all ${all}`,
        { max: tree.leaves, value: leaves, "aria-label": "leaves visited" });
      row("nodes", count(nodes), ` of ${count(tree.count)}`,
        { max: tree.count, value: nodes, "aria-label": "nodes visited" });
    }
    if (visits > nodes) row("again", plural(visits - nodes, "visit"), " to nodes seen before");
    if (trace.cutting) row("cuts", count(cuts));
    const paid = tree.payment(NONE), value = this.view.worth(tree.root);
    row("value", value || this.view.known(tree.root) || "unknown", value && `  (with ${paid})`);
    const [best, ...ties] = moment.bestBranches(tree.root).map((b) => tree.label(b));
    const others = clip(ties.slice(0, 5).join(", "), 60);
    if (best) row("best", clip(best, 40), others && `  (as good: ${others})`);
    element("counts").replaceChildren(...rows);
  }

  /** Describe the node that the user chose, else the one where the search is. */
  describe() {
    const { moment, tree, view } = this, isChosen = this.selected !== NONE;
    const n = isChosen ? this.selected : this.current, kind = tree.kind[n];
    const facts = make("dl", { class: "facts" });
    const fact = (term, value) => {
      if (value) facts.append(make("dt", {}, term), make("dd", {}, value));
    };
    const ends = (places) => places.map((place) => tree.numbers[place]);
    const leaf = tree.estimated.has(n) ? "leaf (cut at the depth limit)" : "leaf";
    fact("kind", kind === TERMINAL ? leaf : KIND_NAMES[kind]);
    fact(kind === TERMINAL ? "utility" : "value", view.known(n) || "[−∞, ∞]");
    const paid = tree.payment(tree.branch[n]);
    fact(`with ${paid}`, view.worth(n));
    if (moment.alpha[n] !== NONE) {
      /** @param {any[]} both */
      const window = (both) => `alpha ${both[0]}, beta ${both[1]}`;
      const name = view.open.has(n) ? "window" : "last window";
      fact(moment.trace.in_order ? name : "window found", window(moment.ends(n)));
      fact(`with ${paid}`, paid && window(ends([moment.worth_alpha[n], moment.worth_beta[n]])));
      fact("narrows", kind === CHANCE && name === "window" && "its value; alpha and beta stay");
    }
    fact("aim", view.open.has(n) && AIMS[moment.aim[n]]);
    fact("best", moment.bestBranches(n).slice(0, 8).map((b) => tree.label(b)).join(", "));
    if (moment.after[n] !== NONE) {
      const spared = moment.spared[n];
      const below = spared ? `; ${plural(spared, "node")} below it not visited` : "";
      fact("cut", `after ${moment.after[n]} of ${tree.branches(n).length}${below}`);
    }
    fact("visits", moment.visits[n] ? String(moment.visits[n]) : moment.reason(n) ?? "none so far");
    if (tree.bounds[n]) fact("bounds", `[${ends(tree.bounds[n]).join(", ")}], given in the tree`);
    if (kind !== TERMINAL && tree.utility[n] !== NONE) {
      fact("estimate", tree.numbers[tree.utility[n]]);
    }
    for (const note of [tree.notes[n], tree.branchNotes[tree.branch[n]]]) {
      const type = note?.includes("\n") ? "long board" : "long";
      if (note) facts.append(make("dd", { class: type }, note));
    }
    const name = n === tree.root ? "root" : tree.path(n, 40);
    const path = make("p", { class: "path" }, `${KIND_MARKS[kind]} ${name}`.trim());
    const button = isChosen && make("button", { type: "button" }, "Show where the search is");
    if (button) button.addEventListener("click", () => this.select(NONE));
    replace("details", [path, facts, button].filter(Boolean), button || null);
    const heading = moment.step ? "Where the search is" : "The root";
    element("details-heading").textContent = isChosen ? "The node you chose" : heading;
  }

  /** Write the last steps. */
  remember() {
    const { moment, trace } = this, rows = [];
    for (let { step } = moment; step > Math.max(0, moment.step - LAST_STEPS); step--) {
      const number = make("span", { class: "number" }, `${step}`);
      const button = make("button", { type: "button" }, number, moment.sentences(step)[0]);
      button.style.paddingLeft = `${0.25 + Math.min(trace.depths[step - 1], 8) * 0.8}em`;
      button.addEventListener("click", () => this.go(step));
      rows.push(make("li", { class: trace.kinds[step - 1] === "C" ? "cut" : undefined }, button));
    }
    replace("history", rows, rows[0]?.querySelector("button"));
  }

  /** Write the items in words, mainly for screen readers. */
  outline() {
    const container = element("outline");
    const focused = container.querySelector(":focus")?.dataset.key ?? null;
    const rows = this.items.map((item) => {
      const row = make("div", {
        role: "treeitem", "aria-level": item.depth + 1, tabindex: -1, "data-key": item.key,
        "aria-selected": !item.run && item.node === this.selected,
        "aria-expanded": item.inner && !item.further ? item.open : undefined,
        "aria-current": item === this.view.here ? "step" : undefined,
        class: item.hidden ? "grey" : undefined,
      }, this.view.words(item));
      row.style.paddingLeft = `${0.2 + Math.min(item.depth, 14) * 0.9}em`;
      return row;
    });
    container.replaceChildren(...rows);
    const kept = focused ?? this.outlineKey;
    const stop = rows.find((row) => row.dataset.key === kept) ?? rows[0];
    stop.tabIndex = 0;
    if (focused !== null) stop.focus();
  }

  // ---- What users do

  /** Expand about so many nodes, those near the root, and collapse the others. */
  expand(most) {
    this.layout.openSome(most);
    this.update();
    this.fit(LEAST_OVERVIEW);
    if (this.view.here) this.look(this.view.here);
  }

  /** Choose a node; NONE chooses none. */
  select(n) {
    this.selected = n;
    this.update();
  }

  /** Return the item that shows a node itself, if any does. */
  itemOf(n) { return this.items.find((item) => item.node === n && !item.further && !item.run); }

  /** Expand or collapse a node, which keeps its place on the screen. */
  toggle(n, open) {
    const before = this.itemOf(n), { camera } = this;
    this.layout.toggle(n, open);
    this.update();
    const after = this.itemOf(n);
    if (before && after) {
      camera.jump(camera.x + after.x - before.x, camera.y + after.y - before.y);
    }
  }

  /** Do what a click on an item means: show more, go to a shared node, expand, or choose. */
  act(item, folds) {
    if (item.run) {
      this.layout.showMore(item.node);
      this.update();
    } else if (item.further) this.show(item.node);
    else if (folds && item.inner) this.toggle(item.node, !item.open);
    else this.select(item.node);
  }

  /** Choose a node and move it into sight. */
  show(n) {
    this.layout.reveal(n);
    this.select(n);
    const item = this.itemOf(n), { camera } = this;
    if (!item) return;
    camera.settle();
    if (camera.scale < LEAST_SCALE) camera.zoom(LEAST_SCALE / camera.scale);
    this.look(item);
  }

  /** Show the node of a path, else the next one whose path contains the text. */
  find(text) {
    const { tree } = this, wanted = text.trim(), exact = tree.find(wanted);
    const n = exact.node ?? tree.search(wanted, this.selected);
    const say = (found) => { element("found").textContent = found; };
    say("");
    if (!wanted) return;
    if (n !== NONE) {
      this.show(n);
      say(tree.path(n, 40) + (exact.node === undefined ? " (Enter: the next one)" : ""));
      return;
    }
    const labels = tree.branches(exact.stopped).slice(0, 8).map((b) => tree.label(b));
    const known = labels.length ? `its branches are ${labels.join(", ")}` : "it is a leaf";
    const path = tree.path(exact.stopped, 40);
    say(`Found nothing. The path exists up to ${path}; ${known}`);
  }

  /** Show the whole picture in the proportions of a sheet of paper. */
  print() {
    const { camera, layout } = this;
    camera.settle();
    this.unprinted = { row: layout.row, x: camera.x, y: camera.y };
    this.spread(extent(this.items).width * PRINTED, HIGHEST_PRINTED_ROW);
    camera.stop();
    const { x, y, width, height } = extent(this.items);
    const box = [x - 6, y - 6, width + 12, height + 12].map(round);
    this.svg.setAttribute("viewBox", box.join(" "));
    this.svg.classList.remove("far");
  }

  printed() {
    this.layout.row = this.unprinted.row;
    this.update();
    this.camera.jump(this.unprinted.x, this.unprinted.y);
  }

  /** Show the whole picture, in rows as far apart as the screen allows. */
  fit(least = LEAST_OVERVIEW / 5, most = GREATEST_SCALE, highest = HIGHEST_OVERVIEW) {
    const { camera } = this;
    camera.size();
    camera.fitted = () => this.fit(least, most, highest);
    this.spread(0, highest);
    const box = extent(this.items), { width, height } = camera.screen;
    const scale = Math.min(width / (box.width + 40), height / (box.height + 20));
    this.spread(height / Math.max(least, Math.min(most, scale)) - 60, highest);
    camera.fit(extent(this.items), least, most);
  }

  /** Spread the rows over a height. */
  spread(height, highest) {
    const plies = Math.max(1, ...this.items.map((item) => (item.slot < 0 ? item.depth : 0)));
    const hanging = Math.max(0, ...this.items.map((item) => item.slot + 1)) * STACK;
    this.layout.row = Math.min(highest, (height - hanging) / plies);
    this.update();
  }
}

/** Return the page's data: JSON, compressed by zlib, in base64. */
async function readData() {
  const bytes = Uint8Array.from(atob(element("data").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(unpacked).json();
}

readData().then((data) => {
  const page = new Page(data);
  const place = (name) => data.traces.findIndex((trace) => trace.name === name);
  /** For tests, and for the browser's console. */
  Object.assign(window, {
    expectitree: {
      page,
      algorithms: data.traces.map((trace) => trace.name),
      choose(name) { page.choose(place(name)); },
      go(step) { page.go(step); },
    },
  });
}, () => { element("sentence").textContent = "This page needs a browser of 2023 or later."; });
