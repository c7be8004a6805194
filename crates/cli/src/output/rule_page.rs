//! The rules about layouts, changes and migrations, with their pages from the specification.

use keyscape_evolution::{Rule as ChangeRule, migration::Claim};
use keyscape_prover::Rule;

/// A rule about a layout, a change or a migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RuleEntry {
    pub(crate) code: &'static str,
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    group: &'static Group,
}

/// The documents of the rules of one kind.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    /// The meaning of the rules, with examples.
    document: &'static str,
    /// The proofs of the rules.
    proofs: &'static str,
    /// Describes how the examples are marked.
    marks: &'static str,
}

static LAYOUT: Group = Group {
    document: include_str!("../../../../spec/claims.md"),
    proofs: include_str!("../../../../spec/theorems.md"),
    marks: "In the examples, lines marked `proved` are right and lines marked `refuted` are wrong.",
};

static CHANGE: Group = Group {
    document: EVOLUTION,
    proofs: EVOLUTION,
    marks: "In the examples, `old` is the layout before the change. Lines of `new` marked with a \
            rule are wrong; the others are right.",
};
const EVOLUTION: &str = include_str!("../../../../spec/evolution.md");

static MIGRATION: Group = Group {
    document: MIGRATIONS,
    proofs: MIGRATIONS,
    marks: "In the examples, `migration` moves rows from `old` to `new`. `verdicts` lists the \
            claims that are not proved.",
};
const MIGRATIONS: &str = include_str!("../../../../spec/migration.md");

impl RuleEntry {
    /// Returns all rules, in the order of their codes.
    pub(crate) fn all() -> Vec<Self> {
        let layouts =
            Rule::ALL.into_iter().map(|rule| (rule.code(), rule.name(), rule.summary(), &LAYOUT));
        let changes = ChangeRule::ALL
            .into_iter()
            .map(|rule| (rule.code(), rule.name(), rule.summary(), &CHANGE));
        let migrations = Claim::ALL
            .into_iter()
            .map(|claim| (claim.code(), claim.name(), claim.summary(), &MIGRATION));
        let rules = layouts.chain(changes).chain(migrations);
        rules.map(|(code, name, summary, group)| Self { code, name, summary, group }).collect()
    }

    /// Returns the rule with that code or name.
    pub(crate) fn find(code: &str) -> Option<Self> {
        let is_equal = |text: &str| text.eq_ignore_ascii_case(code);
        Self::all().into_iter().find(|rule| is_equal(rule.code) || is_equal(rule.name))
    }

    /// Returns the page of the rule as Markdown: its meaning with wrong and right examples.
    pub(crate) fn page(&self) -> String {
        let Group { document, marks, .. } = self.group;
        format!("{}\n{marks}\n\n{}\n", self.heading(), self.section(document))
    }

    /// Returns the page of its proof as Markdown: how the rule is decided, and why that is right.
    pub(crate) fn proof(&self) -> String {
        format!("{}\n{}\n", self.heading(), self.section(self.group.proofs))
    }

    fn heading(&self) -> String {
        format!("## {} {}\n", self.code, self.name)
    }

    /// Returns the section of a document about the rule, without its heading.
    fn section(&self, document: &'static str) -> &'static str {
        let (_, section) = document.split_once(&*self.heading()).unwrap_or_default();
        section.split("\n## ").next().unwrap_or_default().trim()
    }
}
