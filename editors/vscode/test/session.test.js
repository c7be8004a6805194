"use strict";

const assert = require("node:assert");
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const rpc = require("vscode-jsonrpc/node");
const { serverOptions } = require("../src/server");

const program = process.env.KEYSCAPE ?? path.join(__dirname, "../../../target/debug/keyscape");

test("the server reports a refuted scan to a client", async () => {
  assert.ok(fs.existsSync(program), `${program} is missing: run \`cargo build\``);
  const { command, args } = serverOptions(program);
  const server = spawn(command, args);
  const reader = new rpc.StreamMessageReader(server.stdout);
  const connection = rpc.createMessageConnection(
    reader,
    new rpc.StreamMessageWriter(server.stdin),
  );
  const published = new Promise((resolve) => {
    connection.onNotification("textDocument/publishDiagnostics", resolve);
  });
  connection.listen();
  const answer = await connection.sendRequest("initialize", { capabilities: {} });
  assert.equal(answer.serverInfo.name, "keyscape");
  await connection.sendNotification("initialized", {});
  const text = fs.readFileSync(path.join(__dirname, "../../../examples/shop.keys"), "utf8");
  const textDocument = { uri: "untitled:shop.keys", languageId: "keyscape", version: 1, text };
  await connection.sendNotification("textDocument/didOpen", { textDocument });
  const { diagnostics } = await published;
  assert.deepEqual(diagnostics.map((found) => found.code), ["KS003"]);
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  const status = await new Promise((resolve) => server.on("exit", resolve));
  assert.equal(status, 0);
  connection.dispose();
});

test("the extension is built and exports what the editor calls", () => {
  const bundle = fs.readFileSync(path.join(__dirname, "../dist/extension.js"), "utf8");
  assert.match(bundle, /exports\.activate/);
  assert.match(bundle, /exports\.deactivate/);
});
