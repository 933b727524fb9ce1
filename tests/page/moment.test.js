"use strict";

const assert = require("node:assert/strict");
const test = require("node:test");
const { Moment, Tree, golden } = require("./load.js");

for (const name of ["ballard.yaml", "shared.yaml", "paying"]) {
  const { data, moments } = golden(name);
  const tree = new Tree(data.tree, data.numbers.shown), { json } = data.numbers;
  const state = (moment) => {
    const { nodes, leaves, cuts } = moment.counts();
    return {
      lower: Array.from(moment.lower, (place) => json[place]),
      upper: Array.from(moment.upper, (place) => json[place]),
      worth: Array.from(moment.lower, (_, n) => [moment.worth_lower[n], moment.worth_upper[n]])
        .map((ends) => ends.map((place) => json[place])),
      visits: Array.from(moment.visits),
      best: Array.from(moment.best, (_, n) => moment.bestBranches(n)),
      open: moment.open.map((i) => moment.node(i + 1)),
      cuts, nodes, leaves,
    };
  };
  for (const trace of data.traces) {
    const expected = moments[trace.name];
    const moment = new Moment(data, tree, trace);

    test(`${name}, ${trace.name}: each step forwards and back is that of the trace`, () => {
      assert.equal(moment.length, expected.length - 1);
      assert.deepEqual(state(moment), expected[0]);
      for (let step = 1; step <= moment.length; step++) {
        moment.seek(step);
        assert.deepEqual(state(moment), expected[step]);
      }
      for (let step = moment.length; step >= 0; step -= 3) {
        moment.seek(step);
        assert.deepEqual(state(moment), expected[step]);
      }
    });

    test(`${name}, ${trace.name}: seek stays within the steps`, () => {
      moment.seek(-5);
      assert.equal(moment.step, 0);
      moment.seek(1e9);
      assert.equal(moment.step, moment.length);
      assert.deepEqual(state(moment), expected[moment.length]);
    });

    test(`${name}, ${trace.name}: the way leads from the root to the step's node`, () => {
      for (let step = 1; step <= moment.length; step++) {
        moment.seek(step);
        let n = tree.root;
        for (const b of moment.way()) {
          assert.equal(tree.owner[b], n);
          n = tree.child[b];
        }
        if (trace.in_order) assert.equal(n, moment.node(step));
      }
    });

    test(`${name}, ${trace.name}: every step has a sentence`, () => {
      for (let step = 0; step <= moment.length; step++) {
        assert.match(moment.sentences(step)[0], /^\S.*\S$/);
      }
    });
  }
}

test("a node has a reason as soon as a cut spares it", () => {
  const { data } = golden("ballard.yaml");
  const moment = new Moment(data, new Tree(data.tree, data.numbers.shown), data.traces[2]); // star1
  const reasons = () => Array.from(moment.visits, (_, n) => moment.reason(n)).filter(Boolean);
  assert.deepEqual(reasons(), []);
  moment.seek(moment.nextCut);
  assert.deepEqual([...new Set(reasons())], ["cut"]);
});

for (const name of ["ballard.yaml", "shared.yaml", "paying"]) {
  const { data } = golden(name), tree = new Tree(data.tree, data.numbers.shown);
  for (const trace of data.traces.filter((one) => one.in_order && one.cutting)) {
    test(`${name}, ${trace.name}: every leaf is visited, or spared by a cut, at one step`, () => {
      const moment = new Moment(data, tree, trace), decided = [];
      for (let found = moment.decision; found; found = moment.decision) {
        assert.ok(found.step > moment.step);
        assert.equal(moment.visits[found.leaf], 0);
        moment.seek(found.step);
        assert.equal(moment.visits[found.leaf] > 0, found.isVisited);
        assert.equal(found.why !== "", found.isVisited);
        decided.push(found);
      }
      moment.seek(moment.length);
      const visited = decided.filter((found) => found.isVisited).length;
      assert.equal(visited, moment.counts().leaves);
      for (const { leaf, isVisited } of decided) {
        assert.equal(moment.visits[leaf] > 0, isVisited);
      }
      assert.equal(new Set(decided.map((found) => found.leaf)).size, decided.length);
    });
  }
}
