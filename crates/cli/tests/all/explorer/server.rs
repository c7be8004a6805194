//! Starts `keyscape serve`, and sends requests to it.

use crate::harness::Folder;
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    sync::{Arc, Mutex, PoisonError, Weak},
};

/// A server with its token.
pub(super) struct Server {
    child: Child,
    /// The address that was printed.
    pub(super) printed: String,
    pub(super) host: String,
    pub(super) token: String,
    /// Keeps the directory of the database until the server ends.
    folder: Option<Folder>,
}

/// An answer.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) head: String,
    pub(super) body: String,
}

impl Server {
    pub(super) fn start(folder: &Folder, arguments: &[&str]) -> Self {
        let mut command = folder.command(&[&["serve"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut printed = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut printed).unwrap();
        let printed = printed.trim().to_owned();
        let rest = printed.strip_prefix("http://").unwrap_or_default();
        let (host, query) = rest.split_once('/').unwrap_or_default();
        let token = query.strip_prefix("?token=").unwrap_or_default().to_owned();
        Self { child, host: host.to_owned(), token, printed, folder: None }
    }

    /// Starts a server on the database of [`shop`].
    pub(super) fn own_shop() -> Self {
        let folder = shop();
        let mut server = Self::start(&folder, &["shop.redb"]);
        server.folder = Some(folder);
        server
    }

    /// Returns a server on the database of [`shop`], which tests that run at the same time share.
    pub(super) fn of_shop() -> Arc<Self> {
        static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(Self::own_shop());
            *shared = Arc::downgrade(&server);
            server
        })
    }

    /// Sends a request with these lines after the first.
    pub(super) fn send(&self, first: &str, lines: &[&str], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let lines: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{first} HTTP/1.1\r\n{lines}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn with_token(&self, method: &str, path: &str, accept: &str, body: &str) -> Answer {
        let host = format!("Host: {}", self.host);
        let bearer = format!("Authorization: Bearer {}", self.token);
        let accept = format!("Accept: {accept}");
        self.send(&format!("{method} {path}"), &[&host, &bearer, &accept], body)
    }

    pub(super) fn get(&self, path: &str) -> Answer {
        self.with_token("GET", path, "text/html", "")
    }

    pub(super) fn post(&self, path: &str, form: &str) -> Answer {
        self.with_token("POST", path, "text/html", form)
    }

    pub(super) fn json(&self, path: &str) -> Value {
        let answer = self.with_token("GET", path, "application/json", "");
        assert!(answer.head.contains("content-type: application/json"), "{answer:?}");
        serde_json::from_str(&answer.body).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A shop with orders, an index and structures.
pub(super) const SHOP: &str = r#"//! A small shop.
store shop structures

type Name = text(r"[a-z]{1,8}")

/// The orders of a customer.
map orders = "o:" {user: u32be} {order: u32be} -> text
    scan user by order
/// Orders of all customers by number.
index by_order of orders = "n:" {order} {user} -> empty
zset board = "b:" {game: u8} member Name score u64be counted ranked
queue jobs = "q:" {game: u8} member Name score u64be
set friends = "f:" {of: Name} member Name counted
/// A customer.
hash customer = "h:" {user: u32be}
    field mail = "mail" -> text
"#;

/// Makes the shop, with 120 orders of user 1 and one of user 2.
pub(super) fn shop() -> Folder {
    let folder = Folder::new().file("shop.keys", SHOP);
    let mut lines = String::new();
    for order in 1..=120 {
        lines.push_str(&row(
            "orders",
            &format!(r#"{{"user":1,"order":{order}}},"value":"tea {order}""#),
        ));
    }
    lines.push_str(&row("orders", r#"{"user":2,"order":7},"value":"a <b>bold</b> pen""#));
    lines.push_str(&row("board", r#"{"game":1},"score":50,"member":"ann""#));
    lines.push_str(&row("board", r#"{"game":1},"score":70,"member":"bob""#));
    lines.push_str(&row("jobs", r#"{"game":1},"score":3,"member":"mail""#));
    lines.push_str(&row("friends", r#"{"of":"ann"},"member":"bob""#));
    let mail =
        r#"{"keyspace":"customer.mail","hash":{"user":1},"fields":{},"value":"ann@example.org"}"#;
    lines.push_str(mail);
    let import = ["import", "shop.redb", "--layout", "shop.keys", "--create"];
    folder.stdout_with(&import, lines.as_bytes());
    folder
}

fn row(keyspace: &str, rest: &str) -> String {
    format!("{{\"keyspace\":\"{keyspace}\",\"fields\":{rest}}}\n")
}
