//! Verdicts: one mark for each claim that is proved, and a line for each that is not.

use super::text::{escape, runs};
use crate::output::document::{
    facts::{ClaimFacts, Outcome},
    prose,
};

/// The verdict that matters most.
pub(super) fn worst(claims: &[ClaimFacts]) -> Outcome {
    let has = |outcome| claims.iter().any(|claim| claim.outcome == outcome);
    [Outcome::Refuted, Outcome::Unknown, Outcome::Accepted]
        .into_iter()
        .find(|&outcome| has(outcome))
        .unwrap_or(Outcome::Proved)
}

/// A verdict.
pub(super) fn chip(outcome: Outcome) -> String {
    format!("<span class=\"chip {0}\">{0}</span>", outcome.word())
}

/// The claims of a keyspace: those that are proved together, then the others with their reasons.
pub(super) fn render(claims: &[ClaimFacts]) -> String {
    let (proved, open): (Vec<&ClaimFacts>, Vec<&ClaimFacts>) =
        claims.iter().partition(|claim| claim.outcome == Outcome::Proved);
    let mut text = String::new();
    if !open.is_empty() {
        let items: String = open.iter().map(|claim| item(claim)).collect();
        text.push_str(&format!("<ul class=\"open\">\n{items}</ul>\n"));
    }
    if !proved.is_empty() {
        let items: String = proved.iter().map(|claim| item(claim)).collect();
        text.push_str(&format!(
            "<details class=\"claims\"><summary>{} proved: {}</summary>\n<ul>\n{items}</ul>\n\
             </details>\n",
            crate::output::document::words::counted(proved.len(), "claim"),
            rules(&proved)
        ));
    }
    text
}

/// The rules of some claims, each once.
fn rules(claims: &[&ClaimFacts]) -> String {
    let mut rules: Vec<&str> = claims.iter().map(|claim| claim.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    rules.join(", ")
}

fn item(claim: &ClaimFacts) -> String {
    let mut text = format!(
        "<li>{} <span class=\"rule\">{} {}</span> {}",
        chip(claim.outcome),
        claim.rule,
        claim.name,
        runs(&prose::runs(&claim.says))
    );
    if let Some(reason) = &claim.accepted {
        let reason = escape(reason);
        text.push_str(&format!("<br><span class=\"because\">Accepted: {reason}</span>"));
    }
    if let Some(because) = &claim.because {
        let because = runs(&prose::runs(because));
        let lead =
            if claim.accepted.is_some() { format!("{}: ", claim.verdict) } else { String::new() };
        text.push_str(&format!("<br><span class=\"because\">{lead}{because}</span>"));
    }
    text.push_str("</li>\n");
    text
}
