// What expectitree/editor/text.js takes from CodeMirror: `npm run codemirror` bundles it.
export {
  EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers,
} from "@codemirror/view";
export {
  defaultKeymap, history, historyKeymap, indentWithTab, redo, redoDepth, undo, undoDepth,
} from "@codemirror/commands";
export {
  HighlightStyle, bracketMatching, indentService, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
export {
  autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap,
} from "@codemirror/autocomplete";
export { lintGutter, setDiagnostics } from "@codemirror/lint";
export { Transaction } from "@codemirror/state";
export { yaml } from "@codemirror/lang-yaml";
export { tags } from "@lezer/highlight";
