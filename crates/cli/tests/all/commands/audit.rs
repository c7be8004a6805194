//! `keyscape audit`: reports seeded damage, and repairs derived rows.

use crate::harness::{Folder, printed};
use insta::assert_snapshot;
use keyscape_store::{StoreError, StoreId, Tx};
use serde_json::Value as Json;

/// Maps with all kinds of indexes, retired prefixes, and a backend with short keys.
const SHOP: &str = r#"store shop on lmdb version 1
namespace shop = 0x01 {
    allocate data 0x01 ..= 0x0A
    reserve 0x0C "was a price cache; never reuse"
    deprecated 0x0D "old orders, read until 2027"
    map orders = 0x01 {user: u16be} {order: u16be in 0..=999} -> u32be in 0..=5000
    index by_order of orders = 0x02 {order} {user} -> const 0x01
    index by_price of orders = 0x03 {price: u32be from value} {user} {order} -> empty
    map people = 0x04 {name: text(r"[a-z]{1,500}")} -> dec(u64)
    index numbers of people = 0x05 {number: dec(u64) from value} -> bytes
        unique
    map accounts = 0x06 {id: u8} -> proto Account
    index keys of accounts = 0x07 {key: u8 from value} -> bytes
        unique
    item note = 0x08 -> json
    map hashed = 0x09 {id: blake2_128_concat(bytes[2])} -> empty
    map numbered = 0x0A {n: len8(bytes[0..=4])} -> const 0x07
}
store game structures version 1
type Name = text(r"[a-z]{1,8}")
hash player = "p:" {id: u8}
    field mail = "mail" -> text
set friends = "f:" {of: Name} member Name counted
set plain = "s:" {of: Name} member Name
zset board = "b:" {game: u8} member Name score u16be counted ranked
queue jobs = "q:" {game: u8} member Name score u16be
"#;

const STORE: StoreId = StoreId::of("shop");
const GAME: StoreId = StoreId::of("game");

/// Creates a healthy database with rows in each keyspace.
fn healthy() -> Folder {
    let folder = Folder::new().file("shop.keys", SHOP);
    folder.quiet(&["create", "a.redb", "--layout", "shop.keys"]);
    let mut lines = String::new();
    let mut line = |text: &str| {
        lines.push_str(text);
        lines.push('\n');
    };
    for order in 0..9 {
        line(&format!(
            r#"{{"keyspace":"orders","fields":{{"user":{},"order":{order}}},"value":{}}}"#,
            order % 3,
            order * 7
        ));
    }
    line(r#"{"keyspace":"people","fields":{"name":"ann"},"value":5}"#);
    line(r#"{"keyspace":"people","fields":{"name":"bob"},"value":6}"#);
    line(r#"{"keyspace":"accounts","fields":{"id":1},"value":"0x0a"}"#);
    line(r#"{"keyspace":"keys","fields":{"key":9},"value":"0x01"}"#);
    line(r#"{"keyspace":"note","fields":{},"value":{"a":1}}"#);
    line(r#"{"keyspace":"hashed","fields":{"id":"0x0102"},"value":null}"#);
    line(r#"{"keyspace":"numbered","fields":{"n":"0x0102"},"value":null}"#);
    line(r#"{"keyspace":"player.mail","hash":{"id":1},"fields":{},"value":"x"}"#);
    for name in ["ann", "bob", "cid"] {
        line(&format!(r#"{{"keyspace":"friends","fields":{{"of":"ann"}},"member":"{name}"}}"#));
        line(&format!(r#"{{"keyspace":"plain","fields":{{"of":"ann"}},"member":"{name}"}}"#));
    }
    for member in 0..150_u16 {
        let name: String =
            [member / 26, member % 26].iter().map(|&n| char::from(b'a' + n as u8)).collect();
        line(&format!(
            r#"{{"keyspace":"board","fields":{{"game":1}},"member":"{name}","score":{}}}"#,
            member % 40
        ));
    }
    for (name, score) in [("ann", 1), ("bob", 2), ("cid", 3)] {
        line(&format!(
            r#"{{"keyspace":"jobs","fields":{{"game":1}},"member":"{name}","score":{score}}}"#
        ));
    }
    folder.stdout_with(&["import", "a.redb"], lines.as_bytes());
    folder.stdout(&["queue", "claim", "a.redb", "jobs", "game=1", "--now", "5", "--until", "9"]);
    folder
}

fn change(folder: &Folder, run: impl FnMut(&mut Tx<'_>) -> Result<(), StoreError>) {
    folder.write("a.redb", &["shop", "game", "other"], run);
}

/// Returns the findings as `kind keyspace` with their counts.
fn findings(folder: &Folder, args: &[&str]) -> (Vec<(String, u64)>, i32) {
    let args = [&["audit", "a.redb", "--format", "json"], args].concat();
    let output = folder.output(&args, b"");
    let json: Json = serde_json::from_slice(&output.stdout).unwrap();
    let mut found = Vec::new();
    for finding in json["findings"].as_array().unwrap() {
        assert!(finding["examples"].as_array().unwrap().len() <= 5);
        let keyspace = finding["keyspace"].as_str().or(finding["store"].as_str()).unwrap();
        let name = format!("{} {keyspace}", finding["kind"].as_str().unwrap());
        found.push((name, finding["count"].as_u64().unwrap()));
    }
    (found, output.status.code().unwrap())
}

type Damage = fn(&mut Tx<'_>) -> Result<(), StoreError>;

/// Returns the stored key of an order.
fn order(user: u8, order: u8) -> [u8; 6] {
    [1, 1, 0, user, 0, order]
}

/// The first rank record of level 1.
const FIRST_RANK: &[u8] = b"zb:\x01\x00\x01k\x01";

/// Kinds of damage with their expected findings.
const DAMAGE: &[(&str, Damage)] = &[
    ("unknown-store other", |tx| tx.put(StoreId::of("other"), b"k", b"v")),
    ("unknown-key shop", |tx| tx.put(STORE, &[0x77, 1], b"")),
    ("unknown-key shop", |tx| tx.put(STORE, &[1, 0x0B, 1], b"")),
    // A key that is too short, and a key that is too long.
    ("outside-domain orders", |tx| tx.put(STORE, &[1, 1, 0, 1, 0], &[0; 4])),
    ("unknown-key shop", |tx| tx.put(STORE, &[1, 1, 0, 1, 0, 1, 9], &[0; 4])),
    ("outside-domain orders", |tx| tx.put(STORE, &[1, 1, 0, 1, 0xFF, 1], &[0; 4])),
    ("outside-domain people", |tx| tx.put(STORE, &[1, 4, b'A'], b"1")),
    // A digest that does not match.
    ("outside-domain hashed", |tx| tx.put(STORE, &[&[1, 9][..], &[0; 16], &[1, 2]].concat(), b"")),
    ("bad-value orders", |tx| tx.put(STORE, &order(0, 0), b"short")),
    ("bad-value orders", |tx| tx.put(STORE, &order(0, 0), &[0, 0, 0xFF, 0xFF])),
    ("bad-value people", |tx| tx.put(STORE, &[1, 4, b'z'], b"05")),
    ("bad-value note", |tx| tx.put(STORE, &[1, 8], b"{")),
    ("bad-value hashed", |tx| {
        let row = b"\x01\x09".to_vec();
        let range = keyscape_store::KeyRange::prefix(&row);
        let key = keyscape_store::Read::rows(tx, STORE, range)?.to_vec()?.remove(0).0;
        tx.put(STORE, &key, b"x")
    }),
    ("bad-value numbered", |tx| tx.put(STORE, &[1, 0x0A, 1, 9], b"\x08")),
    ("missing-entry by_order", |tx| tx.delete(STORE, &[1, 2, 0, 3, 0, 0])),
    ("missing-entry by_price", |tx| tx.put(STORE, &order(0, 0), &[0, 0, 0, 99])),
    ("stale-entry by_price", |tx| tx.put(STORE, &order(0, 0), &[0, 0, 0, 99])),
    ("dangling-entry by_order", |tx| tx.delete(STORE, &order(0, 0))),
    ("dangling-entry by_order", |tx| tx.put(STORE, &[1, 2, 0, 9, 0, 9], b"\x01")),
    ("wrong-entry by_order", |tx| tx.put(STORE, &[1, 2, 0, 3, 0, 0], b"\x02")),
    ("wrong-entry numbers", |tx| tx.put(STORE, b"\x01\x055", b"bob")),
    ("dangling-entry numbers", |tx| tx.put(STORE, b"\x01\x057", b"zed")),
    ("missing-field by_price", |tx| tx.put(STORE, &order(0, 0), b"short")),
    ("dangling-entry keys", |tx| tx.delete(STORE, &[1, 6, 1])),
    ("entry-count keys", |tx| tx.delete(STORE, &[1, 7, 9])),
    ("reserved-prefix shop", |tx| tx.put(STORE, &[1, 0x0C, 1], b"")),
    ("deprecated-prefix shop", |tx| tx.put(STORE, &[1, 0x0D, 1], b"")),
    ("key-near-limit people", |tx| {
        let name = [b'a'; 480];
        tx.put(STORE, &[&[1, 4][..], &name].concat(), b"7")?;
        tx.put(STORE, b"\x01\x057", &name)
    }),
    ("wrong-count friends", |tx| tx.put(GAME, b"sf:ann\x00\x01c", &4_u64.to_be_bytes())),
    ("wrong-count friends", |tx| tx.delete(GAME, b"sf:ann\x00\x01c")),
    ("wrong-count board", |tx| tx.put(GAME, b"zb:\x01\x00\x01c", &1_u64.to_be_bytes())),
    ("wrong-count plain", |tx| tx.put(GAME, b"ss:ann\x00\x01c", &3_u64.to_be_bytes())),
    ("bad-record game", |tx| tx.put(GAME, b"sf:ann\x00\x01mANN", b"")),
    ("bad-record game", |tx| tx.put(GAME, b"hp:\x01\x00\x01fphone", b"")),
    ("unknown-key game", |tx| tx.put(GAME, b"sf:ann", b"")),
    ("bad-record game", |tx| tx.put(GAME, b"sf:ann\x00\x01mdan", b"x")),
    ("missing-partner board", |tx| tx.delete(GAME, b"zb:\x01\x00\x01maa")),
    ("missing-partner board", |tx| tx.delete(GAME, b"zb:\x01\x00\x01s\x00\x00aa")),
    ("missing-partner board", |tx| tx.put(GAME, b"zb:\x01\x00\x01maa", &[0, 9])),
    ("wrong-rank board", |tx| tx.delete(GAME, FIRST_RANK)),
    ("wrong-rank board", |tx| tx.put(GAME, FIRST_RANK, &[0; 16])),
    ("missing-partner jobs", |tx| tx.delete(GAME, b"qq:\x01\x00\x01ibob")),
    ("missing-partner jobs", |tx| tx.delete(GAME, b"qq:\x01\x00\x01r\x00\x02bob")),
    ("missing-partner jobs", |tx| tx.put(GAME, b"qq:\x01\x00\x01dann", b"")),
    ("bad-record jobs", |tx| tx.delete(GAME, b"qq:\x01\x00\x01t")),
];

#[test]
fn a_healthy_database_has_no_findings() {
    let folder = healthy();
    assert_eq!(findings(&folder, &[]), (Vec::new(), 0));
    let text = folder.run(&["audit", "a.redb"]);
    assert!(text.contains("audited ") && text.contains(" rows: nothing is wrong\n"), "{text}");
    assert!(text.contains("largest keyspaces") && text.contains("game/board"), "{text}");
    assert!(text.contains("largest prefixes"), "{text}");
    assert_eq!(findings(&folder, &["--sample", "7"]), (Vec::new(), 0));
}

#[test]
fn every_kind_of_damage_is_found_and_named() {
    assert!(DAMAGE.len() >= 30);
    let folder = healthy();
    let file = folder.path().join("a.redb");
    let bytes = std::fs::read(&file).unwrap();
    let mut missed = Vec::new();
    for (number, (expected, damage)) in DAMAGE.iter().enumerate() {
        std::fs::write(&file, &bytes).unwrap();
        change(&folder, damage);
        let (found, exit) = findings(&folder, &[]);
        let is_found = found.iter().any(|(name, _)| name == expected);
        let is_warning = expected.starts_with("deprecated") || expected.starts_with("key-near");
        if !is_found || exit != i32::from(!is_warning) {
            missed.push(format!("{number} {expected}: {found:?}, exit {exit}"));
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn keys_with_several_readings_are_found_on_files_of_other_programs() {
    let layout = "store s\nmap a = {x: text(r\"[a-z]+\")} -> text\nmap b = \"b\" {y: text(r\"[a-z]*\")} -> text\n";
    let folder = Folder::new().file("s.keys", layout);
    folder.write("a.redb", &["s"], |tx| tx.put(StoreId::of("s"), b"bb", b"v"));
    let (found, exit) = findings(&folder, &["--layout", "s.keys"]);
    assert_eq!((found, exit), (vec![("ambiguous-key a".to_owned(), 1)], 1));
}

#[test]
fn findings_are_grouped_with_examples() {
    let folder = healthy();
    change(&folder, |tx| {
        (0..9).try_for_each(|n| tx.delete(STORE, &[1, 2, 0, n, 0, n % 3]))?;
        tx.put(STORE, &[0x77, 1], b"")
    });
    let text = folder.run(&["audit", "a.redb", "--examples", "2"]);
    let text = text.split("audited").next().unwrap();
    assert_snapshot!(text, @"
    --- stdout
    error[unknown-key]: shop: keys that no keyspace has: 1
      7701  nearest: `orders`: byte 0 is 0x77, expected 0x01
    error[missing-entry]: shop/by_order: rows without an index entry: 9
      010100000000  the row has no entry 010200000000
      010100000003  the row has no entry 010200030000
      and 7 more
    ");
    let sarif = folder.output(&["audit", "a.redb", "--format", "sarif"], b"");
    let sarif: Json = serde_json::from_slice(&sarif.stdout).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> =
        results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["unknown-key", "missing-entry"]);
    assert_eq!(results[1]["properties"]["count"], 9);
    let uri = &results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "a.redb");
}

#[test]
fn only_derived_rows_are_repaired() {
    let folder = healthy();
    let export = |folder: &Folder| folder.output(&["export", "a.redb"], b"").stdout;
    let before = export(&folder);
    // A count that is wrong, and one that is no number.
    for (count, kinds) in [(&4_u64.to_be_bytes()[..], 6), (b"no number", 7)] {
        change(&folder, |tx| {
            tx.delete(STORE, &[1, 2, 0, 3, 0, 0])?;
            tx.put(STORE, &[1, 2, 0, 9, 0, 9], b"\x01")?;
            tx.delete(STORE, b"\x01\x055")?;
            tx.put(GAME, b"sf:ann\x00\x01c", count)?;
            // A key before all sets of `friends` that belongs to no structure.
            tx.put(GAME, b"sf:", b"")?;
            tx.delete(GAME, FIRST_RANK)
        });
        let (found, _) = findings(&folder, &[]);
        assert_eq!(found.len(), kinds, "{found:?}");
        let repair = ["audit", "a.redb", "--repair", "indexes,counts"];
        let repaired = String::from_utf8(folder.output(&repair, b"").stderr).unwrap();
        let expected = "rebuilt index `by_order`\nrebuilt index `numbers`\n\
                        counted the members of 3 structures\n";
        assert_eq!(repaired, expected);
        assert_eq!(findings(&folder, &[]), (vec![("unknown-key game".to_owned(), 1)], 1));
        change(&folder, |tx| tx.delete(GAME, b"sf:"));
        assert_eq!(findings(&folder, &[]), (Vec::new(), 0));
    }
    // The tree of ranks may have another shape with the same counts.
    let rows = |bytes: &[u8]| {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        text.lines()
            .filter(|line| !line.contains("\"rank\""))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&export(&folder)), rows(&before));
    // A row that is not derived stays as it is.
    change(&folder, |tx| tx.put(STORE, &order(0, 0), b"short"));
    let damaged = export(&folder);
    let (_, exit) = findings(&folder, &["--repair", "counts"]);
    assert_eq!((export(&folder), exit), (damaged, 1));
}

/// A repair rebuilds what it can: some indexes need the program, and the rows of others do not
/// provide their fields.
#[test]
fn indexes_that_cannot_be_rebuilt_do_not_end_a_repair() {
    let layout = "store s\n\
        map accounts = \"a\" {id: u8} -> proto Account\n\
        index keys of accounts = \"k\" {key: u8 from value} -> bytes\n    unique\n\
        map tasks = \"t\" {id: u8} -> json\n\
        index by_due of tasks = \"d\" {due: u8 from value due} {id} -> empty\n\
        index by_id of tasks = \"i\" {id} -> empty\n\
        map people = \"p\" {name: text(r\"[a-z]{1,8}\")} -> dec(u64)\n\
        index numbers of people = \"n\" {number: dec(u64) from value} -> bytes\n    unique\n";
    let folder = Folder::new().database("s", layout);
    let lines = r#"{"keyspace":"accounts","fields":{"id":1},"value":"0x0a"}
{"keyspace":"keys","fields":{"key":9},"value":"0x01"}
{"keyspace":"tasks","fields":{"id":1},"value":{"due":7}}
{"keyspace":"people","fields":{"name":"ann"},"value":5}
"#;
    folder.stdout_with(&["import", "s.redb"], lines.as_bytes());
    folder.write("s.redb", &["s"], |tx| {
        let store = StoreId::of("s");
        tx.put(store, b"k\x08", &[5])?;
        tx.put(store, b"t\x02", br#"{"due":"soon"}"#)?;
        tx.delete(store, b"d\x07\x01")?;
        tx.put(store, b"i\x02", b"")?;
        tx.put(store, b"pbob", b"5")?;
        tx.put(store, b"n7", b"zed")?;
        tx.delete(store, b"i\x01")
    });
    let repair = ["audit", "s.redb", "--repair", "indexes"];
    let repaired = folder.output(&repair, b"");
    assert_eq!(repaired.status.code(), Some(1));
    assert_snapshot!(String::from_utf8(repaired.stderr).unwrap(), @"
    error: `keys` takes `key` from the values of `accounts`, which only the program can decode
      help: build it with the program: open the database with `build_indexes()`
    error: `by_due` takes `due` from the stored value of `tasks`, which does not provide it: field `due`: `soon` is not an integer: `s` at position 1 is not a digit
      help: replace the row with `keyscape import`, then build the index again with `keyscape index build`
    rebuilt index `by_id`
    error: `numbers` is unique, and its entry 0x6e35 belongs to another row: 0x616e6e
    ");
    let repaired = String::from_utf8(repaired.stdout).unwrap();
    assert_snapshot!(repaired.split("audited").next().unwrap(), @"
    error[missing-field]: s/by_due: rows whose value does not provide a field of the index: 1
      7402  the value does not provide `due`: field `due`: `soon` is not an integer: `s` at position 1 is not a digit
    error[missing-entry]: s/by_due: rows without an index entry: 1
      7401  the row has no entry 640701
    error[wrong-entry]: s/numbers: index entries with a wrong value: 1
      70626f62  the entry 6e35 of the row has a wrong value
    error[dangling-entry]: s/keys: index entries without a row: 1
      6b08  the row of the entry does not exist
    error[dangling-entry]: s/numbers: index entries without a row: 1
      6e37  the row of the entry does not exist
    error[entry-count]: s/keys: the number of index entries is not that of the rows: 1
      2 entries for 1 row of `accounts`
    ");
    let checked = folder.run(&["index", "check", "s.redb", "by_due"]);
    assert_snapshot!(checked, @"
    --- stderr
    error[missing-field]: s/by_due: rows whose value does not provide a field of the index: 1
      7402  the value does not provide `due`: field `due`: `soon` is not an integer: `s` at position 1 is not a digit
    error[missing-entry]: s/by_due: rows without an index entry: 1
      7401  the row has no entry 640701
    error: index `by_due` does not agree with `tasks`
      help: replace the row with `keyscape import`, then build the index again with `keyscape index build`
    --- exit 1
    ");
    // The indexes are as readable as before.
    folder.stdout(&["scan", "s.redb", "by_due"]);
    folder.stdout(&["scan", "s.redb", "numbers"]);
    // Two rows with one entry that neither of them has yet are found during the build.
    folder.write("s.redb", &["s"], |tx| tx.delete(StoreId::of("s"), b"n5"));
    let built = folder.run(&["index", "build", "s.redb", "numbers"]);
    assert!(built.contains("`numbers` is unique") && built.ends_with("--- exit 1\n"), "{built}");
    folder.stdout(&["scan", "s.redb", "numbers"]);
    folder.quiet(&["delete", "s.redb", "people", "name=bob"]);
    let task = r#"{"keyspace":"tasks","fields":{"id":2},"value":{"due":8}}"#;
    folder.stdout_with(&["import", "s.redb"], task.as_bytes());
    let repaired = folder.run(&repair);
    assert!(repaired.contains("rebuilt index `by_due`\n"), "{repaired}");
    assert!(!repaired.contains("rebuilt index `by_id`"), "{repaired}");
    folder.write("s.redb", &["s"], |tx| tx.delete(StoreId::of("s"), b"k\x08"));
    assert_snapshot!(printed(folder.run(&["index", "check", "s.redb", "keys"])), @"index `keys` agrees with `accounts`, as far as entries can be computed without the program");
}
