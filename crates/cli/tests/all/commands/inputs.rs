//! Inputs that a command does not expect: pipes, outputs that are inputs, repeated members.

use crate::harness::{Folder, rejected};
use insta::assert_snapshot;
use keyscape_store::StoreId;
use std::process::Command;

const SHOP: &str = "store shop\n\nmap orders = \"o\" {user: u16be} {order: u32be} -> json Order\n";

/// Creates a database with six orders of two users.
fn shop() -> Folder {
    let orders = [
        (1, 5, "open"),
        (1, 9, "paid"),
        (1, 10, "open"),
        (1, 300, "paid"),
        (2, 7, "open"),
        (2, 8, "paid"),
    ];
    let row = |(user, order, status): &(u16, u32, &str)| {
        let value = format!(r#"{{"status":"{status}","cents":{}}}"#, order * 100);
        let fields = format!(r#"{{"user":{user},"order":{order}}}"#);
        format!(r#"{{"keyspace":"orders","fields":{fields},"value":{value}}}"#) + "\n"
    };
    Folder::new().filled("a", SHOP, &orders.iter().map(row).collect::<String>())
}

#[test]
fn an_output_file_is_never_an_input() {
    let folder =
        shop().file("main.keys", "import \"types.keys\"\nstore s\nmap m = {id: Id} -> empty\n");
    let folder = folder.file("types.keys", "type Id = u8\n");
    let before = std::fs::read(folder.path().join("a.redb")).unwrap();
    assert_snapshot!(rejected(folder.run(&["doc", "a.keys", "-o", "./a.keys"])), @"
    error: `./a.keys` is an input of this command
      help: choose another output file
    ");
    assert_snapshot!(rejected(folder.run(&["generate", "rust", "a.redb", "-o", "a.redb"])), @"
    error: `a.redb` is an input of this command
      help: choose another output file
    ");
    assert_snapshot!(rejected(folder.run(&["doc", "main.keys", "-o", "types.keys"])), @"
    error: `types.keys` is an input of this command
      help: choose another output file
    ");
    assert_snapshot!(rejected(folder.run(&["doc", "main.keys", "-o", "a.redb"])), @"
    error: `a.redb` is a database
      help: choose another output file
    ");
    assert_eq!(folder.read("a.keys"), SHOP);
    assert_eq!(std::fs::read(folder.path().join("a.redb")).unwrap(), before);
}

#[cfg(unix)]
#[test]
fn a_named_pipe_is_a_layout_but_not_a_database() {
    let folder = shop();
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap();
    assert!(made.success());
    for command in ["stat", "repair", "audit", "layout", "export"] {
        let printed = folder.run(&[command, "pipe"]);
        assert!(printed.contains("error: `pipe` is not a redb database"), "{command}: {printed}");
    }
    let path = folder.path().join("pipe");
    let writer = std::thread::spawn(move || std::fs::write(path, SHOP).unwrap());
    let printed = folder.run(&["check", "pipe"]);
    writer.join().unwrap();
    assert!(printed.contains("shop: 1 keyspace"), "{printed}");
}

#[test]
fn members_that_occur_twice_are_rejected() {
    let folder = shop();
    let twice = r#"{"user":1,"user":5,"order":7}"#;
    assert_snapshot!(rejected(folder.run(&["encode", "a.keys", "orders", "--json", twice])), @"error: `--json` is not JSON: the member `user` occurs twice");
    let line = format!("{{\"keyspace\":\"orders\",\"fields\":{twice},\"value\":1}}\n");
    assert_snapshot!(rejected(folder.run_with(&["import", "a.redb"], line)), @"
    error: stdin:1: it is not an object in the format of `export`: the member `user` occurs twice
      nothing was written
    ");
    let put = ["put", "a.redb", "orders", "user=1", "order=1", "--", r#"{"a":1,"a":2}"#];
    assert!(folder.run(&put).contains("the member `a` occurs twice"));
}

#[test]
fn scans_take_ranges_and_conditions() {
    let folder = shop();
    let scan = |args: &[&str]| {
        let output =
            folder.output(&[&["scan", "a.redb", "orders", "--format", "json"], args].concat(), b"");
        assert!(output.status.success(), "{args:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let order = |line: &str| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["fields"]["order"].as_u64().unwrap()
        };
        text.lines().map(order).collect::<Vec<_>>()
    };
    assert_eq!(scan(&["user=1", "order=9..300"]), [9, 10]);
    assert_eq!(scan(&["user=1", "order=9..=300", "--reverse"]), [300, 10, 9]);
    assert_eq!(scan(&["user=1", "order=..10"]), [5, 9]);
    assert_eq!(scan(&["order=8.."]), [9, 10, 300, 8]);
    assert_eq!(scan(&["user=2.."]), [7, 8]);
    assert_eq!(scan(&["user=1", "order=10..5"]), [0; 0]);
    assert_eq!(scan(&["--where", "value.status=open"]), [5, 10, 7]);
    assert_eq!(scan(&["--where", "value.cents>=900", "--where", "value.status!=open"]), [9, 300]);
    assert_eq!(scan(&["--where", "order<8", "--limit", "1"]), [5]);
    let count =
        folder.run(&["count", "a.redb", "orders", "user=1", "--where", "value.status=paid"]);
    assert_eq!(count, "--- stdout\n2\n--- exit 0\n");
    assert_snapshot!(rejected(folder.run(&["scan", "a.redb", "orders", "--where", "open"])), @"
    error: invalid value 'open' for '--where <CONDITION>': `open` is not a condition: write a path, one of `=`, `!=`, `<`, `<=`, `>`, `>=`, and a value, such as `value.status=open`

    For more information, try '--help'.
    ");
    assert!(
        folder
            .run(&["get", "a.redb", "orders", "user=1", "order=5..9"])
            .contains("is not an integer")
    );
}

#[test]
fn encode_reads_lines() {
    let folder = shop();
    let encode = ["encode", "a.keys", "orders", "--json", "-"];
    let lines =
        "{\"user\":1,\"order\":7}\n\n{\"user\":2,\"order\":8}\n{\"user\":70000,\"order\":8}\n";
    assert_snapshot!(folder.run_with(&encode, lines), @r"
    --- stdout
    6f000100000007
    6f000200000008
    --- stderr
    error: stdin:4: field `user`: `70000` is outside its domain
      help: expected an integer from 0 to 65535
    --- exit 2
    ");
}

#[test]
fn a_fix_that_does_not_exist_is_named() {
    let text = "store s\nmap a = \"a/\" {x: dec(u64)} \"/\" {y: u8}\n    scan x as \"a/\" {x}\n";
    let folder = Folder::new().file("a.keys", text);
    assert_snapshot!(rejected(folder.run(&["check", "a.keys", "--fix=9"])), @"
    error: no claim has a fix with the number `9`
      help: choose one of the fixes of KS003 of `a`: `1`, `2`
    ");
    assert_eq!(folder.read("a.keys"), text);
    let dry = folder.run(&["check", "a.keys", "--fix=9", "--dry-run"]);
    assert_eq!(dry, folder.run(&["check", "a.keys", "--fix=9"]));
    for args in [["--fix=0", "--dry-run"], ["--fix=1", "--format=json"], ["--fix=1", "--quiet"]] {
        let shown = folder.run(&["check", "a.keys", args[0], args[1]]);
        assert!(shown.ends_with("--- exit 2\n"), "{args:?}: {shown}");
    }
}

#[test]
fn a_layout_without_fixes_is_reported() {
    let text = "store s\nmap a = \"a/\" {x: u8}\n    accept KS002 \"not needed\"\n";
    let folder = Folder::new().file("a.keys", text);
    assert_snapshot!(folder.run(&["check", "a.keys", "--fix=1", "--dry-run"]), @"
    --- stderr
    no claim that fails has a fix
    --- exit 1
    ");
}

#[test]
fn names_of_files_do_not_reach_the_terminal_unescaped() {
    let folder = Folder::new().file("a\u{1b}[2J.keys", "store s item i = \"i\" -> text");
    let shown = folder.run(&["fmt", "a\u{1b}[2J.keys"]);
    assert!(shown.contains(r"formatted a\u{1b}[2J.keys"), "{shown:?}");
    let folder = Folder::new().file("a\u{1b}[2J.keys", "store s item i = \"i\" -> text");
    let shown = folder.run(&["fmt", "--check", "a\u{1b}[2J.keys"]);
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn stored_values_do_not_reach_the_terminal_unescaped() {
    let layout = "store s\nmap tasks = \"t\" {id: u8} -> json\n\
        index by_due of tasks = \"d\" {due: u8 from value due} {id} -> empty\n";
    let folder = Folder::new().database("s", layout);
    folder.write("s.redb", &["s"], |tx| {
        let value = br#"{"due":"\u001b]0;x\u0007\naudited 9 rows"}"#;
        tx.put(StoreId::of("s"), b"t\x01", value)
    });
    for args in [&["audit", "s.redb"][..], &["index", "check", "s.redb", "by_due"]] {
        let shown = folder.run(args);
        let expected = r"field `due`: `\u{1b}]0;x\u{7}\naudited 9 rows` is not";
        assert!(shown.contains(expected), "{shown:?}");
        assert!(!shown.contains(['\u{1b}', '\u{7}']), "{shown:?}");
        assert!(!shown.contains("\naudited 9 rows"), "{shown:?}");
    }
}

#[test]
fn an_import_that_creates_a_database_needs_a_layout() {
    let folder = Folder::new().file("rows.jsonl", "");
    let output = folder.run(&["import", "new.redb", "rows.jsonl", "--create"]);
    assert!(output.contains("--layout <FILE>") && output.ends_with("--- exit 2\n"), "{output}");
}

#[test]
fn a_condition_that_no_value_of_its_field_fulfils_is_an_error() {
    let layout = r#"store shop structures
type Level = "low" | "high"
type Outpoint = {txid: bytes[2]} "_" {vout: dec(u32)}
type Kind = | own "o" {owner: u8} | none "n"
map orders = "o/" {user: u16be} {on: bool} {level: Level} {at: Outpoint} "/" {kind: Kind} -> u64be
map notes = "n/" {note: u8} -> json Note
queue jobs = "q/" {game: u8} member u8 score u16be
hash person = "h/" {id: u8}
    field age = "a" -> u8
"#;
    let folder = Folder::new().database("shop", layout);
    let at = "at={\"txid\":\"0xABCD\",\"vout\":1}";
    let kind = "kind={\"own\":{\"owner\":3}}";
    let put = ["put", "shop.redb", "orders", "user=1", "on=true", "level=low", at, kind, "--", "5"];
    folder.quiet(&put);
    folder.run(&["put", "shop.redb", "jobs", "game=1", "member=2", "--", "3"]);
    folder.run(&["put", "shop.redb", "person.age", "id=1", "--", "30"]);
    let count = |keyspace: &str, condition: &str| {
        folder.run(&["count", "shop.redb", keyspace, "--where", condition])
    };
    for (keyspace, condition) in [
        ("orders", "user=1"),
        ("orders", "user=01"),
        ("orders", "user>=-1"),
        ("orders", "user<1.5"),
        ("orders", "fields.user!=2"),
        ("orders", "on=true"),
        ("orders", "level!=high"),
        ("orders", "level>a"),
        ("orders", "at.txid=0xABCD"),
        ("orders", "at.vout<=1"),
        ("orders", "kind.own.owner=3"),
        ("orders", "value=5"),
        ("orders", "store=shop"),
        ("jobs", "state=ready"),
        ("jobs", "attempts<1"),
        ("jobs", "member=2"),
        ("person", "value=30"),
        ("person.age", "hash.id=1"),
    ] {
        assert_eq!(count(keyspace, condition), "--- stdout\n1\n--- exit 0\n", "{condition}");
    }
    let mut text = String::new();
    for (keyspace, condition) in [
        ("orders", "user=x"),
        ("orders", "user=70000"),
        ("orders", "user>=x"),
        ("orders", "user.x=1"),
        ("orders", "on=1"),
        ("orders", "level=mid"),
        ("orders", "at=1"),
        ("orders", "at.vuot=1"),
        ("orders", "at.txid=ab"),
        ("orders", "kind=none"),
        ("orders", "kind.own=1"),
        ("orders", "kind.own.ownr=1"),
        ("orders", "value=ink"),
        ("jobs", "state=buried"),
        ("jobs", "attempts=x"),
        ("jobs", "scor=1"),
        ("person.age", "value=old"),
    ] {
        let printed = count(keyspace, condition);
        assert!(printed.ends_with("--- exit 2\n"), "{condition}: {printed}");
        if condition == "scor=1" {
            let scan = folder.run(&["scan", "shop.redb", keyspace, "--where", condition]);
            assert_eq!(scan, printed);
        }
        let lines = printed.lines().filter(|line| !line.starts_with("---"));
        text.push_str(&lines.map(|line| format!("{line}\n")).collect::<String>());
    }
    assert_snapshot!(text, @"
    error: field `user`: `x` is not an integer: `x` at position 1 is not a digit
      help: expected an integer from 0 to 65535
    error: field `user`: `70000` is outside its domain
      help: expected an integer from 0 to 65535
    error: field `user`: `x` is not an integer: `x` at position 1 is not a digit
      help: expected an integer from 0 to 65535
    error: field `user`: it has no part `x`
      help: leave the part out; the value is not composite
    error: field `on`: `1` is outside its domain
      help: expected false or true
    error: field `level`: `mid` is not one of its texts
      help: texts: `low`, `high`
    error: field `at`: expected one of its parts, such as `at.txid`, got the whole field
    error: there is no field `at.vuot`
      help: did you mean `vout`?
    error: field `at.txid`: `ab` is not a byte string
      help: write bytes as `0x` and hexadecimal digits
    error: field `kind`: expected one of its parts, such as `kind.own`, got the whole field
    error: field `kind.own`: expected one of its parts, such as `kind.own.owner`, got the whole field
    error: there is no field `kind.own.ownr`
      help: did you mean `owner`?
    error: field `value`: `ink` is not an integer: `i` at position 1 is not a digit
      help: expected an integer from 0 to 18446744073709551615
    error: field `state`: `buried` is not one of its states
      help: states: `ready`, `waiting`, `leased`, `dead`
    error: field `attempts`: `x` is not a number
      help: expected a number
    error: there is no field `scor`
      help: did you mean `score`?
    error: field `value`: `old` is not an integer: `o` at position 1 is not a digit
      help: expected an integer from 0 to 255
    ");
}
