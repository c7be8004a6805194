//! `keyscape rule`

use crate::{
    exit::Exit,
    failure::Failure,
    output::{markdown::markdown, rule_page::rule_page, stdout},
};
use clap::Args;
use keyscape_prover::Rule;
use keyscape_report::suggestion;
use std::io::Write;

/// Describe a rule: its claim, wrong and right examples, and how it is decided
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

impl RulePage {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let text = self.rule.map_or_else(list, |rule| markdown(&rule_page(rule)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_one_line_per_rule() {
        assert_eq!(list().lines().count(), Rule::ALL.len());
    }
}
