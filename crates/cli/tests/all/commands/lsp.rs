//! A session of the language server over stdin and stdout.

use crate::harness::{Folder, rejected};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{ChildStdin, ChildStdout, Command, Stdio},
};

fn send(stdin: &mut ChildStdin, mut message: Value) {
    message["jsonrpc"] = json!("2.0");
    let text = message.to_string();
    write!(stdin, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
    stdin.flush().unwrap();
}

fn receive(stdout: &mut BufReader<ChildStdout>) -> Value {
    let mut header = String::new();
    stdout.read_line(&mut header).unwrap();
    let length = header.trim().strip_prefix("Content-Length: ").unwrap().parse().unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    let mut body = vec![0; length];
    stdout.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn a_client_opens_a_document_and_gets_its_diagnostics() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_keyscape"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());

    let capabilities = json!({"capabilities": {}});
    send(&mut stdin, json!({"id": 1, "method": "initialize", "params": capabilities}));
    assert_eq!(receive(&mut stdout)["result"]["serverInfo"]["name"], "keyscape");
    send(&mut stdin, json!({"method": "initialized", "params": {}}));

    let text = "store shop\nmap a = {x: bytes[0..=3]} {y: bytes[0..=3]} -> empty\n";
    let uri = "untitled:shop.keys";
    let document = json!({"uri": uri, "languageId": "keyscape", "version": 1, "text": text});
    let params = json!({"textDocument": document});
    send(&mut stdin, json!({"method": "textDocument/didOpen", "params": params}));
    let published = receive(&mut stdout);
    assert_eq!(published["method"], "textDocument/publishDiagnostics");
    let diagnostic = &published["params"]["diagnostics"][0];
    assert_eq!((&diagnostic["code"], &diagnostic["severity"]), (&json!("KS002"), &json!(1)));

    send(&mut stdin, json!({"id": 2, "method": "shutdown"}));
    assert_eq!(receive(&mut stdout)["id"], 2);
    send(&mut stdin, json!({"method": "exit"}));
    assert!(child.wait().unwrap().success());
}

#[test]
fn input_that_is_not_the_protocol_is_an_error() {
    let shown = Folder::new().run_with(&["lsp"], "not a header\r\n\r\n");
    insta::assert_snapshot!(rejected(shown), @"error: the connection to the client failed: a message has no `Content-Length`");
}
