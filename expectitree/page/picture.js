// ---- The picture: an SVG whose elements are made once and changed where what they show changes.

const FAR = 0.3; // the scale below which no text can be read, and none is drawn
const SVG = "http://www.w3.org/2000/svg";
const SHAPES = {
  [MAX]: "M0,-15L16,11H-16Z",
  [MIN]: "M0,15L16,-11H-16Z",
  [CHANCE]: "M-14,0A14,14 0 1 1 14,0A14,14 0 1 1 -14,0Z",
  [TERMINAL]: "M-4.5,-4.5H4.5V4.5H-4.5Z",
};
const TOPS = { [MAX]: -15, [MIN]: -11, [CHANCE]: -14, [TERMINAL]: -5 };
const BOTTOMS = { [MAX]: 11, [MIN]: 15, [CHANCE]: 14 };

/** Make an element of the picture within another. */
function draw(parent, name, classes = "") {
  const element = document.createElementNS(SVG, name);
  if (classes) element.setAttribute("class", classes);
  parent.append(element);
  return element;
}

/** Set an attribute, or the text, unless it is so already. */
function put(element, name, value) {
  const was = (element.was ??= {});
  if (was[name] === value) return;
  was[name] = value;
  if (name === "text") element.textContent = value;
  else if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

const round = (value) => Math.round(value * 10) / 10;

class Picture {
  constructor(svg, tree, numbers) {
    Object.assign(this, { svg, tree, numbers });
    this.layers = {};
    for (const layer of ["curves", "edges", "marks", "nodes", "labels"]) this.layers[layer] = draw(svg, "g", layer);
    this.drawn = new Map(); // key of an item -> its elements
  }

  /** Draw the items as `view` sees them; what is not among them any more is taken away. */
  update(items, view) {
    const keys = new Set();
    const places = new Map();
    for (const item of items) {
      keys.add(item.key);
      if (!item.further && !item.run) places.set(item.node, item);
    }
    for (const [key, elements] of this.drawn) {
      if (keys.has(key)) continue;
      Object.values(elements).forEach((element) => element.remove());
      this.drawn.delete(key);
    }
    for (const item of items) {
      const elements = this.drawn.get(item.key) ?? this.create(item);
      this.branch(item, elements, view);
      if (item.run) put(elements.text, "text", item.text);
      else if (item.further) this.reference(item, elements, places.get(item.node), view);
      else this.node(item, elements, view);
    }
  }

  create(item) {
    const { layers } = this;
    const elements = { group: draw(layers.nodes, "g") };
    elements.group.dataset.key = item.key;
    if (item.parent || item.above) {
      elements.edge = draw(layers.edges, "path");
      elements.mark = draw(layers.marks, "path", "cut-mark");
      elements.label = draw(layers.labels, "text", "label");
      elements.p = draw(layers.labels, "text", "p");
    }
    const { group } = elements;
    if (item.run) {
      elements.text = draw(group, "text", "run");
    } else if (item.further) {
      elements.curve = draw(layers.curves, "path", "curve");
      draw(group, "circle", "end").setAttribute("r", "3");
      elements.text = draw(group, "text", "reference");
      put(elements.text, "y", 17);
    } else {
      elements.halo = draw(group, "circle", "halo");
      put(elements.halo, "r", item.inner ? 21 : 12);
      elements.shape = draw(group, "path", "shape");
      put(elements.shape, "d", SHAPES[this.tree.kind[item.node]]);
      if (item.inner) {
        elements.interval = draw(group, "text", "interval");
        elements.alpha = draw(group, "text", "window");
        elements.beta = draw(group, "text", "window");
        elements.fold = draw(group, "text", "fold");
        for (const [text, y] of [[elements.interval, -7], [elements.alpha, 4.5], [elements.beta, 15]]) {
          put(text, "x", RADIUS + 11);
          put(text, "y", y);
        }
        put(elements.fold, "y", 31);
      } else {
        elements.interval = draw(group, "text", "utility");
        put(elements.interval, "y", 20);
      }
    }
    this.drawn.set(item.key, elements);
    return elements;
  }

  /** The branch to an item: a line from its parent, its label and probability, and whether it was cut. */
  branch(item, elements, view) {
    put(elements.group, "transform", `translate(${round(item.x)},${round(item.y)})`);
    if (!elements.edge) return;
    const kind = item.run || item.further ? TERMINAL : this.tree.kind[item.node];
    const [x2, y2] = [item.x, item.y + (item.run ? -12 : item.further ? -3 : TOPS[kind])];
    const [x1, y1] = item.parent
      ? [item.parent.x, item.parent.y + BOTTOMS[this.tree.kind[item.parent.node]]]
      : [item.x, item.y - 48]; // of the node at the top, where others are above it
    put(elements.edge, "d", `M${round(x1)},${round(y1)}L${round(x2)},${round(y2)}`);
    put(elements.edge, "class", `edge ${view.branchClasses(item)}`);
    if (view.isCut(item)) {
      const along = [x2 - x1, y2 - y1], length = Math.hypot(...along) || 1;
      const [ux, uy] = along.map((part) => part / length);
      const stroke = (t) => {
        const [x, y] = [x1 + along[0] * 0.42 + ux * t, y1 + along[1] * 0.42 + uy * t];
        return `M${round(x - uy * 9)},${round(y + ux * 9)}L${round(x + uy * 9)},${round(y - ux * 9)}`;
      };
      put(elements.mark, "d", stroke(-2.5) + stroke(2.5));
    } else put(elements.mark, "d", null);
    const [x, y] = [x1 + (x2 - x1) * LABEL_AT, y1 + (y2 - y1) * LABEL_AT];
    const grey = view.isHidden(item) ? " grey" : "";
    put(elements.label, "text", item.parent ? item.label ?? "" : `… ${item.above.toLocaleString("en")} plies above`);
    put(elements.label, "class", `label${item.branch !== NONE && !this.tree.labels[item.branch] ? " plain" : ""}${grey}`);
    put(elements.p, "text", item.p ?? "");
    put(elements.p, "class", `p${grey}`);
    put(elements.label, "x", round(x));
    put(elements.p, "x", round(x));
    put(elements.label, "y", round(item.p ? y - 3 : y + 3));
    put(elements.p, "y", round(y + 10));
  }

  node(item, elements, view) {
    const n = item.node;
    put(elements.group, "class", `node ${KIND_NAMES[this.tree.kind[n]]} ${view.nodeClasses(item)}`);
    put(elements.interval, "text", view.known(n));
    if (!item.inner) return;
    const [alpha, beta] = view.window(n);
    put(elements.alpha, "text", alpha);
    put(elements.beta, "text", beta);
    put(elements.fold, "text", item.text ? `▸ ${item.text}` : "");
  }

  /** The end of a further branch to a shared node, and a thin curve on to where that is drawn. */
  reference(item, elements, target, view) {
    put(elements.group, "class", `node further${view.isHidden(item) ? " grey" : ""}`);
    put(elements.text, "text", item.text);
    put(elements.curve, "class", `curve ${view.branchClasses(item)}`);
    if (!target) {
      put(elements.curve, "d", null);
      return;
    }
    const side = target.x < item.x ? 1 : -1;
    const [x, y] = [target.x + side * 11, target.y - (target.inner ? 13 : 8)];
    const lift = Math.min(-34, (target.y - item.y) / 2 - 34);
    put(elements.curve, "d", target.y > item.y
      ? `M${round(item.x)},${round(item.y + 3)}C${round(item.x)},${round(item.y + 50)} ${round(x + side * 20)},${round(y - 50)} ${round(x)},${round(y)}`
      : `M${round(item.x - side * 3)},${round(item.y)}C${round(item.x - side * 40)},${round(item.y + lift / 2)} ${round(x + side * 50)},${round(y + lift)} ${round(x)},${round(y)}`);
  }
}

/** What part of the picture is seen: the view box, kept at the proportions of the screen. */
class Camera {
  constructor(svg, still) {
    Object.assign(this, { svg, still });
    this.x = this.y = 0;
    this.scale = 1; // pixels of the screen for one of the picture
    this.size();
  }

  size() {
    const box = this.svg.getBoundingClientRect();
    this.screen = { width: Math.max(50, box.width), height: Math.max(50, box.height) };
  }

  get width() { return this.screen.width / this.scale; }
  get height() { return this.screen.height / this.scale; }

  apply() {
    const box = [this.x, this.y, this.width, this.height].map(round).join(" ");
    this.svg.setAttribute("viewBox", box);
    this.svg.classList.toggle("far", this.scale < FAR);
  }

  /** Show a rectangle as large as it goes, between two scales. */
  fit(box, least = 0.02, most = 2.2) {
    this.stop();
    const margin = 16;
    const scale = Math.min((this.screen.width - 2 * margin) / box.width, (this.screen.height - 2 * margin) / box.height);
    this.scale = Math.max(least, Math.min(most, scale));
    this.x = box.x + box.width / 2 - this.width / 2;
    this.y = scale < this.scale ? box.y - margin / this.scale : box.y + box.height / 2 - this.height / 2;
    this.apply();
  }

  pan(dx, dy) {
    this.stop();
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.apply();
  }

  /** Zoom around a point of the screen, by default the middle. */
  zoom(factor, at = { x: this.screen.width / 2, y: this.screen.height / 2 }) {
    this.stop();
    const scale = Math.max(0.02, Math.min(6, this.scale * factor));
    this.x += at.x / this.scale - at.x / scale;
    this.y += at.y / this.scale - at.y / scale;
    this.scale = scale;
    this.apply();
  }

  /** Move as little as is needed for a rectangle to be seen; where it is too large, for its middle. */
  include(box) {
    const shift = (start, size, from, length) => {
      if (start >= from && start + size <= from + length) return 0;
      const margin = Math.min(length * 0.15, Math.max(0, (length - size) / 2)); // once it moves, by a little more
      if (size > length) return start + size / 2 - length / 2 - from;
      return start < from ? start - margin - from : start + size + margin - from - length;
    };
    const from = this.goal ?? this;
    this.glide(from.x + shift(box.x, box.width, from.x, this.width), from.y + shift(box.y, box.height, from.y, this.height));
  }

  glide(x, y) {
    if (this.still() || Math.hypot(x - this.x, y - this.y) < 1) {
      this.stop();
      Object.assign(this, { x, y });
      this.apply();
      return;
    }
    this.goal = { x, y };
    if (this.frame) return;
    const move = () => {
      this.frame = 0;
      if (!this.goal) return;
      this.x += (this.goal.x - this.x) * 0.25;
      this.y += (this.goal.y - this.y) * 0.25;
      if (Math.hypot(this.goal.x - this.x, this.goal.y - this.y) * this.scale < 0.5) {
        Object.assign(this, this.goal);
        this.goal = null;
      } else this.frame = requestAnimationFrame(move);
      this.apply();
    };
    this.frame = requestAnimationFrame(move);
  }

  /** Be at once where it is gliding to. */
  settle() {
    if (this.goal) Object.assign(this, this.goal);
    this.stop();
    this.apply();
  }

  stop() {
    if (this.frame) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.goal = null;
  }
}
