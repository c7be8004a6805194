//! Clauses of keyspaces: members and scores, allocation, splits, accepted claims.

use super::{Resolver, keyspaces::Scope, wraps::written};
use crate::{
    Diagnostic, Span,
    model::{Accept, Cut, Keyspace, KeyspaceId, KeyspaceKind, Layout, Scan, Split, Store},
    syntax::ast,
};

/// The rules whose claims can be accepted.
const RULES: [&str; 10] =
    ["KS001", "KS002", "KS003", "KS004", "KS005", "KS006", "KS007", "KS008", "KS009", "KS010"];

impl Resolver<'_> {
    /// Resolves the clauses of a keyspace that name no other keyspace and no field.
    pub(super) fn clauses(
        &mut self,
        tree: &ast::Keyspace,
        scope: &Scope,
        store: &Store,
        keyspace: &mut Keyspace,
    ) {
        let mut singles: Vec<(&str, Span)> = Vec::new();
        for clause in &tree.clauses {
            if let Some((kinds, message)) = owners(&clause.kind)
                && !kinds.contains(&tree.kind)
            {
                self.report(Diagnostic::error(clause.span, message).help("remove this clause"));
            }
            if let Some(word) = single_word(&clause.kind) {
                match singles.iter().find(|(known, _)| *known == word) {
                    Some((_, first)) => {
                        self.declared_twice(format_args!("`{word}`"), clause.span, *first);
                    }
                    None => singles.push((word, clause.span)),
                }
            }
            match &clause.kind {
                ast::ClauseKind::Member(expr) => keyspace.member = self.type_expr(expr),
                ast::ClauseKind::Score(expr) => keyspace.score = self.type_expr(expr),
                ast::ClauseKind::Unique => keyspace.unique = true,
                ast::ClauseKind::Counted => keyspace.counted = true,
                ast::ClauseKind::Ranked => keyspace.ranked = true,
                ast::ClauseKind::In(name) => {
                    keyspace.allocated = self.allocated(name, scope, store);
                }
                ast::ClauseKind::Deprecated(reason) => keyspace.deprecated = Some(reason.clone()),
                ast::ClauseKind::Scan(_)
                | ast::ClauseKind::HashField(_)
                | ast::ClauseKind::Split(_)
                | ast::ClauseKind::Accept(_) => {}
            }
        }
    }

    fn allocated(&mut self, name: &ast::Name, scope: &Scope, store: &Store) -> Option<usize> {
        let Some(namespace) = scope.namespace.and_then(|index| store.namespaces.get(index)) else {
            let message = "`in` names a range of a namespace, but this keyspace is in none";
            return self.fail(name.span, message);
        };
        let found = namespace.ranges.iter().position(|range| range.name == name.text);
        let message = format!("namespace `{}` allocates no range `{}`", namespace.name, name.text);
        let names = namespace.ranges.iter().map(|range| range.name.as_str());
        self.find_or_report(found, name, message, names)
    }

    /// Resolves the scans, splits and accepted claims of a keyspace, once all keys are known.
    pub(super) fn scans(&mut self, id: KeyspaceId, tree: &ast::Keyspace, layout: &mut Layout) {
        let keyspace = layout.keyspace(id);
        let mut scans: Vec<Scan> = Vec::new();
        let mut splits: Vec<Split> = Vec::new();
        let mut accepts = Vec::new();
        for clause in &tree.clauses {
            match &clause.kind {
                ast::ClauseKind::Scan(scan) => {
                    let Some(scan) = self.scan(scan, keyspace, layout) else { continue };
                    if let Some(first) = scans.iter().find(|known| known.name == scan.name) {
                        let what = format_args!("scan `{}`", scan.name);
                        self.declared_twice(what, scan.span, first.span);
                    }
                    scans.push(scan);
                }
                ast::ClauseKind::Split(split) => {
                    splits.extend(self.split(split, keyspace, &splits));
                }
                ast::ClauseKind::Accept(accept) => accepts.push(accept),
                _ => {}
            }
        }
        let accepts = accepts.into_iter();
        let accepts = accepts.filter_map(|accept| self.accept(accept, &scans, keyspace, layout));
        let accepts = accepts.collect();
        let keyspace = &mut layout.keyspaces[id.0 as usize];
        (keyspace.scans, keyspace.splits, keyspace.accepts) = (scans, splits, accepts);
    }

    fn accept(
        &mut self,
        tree: &ast::Accept,
        scans: &[Scan],
        keyspace: &Keyspace,
        layout: &Layout,
    ) -> Option<Accept> {
        let rule = tree.rule.text.as_str();
        if !RULES.contains(&rule) {
            let error = Diagnostic::error(tree.rule.span, format!("there is no rule `{rule}`"));
            return self.reject(error.suggest_or_list(rule, &RULES));
        }
        let names: Vec<&str> = scans.iter().map(|scan| scan.name.as_str()).collect();
        if let Some(scan) = &tree.scan
            && !names.contains(&scan.text.as_str())
        {
            let message = format!("`{}` has no scan `{}`", keyspace.name, scan.text);
            return self.reject(Diagnostic::error(scan.span, message).suggest(&scan.text, names));
        }
        if let Some(with) = &tree.with {
            self.keyspace_beside(with, keyspace, layout)?;
            if !matches!(rule, "KS001" | "KS007" | "KS008") {
                let message = format!("{rule} is not about two keyspaces");
                return self.reject(Diagnostic::error(with.span, message).help("leave out `with`"));
            }
        }
        if matches!(rule, "KS003" | "KS004") && tree.scan.is_none() && names.len() > 1 {
            let message = format!("`{}` has several scans, and this names none", keyspace.name);
            let help = format!("write `accept {rule} scan NAME`: {}", names.join("; "));
            return self.reject(Diagnostic::error(tree.span, message).help(help));
        }
        Some(Accept {
            rule: rule.to_owned(),
            scan: tree.scan.as_ref().map(|name| name.text.clone()),
            with: tree.with.as_ref().map(|name| name.text.clone()),
            reason: tree.reason.clone(),
            span: tree.span,
        })
    }

    /// Returns a keyspace of the same store by name.
    pub(super) fn keyspace_beside(
        &mut self,
        name: &ast::Name,
        keyspace: &Keyspace,
        layout: &Layout,
    ) -> Option<KeyspaceId> {
        let found = self.keyspaces.get(&(keyspace.store, name.text.clone())).copied();
        let others = layout.keyspaces.iter().filter(|other| other.store == keyspace.store);
        let message = format!("there is no keyspace `{}` in this store", name.text);
        self.find_or_report(found, name, message, others.map(|other| other.name.as_str()))
    }

    /// Resolves a split, which must name a separator of the key. `others` are the previous splits.
    fn split(&mut self, tree: &ast::Split, keyspace: &Keyspace, others: &[Split]) -> Option<Split> {
        if keyspace.key.is_empty() {
            return None;
        }
        let lit = &tree.separator;
        if lit.bytes.is_empty() {
            let error = Diagnostic::error(lit.span, "a separator needs at least one byte");
            return self.reject(error.help("name a literal of the key"));
        }
        let written = written(&lit.bytes, lit.is_text);
        let which = match tree.cut {
            Cut::Every => "",
            Cut::First => "first ",
            Cut::Last => "last ",
        };
        let name = format!("at {which}{written}");
        let (cut, separator) = (tree.cut, lit.bytes.clone());
        let split = Split { name, cut, separator, written, span: tree.span };
        if let Some(first) = others.iter().find(|other| other.name == split.name) {
            self.declared_twice(format_args!("`split {}`", split.name), tree.span, first.span);
            return None;
        }
        let separators = split.separators(&keyspace.key);
        let prefix = keyspace.literal_prefix().len();
        let (message, help) = if separators.is_empty() {
            let message = format!("no literal of `{}` contains {}", keyspace.name, split.written);
            (message, "name bytes of a literal between two parts of the key")
        } else if cut != Cut::Every && separators.iter().all(|at| (at.0 as usize) < prefix) {
            let message = format!(
                "only the literals that a key of `{}` begins with contain {}",
                keyspace.name, split.written
            );
            (message, "name bytes of a literal after the first field")
        } else {
            return Some(split);
        };
        self.reject(Diagnostic::error(lit.span, message).help(help))
    }
}

/// Returns the kinds of keyspaces that a clause belongs to, with the error for all others. Clauses
/// of all kinds have no entry.
fn owners(clause: &ast::ClauseKind) -> Option<(&'static [KeyspaceKind], &'static str)> {
    use KeyspaceKind::{Hash, Index, Queue, Set, Zset};
    Some(match clause {
        ast::ClauseKind::Member(_) => {
            (&[Set, Zset, Queue], "only a set, a zset or a queue has members")
        }
        ast::ClauseKind::Score(_) => (&[Zset, Queue], "only a zset or a queue has scores"),
        ast::ClauseKind::Counted => (&[Set, Zset], "only a set or a zset can be `counted`"),
        ast::ClauseKind::Ranked => (&[Zset], "only a zset can be `ranked`"),
        ast::ClauseKind::Unique => (&[Index], "only an index can be `unique`"),
        ast::ClauseKind::HashField(_) => (&[Hash], "only a hash has fields of this kind"),
        _ => return None,
    })
}

/// Returns the keyword of a clause that a keyspace has at most once.
const fn single_word(clause: &ast::ClauseKind) -> Option<&'static str> {
    match clause {
        ast::ClauseKind::Member(_) => Some("member"),
        ast::ClauseKind::Score(_) => Some("score"),
        ast::ClauseKind::In(_) => Some("in"),
        ast::ClauseKind::Deprecated(_) => Some("deprecated"),
        _ => None,
    }
}
