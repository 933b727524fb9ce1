// Loads the page's scripts that need no browser, and the golden data that golden.py writes.

const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const vm = require("node:vm");

const folder = join(__dirname, "../../expectitree/page");
const text = ["tree.js", "moment.js", "layout.js"].map((name) => readFileSync(join(folder, name)));
const exported = "({ Tree, Moment, Layout, clip, extent, textWidth })";
const script = `(() => {"use strict";\n${text.join("")}return ${exported};})()`;
const scripts = vm.runInThisContext(script);

/** Return the golden data of a tree, as an object that no other test shares. */
function golden(name) {
  return JSON.parse(readFileSync(process.env.GOLDEN, "utf-8"))[name];
}

module.exports = { ...scripts, golden };
