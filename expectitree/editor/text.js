// The text: CodeMirror with the indentation, the keys and the errors of tree files.
import * as cm from "./codemirror.js";

const STEP = 2; // columns of indentation
// What is before a key: nothing, dashes, a bracket or a comma, and maybe the beginning of the key.
const BEFORE_KEY = /(?:^\s*(?:- +)*|[{,]\s*)(\w*)$/;

const MARKS = [
  ["key", cm.tags.definition(cm.tags.propertyName)], ["comment", cm.tags.lineComment],
  ["string", cm.tags.string], ["mark", cm.tags.keyword], ["label", cm.tags.labelName],
];
const COLOURS = { key: "accent", comment: "soft", string: "good", mark: "cut", label: "cut" };

const KEY = /^(?:"[^"]*"|'[^']*'|[^{["'#][^:#]*):(?:\s|$)/; // at the start of a block's line
const OPEN = /[:{[]\s*(?:#.*)?$/; // at the end of a line: more is to come

/** Return where the next line begins: below a key or its value, or below the dash of an item. */
function indentation(context, place) {
  const line = context.lineAt(place, -1).text;
  const [margin] = line.match(/^ */), [head] = line.match(/^ *(?:- +)*/);
  const start = KEY.test(line.slice(head.length)) ? head : margin;
  return start.length + (OPEN.test(line) ? STEP : 0);
}

/** The editor of a text, within an element that it gives a property `value`. */
export class TextEditor {
  /**
   * @param {HTMLElement} host
   * @param {string} doc - the first text
   * @param {() => void} changed
   */
  constructor(host, doc, changed) {
    this.keys = [];
    const root = host.attachShadow({ mode: "open" }); // whose style sheets need no permission
    this.view = new cm.EditorView({
      parent: root,
      root,
      doc,
      extensions: [
        cm.lineNumbers(), cm.highlightActiveLine(), cm.history(), cm.drawSelection(),
        cm.EditorView.lineWrapping, cm.bracketMatching(), cm.closeBrackets(), cm.lintGutter(),
        cm.yaml(),
        cm.indentUnit.of(" ".repeat(STEP)),
        cm.indentService.of(indentation),
        cm.syntaxHighlighting(cm.HighlightStyle.define(
          MARKS.map(([name, tag]) => ({ tag, color: `var(--${COLOURS[name]})` })),
        )),
        cm.autocompletion({ override: [(context) => this.complete(context)], icons: false }),
        cm.keymap.of([
          ...cm.closeBracketsKeymap, ...cm.completionKeymap, cm.indentWithTab,
          ...cm.historyKeymap, ...cm.defaultKeymap,
        ]),
        cm.EditorView.contentAttributes.of({
          "aria-label": "Tree (YAML or JSON)", autocapitalize: "off", spellcheck: "false",
        }),
        cm.EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
        cm.EditorView.theme({
          "&": { height: "100%", color: "inherit" },
          "&.cm-focused": { outline: "none" },
          ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
          ".cm-gutters": { background: "none", color: "var(--soft)", border: "0" },
          ".cm-content": { caretColor: "var(--text)", paddingBottom: "4rem" },
          ".cm-cursor": { borderLeftColor: "var(--text)" },
          "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
            { background: "var(--mark)" },
          ".cm-activeLine": { background: "color-mix(in srgb, var(--mark) 35%, transparent)" },
          ".cm-selectionBackground": { background: "var(--mark)" },
          ".cm-matchingBracket": { background: "var(--mark) !important" },
          ".cm-tooltip": { background: "var(--panel)", borderColor: "var(--line)" },
          ".cm-tooltip-autocomplete ul li[aria-selected]":
            { background: "var(--accent)", color: "var(--back)" },
          ".cm-completionInfo": { maxWidth: "22rem", font: "0.85rem system-ui, sans-serif" },
          ".cm-diagnostic": { font: "0.85rem system-ui, sans-serif" },
        }),
      ],
    });
    Object.defineProperty(host, "value", {
      get: () => this.value,
      set: (text) => this.replace(text),
    });
  }

  get value() { return this.view.state.doc.toString(); }

  get canUndo() { return cm.undoDepth(this.view.state) > 0; }

  get canRedo() { return cm.redoDepth(this.view.state) > 0; }

  undo() { cm.undo(this.view); }

  redo() { cm.redo(this.view); }

  /** Replace only what differs, so that the cursor stays, and undo is exact. */
  replace(text, isUndoable = true) {
    const was = this.value;
    let start = 0, end = was.length, last = text.length;
    while (start < Math.min(end, last) && was[start] === text[start]) start++;
    while (Math.min(end, last) > start && was[end - 1] === text[last - 1]) { end--; last--; }
    this.view.dispatch({
      changes: { from: start, to: end, insert: text.slice(start, last) },
      userEvent: "replace", // undone alone, not with what was typed just before
      annotations: cm.Transaction.addToHistory.of(isUndoable),
    });
  }

  /** Underline the problems that have a place. */
  mark(problems) {
    const { doc } = this.view.state;
    const found = problems.filter(({ line }) => line && line <= doc.lines);
    this.view.dispatch(cm.setDiagnostics(this.view.state, found.map((problem) => {
      const from = this.place(problem);
      const word = doc.lineAt(from).text.slice(from - doc.lineAt(from).from).match(/^[^\s,:\]}]+/);
      const to = from + (word ? word[0].length : 0);
      return { from, to, severity: "error", message: problem.message };
    })));
  }

  /** Return the place of a line and a column, both from 1. */
  place({ line, column }) {
    const { from, to } = this.view.state.doc.line(line);
    return Math.min(to, from + column - 1);
  }

  /** Move the cursor to a line and a column, and them into sight. */
  goTo(place, focuses = true) {
    const anchor = this.place(place);
    const effects = cm.EditorView.scrollIntoView(anchor, { y: "center" });
    this.view.dispatch({ selection: { anchor }, effects });
    if (focuses) this.view.focus();
  }

  /** Complete a key: at the root also those that only the root has. */
  complete(context) {
    const { from, text } = context.state.doc.lineAt(context.pos);
    const before = text.slice(0, context.pos - from).match(BEFORE_KEY);
    if (!before || (!before[1] && !context.explicit)) return null;
    const isRoot = before.index === 0 && !/^[\s{-]/.test(text);
    const options = this.keys
      .filter(([key, , isOfRoot]) => key.startsWith(before[1]) && (isRoot || !isOfRoot))
      .map(([label, info]) => ({ label, info, apply: `${label}: `, type: "property" }));
    return { from: context.pos - before[1].length, options, filter: false };
  }
}
