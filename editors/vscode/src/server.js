"use strict";

/** Returns the command that starts the language server. */
exports.serverOptions = (path) => ({ command: path || "keyscape", args: ["lsp"] });
