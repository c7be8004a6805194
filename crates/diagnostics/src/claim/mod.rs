//! Messages about claims.

mod declared;
mod key_parts;
mod keys;
mod partners;
mod scans;
mod splittable;
mod undecided;

pub use undecided::reason as unknown_reason;

use crate::{
    datum::{self, Extent},
    escape::escaped,
    message::{Level, Message},
    style::{self, paint},
};
use keyscape_layout::{
    Layout, Span,
    model::{Accept, Keyspace, KeyspaceId, KeyspaceKind, Scan, Split},
};
use keyscape_prover::{
    Claim, Counterexample, Fault, Notation, NumericText, Report, Row, Rule, Verdict,
};

/// A claim and the parts of the layout that it is about.
#[derive(Clone, Copy, Debug)]
struct Subject<'a> {
    layout: &'a Layout,
    claim: &'a Claim,
    /// All claims of the layout.
    claims: &'a [Claim],
    keyspace: &'a Keyspace,
    scan: Option<&'a Scan>,
    split: Option<&'a Split>,
}

impl<'a> Subject<'a> {
    fn new(layout: &'a Layout, claims: &'a [Claim], claim: &'a Claim) -> Self {
        let keyspace = layout.keyspace(claim.keyspace);
        let scan = claim.scan.and_then(|index| keyspace.scans.get(index));
        let split = claim.split.and_then(|index| keyspace.splits.get(index));
        Self { layout, claim, claims, keyspace, scan, split }
    }

    /// Returns the kind of structure that a key of the keyspace names, unless it names a row.
    fn structure(&self) -> Option<&'static str> {
        match self.keyspace.kind {
            KeyspaceKind::Hash => Some("hash"),
            KeyspaceKind::Set => Some("set"),
            KeyspaceKind::Zset => Some("zset"),
            KeyspaceKind::Queue => Some("queue"),
            KeyspaceKind::Item
            | KeyspaceKind::Map
            | KeyspaceKind::Index
            | KeyspaceKind::Sequence => None,
        }
    }

    /// Returns the shortened fields of a row.
    fn fields(&self, row: &Row) -> String {
        datum::line(&self.layout.keyspace(row.keyspace).key, &row.fields, Extent::Short)
    }

    /// Returns a phrase such as `` scan `user` of `orders` ``.
    fn scan_words(&self) -> String {
        let scan = self.scan.map_or("", |scan| scan.name.as_str());
        format!("scan `{scan}` of `{}`", self.keyspace.name)
    }

    /// Returns a phrase such as `` splitting keys of `orders` at "/" ``.
    fn split_words(&self) -> String {
        let split = self.split.map_or("", |split| split.name.as_str());
        format!("splitting keys of `{}` {split}", self.keyspace.name)
    }
}

/// Describes the verdict on a claim. Returns `None` if it is proved, or if the message about
/// another keyspace covers it.
pub fn message(layout: &Layout, claims: &[Claim], claim: &Claim) -> Option<Message> {
    let subject = Subject::new(layout, claims, claim);
    let message = match &claim.verdict {
        Verdict::Proved => return None,
        Verdict::Refuted(counterexample) => refuted(subject, counterexample)?,
        Verdict::Unknown(unknown) => undecided::message(subject, unknown),
    };
    let message = match &claim.accepted {
        Some(reason) if !claim.is_bug() => {
            let title = format!("{}: {reason}", message.title);
            Message::new(Level::Accepted, title).at(claim.span, "")
        }
        _ => message,
    };
    Some(message.code(claim.rule.code()))
}

/// Describes every claim that is not proved, every warning and every idle acceptance, in the order
/// of the layout. Without `everything`, omits warnings and accepted claims.
#[must_use]
pub fn findings(layout: &Layout, report: &Report, everything: bool) -> String {
    let is_shown = |found: &&Claim| everything || found.accepted.is_none();
    let mut messages: Vec<Message> = Vec::new();
    for found in report.claims.iter().filter(is_shown) {
        messages.extend(message(layout, &report.claims, found));
        if everything {
            messages.extend(warnings(layout, &report.claims, found));
        }
    }
    let idle = report.idle_accepts.iter();
    messages.extend(idle.map(|&(keyspace, span)| idle_accept(layout, keyspace, span)));
    let texts: Vec<String> =
        messages.iter().map(|message| message.render(Some(&layout.sources))).collect();
    texts.join("\n")
}

/// Returns the warnings about a proved claim that may not hold for the intended use of the layout.
/// They change no verdict.
pub fn warnings(layout: &Layout, claims: &[Claim], claim: &Claim) -> Vec<Message> {
    let subject = Subject::new(layout, claims, claim);
    let plain = claim.plain.iter().filter_map(|found| plain_prefix(subject, found));
    let numeric = claim.numeric.iter().map(|found| numeric_text(subject, found));
    plain.chain(numeric).map(|message| message.code(claim.rule.code())).collect()
}

fn refuted(subject: Subject<'_>, counterexample: &Counterexample) -> Option<Message> {
    let mut message = match &counterexample.fault {
        Fault::Disjoint { collisions, .. } => {
            let (unreported, more) = partners::unreported(subject, collisions);
            if unreported.is_empty() && more == 0 {
                let (reason, _) = partners::undecided(subject)?;
                return Some(undecided::message(subject, reason));
            }
            keys::shared_keys(subject, &unreported, more)
        }
        Fault::Unambiguous { a, b } => keys::two_readings(subject, a, b),
        Fault::ScanExact(found) => scans::wrong_row(subject, found),
        Fault::Ordered { lower, higher } => scans::disorder(subject, lower, higher),
        Fault::Lossless { a, b, bytes } => declared::loss(subject, a, b, bytes),
        Fault::Bounded { backend, row, length, long, record } => {
            declared::rejected_key(subject, backend, (row, *length), long.as_ref(), record.as_ref())
        }
        Fault::Allocated { fault, row } => declared::misplaced(subject, fault, row),
        Fault::Indexed { missing, others, a, b, entry, values } => {
            let missing: Vec<&str> =
                std::iter::once(missing).chain(others).map(String::as_str).collect();
            declared::shared_entry(subject, &missing, [a, b], (entry, values))
        }
        Fault::Splittable { row, cuts, separators } => {
            splittable::message(subject, row, cuts, separators)
        }
    };
    partners::add_others(subject, &counterexample.fault, &mut message);
    for fix in &counterexample.fixes {
        let lead = paint(style::HELP, format_args!("fix, proved, {}:", fix.effect.words()));
        if fix.text.contains("//") && fix.text.contains('\n') {
            // A comment ends with its line, so the lines cannot be joined.
            message.line(lead);
            fix.text.lines().for_each(|line| message.line(format!("    {}", escaped(line))));
        } else {
            let text = fix.text.replace('\n', " ");
            message.line(format!("{lead}   {}", escaped(&text)));
        }
        if !fix.idle_accepts.is_empty() {
            let accepts = fix.idle_accepts.join(", ");
            message.line(format!("    then remove {accepts}, which would match nothing"));
        }
    }
    if let Some(reason) = subject.claim.no_fix {
        message.line(format!("{} {}", paint(style::HELP, "no fix:"), reason.words()));
    }
    Some(message)
}

/// Describes an acceptance that matches no failing claim.
pub fn idle_accept(layout: &Layout, keyspace: KeyspaceId, span: Span) -> Message {
    let keyspace = layout.keyspace(keyspace);
    let accept = keyspace.accepts.iter().find(|accept| accept.span == span);
    let title =
        format!("this accepts {}, and no such claim fails", accepted_claim(keyspace, accept));
    Message::error(title)
        .at(span, "matches nothing")
        .with_help(Some("remove it; `check` then reports the claim if it fails again".to_owned()))
}

/// Names the claim that an acceptance is about.
fn accepted_claim(keyspace: &Keyspace, accept: Option<&Accept>) -> String {
    let Some(accept) = accept else { return format!("a claim of `{}`", keyspace.name) };
    let mut words = format!("{} of `{}`", accept.rule, keyspace.name);
    if let Some(scan) = &accept.scan {
        words.push_str(&format!(" for scan `{scan}`"));
    }
    if let Some(with) = &accept.with {
        words.push_str(&format!(" with `{with}`"));
    }
    words
}

/// Warns about a scan that is exact only in its tight form. Shows a row that the plain prefix
/// returns too.
fn plain_prefix(subject: Subject<'_>, counterexample: &Counterexample) -> Option<Message> {
    let Fault::ScanExact(found) = &counterexample.fault else { return None };
    let refuted = scans::wrong_row(subject, found);
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
    let (kind, ordered, distinct) = match notation {
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
            format!("if these are numbers, {distinct}"),
        ),
    };
    Message::new(Level::Warning, title).at(subject.claim.span, label).with_help(Some(help))
}
