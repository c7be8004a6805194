//! Error messages about layouts.

use crate::harness::{Folder, check, printed, rejected};
use insta::assert_snapshot;

#[test]
fn tabs_wide_characters_and_line_ends_keep_marks_in_place() {
    assert_snapshot!(rejected(check("store shop\r\n\tmap m = \"日本\" {id: nope} -> text\r\n")), @r#"
    error: there is no type or codec `nope`
     --> layout.keys:2:20
      |
    2 |     map m = "日本" {id: nope} -> text
      |                         ^^^^
      help: declare it with `type NAME = …`, or use a codec

    layout.keys: 1 mistake
    "#);
}

#[test]
fn a_byte_that_is_not_text_is_named() {
    let folder = Folder::new().file("layout.keys", b"store shop\nmap m = \"\xff\" -> text\n");
    assert_snapshot!(rejected(folder.run(&["check", "layout.keys"])), @r#"
    error: the file is not UTF-8: byte `0xff` at offset 20
     --> layout.keys:2:10
      |
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
      |
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
fn cyclic_imports_are_reported() {
    let folder = Folder::new()
        .file("a.keys", "import \"b.keys\"\nstore s\nmap m = {id: Id} -> text\n")
        .file("b.keys", "import \"./a.keys\"\ntype Id = u8\n");
    assert_snapshot!(rejected(folder.run(&["check", "a.keys"])), @r#"
    error: `a.keys` imports itself, directly or through other files
     --> b.keys:1:8
      |
    1 | import "./a.keys"
      |        ^^^^^^^^^^
      help: move the shared types into a file that imports neither

    a.keys: 1 mistake
    "#);
}
