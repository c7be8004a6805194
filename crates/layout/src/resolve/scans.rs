//! Clauses of keyspaces: scans, allocation, members and scores, accepted claims.

use super::{
    MAX_PLACES, Resolver, did_you_mean,
    keyspaces::Scope,
    places::{NextField, inside_option, next_field, skip_literals},
};
use crate::{
    Diagnostic, Span,
    datum::fields,
    derived::{DerivedPlace, derived_places},
    model::{
        Accept, Asked, Keyspace, KeyspaceId, KeyspaceKind, Layout, Place, Scan, Segment, Split,
        Store, Type, places,
    },
    places::find_field,
    syntax::ast,
    traverse::{ItemKind, traverse},
};
use std::sync::Arc;

/// The clauses of a keyspace, without scans and accepted claims.
#[derive(Default)]
pub(super) struct Clauses {
    pub(super) member: Option<Arc<Type>>,
    pub(super) score: Option<Arc<Type>>,
    pub(super) unique: bool,
    pub(super) counted: bool,
    pub(super) ranked: bool,
    pub(super) allocated: Option<usize>,
    pub(super) deprecated: Option<String>,
}

/// The rules whose claims can be accepted.
const RULES: [&str; 10] =
    ["KS001", "KS002", "KS003", "KS004", "KS005", "KS006", "KS007", "KS008", "KS009", "KS010"];

impl Resolver<'_> {
    pub(super) fn clauses(
        &mut self,
        tree: &ast::Keyspace,
        id: KeyspaceId,
        scope: &Scope,
        layout: &Layout,
    ) -> Clauses {
        let store = layout.store(layout.keyspace(id).store);
        let mut found = Clauses::default();
        for clause in &tree.clauses {
            match clause {
                ast::Clause::Member(expr) => found.member = self.type_expr(expr),
                ast::Clause::Score(expr) => found.score = self.type_expr(expr),
                ast::Clause::Unique(_) => found.unique = true,
                ast::Clause::Counted(_) => found.counted = true,
                ast::Clause::Ranked(_) => found.ranked = true,
                ast::Clause::In(name) => found.allocated = self.allocated(name, scope, store),
                ast::Clause::Deprecated(reason, _) => found.deprecated = Some(reason.clone()),
                ast::Clause::HashField(field) if tree.kind != KeyspaceKind::Hash => {
                    self.error(field.span, "only a hash has fields of this kind");
                }
                ast::Clause::Scan(_)
                | ast::Clause::HashField(_)
                | ast::Clause::Split(_)
                | ast::Clause::Accept(_) => {}
            }
        }
        found
    }

    fn allocated(&mut self, name: &ast::Name, scope: &Scope, store: &Store) -> Option<usize> {
        let Some(namespace) = scope.namespace_of(store) else {
            self.error(
                name.span,
                "`in` names a range of a namespace, but no namespace contains it",
            );
            return None;
        };
        let found = namespace.ranges.iter().position(|range| range.name == name.text);
        if found.is_none() {
            let message =
                format!("namespace `{}` allocates no range `{}`", namespace.name, name.text);
            let mut diagnostic = Diagnostic::error(name.span, message);
            diagnostic.help =
                did_you_mean(&name.text, namespace.ranges.iter().map(|r| r.name.as_str()));
            self.report(diagnostic);
        }
        found
    }

    /// Resolves the scans, splits and accepted claims of a keyspace, once all keys are known.
    pub(super) fn scans(&mut self, id: KeyspaceId, tree: &ast::Keyspace, layout: &mut Layout) {
        let mut scans: Vec<Scan> = Vec::new();
        let mut splits: Vec<Split> = Vec::new();
        let mut accepts = Vec::new();
        for clause in &tree.clauses {
            match clause {
                ast::Clause::Scan(scan) => {
                    let Some(scan) = self.scan(scan, layout.keyspace(id), layout) else { continue };
                    if let Some(first) = scans.iter().find(|s| s.name == scan.name) {
                        let message = format!("scan `{}` is declared twice", scan.name);
                        self.report(
                            Diagnostic::error(scan.span, message)
                                .related(first.span, "first declared here"),
                        );
                    }
                    scans.push(scan);
                }
                ast::Clause::Split(split) => {
                    splits.extend(self.split(split, layout.keyspace(id), &splits));
                }
                ast::Clause::Accept(accept) => accepts.push(accept),
                _ => {}
            }
        }
        let accepts = accepts
            .into_iter()
            .filter_map(|accept| self.accept(accept, &scans, layout.keyspace(id), layout))
            .collect();
        let keyspace = &mut layout.keyspaces[id.0 as usize];
        keyspace.scans = scans;
        keyspace.splits = splits;
        keyspace.accepts = accepts;
    }

    fn accept(
        &mut self,
        tree: &ast::Accept,
        scans: &[Scan],
        keyspace: &Keyspace,
        layout: &Layout,
    ) -> Option<Accept> {
        if !RULES.contains(&tree.rule.text.as_str()) {
            let message = format!("there is no rule `{}`", tree.rule.text);
            let mut diagnostic = Diagnostic::error(tree.rule.span, message);
            diagnostic.help = did_you_mean(&tree.rule.text, RULES);
            self.report(diagnostic);
            return None;
        }
        if let Some(scan) = &tree.scan
            && scans.iter().all(|known| known.name != scan.text)
        {
            let message = format!("`{}` has no scan `{}`", keyspace.name, scan.text);
            let mut diagnostic = Diagnostic::error(scan.span, message);
            diagnostic.help = did_you_mean(&scan.text, scans.iter().map(|s| s.name.as_str()));
            self.report(diagnostic);
            return None;
        }
        if let Some(with) = &tree.with {
            self.keyspace_beside(with, keyspace, layout)?;
        }
        if let Some(with) = &tree.with
            && !matches!(tree.rule.text.as_str(), "KS001" | "KS007" | "KS008")
        {
            let message = format!("{} is not about two keyspaces", tree.rule.text);
            self.report(Diagnostic::error(with.span, message).help("leave out `with`"));
            return None;
        }
        let about_scans = matches!(tree.rule.text.as_str(), "KS003" | "KS004");
        if about_scans && tree.scan.is_none() && scans.len() > 1 {
            let names: Vec<&str> = scans.iter().map(|scan| scan.name.as_str()).collect();
            let message = format!("this does not say which scan of `{}` is meant", keyspace.name);
            let help = format!("write `accept {} scan NAME`: {}", tree.rule.text, names.join("; "));
            self.report(Diagnostic::error(tree.span, message).help(help));
            return None;
        }
        Some(Accept {
            rule: tree.rule.text.clone(),
            scan: tree.scan.as_ref().map(|name| name.text.clone()),
            with: tree.with.as_ref().map(|name| name.text.clone()),
            reason: tree.reason.clone(),
            span: tree.span,
        })
    }

    /// Returns a keyspace of the same store by name.
    fn keyspace_beside(
        &mut self,
        name: &ast::Name,
        keyspace: &Keyspace,
        layout: &Layout,
    ) -> Option<KeyspaceId> {
        let beside =
            || layout.keyspace_ids().filter(|&k| layout.keyspace(k).store == keyspace.store);
        let found = self.keyspaces.get(&(keyspace.store, name.text.clone())).copied();
        if found.is_none() {
            let message = format!("there is no keyspace `{}` in this store", name.text);
            let mut diagnostic = Diagnostic::error(name.span, message);
            diagnostic.help =
                did_you_mean(&name.text, beside().map(|k| layout.keyspace(k).name.as_str()));
            self.report(diagnostic);
        }
        found
    }

    fn scan(&mut self, tree: &ast::Scan, keyspace: &Keyspace, layout: &Layout) -> Option<Scan> {
        let key = keyspace.key.as_slice();
        if key.is_empty() {
            return None;
        }
        let after = self.leading(tree, keyspace)?;
        let end = skip_literals(key, after);
        if inside_option(key, end) {
            let span = tree.leading.last().map_or(tree.span, |path| path.span);
            self.report(
                Diagnostic::error(
                    span,
                    "the leading part of this scan ends inside an optional part",
                )
                .help("let it end before or after that part"),
            );
            return None;
        }
        self.check_derived(tree, key, end)?;
        let (by, by_end) = self.by(tree, key, after)?;
        let by_span = tree.by.first().zip(tree.by.last()).map(|(a, b)| a.span.to(b.span));
        let mut also = Vec::new();
        for name in &tree.also {
            let other = self.keyspace_beside(name, keyspace, layout)?;
            let beside = layout.keyspace(other);
            if beside.name == keyspace.name || beside.space != keyspace.space {
                let message = format!("this scan never reads rows of `{}`", name.text);
                self.report(
                    Diagnostic::error(name.span, message)
                        .help("`also` names another keyspace of the same store, family and kind"),
                );
                return None;
            }
            self.check_also(name, tree, keyspace, layout.keyspace(other))?;
            also.push(other);
        }
        let asked = match &tree.asked {
            Some(asked) => Some(self.asked(asked, tree, keyspace)?),
            None => None,
        };
        let leading: Vec<Vec<String>> = tree
            .leading
            .iter()
            .map(|path| path.names.iter().map(|name| name.text.clone()).collect())
            .collect();
        let name = match leading.as_slice() {
            [] => "all".to_owned(),
            paths => paths.iter().map(|path| path.join(".")).collect::<Vec<_>>().join(","),
        };
        Some(Scan { name, leading, end, by, by_end, by_span, asked, also, span: tree.span })
    }

    /// Checks that the leading part contains no bytes derived from later fields, which a scan does
    /// not know.
    fn check_derived(&mut self, tree: &ast::Scan, key: &[Segment], end: Place) -> Option<()> {
        for DerivedPlace { derived, place, inputs } in derived_places(key) {
            let unknown = inputs.iter().position(|range| range.end > end);
            let input = unknown.and_then(|index| derived.inputs.get(index));
            let Some(input) = input.filter(|_| place < end) else { continue };
            let text = derived.text();
            let message =
                format!("this scan begins with `{{{text}}}`, which needs `{}`", input.name);
            let span = tree.leading.last().map_or(tree.span, |path| path.span);
            self.report(
                Diagnostic::error(span, message)
                    .related(derived.span, "derived here")
                    .help("name all fields that it is derived from, or scan `all`"),
            );
            return None;
        }
        Some(())
    }

    /// Checks that fields with the same names have the same values, because they are compared by
    /// value.
    fn check_also(
        &mut self,
        name: &ast::Name,
        tree: &ast::Scan,
        keyspace: &Keyspace,
        other: &Keyspace,
    ) -> Option<()> {
        for path in &tree.leading {
            let path: Vec<String> = path.names.iter().map(|name| name.text.clone()).collect();
            if let (Some(here), Some(there)) = (keyspace.type_of(&path), other.type_of(&path))
                && !here.is_same(there)
            {
                let path = path.join(".");
                let message = format!("`{path}` of `{}` has another type than here", other.name);
                self.report(
                    Diagnostic::error(name.span, message)
                        .help("give both fields one type, or different names"),
                );
                return None;
            }
        }
        Some(())
    }

    /// Returns the place after the leading fields, which must be the first fields of the key in
    /// order.
    fn leading(&mut self, tree: &ast::Scan, keyspace: &Keyspace) -> Option<Place> {
        let expected = fields(&keyspace.key);
        let mut place = Place(0);
        for (index, path) in tree.leading.iter().enumerate() {
            let (first, rest) = path.names.split_first()?;
            let Some(field) = expected.get(index).filter(|field| field.name == first.text) else {
                self.not_leading(first, index, keyspace);
                return None;
            };
            if !rest.is_empty() && index + 1 < tree.leading.len() {
                let message = "only the last leading field can be a part of a field";
                self.error(path.span, message);
                return None;
            }
            let start = keyspace.place_of(std::slice::from_ref(&field.name))?;
            place = self.inside(&field.ty, start, rest, path.span)?;
        }
        Some(place)
    }

    fn not_leading(&mut self, name: &ast::Name, index: usize, keyspace: &Keyspace) {
        let known = fields(&keyspace.key);
        let exists = known.iter().any(|field| field.name == name.text);
        let message = if exists {
            format!("`{}` is not the next leading field of `{}`", name.text, keyspace.name)
        } else {
            format!("`{}` has no field `{}`", keyspace.name, name.text)
        };
        let mut diagnostic = Diagnostic::error(name.span, message);
        diagnostic.help = match known.get(index) {
            Some(next) if exists => Some(format!(
                "a scan names the first fields of the key in order; here comes `{}`",
                next.name
            )),
            _ => did_you_mean(&name.text, known.iter().map(|f| f.name.as_str())),
        };
        self.report(diagnostic);
    }

    /// Returns the place after a part of a field: `outpoint.txid`.
    fn inside(&mut self, ty: &Type, start: Place, path: &[ast::Name], span: Span) -> Option<Place> {
        let Some((name, rest)) = path.split_first() else {
            return Some(Place(start.0 + ty.places()));
        };
        let Type::Composite(segments) = ty else {
            self.error(span, format!("`{}` is asked of a field that has no parts", name.text));
            return None;
        };
        let parts = fields(segments);
        let found = find_field(segments, start, &[&name.text]);
        let first = parts.first().filter(|first| first.name == name.text);
        let (Some(found), Some(first)) = (found, first) else {
            let message = format!("`{}` is not the first part of this field", name.text);
            let mut diagnostic = Diagnostic::error(name.span, message);
            diagnostic.help = parts.first().map(|f| format!("the first part is `{}`", f.name));
            self.report(diagnostic);
            return None;
        };
        self.inside(&first.ty, found.place, rest, span)
    }

    /// Returns the paths of the `by` fields, which directly follow the leading part, and the place
    /// after them.
    fn by(
        &mut self,
        tree: &ast::Scan,
        key: &[Segment],
        start: Place,
    ) -> Option<(Vec<String>, Place)> {
        let mut end = start;
        let mut by = Vec::new();
        for path in &tree.by {
            let names: Vec<&str> = path.names.iter().map(|name| name.text.as_str()).collect();
            let Some(next) = next_field(key, end) else {
                let message = format!("no field `{}` follows the leading fields", names.join("."));
                self.report(
                    unknown_field(key, &names, path.span)
                        .unwrap_or_else(|| Diagnostic::error(path.span, message)),
                );
                return None;
            };
            let Some(taken) = names_taken(&next, &names, key) else {
                let name = names.join(".");
                let help = help_with_next(&next, &names);
                self.report(unknown_field(key, &names, path.span).unwrap_or_else(|| {
                    let message = format!("`{name}` is not the next field of the key");
                    Diagnostic::error(path.span, message).help(help)
                }));
                return None;
            };
            let parts = path.names.get(taken..)?;
            end = self.inside(next.ty, next.start, parts, path.span)?;
            let parts = parts.iter().map(|name| name.text.as_str());
            by.push(next.path.iter().copied().chain(parts).collect::<Vec<_>>().join("."));
        }
        Some((by, end))
    }

    fn asked(&mut self, tree: &ast::Asked, scan: &ast::Scan, keyspace: &Keyspace) -> Option<Asked> {
        let start = self.segments(&tree.start, Some(&keyspace.key))?;
        let end = match &tree.end {
            Some(end) => Some(self.segments(end, Some(&keyspace.key))?),
            None => None,
        };
        let known: Vec<&str> =
            scan.leading.iter().filter_map(|p| p.names.first()).map(|n| n.text.as_str()).collect();
        if places(&start).max(places(end.as_deref().unwrap_or(&[]))) > MAX_PLACES {
            let message = format!("the interval of the scan has more than {MAX_PLACES} parts");
            self.error(tree.span, message);
            return None;
        }
        for field in fields(&start).into_iter().chain(fields(end.as_deref().unwrap_or(&[]))) {
            if !known.contains(&field.name.as_str()) {
                let message = format!("`{}` is not a leading field of this scan", field.name);
                self.error(field.span, message);
                return None;
            }
        }
        Some(Asked { start, end, span: tree.span })
    }
}

/// Returns the number of names that refer to the next field, or `None` if they name another one.
/// The next field is named by its path from the key. If the leading part ends in its composite, its
/// own name suffices, unless a field of the key has the same name.
fn names_taken(next: &NextField<'_>, names: &[&str], key: &[Segment]) -> Option<usize> {
    if names.starts_with(&next.path) {
        return Some(next.path.len());
    }
    let first = names.first()?;
    let is_of_key = fields(key).iter().any(|field| field.name == *first);
    (next.path.last() == Some(first) && !is_of_key).then_some(1)
}

/// Returns the error about a name that is neither a field of the key nor a part of one.
fn unknown_field(key: &[Segment], names: &[&str], span: Span) -> Option<Diagnostic> {
    let first = names.first()?;
    let known = traverse(key).filter_map(|item| match item.kind {
        ItemKind::Field(field) => Some(field.name.as_str()),
        _ => None,
    });
    let known: Vec<&str> = known.collect();
    if known.contains(first) {
        return None;
    }
    let mut diagnostic = Diagnostic::error(span, format!("the key has no field `{first}`"));
    diagnostic.help = did_you_mean(first, known);
    Some(diagnostic)
}

/// Returns advice that names the next field, or the correct path of the named part.
fn help_with_next(next: &NextField<'_>, names: &[&str]) -> String {
    let path = next.path.join(".");
    if let (Type::Composite(inner), [name]) = (next.ty, names)
        && fields(inner).iter().any(|part| part.name == *name)
    {
        return format!("write `{path}.{name}` for that part of `{path}`");
    }
    format!("the next field is `{path}`")
}
