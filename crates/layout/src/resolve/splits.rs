//! `split at` clauses.

use super::{Resolver, wraps::written};
use crate::{
    Diagnostic,
    model::{Cut, Keyspace, Split},
    syntax::ast,
};

impl Resolver<'_> {
    /// Resolves a split, which must name a separator of the key. `others` are the previous splits.
    pub(super) fn split(
        &mut self,
        tree: &ast::Split,
        keyspace: &Keyspace,
        others: &[Split],
    ) -> Option<Split> {
        if keyspace.key.is_empty() {
            return None;
        }
        let lit = &tree.separator;
        if lit.bytes.is_empty() {
            self.report(
                Diagnostic::error(lit.span, "a separator needs at least one byte")
                    .help("name a literal of the key"),
            );
            return None;
        }
        let written = written(&lit.bytes, lit.is_text);
        let which = match tree.cut {
            Cut::Every => "",
            Cut::First => "first ",
            Cut::Last => "last ",
        };
        let split = Split {
            name: format!("at {which}{written}"),
            cut: tree.cut,
            separator: lit.bytes.clone(),
            written,
            span: tree.span,
        };
        if let Some(first) = others.iter().find(|other| other.name == split.name) {
            let message = format!("`split {}` is declared twice", split.name);
            self.report(
                Diagnostic::error(tree.span, message).related(first.span, "first declared here"),
            );
            return None;
        }
        let separators = split.separators(&keyspace.key);
        let prefix = keyspace.literal_prefix().len();
        let (message, help) = if separators.is_empty() {
            let message = format!("no literal of `{}` contains {}", keyspace.name, split.written);
            (message, "name bytes of a literal between two parts of the key")
        } else if tree.cut != Cut::Every && separators.iter().all(|at| (at.0 as usize) < prefix) {
            let message = format!(
                "only the literals that a key of `{}` begins with contain {}",
                keyspace.name, split.written
            );
            (message, "name bytes of a literal after the first field")
        } else {
            return Some(split);
        };
        self.report(Diagnostic::error(lit.span, message).help(help));
        None
    }
}
