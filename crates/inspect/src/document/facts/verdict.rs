//! The verdict on each claim, with its evidence, in one line.

use keyscape_diagnostics::{
    bytes::hex,
    claim,
    datum::{Extent, line, line_apart, scalar_apart},
};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, Scan},
    type_at,
};
use keyscape_prover::{
    AllocationFault, Claim, Collision, Fault, Row, Rule, ScanFault, ScannedRow, Verdict,
};
use serde::Serialize;

/// A claim with its verdict.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimFacts {
    /// Its code, such as `KS001`.
    pub rule: &'static str,
    /// The rule in one word.
    pub name: &'static str,
    /// The claim in words.
    pub says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// `proved`, `refuted` or `unknown`, whether that is accepted or not.
    pub verdict: &'static str,
    /// The reason for which it is accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
    /// The counterexample, or the reason why the claim is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// The counterexample and its fixes, as the terminal shows them with colours.
    #[serde(skip)]
    pub drawing: Option<String>,
    #[serde(skip)]
    pub outcome: Outcome,
}

/// The outcome of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Proved,
    Refuted,
    /// Undecided, or refuted only by what the layout accepts, with other parts undecided.
    Unknown,
    /// Refuted or undecided, and the layout accepts it with a reason.
    Accepted,
}

impl Outcome {
    pub(super) fn of(claim: &Claim) -> Self {
        match (&claim.accepted, &claim.verdict) {
            (Some(_), _) => Self::Accepted,
            (None, Verdict::Proved) => Self::Proved,
            (None, _) if claim.is_undecided() => Self::Unknown,
            (None, _) => Self::Refuted,
        }
    }

    /// Returns the outcome in one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
            Self::Accepted => "accepted",
        }
    }
}

impl ClaimFacts {
    pub(super) fn new(layout: &Layout, claims: &[Claim], claim: &Claim) -> Self {
        let keyspace = layout.keyspace(claim.keyspace);
        let scan = claim.scan.and_then(|index| keyspace.scans.get(index));
        let split = claim.split.and_then(|index| keyspace.splits.get(index));
        let (verdict, because) = match &claim.verdict {
            Verdict::Proved => ("proved", None),
            Verdict::Refuted(found) => ("refuted", Some(evidence(layout, claim, &found.fault))),
            Verdict::Unknown(reason) => ("unknown", Some(claim::unknown_reason(layout, reason))),
        };
        Self {
            rule: claim.rule.code(),
            name: claim.rule.name(),
            says: says(claim, scan, split.map_or("", |split| &split.name)),
            scan: scan.map(|scan| scan.name.clone()),
            split: split.map(|split| split.name.clone()),
            field: claim.field.clone(),
            outcome: Outcome::of(claim),
            verdict,
            because,
            drawing: claim::message(layout, claims, claim)
                .map(|message| message.render(Some(&layout.sources))),
            accepted: claim.accepted.clone(),
        }
    }
}

/// Returns a claim about its keyspace in words.
fn says(claim: &Claim, scan: Option<&Scan>, split: &str) -> String {
    let (scan, by) = scan.map_or(("", &[][..]), |scan| (&scan.name, &scan.by));
    match claim.rule {
        Rule::Disjoint => "no other keyspace has one of its keys".to_owned(),
        Rule::Unambiguous => "every key has one reading".to_owned(),
        Rule::ScanExact => format!("scan `{scan}` reads its rows and no others"),
        Rule::Ordered => format!("scan `{scan}` returns rows in order of `{}`", by.join("`, `")),
        Rule::Lossless => {
            let field = claim.field.as_deref().unwrap_or_default();
            format!("distinct values of `{field}` have distinct bytes")
        }
        Rule::Bounded => "no key is too long for the backend".to_owned(),
        Rule::Allocated => "its namespace allocates its prefix".to_owned(),
        Rule::StructureTyped => "no key is used with two kinds of structures".to_owned(),
        Rule::Indexed => "it distinguishes all rows of its map".to_owned(),
        Rule::Splittable => format!("splitting `{split}` cuts keys at their separators"),
    }
}

/// Returns the counterexample of a claim in one line.
fn evidence(layout: &Layout, claim: &Claim, fault: &Fault) -> String {
    let key = &layout.keyspace(claim.keyspace).key;
    match fault {
        Fault::Disjoint { collisions, more } => shared(layout, collisions, *more),
        Fault::Unambiguous { a, b } => {
            let (one, other) = (fields(layout, a, b), fields(layout, b, a));
            format!("key {} is {one} and also {other}", key_text(&a.key))
        }
        Fault::ScanExact(ScannedRow { fault, asked, row, .. }) => {
            let reads = match fault {
                ScanFault::Foreign => "also reads",
                ScanFault::Missed => "does not read",
            };
            let row_fields = line_apart(&layout.keyspace(row.keyspace).key, &row.fields, asked);
            let of = match row.keyspace == claim.keyspace {
                true => String::new(),
                false => format!(" of `{}`", layout.keyspace(row.keyspace).name),
            };
            let asked = match asked.0.as_slice() {
                [] => "everything".to_owned(),
                _ => line_apart(key, asked, &row.fields),
            };
            format!("asked for {asked}, it {reads} {row_fields}{of} ({})", key_text(&row.key))
        }
        Fault::Ordered { lower, higher } => {
            let (low, high) = (fields(layout, lower, higher), fields(layout, higher, lower));
            match lower.key == higher.key {
                true => format!("{low} and {high} have the same bytes"),
                false => format!("{low} comes after {high}"),
            }
        }
        Fault::Lossless { a, b, bytes } => {
            let names: Vec<&str> = claim.field.iter().flat_map(|path| path.split('.')).collect();
            let ty = type_at(key, &names).map(|ty| &**ty);
            let value = |datum, other| scalar_apart(ty, datum, Some(other));
            format!("{} and {} are both {}", value(a, b), value(b, a), key_text(bytes))
        }
        Fault::Bounded { backend, row, length, record, .. } => {
            let (what, bytes) = match record {
                Some(record) => ("a record", &record.bytes),
                None => ("a key", &row.key),
            };
            let because = backend.because;
            let text = format!("{what} has {length} bytes, and {because}");
            // A key that is too long to be spelled is not shown.
            if *length > bytes.len() { text } else { format!("{text}: {}", key_text(bytes)) }
        }
        Fault::Allocated { fault, row } => allocation(layout, claim.keyspace, fault, row),
        Fault::Indexed { missing, a, b, entry, .. } => {
            let (one, other) = (fields(layout, a, b), fields(layout, b, a));
            let entry = key_text(entry);
            format!("it does not carry `{missing}`: {one} and {other} have the one entry {entry}")
        }
        Fault::Splittable { row, cuts, separators } => {
            let [cuts, separators] = [cuts, separators].map(|offsets| offsets.len() + 1);
            let fields = line(key, &row.fields, Extent::Short);
            let key = key_text(&row.key);
            match cuts == separators {
                true => format!("key {key} of {fields} is cut elsewhere"),
                false => format!("key {key} of {fields} has {cuts} parts instead of {separators}"),
            }
        }
    }
}

fn shared(layout: &Layout, collisions: &[Collision], more: usize) -> String {
    let mut parts: Vec<String> = collisions
        .iter()
        .map(|Collision { here, there }| {
            let other = &layout.keyspace(there.keyspace).name;
            format!("key {} is also one of `{other}`", key_text(&here.key))
        })
        .collect();
    if more > 0 {
        parts.push(format!("and it shares keys with {more} more keyspaces"));
    }
    parts.join("; ")
}

fn allocation(layout: &Layout, id: KeyspaceId, fault: &AllocationFault, row: &Row) -> String {
    let keyspace = layout.keyspace(id);
    let namespaces = &layout.store(keyspace.store).namespaces;
    let namespace = keyspace.namespace.and_then(|index| namespaces.get(index));
    let key = key_text(&row.key);
    match fault {
        AllocationFault::OutsideRange { range } => {
            let range = namespace.and_then(|namespace| namespace.ranges.get(*range));
            let name = range.map_or("", |range| range.name.as_str());
            format!("key {key} is outside the range `{name}`")
        }
        AllocationFault::Nested { namespace, nested } => {
            let name = |index: usize| namespaces.get(index).map_or("", |n| n.name.as_str());
            let (outer, inner) = (name(*namespace), name(*nested));
            format!("key {key} is in namespace `{inner}`, outside of all ranges of `{outer}`")
        }
        AllocationFault::Retired { namespace, retired } => {
            let entry =
                namespaces.get(*namespace).and_then(|namespace| namespace.retired.get(*retired));
            let prefix = entry.map_or(&[][..], |entry| &entry.prefix);
            let reason = entry.map_or("", |entry| entry.reason.as_str());
            format!("key {key} has prefix {}, which may not be used: {reason}", key_text(prefix))
        }
        AllocationFault::Comparable { other } => {
            let other = &layout.keyspace(*other).name;
            format!("its prefix and that of `{other}` begin alike, as key {key} shows")
        }
    }
}

/// Renders the fields of a row, distinguishable from those of another.
fn fields(layout: &Layout, row: &Row, other: &Row) -> String {
    line_apart(&layout.keyspace(row.keyspace).key, &row.fields, &other.fields)
}

/// Renders a key, or both ends of a long one.
fn key_text(key: &[u8]) -> String {
    const MAX: usize = 40;
    match (key.get(..MAX - 8), key.get(key.len().saturating_sub(4)..)) {
        (Some(head), Some(tail)) if key.len() > MAX => format!("0x{}…{}", hex(head), hex(tail)),
        _ => format!("0x{}", hex(key)),
    }
}
