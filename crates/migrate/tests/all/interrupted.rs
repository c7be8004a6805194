//! A run that is interrupted at any call continues, and ends with the same rows.

use crate::harness::{
    Pair, Rows, fill, interrupt_at_each_call, memory, meta, prove, prove_back, rows, runner,
};
use keyscape_evolution::migration::{Migration, Proof};
use keyscape_migrate::{Digest, MigrateError, Plan, RowProblem, Runner};
use keyscape_store::{Db, LayoutError, SavedMigration, StoreId};
use keyscape_testkit::{Failing, Fault};
use std::sync::Arc;

const OLD: &str = r#"
store shop
type Kind = "sale" | "gift"
map orders = "o/" {kind: Kind} "/" {customer: u16le} {order: u8} -> u32be
index by_order of orders = "i/" {order} {kind} "/" {customer: u16be} -> empty
map tags = "t/" {tag: text(r"[a-z]{1,4}")} -> dec
map carts = "c/" {customer: u16be} -> json
"#;

const NEW: &str = r#"
store shop version 2
map orders = "p/" {user: u16be} {order: u8} -> u64be
map gifts = "g/" {user: u16be} {order: u8} -> u64be
index by_order of orders = "i/" {order} {user} -> empty
map tags = "t/" {tag: text(r"[a-z]{1,4}")} -> dec
map carts = "c/" {customer: u16be} -> json
"#;

const MOVES: &str = r#"
move orders where kind is gift to gifts { user = customer }
move orders { user = customer }
"#;

fn shop() -> Rows {
    let mut rows = Rows::new();
    let mut put = |key: Vec<u8>, value: &[u8]| {
        rows.insert(("shop".to_owned(), key), value.to_vec());
    };
    for customer in 0..4_u16 {
        for (kind, order) in [("sale", 1_u8), ("gift", 1), ("sale", 200)] {
            let [low, high] = customer.to_le_bytes();
            let mut key = format!("o/{kind}/").into_bytes();
            key.extend([low, high, order]);
            put(key, &u32::from(order).to_be_bytes());
            let mut entry = b"i/".to_vec();
            entry.push(order);
            entry.extend(format!("{kind}/").into_bytes());
            entry.extend(customer.to_be_bytes());
            put(entry, b"");
        }
        put([b"c/".to_vec(), customer.to_be_bytes().to_vec()].concat(), b"[]");
    }
    put(b"t/red".to_vec(), b"7");
    rows
}

fn moved() -> Rows {
    let mut rows = Rows::new();
    let mut put = |key: Vec<u8>, value: &[u8]| {
        rows.insert(("shop".to_owned(), key), value.to_vec());
    };
    for user in 0..4_u16 {
        for (prefix, order) in [("p/", 1_u8), ("g/", 1), ("p/", 200)] {
            let key = [prefix.as_bytes(), &user.to_be_bytes(), &[order]].concat();
            put(key, &u64::from(order).to_be_bytes());
            if prefix == "p/" {
                put([b"i/", &[order][..], &user.to_be_bytes()].concat(), b"");
            }
        }
        put([b"c/".to_vec(), user.to_be_bytes().to_vec()].concat(), b"[]");
    }
    put(b"t/red".to_vec(), b"7");
    rows
}

#[test]
fn a_run_in_place_that_is_interrupted_at_any_call_ends_with_the_same_rows() {
    let pair = Pair::new(OLD, NEW);
    let migration = pair.migration(MOVES);
    let proof = prove(&migration);
    let spaces = ["shop".to_owned()];
    assert!(proof.may_run_in_place(), "{:?}", proof.answers);
    let run = |db: &Db| runner(&migration, &proof, MOVES).run_in_place(db, &proof, || ()).map(drop);
    let whole = Db::from(memory(&spaces));
    fill(&whole, &pair.old, &shop());
    run(&whole).unwrap();
    assert_eq!(rows(&whole, &spaces), moved());
    let filled = || {
        let database = memory(&spaces);
        fill(&Db::from(Arc::clone(&database)), &pair.old, &shop());
        database
    };
    let interrupted = interrupt_at_each_call(&filled, &run, &|db, about| {
        assert_eq!(rows(db, &spaces), moved(), "{about}");
        assert_eq!(meta(db), meta(&whole), "{about}");
    });
    assert!(interrupted > 100, "{interrupted}");
}

#[test]
fn a_copy_that_is_interrupted_at_any_call_ends_with_the_same_rows() {
    let pair = Pair::new(OLD, NEW);
    let migration = pair.migration(MOVES);
    let proof = prove(&migration);
    let spaces = ["shop".to_owned()];
    let old = Db::from(memory(&spaces));
    fill(&old, &pair.old, &shop());
    let run = |db: &Db| runner(&migration, &proof, MOVES).run_copy(&old, db, || ()).map(drop);
    let whole = Db::from(memory(&spaces));
    run(&whole).unwrap();
    interrupt_at_each_call(&|| memory(&spaces), &run, &|db, about| {
        assert_eq!(rows(db, &spaces), moved(), "{about}");
        assert_eq!(meta(db), meta(&whole), "{about}");
    });
    assert_eq!(rows(&old, &spaces), shop(), "the old database does not change");
    let runner = runner(&migration, &proof, MOVES);
    assert_eq!(runner.verify_copy(&old, &whole, || ()).unwrap(), Vec::new());
    whole.write(|tx| tx.put(StoreId::of("shop"), b"t/red", b"8")).unwrap();
    whole.write(|tx| tx.put(StoreId::of("shop"), b"t/blue", b"8")).unwrap();
    assert_eq!(runner.verify_copy(&old, &whole, || ()).unwrap().len(), 2);
}

/// Returns a database in which a run in place was interrupted in the middle.
fn interrupted(pair: &Pair, runner: &Runner<'_>, proof: &Proof) -> Db {
    let database = memory(&["shop".to_owned()]);
    let db = Db::from(Arc::clone(&database));
    fill(&db, &pair.old, &shop());
    let failing = Failing::at(database, 150, Fault::Before);
    runner.run_in_place(&Db::new(failing), proof, || ()).unwrap_err();
    db
}

#[test]
fn nobody_opens_a_database_while_a_migration_is_interrupted() {
    let pair = Pair::new(OLD, NEW);
    let migration = pair.migration(MOVES);
    let proof = prove(&migration);
    let runner = runner(&migration, &proof, MOVES);
    let db = interrupted(&pair, &runner, &proof);
    assert!(Plan::running(&db.read().unwrap()).unwrap().is_some(), "it has begun");
    for layout in [&pair.old, &pair.new] {
        let opened = keyscape_inspect::database::SavedLayout::of(layout)
            .lend(&[], |saved| db.admit(&[saved]));
        assert!(
            matches!(opened, Err(LayoutError::Migrating { command }) if &*command == "the test")
        );
    }
    let other = pair.migration("move orders where kind is gift to gifts { user = customer }\nmove orders { user = customer }\ndrop carts \"x\"");
    let theirs = prove(&other);
    let other = Runner::new(&other, &theirs, "another", "x").unwrap();
    let refused = other.run_in_place(&db, &theirs, || ());
    assert!(matches!(refused, Err(MigrateError::Other { .. })), "{refused:?}");
}

#[test]
fn a_saved_position_that_cannot_be_read_stops_the_migration() {
    let pair = Pair::new(OLD, NEW);
    let migration = pair.migration(MOVES);
    let proof = prove(&migration);
    let runner = runner(&migration, &proof, MOVES);
    let db = interrupted(&pair, &runner, &proof);
    let saved = SavedMigration::position(&db.read().unwrap()).unwrap().unwrap();
    // Phase, digest, number of the space, whether a key follows, key.
    let (start, key) = saved.split_at(1 + 5 * 8 + 4);
    assert_eq!((start[0], key[0] <= 1), (b'R', true));
    let with_end = |end: &[u8]| [start, end].concat();
    let other_phase = [b"x", &saved[1..]].concat();
    for bad in
        [vec![], b"R".to_vec(), with_end(b""), with_end(b"\x02"), with_end(b"\0k"), other_phase]
    {
        db.write(|tx| SavedMigration::set_position(tx, &bad)).unwrap();
        let stopped = runner.run_in_place(&db, &proof, || ());
        assert!(matches!(stopped, Err(MigrateError::Plan)), "{bad:?}: {stopped:?}");
    }
    db.write(|tx| SavedMigration::set_position(tx, &saved)).unwrap();
    assert!(runner.run_in_place(&db, &proof, || ()).unwrap().continued);
}

#[test]
fn a_digest_depends_on_the_rows_and_not_on_their_order() {
    let of = |rows: &[(&str, &[u8], &[u8])]| {
        let mut digest = Digest::default();
        rows.iter().for_each(|(space, key, value)| digest.add(space, key, value));
        digest
    };
    let (a, b): ((&str, &[u8], &[u8]), _) = (("s", b"k", b"v"), ("s", &b"kv"[..], &b""[..]));
    assert_eq!(of(&[a, b]), of(&[b, a]));
    for other in [of(&[a]), of(&[b, b]), of(&[a, ("t", b"kv", b"")]), of(&[a, ("s", b"k", b"v")])] {
        assert_ne!(of(&[a, b]), other);
    }
}

#[test]
fn a_plan_that_is_decoded_is_the_same() {
    let mut digest = Digest::default();
    digest.add("s", b"k", b"v");
    let [declaration, old, new] = ["move a", "store s", "store s version 2"].map(str::to_owned);
    for inverse in [None, Some(String::new()), Some("move b".to_owned())] {
        let (declaration, old, new) = (declaration.clone(), old.clone(), new.clone());
        let plan = Plan { declaration, old, new, inverse, digest };
        let bytes = plan.encode();
        assert_eq!(Plan::decode(&bytes), Some(plan));
        for cut in 1..=16 * 4 {
            assert_eq!(Plan::decode(&bytes[..bytes.len() - cut]), None, "{cut}");
        }
    }
}

#[test]
fn a_rollback_restores_every_row() {
    let pair = Pair::new(OLD, NEW);
    let migration = pair.migration(MOVES);
    let proof = prove(&migration);
    let spaces = ["shop".to_owned()];
    let db = Db::from(memory(&spaces));
    fill(&db, &pair.old, &shop());
    let forward = runner(&migration, &proof, MOVES);
    forward.run_in_place(&db, &proof, || ()).unwrap();
    let plan = Plan::last(&db.read().unwrap()).unwrap().unwrap();
    assert_eq!(forward.digest_new(&db, || ()).unwrap(), plan.digest, "verified by its digest");
    let text = plan.inverse.expect("it is reversible");
    let inverse = Migration::read(&text, &pair.new, &pair.old).unwrap();
    let back = prove_back(&inverse);
    let back_again = Runner::rollback(&inverse, &back, &text, "the test").unwrap().with_batch(2);
    back_again.run_in_place(&db, &back, || ()).unwrap();
    assert_eq!(rows(&db, &spaces), shop());
    // A row that the old layout cannot hold is found before anything moves.
    forward.run_in_place(&db, &proof, || ()).unwrap();
    db.write(|tx| tx.put(StoreId::of("shop"), b"p/\0\x09\x09", &u64::MAX.to_be_bytes())).unwrap();
    let before = rows(&db, &spaces);
    let refused = back_again.run_in_place(&db, &back, || ());
    assert!(matches!(refused, Err(MigrateError::Row { problem: RowProblem::Unfit(_), .. })));
    assert_eq!(rows(&db, &spaces), before);
}

#[test]
fn a_row_that_cannot_be_migrated_stops_a_run_before_anything_changes() {
    let pair = Pair::new(OLD, NEW);
    let migration = pair.migration(MOVES);
    let proof = prove(&migration);
    let spaces = ["shop".to_owned()];
    for (key, value, problem) in [
        (&b"x"[..], &b""[..], RowProblem::Unread("no keyspace has this key")),
        (b"o/sale/\0\0\x09", b"short", RowProblem::Value("orders".to_owned())),
    ] {
        let db = Db::from(memory(&spaces));
        let mut bad = shop();
        bad.insert(("shop".to_owned(), key.to_vec()), value.to_vec());
        fill(&db, &pair.old, &bad);
        let failed = runner(&migration, &proof, MOVES).run_in_place(&db, &proof, || ());
        match failed {
            Err(MigrateError::Row { problem: found, .. }) => assert_eq!(found, problem),
            found => panic!("{found:?}"),
        }
        assert_eq!(rows(&db, &spaces), bad);
        assert_eq!(Plan::running(&db.read().unwrap()).unwrap(), None);
    }
    let db = Db::from(memory(&["other".to_owned()]));
    let failed = runner(&migration, &proof, MOVES).run_in_place(&db, &proof, || ());
    assert!(matches!(failed, Err(MigrateError::Space { .. })), "{failed:?}");
}

/// Rows whose fields keep their bytes, get another codec or a constant, are made without decoding
/// the values of all fields. Debug builds compare every such row with the general rule.
#[test]
fn rows_are_made_from_the_bytes_of_fields() {
    let pair = Pair::new(
        r#"store s version 1
type Kind = "sale" | "gift"
map orders = "o/" {kind: Kind} "/" {name: text(not ":")[1..=8]} ":" {order: u16le} -> u16be
map tags = "t/" {tag: text[1..]} -> dec(u16)
map carts = "c/" {user: u8} -> json
"#,
        r#"store s version 2
type Kind = "sale" | "gift"
map orders = "p/" {order: u16be} {shop: u8} {kind: Kind} "/" {buyer was name: text(not ":")[1..=8]} -> u32le
map tags = "u/" {tag: text(not "-")[1..]} -> dec(u16)
"#,
    );
    let moves = "move orders { shop = 7 }\nmove tags else drop \"a dash separates\"\n\
                 drop carts \"carts are sessions\"";
    let migration = pair.migration(moves);
    let proof = prove(&migration);
    let spaces = ["s".to_owned()];
    let (mut old, mut new) = (Rows::new(), Rows::new());
    let row = |rows: &mut Rows, key: Vec<u8>, value: &[u8]| {
        rows.insert(("s".to_owned(), key), value.to_vec());
    };
    for order in 0..300_u16 {
        let kind: &[u8] = if order % 3 == 0 { b"gift" } else { b"sale" };
        let name = &b"abcdefgh"[..1 + usize::from(order % 8)];
        let key = [b"o/", kind, b"/", name, b":", &order.to_le_bytes()].concat();
        row(&mut old, key, &(order * 3).to_be_bytes());
        let key = [b"p/", &order.to_be_bytes()[..], &[7], kind, b"/", name].concat();
        row(&mut new, key, &u32::from(order * 3).to_le_bytes());
        let tag = format!("{}{order}", if order % 5 == 0 { "-" } else { "" });
        row(&mut old, format!("t/{tag}").into_bytes(), b"12");
        if order % 5 != 0 {
            row(&mut new, format!("u/{tag}").into_bytes(), b"12");
        }
    }
    row(&mut old, b"c/\x01".to_vec(), b"[1]");
    let (from, to) = (Db::from(memory(&spaces)), Db::from(memory(&spaces)));
    fill(&from, &pair.old, &old);
    let runner = runner(&migration, &proof, moves);
    runner.run_copy(&from, &to, || ()).unwrap();
    assert_eq!(rows(&to, &spaces), new);
    assert_eq!(runner.verify_copy(&from, &to, || ()).unwrap(), Vec::new());
    runner.run_in_place(&from, &proof, || ()).unwrap();
    assert_eq!(rows(&from, &spaces), new);
}

/// A claim that an author accepts is not proved: rows whose new keys meet are found in a copy.
#[test]
fn accepted_claims_of_the_new_layout_prove_nothing() {
    let lossy = "map a = \"b/\" {x: truncate(bytes[4])[2]} accept KS005 \"short\"";
    let ambiguous = "map a = \"b/\" {x: bytes[0..]} {y: bytes[0..]} accept KS002 \"known\"";
    let (four, two) =
        ("map a = \"a/\" {x: bytes[4]}", "map a = \"a/\" {x: len8(bytes[0..=9])} {y: bytes[0..]}");
    for (old, new, rows) in [
        (four, lossy, [&b"a/\0\0\0\x01"[..], b"a/\0\0\0\x02"]),
        (two, ambiguous, [b"a/\x01abc", b"a/\x02abc"]),
    ] {
        let pair = Pair::new(&format!("store s\n{old}"), &format!("store s\n{new}"));
        let migration = pair.migration("");
        let proof = prove(&migration);
        assert!(!proof.holds(keyscape_evolution::migration::Claim::Injective), "{new}");
        let spaces = ["s".to_owned()];
        let (from, to) = (Db::from(memory(&spaces)), Db::from(memory(&spaces)));
        let row = |key: &[u8]| (("s".to_owned(), key.to_vec()), Vec::new());
        fill(&from, &pair.old, &rows.into_iter().map(row).collect());
        let copied = runner(&migration, &proof, "").run_copy(&from, &to, || ());
        assert!(
            matches!(copied, Err(MigrateError::Row { problem: RowProblem::Collision, .. })),
            "{new}: {copied:?}"
        );
    }
}
