//! One keyspace as Markdown.

use super::text::{code, runs, table, text};
use crate::output::{
    bytes::hex,
    document::{
        facts::{self, ClaimFacts, KeyspaceFacts, Outcome, Part, PartKind, ScanFacts},
        prose, words,
    },
};

pub(super) fn render(facts: &KeyspaceFacts, out: &mut String) {
    out.push_str(&format!("### {} {}\n\n", capital(facts.kind), code(&facts.name)));
    super::paragraphs(&facts.doc, out);
    if let Some(reason) = &facts.deprecated {
        out.push_str(&format!("**Deprecated:** {}\n\n", text(reason)));
    }
    out.push_str(&format!("{}\n\n", summary(facts)));
    let mut rows = Vec::new();
    for part in &facts.parts {
        part_rows(part, &mut rows);
    }
    out.push_str(&table(&["at", "bytes", "part", "codec", "allowed", "example"], &rows));
    example(facts, out);
    separators(facts, out);
    let scans: Vec<Vec<String>> = facts.scans.iter().map(scan).collect();
    let heads = ["scan", "reads", "for the example", "rows exact", "order"];
    out.push_str(&table(&heads, &scans));
    let claims: Vec<Vec<String>> = facts.claims.iter().map(claim).collect();
    out.push_str(&table(&["claim", "says", "verdict"], &claims));
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or(String::new(), |first| format!("{}{}", first.to_uppercase(), chars.as_str()))
}

/// Renders the key on one line, its length, and the declarations that the keyspace belongs to.
fn summary(facts: &KeyspaceFacts) -> String {
    let key = format!("Key {}, {}.", code(&facts.pattern), words::bytes_long(facts.length));
    let mut sentences = vec![key];
    for (word, text) in facts.holds() {
        sentences.push(format!("{} {}.", capital(word), code(text)));
    }
    let relation =
        [("Index of", &facts.of), ("Field of", &facts.hash), ("In family", &facts.family)];
    for (words, name) in relation {
        if let Some(name) = name {
            sentences.push(format!("{words} {}.", code(name)));
        }
    }
    if let Some(namespace) = &facts.namespace {
        let range = facts.range.as_ref().map(|range| format!(", range {}", code(range)));
        let range = range.unwrap_or_default();
        sentences.push(format!("In namespace {}{range}.", code(namespace)));
    }
    for (is, word) in
        [(facts.unique, "Unique."), (facts.counted, "Counted."), (facts.ranked, "Ranked.")]
    {
        if is {
            sentences.push(word.to_owned());
        }
    }
    sentences.join(" ")
}

/// Appends the row of a part and the rows of the parts inside it.
fn part_rows(part: &Part, rows: &mut Vec<Vec<String>>) {
    let at = match words::start(&part.start) {
        (None, offset) => offset.to_string(),
        (Some(path), 0) => format!("end of {}", code(path)),
        (Some(path), plus) => format!("end of {} + {plus}", code(path)),
    };
    let name = match &part.shape {
        PartKind::Literal { bytes, text, .. } => code(&facts::literal(bytes, text.is_some())),
        PartKind::Option { .. } => "*option*".to_owned(),
        _ => match &part.from_value {
            Some(from) => format!("{} ({})", code(&part.path), words::from_value(from)),
            None => code(&part.path),
        },
    };
    let codec = match &part.shape {
        PartKind::Leaf { .. } => code(&words::codec(part)),
        _ => words::codec(part),
    };
    let allowed = match &part.shape {
        PartKind::Literal { made_from: None, .. } => String::new(),
        _ => runs(&words::allowed(part)),
    };
    let sample = part.sample().map(|bytes| code(&words::spaced_short(bytes)));
    rows.push(vec![
        at,
        words::length(part.length),
        name,
        codec,
        allowed,
        sample.unwrap_or_default(),
    ]);
    match &part.shape {
        PartKind::Variant { arms } => {
            for arm in arms {
                let name = format!("arm {}", code(&arm.name));
                let mut row = vec![String::new(), words::length(arm.length), name];
                row.resize(6, String::new());
                rows.push(row);
                arm.parts.iter().for_each(|part| part_rows(part, rows));
            }
        }
        _ => part.inside().into_iter().for_each(|part| part_rows(part, rows)),
    }
}

fn example(facts: &KeyspaceFacts, out: &mut String) {
    match &facts.example {
        Ok(example) => out.push_str(&format!(
            "Example: {} is {}, and {}.\n\n",
            code(&hex(&example.key)),
            code(&example.line),
            words::comes_back(example)
        )),
        Err(reason) => out.push_str(&format!("There is no example: {}.\n\n", text(reason))),
    }
}

fn separators(facts: &KeyspaceFacts, out: &mut String) {
    for separator in &facts.separators {
        let (safe, why) = words::split(separator);
        let lead = if safe { "Safe to split here" } else { "**Do not split here**" };
        out.push_str(&format!("- {lead}: {}.\n", runs(&why)));
    }
    if !facts.separators.is_empty() {
        out.push('\n');
    }
}

fn scan(scan: &ScanFacts) -> Vec<String> {
    let mut reads = runs(&words::interval(scan));
    if !scan.also.is_empty() {
        let names: Vec<String> = scan.also.iter().map(|name| code(name)).collect();
        reads.push_str(&format!("; rows of {} may be among them", names.join(", ")));
    }
    let interval = scan.reads.as_ref().map(|reads| match &reads.high {
        Some(high) => format!("`{}` to below `{}`", hex(&reads.low), hex(high)),
        None if reads.low.is_empty() => "all".to_owned(),
        None => format!("`{}` to the end", hex(&reads.low)),
    });
    let order = scan.ordered.map_or(String::new(), |outcome| {
        let by: Vec<String> = scan.by.iter().map(|name| code(name)).collect();
        format!("by {}: {}", by.join(", "), mark(outcome))
    });
    vec![code(&scan.name), reads, interval.unwrap_or_default(), mark(scan.exact), order]
}

fn claim(claim: &ClaimFacts) -> Vec<String> {
    let mut verdict = mark(claim.outcome);
    if let Some(reason) = &claim.accepted {
        verdict.push_str(&format!(": {}. It is {}", text(reason), claim.verdict));
    }
    if let Some(because) = &claim.because {
        verdict.push_str(&format!(": {}", runs(&prose::runs(because))));
    }
    let rule = format!("{} {}", claim.rule, claim.name);
    vec![rule, runs(&prose::runs(&claim.says)), verdict]
}

/// Renders a verdict. Prints it in bold unless it is a proof.
fn mark(outcome: Outcome) -> String {
    match outcome {
        Outcome::Proved => outcome.word().to_owned(),
        Outcome::Refuted | Outcome::Unknown | Outcome::Accepted => {
            format!("**{}**", outcome.word())
        }
    }
}
