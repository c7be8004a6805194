"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const { serverOptions } = require("./server");

let client;

async function start() {
  const path = vscode.workspace.getConfiguration("keyscape").get("server.path");
  client = new LanguageClient("keyscape", "Keyscape", serverOptions(path), {
    documentSelector: [{ language: "keyscape" }],
  });
  try {
    await client.start();
  } catch (error) {
    const message = `Cannot run \`${path} lsp\`: ${error.message}`;
    const choice = await vscode.window.showErrorMessage(message, "Open the settings");
    if (choice) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "keyscape.server.path");
    }
  }
}

async function stop() {
  await client?.stop();
  client = undefined;
}

exports.activate = async (context) => {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("keyscape.restart", restart));
  await start();
};

exports.deactivate = stop;
