//! All pages over HTTP: as HTML without the script, and as JSON.

use super::server::Server;
use crate::harness::Folder;
use std::{
    collections::{BTreeSet, VecDeque},
    thread,
    time::Duration,
};

/// Returns the addresses that a page links to.
fn links(page: &str) -> Vec<String> {
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let local = links.filter(|link| link.starts_with('/'));
    local.map(|link| link.replace("&amp;", "&")).collect()
}

#[test]
fn every_link_of_every_page_leads_to_a_page() {
    let server = Server::of_shop();
    let start = ["/", "/keyspace/shop/orders?size=20&scan=user&f.user=1"].map(str::to_owned);
    let mut waiting = VecDeque::from(start);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(path) = waiting.pop_front() {
        if seen.len() > 250 || !seen.insert(path.clone()) {
            continue;
        }
        let answer = server.get(&path);
        assert_eq!(answer.status, 200, "{path}\n{}", answer.body);
        waiting.extend(links(&answer.body));
    }
    for start in
        ["/row/shop/", "/structures/shop/board", "/keyspace/shop/customer.mail", "/decode", "/diff"]
    {
        assert!(seen.iter().any(|path| path.starts_with(start)), "{start}: {seen:?}");
    }
}

#[test]
fn pages_of_rows_follow_cursors_in_both_directions() {
    let server = Server::of_shop();
    let numbers = |page: &serde_json::Value| -> Vec<u64> {
        let rows = page["rows"].as_array().unwrap().iter();
        rows.map(|row| row["fields"]["order"].as_u64().unwrap()).collect()
    };
    let first = server.json("/keyspace/shop/orders?scan=user&f.user=1&size=50");
    assert_eq!(numbers(&first), (1..=50).collect::<Vec<_>>());
    assert_eq!(first["previous"], serde_json::Value::Null);
    let second = server.json(first["next"].as_str().unwrap());
    assert_eq!(numbers(&second), (51..=100).collect::<Vec<_>>());
    let last = server.json(second["next"].as_str().unwrap());
    assert_eq!((numbers(&last).len(), &last["next"]), (20, &serde_json::Value::Null));
    let back = server.json(last["previous"].as_str().unwrap());
    assert_eq!(numbers(&back), (51..=100).collect::<Vec<_>>());
    let again = server.json(back["previous"].as_str().unwrap());
    assert_eq!(
        (numbers(&again), &again["previous"]),
        ((1..=50).collect(), &serde_json::Value::Null)
    );
    let down = server.json("/keyspace/shop/orders?scan=user&f.user=1&size=20&dir=back");
    assert_eq!(numbers(&down), (101..=120).rev().collect::<Vec<_>>());
    let next = server.json(down["next"].as_str().unwrap());
    assert_eq!(numbers(&next), (81..=100).rev().collect::<Vec<_>>());
    let range = server.json("/keyspace/shop/orders?scan=user&f.user=1&from=10&to=12");
    assert_eq!(numbers(&range), [10, 11, 12]);
    let none = server.json("/keyspace/shop/orders?scan=user&f.user=1&from=12&to=10");
    assert_eq!(numbers(&none), [0; 0]);
    let other = server.json("/keyspace/shop/orders?f.order=7");
    assert_eq!(numbers(&other), [7, 7]);
}

#[test]
fn a_row_names_its_bytes_its_index_entries_and_its_neighbours() {
    let server = Server::of_shop();
    let rows = server.json("/keyspace/shop/orders?f.user=2");
    let row = server.json(rows["rows"][0]["row"].as_str().unwrap());
    let names: Vec<&str> = row["readings"][0]["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["literal", "user", "order"]);
    assert_eq!(row["entry"]["value"], "a <b>bold</b> pen");
    assert_eq!(row["related"][0]["keyspace"], "by_order");
    assert_eq!(row["related"][0]["exists"], true);
    let entry = format!("/row/shop/{}", row["related"][0]["key"].as_str().unwrap());
    let entry = server.json(&entry);
    assert_eq!(entry["related"][0]["keyspace"], "orders");
    assert_eq!(entry["related"][0]["key"], row["key"]);
    let previous = server.json(row["previous"].as_str().unwrap());
    assert_eq!(previous["entry"]["fields"]["order"], 120);
    let form = server.get("/keyspace/shop/orders").body;
    assert!(form.contains(r#"name="f.user" value="" placeholder="1""#), "an example: {form}");
    assert!(form.contains("an integer from 0 to 4294967295"), "{form}");
}

/// Returns the names and values of the parts of a record.
fn record(row: &serde_json::Value) -> Vec<String> {
    let parts = row["record"].as_array().unwrap().iter();
    let word = |part: &serde_json::Value, name: &str| part[name].as_str().unwrap().to_owned();
    parts.map(|part| format!("{} {}", word(part, "name"), word(part, "value"))).collect()
}

#[test]
fn every_byte_of_a_record_has_a_name() {
    let server = Server::of_shop();
    let first = |keyspace: &str| {
        let page = server.json(&format!("/keyspace/shop/{keyspace}"));
        let row = server.json(page["rows"][0]["row"].as_str().unwrap());
        let bytes = row["record"].as_array().unwrap().iter();
        let bytes: String = bytes.map(|part| part["bytes"].as_str().unwrap()).collect();
        assert_eq!(row["key"], bytes, "no byte is left out");
        row
    };
    assert_eq!(record(&first("orders")), ["kind row", "literal \"o:\"", "user 1", "order 1"]);
    assert_eq!(
        record(&first("board")),
        [
            "kind zset",
            "literal \"b:\"",
            "game 1",
            "end of the key ",
            "family score",
            "score 50",
            "member ann"
        ]
    );
    let mail = record(&first("customer.mail"));
    assert_eq!(mail[mail.len() - 2..], ["family field", "literal \"mail\""]);
}

#[test]
fn stored_keys_are_decoded_and_every_reading_leads_to_its_row() {
    let server = Server::of_shop();
    // As a row shows its key, and as a program encodes it.
    for key in ["726f3a0000000100000007", "6f3a0000000100000007"] {
        let decoded = server.json(&format!("/decode?key={key}"));
        let reading = &decoded[0]["readings"][0];
        assert_eq!(reading["keyspace"], "orders", "{key}");
        let row = server.json(reading["row"].as_str().unwrap());
        assert_eq!(row["entry"]["fields"]["order"], 7, "{key}");
    }
    let structure = server.json("/decode?key=623a01");
    let reading = &structure[0]["readings"][0];
    assert_eq!((&reading["keyspace"], reading["row"].is_null()), (&"board".into(), true));
}

#[test]
fn the_overview_shows_indexes_and_the_last_migration() {
    let folder = Folder::new()
        .file("v1.keys", "store s\nmap m = \"m\" {id: u32be} -> text\n")
        .file("v2.keys", "store s\nmap m = \"n\" {id: u64be} -> text\n")
        .file("up.migration", "from \"v1.keys\" to \"v2.keys\"\n");
    let line = r#"{"keyspace":"m","fields":{"id":7},"value":"seven"}"#;
    let shown = folder.run_with(&["import", "s.redb", "--layout", "v1.keys", "--create"], line);
    assert!(shown.ends_with("--- exit 0\n"), "{shown}");
    let before = Server::start(&folder, &["s.redb"]);
    let overview = before.json("/");
    assert_eq!((&overview["indexes"], &overview["migration"]["last"]), (&0.into(), &().into()));
    assert!(before.get("/").body.contains("No migration has run."));
    drop(before);
    folder.stdout(&["migrate", "run", "s.redb", "up.migration"]);
    let after = Server::start(&folder, &["s.redb"]);
    let migration = &after.json("/")["migration"];
    assert_eq!((&migration["last"]["rows"], &migration["continue_with"]), (&1.into(), &().into()));
    assert!(migration["last"]["declaration"].as_str().unwrap().contains("v2.keys"));
    assert!(after.get("/").body.contains("The last migration wrote 1 row and can be reversed."));
}

#[test]
fn structures_lead_to_their_contents() {
    let server = Server::of_shop();
    let kinds: Vec<String> = server
        .json("/structures")
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            format!("{} {}", one["kind"].as_str().unwrap(), one["keyspace"].as_str().unwrap())
        })
        .collect();
    assert_eq!(kinds, ["zset board", "queue jobs", "set friends", "hash customer"]);
    let contents = |keyspace: &str| {
        let list = server.json(&format!("/structures/shop/{keyspace}"));
        server.json(list["structures"][0]["contents"].as_str().unwrap())
    };
    let board = contents("board");
    let scores: Vec<u64> = board["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["score"].as_u64().unwrap())
        .collect();
    assert_eq!(scores, [50, 70]);
    assert_eq!(contents("jobs")["rows"][0]["state"], "ready");
    assert_eq!(contents("friends")["rows"][0]["member"], "bob");
    assert_eq!(contents("customer")["rows"][0]["value"], "ann@example.org");
}

#[test]
fn keys_are_decoded_in_every_form_or_the_nearest_is_named() {
    let server = Server::of_shop();
    let hex = server.json("/decode?key=6f3a0000000100000007");
    assert_eq!(hex[0]["readings"][0]["keyspace"], "orders");
    let base64 = server.json("/decode?form=base64&key=bzoAAAABAAAABw%3D%3D");
    assert_eq!(base64[0]["readings"][0]["keyspace"], "orders");
    let text = server.json("/decode?key=f%3Aann");
    assert_eq!(
        (&text[0]["form"], &text[0]["readings"][0]["keyspace"]),
        (&"text".into(), &"friends".into())
    );
    let near = server.json("/decode?form=hex&key=6f3a00000001");
    assert_eq!(near[0]["nearest"][0]["keyspace"], "orders");
    let wrong = server.get("/decode?form=hex&key=xyz");
    assert!(wrong.body.contains("is not a hexadecimal digit"), "{}", wrong.body);
}

#[test]
fn counts_are_lower_bounds_until_they_are_counted() {
    let server = Server::own_shop();
    let orders = |page: &serde_json::Value| {
        let all = page["keyspaces"].as_array().unwrap().iter();
        let mut found = all.filter(|one| one["keyspace"] == "orders").cloned();
        found.next().unwrap()
    };
    let before = orders(&server.json("/"));
    assert_eq!((before["rows"].as_u64(), &before["exact"]), (Some(100), &false.into()));
    let all = server.json("/");
    let mut sizes = all["keyspaces"].as_array().unwrap().iter();
    let mail = sizes.find(|one| one["keyspace"] == "customer.mail").unwrap();
    assert_eq!((&mail["rows"], &mail["exact"]), (&1.into(), &true.into()), "fields are counted");
    assert!(server.get("/").body.contains("lower bounds"));
    assert_eq!(server.post("/count", "").status, 303);
    for _ in 0..200 {
        let after = orders(&server.json("/"));
        if after["exact"] == true {
            assert_eq!(after["rows"], 121);
            assert!(server.get("/").body.contains("Counted "));
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("the rows were not counted");
}

#[test]
fn an_audit_runs_in_the_background_and_links_its_findings() {
    let server = Server::own_shop();
    assert_eq!(server.json("/audit")["running"], false);
    assert_eq!(server.post("/audit/start", "").status, 303);
    for _ in 0..200 {
        let audit = server.json("/audit");
        if audit["running"] == false {
            assert_eq!(audit["report"]["ok"], true, "{audit}");
            assert!(server.get("/audit").body.contains("Nothing is wrong"));
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("the audit did not end");
}

#[test]
fn layouts_are_compared_with_counterexamples() {
    let server = Server::of_shop();
    let new = super::server::SHOP
        .replace("{user: u32be} {order: u32be} -> text", "{user: u64be} {order: u32be} -> text");
    let form: String = new.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let answer = server.post("/diff", &format!("new={form}"));
    assert_eq!(answer.status, 200);
    assert!(answer.body.contains("not backward compatible"), "{}", answer.body);
    assert!(answer.body.contains("KS101") && answer.body.contains("changed"), "{}", answer.body);
    let wrong = server.post("/diff", "new=store");
    assert!(wrong.body.contains("error"), "{}", wrong.body);
    let imports = server.post("/diff", "new=import%20%22%2Fetc%2Fpasswd%22%0Astore%20s");
    assert!(!imports.body.contains("root:"), "a pasted layout reads no files");
}

#[test]
fn search_finds_keyspaces_fields_and_types() {
    let server = Server::of_shop();
    let kinds = |word: &str| -> BTreeSet<String> {
        let hits = server.json(&format!("/search?q={word}"));
        hits.as_array()
            .unwrap()
            .iter()
            .map(|hit| {
                format!("{} {}", hit["what"].as_str().unwrap(), hit["name"].as_str().unwrap())
            })
            .collect()
    };
    assert!(
        kinds("order").is_superset(
            &[
                "keyspace orders".to_owned(),
                "keyspace by_order".to_owned(),
                "field order".to_owned()
            ]
            .into()
        )
    );
    assert!(kinds("name").contains("type Name"));
    assert!(kinds("zzz").is_empty());
}

#[test]
fn mistakes_in_addresses_say_what_is_wrong() {
    let server = Server::of_shop();
    for (path, status, words) in [
        ("/nothing", 404, "there is no page <code>/nothing</code>"),
        ("/keyspace/shop/oders", 404, "did you mean"),
        ("/keyspace/shop/orders?f.user=x", 400, "is not an integer"),
        ("/keyspace/shop/orders?f.nobody=1", 400, "there is no field"),
        ("/keyspace/shop/orders?after=xyz", 400, "is not a key"),
        ("/keyspace/shop/orders?limit=5", 400, "there is no parameter <code>limit</code>"),
        ("/keyspace/shop/orders?size=0", 400, "a number of rows from 1 to 500"),
        ("/keyspace/shop/orders?size=all", 400, "<code>all</code> is not a size of a page"),
        ("/keyspace/shop/orders?dir=up", 400, "<code>up</code> is not a direction"),
        ("/keyspace/shop/orders?scan=usr", 400, "did you mean"),
        ("/keyspace/shop/orders?from=1", 400, "needs a scan with an order"),
        ("/keyspace/shop/orders?after=6f&before=6f", 400, "exclude each other"),
        ("/decode?kye=6f", 400, "did you mean <code>key</code>?"),
        ("/decode?key=6f&form=octal", 400, "there is no form"),
        ("/decode?key=6fg&form=hex", 400, "is not a hexadecimal digit"),
        ("/structures/shop/jobs?after=x", 400, "is not"),
        ("/audit?x=1", 400, "this page has no parameters"),
        ("/diff?level=sideways", 400, "there is no level"),
        ("/row/shop/zz", 400, "is not a key"),
        ("/row/shop/6f3a", 404, "has no row"),
        ("/row/none/6f3a", 404, "has no store"),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}");
        assert!(answer.body.contains(words), "{path}: {}", answer.body);
    }
    let problem = server.json("/keyspace/shop/orders?limit=5");
    assert_eq!(problem["error"], "there is no parameter `limit`");
    assert!(problem["help"].as_str().unwrap().contains("`f.FIELD`, `scan`"), "{problem}");
    for size in ["0", "x", "501"] {
        let problem = server.json(&format!("/keyspace/shop/orders?size={size}"));
        assert_eq!(problem["error"], format!("`size`: `{size}` is not a size of a page"));
    }
    let long = "1".repeat(2 << 20);
    assert_eq!(server.post("/diff", &format!("new={long}")).status, 413);
}
