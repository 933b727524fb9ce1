// Runs Python. One message in, one message out; the page ends a worker that takes too long.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const BYTES = 0; // of all that is loaded; the build writes it here
let loaded = 0;

/** Fetch a file and report how much of everything has been loaded. */
async function counted(...request) {
  const answer = await fetchPlainly(...request);
  const count = new TransformStream({
    transform(piece, controller) {
      loaded += piece.length;
      postMessage({ loaded: Math.min(1, loaded / BYTES) });
      controller.enqueue(piece);
    },
  });
  const { status, headers } = answer;
  return new Response(answer.body.pipeThrough(count), { status, headers });
}

const fetchPlainly = self.fetch.bind(self);
self.fetch = counted;

const python = (async () => {
  const [pyodide, packages] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href }),
    counted(new URL("./packages.zip", import.meta.url)).then((answer) => answer.arrayBuffer()),
  ]);
  pyodide.unpackArchive(packages, "zip", { extractDir: "/packages" });
  pyodide.runPython("import sys; sys.path.insert(0, '/packages')");
  return pyodide.pyimport("playground");
})();

python.then(
  (answers) => postMessage({ about: JSON.parse(answers.about()) }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data }) => {
  const answers = await python;
  try {
    postMessage(JSON.parse(answers.answer(JSON.stringify(data))));
  } catch (error) {
    // Pyodide cannot be used any more after an error that is not Python's own.
    const ended = error.name !== "PythonError";
    const last = String(error.message ?? error).trim().split("\n").at(-1);
    const message = ended
      ? `the browser's Python failed (${last}): use the command line for this tree`
      : `a defect of expectitree: ${last}`;
    postMessage({ ended, problems: [{ message }] });
  }
};
