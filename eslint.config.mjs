// The linter of the replay page, whose scripts share one scope, and of the editor's modules.
// `tsc` checks names and types of the page.
const linterOptions = { reportUnusedDisableDirectives: "error" };
const rules = {
  "array-callback-return": "error",
  curly: ["error", "multi-line"],
  eqeqeq: "error",
  "max-len": ["error", { code: 100 }],
  "no-cond-assign": "error",
  "no-const-assign": "error",
  "no-constant-condition": "error",
  "no-dupe-keys": "error",
  "no-eval": "error",
  "no-implied-eval": "error",
  "no-redeclare": "error",
  "no-self-assign": "error",
  "no-shadow": ["error", { builtinGlobals: false }],
  "no-unreachable": "error",
  "no-unused-vars": ["error", { vars: "local" }],
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-useless-escape": "error",
  "no-var": "error",
  "object-shorthand": "error",
  "prefer-const": "error",
  "prefer-template": "error",
  semi: "error",
};

export default [
  {
    files: ["expectitree/page/*.js", "tests/page/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "script" },
    linterOptions,
    rules,
  },
  { ignores: ["expectitree/editor/codemirror.js"] },
  {
    files: ["docs/playground/*.js", "expectitree/editor/*.js"],
    languageOptions: { ecmaVersion: 2022, sourceType: "module" },
    linterOptions,
    rules,
  },
];
