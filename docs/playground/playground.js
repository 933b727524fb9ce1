// The playground: a text, a view of it, and a link that contains both.

const MOST_SECONDS = 10; // for one answer, then the worker is ended
const PAUSE = 150; // milliseconds without a key before the text is read
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
const WITHOUT_ALGORITHM = ["compare", "replay"];

const get = (id) => document.getElementById(id);
const [text, shown, problems, status] = ["text", "shown", "problems", "status"].map(get);
const [examples, algorithms] = [get("examples"), get("algorithm")];
const tabs = [...document.querySelectorAll("[data-view]")];

const state = { view: "tree", algorithm: "star1" };
let worker, timer, pause, asked = 0, isReady = false;
let note = ""; // shown above the problems until the text changes

function start() {
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  isReady = false;
  worker.onmessage = ({ data }) => {
    if (data.failed) return say(`Python could not be loaded: ${data.failed}`);
    if (data.started) return begin(data.started);
    if (data.id === asked) show(data);
  };
}

function begin({ algorithms: names, examples: trees }) {
  isReady = true;
  say("Ready");
  if (algorithms.options.length === 0) {
    for (const name of names) algorithms.add(new Option(name));
    algorithms.value = state.algorithm;
    for (const [name, tree] of Object.entries(trees)) examples.add(new Option(name, tree));
  }
  ask();
}

function say(message) {
  status.textContent = message;
}

// Ask Python for the view of the text. Only the answer to the last question is shown.
function ask() {
  clearTimeout(timer);
  if (!isReady) return;
  shown.classList.add("old");
  say("Computing …");
  worker.postMessage({ id: ++asked, text: text.value, ...state });
  timer = setTimeout(() => {
    worker.terminate();
    const message = `no answer within ${MOST_SECONDS} seconds: use the command line for this tree`;
    show({ problems: [{ message }] });
    say("Restarting Python …");
    asked += 1;
    start();
  }, MOST_SECONDS * 1000);
}

function show(answer) {
  clearTimeout(timer);
  const found = answer.problems ?? [];
  problems.replaceChildren(...(note ? [{ message: note }, ...found] : found).map(problemItem));
  if (answer.problems) return say("Not a tree yet");
  say(answer.warnings.join(" ") || "Ready");
  shown.classList.remove("old");
  shown.replaceChildren(element(answer));
}

function element(answer) {
  if (answer.text) {
    const pre = document.createElement("pre");
    for (const [piece, style] of answer.text) {
      const span = document.createElement("span");
      span.className = style;
      span.textContent = piece;
      pre.append(span);
    }
    return pre;
  }
  if (answer.svg) {
    const image = new Image();
    image.alt = "The tree as a picture; the view Tree has the same as text";
    image.src = `data:image/svg+xml,${encodeURIComponent(answer.svg)}`;
    return image;
  }
  const frame = document.createElement("iframe");
  frame.title = "A replay of the search";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.srcdoc = answer.page;
  return frame;
}

// A problem with a place is a button that goes there.
function problemItem({ line, column, path, message }) {
  const item = document.createElement("li");
  const where = line ? `line ${line}, column ${column}: ` : "";
  const words = `${where}${path ? `${path}: ` : ""}${message}`;
  if (!line) {
    item.textContent = words;
    return item;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words;
  button.addEventListener("click", () => {
    const before = text.value.split("\n").slice(0, line - 1);
    const place = before.reduce((sum, row) => sum + row.length + 1, 0) + column - 1;
    text.focus();
    text.setSelectionRange(place, place + 1);
  });
  item.append(button);
  return item;
}

function choose(view) {
  state.view = view;
  for (const tab of tabs) tab.setAttribute("aria-selected", String(tab.dataset.view === view));
  get("algorithm-label").hidden = WITHOUT_ALGORITHM.includes(view);
  ask();
}

// Links: #tree=…&view=…&a=…, where the tree is compressed (deflate) and written in base64url.
async function through(stream, bytes) {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

async function link() {
  const packed = await through(
    new CompressionStream("deflate-raw"), new TextEncoder().encode(text.value),
  );
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  const tree = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `#tree=${tree}&view=${state.view}&a=${state.algorithm}`;
}

async function open(hash) {
  const parameters = new URLSearchParams(hash.slice(1));
  const tree = parameters.get("tree");
  if (tree === null) return false;
  try {
    const base64 = tree.replaceAll("-", "+").replaceAll("_", "/");
    const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bytes = await through(new DecompressionStream("deflate-raw"), packed);
    text.value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    note = "the link is damaged: copy it again, whole";
    return false;
  }
  state.algorithm = parameters.get("a") ?? state.algorithm;
  if (algorithms.options.length) algorithms.value = state.algorithm;
  const view = parameters.get("view");
  choose(tabs.some((tab) => tab.dataset.view === view) ? view : "tree");
  return true;
}

text.addEventListener("input", () => {
  clearTimeout(pause);
  note = "";
  pause = setTimeout(ask, PAUSE);
});
for (const tab of tabs) tab.addEventListener("click", () => choose(tab.dataset.view));
algorithms.addEventListener("change", () => {
  state.algorithm = algorithms.value;
  ask();
});
examples.addEventListener("change", () => {
  if (!examples.value) return;
  text.value = examples.value;
  ask();
});
get("share").addEventListener("click", async () => {
  history.replaceState(null, "", await link());
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied");
  } catch {
    say("The link is in the address bar");
  }
});
addEventListener("hashchange", () => open(location.hash));

text.value = FIRST;
start();
if (!(await open(location.hash))) choose("tree");
