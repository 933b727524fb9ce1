// The editor: a text, a view of it, and a form for a node of the picture. `transport.js` brings the
// answers: from Python in the browser (the playground), or from `expectitree edit`, with a file.
import { TextEditor } from "./text.js";
import * as transport from "./transport.js";

const PAUSE = 150; // milliseconds without a key before the text is read
const WATCH = 1500; // milliseconds between looks at the file
const FIRST = `# A node is a number, or max, min or chance.
title: Order is not enough
max:
  a1:
    chance:
      - {p: 0.9, min: [2, 2]}
      - {p: 0.1, min: [3, 3]}
  a2:
    chance:
      - {p: 0.9, min: [1, 1]}
      - {p: 0.1, min: [4, 4]}
`;
const LEAST_COLUMNS = 40, MOST_COLUMNS = 90; // of a view of text
const MOST_CHARACTERS = 200_000;
const TOO_LONG = `the tree has more than ${MOST_CHARACTERS.toLocaleString("en")} characters, \
the most that this page takes: use the command line`;
const DAMAGED = "the link is damaged: copy it again, whole";
const PIECE = 1000; // bytes of a link that are unpacked at once, to at most 1 MB
const SEARCHED = ["picture", "tree", "replay"]; // views of one search
const KINDS = { TERMINAL: "leaf", MAX: "MAX", MIN: "MIN", CHANCE: "CHANCE" };

const get = (id) => document.getElementById(id);
const [shown, problems, status, form] = ["shown", "problems", "status", "node"].map(get);
const [examples, algorithms] = [get("examples"), get("algorithm")];
const tabs = [...document.querySelectorAll("[data-view]")];

const dark = matchMedia("(prefers-color-scheme: dark)");
const state = { view: "picture", algorithm: "" }; // no algorithm: by the kind of tree
const file = { name: null, saved: FIRST, stamp: "", isSaving: false }; // of `expectitree edit`
let pause, queue = Promise.resolve(), asking = false, wanted = false, isReady = false;
let note = ""; // about the last link, shown above the problems until the text changes
let picture = ""; // the last one, as SVG
let selected = null; // the path of the node in the form
let added = null; // the nodes in the picture before one of them got a child, by path
const places = new Map(); // from a text to the node that was last chosen in it, for undo and redo

const text = new TextEditor(get("text"), FIRST, () => {
  clearTimeout(pause);
  note = "";
  if (selected !== null) selected = places.get(text.value) ?? selected;
  markHistory();
  markUnsaved();
  pause = setTimeout(ask, PAUSE);
});

function make(name, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

/** Say what happens; with a share of what is loaded, or 1 while Python starts. */
function say(message, loaded) {
  const isLoading = loaded < 1;
  status.textContent = message + (isLoading ? ` ${Math.floor(loaded * 100)}%` : "");
  get("progress").hidden = loaded === undefined;
  if (isLoading) get("progress").value = loaded;
  else get("progress").removeAttribute("value");
}

async function begin() {
  const about = await transport.open(say);
  if (about.problems) return show(about);
  isReady = true;
  file.name = about.file ?? null;
  document.body.className = about.file ? "file" : "playground";
  for (const name of about.algorithms) algorithms.add(new Option(name));
  for (const [name, tree] of Object.entries(about.examples ?? {})) {
    examples.add(new Option(name, tree));
  }
  text.keys = about.keys;
  if (file.name) {
    get("heading").textContent = file.name;
    load(about, false);
    setInterval(watch, WATCH);
  }
  chooseAlgorithm(state.algorithm);
  return ask();
}

// ---- Questions. One is asked at a time, and views only of the last text.

function request(asked) {
  queue = queue.then(() => transport.ask({ text: text.value, ...asked }));
  return queue;
}

async function ask() {
  shown.classList.toggle("old", isReady || text.value !== FIRST || state.view !== "picture");
  clearTimeout(pause);
  if (text.value.length > MOST_CHARACTERS) return show({ problems: [{ message: TOO_LONG }] });
  wanted = true;
  if (!isReady || asking) return undefined;
  asking = true;
  while (wanted) {
    wanted = false;
    say("Computing …");
    const width = shown.clientWidth / get("column").getBoundingClientRect().width;
    const columns = Math.max(LEAST_COLUMNS, Math.min(MOST_COLUMNS, Math.floor(width)));
    const answer = await request({ theme: dark.matches ? "dark" : "light", columns, ...state });
    if (!wanted) show(answer);
  }
  asking = false;
  return undefined;
}

function show(answer) {
  const found = answer.problems ?? [];
  problems.replaceChildren(...(note ? [{ message: note }, ...found] : found).map(problemItem));
  text.mark(found);
  if (answer.problems) return say(answer.ended ? "Restarting Python …" : "Not a tree yet");
  say(answer.warnings.join(" ") || "Ready");
  algorithms.value = answer.algorithm;
  for (const tab of tabs) {
    tab.title = answer.idle[tab.dataset.view] ?? "";
    tab.ariaDisabled = String(Boolean(tab.title)); // a click shows why
  }
  picture = answer.svg ?? "";
  get("save-picture").hidden = !picture;
  const place = [shown.scrollLeft, shown.scrollTop], before = placeOfRoot();
  shown.classList.remove("old");
  shown.replaceChildren(element(answer));
  shown.scrollTo(...place);
  const after = placeOfRoot();
  shown.scrollBy(after.x - before.x, after.y - before.y);
  const parent = selected === "/" ? "" : selected;
  const isNew = ([path]) => added && !added.has(path) && parentOf(path) === parent;
  selected = answer.nodes?.find(isNew)?.[0] ?? selected;
  added = null;
  return select(picture ? selected : null);
}

/** Return where the root of the picture is on the screen, or should be: in the middle. */
function placeOfRoot() {
  const { x, y, width, height } = shown.getBoundingClientRect();
  const root = shown.querySelector(".spot[data-path='/']");
  return root?.getBoundingClientRect() ?? { x: x + width / 2, y: y + height / 2 };
}

function element(answer) {
  if (answer.text) {
    const spans = answer.text.map(([textContent, className]) =>
      make("span", { className, textContent }));
    return make("pre", {}, ...spans);
  }
  if (answer.svg) return pictureOf(answer);
  if (answer.note) return make("p", { textContent: answer.note });
  const frame = make("iframe", { title: "A replay of the search", srcdoc: answer.page });
  frame.setAttribute("sandbox", "allow-scripts");
  return frame;
}

/** Return the picture with a button over each node. */
function pictureOf({ svg, size: [width, height], nodes }) {
  const image = make("img", { alt: "The tree as a picture; the view Tree has the same as text" });
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  const spots = nodes.map(([path, name, left, top, right, bottom]) => {
    const spot = make("button", { type: "button", className: "spot", title: name });
    spot.setAttribute("aria-label", `Edit ${name}`);
    spot.dataset.path = path;
    spot.style.left = `${100 * left / width}%`;
    spot.style.top = `${100 * top / height}%`;
    spot.style.width = `${100 * (right - left) / width}%`;
    spot.style.height = `${100 * (bottom - top) / height}%`;
    spot.addEventListener("click", () => select(path, true));
    return spot;
  });
  const made = make("div", { className: "picture" }, image, ...spots);
  made.style.setProperty("--width", width);
  made.style.setProperty("--height", height);
  return made;
}

// A problem with a place is a button that goes there.
function problemItem(problem) {
  const { line, column, path, message } = problem;
  const where = line ? `line ${line}, column ${column}: ` : "";
  const textContent = `${where}${path ? `${path}: ` : ""}${message}`;
  if (!line) return make("li", { textContent });
  const button = make("button", { type: "button", textContent });
  button.addEventListener("click", () => text.goTo(problem));
  return make("li", {}, button);
}

function choose(view) {
  state.view = view;
  for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.view === view));
  get("algorithm-label").hidden = !SEARCHED.includes(view);
  ask();
}

// A name may have any case. The menu is empty, and every name is kept, until Python has started.
function chooseAlgorithm(name) {
  const names = [...algorithms.options].map((option) => option.value);
  const found = name.toLowerCase();
  state.algorithm = names.length === 0 || names.includes(found) ? found : "";
}

/** Call `apply` for a choice in a list: by a click, by Enter, or when the user leaves the list.
 *
 * Arrow keys and letters only pass the choices between.
 */
function onChoice(list, apply) {
  let chosen = list.value, isPassing = false;
  const finish = () => {
    if (list.value === chosen) return;
    chosen = list.value;
    apply();
    chosen = list.value; // which `apply` may have taken back
  };
  list.addEventListener("keydown", ({ key, altKey }) => {
    if (key === "Escape") list.value = chosen;
    if (key === "Enter") finish();
    isPassing = !altKey && key !== "Enter" && key !== " "; // which open the list
  });
  list.addEventListener("pointerdown", () => { isPassing = false; });
  list.addEventListener("change", () => { if (!isPassing) finish(); });
  list.addEventListener("blur", finish);
}

// ---- The form of a node. Each field changes the text at once.

const parentOf = (path) => path.replace(/\/?(?:\\.|[^/\\])*$/, "");

/** Choose a node, and show its form; null chooses none. The focus stays in the form. */
async function select(path, focuses = false) {
  const hasFocus = () => form.contains(document.activeElement);
  if (path === null && hasFocus()) shown.querySelector(".spot.chosen")?.focus();
  selected = path;
  const spots = [...shown.querySelectorAll(".spot")];
  for (const spot of spots) spot.classList.toggle("chosen", spot.dataset.path === path);
  get("hint").hidden = !picture || path !== null;
  if (path === null) {
    form.hidden = true;
    return;
  }
  places.set(text.value, path);
  const { node } = await request({ path });
  if (selected !== path) return;
  if (!node && path !== "/") {
    select(parentOf(path) || "/", focuses); // the node is gone, by an undo or in the text
    return;
  }
  form.hidden = !node;
  if (!node) return;
  if (focuses) text.goTo(node, false);
  const takesFocus = focuses || hasFocus();
  const name = hasFocus() ? document.activeElement.name : "";
  form.replaceChildren(...fields(node));
  if (takesFocus) (form.elements[name] ?? form.elements[0]).focus();
}

function fields({ kind, label, utility, pays: [pay, amount], outcomes = [], value, place }) {
  const field = (name, title, what, now, given = (typed) => typed) => {
    const typed = { defaultValue: now, value: now }; // the second puts the cursor at the end
    const input = make("input", { name, ...typed, autocomplete: "off", spellcheck: false });
    input.addEventListener("change", () => change(what, given(input.value)));
    return make("label", {}, `${title} `, input);
  };
  const button = (textContent, action, name = "") => {
    const made = make("button", { type: "button", textContent, name });
    made.addEventListener("click", action);
    return made;
  };
  const kinds = make("select", { name: "kind" });
  for (const [name, title] of Object.entries(KINDS)) kinds.add(new Option(title, name));
  kinds.value = kind;
  const isLeaf = kind === "TERMINAL", isRoot = label === null;
  const node = isRoot ? "the root" : place;
  const mayRemove = (what) => isLeaf || confirm(`Remove ${what}? Undo brings it back.`);
  onChoice(kinds, () => {
    if (kinds.value !== "TERMINAL") change("kind", kinds.value.toLowerCase());
    else if (mayRemove(`everything below ${node}`)) change("kind", value);
    else kinds.value = kind;
  });
  const ps = () => outcomes.map((_, at) => form.elements[`p${at}`].value.trim());
  return [
    !isRoot && field("label", "Label", "label", label),
    isLeaf && field("utility", "Utility", "utility", utility),
    make("label", {}, "Kind ", kinds),
    !isRoot && field("pay", pay === "cost" ? "Cost" : "Reward", pay, amount),
    ...outcomes.map(([name, p], at) => field(`p${at}`, `p of ${name}`, "p", p, ps)),
    !isLeaf && button("Add a child", () => change("add"), "add"),
    !isRoot && button("Remove", () => {
      if (mayRemove(`${node} and everything below it`)) change("remove");
    }),
    button("Close", () => select(null)),
    make("p", { id: "refused", role: "alert" }),
    make("p", { className: "path", textContent: node }),
  ].filter(Boolean);
}

async function change(what, value = "") {
  const path = selected, parent = parentOf(path), was = text.value;
  const answer = await request({ text: was, path, change: [what, value] });
  if (answer.problems || text.value !== was) {
    const found = answer.problems ?? [{ message: "the text has changed meanwhile: try again" }];
    get("refused").textContent = found.map(({ message }) => message).join("; ");
    return;
  }
  const name = String(value).trim().replace(/[/\\]/g, "\\$&");
  if (what === "label") selected = parent ? `${parent}/${name}` : name;
  if (what === "remove") selected = parent || "/";
  const spots = [...shown.querySelectorAll(".spot")];
  if (what === "add") added = new Set(spots.map((spot) => spot.dataset.path));
  places.set(answer.changed, selected);
  text.replace(answer.changed);
  ask();
}

form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("keydown", ({ key }) => { if (key === "Escape") select(null); });

// ---- Undo and redo, for the whole text.

function markHistory() {
  get("undo").ariaDisabled = !text.canUndo; // not `disabled`, which would drop the focus
  get("redo").ariaDisabled = !text.canRedo;
}

// A field that the user is typing in has an undo of its own.
const isTyping = (field) => field.matches("#node input") && field.value !== field.defaultValue;

// ---- The file of `expectitree edit`.

function load(about, isUndoable = true) {
  file.saved = about.text;
  file.stamp = about.stamp;
  text.replace(about.text, isUndoable);
  get("notice").hidden = true;
  markUnsaved();
}

const isUnsaved = () => text.value !== file.saved;

function markUnsaved() {
  get("unsaved").hidden = !isUnsaved();
  if (!file.name) return;
  get("save").disabled = !isUnsaved();
  document.title = `${isUnsaved() ? "● " : ""}${file.name} - expectitree`;
}

/** Note that the visitor has a copy of the text. */
function keep() {
  file.saved = text.value;
  markUnsaved();
}

async function save() {
  const wrote = text.value;
  file.isSaving = true;
  const answer = await transport.save(wrote, file.stamp);
  file.isSaving = false;
  if (answer.problems) return show(answer);
  if (!answer.saved) return warn(answer.stamp);
  file.saved = wrote;
  file.stamp = answer.stamp;
  markUnsaved();
  return say("Saved");
}

/** Load the file if another program changed it; ask first if there are changes here. */
async function watch() {
  if (document.hidden || file.isSaving) return;
  const was = file.stamp, stamp = await transport.stamp();
  if (stamp === undefined) say("expectitree edit has ended");
  else if (stamp !== was && was === file.stamp && !file.isSaving) {
    if (isUnsaved()) warn(stamp);
    else await reload("Loaded again: another program changed the file");
  }
}

function warn(stamp) {
  get("notice-text").textContent = `Another program changed ${file.name}.`;
  get("notice").hidden = false;
  get("keep").onclick = () => {
    file.stamp = stamp;
    get("notice").hidden = true;
  };
}

async function reload(message) {
  const about = await transport.open();
  if (about.problems) {
    file.stamp = await transport.stamp(); // no file: the text here is all that is left of it
    file.saved = null;
    markUnsaved();
    return show(about);
  }
  load(about);
  return say(message);
}

// ---- Links.

// Links: #tree=…&view=…&a=…, where the tree is compressed (deflate) and written in base64url.
async function link() {
  const stream = new Blob([text.value]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  const tree = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const chosen = state.algorithm && `&a=${state.algorithm}`;
  return `#tree=${tree}&view=${state.view}${chosen}`;
}

// Return the text of a link. A short link can unpack to gigabytes, so it is unpacked in pieces, and
// no further than the playground takes.
async function unpack(tree) {
  const base64 = tree.replaceAll("-", "+").replaceAll("_", "/");
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  let place = 0, found = "";
  const pieces = new ReadableStream({
    pull(controller) {
      if (place < packed.length) controller.enqueue(packed.subarray(place, place += PIECE));
      else controller.close();
    },
  });
  const reader = pieces.pipeThrough(new DecompressionStream("deflate-raw"))
    .pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return found;
    found += value;
    if (found.length > MOST_CHARACTERS) {
      reader.cancel();
      throw new RangeError(TOO_LONG);
    }
  }
}

async function open(hash, isUndoable = true) {
  const parameters = new URLSearchParams(hash.slice(1));
  const tree = parameters.get("tree");
  if (tree !== null) {
    try {
      if (!isReady) shown.replaceChildren(); // the picture is that of another tree
      file.saved = await unpack(tree);
      text.replace(file.saved, isUndoable);
      const view = parameters.get("view");
      state.view = tabs.some((tab) => tab.dataset.view === view) ? view : "picture";
      chooseAlgorithm(parameters.get("a") ?? state.algorithm);
      note = "";
    } catch (error) {
      note = error instanceof RangeError ? error.message : DAMAGED;
    }
  }
  choose(state.view);
}

/** Let the visitor save a text as a file. */
function download(name, type, content) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  make("a", { download: name, href }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

for (const tab of tabs) tab.addEventListener("click", () => choose(tab.dataset.view));
algorithms.addEventListener("change", () => {
  state.algorithm = algorithms.value;
  ask();
});
onChoice(examples, () => {
  if (!examples.value) return;
  file.saved = examples.value;
  text.replace(examples.value);
  select(null);
  ask();
});
get("share").addEventListener("click", async () => {
  history.replaceState(null, "", await link());
  keep();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied");
  } catch {
    say("The link is in the address bar");
  }
});
get("save-text").addEventListener("click", () => {
  const ending = text.value.trimStart().startsWith("{") ? "json" : "yaml";
  download(`tree.${ending}`, "text/plain", text.value);
  keep();
});
get("save-picture").addEventListener("click", () => download("tree.svg", "image/svg+xml", picture));
get("save").addEventListener("click", save);
get("load").addEventListener("click", () => reload("Loaded"));
get("undo").addEventListener("click", () => text.undo());
get("redo").addEventListener("click", () => text.redo());
document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || !(event.ctrlKey || event.metaKey)) return;
  const redo = event.shiftKey ? "z" : "y"; // the key, which with Shift is not that of undo
  const actions = { s: file.name && save, z: () => text.undo(), [redo]: () => text.redo() };
  const key = event.key.toLowerCase(), action = actions[key];
  if (!action || (key !== "s" && isTyping(event.target))) return;
  event.preventDefault();
  action();
});
addEventListener("beforeunload", (event) => {
  if (file.name && isUnsaved()) event.preventDefault();
});
dark.addEventListener("change", () => {
  if (state.view === "picture") ask();
});
addEventListener("hashchange", () => open(location.hash));

markHistory();
open(location.hash, false);
begin();
