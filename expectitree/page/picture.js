// ---- The picture: an SVG whose elements are made once and changed where they show something new.

const FAR = 0.42; // the scale below which text cannot be read, and is not drawn
const SVG = "http://www.w3.org/2000/svg";
const SHAPES = { // those of expectitree/picture/diagram.py
  [MAX]: `M0,${-HALF}L${HALF},${HALF}H${-HALF}Z`,
  [MIN]: `M0,${HALF}L${HALF},${-HALF}H${-HALF}Z`,
  [CHANCE]: `M${-HALF},0A12,12 0 1 1 ${HALF},0A12,12 0 1 1 ${-HALF},0Z`,
};
const LANES = 4, LANE = 5; // of the curves to shared nodes: pixels from one to the next
const CORNER = 7; // pixels of the round corners of a curve
const BASE = 4.5; // from the middle of a text to its baseline

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
   * @param {Layout} layout
   */
  constructor(svg, layout) {
    this.layout = layout;
    this.tree = layout.tree;
    /** @type {Record<string, Element>} */
    this.layers = {};
    for (const layer of ["curves", "edges", "best", "way", "marks", "nodes", "labels"]) {
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
      Object.values(elements).flat().forEach((element) => element.remove());
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
      elements.texts = [];
    }
    const text = (name, x, y, classes = name) => {
      elements[name] = draw(group, "text", classes);
      put(elements[name], { x, y });
    };
    if (item.run) {
      text("text", 0, BASE, "run");
      return elements;
    }
    if (item.further) {
      elements.curve = draw(layers.curves, "path", "curve");
      put(draw(group, "circle", "end"), { r: 3 });
      text("text", 0, 17, "reference");
      return elements;
    }
    const box = (dx, dy, rx) => ({ x: -dx, y: -dy, width: 2 * dx, height: 2 * dy, rx });
    if (item.inner) {
      put(draw(group, "circle", "halo"), { r: HALF + 7 });
      put(draw(group, "path", "shape"), { d: SHAPES[this.tree.kind[item.node]] });
      text("interval", BESIDE, BASE);
      text("alpha", BESIDE, BASE, "window");
      text("beta", BESIDE, BASE + LINE, "window");
      text("fold", -HALF, HALF + 15);
    } else {
      put(draw(group, "rect", "halo"), box(item.half + 4, BOX + 4, 6));
      put(draw(group, "rect", "shape"), box(item.half, BOX, 3));
      text("interval", 0, BASE, "utility");
    }
    return elements;
  }

  /** Draw the branch to an item: its line, its texts, and whether it was cut. */
  branch(item, elements, view) {
    const { parent, x, y, texts } = item, isStacked = item.slot !== NONE;
    const above = item.inner ? HALF : item.further ? 3 : BOX;
    const top = y - HALF - 13 - item.lines * LINE; // of the texts above an item and its siblings
    const fan = parent ? parent.y + FAN : top - 22, from = parent?.x ?? x;
    const start = [from, isStacked ? y : fan];
    const goal = isStacked ? [x - item.half - item.aside, y] : [x, item.bare ? y - above : top - 2];
    let d = `M${point(from, parent ? parent.y + HALF : fan)}V${round(start[1])}L${point(...goal)}`;
    if (!isStacked && texts.length) d += `M${point(x, top + texts.length * LINE + 2)}`;
    if (!isStacked && !item.bare) d += `V${round(y - above)}`;
    const [dx, dy] = [goal[0] - start[0], goal[1] - start[1]], length = Math.hypot(dx, dy) || 1;
    const stroke = (t) => { // across the branch
      const part = 0.58 + t / length, [px, py] = [start[0] + dx * part, start[1] + dy * part];
      const [aside, ahead] = [(dy / length) * 8, (dx / length) * 8];
      return `M${point(px - aside, py + ahead)}L${point(px + aside, py - ahead)}`;
    };
    put(elements.edge, { d, class: `edge ${view.branchClasses(item)}` });
    const layer = this.layers[view.way.has(item.branch) ? "way" : item.isBest ? "best" : "edges"];
    if (elements.edge.parentNode !== layer) layer.append(elements.edge);
    const isCut = item.isFirstLeft && view.isCut(parent.node);
    const strokes = isCut ? stroke(-2.3) + stroke(2.3) : stroke(0);
    const name = item.isFirstLeft && !isCut ? "probe-mark" : "cut-mark";
    put(elements.mark, { class: name, d: item.isFirstLeft ? strokes : null });
    const isPlayed = item.isBest && view.played.has(item.branch);
    const classes = `label${item.hidden ? " grey" : ""}${isPlayed ? " best" : ""}`;
    elements.texts.forEach((text) => put(text, { text: "" })); // if there were more
    texts.forEach((text, i) => put(elements.texts[i] ??= draw(this.layers.labels, "text"), {
      text, class: classes, x: round(isStacked ? x - item.half - item.aside / 2 - 1 : x),
      y: round(isStacked ? y + BASE : top + i * LINE + 12),
    }));
  }

  /** Draw a node: its looks, its interval, and its window. */
  node(item, elements, view) {
    const n = item.node;
    const classes = `node ${KIND_NAMES[this.tree.kind[n]]} ${view.nodeClasses(item)}`;
    put(elements.group, { class: classes });
    const [alpha, beta] = item.inner ? view.window(n) : [""];
    const up = (Number(Boolean(alpha)) + Number(Boolean(beta))) * (LINE / 2);
    put(elements.interval, { text: view.known(n), y: round(BASE - up) });
    if (!item.inner) return;
    put(elements.alpha, { text: alpha, y: round(BASE - up + LINE) });
    put(elements.beta, { text: beta, y: round(BASE - up + 2 * LINE) });
    put(elements.fold, { text: item.text ? `▸ ${item.text}` : "" });
  }

  /** Draw the end of a further branch to a shared node, and a curve to where that is drawn. */
  reference(item, elements, target, view) {
    put(elements.group, { class: `node further${item.hidden ? " grey" : ""}` });
    put(elements.text, { text: item.text });
    const d = target ? this.curve(item, target) : null;
    put(elements.curve, { class: `curve ${view.branchClasses(item)}`, d });
  }

  /**
   * Return the path of a curve from an item to where its node is drawn: beside the texts of both,
   * and above those of the node's row, in a lane of the node's own if it is one of a few.
   */
  curve(item, target) {
    const { layout } = this, half = BETWEEN / 2, side = target.x < item.x ? -1 : 1;
    const from = item.x + side * (Math.max(item.wide, item.half) + half);
    const to = target.x - Math.max(target.wide, target.ownLeft + target.aside) - half;
    const lane = target.depth * layout.step - HALF - 20 - layout.lines * LINE
      - (target.node % LANES) * LANE;
    const end = target.x - (target.inner ? HALF - 3 : target.half);
    return rounded([
      [item.x, item.y], [from, item.y], [from, lane], [to, lane], [to, target.y], [end, target.y],
    ]);
  }
}

/** Return the path of a line through points, with round corners. */
function rounded(points) {
  const last = points.length - 1;
  const toward = ([x, y], [goalX, goalY]) => { // a point near the first one
    const length = Math.hypot(goalX - x, goalY - y), part = Math.min(0.5, CORNER / (length || 1));
    return point(x + (goalX - x) * part, y + (goalY - y) * part);
  };
  const corners = points.slice(1, last).map((corner, i) => (
    `L${toward(corner, points[i])}Q${point(...corner)} ${toward(corner, points[i + 2])}`
  ));
  return `M${point(...points[0])}${corners.join("")}L${point(...points[last])}`;
}
