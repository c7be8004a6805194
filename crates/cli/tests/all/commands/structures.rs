//! Commands on structures: hashes, sets, zsets and queues in a database file.

use crate::harness::{Folder, printed, rejected};
use insta::assert_snapshot;

const GAME: &str = r#"store game structures
type Name = text(r"[a-z]{1,8}")
type When = | at 0x00 {second: u32be} | later 0x01 {day: u64be}
hash player = "h:" {id: u8}
    field mail = "m" -> text
    field items = "i:" {item: Name} -> json
set friends = "f:" {of: Name}
    member Name
    counted
zset board = "b:" {game: u8}
    member Name
    score u64be
    counted
zset ranks = "r:" {game: u8}
    member Name
    score u64be
    ranked
zset plan = "p:" {game: u8}
    member Name
    score When
queue jobs = "q:" {game: u8}
    member Name
    score u64be
map plain = "x" {n: u8} -> u8
"#;

fn game() -> Folder {
    let rows = r#"{"keyspace":"player.mail","hash":{"id":1},"fields":{},"value":"a@b"}
{"keyspace":"player.items","hash":{"id":1},"fields":{"item":"axe"},"value":{"n":1}}
{"keyspace":"player.items","hash":{"id":2},"fields":{"item":"bow"},"value":2}
{"keyspace":"friends","fields":{"of":"ann"},"member":"bob"}
{"keyspace":"friends","fields":{"of":"ann"},"member":"cid"}
{"keyspace":"board","fields":{"game":1},"member":"ann","score":250}
{"keyspace":"board","fields":{"game":1},"member":"bob","score":30}
{"keyspace":"board","fields":{"game":1},"member":"ann","score":20}
{"keyspace":"plan","fields":{"game":1},"member":"ann","score":{"at":{"second":5}}}
{"keyspace":"plain","fields":{"n":1},"value":9}
"#;
    Folder::new().filled("game", GAME, rows)
}

/// `put` writes the same records as `import`.
#[test]
fn entries_of_all_kinds_are_put() {
    let folder = Folder::new().database("game", GAME);
    let put = |args: &[&str]| folder.quiet(&[&["put", "game.redb"], args].concat());
    put(&["player.mail", "id=1", "--", "a@b"]);
    put(&["player.items", "id=1", "item=axe", "--", r#"{"n":1}"#]);
    put(&["player.items", "id=2", "item=bow", "--", "2"]);
    put(&["friends", "of=ann", "member=bob"]);
    put(&["friends", "of=ann", "member=cid"]);
    put(&["board", "game=1", "member=ann", "--", "250"]);
    put(&["board", "game=1", "member=bob", "score=30"]);
    put(&["board", "game=1", "member=ann", "--", "20"]);
    put(&["plan", "game=1", "member=ann", "score.at.second=5"]);
    put(&["plain", "n=1", "--", "9"]);
    assert_eq!(on(&folder, "export", &[]), on(&game(), "export", &[]));
}

fn on(folder: &Folder, command: &str, args: &[&str]) -> String {
    folder.run(&[&[command, "game.redb"], args].concat())
}

#[test]
fn structures_are_listed_and_read() {
    let folder = game();
    assert_snapshot!(printed(on(&folder, "scan", &["player"])), @r#"
    id  field           value
    1   items item=axe  {"n":1}
    1   mail            a@b
    2   items item=bow  2
    "#);
    assert_snapshot!(printed(on(&folder, "scan", &["player.items"])), @r#"
    id  item  value
    1   axe   {"n":1}
    2   bow   2
    "#);
    assert_snapshot!(printed(on(&folder, "scan", &["player.items", "item=bow", "--format", "json"])), @r#"{"store":"game","keyspace":"player.items","hash":{"id":2},"fields":{"item":"bow"},"value":2}"#);
    assert_snapshot!(printed(on(&folder, "scan", &["friends"])), @"
    of   member
    ann  bob
    ann  cid
    ");
    assert_snapshot!(printed(on(&folder, "scan", &["board", "game=1"])), @"
    game  score  member
    1     20     ann
    1     30     bob
    ");
    assert_snapshot!(on(&folder, "scan", &["board", "--reverse", "--limit", "1"]), @"
    --- stdout
    game  score  member
    1     30     bob
    --- stderr
    more: --after 'game/board<7a623a01000173000000000000001e626f62'
    --- exit 0
    ");
    assert_snapshot!(printed(on(&folder, "scan", &["plan", "--format", "json"])), @r#"{"store":"game","keyspace":"plan","fields":{"game":1},"score":{"at":{"second":5}},"member":"ann"}"#);
    assert_snapshot!(printed(on(&folder, "scan", &["plain"])), @"
    n  value
    1  9
    ");
    assert_snapshot!(printed(on(&folder, "get", &["player", "id=1"])), @r#"
    id  field           value
    1   items item=axe  {"n":1}
    1   mail            a@b
    "#);
    assert_snapshot!(printed(on(&folder, "get", &["player.mail", "id=1"])), @"a@b");
    assert_snapshot!(printed(on(&folder, "get", &["board", "game=1", "member=bob"])), @"30");
    assert_snapshot!(printed(on(&folder, "get", &["friends", "of=ann", "member=bob"])), @r#"{"store":"game","keyspace":"friends","fields":{"of":"ann"},"member":"bob"}"#);
    assert_snapshot!(on(&folder, "get", &["friends", "of=ann", "member=dan"]), @"
    --- stderr
    error: the row does not exist
    --- exit 1
    ");
    assert_snapshot!(on(&folder, "get", &["friends", "of=dan"]), @"
    --- stderr
    error: the row does not exist
    --- exit 1
    ");
    assert_snapshot!(printed(on(&folder, "count", &["board"])), @"2");
}

#[test]
fn every_record_is_exported_and_counts_are_kept() {
    let folder = game();
    assert_snapshot!(printed(on(&folder, "export", &[])), @r#"
    {"store":"game","keyspace":"player.items","hash":{"id":1},"fields":{"item":"axe"},"value":{"n":1}}
    {"store":"game","keyspace":"player.mail","hash":{"id":1},"fields":{},"value":"a@b"}
    {"store":"game","keyspace":"player.items","hash":{"id":2},"fields":{"item":"bow"},"value":2}
    {"store":"game","keyspace":"plain","fields":{"n":1},"value":9}
    {"store":"game","keyspace":"friends","fields":{"of":"ann"},"family":"count","number":2}
    {"store":"game","keyspace":"friends","fields":{"of":"ann"},"family":"member","member":"bob"}
    {"store":"game","keyspace":"friends","fields":{"of":"ann"},"family":"member","member":"cid"}
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"count","number":2}
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"member","score":20,"member":"ann"}
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"member","score":30,"member":"bob"}
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"score","score":20,"member":"ann"}
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"score","score":30,"member":"bob"}
    {"store":"game","keyspace":"plan","fields":{"game":1},"family":"member","score":{"at":{"second":5}},"member":"ann"}
    {"store":"game","keyspace":"plan","fields":{"game":1},"family":"score","score":{"at":{"second":5}},"member":"ann"}
    "#);
    folder.quiet(&["delete", "game.redb", "board", "game=1", "member=ann"]);
    folder.quiet(&["delete", "game.redb", "friends", "of=ann", "member=bob"]);
    folder.quiet(&["delete", "game.redb", "friends", "of=ann", "member=cid"]);
    folder.quiet(&["delete", "game.redb", "player.mail", "id=1"]);
    assert_snapshot!(printed(on(&folder, "export", &["board", "friends", "player.mail"])), @r#"
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"count","number":1}
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"member","score":30,"member":"bob"}
    {"store":"game","keyspace":"board","fields":{"game":1},"family":"score","score":30,"member":"bob"}
    "#);
}

#[test]
fn incomplete_and_wrong_entries_are_rejected() {
    let folder = game();
    assert_snapshot!(rejected(on(&folder, "put", &["player", "id=1", "--", "1"])), @"
    error: `player` is a hash; its fields are written and deleted one by one
      help: fields: `player.mail`, `player.items`
    ");
    assert_snapshot!(rejected(on(&folder, "delete", &["player", "id=1"])), @"
    error: `player` is a hash; its fields are written and deleted one by one
      help: fields: `player.mail`, `player.items`
    ");
    assert_snapshot!(rejected(on(&folder, "delete", &["friends", "of=ann"])), @"
    error: field `member` is missing
      help: fields: `of`, `member`
    ");
    assert_snapshot!(rejected(on(&folder, "put", &["board", "game=1", "member=ann"])), @"
    error: field `score` is missing
      help: fields: `game`, `member`, `score`
    ");
    assert_snapshot!(rejected(on(&folder, "put", &["board", "game=1", "member=ANN", "--", "1"])), @"
    error: field `member`: `A` at position 1 of `ANN` is not allowed
      help: expected text matching `[a-z]{1,8}`
    ");
    assert_snapshot!(rejected(on(&folder, "put", &["board", "game=1", "membr=ann", "--", "1"])), @"
    error: there is no field `membr`
      help: did you mean `member`?
    ");
}

#[test]
fn a_field_of_both_keys_is_given_by_import() {
    let layout =
        "store s structures\nhash h = \"h\" {id: u8}\n    field f = \"f\" {id: u8} -> text\n";
    let folder = Folder::new().database("s", layout);
    assert_snapshot!(rejected(folder.run(&["put", "s.redb", "h.f", "id=1", "--", "x"])), @r#"
    error: both `h` and `h.f` have a field `id`
      help: use `import`, which has separate objects "hash" and "fields"
    "#);
    let line = r#"{"keyspace":"h.f","hash":{"id":1},"fields":{"id":2},"value":"x"}"#;
    assert_snapshot!(folder.run_with(&["import", "s.redb"], line), @"
    --- stderr
    imported 1 row
    --- exit 0
    ");
    assert_snapshot!(printed(folder.run(&["export", "s.redb"])), @r#"{"store":"s","keyspace":"h.f","hash":{"id":1},"fields":{"id":2},"value":"x"}"#);
}

#[test]
fn a_value_is_never_dropped() {
    let folder = game();
    assert_snapshot!(rejected(on(&folder, "put", &["friends", "of=ann", "member=dan", "--", "1"])), @"error: a member of set `friends` takes no value, and `1` was given");
    assert_snapshot!(rejected(on(&folder, "put", &["board", "game=1", "member=ann", "score=1", "--", "2"])), @"error: field `score` is given twice");
}
