// ---- What users do: buttons, keys, pointers, and the outline.

const PAN = 60; // pixels that a key moves the picture
const LIST = /^(ArrowUp|ArrowDown|Page.*|Enter|Escape)$/; // keys that a list always needs
const OWN_KEYS = { // that a control needs when Tab has reached it, and not after a click
  select: /^( |Arrow.*|Home|End|Page.*|Enter|Escape)$/, "#slider": /^(ArrowUp|ArrowDown|Page.*)$/,
  "button, summary, input": /^( |Enter)$/,
};
const DRAG = 4; // pixels from which a pointer drags instead of clicks

/** Connects the page's elements with its actions. */
class Controls {
  /** @param {Page} page */
  constructor(page) {
    this.page = page;
    this.isPointed = false; // whether the focused control was reached by the pointer, or is done
    this.listenToButtons();
    this.listenForThemes();
    this.listenToPointers();
    this.listenToOutline();
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("pointerdown", () => { this.isPointed = true; }, true);
    document.addEventListener("change", ({ target }) => {
      this.isPointed ||= target instanceof HTMLSelectElement; // a choice is done
    });
    document.addEventListener("fullscreenchange", () => {
      if (!document.fullscreenElement) page.present(false);
    });
    new ResizeObserver(() => this.resize()).observe(page.svg);
    addEventListener("beforeprint", () => page.print());
    addEventListener("afterprint", () => page.printed());
  }

  listenToButtons() {
    const { page } = this;
    const on = (event, actions) => {
      for (const [id, action] of Object.entries(actions)) {
        element(id).addEventListener(event, action);
      }
    };
    /** @param {(moment: Moment) => number} target */
    const go = (target) => () => { page.stop(); page.go(target(page.moment)); };
    on("click", {
      first: go(() => 0), last: go((moment) => moment.length),
      back: go((moment) => moment.step - 1), next: go((moment) => moment.step + 1),
      "next-cut": go((moment) => moment.nextCut || moment.step),
      play: () => page.play(), fit: () => page.fit(),
      "zoom-in": () => page.camera.zoom(1.3), "zoom-out": () => page.camera.zoom(1 / 1.3),
      "open-all": () => page.expand(MOST),
      "close-some": () => page.expand(Math.min(SHOWN_FIRST, Math.max(4, page.items.length >> 1))),
      "help-button": () => element("help").showModal(),
      more: () => {
        const isMore = document.querySelector("header").classList.toggle("more");
        element("more").setAttribute("aria-expanded", String(isMore));
      },
      present: () => page.present(!page.presenting),
      yes: () => page.quiz.answer(true), no: () => page.quiz.answer(false),
    });
    on("input", { slider: go(() => Number(element("slider").value)) });
    on("change", {
      speed: () => { if (page.rate) { page.stop(); page.play(); } },
      algorithm: () => page.choose(Number(element("algorithm").value)),
      "show-all": () => page.update(), "show-places": () => page.update(),
      follow: () => page.update(),
      quiz: () => { page.quiz.start(); page.update(); },
    });
    on("submit", {
      search: (event) => { event.preventDefault(); page.find(element("query").value); },
    });
    on("toggle", {
      "outline-panel": () => { if (element("outline-panel").open) page.outline(); },
    });
  }

  listenForThemes() {
    const dark = matchMedia("(prefers-color-scheme: dark)"), { dataset } = document.documentElement;
    const set = (is) => {
      dataset.theme = is ? "dark" : "light";
      element("theme").setAttribute("aria-pressed", String(is));
    };
    set(dark.matches);
    dark.addEventListener("change", () => set(dark.matches));
    element("theme").addEventListener("click", () => set(dataset.theme !== "dark"));
  }

  /** Fit a picture again that was fitted, else keep its middle, when the window changes. */
  resize() {
    const { camera } = this.page, { x, y, width, height, screen } = camera;
    camera.size();
    if (camera.fitted && screen.width !== camera.screen.width) return camera.fitted();
    camera.x = x + (width - camera.width) / 2;
    camera.y = y + (height - camera.height) / 2;
    camera.apply();
  }

  /** One pointer drags the picture, two zoom it; the wheel zooms; clicks choose and expand. */
  listenToPointers() {
    const { page } = this, { svg, camera } = page;
    const pointers = new Map();
    let moved = 0;
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    /** Return the middle of the pointers, and how far they are apart. */
    const grip = () => {
      const [one, other = one] = [...pointers.values()];
      const middle = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
      return { middle, spread: Math.hypot(one.x - other.x, one.y - other.y) };
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      if (!pointers.size) moved = 0;
      pointers.set(event.pointerId, at(event));
    });
    svg.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) return;
      const was = grip();
      pointers.set(event.pointerId, at(event));
      const is = grip(), dx = is.middle.x - was.middle.x, dy = is.middle.y - was.middle.y;
      moved += Math.hypot(dx, dy) + Math.abs(is.spread - was.spread);
      if (moved < DRAG) return;
      if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragging");
      camera.pan(dx, dy);
      if (was.spread && is.spread) camera.zoom(is.spread / was.spread, is.middle);
    });
    const up = (event) => {
      pointers.delete(event.pointerId);
      if (!pointers.size) svg.classList.remove("dragging");
    };
    svg.addEventListener("pointerup", up);
    svg.addEventListener("pointercancel", up);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      camera.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), at(event));
    }, { passive: false });
    const isFold = (event) => event.target.classList.contains("fold");
    svg.addEventListener("click", (event) => {
      if (moved >= DRAG) return;
      const item = this.item(event);
      if (item) page.act(item, isFold(event));
      else if (page.selected !== NONE) page.select(NONE);
    });
    svg.addEventListener("dblclick", (event) => {
      const item = this.item(event);
      if (item?.inner && !item.further && !isFold(event)) page.toggle(item.node, !item.open);
    });
    svg.addEventListener("pointerover", (event) => {
      const item = this.item(event);
      if (!item) return;
      const group = event.target.closest("[data-key]");
      const title = group.querySelector("title") ?? draw(group, "title");
      const path = item.run ? "" : `${page.tree.path(item.node, 40)}\n`;
      title.textContent = path + page.view.words(item);
    });
  }

  /** Return the item of the element where an event is. */
  item(event) {
    const key = event.target.closest("[data-key]")?.dataset.key;
    return this.page.items.find((item) => item.key === key);
  }

  /** The keys of a tree view, as the ARIA practices describe them. */
  listenToOutline() {
    const { page } = this, container = element("outline");
    const focus = (item) => {
      if (!item) return;
      for (const row of container.children) {
        row.tabIndex = row.dataset.key === item.key ? 0 : -1;
        if (row.tabIndex === 0) row.focus();
      }
      page.outlineKey = item.key;
    };
    container.addEventListener("click", (event) => {
      const item = this.item(event);
      if (item) page.act(item, false);
    });
    container.addEventListener("keydown", (event) => {
      const item = this.item(event);
      if (!item || this.isPointed || event.ctrlKey || event.altKey || event.metaKey) return;
      const { items } = page, i = items.indexOf(item), folds = item.inner && !item.further;
      const unfold = (open, next) => () => {
        if (folds && Boolean(item.open) !== open) page.toggle(item.node, open);
        else focus(next);
      };
      run(event, {
        ArrowDown: () => focus(items[i + 1]),
        ArrowUp: () => focus(items[i - 1]),
        Home: () => focus(items[0]),
        End: () => focus(items[items.length - 1]),
        ArrowRight: unfold(true, item.children[0]),
        ArrowLeft: unfold(false, item.parent),
        Enter: () => page.act(item, false),
        " ": () => page.act(item, false),
      });
    });
  }

  /** Run the action of a key, unless a control that was reached by Tab needs the key itself. */
  key(event) {
    if (event.key === "Tab") this.isPointed = false;
    if (event.ctrlKey || event.altKey || event.metaKey || element("help").open) return;
    const { target, key } = event, { page } = this;
    if (target.id === "query") {
      if (key === "Escape") target.blur();
      return;
    }
    const [kind, own] = Object.entries(OWN_KEYS).find(([name]) => target.matches?.(name)) ?? [];
    if (kind && (this.isPointed ? kind === "select" && LIST.test(key) : own.test(key))) return;
    if (kind && this.isPointed) target.blur();
    const click = (id) => () => element(id).click();
    const pan = (x, y) => () => page.camera.pan(x, y);
    run(event, {
      " ": click("next"), ArrowRight: click("next"), ArrowLeft: click("back"),
      Home: click("first"), End: click("last"), p: click("play"), c: click("next-cut"),
      "+": click("zoom-in"), "=": click("zoom-in"), "-": click("zoom-out"), 0: click("fit"),
      q: click("quiz"), y: click("yes"), n: click("no"),
      f: click("present"), "?": click("help-button"), "/": () => element("query").select(),
      Escape: () => (page.selected === NONE ? page.present(false) : page.select(NONE)),
      ArrowUp: pan(0, PAN), ArrowDown: pan(0, -PAN),
      ...(event.shiftKey && { ArrowLeft: pan(PAN, 0), ArrowRight: pan(-PAN, 0) }),
    });
  }
}

/** Run the action of an event's key, if it has one, in place of what the browser does. */
function run(event, actions) {
  if (!Object.hasOwn(actions, event.key)) return;
  event.preventDefault();
  event.stopPropagation();
  actions[event.key]();
}
