//! Protobuf messages with their descriptors.

use crate::harness::{Folder, printed, refuted, rejected};
use insta::assert_snapshot;

/// Encodes a field of a protobuf message that is a message or a text.
fn part(number: u8, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
}

/// Encodes a field of a `FieldDescriptorProto`: name, number, `optional`, type.
fn field(name: &str, number: u8, kind: u8) -> Vec<u8> {
    part(2, [part(1, name), vec![0x18, number, 0x20, 1, 0x28, kind]].concat())
}

/// `package shop.v1; message Order { uint64 amount = 1; string note = 2; }`
fn descriptors() -> Vec<u8> {
    let (uint64, string) = (4, 9);
    let order = [part(1, "Order"), field("amount", 1, uint64), field("note", 2, string)].concat();
    let file = [part(1, "shop.proto"), part(2, "shop.v1"), part(4, order), part(12, "proto3")];
    part(1, file.concat())
}

fn shop() -> Folder {
    let layout = "import \"proto/shop.binpb\"\nstore shop\nmap orders = \"o/\" {order: u8} -> proto \
                  Order\nmap notes = \"n/\" {note: u8} -> proto Note\n";
    let folder = Folder::new().file("shop.keys", layout).file("proto/shop.binpb", descriptors());
    folder.quiet(&["create", "shop.redb", "--layout", "shop.keys"]);
    // The database contains the descriptors.
    std::fs::remove_file(folder.path().join("proto/shop.binpb")).unwrap();
    folder
}

#[test]
fn messages_are_written_and_shown_by_their_fields() {
    let folder = shop();
    folder.quiet(&["put", "shop.redb", "orders", "order=1", "--", r#"{"amount":7,"note":"a b"}"#]);
    folder.quiet(&["put", "shop.redb", "orders", "order=2", "--", "0x0807"]);
    // An unknown field, and a message without a descriptor.
    folder.quiet(&["put", "shop.redb", "orders", "order=3", "--", "0x1801"]);
    folder.quiet(&["put", "shop.redb", "notes", "note=1", "--", "0x0807"]);
    assert_snapshot!(printed(folder.run(&["scan", "shop.redb", "orders"])), @r#"
    order  value
    1      {"amount":"7","note":"a b"}
    2      {"amount":"7"}
    3      0x1801
    "#);
    assert_snapshot!(printed(folder.run(&["get", "shop.redb", "orders", "order=1"])), @r#"{"amount":"7","note":"a b"}"#);
    assert_snapshot!(printed(folder.run(&["export", "shop.redb"])), @r#"
    {"store":"shop","keyspace":"notes","fields":{"note":1},"value":"0x0807"}
    {"store":"shop","keyspace":"orders","fields":{"order":1},"value":{"amount":"7","note":"a b"}}
    {"store":"shop","keyspace":"orders","fields":{"order":2},"value":{"amount":"7"}}
    {"store":"shop","keyspace":"orders","fields":{"order":3},"value":"0x1801"}
    "#);
    assert_snapshot!(printed(folder.run(&["scan", "shop.redb", "orders", "--where", "value.amount=7"])), @r#"
    order  value
    1      {"amount":"7","note":"a b"}
    2      {"amount":"7"}
    "#);
    let lines = folder.output(&["export", "shop.redb"], b"").stdout;
    folder.quiet(&["create", "copy.redb", "--layout", "shop.redb"]);
    folder.output(&["import", "copy.redb"], &lines);
    assert_eq!(folder.output(&["export", "copy.redb"], b"").stdout, lines);
}

#[test]
fn wrong_messages_are_rejected_and_reported() {
    let folder = shop();
    assert_snapshot!(rejected(folder.run(&["put", "shop.redb", "orders", "order=1", "--", r#"{"amout":7}"#])), @"
    error: the value is not a message `shop.v1.Order`: unrecognized field name 'amout' at line 1 column 8
      help: write the fields as JSON with their names in the `.proto` file
    ");
    folder.quiet(&["put", "shop.redb", "orders", "order=1", "--", "0x08"]);
    assert_snapshot!(refuted(folder.run(&["audit", "shop.redb"])), @"
    error[bad-value]: shop/orders: values that do not have the declared form: 1
      6f2f01  the value 0x08 does not decode
    audited 1 row: with the findings above
    largest keyspaces  rows  bytes
    shop/orders           1      4
    ");
}

#[test]
fn an_import_that_is_not_a_descriptor_set_is_an_error() {
    let folder = Folder::new()
        .file(
            "shop.keys",
            "import \"shop.binpb\" as shop\nstore s\nitem a = \"a\" -> proto Order\n",
        )
        .file("shop.binpb", "store types\n");
    assert_snapshot!(rejected(folder.run(&["check", "shop.keys"])), @r#"
    error: cannot import `shop.binpb`: it is not a descriptor set of protobuf
     --> shop.keys:1:8
      |
    1 | import "shop.binpb" as shop
      |        ^^^^^^^^^^^^
      help: write it with `protoc --include_imports --descriptor_set_out`, or with `buf build`

    shop.keys: 1 mistake
    "#);
    let folder = folder.file("shop.binpb", descriptors());
    assert_snapshot!(rejected(folder.run(&["check", "shop.keys"])), @r#"
    error: a descriptor set takes no alias
     --> shop.keys:1:24
      |
    1 | import "shop.binpb" as shop
      |                        ^^^^
      help: remove `as` and the name: messages are found by their own names

    shop.keys: 1 mistake
    "#);
    assert_snapshot!(folder.run(&["fmt", "--check", "shop.keys"]), @"--- exit 0");
}
