//! The rules about layouts and about changes, with their pages from the specification.

use keyscape_evolution::Rule as ChangeRule;
use keyscape_prover::Rule;

const CLAIMS: &str = include_str!("../../../../spec/claims.md");
const THEOREMS: &str = include_str!("../../../../spec/theorems.md");
const EVOLUTION: &str = include_str!("../../../../spec/evolution.md");

/// A rule about a layout or about a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownRule {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    /// The documents that have a section about the rule.
    documents: &'static [&'static str],
}

impl From<Rule> for KnownRule {
    fn from(rule: Rule) -> Self {
        let (code, name, summary) = (rule.code(), rule.name(), rule.summary());
        Self { code, name, summary, documents: &[CLAIMS, THEOREMS] }
    }
}

impl From<ChangeRule> for KnownRule {
    fn from(rule: ChangeRule) -> Self {
        let (code, name, summary) = (rule.code(), rule.name(), rule.summary());
        Self { code, name, summary, documents: &[EVOLUTION] }
    }
}

impl KnownRule {
    /// Returns all rules, in the order of their codes.
    pub(crate) fn all() -> Vec<Self> {
        let layouts = Rule::ALL.into_iter().map(Self::from);
        layouts.chain(ChangeRule::ALL.into_iter().map(Self::from)).collect()
    }

    /// Returns the rule with that code or name.
    pub(crate) fn find(code: &str) -> Option<Self> {
        let is_meant = |known: &str| known.eq_ignore_ascii_case(code);
        Self::all().into_iter().find(|rule| is_meant(rule.code) || is_meant(rule.name))
    }

    /// Returns the page of the rule as Markdown: its meaning with wrong and right examples, and how it
    /// is decided.
    pub(crate) fn page(&self) -> String {
        let heading = format!("## {} {}\n", self.code, self.name);
        let body = |document| section(document, self.code).strip_prefix(&heading);
        let bodies = self.documents.iter().map(|document| body(document).unwrap_or_default());
        let text: Vec<&str> = bodies.map(str::trim).collect();
        format!("{heading}\n{}\n", text.join("\n\n"))
    }
}

/// Returns the section of a rule.
fn section(document: &'static str, code: &str) -> &'static str {
    let start = document.find(&format!("\n## {code} ")).map_or(0, |at| at + 1);
    let section = document.get(start..).unwrap_or_default();
    let end =
        section.get(3..).and_then(|rest| rest.find("\n## ")).map_or(section.len(), |at| at + 3);
    section.get(..end).unwrap_or(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_page_with_examples_and_its_claim() {
        for rule in KnownRule::all() {
            let page = rule.page();
            assert!(page.starts_with(&format!("## {} {}\n", rule.code, rule.name)), "{page}");
            assert!(page.contains("**Claim.**") && page.contains("**In practice.**"), "{page}");
            assert_eq!(page.matches("\n## ").count(), 0, "one section only");
        }
        for rule in Rule::ALL.map(KnownRule::from) {
            let page = rule.page();
            assert!(page.contains(&format!("refuted {}", rule.code)), "a wrong example: {page}");
            assert!(page.contains("// proved"), "a right example: {page}");
        }
        for rule in ChangeRule::ALL.map(KnownRule::from) {
            let page = rule.page();
            assert!(page.contains(&format!("// {}", rule.code)), "a wrong example: {page}");
            let pairs = page.matches("```new").count();
            assert!(pairs >= 2, "a wrong and a right example: {page}");
        }
    }
}
