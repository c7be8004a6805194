"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry, parseRawGrammar } = require("vscode-textmate");

const root = path.join(__dirname, "..");
const repository = path.join(root, "..", "..");
const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));

const onigLib = oniguruma.loadWASM(wasm.buffer).then(() => ({
  createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
  createOnigString: (text) => new oniguruma.OnigString(text),
}));
const registry = new Registry({
  onigLib,
  loadGrammar: async () => {
    const file = path.join(root, "syntaxes", "keyscape.tmLanguage.json");
    return parseRawGrammar(fs.readFileSync(file, "utf8"), file);
  },
});

/** Returns the tokens of a text as pairs of text and innermost scope. */
async function tokens(text) {
  const grammar = await registry.loadGrammar("source.keyscape");
  let stack = INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    for (const token of result.tokens) {
      found.push([line.slice(token.startIndex, token.endIndex), token.scopes.at(-1)]);
    }
  }
  return found;
}

async function scope(text, word) {
  const found = (await tokens(text)).find(([token]) => token.trim() === word);
  return found && found[1].replace(/\.keyscape$/, "");
}

test("declarations, fields, codecs and literals have scopes", async () => {
  const text = 'map orders = "o/" {user: dec(u64)} 0x2f {order: dec0(u64)[20]} -> json Order // all';
  assert.equal(await scope(text, "map"), "keyword.declaration");
  assert.equal(await scope(text, "orders"), "entity.name.section");
  assert.equal(await scope(text, "user"), "variable.parameter.field");
  assert.equal(await scope(text, "dec"), "support.type");
  assert.equal(await scope(text, "0x2f"), "constant.numeric.hex");
  assert.equal(await scope(text, "json"), "storage.type.value");
  assert.equal(await scope(text, "// all"), "comment.line.double-slash");
});

test("clauses are keywords only at the start of a line", async () => {
  assert.equal(await scope("    scan user by order", "scan"), "keyword.control");
  assert.equal(await scope("    scan user by order", "by"), "keyword.other");
  assert.equal(await scope('    accept KS003 "known"', "KS003"), "constant.language.rule");
  assert.equal(await scope("map m = {scan: u8}", "scan"), "variable.parameter.field");
});

test("a regular expression contains quotes only between number signs", async () => {
  const text = 'type Name = text(r"[a-z\\d/]+", not r#"a"b"#)[1..=9]';
  assert.equal(await scope(text, 'r"[a-z\\d/]+"'), "string.regexp");
  assert.equal(await scope(text, 'r#"a"b"#'), "string.regexp");
  assert.equal(await scope(text, "Name"), "entity.name.type");
});

test("bytes may contain underscores", async () => {
  assert.equal(await scope("item head = 0xdead_beef", "0xdead_beef"), "constant.numeric.hex");
});

test("every word of the published layouts has a scope", async () => {
  const layouts = fs
    .readdirSync(path.join(repository, "layouts"), { recursive: true })
    .filter((name) => name.endsWith(".keys"));
  assert.ok(layouts.length > 10);
  for (const name of layouts) {
    const text = fs.readFileSync(path.join(repository, "layouts", name), "utf8");
    for (const [token, scope] of await tokens(text)) {
      assert.ok(scope !== "source.keyscape" || !/\w/.test(token), `${name}: \`${token}\``);
    }
  }
});
