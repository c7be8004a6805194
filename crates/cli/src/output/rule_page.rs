//! The pages of rules, from the specification.

use keyscape_prover::Rule;

const CLAIMS: &str = include_str!("../../../../spec/claims.md");
const THEOREMS: &str = include_str!("../../../../spec/theorems.md");

/// Returns the page of a rule as Markdown: its meaning with wrong and right examples, and how it is
/// decided.
pub(crate) fn rule_page(rule: Rule) -> String {
    let heading = format!("## {} {}\n", rule.code(), rule.name());
    let body = |document| section(document, rule).strip_prefix(&heading).unwrap_or_default();
    format!("{heading}{}\n{}", body(CLAIMS), body(THEOREMS).trim_start())
}

/// Returns the section of a rule.
fn section(document: &'static str, rule: Rule) -> &'static str {
    let start = document.find(&format!("\n## {} ", rule.code())).map_or(0, |at| at + 1);
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
        for rule in Rule::ALL {
            let page = rule_page(rule);
            assert!(page.starts_with(&format!("## {} {}\n", rule.code(), rule.name())), "{page}");
            assert!(page.contains("**Claim.**") && page.contains("**In practice.**"), "{page}");
            assert!(page.contains(&format!("refuted {}", rule.code())), "a wrong example: {page}");
            assert!(page.contains("// proved"), "a right example: {page}");
            assert_eq!(page.matches("\n## ").count(), 0, "one section only");
        }
    }
}
