//! Sessions of a client with the server.

use keyscape_lsp::serve;
use lsp_server::{Connection, Message, Notification, Request, ResponseError};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    thread::{self, JoinHandle},
    time::Duration,
};

const SHOP: &str = "\
store shop
map orders = \"o/\" {user: dec(u64)} \"/\" {order: dec(u64)} -> text
    scan user as \"o/\" {user}
";

struct Client {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    next_id: i32,
    diagnostics: Vec<Value>,
}

impl Client {
    fn start() -> Self {
        let (connection, server) = Connection::memory();
        let server = thread::spawn(move || serve(&server).unwrap());
        let mut client =
            Self { connection, server: Some(server), next_id: 0, diagnostics: Vec::new() };
        let answer = client.request("initialize", json!({"capabilities": {}}));
        assert_eq!(answer["serverInfo"]["name"], "keyscape");
        client.notify("initialized", json!({}));
        client
    }

    fn notify(&self, method: &str, params: Value) {
        let notification = Notification::new(method.to_owned(), params);
        self.connection.sender.send(Message::Notification(notification)).unwrap();
    }

    fn open(&self, uri: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": "keyscape", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    fn change(&self, uri: &str, version: i32, text: &str) {
        let document = json!({"uri": uri, "version": version});
        let changes = json!([{"text": text}]);
        let params = json!({"textDocument": document, "contentChanges": changes});
        self.notify("textDocument/didChange", params);
    }

    fn receive(&mut self) -> Message {
        let message = self.connection.receiver.recv_timeout(Duration::from_secs(60)).unwrap();
        if let Message::Notification(Notification { method, params }) = &message
            && method == "textDocument/publishDiagnostics"
        {
            self.diagnostics.push(params.clone());
        }
        message
    }

    /// Sends a request and returns its result or its error.
    fn response(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        self.next_id += 1;
        let request = Request::new(self.next_id.into(), method.to_owned(), params);
        self.connection.sender.send(Message::Request(request)).unwrap();
        loop {
            if let Message::Response(response) = self.receive() {
                assert_eq!(response.id, self.next_id.into());
                return response.response_result;
            }
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.response(method, params).unwrap()
    }

    /// Sends a request about a place in a document.
    fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let position = json!({"line": line, "character": character});
        self.request(method, json!({"textDocument": {"uri": uri}, "position": position}))
    }

    /// Returns the diagnostics of the next analysis.
    fn next_diagnostics(&mut self) -> Value {
        while self.diagnostics.is_empty() {
            self.receive();
        }
        self.diagnostics.remove(0)
    }

    fn labels(&mut self, uri: &str, line: u32, character: u32) -> Vec<String> {
        let items = self.at("textDocument/completion", uri, line, character);
        let items = items.as_array().unwrap().iter();
        items.map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let Some(server) = self.server.take().filter(|_| !thread::panicking()) else { return };
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        server.join().unwrap();
    }
}

fn file_uri(path: &Path) -> String {
    format!("file://{}", path.canonicalize().unwrap().display())
}

#[test]
fn a_refuted_claim_is_a_diagnostic_with_its_keys_and_its_fix() {
    let mut client = Client::start();
    let uri = "untitled:shop.keys";
    client.open(uri, SHOP);
    let published = client.next_diagnostics();
    let found = &published["diagnostics"][0];
    assert_eq!(found["code"], "KS003");
    assert_eq!(found["severity"], 1);
    assert_eq!(found["range"]["start"], json!({"line": 2, "character": 4}));
    let related = found["relatedInformation"].to_string();
    assert!(related.contains("6f2f31302f30 (user=10 order=0)"), "{related}");

    let range = &found["range"];
    let context = json!({"diagnostics": [found]});
    let params = json!({"textDocument": {"uri": uri}, "range": range, "context": context});
    let actions = client.request("textDocument/codeAction", params);
    let action = &actions[0];
    assert_eq!(action["kind"], "quickfix");
    assert_eq!(action["diagnostics"][0]["code"], "KS003");
    let edit = &action["edit"]["changes"][uri][0];

    // The edit, applied by hand, leaves nothing to report.
    let lines: Vec<&str> = SHOP.lines().collect();
    let start = edit["range"]["start"]["character"].as_u64().unwrap() as usize;
    let end = edit["range"]["end"]["character"].as_u64().unwrap() as usize;
    let (head, tail) = (&lines[2][..start], &lines[2][end..]);
    let fixed =
        format!("{}\n{}\n{head}{}{tail}\n", lines[0], lines[1], edit["newText"].as_str().unwrap());
    client.change(uri, 2, &fixed);
    let published = client.next_diagnostics();
    assert_eq!(published["version"], 2);
    assert_eq!(published["diagnostics"], json!([]), "{fixed}");
}

#[test]
fn mistakes_are_diagnostics_and_a_closed_document_has_none() {
    let mut client = Client::start();
    let uri = "untitled:bad.keys";
    client.open(uri, "store shop\nmap orders = {user: u46be} -> text\n");
    let published = client.next_diagnostics();
    let message = published["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("u46be"), "{message}");
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.next_diagnostics()["diagnostics"], json!([]));
    assert_eq!(client.at("textDocument/hover", uri, 1, 5), Value::Null);
}

#[test]
fn hovers_show_bytes_and_verdicts() {
    let mut client = Client::start();
    let uri = "untitled:shop.keys";
    client.open(uri, SHOP);
    let text = |hover: Value| hover["contents"]["value"].as_str().unwrap().to_owned();
    let keyspace = text(client.at("textDocument/hover", uri, 1, 6));
    assert!(keyspace.contains("beginning with `6f2f`"), "{keyspace}");
    assert!(keyspace.contains("5 to 43 bytes"), "{keyspace}");
    assert!(keyspace.contains("KS001 disjoint: proved"), "{keyspace}");
    assert!(keyspace.contains("KS003 scan-exact, scan `user`: **refuted**"), "{keyspace}");
    let field = text(client.at("textDocument/hover", uri, 1, 20));
    assert!(field.contains("{user: dec(u64)}") && field.contains("1 to 20 bytes"), "{field}");
    assert!(field.contains("KS003 scan-exact, scan `user`: **refuted**"), "{field}");
    assert!(field.contains("KS005 lossless, field `user`: proved"), "{field}");
    // The field of a scan is the field of the key.
    assert_eq!(text(client.at("textDocument/hover", uri, 2, 10)), field);
    let scan = text(client.at("textDocument/hover", uri, 2, 5));
    assert!(scan.contains("KS003 scan-exact, scan `user`: **refuted**"), "{scan}");
}

#[test]
fn names_are_those_of_their_own_store_and_of_the_outermost_fields() {
    let mut client = Client::start();
    let uri = "untitled:two.keys";
    let text = "store a\nmap m = \"a\" {id: u8} -> empty\ntype Pair = {x: u8} {y: u8}\nstore b\n\
                map m = \"bb\" {pair: Pair} {x: u16be} -> empty\n    scan pair\n\
                index i of m = \"i\" {x} {pair} -> empty\n";
    client.open(uri, text);
    let hover = |client: &mut Client, line, character| {
        let hover = client.at("textDocument/hover", uri, line, character);
        hover["contents"]["value"].as_str().unwrap().to_owned()
    };
    for (line, character) in [(4, 4), (6, 11)] {
        let second = hover(&mut client, line, character);
        assert!(second.contains("beginning with `6262`"), "{second}");
        assert_eq!(second.matches("KS001").count(), 1, "{second}");
        let found = client.at("textDocument/definition", uri, line, character);
        assert_eq!(found["range"]["start"], json!({"line": 4, "character": 4}));
    }
    assert!(hover(&mut client, 1, 4).contains("beginning with `61`"));
    let field = hover(&mut client, 4, 28);
    assert!(field.contains("{x: u16be}"), "{field}");
}

#[test]
fn definitions_are_found_in_imports_even_if_they_are_unsaved() {
    let folder = tempfile::tempdir().unwrap();
    let (types, main) = (folder.path().join("types.keys"), folder.path().join("main.keys"));
    fs::write(&types, "type User = u64be\n").unwrap();
    let text = "import \"types.keys\" as t\nstore s\nmap m = {user: t.User} -> empty\n    \
                scan user\nindex i of m = \"i\" {user} -> empty\n";
    fs::write(&main, text).unwrap();
    let (types, main) = (file_uri(&types), file_uri(&main));
    let mut client = Client::start();
    client.open(&main, text);
    let find = |client: &mut Client, line, character| {
        client.at("textDocument/definition", &main, line, character)
    };
    let user = find(&mut client, 2, 18);
    assert_eq!(user["uri"], types.as_str());
    assert_eq!(user["range"]["start"], json!({"line": 0, "character": 5}));
    assert_eq!(find(&mut client, 0, 10)["uri"], types.as_str());
    assert_eq!(find(&mut client, 3, 10)["range"]["start"], json!({"line": 2, "character": 9}));
    assert_eq!(find(&mut client, 4, 11)["range"]["start"], json!({"line": 2, "character": 4}));

    // An unsaved change of the import counts, and proves the importing document again.
    client.next_diagnostics();
    client.open(&types, "// moved\ntype User = u32be\n");
    let mut published = [client.next_diagnostics(), client.next_diagnostics()];
    published.sort_by_key(|published| published["uri"].as_str().unwrap().to_owned());
    assert_eq!(published[0]["uri"], main.as_str());
    let user = find(&mut client, 2, 18);
    assert_eq!(user["range"]["start"], json!({"line": 1, "character": 5}));
}

#[test]
fn an_import_that_is_too_large_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("main.keys");
    fs::File::create(folder.path().join("large.keys")).unwrap().set_len(17 << 20).unwrap();
    let text = "import \"large.keys\"\nstore s\n";
    fs::write(&main, text).unwrap();
    let mut client = Client::start();
    client.open(&file_uri(&main), text);
    let published = client.next_diagnostics();
    let message = published["diagnostics"][0]["message"].as_str().unwrap();
    assert!(message.contains("it has more than 16 MiB"), "{message}");
}

#[test]
fn completions_fit_the_words_before_the_cursor() {
    let mut client = Client::start();
    let uri = "untitled:complete.keys";
    let text = "store s on \ntype Key = \nmap m = {id: } -> \n    scan \nindex i of \n    \
                accept \n\n// on \ntype Id = u8\n";
    client.open(uri, text);
    assert!(client.labels(uri, 0, 11).contains(&"redb".to_owned()));
    assert!(client.labels(uri, 1, 10).contains(&"u64be".to_owned()));
    assert!(client.labels(uri, 2, 13).contains(&"Id".to_owned()));
    assert!(client.labels(uri, 2, 18).contains(&"json".to_owned()));
    assert_eq!(client.labels(uri, 3, 9), ["all", "id"]);
    assert!(client.labels(uri, 4, 11).contains(&"m".to_owned()));
    assert!(client.labels(uri, 5, 11).contains(&"KS003".to_owned()));
    assert!(client.labels(uri, 6, 0).contains(&"map".to_owned()));
    assert!(client.labels(uri, 7, 6).is_empty());
}

#[test]
fn types_inside_a_namespace_are_found_and_completed() {
    let mut client = Client::start();
    let uri = "untitled:nested.keys";
    let map = "    map m = 0x02 {id: Id} -> empty";
    client.open(uri, &format!("store s\nnamespace n = 0x01 {{\n    type Id = u8\n{map}\n}}\n"));
    let column = map.find("Id").unwrap() as u32;
    let found = client.at("textDocument/definition", uri, 3, column);
    assert_eq!(found["range"]["start"], json!({"line": 2, "character": 9}));
    assert!(client.labels(uri, 3, column).contains(&"Id".to_owned()));
}

#[test]
fn documents_are_formatted_outlined_and_annotated() {
    let mut client = Client::start();
    let uri = "untitled:shop.keys";
    client.open(uri, "store shop\nnamespace n = 0x01 {\nmap m=0x02{id:u8} -> empty\n}\n");
    let document = json!({"uri": uri});
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let formatting = json!({"textDocument": document, "options": options});
    let edits = client.request("textDocument/formatting", formatting.clone());
    assert!(edits[0]["newText"].as_str().unwrap().contains("map m = 0x02 {id: u8}"), "{edits}");

    let symbols = client.request("textDocument/documentSymbol", json!({"textDocument": document}));
    assert_eq!(symbols[0]["name"], "shop");
    assert_eq!(symbols[0]["children"][0]["children"][0]["name"], "m");

    let end = json!({"line": 9, "character": 0});
    let range = json!({"start": {"line": 0, "character": 0}, "end": end});
    let params = json!({"textDocument": document, "range": range});
    let hints = client.request("textDocument/inlayHint", params);
    assert_eq!(hints[0]["label"], "0102");
    assert_eq!(hints[0]["position"], json!({"line": 2, "character": 5}));

    client.change(uri, 2, "store shop map = ");
    assert_eq!(client.request("textDocument/formatting", formatting), Value::Null);
}

#[test]
fn a_fix_that_rejects_values_is_never_preferred() {
    let mut client = Client::start();
    let uri = "untitled:long.keys";
    client.open(uri, "store s on lmdb\nmap m = {id: bytes[1..]} -> json\n");
    let found = client.next_diagnostics();
    let range = &found["diagnostics"][0]["range"];
    let context = json!({"diagnostics": []});
    let params = json!({"textDocument": {"uri": uri}, "range": range, "context": context});
    let actions = client.request("textDocument/codeAction", params);
    let title = actions[0]["title"].as_str().unwrap();
    assert!(title.contains("bytes[1..=511]"), "{title}");
    assert!(title.ends_with("values outside are rejected)"), "{title}");
    assert_eq!(actions[0]["isPreferred"], false);
}

#[test]
fn requests_that_wait_at_shutdown_are_answered() {
    let mut client = Client::start();
    let uri = "untitled:slow.keys";
    let maps = (0..300).map(|n| format!("map m{n} = {{x: dec(u64)}} {{y: dec(u64)}} -> empty\n"));
    client.open(uri, &format!("store s\n{}", maps.collect::<String>()));
    let position = json!({"line": 1, "character": 5});
    let params = json!({"textDocument": {"uri": uri}, "position": position});
    let request = Request::new(1000.into(), "textDocument/hover".to_owned(), params);
    client.connection.sender.send(Message::Request(request)).unwrap();
    let shutdown = Request::new(1001.into(), "shutdown".to_owned(), Value::Null);
    client.connection.sender.send(Message::Request(shutdown)).unwrap();
    let mut answered = Vec::new();
    while answered.len() < 2 {
        if let Message::Response(response) = client.receive() {
            answered.push(response.id);
        }
    }
    assert_eq!(answered, [1000.into(), 1001.into()]);
    client.notify("exit", Value::Null);
    client.server.take().unwrap().join().unwrap();
}

#[test]
fn wrong_requests_are_answered_with_errors() {
    let mut client = Client::start();
    let unknown = client.response("textDocument/rename", json!({})).unwrap_err();
    assert!(unknown.message.contains("`textDocument/rename`"), "{unknown:?}");
    let wrong = client.response("textDocument/hover", json!({"x": 1})).unwrap_err();
    assert!(wrong.message.contains("missing field"), "{wrong:?}");
    client.notify("textDocument/didOpen", json!({"x": 1}));
    assert_eq!(client.at("textDocument/hover", "untitled:none", 0, 0), Value::Null);
}
