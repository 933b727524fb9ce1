// Runs Python. One message in, one message out; the page ends a worker that takes too long.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const python = (async () => {
  const pyodide = await loadPyodide({ indexURL: new URL("./pyodide/", import.meta.url).href });
  const packages = await fetch(new URL("./packages.zip", import.meta.url));
  pyodide.unpackArchive(await packages.arrayBuffer(), "zip", { extractDir: "/packages" });
  pyodide.runPython("import sys; sys.path.insert(0, '/packages')");
  return pyodide.pyimport("answer");
})();

python.then(
  (answer) => postMessage({ started: JSON.parse(answer.start()) }),
  (error) => postMessage({ failed: String(error) }),
);

onmessage = async ({ data }) => {
  const answer = await python;
  try {
    postMessage({ id: data.id, ...JSON.parse(answer.answer(JSON.stringify(data))) });
  } catch (error) {
    // Pyodide cannot be used any more after an error that is not Python's own.
    const ended = error.name !== "PythonError";
    const last = String(error.message ?? error).trim().split("\n").at(-1);
    const message = ended
      ? `the browser's Python failed (${last}): use the command line for this tree`
      : `a defect of expectitree: ${last}`;
    postMessage({ id: data.id, ended, problems: [{ message }] });
  }
};
