// ---- The address: `#search=star2&step=42` names the moment that the page shows.

const PAUSE = 200; // milliseconds without a change before the address is written
const CHOICES = { utilities: "show-all", places: "show-places", follow: "follow", quiz: "quiz" };
const parameters = () => new URLSearchParams(location.hash.slice(1));
let writing = 0; // a timer

/** Show what the address names, if it names a search or a step. */
function readAddress(page) {
  const named = parameters(), names = page.data.traces.map((t) => [t.name, t.about.algorithm]);
  if (!named.has("search") && !named.has("step")) return;
  for (const [name, id] of Object.entries(CHOICES)) {
    element(id).checked = (named.get(name) ?? String(Number(element(id).defaultChecked))) !== "0";
  }
  const place = names.findIndex((known) => known.includes(named.get("search")));
  page.choose(place === NONE ? page.chosen : place, Number(named.get("step")) || 0);
  page.present(named.get("present") === "1", false);
}

/** Write the address when nothing changes any more. A page within another page has none. */
function writeAddress(page) {
  clearTimeout(writing);
  if (location.protocol !== "about:") writing = setTimeout(write, PAUSE);
  function write() {
    const was = parameters(), { name } = page.trace;
    const found = new URLSearchParams({ search: name, step: String(page.moment.step) });
    for (const [choice, id] of Object.entries(CHOICES)) {
      const { checked, defaultChecked } = element(id);
      if (checked !== defaultChecked) found.set(choice, String(Number(checked)));
    }
    if (page.presenting) found.set("present", "1");
    if (String(found) === String(was)) return;
    // The browser's Back returns to the search that was chosen before.
    const isOther = was.has("search") && was.get("search") !== name;
    history[isOther ? "pushState" : "replaceState"](null, "", `#${found}`);
  }
}

