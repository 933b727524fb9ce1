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
