"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { Layout, Moment, Tree, clip, extent, golden, textWidth } = require("./load.js");

const { data } = golden("ballard.yaml");
const tree = new Tree(data.tree, data.numbers.shown);

/** Return a tree of one MAX node over leaves. */
function wideTree(leaves) {
  const branches = Array.from({ length: leaves }, (_, i) => i);
  return new Tree({
    kinds: `${"0".repeat(leaves)}1`, branches: [...branches.map(() => 0), leaves],
    children: branches, probabilities: branches.map(() => ""), impossible: [],
    labels: branches.map(() => 0), utilities: [...branches.map(() => 0), -1], estimated: [],
    bounds: {}, notes: {}, branch_notes: {}, order: [leaves, ...branches],
    first_branch: [...branches, -1],
  }, ["1"]);
}

test("a small tree is shown whole, each node once", () => {
  const items = new Layout(tree).items([], -1);
  assert.equal(items.length, tree.count);
  assert.equal(new Set(items.map((item) => item.node)).size, tree.count);
  assert.equal(new Set(items.map((item) => item.key)).size, tree.count);
});

test("no two items of a row overlap", () => {
  const layout = new Layout(tree);
  layout.reserve(new Moment(data, tree, data.traces[2]));
  const rows = new Map();
  for (const item of layout.items([], -1)) {
    rows.set(item.y, [...(rows.get(item.y) ?? []), item]);
  }
  assert.ok(rows.size > 3);
  for (const row of rows.values()) {
    row.sort((one, other) => one.x - other.x);
    for (let i = 1; i < row.length; i++) {
      assert.ok(row[i - 1].x + row[i - 1].ownRight <= row[i].x - row[i].ownLeft);
    }
  }
});

test("a parent is above the middle of its children", () => {
  for (const item of new Layout(tree).items([], -1)) {
    if (!item.children.length) continue;
    const [first, last] = [item.children[0], item.children[item.children.length - 1]];
    assert.ok(Math.abs(item.x - (first.x + last.x) / 2) < 1e-9);
  }
});

test("reserve leaves the moment at its step", () => {
  const moment = new Moment(data, tree, data.traces[5]), layout = new Layout(tree);
  moment.seek(7);
  const lower = Array.from(moment.lower);
  layout.reserve(moment);
  assert.equal(moment.step, 7);
  assert.deepEqual(Array.from(moment.lower), lower);
  assert.ok(layout.roomRight[tree.root] > 0);
});

test("a collapsed node hides what is below it, and the way of the search shows it", () => {
  const layout = new Layout(tree);
  layout.toggle(tree.root, false);
  const [root, ...others] = layout.items([], -1);
  assert.deepEqual(others, []);
  assert.equal(root.text, `${tree.count - 1} below`);
  layout.openSome(1);
  const leaf = tree.order[tree.count - 1], way = [];
  for (let n = leaf; n !== tree.root; n = tree.parent[n]) way.unshift(tree.branch[n]);
  assert.ok(layout.items(way, leaf).some((item) => item.node === leaf));
});

test("a wide node is shown in part, around the way, and on demand with more", () => {
  const layout = new Layout(wideTree(1000));
  const runs = (way = []) => layout.items(way, -1).map((item) => item.run).filter(Boolean);
  assert.deepEqual(runs(), [[12, 1000]]);
  assert.deepEqual(runs([500]), [[12, 499], [502, 1000]]);
  layout.showMore(1000);
  assert.deepEqual(runs(), [[36, 1000]]);
  layout.reveal(700);
  assert.deepEqual(runs(), [[36, 699], [702, 1000]]);
});

test("a shared node is drawn once; further branches refer to it", () => {
  const shared = golden("shared.yaml").data, sharing = new Tree(shared.tree, shared.numbers.shown);
  const items = new Layout(sharing).items([], -1);
  const own = items.filter((item) => !item.further);
  assert.equal(new Set(own.map((item) => item.node)).size, own.length);
  assert.ok(items.some((item) => item.further && item.text.startsWith("↪ ")));
});

test("the extent of items contains them all", () => {
  const items = new Layout(tree).items([], -1), { x, y, width, height } = extent(items);
  for (const item of items) {
    assert.ok(item.x >= x && item.x <= x + width && item.y >= y && item.y <= y + height);
  }
});

test("texts are measured and clipped by character", () => {
  assert.equal(clip("abcdef", 4), "abc…");
  assert.equal(clip("😀😀😀", 3), "😀😀😀");
  assert.ok(textWidth("中文", 10) > textWidth("ab", 10));
});

test("subtrees of different depths are fitted together, and nothing of a row overlaps", () => {
  const uneven = golden("decision.json").data, whole = new Tree(uneven.tree, uneven.numbers.shown);
  const layout = new Layout(whole), moment = new Moment(uneven, whole, uneven.traces[3]);
  layout.reserve(moment);
  const items = layout.items([], -1), rows = new Map();
  for (const item of items) rows.set(item.y, [...(rows.get(item.y) ?? []), item]);
  for (const row of rows.values()) {
    row.sort((one, other) => one.x - other.x);
    for (let i = 1; i < row.length; i++) {
      assert.ok(row[i - 1].x + row[i - 1].ownRight <= row[i].x - row[i].ownLeft);
      assert.ok(row[i - 1].x + row[i - 1].wide <= row[i].x - row[i].wide);
    }
  }
  const { width } = extent(items), deepest = items.filter((item) => item.depth === 4);
  assert.equal(deepest.length, 4);
  const alone = items.reduce((sum, item) => sum + (item.inner ? 0 : item.ownLeft * 2 + 11), 0);
  assert.ok(width < 2 * alone);
});

test("what a branch pays is beside its label, in a stack too", () => {
  const { data: paying } = golden("paying"), whole = new Tree(paying.tree, paying.numbers.shown);
  const texts = new Layout(whole).items([], -1).map((item) => item.texts);
  assert.deepEqual(texts.slice(0, 5), [
    [], ["a", "−3"], ["heads", "0.5", "+1"], ["tails", "0.5", "−2"], ["b", "+1/4"],
  ]);
  assert.ok(texts.some(([text]) => text === "−100,000"));
  assert.equal(whole.payment(-1), "−5");
  const wide = wideTree(60);
  wide.payments = wide.labels.map((_, b) => (b % 2 ? "−1.5" : ""));
  const leaves = new Layout(wide).items([], -1).filter((item) => item.slot !== -1);
  assert.deepEqual(leaves.slice(0, 2).map((item) => item.texts), [[], ["−1.5"]]);
  assert.ok(leaves[1].x > leaves[0].x);
});

test("labels that are only a place are shown where a sibling has a label, or on demand", () => {
  const columns = {
    kinds: "000021", branches: [0, 0, 0, 0, 2, 3], children: [0, 1, 4, 2, 3],
    probabilities: ["", "", "", "", ""], impossible: [], labels: [0, 0, "go", 0, 0], lines: {},
    utilities: [0, 0, 0, 0, -1, -1], estimated: [], bounds: {}, notes: {}, branch_notes: {},
    order: [5, 4, 0, 1, 2, 3], first_branch: [0, 1, 3, 4, 2, -1],
  };
  const layout = new Layout(new Tree(columns, ["1"]));
  const texts = () => layout.items([], -1).map((item) => item.texts);
  assert.deepEqual(texts(), [[], ["go"], [], [], ["#2"], ["#3"]]);
  layout.places = true;
  assert.deepEqual(texts(), [[], ["go"], ["#1"], ["#2"], ["#2"], ["#3"]]);
});

test("a long label is shown in the lines that Python broke it into", () => {
  const { tree: small, numbers } = golden("ballard.yaml").data;
  const label = "Approve the extension of the pier";
  small.labels[small.labels.length - 1] = label;
  small.lines[small.labels.length - 1] = ["Approve the extension", "of the pier"];
  const items = new Layout(new Tree(small, numbers.shown)).items([], -1);
  const found = items.find((item) => item.branch === small.labels.length - 1);
  assert.deepEqual(found.texts, ["Approve the extension", "of the pier"]);
});

test("the leaves of a node of a large tree are stacked, and the stack is as wide as a leaf", () => {
  const items = new Layout(wideTree(60)).items([], -1);
  const leaves = items.filter((item) => item.depth === 1);
  assert.deepEqual(leaves.map((item) => item.slot), leaves.map((_, i) => i));
  for (let i = 1; i < leaves.length; i++) assert.ok(leaves[i].y > leaves[i - 1].y + 22);
  assert.ok(extent(items).width < 150);
  const few = new Layout(wideTree(20)).items([], -1);
  assert.ok(few.every((item) => item.slot === -1));
  assert.ok(extent(few).width > 600);
});
