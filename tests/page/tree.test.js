"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { Tree, golden } = require("./load.js");

const tree = new Tree(golden("ballard.yaml").data.tree, []);
const small = new Tree({ // a MAX node over a chance node, whose leaf has two branches, and a leaf
  kinds: "0031", branches: [0, 0, 2, 2], children: [0, 0, 2, 1], probabilities: ["0", "1", "", ""],
  impossible: [0], labels: ["x", 0, "a/b\\c", 0], utilities: [2, 3, -1, -1], estimated: [],
  bounds: {}, notes: {}, branch_notes: {}, order: [3, 2, 0, 1], first_branch: [0, 3, 2, -1],
}, ["1", "−∞", "0.123457"]);

test("every node is below its parent on its first path", () => {
  for (let n = 0; n < tree.root; n++) {
    assert.equal(tree.target(tree.branch[n]), n);
    assert.equal(tree.owner[tree.branch[n]], tree.parent[n]);
    assert.ok(tree.parent[n] > n);
  }
  assert.equal(tree.target(-1), tree.root);
  assert.equal(tree.below[tree.root], tree.count);
});

test("a path leads to its node", () => {
  for (let n = 0; n < tree.count; n++) assert.deepEqual(tree.find(tree.path(n)), { node: n });
  assert.equal(tree.path(tree.root), "/");
  assert.deepEqual(tree.find(""), { node: tree.root });
});

test("a slash and a backslash in a label are escaped", () => {
  assert.equal(small.path(0), "a\\/b\\\\c/x");
  assert.deepEqual(small.find("a\\/b\\\\c/x"), { node: 0 });
  assert.deepEqual(small.find("a\\/b\\\\c/#2"), { node: 0 }); // the further branch
  assert.deepEqual(small.find("a/b"), { stopped: 3 });
  assert.deepEqual(small.find("#2/x"), { stopped: 1 });
});

test("a long path is shown by its end", () => assert.equal(small.path(0, 1), "…/x"));

test("search finds the next node whose path contains the text", () => {
  assert.equal(small.search("X"), 0);
  assert.equal(small.search("#2"), 1);
  assert.equal(small.search("b"), 2);
  assert.equal(small.search("b", 2), 0);
  assert.equal(small.search("b", 0), 2);
  assert.equal(small.search("nothing"), -1);
});

test("a known value is a number, and an unknown one an interval", () => {
  assert.equal(small.interval(0, 0), "1");
  assert.equal(small.interval(1, 2), "[−∞, 0.123457]");
});
