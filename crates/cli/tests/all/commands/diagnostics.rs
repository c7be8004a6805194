//! Error messages about layouts.

use crate::harness::{Folder, check, printed, rejected};
use insta::assert_snapshot;

#[test]
fn all_mistakes_are_shown_with_their_places() {
    let layout = r#"store shop
map orders = "o/" {user: dek(u64)} "/" {order: dec(u64)} -> text
    scan usr
map orders = 0x01 {id: Missing} -> text
"#;
    assert_snapshot!(rejected(check(layout)), @r#"
    error: there is no type or codec `dek`
     --> layout.keys:2:26
    2 | map orders = "o/" {user: dek(u64)} "/" {order: dec(u64)} -> text
      |                          ^^^
      help: did you mean `dec`?

    error: keyspace `orders` is declared twice
     --> layout.keys:4:5
    2 | map orders = "o/" {user: dek(u64)} "/" {order: dec(u64)} -> text
      |     ------ first declared here
    3 |     scan usr
    4 | map orders = 0x01 {id: Missing} -> text
      |     ^^^^^^

    error: there is no type or codec `Missing`
     --> layout.keys:4:24
    4 | map orders = 0x01 {id: Missing} -> text
      |                        ^^^^^^^
      help: declare it with `type NAME = …`, or use a codec

    layout.keys: 3 mistakes
    "#);
}

#[test]
fn a_mistake_of_syntax_is_shown_where_it_is() {
    assert_snapshot!(rejected(check("store shop\nmap orders = \"o/ {user: u8} -> text\n")), @r#"
    error: the text is not closed
     --> layout.keys:2:14
    2 | map orders = "o/ {user: u8} -> text
      |              ^^^^^^^^^^^^^^^^^^^^^^ expected `"` on this line

    layout.keys: 1 mistake
    "#);
}

#[test]
fn tabs_wide_characters_and_line_ends_keep_marks_in_place() {
    assert_snapshot!(rejected(check("store shop\r\n\tmap m = \"日本\" {id: nope} -> text\r\n")), @r#"
    error: there is no type or codec `nope`
     --> layout.keys:2:20
    2 |     map m = "日本" {id: nope} -> text
      |                         ^^^^
      help: declare it with `type NAME = …`, or use a codec

    layout.keys: 1 mistake
    "#);
}

#[test]
fn an_empty_file_has_no_store() {
    assert_snapshot!(rejected(check("")), @"
    error: the layout has no `store`
     --> layout.keys:1:1
    1 |
      | ^
      help: begin the layout with `store NAME`

    layout.keys: 1 mistake
    ");
}

#[test]
fn a_byte_that_is_not_text_is_named() {
    let folder = Folder::new().file("layout.keys", b"store shop\nmap m = \"\xff\" -> text\n");
    assert_snapshot!(rejected(folder.run(&["check", "layout.keys"])), @r#"
    error: the file is not UTF-8: byte `0xff` at offset 20
     --> layout.keys:2:10
    2 | map m = "�" -> text
      |          ^ expected UTF-8 text
      help: inside a text, write such a byte as `\xHH`; elsewhere, as a hex literal

    layout.keys: 1 mistake
    "#);
}

#[test]
fn a_mistake_in_an_imported_file_names_that_file() {
    let folder = Folder::new()
        .file("layout.keys", "import \"types/ids.keys\"\nstore shop\nmap m = {id: Id} -> text\n")
        .file("types/ids.keys", "type Id = u99\n");
    assert_snapshot!(rejected(folder.run(&["check", "layout.keys"])), @"
    error: there is no type or codec `u99`
     --> types/ids.keys:1:11
    1 | type Id = u99
      |           ^^^
      help: did you mean `u128be`?

    layout.keys: 1 mistake
    ");
}

#[test]
fn imports_are_found_beside_the_file_that_names_them() {
    let folder = Folder::new()
        .file("a/layout.keys", "import \"../b/ids.keys\"\nstore s\nmap m = {id: Id} -> text\n")
        .file("b/ids.keys", "import \"more.keys\"\ntype Id = More\n")
        .file("b/more.keys", "type More = u8\n");
    assert_snapshot!(printed(folder.run(&["check", "a/layout.keys"])), @"s: 1 keyspace, 0 scans: 3 proved, 0 refuted, 0 unknown, 0 accepted (N ms)");
}

#[test]
fn a_missing_import_is_a_mistake_at_its_place() {
    assert_snapshot!(rejected(check("import \"none.keys\"\nstore shop\nmap m = 0x01 -> text\n")), @r#"
    error: cannot import `none.keys`: there is no such file
     --> layout.keys:1:8
    1 | import "none.keys"
      |        ^^^^^^^^^^^

    layout.keys: 1 mistake
    "#);
}

#[test]
fn cyclic_imports_are_reported() {
    let folder = Folder::new()
        .file("a.keys", "import \"b.keys\"\nstore s\nmap m = {id: Id} -> text\n")
        .file("b.keys", "import \"./a.keys\"\ntype Id = u8\n");
    assert_snapshot!(rejected(folder.run(&["check", "a.keys"])), @r#"
    error: `a.keys` imports itself, directly or through other files
     --> b.keys:1:8
    1 | import "./a.keys"
      |        ^^^^^^^^^^
      help: move the shared types into a file that imports neither

    a.keys: 1 mistake
    "#);
}

#[test]
fn a_field_without_a_name_is_one_mistake() {
    assert_snapshot!(rejected(check("store s\nmap a = {")), @"
    error: expected the name of a field, found the end of the file
     --> layout.keys:2:10
    2 | map a = {
      |          ^ expected the name of a field

    layout.keys: 1 mistake
    ");
}

#[test]
fn an_import_by_its_whole_path_is_a_mistake() {
    let text = "import \"/types.keys\"\nstore s\nmap a = \"a\" {k: u8} -> empty\n";
    assert_snapshot!(rejected(check(text)), @r#"
    error: cannot import `/types.keys`: a path is relative to the file that imports it
     --> layout.keys:1:8
    1 | import "/types.keys"
      |        ^^^^^^^^^^^^^

    layout.keys: 1 mistake
    "#);
}
