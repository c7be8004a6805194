//! The rules about layouts, changes and migrations, with their pages from the specification.

use keyscape_evolution::{Rule as ChangeRule, migration::Claim};
use keyscape_prover::Rule;

const CLAIMS: &str = include_str!("../../../../spec/claims.md");
const THEOREMS: &str = include_str!("../../../../spec/theorems.md");
const EVOLUTION: &str = include_str!("../../../../spec/evolution.md");
const MIGRATION: &str = include_str!("../../../../spec/migration.md");

/// A rule about a layout, a change or a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleEntry {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    /// The document with the meaning of the rule and its examples.
    document: &'static str,
    /// The document with its proof, if there is one of its own.
    proof: Option<&'static str>,
    /// Describes how the examples are marked.
    marks: &'static str,
}

impl From<Rule> for RuleEntry {
    fn from(rule: Rule) -> Self {
        let (code, name, summary) = (rule.code(), rule.name(), rule.summary());
        let marks = "In the examples, lines marked `proved` are right and lines marked `refuted` are \
                     wrong.";
        Self { code, name, summary, document: CLAIMS, proof: Some(THEOREMS), marks }
    }
}

impl From<ChangeRule> for RuleEntry {
    fn from(rule: ChangeRule) -> Self {
        let (code, name, summary) = (rule.code(), rule.name(), rule.summary());
        let marks = "In the examples, `old` is the layout before the change. Lines of `new` marked \
                     with a rule are wrong; the others are right.";
        Self { code, name, summary, document: EVOLUTION, proof: None, marks }
    }
}

impl From<Claim> for RuleEntry {
    fn from(claim: Claim) -> Self {
        let (code, name, summary) = (claim.code(), claim.name(), claim.summary());
        let marks = "In the examples, `migration` moves rows from `old` to `new`. `verdicts` lists the claims \
                     that are not proved.";
        Self { code, name, summary, document: MIGRATION, proof: None, marks }
    }
}

impl RuleEntry {
    /// Returns all rules, in the order of their codes.
    pub(crate) fn all() -> Vec<Self> {
        let layouts = Rule::ALL.into_iter().map(Self::from);
        let changes = ChangeRule::ALL.into_iter().map(Self::from);
        layouts.chain(changes).chain(Claim::ALL.into_iter().map(Self::from)).collect()
    }

    /// Returns the rule with that code or name.
    pub(crate) fn find(code: &str) -> Option<Self> {
        let is_meant = |known: &str| known.eq_ignore_ascii_case(code);
        Self::all().into_iter().find(|rule| is_meant(rule.code) || is_meant(rule.name))
    }

    /// Returns the page of the rule as Markdown: its meaning with wrong and right examples.
    pub(crate) fn page(&self) -> String {
        format!("{}\n{}\n\n{}\n", self.heading(), self.marks, self.body(self.document))
    }

    /// Returns the page of its proof as Markdown: how the rule is decided, and why that is right.
    pub(crate) fn proof(&self) -> String {
        format!("{}\n{}\n", self.heading(), self.body(self.proof.unwrap_or(self.document)))
    }

    fn heading(&self) -> String {
        format!("## {} {}\n", self.code, self.name)
    }

    /// Returns the section of a document about the rule, without its heading.
    fn body(&self, document: &'static str) -> &'static str {
        let heading = self.heading();
        section(document, self.code).strip_prefix(&*heading).unwrap_or_default().trim()
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
        for rule in RuleEntry::all() {
            let page = rule.page();
            assert!(page.starts_with(&format!("## {} {}\n", rule.code, rule.name)), "{page}");
            let proof = rule.proof();
            assert!(proof.contains("**Claim.**") && proof.contains("**In practice.**"), "{proof}");
            assert_eq!(page.matches("\n## ").count(), 0, "one section only");
        }
        for rule in Rule::ALL.map(RuleEntry::from) {
            let page = rule.page();
            assert!(page.contains(&format!("refuted {}", rule.code)), "a wrong example: {page}");
            assert!(page.contains("// proved"), "a right example: {page}");
        }
        for rule in ChangeRule::ALL.map(RuleEntry::from) {
            let page = rule.page();
            assert!(page.contains(&format!("// {}", rule.code)), "a wrong example: {page}");
            let pairs = page.matches("```new").count();
            assert!(pairs >= 2, "a wrong and a right example: {page}");
        }
        for claim in Claim::ALL.map(RuleEntry::from) {
            let page = claim.page();
            let refuted = page.lines().filter(|line| line.starts_with(claim.code));
            assert!(refuted.count() >= 1, "a wrong example: {page}");
            assert!(page.matches("```migration").count() >= 2, "a right example: {page}");
        }
    }
}
