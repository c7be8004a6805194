//! `keyscape rule`

use crate::{exit::Exit, failure::Failure, output::stdout};
use clap::Args;
use keyscape_prover::Rule;
use keyscape_report::suggestion;
use std::io::Write;

/// Describe a rule: its claim, how it is decided, and when the verdict is unknown
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RulePage {
    /// The rule, such as KS003 or scan-exact [default: list all rules]
    #[arg(value_name = "RULE", value_parser = rule)]
    rule: Option<Rule>,
}

fn rule(code: &str) -> Result<Rule, String> {
    let codes = Rule::ALL.map(Rule::code);
    let is_number = code.strip_prefix("KS").is_some_and(|digits| digits.parse::<u32>().is_ok());
    Rule::find(code).ok_or_else(|| match codes.as_slice() {
        [first, .., last] if is_number => format!("rules are {first} to {last}"),
        codes => suggestion::help(code, "rules", codes),
    })
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape rule
  keyscape rule KS003";

const THEOREMS: &str = include_str!("../../../../spec/theorems.md");

impl RulePage {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let text = self.rule.map_or_else(list, |rule| page(rule).to_owned());
        writeln!(stdout::coloured(), "{}", text.trim_end())?;
        Ok(Exit::Fine)
    }
}

/// Lists all rules, one per line.
fn list() -> String {
    Rule::ALL
        .map(|rule| format!("{} {:<16} {}\n", rule.code(), rule.name(), rule.summary()))
        .concat()
}

/// Returns the section of a rule.
fn page(rule: Rule) -> &'static str {
    let start = THEOREMS.find(&format!("\n## {} ", rule.code())).map_or(0, |at| at + 1);
    let section = THEOREMS.get(start..).unwrap_or_default();
    let end =
        section.get(3..).and_then(|rest| rest.find("\n## ")).map_or(section.len(), |at| at + 3);
    section.get(..end).unwrap_or(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_page_with_its_name_and_its_claim() {
        for rule in Rule::ALL {
            let page = page(rule);
            assert!(page.starts_with(&format!("## {} {}\n", rule.code(), rule.name())), "{page}");
            assert!(page.contains("**Claim.**") && page.contains("**In practice.**"), "{page}");
            assert_eq!(page.matches("\n## ").count(), 0, "one section only");
        }
        assert_eq!(list().lines().count(), Rule::ALL.len());
    }
}
