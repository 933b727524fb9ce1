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
const ALGORITHM = "star1"; // unless the visitor or a link names another
const MOST_CHARACTERS = 200_000;
const TOO_LONG = `the tree has more than ${MOST_CHARACTERS.toLocaleString("en")} characters, \
the most that the playground takes: use the command line`;
const DAMAGED = "the link is damaged: copy it again, whole";
const PIECE = 1000; // bytes of a link that are unpacked at once, to at most 1 MB

const get = (id) => document.getElementById(id);
const [text, shown, problems, status] = ["text", "shown", "problems", "status"].map(get);
const [examples, algorithms] = [get("examples"), get("algorithm")];
const tabs = [...document.querySelectorAll("[data-view]")];

const dark = matchMedia("(prefers-color-scheme: dark)");
const state = { view: "tree", algorithm: ALGORITHM };
let worker, timer, pause, asked = 0, isReady = false;
let unanswered = 0; // the question that ended Python
let note = ""; // about the last link, shown above the problems until the text changes

function start() {
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  isReady = false;
  worker.onmessage = ({ data }) => {
    if (data.failed) return say(`Python could not be loaded: ${data.failed}`);
    if (data.started) return begin(data.started);
    if (data.id === asked) show(data);
    if (data.ended) restart(data.id);
  };
}

// Python is started again after a question that ended it, which is not asked again.
function restart(id) {
  clearTimeout(timer);
  worker.terminate();
  unanswered = id;
  start();
  say("Restarting Python …");
}

function begin({ algorithms: names, examples: trees }) {
  isReady = true;
  say("Ready");
  if (algorithms.options.length === 0) {
    for (const name of names) algorithms.add(new Option(name));
    chooseAlgorithm(state.algorithm);
    for (const [name, tree] of Object.entries(trees)) examples.add(new Option(name, tree));
  }
  if (asked !== unanswered) ask();
}

function say(message) {
  status.textContent = message;
}

// Ask Python for the view of the text. Only the answer to the last question is shown.
function ask() {
  clearTimeout(timer);
  asked += 1;
  shown.classList.add("old");
  if (text.value.length > MOST_CHARACTERS) return show({ problems: [{ message: TOO_LONG }] });
  if (!isReady) return;
  say("Computing …");
  const theme = dark.matches ? "dark" : "light";
  worker.postMessage({ id: asked, text: text.value, theme, ...state });
  timer = setTimeout(() => {
    const message = `no answer within ${MOST_SECONDS} seconds: use the command line for this tree`;
    show({ problems: [{ message }] });
    restart(asked);
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
  get("algorithm-label").hidden = view === "compare";
  ask();
}

// A name may have any case. The menu is empty, and every name is kept, until Python has started.
function chooseAlgorithm(name) {
  const names = [...algorithms.options].map((option) => option.value);
  const found = name.toLowerCase();
  state.algorithm = names.length === 0 || names.includes(found) ? found : ALGORITHM;
  algorithms.value = state.algorithm;
}

// Links: #tree=…&view=…&a=…, where the tree is compressed (deflate) and written in base64url.
async function link() {
  const stream = new Blob([text.value]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const base64 = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  const tree = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `#tree=${tree}&view=${state.view}&a=${state.algorithm}`;
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

async function open(hash) {
  const parameters = new URLSearchParams(hash.slice(1));
  const tree = parameters.get("tree");
  note = "";
  if (tree !== null) {
    try {
      text.value = await unpack(tree);
      const view = parameters.get("view");
      state.view = tabs.some((tab) => tab.dataset.view === view) ? view : "tree";
      chooseAlgorithm(parameters.get("a") ?? state.algorithm);
    } catch (error) {
      note = error instanceof RangeError ? error.message : DAMAGED;
    }
  }
  choose(state.view);
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
  note = "";
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
dark.addEventListener("change", () => {
  if (state.view === "picture") ask();
});
addEventListener("hashchange", () => open(location.hash));

text.value = FIRST;
start();
open(location.hash);
