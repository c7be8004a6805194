//! One keyspace as JSON.

use super::{
    joined,
    segment::{self, SegmentObject, is_false},
};
use crate::output::{
    bytes::hex,
    document::facts::{ClaimFacts, Example, KeyspaceFacts, ScanFacts, literal},
};
use keyscape_prover::{Occurrence, Separator};
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
pub(super) struct KeyspaceObject<'a> {
    name: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<&'a str>,
    #[serde(skip_serializing_if = "is_false")]
    unique: bool,
    #[serde(skip_serializing_if = "is_false")]
    counted: bool,
    #[serde(skip_serializing_if = "is_false")]
    ranked: bool,
    pattern: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    also_reads: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<&'a str>,
    shortest: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest: Option<usize>,
    segments: Vec<SegmentObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<ExampleObject>,
    separators: Vec<SeparatorObject<'a>>,
    scans: Vec<ScanObject<'a>>,
    claims: Vec<ClaimObject<'a>>,
}

#[derive(Serialize)]
struct ExampleObject {
    key: String,
    fields: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    readings: Option<usize>,
    comes_back: bool,
}

#[derive(Serialize)]
struct SeparatorObject<'a> {
    literal: String,
    bytes: String,
    after: &'a [String],
    can_occur_before: bool,
    /// Whether that is decided.
    certain: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
}

#[derive(Serialize)]
struct ScanObject<'a> {
    name: &'a str,
    leading: &'a [String],
    by: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    also: &'a [String],
    begins: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ends: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    rows: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'static str>,
}

#[derive(Serialize)]
struct ClaimObject<'a> {
    rule: &'static str,
    name: &'static str,
    says: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scan: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    accepted: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'a str>,
}

impl<'a> KeyspaceObject<'a> {
    pub(super) fn new(facts: &'a KeyspaceFacts) -> Self {
        Self {
            name: &facts.name,
            kind: facts.kind,
            doc: joined(&facts.doc),
            family: facts.family.as_deref(),
            namespace: facts.namespace.as_deref(),
            range: facts.range.as_deref(),
            of: facts.of.as_deref(),
            hash: facts.hash.as_deref(),
            unique: facts.unique,
            counted: facts.counted,
            ranked: facts.ranked,
            pattern: &facts.pattern,
            value: facts.value.as_deref(),
            also_reads: facts.also_reads.as_deref(),
            member: facts.member.as_deref(),
            score: facts.score.as_deref(),
            shortest: facts.length.least,
            longest: facts.length.most,
            segments: segment::all(&facts.parts),
            example: facts.example.as_ref().ok().and_then(example),
            separators: facts.separators.iter().map(separator).collect(),
            scans: facts.scans.iter().map(scan).collect(),
            claims: facts.claims.iter().map(claim).collect(),
        }
    }
}

fn example(example: &Example) -> Option<ExampleObject> {
    Some(ExampleObject {
        key: hex(&example.key),
        fields: RawValue::from_string(example.json.clone()).ok()?,
        readings: example.readings,
        comes_back: example.comes_back,
    })
}

fn separator(separator: &Separator) -> SeparatorObject<'_> {
    let example = match &separator.occurrence {
        Occurrence::Inside(word) | Occurrence::Across(word) => Some(hex(word)),
        Occurrence::Never | Occurrence::Perhaps => None,
    };
    SeparatorObject {
        literal: literal(&separator.bytes, separator.is_text),
        bytes: hex(&separator.bytes),
        after: &separator.after,
        can_occur_before: !separator.occurrence.is_never(),
        certain: separator.occurrence != Occurrence::Perhaps,
        example,
    }
}

fn scan(scan: &ScanFacts) -> ScanObject<'_> {
    ScanObject {
        name: &scan.name,
        leading: &scan.leading,
        by: &scan.by,
        also: &scan.also,
        begins: &scan.begins,
        ends: scan.ends.as_deref(),
        start: scan.reads.as_ref().map(|reads| hex(&reads.low)),
        end: scan.reads.as_ref().and_then(|reads| reads.high.as_deref().map(hex)),
        rows: scan.exact.word(),
        order: scan.ordered.map(|outcome| outcome.word()),
    }
}

fn claim(claim: &ClaimFacts) -> ClaimObject<'_> {
    ClaimObject {
        rule: claim.rule,
        name: claim.name,
        says: &claim.says,
        scan: claim.scan.as_deref(),
        split: claim.split.as_deref(),
        field: claim.field.as_deref(),
        verdict: claim.verdict,
        accepted: claim.accepted.as_deref(),
        because: claim.because.as_deref(),
    }
}
