// The transport of `expectitree edit`: the installed Python answers, over HTTP.

const ENDED = "expectitree edit has ended: copy your text if it is not saved, and start it again";

async function post(question, asked = {}) {
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(question, { method: "POST", headers, body: JSON.stringify(asked) });
    return await answer.json();
  } catch {
    return { problems: [{ message: ENDED }] };
  }
}

/** Return what the page needs once: here also the name, the text and the stamp of the file. */
export const open = () => post("open");

export const ask = (asked) => post("ask", asked);

export const save = (text, stamp) => post("save", { text, stamp });

/** Return a text that changes when the file changes. */
export const stamp = async () => (await post("stamp")).stamp;
