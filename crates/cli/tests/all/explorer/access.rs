//! Tokens, hosts, origins and headers.

use super::server::{Server, shop};
use std::{collections::BTreeSet, net::TcpListener};

#[test]
fn only_the_printed_address_opens_the_pages() {
    let server = Server::of_shop();
    assert_eq!(server.token.len(), 32, "{}", server.printed);
    assert!(server.host.starts_with("127.0.0.1:"), "{}", server.host);
    let host = format!("Host: {}", server.host);
    for path in ["/", "/audit", "/style.css", "/keyspace/shop/orders", "/?token=0123"] {
        let answer = server.send(&format!("GET {path}"), &[&host], "");
        assert_eq!(answer.status, 401, "{path}");
        assert!(!answer.body.contains("orders"), "{path}");
        let problem = if path.contains("token=") { "wrong" } else { "missing" };
        assert!(answer.body.starts_with(&format!("The token is {problem}.")), "{path}");
    }
    let port = server.host.rsplit(':').next().unwrap();
    for line in ["Authorization: Bearer 0123".to_owned(), format!("Cookie: keyscape_{port}=0123")] {
        let answer = server.send("GET /", &[&host, &line], "");
        assert_eq!(answer.status, 401, "{line}");
        assert!(answer.body.starts_with("The token is wrong."), "{line}: {}", answer.body);
    }
    let entered = server.send(&format!("GET /decode?key=6f&token={}", server.token), &[&host], "");
    assert_eq!(entered.status, 303);
    assert!(entered.head.contains("\r\nlocation: /decode?key=6f\r\n"), "{}", entered.head);
    let cookie = entered.head.split("\r\n").find_map(|line| line.strip_prefix("set-cookie: "));
    let cookie = cookie.unwrap();
    assert!(cookie.contains("httponly; samesite=strict"), "{cookie}");
    let pair = format!("Cookie: other=1; {}", cookie.split(';').next().unwrap());
    assert_eq!(server.send("GET /", &[&host, &pair], "").status, 200);
}

#[test]
fn another_host_or_another_site_is_rejected() {
    let server = Server::own_shop();
    let bearer = format!("Authorization: Bearer {}", server.token);
    let (own, port) = (format!("Host: {}", server.host), server.host.rsplit(':').next().unwrap());
    // A host name of another site that points to this machine.
    for host in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", ""] {
        let answer = server.send("GET /", &[&format!("Host: {host}"), &bearer], "");
        assert!(answer.status == 421 || answer.status == 400, "{host}: {}", answer.status);
    }
    let local = format!("Host: localhost:{port}");
    assert_eq!(server.send("GET /", &[&local, &bearer], "").status, 200);
    for origin in ["Origin: http://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site"] {
        for path in ["/count", "/audit/start", "/audit/cancel", "/diff"] {
            let answer = server.send(&format!("POST {path}"), &[&own, &bearer, origin], "");
            assert_eq!(answer.status, 403, "{origin} {path}");
        }
    }
    let origin = format!("Origin: http://{}", server.host);
    assert_eq!(server.send("POST /audit/start", &[&own, &bearer, &origin], "").status, 303);
}

#[test]
fn every_answer_has_the_headers_that_protect_it() {
    let server = Server::of_shop();
    for path in ["/", "/style.css", "/script.js", "/nothing", "/keyspace/shop/none"] {
        let head = server.get(path).head;
        for line in [
            "content-security-policy: default-src 'none'; style-src 'self'; script-src 'self'",
            "x-content-type-options: nosniff",
            "referrer-policy: same-origin",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(head.contains(line), "{path}: {line}");
        }
    }
    let page = server.get("/").body;
    assert!(!page.contains(" style=") && !page.contains("<style"), "the policy would block it");
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing from elsewhere");
}

#[test]
fn other_addresses_need_a_token_or_no_token() {
    let folder = shop();
    let shown = folder.run(&["serve", "shop.redb", "--listen", "0.0.0.0:0"]);
    insta::assert_snapshot!(shown, @"
    --- stderr
    error: `0.0.0.0:0` is not a loopback address, so others can connect to it
      help: add `--token TOKEN`, or `--no-token` to let everybody read
    --- exit 2
    ");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let open = Server::start(&folder, &["shop.redb", "--listen", &taken.to_string(), "--no-token"]);
    assert_eq!(open.printed, format!("http://{taken}/"));
    let host = format!("Host: {}", open.host);
    assert_eq!(open.send("GET /", &[&host], "").status, 200);
}

#[test]
fn weak_tokens_and_names_of_hosts_are_rejected() {
    let folder = shop();
    for token in ["", "short", "with space", "semi;colon", "über-secret"] {
        let shown = folder.run(&["serve", "shop.redb", "--token", token]);
        assert!(shown.contains("a token has at least 8 letters"), "{token}: {shown}");
        assert!(shown.ends_with("--- exit 2\n"), "{token}: {shown}");
    }
    let shown = folder.run(&["serve", "shop.redb", "--listen", "8080"]);
    assert!(shown.contains("such as 127.0.0.1:8080"), "{shown}");
    let server = Server::start(&folder, &["shop.redb", "--listen", "localhost:0"]);
    assert!(server.host.starts_with("127.0.0.1:"), "{}", server.host);
}

#[test]
fn tokens_are_random() {
    let folder = shop();
    let tokens: BTreeSet<String> =
        (0..3).map(|_| Server::start(&folder, &["shop.redb"]).token.clone()).collect();
    assert_eq!(tokens.len(), 3);
}
