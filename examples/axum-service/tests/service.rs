//! The service stores notes, and its explorer shows them while it runs.
#![expect(clippy::unwrap_used, reason = "a failed test should stop")]

use keyscape_example_axum_service::{notes::LAYOUT, routes};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
};

fn send(address: SocketAddr, first: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!(
        "{first} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_explorer_shows_the_notes_of_the_running_service() {
    let folder = tempfile::tempdir().unwrap();
    let db = keyscape_store_redb::create(folder.path().join("notes.redb"), &LAYOUT).unwrap();
    let routes = routes(db).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || runtime.block_on(async { axum::serve(listener, routes).await }));
    assert!(send(address, "POST /notes/7", "Buy milk").ends_with("\r\n\r\n1\n"));
    assert!(send(address, "POST /notes/7", "Sell <b>tea</b>").ends_with("\r\n\r\n2\n"));
    assert!(send(address, "GET /notes/7", "").ends_with("1 Buy milk\n2 Sell <b>tea</b>\n"));
    let page = send(address, "GET /explorer/keyspace/notes/notes?scan=user&f.user=7", "");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("Buy milk") && page.contains("Sell &lt;b&gt;tea&lt;/b&gt;"), "{page}");
    assert!(page.contains("href=\"/explorer/row/notes/6e2f0000000700000001\""), "{page}");
    for path in ["/explorer", "/explorer/style.css", "/explorer/row/notes/6e2f0000000700000002"] {
        let page = send(address, &format!("GET {path}"), "");
        assert!(page.starts_with("HTTP/1.1 200"), "{path}: {page}");
    }
}
