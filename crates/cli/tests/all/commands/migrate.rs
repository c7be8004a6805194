//! `keyscape migrate`

use crate::harness::{Folder, printed, refuted, rejected};
use insta::assert_snapshot;
use serde_json::Value;
use std::time::Duration;

const OLD: &str = r#"store shop version 1
type Kind = "sale" | "gift"
map orders = "o/" {kind: Kind} "/" {customer: u32le} {order: u32be} -> u32be
    scan all
index by_order of orders = "i/" {order} {kind} "/" {customer: u32be} -> empty
map carts = "c/" {customer: u32be} -> json
"#;

const NEW: &str = r#"store shop version 2
map orders = "p/" {user: u32be} {order: u32be} -> u64be
    scan user by order
map gifts = "g/" {user: u32be} {order: u32be} -> u64be
index by_order of orders = "i/" {order} {user} -> empty
map carts = "c/" {customer: u32be} -> json
"#;

const MOVES: &str = r#"from "old.keys" to "new.keys"

move orders where kind is gift to gifts { user = customer }
move orders { user = customer }
"#;

fn shop(orders: usize) -> Folder {
    let folder =
        Folder::new().file("old.keys", OLD).file("new.keys", NEW).file("v1-to-v2.migration", MOVES);
    let mut lines = String::new();
    for order in 0..orders {
        let kind = if order % 3 == 0 { "gift" } else { "sale" };
        let (customer, value) = (order % 7, order % 1000);
        lines.push_str(&format!(
            "{{\"keyspace\":\"orders\",\"fields\":{{\"kind\":\"{kind}\",\"customer\":{customer},\"order\":{order}}},\"value\":{value}}}\n"
        ));
    }
    lines.push_str("{\"keyspace\":\"carts\",\"fields\":{\"customer\":7},\"value\":[1]}\n");
    folder.stdout(&["create", "shop.redb", "--layout", "old.keys"]);
    folder.stdout_with(&["import", "shop.redb"], lines.as_bytes());
    folder
}

#[test]
fn a_plan_shows_verdicts_rows_and_modes() {
    assert_snapshot!(printed(shop(6).run(&["migrate", "plan", "shop.redb", "v1-to-v2.migration"])), @"
    KS111 total        proved   every old row is moved or dropped by name
    KS112 injective    proved   no two old rows get the same new key
    KS113 fitting      proved   every moved value is in the domain of the new field
    KS114 restartable  proved   every key of a half-migrated store is known to be old or new
    KS115 reversible   proved   the inverse migration exists

    some rows of orders move to gifts
    the other rows of orders move to orders
    entries of by_order are built again

    orders: 6 moved
    by_order: 6 derived again
    carts: 1 kept
    7 new rows in about 1 second
    mode: in place or copy with --to
    ");
}

#[test]
fn a_plan_without_a_database_has_no_rows_and_shows_counterexamples() {
    let folder = Folder::new().file("old.keys", OLD).file("new.keys", NEW).file(
        "bad.migration",
        "move orders where kind is gift to gifts { user = customer }\ndrop carts \"gone\"\n",
    );
    assert_snapshot!(refuted(folder.run(&["migrate", "plan", "old.keys", "bad.migration", "--new", "new.keys"])), @r#"
    error[KS111]: rows of `orders` are neither moved nor dropped
     --> old.keys:3:5
      |
    3 | map orders = "o/" {kind: Kind} "/" {customer: u32le} {order: u32be} -> u32be
      |     ^^^^^^
      old orders   kind=sale customer=0 order=0   6f 2f 73 61 6c 65 2f 00 00 00 00 00 00 00 00   o/sale/········
      help: write `move … to …`, or `drop … "reason"`

    warning[KS115]: rows of `carts` are dropped and cannot come back: gone
     --> old.keys:6:5
      |
    6 | map carts = "c/" {customer: u32be} -> json
      |     ^^^^^

    KS111 total        refuted  every old row is moved or dropped by name
    KS112 injective    proved   no two old rows get the same new key
    KS113 fitting      proved   every moved value is in the domain of the new field
    KS114 restartable  proved   every key of a half-migrated store is known to be old or new
    KS115 reversible   refuted  the inverse migration exists

    some rows of orders move to gifts
    all rows of carts are dropped: gone
    entries of by_order are built again
    mode: none
    "#);
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let folder = Folder::new()
        .file("old.keys", OLD)
        .file("new.keys", NEW)
        .file("bad.migration", "from \"old.keys\" to \"new.keys\"\nmove order to gifts\nmvoe orders\nmove orders { usr = customer }\n");
    assert_snapshot!(rejected(folder.run(&["migrate", "plan", "old.keys", "bad.migration"])), @"
    error: the old layout has no keyspace `order`
     --> bad.migration:2:6
      |
    2 | move order to gifts
      |      ^^^^^
      help: did you mean `orders`?

    error: expected `move`, `drop` or `ambiguous`, found `mvoe`
     --> bad.migration:3:1
      |
    3 | mvoe orders
      | ^^^^ expected a statement
      help: did you mean `move`?

    error: the field `user` of `orders` has no value
     --> bad.migration:4:6
      |
    4 | move orders { usr = customer }
      |      ^^^^^^
      help: write `user = …`: an old field, or a constant

    error: the new keyspace has no field `usr`
     --> bad.migration:4:15
      |
    4 | move orders { usr = customer }
      |               ^^^
      help: did you mean `user`?

    bad.migration: 4 mistakes
    ");
}

#[test]
fn a_plan_is_one_json_object() {
    let folder = shop(6);
    let plan =
        folder.stdout(&["migrate", "plan", "shop.redb", "v1-to-v2.migration", "--format", "json"]);
    let plan: Value = serde_json::from_str(&plan).unwrap();
    assert_eq!(plan["modes"], serde_json::json!(["in place", "copy"]));
    let orders = plan["keyspaces"].as_array().unwrap().iter().find(|k| k["keyspace"] == "orders");
    assert_eq!(orders.unwrap()["moved"], 6);
    assert!(plan["claims"].as_array().unwrap().iter().all(|claim| claim["verdict"] == "proved"));
    assert!(plan["inverse"].as_str().unwrap().contains("move gifts to orders"));
}

#[test]
fn rows_move_in_place_are_verified_and_come_back() {
    let folder = shop(40);
    let before = folder.stdout(&["export", "shop.redb"]);
    folder.copy("shop.redb", "backup.redb");
    folder.stdout(&["migrate", "run", "shop.redb", "v1-to-v2.migration", "--batch", "7"]);
    assert_eq!(folder.stdout(&["count", "shop.redb", "gifts"]).trim(), "14");
    folder.stdout(&["audit", "shop.redb"]);
    folder.stdout(&["index", "check", "shop.redb", "by_order"]);
    folder.stdout(&["migrate", "verify", "shop.redb"]);
    folder.stdout(&["migrate", "verify", "shop.redb", "--against", "backup.redb"]);
    // A row that was written since then differs.
    folder.stdout(&["put", "shop.redb", "gifts", "user=9", "order=9", "--", "9"]);
    let differs = folder.output(&["migrate", "verify", "shop.redb"], b"");
    assert_eq!(differs.status.code(), Some(1));
    folder.stdout(&["delete", "shop.redb", "gifts", "user=9", "order=9"]);
    folder.stdout(&["migrate", "rollback", "shop.redb"]);
    assert_eq!(folder.stdout(&["export", "shop.redb"]), before);
    let again = folder.run(&["migrate", "rollback", "shop.redb"]);
    assert!(again.contains("cannot be undone: it was a rollback itself"), "{again}");
    assert_eq!(folder.stdout(&["export", "shop.redb"]), before);
}

#[test]
fn a_migration_starts_from_the_layout_that_it_names() {
    let folder =
        shop(6).file("other.keys", "store shop\nmap carts = \"c/\" {customer: u32be} -> json\n");
    let folder = folder.file("other.migration", "from \"other.keys\" to \"new.keys\"\n");
    assert_snapshot!(rejected(folder.run(&["migrate", "plan", "shop.redb", "other.migration"])), @"
    error: `shop.redb` does not have the layout `other.keys` that the migration starts from
      help: `keyscape diff other.keys shop.redb` shows the differences
    ");
    folder.stdout(&["migrate", "run", "shop.redb", "v1-to-v2.migration"]);
    let ended = folder.run(&["migrate", "plan", "shop.redb", "v1-to-v2.migration"]);
    assert!(ended.contains("`shop.redb` has the new layout already"), "{ended}");
}

#[test]
fn the_inverse_is_a_whole_migration() {
    let folder = shop(6);
    let plan = ["migrate", "plan", "shop.redb", "v1-to-v2.migration", "--inverse"];
    let inverse = folder.stdout(&plan);
    assert_snapshot!(inverse, @r#"
    from "new.keys" to "old.keys"

    move gifts to orders {
        kind = "gift"
        customer = user
    }
    move orders to orders {
        kind = "sale"
        customer = user
    }
    "#);
    let folder = folder.file("back.migration", &inverse);
    let plan = folder.run(&["migrate", "plan", "new.keys", "back.migration"]);
    assert!(plan.contains("KS112 injective    proved"), "{plan}");
}

#[test]
fn rows_are_copied_and_the_old_file_stays() {
    let folder = shop(40);
    let before = folder.stdout(&["export", "shop.redb"]);
    folder.stdout(&["migrate", "run", "shop.redb", "v1-to-v2.migration", "--to", "new.redb"]);
    assert_eq!(folder.stdout(&["export", "shop.redb"]), before);
    folder.stdout(&["audit", "new.redb"]);
    folder.stdout(&["migrate", "verify", "new.redb", "--against", "shop.redb"]);
    let copy = ["migrate", "run", "shop.redb", "v1-to-v2.migration", "--to", "new.redb"];
    assert_snapshot!(folder.run(&copy), @"
    --- stderr
    `new.redb` has the new layout already
    warning: rows that were written to `shop.redb` since then are not in `new.redb`
      help: `keyscape migrate verify new.redb --against shop.redb` compares both
    --- exit 0
    ");
    folder.stdout(&["migrate", "rollback", "new.redb", "--to", "again.redb"]);
    assert_eq!(folder.stdout(&["export", "again.redb"]), before);
}

#[test]
fn a_run_that_is_killed_continues_with_the_same_result() {
    let folder = shop(1500);
    folder.copy("shop.redb", "old.redb");
    folder.stdout(&["migrate", "run", "shop.redb", "v1-to-v2.migration"]);
    let expected = folder.stdout(&["export", "shop.redb"]);
    let mut interrupted = 0;
    for (attempt, to) in
        [(0, None), (1, None), (2, Some("new.redb")), (3, None), (4, Some("new.redb"))]
    {
        folder.copy("old.redb", "shop.redb");
        let _ = std::fs::remove_file(folder.path().join("new.redb"));
        let mut args = vec!["migrate", "run", "shop.redb", "v1-to-v2.migration", "--batch", "16"];
        args.extend(to.iter().flat_map(|to| ["--to", to]));
        let written = to.unwrap_or("shop.redb");
        // The runs get longer until one ends on its own.
        let mut wait = 80 + 60 * attempt;
        for round in 0.. {
            if folder.kill_after(&args, Duration::from_millis(wait)) {
                break;
            }
            wait = wait * 3 / 2;
            // The same command repairs the file, and so does `repair`.
            if round % 2 == 1 || !folder.path().join(written).exists() {
                continue;
            }
            folder.output(&["repair", written], b"");
            let opened = folder.output(&["count", written, "carts"], b"");
            let message = String::from_utf8_lossy(&opened.stderr).into_owned();
            if message.contains("a migration of the database has begun") {
                assert!(message.contains("keyscape migrate run shop.redb"), "{message}");
                assert_eq!(opened.status.code(), Some(1));
                interrupted += 1;
            }
        }
        folder.stdout(&args);
        assert_eq!(folder.stdout(&["export", written]), expected, "{attempt} {to:?}");
    }
    assert!(interrupted > 0, "no run was killed in the middle");
}

#[test]
fn a_migration_whose_keys_meet_is_only_copied() {
    let folder = Folder::new()
        .file("old.keys", "store s\nmap m = \"m\" {x: u16le} -> u8\n    scan all\n")
        .file("new.keys", "store s\nmap m = \"m\" {x: u16be} -> u8\n    scan all\n")
        .file("m.migration", "from \"old.keys\" to \"new.keys\"\n");
    folder.stdout(&["create", "s.redb", "--layout", "old.keys"]);
    folder.stdout(&["put", "s.redb", "m", "x=1", "--", "7"]);
    assert_snapshot!(folder.run(&["migrate", "run", "s.redb", "m.migration"]), @r#"
    --- stderr
    warning[KS114]: a key of `m` can be old and new while rows of `m` move
     --> s.redb:2:5
      |
    2 | map m = "m" {x: u16le} -> u8
      |     ^
      old m           x=256   6d 00 01   m··
      moves there m   x=1     6d 01 00   m··
      help: copy to a new file with `--to NEW`

    error: the migration cannot run in place, because KS114 is not proved
      help: copy to a new file with `--to NEW`
    --- exit 1
    "#);
    folder.stdout(&["migrate", "run", "s.redb", "m.migration", "--to", "t.redb"]);
    assert_eq!(folder.stdout(&["get", "t.redb", "m", "x=1"]).trim(), "7");
}

#[test]
fn a_fix_of_each_claim_is_shown_or_applied() {
    let text = "store s\nmap a = \"a\" {x: text[0..]} {y: text[0..]}\n    scan all\n";
    let folder = Folder::new().file("a.keys", text);
    assert_snapshot!(refuted(folder.run(&["check", "a.keys", "--fix=1", "--dry-run"])), @r#"
    a.keys:2:1 (stored keys change)
    - map a = "a" {x: text[0..]} {y: text[0..]}
    + map a = "a" {x: escaped(text[0..])} {y: text[0..]}
    "#);
    assert_eq!(folder.read("a.keys"), text);
    folder.stdout(&["check", "a.keys", "--fix=1"]);
    assert!(folder.read("a.keys").contains("escaped("));
    folder.stdout(&["check", "a.keys"]);
    let asked = folder.output(&["check", "a.keys", "--fix"], b"");
    assert_eq!(asked.status.code(), Some(2), "there is no terminal to choose on");
}

#[test]
fn a_rollback_that_fails_leaves_no_file() {
    let folder = shop(6);
    folder.stdout(&["migrate", "run", "shop.redb", "v1-to-v2.migration"]);
    let row = ["put", "shop.redb", "gifts", "user=1", "order=1", "--", "18446744073709551615"];
    folder.stdout(&row);
    let output = folder.output(&["migrate", "rollback", "shop.redb", "--to", "old.redb"], b"");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!folder.path().join("old.redb").exists());
}

#[test]
fn rows_of_a_program_are_left_to_the_program() {
    let moves = "from \"old.keys\" to \"new.keys\"\nmove orders where kind is gift to gifts { user = customer value = program() }\nmove orders { user = customer }\n";
    let folder = shop(6).file("program.migration", moves);
    assert_snapshot!(printed(folder.run(&["migrate", "plan", "shop.redb", "program.migration"])), @r#"
    unknown[KS113]: `orders`: the program makes `value`, so each row is checked
     --> shop.redb:3:5
      |
    3 | map orders = "o/" {kind: Kind} "/" {customer: u32le} {order: u32be} -> u32be
      |     ^^^^^^

    warning[KS115]: `value` of `orders` does not follow from the new row
     --> shop.redb:3:5
      |
    3 | map orders = "o/" {kind: Kind} "/" {customer: u32le} {order: u32be} -> u32be
      |     ^^^^^^

    KS111 total        proved   every old row is moved or dropped by name
    KS112 injective    proved   no two old rows get the same new key
    KS113 fitting      unknown  every moved value is in the domain of the new field
    KS114 restartable  proved   every key of a half-migrated store is known to be old or new
    KS115 reversible   refuted  the inverse migration exists

    some rows of orders move to gifts
    the other rows of orders move to orders
    entries of by_order are built again
    mode: in place or copy, by the program
    "#);
    assert_snapshot!(rejected(folder.run(&["migrate", "run", "shop.redb", "program.migration"])), @"
    error: only the program can run this migration, because it makes fields with `program()`
      help: call `Db::migrate` in the program
    ");
}

#[test]
fn mistakes_of_the_command_line_name_the_next_step() {
    let folder = shop(1).file("unnamed.migration", "move orders\n");
    for (args, expected) in [
        (
            &["run", "shop.redb"][..],
            "`shop.redb` has no interrupted migration\n  help: name the migration to run",
        ),
        (&["plan", "shop.redb", "unnamed.migration"], "name it with `--new FILE`"),
        (&["run", "shop.redb", "v1-to-v2.migration", "--to", "./shop.redb"], "leave out `--to`"),
        (&["rollback", "shop.redb", "--to", "shop.redb"], "leave out `--to`"),
    ] {
        let shown = folder.run(&[&["migrate"], args].concat());
        assert!(shown.contains(expected) && shown.ends_with("--- exit 2\n"), "{shown}");
    }
}
