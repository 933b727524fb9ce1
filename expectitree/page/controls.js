// ---- What people do: buttons, keys, pointers, the tree in words.

const PAN = 60; // pixels that a key moves the picture

class Controls {
  constructor(page) {
    this.page = page;
    this.listen();
  }

  listen() {
    const on = (id, event, action) => element(id).addEventListener(event, action);
    const step = (id, action) => on(id, "click", () => { this.page.stop(); action(); });
    step("first", () => this.page.go(0));
    step("back", () => this.page.go(this.page.moment.step - 1));
    step("next", () => this.page.go(this.page.moment.step + 1));
    step("last", () => this.page.go(this.page.moment.length));
    step("next-cut", () => this.page.nextCut());
    on("play", "click", () => this.page.play());
    on("slider", "input", () => { this.page.stop(); this.page.go(Number(element("slider").value)); });
    on("speed", "change", () => { if (this.page.rate) { this.page.stop(); this.page.play(); } });
    on("algorithm", "change", () => this.page.choose(Number(element("algorithm").value)));
    on("show-all", "change", () => { this.page.showAll = element("show-all").checked; this.page.update(); });
    on("follow", "change", () => { this.page.following = element("follow").checked; this.page.update(); });
    on("fit", "click", () => this.page.fit());
    on("zoom-in", "click", () => this.page.camera.zoom(1.3));
    on("zoom-out", "click", () => this.page.camera.zoom(1 / 1.3));
    on("open-all", "click", () => { this.page.expand(MOST); });
    on("close-some", "click", () => { this.page.expand(Math.min(SOME, Math.max(4, this.page.items.length >> 1))); });
    on("search", "submit", (event) => { event.preventDefault(); this.page.find(element("query").value); });
    on("help-button", "click", () => element("help").showModal());
    on("outline-panel", "toggle", () => { if (element("outline-panel").open) this.page.outline(); });
    this.listenForThemes();
    this.listenToPointers();
    this.listenToOutline();
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => {
      const { x, y, width, height } = this.page.camera;
      this.page.camera.size();
      this.page.camera.x = x + (width - this.page.camera.width) / 2;
      this.page.camera.y = y + (height - this.page.camera.height) / 2;
      this.page.camera.apply();
    }).observe(this.page.svg);
    addEventListener("beforeprint", () => this.page.print());
    addEventListener("afterprint", () => this.page.printed());
  }

  listenForThemes() {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const set = (is) => {
      document.documentElement.dataset.theme = is ? "dark" : "light";
      element("theme").setAttribute("aria-pressed", String(is));
    };
    set(dark.matches);
    dark.addEventListener("change", () => set(dark.matches));
    element("theme").addEventListener("click", () => set(document.documentElement.dataset.theme !== "dark"));
  }

  listenToPointers() {
    const { svg } = this.page;
    const pointers = new Map();
    let moved = 0;
    const at = (event) => {
      const box = svg.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const middle = () => {
      const all = [...pointers.values()];
      return { x: all.reduce((sum, p) => sum + p.x, 0) / all.length, y: all.reduce((sum, p) => sum + p.y, 0) / all.length };
    };
    const spread = () => {
      const [one, other] = [...pointers.values()];
      return other ? Math.hypot(one.x - other.x, one.y - other.y) : 0;
    };
    svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      if (!pointers.size) moved = 0;
      pointers.set(event.pointerId, at(event));
    });
    svg.addEventListener("pointermove", (event) => {
      if (!pointers.has(event.pointerId)) return;
      const [from, was] = [middle(), spread()];
      pointers.set(event.pointerId, at(event));
      const [to, is] = [middle(), spread()];
      moved += Math.hypot(to.x - from.x, to.y - from.y) + Math.abs(is - was);
      if (moved < 4) return;
      if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragging");
      this.page.camera.pan(to.x - from.x, to.y - from.y);
      if (was && is) this.page.camera.zoom(is / was, to);
    });
    const up = (event) => {
      pointers.delete(event.pointerId);
      if (!pointers.size) svg.classList.remove("dragging");
    };
    svg.addEventListener("pointerup", up);
    svg.addEventListener("pointercancel", up);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.page.camera.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), at(event));
    }, { passive: false });
    const struck = (event) => this.page.item(event.target.closest("[data-key]")?.dataset.key);
    svg.addEventListener("click", (event) => {
      if (moved >= 4) return;
      const item = struck(event);
      if (item) this.page.act(item, event.target.classList.contains("fold"));
      else if (this.page.selected !== NONE) this.page.select(NONE);
    });
    svg.addEventListener("dblclick", (event) => {
      const item = struck(event);
      if (item && item.inner && !item.further && !event.target.classList.contains("fold")) this.page.toggle(item.node, !item.open);
    });
    svg.addEventListener("pointerover", (event) => {
      const group = event.target.closest("[data-key]");
      const item = group && this.page.item(group.dataset.key);
      if (!item) return;
      const title = group.querySelector("title") ?? draw(group, "title");
      const path = item.run ? "" : `${this.page.tree.path(item.node, 40)}\n`;
      title.textContent = path + this.page.view.words(item);
    });
  }

  listenToOutline() {
    const container = element("outline");
    const itemOf = (event) => this.page.item(event.target.closest("[data-key]")?.dataset.key);
    const focus = (item) => {
      if (!item) return;
      for (const row of container.children) {
        row.tabIndex = row.dataset.key === item.key ? 0 : -1;
        if (row.tabIndex === 0) row.focus();
      }
      this.page.outlineKey = item.key;
    };
    container.addEventListener("click", (event) => {
      const item = itemOf(event);
      if (item) this.page.act(item, false);
    });
    container.addEventListener("keydown", (event) => {
      const item = itemOf(event);
      if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
      const { items } = this.page, i = items.indexOf(item), folds = item.inner && !item.further;
      const actions = {
        ArrowDown: () => focus(items[i + 1]),
        ArrowUp: () => focus(items[i - 1]),
        Home: () => focus(items[0]),
        End: () => focus(items[items.length - 1]),
        ArrowRight: () => (folds && !item.open ? this.page.toggle(item.node, true) : focus(item.children[0])),
        ArrowLeft: () => (folds && item.open ? this.page.toggle(item.node, false) : focus(item.parent)),
        Enter: () => this.page.act(item, false),
        " ": () => this.page.act(item, false),
      };
      if (!actions[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      actions[event.key]();
    });
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || element("help").open) return;
    const { target } = event;
    if (target.id === "query") {
      if (event.key === "Escape") target.blur();
      return;
    }
    const isControl = target.matches?.("button, summary, select, input[type=checkbox]");
    if (event.key === " " && isControl) return; // it presses that
    if (target.matches?.("select") && !["?", "/"].includes(event.key)) return;
    if (target.id === "slider" && ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    const click = (id) => () => element(id).click();
    const pans = { ArrowUp: [0, PAN], ArrowDown: [0, -PAN], ...(event.shiftKey && { ArrowLeft: [PAN, 0], ArrowRight: [-PAN, 0] }) };
    if (pans[event.key]) {
      event.preventDefault();
      this.page.camera.pan(...pans[event.key]);
      return;
    }
    const actions = {
      " ": click("next"), ArrowRight: click("next"), ArrowLeft: click("back"), Home: click("first"), End: click("last"),
      p: click("play"), c: click("next-cut"), "+": click("zoom-in"), "=": click("zoom-in"), "-": click("zoom-out"),
      0: click("fit"), "?": click("help-button"), "/": () => { element("query").focus(); element("query").select(); },
      Escape: () => { if (this.page.selected !== NONE) this.page.select(NONE); },
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }
}
