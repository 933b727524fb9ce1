// The search of the site: pages for developers come last, a page comes once, and an excerpt is the
// prose around the word.

var Scorer = {
  score: ([docname, , , , score]) =>
    (/^(contributing|decisions)\/|-results$/.test(docname) ? score - 200 : score),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
const EXCERPT = 240; // letters

{ // searchtools.js has run, and searches when the whole page is there.
  const toText = Search.htmlToText, perform = Search._performSearch;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll("h1, pre, .bd-header-article, .prev-next-footer, .toctree-wrapper, nav")
      .forEach((frame) => frame.remove());
    return toText(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ").trim();
  };
  Search._performSearch = (...query) => {
    const best = new Map(); // by page and title: an entry of the index names a page again
    for (const result of perform(...query)) { // the best comes last
      const key = [result[0], result[1], result[3]].join("\n");
      best.delete(key);
      best.set(key, result);
    }
    return [...best.values()];
  };
  Search.makeSearchSummary = (html, stems, anchor) => {
    const text = Search.htmlToText(html, anchor), lower = text.toLowerCase();
    // The stem of "probability" is "probabl", which is not the beginning of "probabilities".
    const places = [...stems].flatMap((stem) => [stem, stem.slice(0, -1)])
      .map((stem) => lower.indexOf(stem));
    const start = Math.max(0, (places.find((place) => place >= 0) ?? 0) - EXCERPT / 2);
    const summary = document.createElement("p");
    summary.className = "context";
    summary.textContent = text.slice(start, start + EXCERPT)
      .replace(/^\S* /, start ? "… " : "$&")
      .replace(/ \S*$/, start + EXCERPT < text.length ? " …" : "$&");
    return text && summary;
  };
}
