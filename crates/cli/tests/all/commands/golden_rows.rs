//! Rows that the Cosmos SDK wrote, through the program: decoded, encoded, adopted, exported,
//! imported.

use crate::harness::Folder;
use keyscape_store::{Db, KeyRange, Read, Spaces, StoreId};
use keyscape_store_redb::Options;
use keyscape_testkit::{
    corpus::{self, StoredRow},
    hex,
};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

const DEPLOYED: &str = include_str!("../../../../../layouts/bank/deployed.keys");
const SOUND: &str = include_str!("../../../../../layouts/bank/sound.keys");

/// Values by store and key.
type Stored = BTreeMap<(String, Vec<u8>), Vec<u8>>;

fn rows() -> Vec<StoredRow> {
    corpus::lines("golden/bank_rows.jsonl.gz")
}

fn folder() -> Folder {
    Folder::new().file("deployed.keys", DEPLOYED).file("sound.keys", SOUND)
}

/// Writes rows into a file without a layout.
fn write(folder: &Folder, name: &str, stores: &[&str], rows: &Stored) {
    folder.write(name, stores, |tx| {
        rows.iter().try_for_each(|((store, key), value)| tx.put(StoreId::of(store), key, value))
    });
}

/// Returns all rows of a file.
fn read(folder: &Folder, name: &str, stores: &[&str]) -> Stored {
    let spaces = Spaces::new(stores).unwrap();
    let db = Db::new(Options::new().open(folder.path().join(name), spaces).unwrap());
    let state = db.read().unwrap();
    let mut found = Stored::new();
    for store in stores {
        let mut rows = state.rows(StoreId::of(store), KeyRange::all()).unwrap();
        while let Some(row) = rows.next().unwrap() {
            found.insert(((*store).to_owned(), row.key.to_vec()), row.value.to_vec());
        }
    }
    found
}

const STORES: &[&str] = &["acc", "bank"];

/// Returns rows by key, with the last value of each key.
fn by_key(rows: impl IntoIterator<Item = StoredRow>) -> Stored {
    rows.into_iter().map(|row| ((row.store, row.key), row.bytes)).collect()
}

/// Returns the rows whose index entries the corpus contains, and those entries. Each keyspace of
/// the corpus is an independent sample, and an import rejects an index that does not match its
/// rows. Holders are written with their balances.
fn agreeing() -> Vec<StoredRow> {
    let rows = rows();
    let of = |name: &'static str| rows.iter().filter(move |row| row.keyspace == name);
    let accounts: BTreeSet<&[u8]> = of("accounts").map(|row| &row.key[1..]).collect();
    let numbered: BTreeSet<&[u8]> = of("account_numbers").map(|row| &*row.bytes).collect();
    let kept = |row: &&StoredRow| match &*row.keyspace {
        "holders" => false,
        "accounts" => numbered.contains(&row.key[1..]),
        "account_numbers" => accounts.contains(&*row.bytes),
        _ => true,
    };
    rows.iter().filter(kept).cloned().collect()
}

#[test]
fn all_rows_of_the_sdk_are_adopted_exported_and_imported() {
    let (folder, stored, agreeing) = (folder(), by_key(rows()), by_key(agreeing()));
    for layout in ["deployed.keys", "sound.keys"] {
        let (node, copy) = (format!("{layout}.node.redb"), format!("{layout}.copy.redb"));
        write(&folder, &node, STORES, &stored);
        // The keyspaces of the corpus are independent samples, so the indexes do not match.
        let refused = folder.output(&["adopt", &node, "--layout", layout], b"");
        assert_eq!(refused.status.code(), Some(1));
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(message.contains("dangling-entry") && message.contains("nothing is written"));
        assert_eq!(read(&folder, &node, STORES), stored, "a refused file is not changed");
        let lines = folder.stdout(&["export", &node, "--layout", layout]);
        assert!(!lines.contains("\"raw\"") && !lines.contains("\"reads\""));
        assert_eq!(lines.lines().count(), stored.len());
        assert!(lines.lines().any(|line| {
            line.contains("\"send_enabled\"") && line.ends_with("\"value\":false}")
        }));
        let whole = format!("{layout}.whole.redb");
        write(&folder, &whole, STORES, &agreeing);
        let lines = folder.stdout(&["export", &whole, "--layout", layout]);
        folder.stdout_with(&["import", &copy, "--create", "--layout", layout], lines.as_bytes());
        let mut copied = read(&folder, &copy, STORES);
        let complete = format!("{layout}.complete.redb");
        write(&folder, &complete, STORES, &copied);
        folder.stdout(&["adopt", &complete, "--layout", layout]);
        assert_eq!(read(&folder, &complete, STORES), copied, "adopting changes nothing");
        assert_eq!(folder.stdout(&["export", &complete]).lines().count(), copied.len());
        copied.retain(|(store, key), _| !(store == "bank" && key.starts_with(&[0x03])));
        assert_eq!(copied, agreeing);
    }
}

#[test]
fn all_keys_of_the_sdk_are_decoded_and_encoded() {
    let (folder, rows) = (folder(), rows());
    let mut seen = BTreeSet::new();
    for store in STORES {
        let of = |row: &&StoredRow| row.store == *store;
        let keys: String = rows.iter().filter(of).map(|row| hex(&row.key) + "\n").collect();
        let lines = folder.stdout_with(&["decode", "sound.keys"], keys.as_bytes());
        assert_eq!(lines.lines().count(), rows.iter().filter(of).count());
        for (row, line) in rows.iter().filter(of).zip(lines.lines()) {
            let line: Json = serde_json::from_str(line).unwrap();
            let readings = line["readings"].as_array().unwrap();
            let own = readings.iter().find(|reading| reading["store"] == *store).unwrap();
            assert_eq!(own["keyspace"], *row.keyspace, "{row:?}");
            assert_eq!(own["fields"], row.fields, "{row:?}");
            // One row of each keyspace, because encoding starts a process.
            if seen.insert(row.keyspace.clone()) {
                let name = format!("{store}/{}", row.keyspace);
                let fields = row.fields.to_string();
                let key = folder.stdout(&["encode", "sound.keys", &name, "--json", &fields]);
                assert_eq!(key.trim(), hex(&row.key));
            }
        }
    }
    assert_eq!(seen.len(), 10);
}

/// Version 1 of the bank's layout wrote booleans as one byte and had another name for a store.
#[test]
fn a_bank_of_version_1_is_refused_and_can_be_moved() {
    let first = SOUND
        .replace("store bank version 2", "store bank version 1")
        .replace("-> proto BoolValue", "-> bool")
        .replace("store acc version", "store auth version");
    assert!(first.contains("-> bool") && first.contains("store auth"));
    let folder = folder().file("first.keys", &first);
    folder.stdout(&["create", "old.redb", "--layout", "first.keys"]);
    for (denom, enabled) in [("uatom", "true"), ("stake", "false")] {
        let field = format!("denom={denom}");
        let put =
            ["put", "old.redb", "--layout", "first.keys", "send_enabled", &field, "--", enabled];
        folder.stdout(&put);
    }
    let put = ["put", "old.redb", "--layout", "first.keys", "next_account_number", "--", "7"];
    folder.stdout(&put);
    let refused =
        folder.output(&["scan", "old.redb", "--layout", "sound.keys", "send_enabled"], b"");
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.stdout.is_empty() && message.contains("version"), "{message}");
    let lines = folder.stdout(&["export", "old.redb", "--layout", "first.keys"]);
    let lines = lines.replace("\"store\":\"auth\"", "\"store\":\"acc\"");
    folder.stdout_with(
        &["import", "--create", "new.redb", "--layout", "sound.keys"],
        lines.as_bytes(),
    );
    let found = read(&folder, "new.redb", STORES);
    let row =
        |store: &str, key: &[u8], value: &[u8]| ((store.to_owned(), key.to_vec()), value.to_vec());
    let expected = [
        row("acc", b"\x02", &7_u64.to_be_bytes()),
        row("bank", b"\x04stake", b""),
        row("bank", b"\x04uatom", b"\x08\x01"),
    ];
    assert_eq!(found, expected.into());
}
