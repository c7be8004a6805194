//! Warnings about proved claims that may not hold for the intended use of the layout.

use super::{Subject, scan_exact};
use crate::message::{Level, Message};
use keyscape_prover::{Counterexample, Notation, NumericText, Rule};

/// Returns the warnings about one claim.
pub(super) fn messages(subject: Subject<'_>) -> Vec<Message> {
    let claim = subject.claim;
    let plain = claim.plain.iter().filter_map(|found| plain_prefix(subject, found));
    let numeric = claim.numeric.iter().map(|found| numeric_text(subject, found));
    plain.chain(numeric).map(|message| message.code(claim.rule.code())).collect()
}

/// Warns about a scan that is exact only in its tight form. Shows a row that the plain prefix
/// returns too.
fn plain_prefix(subject: Subject<'_>, counterexample: &Counterexample) -> Option<Message> {
    let found = scan_exact::FoundRow::new(&counterexample.fault)?;
    let refuted = scan_exact::message(subject, &found);
    let title = format!("read as a plain prefix, {}", refuted.title);
    let help = "the claim is proved for the interval that Keyscape derives; \
                if the program asks for the whole prefix, declare that with `as`";
    let message = Message { level: Level::Warning, title, ..refuted };
    Some(message.with_help(Some(help.to_owned())))
}

/// Warns about text that looks like numbers. Shows two values that would refute the claim as
/// numbers.
fn numeric_text(subject: Subject<'_>, found: &NumericText) -> Message {
    let NumericText { field, notation, values: [a, b] } = found;
    let units = "store the number of smallest units, such as cents, as `u64be`";
    let parts = "declare a field for each number, such as `{major: u16be} {minor: u16be}`";
    let (kind, ordered, told_apart) = match notation {
        Notation::Decimal => (
            "decimal numbers",
            "declare a fixed width: `u64be` or `dec0(u64)[20]`",
            "declare `dec(u64)`, which writes each in one way",
        ),
        Notation::Fraction => ("numbers with a fraction", units, units),
        Notation::Dotted => ("numbers with dots between them", parts, parts),
        Notation::Hexadecimal => (
            "hexadecimal numbers",
            "declare a fixed width: `u64be` or `hex(u64be)`",
            "declare `hex(u64be)`, which writes each in one way",
        ),
    };
    let keyspace = &subject.keyspace.name;
    let (title, label, help) = match subject.claim.rule {
        Rule::Ordered => (
            format!("`{field}` of `{keyspace}` looks like {kind} and is ordered as text"),
            format!("`{a}` comes before `{b}`"),
            format!("if these are numbers, {ordered}"),
        ),
        _ => (
            format!("`{field}` of `{keyspace}` looks like {kind} and is compared as text"),
            format!("`{a}` and `{b}` are two values"),
            format!("if these are numbers, {told_apart}"),
        ),
    };
    Message::new(Level::Warning, title).at(subject.claim.span, label).with_help(Some(help))
}
