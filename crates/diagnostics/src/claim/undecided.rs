//! Undecided claims, with the reason and advice.

use super::{Subject, partners};
use crate::{
    bytes::hex,
    message::{Level, Message},
    suggestion,
    table::Table,
};
use keyscape_layout::Layout;
use keyscape_prover::{EntryFault, Rule, Unknown};

pub(super) fn message(subject: Subject<'_>, unknown: &Unknown) -> Message {
    let question = partners::question(subject).unwrap_or_else(|| question(subject));
    let (level, title) = match unknown {
        Unknown::Bug { .. } => {
            (Level::Bug, format!("Keyscape contradicts itself on whether {question}"))
        }
        _ => (Level::Unknown, format!("it is not known whether {question}")),
    };
    let mut message = Message::new(level, title).at(subject.claim.span, "");
    message.note("reason", reason(subject.layout, unknown));
    if let Unknown::Entry { row: Some(row), .. } = unknown {
        let mut table = Table::default();
        table.key("row without an entry", subject.fields(row), &row.key);
        message.table(&table);
    }
    message.with_help(Some(advice(subject, unknown)))
}

fn question(subject: Subject<'_>) -> String {
    let keyspace = &subject.keyspace.name;
    match subject.claim.rule {
        Rule::Disjoint => format!("`{keyspace}` shares keys with other keyspaces"),
        Rule::Unambiguous => format!("every key of `{keyspace}` has one reading"),
        Rule::ScanExact => format!("{} returns its rows and no others", subject.scan_words()),
        Rule::Ordered => {
            let by = subject.scan.map_or(&[][..], |scan| &scan.by);
            format!("{} returns rows in order of {}", subject.scan_words(), suggestion::list(by))
        }
        Rule::Lossless => {
            let field = subject.claim.field.as_deref().unwrap_or_default();
            format!("distinct values of `{field}` of `{keyspace}` have distinct bytes")
        }
        Rule::Bounded => format!("every key of `{keyspace}` fits the backend"),
        Rule::Allocated => format!("`{keyspace}` uses only prefixes that its namespace allocates"),
        Rule::StructureTyped => format!("keys of `{keyspace}` are used with one kind only"),
        Rule::Indexed => format!("`{keyspace}` distinguishes all rows of its map"),
        Rule::Splittable => format!("{} cuts them at their separators", subject.split_words()),
    }
}

/// Describes the reason for which a claim is not decided.
pub fn reason(layout: &Layout, unknown: &Unknown) -> String {
    match unknown {
        Unknown::Budget(over) => over.to_string(),
        Unknown::Inexact { codecs } => format!(
            "no automaton has exactly the encodings of {}, and no real key was found that settles it",
            suggestion::list(codecs)
        ),
        Unknown::OtherCodec { tried } => format!(
            "the scan asks with other bytes than the key has, and {} show no fault",
            tried_words(*tried, "value")
        ),
        Unknown::AlsoElsewhere { keyspace } => format!(
            "rows of `{}` have the leading fields at another place of the key, or after a choice",
            layout.keyspace(*keyspace).name
        ),
        Unknown::Rows { tried } => format!(
            "the index does not carry all fields of the map's key, and {} show no fault",
            tried_words(*tried, "row")
        ),
        Unknown::Entry { field, fault: EntryFault::Several, .. } => {
            format!("values of `{field}` with the same row of the map can have different entries")
        }
        Unknown::Entry { field, fault: EntryFault::Rejected, .. } => {
            format!("the index does not accept every value that `{field}` has in the map")
        }
        Unknown::Entry { field, fault: EntryFault::Absent, .. } => {
            format!(
                "because of `{field}`, rows with some combination of optional parts have no entry"
            )
        }
        Unknown::EntryValue => {
            "the values of its entries do not follow from the rows of its map, so only the program \
             knows them"
                .to_owned()
        }
        Unknown::Ambiguous { keyspace } => format!(
            "a key of `{}` can have several readings (KS002), so rows can share an entry or have several",
            layout.keyspace(*keyspace).name
        ),
        Unknown::AmbiguousValue { map } => format!(
            "a value of `{}` can have several readings, and the index takes a field from it",
            layout.keyspace(*map).name
        ),
        Unknown::Order { codec, reason } => format!("the order of `{codec}`: {reason}"),
        Unknown::Readings { key } => format!(
            "key 0x{} seems to refute it, but it has too many readings to be sure",
            hex(key)
        ),
        Unknown::Bug { key } => {
            format!("a counterexample was found that does not replay: key 0x{}", hex(key))
        }
    }
}

/// Returns a phrase such as `3 values that were tried`.
fn tried_words(tried: usize, what: &str) -> String {
    match tried {
        1 => format!("one {what} that was tried"),
        _ => format!("{tried} {what}s that were tried"),
    }
}

fn advice(subject: Subject<'_>, unknown: &Unknown) -> String {
    let code = subject.claim.rule.code();
    let partner = partners::undecided(subject).and_then(|(_, names)| names.first().copied());
    let accept = match (subject.scan, partner) {
        (Some(scan), _) => format!("accept {code} scan {} \"reason\"", scan.name),
        (None, Some(with)) => format!("accept {code} with {with} \"reason\""),
        (None, None) => format!("accept {code} \"reason\""),
    };
    match unknown {
        Unknown::Budget(_) => format!("give the fields narrower domains, or `{accept}`"),
        Unknown::Inexact { .. } if subject.claim.rule == Rule::Bounded => {
            format!("give the fields a smaller maximum length, or `{accept}`")
        }
        Unknown::Inexact { codecs } if codecs.iter().any(|codec| codec.starts_with('=')) => {
            let end = "let each field but the last have one length, or an end that it cannot hold";
            format!("{end} (`escaped01`), or `{accept}`")
        }
        Unknown::Inexact { .. } => {
            format!("add a literal after the field that no encoding can contain, or `{accept}`")
        }
        Unknown::OtherCodec { .. } => {
            format!("ask with the bytes of the key (leave out `as`), or `{accept}`")
        }
        Unknown::AlsoElsewhere { keyspace } => {
            let other = &subject.layout.keyspace(*keyspace).name;
            format!("let the keys of `{other}` begin with the same fields, or `{accept}`")
        }
        Unknown::Rows { .. } => {
            format!("let the index carry every field of the map's key, or `{accept}`")
        }
        Unknown::Entry { fault: EntryFault::Absent, .. } => {
            let map = subject.keyspace.of.map(|map| subject.layout.keyspace(map).name.as_str());
            let map = map.unwrap_or_default();
            format!("write the optional parts as in the key of `{map}`, or `{accept}`")
        }
        Unknown::Entry { field, .. } => {
            format!("write `{{{field}}}` in the index, without a type of its own, or `{accept}`")
        }
        Unknown::EntryValue => format!(
            "let it hold `bytes` if it is `unique`, else `empty` or `const`; if another program writes it, `{accept}`"
        ),
        Unknown::Ambiguous { keyspace } => format!(
            "make the key of `{}` unambiguous first, or `{accept}`",
            subject.layout.keyspace(*keyspace).name
        ),
        Unknown::AmbiguousValue { map } => format!(
            "make the type of the values of `{}` unambiguous, or `{accept}`",
            subject.layout.keyspace(*map).name
        ),
        Unknown::Order { .. } => format!("leave out `by`, or `{accept}`"),
        Unknown::Readings { .. } => {
            "make the key unambiguous first; KS002 of this keyspace says where".to_owned()
        }
        Unknown::Bug { .. } => {
            "please report this as a bug in Keyscape, with the layout and the key above".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keyscape_layout::{NoImports, model::KeyspaceId, read};
    use keyscape_prover::{Claim, Verdict};

    #[test]
    fn a_bug_says_that_it_is_one() {
        let layout = read("l.keys", "store s\nmap m = {id: u8} -> text\n", &mut NoImports).unwrap();
        let keyspace = layout.keyspace(KeyspaceId(0));
        let claim = Claim {
            rule: Rule::Unambiguous,
            store: keyspace.store,
            keyspace: KeyspaceId(0),
            scan: None,
            split: None,
            field: None,
            tight: None,
            span: keyspace.name_span,
            verdict: Verdict::Unknown(Unknown::Bug { key: vec![0x61] }),
            accepted: Some("a bug is not accepted".to_owned()),
            no_fix: None,
            partners: Vec::new(),
            plain: None,
            numeric: Vec::new(),
        };
        let claims = [claim];
        let message = super::super::message(&layout, &claims, &claims[0]).unwrap();
        let text = anstream::adapter::strip_str(&message.render(Some(&layout.sources))).to_string();
        insta::assert_snapshot!(text, @"
        bug[KS002]: Keyscape contradicts itself on whether every key of `m` has one reading
         --> l.keys:2:5
          |
        2 | map m = {id: u8} -> text
          |     ^
          reason: a counterexample was found that does not replay: key 0x61
          help: please report this as a bug in Keyscape, with the layout and the key above
        ");
    }
}
