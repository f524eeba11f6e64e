// Colors a text as VS Code does, with the grammar of YAML and ours: prints each token with the innermost of its scopes.
//
//   node grammar.mjs VSCODE_FOLDER SYNTAXES_FOLDER < TEXT
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [vscode, syntaxes] = process.argv.slice(2);
const require = createRequire(join(vscode, "package.json"));
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");
const wasm = join(vscode, "node_modules/vscode-oniguruma/release/onig.wasm");
await oniguruma.loadWASM(readFileSync(wasm));

const yaml = join(vscode, "extensions/yaml/syntaxes");
const files = {
  "source.yaml": join(yaml, "yaml.tmLanguage.json"),
  "source.planlens.pulumi": join(syntaxes, "pulumi-expressions.tmLanguage.json"),
};
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope) => {
    const version = scope.match(/^source\.yaml\.(.*)$/)?.[1];
    const file = files[scope] ?? (version && join(yaml, `yaml-${version}.tmLanguage.json`));
    return file && textmate.parseRawGrammar(readFileSync(file, "utf8"), file);
  },
  getInjections: (scope) => (scope === "source.yaml" ? ["source.planlens.pulumi"] : []),
});
const grammar = await registry.loadGrammar("source.yaml");
let stack = textmate.INITIAL;
for (const line of readFileSync(0, "utf8").split("\n")) {
  const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
  stack = ruleStack;
  for (const { startIndex, endIndex, scopes } of tokens) {
    const text = line.slice(startIndex, endIndex).trim();
    if (text) process.stdout.write(`${text} ${scopes.at(-1)}\n`);
  }
}
