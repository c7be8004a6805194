//! `keyscape rule`

use crate::{
    failure::{Exit, Failure},
    output::{
        rule_page::RuleEntry,
        stdout,
        style::{self, paint},
    },
};
use clap::Args;
use keyscape_diagnostics::suggestion;
use std::io::Write;

/// Describe a rule: its claim, with wrong and right examples
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Rule {
    /// The rule, such as KS003, scan-exact or KS101 [default: list all rules]
    #[arg(value_name = "RULE", value_parser = rule)]
    rule: Option<RuleEntry>,

    /// Show how the rule is decided, and why the decision is correct
    #[arg(long, requires = "rule")]
    proof: bool,
}

fn rule(code: &str) -> Result<RuleEntry, String> {
    let names: Vec<&str> =
        RuleEntry::all().iter().flat_map(|rule| [rule.code, rule.name]).collect();
    let is_number = code.strip_prefix("KS").is_some_and(|digits| digits.parse::<u32>().is_ok());
    RuleEntry::find(code).ok_or_else(|| match is_number {
        true => "rules are KS001 to KS010 and KS101 to KS115".to_owned(),
        false => suggestion::help(code, "rules", &names),
    })
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape rule
  keyscape rule KS003
  keyscape rule KS003 --proof
  keyscape rule lost";

impl Rule {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let text = match (self.rule, self.proof) {
            (Some(rule), true) => markdown(&rule.proof()),
            (Some(rule), false) => markdown(&rule.page()),
            (None, _) => list(),
        };
        writeln!(stdout::coloured(), "{}", text.trim_end())?;
        Ok(Exit::Fine)
    }
}

/// Lists all rules, one per line.
fn list() -> String {
    let line = |rule: &RuleEntry| format!("{} {:<16} {}\n", rule.code, rule.name, rule.summary);
    RuleEntry::all().iter().map(line).collect()
}

/// Renders headings, bold text, code and code blocks with colours instead of their marks.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            continue;
        }
        let heading = line.trim_start_matches('#');
        let rendered = if in_block {
            format!("    {line}")
        } else if heading.len() < line.len() && heading.starts_with(' ') {
            paint(style::TITLE, heading.trim_start())
        } else {
            spans(line)
        };
        out.push_str(&rendered);
        out.push('\n');
    }
    out
}

/// Renders bold text and code within a line.
fn spans(line: &str) -> String {
    let mut out = String::new();
    for (index, part) in line.split('`').enumerate() {
        if index % 2 == 1 {
            out.push_str(&paint(style::HELP, format_args!("`{part}`")));
            continue;
        }
        for (index, part) in part.split("**").enumerate() {
            match index % 2 {
                1 => out.push_str(&paint(style::TITLE, part)),
                _ => out.push_str(part),
            }
        }
    }
    out
}
