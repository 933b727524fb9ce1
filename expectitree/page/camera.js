// ---- The camera: which part of the picture is seen.

/** The view box of the picture, in the proportions of the screen. It jumps or glides. */
class Camera {
  /**
   * @param {HTMLElement} svg
   * @param {() => boolean} still whether it must not glide
   */
  constructor(svg, still) {
    this.svg = svg;
    this.still = still;
    this.x = 0;
    this.y = 0;
    this.scale = 1; // pixels of the screen for one of the picture
    /** @type {{x: number, y: number} | null} where it glides to */
    this.goal = null;
    this.frame = 0;
    this.fitted = null; // fits the picture again, until the user moves it
    this.size();
  }

  /** Read the size of the screen. */
  size() {
    const box = this.svg.getBoundingClientRect();
    this.screen = { width: Math.max(50, box.width), height: Math.max(50, box.height) };
  }

  get width() { return this.screen.width / this.scale; }
  get height() { return this.screen.height / this.scale; }

  /** Move there at once. */
  jump(x, y) {
    this.stop();
    this.x = x;
    this.y = y;
    this.apply();
  }

  apply() {
    const box = [this.x, this.y, this.width, this.height].map(round).join(" ");
    this.svg.setAttribute("viewBox", box);
    this.svg.classList.toggle("far", this.scale < FAR);
    this.svg.style.setProperty("--grow", String(round(Math.min(2.2, FAR / this.scale))));
  }

  /** Show a rectangle as large as possible, between two scales. */
  fit(box, least = 0.02, most = 2.2) {
    const { width, height } = this.screen, margin = 16;
    const scale = Math.min((width - 2 * margin) / box.width, (height - 2 * margin) / box.height);
    this.scale = Math.max(least, Math.min(most, scale));
    const top = scale < this.scale
      ? box.y - margin / this.scale
      : box.y + box.height / 2 - this.height / 2;
    this.jump(box.x + box.width / 2 - this.width / 2, top);
  }

  /** Move by so many pixels of the screen. */
  pan(dx, dy) {
    this.fitted = null;
    this.jump(this.x - dx / this.scale, this.y - dy / this.scale);
  }

  /** Zoom around a point of the screen, by default the middle. */
  zoom(factor, at = { x: this.screen.width / 2, y: this.screen.height / 2 }) {
    this.fitted = null;
    const [x, y] = [this.x + at.x / this.scale, this.y + at.y / this.scale];
    this.scale = Math.max(0.02, Math.min(6, this.scale * factor));
    this.jump(x - at.x / this.scale, y - at.y / this.scale);
  }

  /** Glide as little as needed to show a rectangle, or its middle where it is too large. */
  include(box) {
    const shift = (start, size, from, length) => {
      if (start >= from && start + size <= from + length) return 0;
      const margin = Math.min(length * 0.15, Math.max(0, (length - size) / 2));
      if (size > length) return start + size / 2 - length / 2 - from;
      return start < from ? start - margin - from : start + size + margin - from - length;
    };
    const { x, y } = this.goal ?? this;
    this.glide(
      x + shift(box.x, box.width, x, this.width), y + shift(box.y, box.height, y, this.height),
    );
  }

  glide(x, y) {
    if (this.still() || Math.hypot(x - this.x, y - this.y) < 1) return this.jump(x, y);
    this.goal = { x, y };
    this.frame ||= requestAnimationFrame(() => this.move());
  }

  /** Glide on by a quarter of the way, and so on with each frame. */
  move() {
    const { x, y } = this.goal;
    const [dx, dy] = [x - this.x, y - this.y];
    if (Math.hypot(dx, dy) * 0.75 * this.scale < 0.5) return this.jump(x, y);
    this.x += dx * 0.25;
    this.y += dy * 0.25;
    this.frame = requestAnimationFrame(() => this.move());
    this.apply();
  }

  /** Jump to where it glides to. */
  settle() {
    const { x, y } = this.goal ?? this;
    this.jump(x, y);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.goal = null;
  }
}
