// ---- The quiz: will the search visit this leaf? It is asked before each step that decides it.

/** Asks about the next leaf, and keeps the score. */
class Quiz {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.start();
  }

  /** Begin to count. */
  start() {
    this.right = this.asked = 0;
    this.verdict = "";
  }

  /** Ask about the next leaf, which becomes the chosen node. */
  ask() {
    const { page, decision: wasAsked } = this, { moment, tree, trace } = page;
    const canAsk = trace.in_order && trace.cutting, isOn = element("quiz").checked;
    this.decision = isOn && canAsk ? moment.decision : null;
    element("question").hidden = !isOn;
    element("answers").hidden = !this.decision;
    if (this.decision) {
      page.selected = this.decision.leaf;
      page.layout.reveal(page.selected);
    } else if (wasAsked) page.selected = NONE;
    const end = canAsk ? "No leaf is left." : "Choose alphabeta, star1 or star2 for a quiz.";
    element("asked").textContent = this.decision
      ? `Will ${trace.name} visit the leaf ${tree.path(this.decision.leaf, 12)}?` : end;
    element("verdict").textContent = this.verdict;
    element("score").textContent = this.asked ? `${this.right} of ${this.asked} right` : "";
  }

  /** Take an answer, and make the step that decides. */
  answer(isYes) {
    if (!this.decision) return;
    const { leaf, step, isVisited, why } = this.decision;
    this.asked++;
    this.right += Number(isYes === isVisited);
    const verb = isVisited ? "visits" : "does not visit", path = this.page.tree.path(leaf, 12);
    this.verdict = `${isYes === isVisited ? "Right" : "Wrong"}. The search ${verb} ${path}. ${why}`;
    this.page.go(step);
  }
}
