// The transport of the playground: Python answers in this browser, in a worker.

const MOST_SECONDS = 10; // for one answer, then the worker is ended
let worker, ready, resolveReady, resolveAnswer, show;

function start() {
  worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  ready = new Promise((resolve) => { resolveReady = resolve; });
  worker.onmessage = ({ data }) => {
    if (data.failed) show(`Python could not be loaded: ${data.failed}`);
    else if (data.loaded === 1) show("Starting Python …", 1);
    else if (data.loaded !== undefined) show("Loading Python …", data.loaded);
    else if (data.about) resolveReady(data.about);
    else {
      if (data.ended) restart();
      resolveAnswer(data);
    }
  };
}

function restart() {
  worker.terminate();
  start();
  show("Restarting Python …");
  ready.then(() => show("Ready"));
}

/** Start Python, and return what the page needs once; report how far that is. */
export function open(report) {
  show = report;
  start();
  return ready;
}

/** Return the answer to a question; only one is asked at a time. */
export async function ask(asked) {
  await ready;
  const answer = new Promise((resolve) => { resolveAnswer = resolve; });
  worker.postMessage(asked);
  const timer = setTimeout(() => {
    const message = `no answer within ${MOST_SECONDS} seconds: use the command line for this tree`;
    resolveAnswer({ problems: [{ message }] });
    restart();
  }, MOST_SECONDS * 1000);
  const found = await answer;
  clearTimeout(timer);
  return found;
}
