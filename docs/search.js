// The search of the site: pages for developers come last, and excerpts have no breadcrumbs.

var Scorer = {
  score: ([docname, , , , score]) =>
    (/^(contributing|decisions)\/|-results$/.test(docname) ? score - 200 : score),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};

// Before searchtools.js begins to search.
addEventListener("DOMContentLoaded", () => {
  const toText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".bd-header-article, .prev-next-footer, .toctree-wrapper, nav")
      .forEach((frame) => frame.remove());
    return toText(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
  };
});
