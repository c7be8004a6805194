//! Imports of types from other files.

use crate::model::mistakes_with;
use keyscape_layout::Loader;

/// Files by name.
struct Files(&'static [(&'static str, &'static str)]);

impl Loader for Files {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        let (name, text) = found.ok_or("no such file")?;
        Ok(((*name).to_owned(), text.as_bytes().to_vec()))
    }
}

const TYPES: &str = "type Id = u64be\ntype Pair = {a: Id} {b: Id}";

#[test]
fn types_are_found_directly_or_with_a_qualifier() {
    let mut files = Files(&[("types.keys", TYPES)]);
    let direct = r#"import "types.keys" store s map m = {x: Pair} -> empty"#;
    assert_eq!(mistakes_with(direct, &mut files), "none");
    let named = r#"import "types.keys" as t store s map m = {x: t.Pair} -> empty"#;
    assert_eq!(mistakes_with(named, &mut files), "none");
    let missing = r#"import "types.keys" as t store s map m = {x: Pair} -> empty"#;
    assert!(mistakes_with(missing, &mut files).starts_with("there is no type or codec `Pair`"));
}

#[test]
fn an_alias_names_one_file() {
    let mut files = Files(&[("a.keys", "type A = u8"), ("b.keys", "type B = u8")]);
    let text = r#"import "a.keys" as t import "b.keys" as t store s map m = {x: t.B} -> empty"#;
    assert_eq!(
        mistakes_with(text, &mut files),
        "alias `t` is declared twice @ t (give each imported file an alias of its own)"
    );
}

#[test]
fn a_missing_file_is_reported_at_its_name() {
    let text = r#"import "typos.keys" store s map m = {x: u8} -> empty"#;
    assert_eq!(
        mistakes_with(text, &mut Files(&[])),
        "cannot import `typos.keys`: no such file @ \"typos.keys\""
    );
    let text = text.replace("typos.keys", "/typos.keys");
    assert_eq!(
        mistakes_with(&text, &mut Files(&[])),
        "cannot import `/typos.keys`: a path is relative to the file that imports it \
         @ \"/typos.keys\""
    );
}

#[test]
fn import_cycles_are_reported_and_shared_files_are_allowed() {
    let mut cycle = Files(&[
        ("a.keys", r#"import "b.keys" type A = u8"#),
        ("b.keys", r#"import "a.keys" type B = u8"#),
    ]);
    let text = r#"import "a.keys" store s map m = {x: A} -> empty"#;
    assert_eq!(
        mistakes_with(text, &mut cycle),
        "`a.keys` imports itself, directly or through other files @ \"a.keys\" \
         (move the shared types into a file that imports neither)"
    );
    let mut shared = Files(&[
        ("a.keys", r#"import "c.keys" type A = {x: C}"#),
        ("b.keys", r#"import "c.keys" type B = {x: C}"#),
        ("c.keys", "type C = u8"),
    ]);
    let text = r#"import "a.keys" import "b.keys" store s map m = {x: A} {y: B} -> empty"#;
    assert_eq!(mistakes_with(text, &mut shared), "none");
}

#[test]
fn mistakes_in_imported_files_are_reported_there() {
    let mut files = Files(&[("types.keys", "type Id = u63be")]);
    let text = r#"import "types.keys" store s map m = {x: Id} -> empty"#;
    assert!(
        mistakes_with(text, &mut files).starts_with("there is no type or codec `u63be` @ u63be")
    );
}

#[test]
fn a_cycle_between_files_that_are_both_known_already_is_found() {
    let mut files = Files(&[
        ("a.keys", r#"import "b.keys" import "c.keys" type A = u8"#),
        ("b.keys", r#"import "c.keys" type B = u8"#),
        ("c.keys", r#"import "b.keys" type C = u8"#),
    ]);
    let text = r#"import "a.keys" store s map m = {x: A} -> empty"#;
    assert!(mistakes_with(text, &mut files).starts_with("`b.keys` imports itself"));
}
