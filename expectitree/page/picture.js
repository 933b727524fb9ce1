// ---- The picture: an SVG whose elements are made once and changed where they show something new.

const FAR = 0.3; // the scale below which text cannot be read, and is not drawn
const SVG = "http://www.w3.org/2000/svg";
const SHAPES = {
  [MAX]: "M0,-15L16,11H-16Z",
  [MIN]: "M0,15L16,-11H-16Z",
  [CHANCE]: "M-14,0A14,14 0 1 1 14,0A14,14 0 1 1 -14,0Z",
  [TERMINAL]: "M-4.5,-4.5H4.5V4.5H-4.5Z",
};
const TOPS = { [MAX]: -15, [MIN]: -11, [CHANCE]: -14, [TERMINAL]: -5 };
const BOTTOMS = { [MAX]: 11, [MIN]: 15, [CHANCE]: 14 };

const round = (value) => Math.round(value * 10) / 10;
const point = (x, y) => `${round(x)},${round(y)}`;

/** Make an element of the picture within another. */
function draw(parent, name, classes = "") {
  const made = document.createElementNS(SVG, name);
  if (classes) made.setAttribute("class", classes);
  parent.append(made);
  return made;
}

/** Set attributes, or the text, where they are new: most are not, and setting them takes time. */
function put(element, values) {
  const was = (element.was ??= {});
  for (const [name, value] of Object.entries(values)) {
    if (was[name] === value) continue;
    was[name] = value;
    if (name === "text") element.textContent = value;
    else if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

/** The elements of all items that are shown. */
class Picture {
  /**
   * @param {HTMLElement} svg
   * @param {Tree} tree
   */
  constructor(svg, tree) {
    this.tree = tree;
    /** @type {Record<string, Element>} */
    this.layers = {};
    for (const layer of ["curves", "edges", "marks", "nodes", "labels"]) {
      this.layers[layer] = draw(svg, "g", layer);
    }
    this.drawn = new Map(); // key of an item -> its elements
  }

  /**
   * Draw the items, and remove the elements of those that are no longer shown.
   * @param {Item[]} items
   * @param {View} view
   */
  update(items, view) {
    const keys = new Set(items.map((item) => item.key));
    for (const [key, elements] of this.drawn) {
      if (keys.has(key)) continue;
      Object.values(elements).forEach((element) => element.remove());
      this.drawn.delete(key);
    }
    const nodes = items.filter((item) => !item.further && !item.run);
    const places = new Map(nodes.map((item) => [item.node, item]));
    for (const item of items) {
      if (!this.drawn.has(item.key)) this.drawn.set(item.key, this.create(item));
      const elements = this.drawn.get(item.key);
      put(elements.group, { transform: `translate(${point(item.x, item.y)})` });
      if (elements.edge) this.branch(item, elements, view);
      if (item.run) put(elements.text, { text: item.text });
      else if (item.further) this.reference(item, elements, places.get(item.node), view);
      else this.node(item, elements, view);
    }
  }

  /** Make the elements of an item. */
  create(item) {
    const { layers } = this, group = draw(layers.nodes, "g");
    group.dataset.key = item.key;
    const elements = { group };
    if (item.parent || item.above) {
      elements.edge = draw(layers.edges, "path");
      elements.mark = draw(layers.marks, "path", "cut-mark");
      elements.label = draw(layers.labels, "text", "label");
      elements.p = draw(layers.labels, "text", "p");
    }
    const text = (name, x, y, classes = name) => {
      elements[name] = draw(group, "text", classes);
      put(elements[name], { x, y });
    };
    if (item.run) {
      text("text", 0, 0, "run");
      return elements;
    }
    if (item.further) {
      elements.curve = draw(layers.curves, "path", "curve");
      put(draw(group, "circle", "end"), { r: 3 });
      text("text", 0, 17, "reference");
      return elements;
    }
    put(draw(group, "circle", "halo"), { r: item.inner ? 21 : 12 });
    put(draw(group, "path", "shape"), { d: SHAPES[this.tree.kind[item.node]] });
    if (item.inner) {
      text("interval", RADIUS + 11, -7);
      text("alpha", RADIUS + 11, 4.5, "window");
      text("beta", RADIUS + 11, 15, "window");
      text("fold", 0, 31);
    } else text("interval", 0, 20, "utility");
    return elements;
  }

  /** Draw the branch to an item: a line from its parent, its label, and whether it was cut. */
  branch(item, elements, view) {
    const kind = item.run || item.further ? TERMINAL : this.tree.kind[item.node];
    const [x2, y2] = [item.x, item.y + (item.run ? -12 : item.further ? -3 : TOPS[kind])];
    const [x1, y1] = item.parent
      ? [item.parent.x, item.parent.y + BOTTOMS[this.tree.kind[item.parent.node]]]
      : [item.x, item.y - 48]; // of the first item, where plies above it are left out
    const [dx, dy] = [x2 - x1, y2 - y1], length = Math.hypot(dx, dy) || 1;
    const stroke = (t) => { // across the branch
      const [x, y] = [x1 + dx * (0.42 + t / length), y1 + dy * (0.42 + t / length)];
      const [aside, ahead] = [(dy / length) * 9, (dx / length) * 9];
      return `M${point(x - aside, y + ahead)}L${point(x + aside, y - ahead)}`;
    };
    const [x, y] = [x1 + dx * LABEL_AT, y1 + dy * LABEL_AT];
    const grey = item.hidden ? " grey" : "";
    const plain = item.branch !== NONE && !this.tree.labels[item.branch] ? " plain" : "";
    put(elements.edge, {
      d: `M${point(x1, y1)}L${point(x2, y2)}`, class: `edge ${view.branchClasses(item)}`,
    });
    put(elements.mark, { d: view.isCut(item) ? stroke(-2.5) + stroke(2.5) : null });
    put(elements.label, {
      text: item.parent ? item.label ?? "" : `… ${count(item.above)} plies above`,
      class: `label${plain}${grey}`, x: round(x), y: round(item.p ? y - 3 : y + 3),
    });
    put(elements.p, { text: item.p ?? "", class: `p${grey}`, x: round(x), y: round(y + 10) });
  }

  /** Draw a node: its looks, its interval, and its window. */
  node(item, elements, view) {
    const n = item.node;
    const classes = `node ${KIND_NAMES[this.tree.kind[n]]} ${view.nodeClasses(item)}`;
    put(elements.group, { class: classes });
    put(elements.interval, { text: view.known(n) });
    if (!item.inner) return;
    const [alpha, beta] = view.window(n);
    put(elements.alpha, { text: alpha });
    put(elements.beta, { text: beta });
    put(elements.fold, { text: item.text ? `▸ ${item.text}` : "" });
  }

  /** Draw the end of a further branch to a shared node, and a curve to where that is drawn. */
  reference(item, elements, target, view) {
    put(elements.group, { class: `node further${item.hidden ? " grey" : ""}` });
    put(elements.text, { text: item.text });
    const d = target ? this.curve(item, target) : null;
    put(elements.curve, { class: `curve ${view.branchClasses(item)}`, d });
  }

  /** Return the path of a curve from an item to where its node is drawn. */
  curve(item, target) {
    const side = target.x < item.x ? 1 : -1;
    const [x, y] = [target.x + side * 11, target.y - (target.inner ? 13 : 8)];
    const lift = Math.min(-34, (target.y - item.y) / 2 - 34);
    const [start, one, other] = target.y > item.y
      ? [point(item.x, item.y + 3), point(item.x, item.y + 50), point(x + side * 20, y - 50)]
      : [
        point(item.x - side * 3, item.y), point(item.x - side * 40, item.y + lift / 2),
        point(x + side * 50, y + lift),
      ];
    return `M${start}C${one} ${other} ${point(x, y)}`;
  }
}
