//! Parts of the oracle: guards, and the codecs of random layouts.

use keyscape_codec::{Value, names};
use keyscape_layout::{Datum, NoImports, Record, model::KeyspaceId, read};
use keyscape_oracle::{Condition, Oracle, Words, codecs};

fn holds(guard: &str, fields: &[(&str, i128)]) -> bool {
    let condition = Condition::of_option(&format!(r#"[{{z: text(r"if [a]")}} if {guard}]"#));
    let mut record = Record::default();
    for (name, value) in fields {
        record.set(*name, Datum::Leaf(Value::Int(*value)));
    }
    condition.unwrap().holds(&record)
}

#[test]
fn a_guard_is_read_from_its_text() {
    assert!(holds("x in 1..=2", &[("x", 2)]));
    assert!(!holds("x in -2..=-1", &[("x", -3)]));
    let least = format!("x in {}", i128::MIN);
    assert!(holds(&least, &[("x", i128::MIN)]) && !holds(&least, &[("x", i128::MIN + 1)]));
    // `and` binds more tightly than `or`.
    assert!(holds("x in 1 or x in 2 and y in 9", &[("x", 1), ("y", 0)]));
    assert!(!holds("(x in 1 or x in 2) and y in 9", &[("x", 1), ("y", 0)]));
}

#[test]
fn every_codec_is_drawn() {
    for name in names() {
        let is_drawn = codecs().any(|(text, _)| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            words.any(|word| word == *name)
        });
        assert!(is_drawn, "{name}");
    }
}

#[test]
fn few_values_are_all_listed_and_of_many_some() {
    let mut words = Words::default();
    let mut wrong = Vec::new();
    for (codec, all) in codecs() {
        let text = format!("store s map m = {{x: {codec}}}");
        let layout = read("leaf.keys", &text, &mut NoImports);
        let layout = layout.map_err(|rejected| rejected.diagnostics[0].message.clone());
        let rows = layout.map(|layout| {
            let oracle = Oracle::new(&layout, &mut words, &[], 300);
            oracle.map(|o| (o.rows(KeyspaceId(0)).len(), o.is_complete(KeyspaceId(0))))
        });
        if !matches!(rows, Ok(Ok((1.., complete))) if complete == all) {
            wrong.push(format!("{text}: {rows:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
