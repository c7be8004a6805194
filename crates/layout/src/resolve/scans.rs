//! Scans of keyspaces.

use super::{MAX_PLACES, Resolver};
use crate::{
    Diagnostic, Span,
    model::{
        Asked, DerivedPlace, Field, Keyspace, Layout, Place, Scan, Segment, Type, derived_places,
        field, fields, find_field, places, type_at,
    },
    syntax::ast,
    traverse::{Item, ItemKind, traverse},
};

impl Resolver<'_> {
    /// Resolves a scan. `layout` contains the keys of all keyspaces.
    pub(super) fn scan(
        &mut self,
        tree: &ast::Scan,
        keyspace: &Keyspace,
        layout: &Layout,
    ) -> Option<Scan> {
        let key = keyspace.key.as_slice();
        if key.is_empty() {
            return None;
        }
        let after = self.leading(tree, keyspace)?;
        let end = skip_literals(key, after);
        if inside_option(key, end) {
            let message = "the leading part of this scan ends inside an optional part";
            let error = Diagnostic::error(leading_end(tree), message);
            return self.reject(error.help("end it before or after that part"));
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
                let help = "name another keyspace of the same store, family and kind";
                return self.reject(Diagnostic::error(name.span, message).help(help));
            }
            self.check_also(name, tree, keyspace, beside)?;
            also.push(other);
        }
        let asked = match &tree.asked {
            Some(asked) => Some(self.asked(asked, tree, keyspace)?),
            None => None,
        };
        let leading: Vec<Vec<String>> = tree.leading.iter().map(path_names).collect();
        let paths: Vec<String> = leading.iter().map(|path| path.join(".")).collect();
        let name = if paths.is_empty() { "all".to_owned() } else { paths.join(",") };
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
            let error = Diagnostic::error(leading_end(tree), message);
            let error = error.related(derived.span, "derived here");
            let help = "name all fields that it is derived from, or write `scan all`";
            return self.reject(error.help(help));
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
            let path = path_names(path);
            if let (Some(here), Some(there)) =
                (type_at(&keyspace.key, &path), type_at(&other.key, &path))
                && !here.is_same(there)
            {
                let path = path.join(".");
                let message = format!("`{path}` of `{}` has another type than here", other.name);
                let help = "give both fields one type, or different names";
                return self.reject(Diagnostic::error(name.span, message).help(help));
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
                return self.reject(not_leading(first, index, keyspace));
            };
            if !rest.is_empty() && index + 1 < tree.leading.len() {
                let message = "only the last leading field can be a part of a field";
                return self.fail(path.span, message);
            }
            let start = keyspace.place_of(std::slice::from_ref(&field.name))?;
            place = self.inside(&field.ty, start, rest, path.span)?;
        }
        Some(place)
    }

    /// Returns the place after a part of a field: `outpoint.txid`.
    fn inside(&mut self, ty: &Type, start: Place, path: &[ast::Name], span: Span) -> Option<Place> {
        let Some((name, rest)) = path.split_first() else {
            return Some(Place(start.0 + ty.places()));
        };
        let Type::Composite(segments) = ty else {
            let message =
                format!("`{}` is not a part: the field before it has no parts", name.text);
            return self.fail(span, message);
        };
        let parts = fields(segments);
        let found = find_field(segments, start, &[&name.text]);
        let first = parts.first().filter(|first| first.name == name.text);
        let (Some(found), Some(first)) = (found, first) else {
            let message = format!("`{}` is not the first part of this field", name.text);
            let mut diagnostic = Diagnostic::error(name.span, message);
            diagnostic.help = parts.first().map(|f| format!("the first part is `{}`", f.name));
            return self.reject(diagnostic);
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
            let Some((next, field)) = next_field(key, end) else {
                let message = format!("no field `{}` follows the leading fields", names.join("."));
                let error = || Diagnostic::error(path.span, message);
                return self.reject(unknown_field(key, &names, path.span).unwrap_or_else(error));
            };
            let next_path = next.path.names();
            let Some(taken) = names_taken(&next_path, &names, key) else {
                let message = format!("`{}` is not the next field of the key", names.join("."));
                let help = help_with_next(&next_path.join("."), &field.ty, &names);
                let error = || Diagnostic::error(path.span, message).help(help);
                return self.reject(unknown_field(key, &names, path.span).unwrap_or_else(error));
            };
            let parts = path.names.get(taken..)?;
            end = self.inside(&field.ty, next.place, parts, path.span)?;
            let parts = parts.iter().map(|name| name.text.as_str());
            by.push(next_path.into_iter().chain(parts).collect::<Vec<_>>().join("."));
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
        let bounds = [&start[..], end.as_deref().unwrap_or(&[])];
        if bounds.iter().any(|bound| places(bound) > MAX_PLACES) {
            let message = format!("the interval of the scan has more than {MAX_PLACES} parts");
            return self.fail(tree.span, message);
        }
        let is_unknown = |field: &&Field| !known.contains(&field.name.as_str());
        if let Some(field) = bounds.into_iter().flat_map(fields).find(is_unknown) {
            let message = format!("`{}` is not a leading field of this scan", field.name);
            return self.fail(field.span, message);
        }
        Some(Asked { start, end, span: tree.span })
    }
}

/// Returns the span of the last leading field, or of a scan without leading fields.
fn leading_end(tree: &ast::Scan) -> Span {
    tree.leading.last().map_or(tree.span, |path| path.span)
}

fn path_names(path: &ast::FieldPath) -> Vec<String> {
    path.names.iter().map(|name| name.text.clone()).collect()
}

/// Returns the error about a name that is not that of the leading field at an index.
fn not_leading(name: &ast::Name, index: usize, keyspace: &Keyspace) -> Diagnostic {
    let known = fields(&keyspace.key);
    let (name, span, of) = (&name.text, name.span, &keyspace.name);
    if !known.iter().any(|field| field.name == *name) {
        let error = Diagnostic::error(span, format!("`{of}` has no field `{name}`"));
        return error.suggest(name, known.iter().map(|field| field.name.as_str()));
    }
    let error = format!("`{name}` is not the next leading field of `{of}`");
    let error = Diagnostic::error(span, error);
    match known.get(index) {
        Some(next) => error.help(format!(
            "name the first fields of the key in order; the next one is `{}`",
            next.name
        )),
        None => error,
    }
}

/// Returns the number of names that refer to the next field, or `None` if they name another one.
/// The next field is named by its path from the key. If the leading part ends in its composite, its
/// own name suffices, unless a field of the key has the same name.
fn names_taken(next: &[&str], names: &[&str], key: &[Segment]) -> Option<usize> {
    if names.starts_with(next) {
        return Some(next.len());
    }
    let first = names.first()?;
    (next.last() == Some(first) && field(key, first).is_none()).then_some(1)
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
    let error = Diagnostic::error(span, format!("the key has no field `{first}`"));
    Some(error.suggest(first, known))
}

/// Returns advice that names the next field, or the correct path of the named part.
fn help_with_next(path: &str, ty: &Type, names: &[&str]) -> String {
    if let (Type::Composite(inner), [name]) = (ty, names)
        && field(inner, name).is_some()
    {
        return format!("write `{path}.{name}` for that part of `{path}`");
    }
    format!("the next field is `{path}`")
}

/// Returns the place after `place` and all directly following literal bytes.
fn skip_literals(key: &[Segment], place: Place) -> Place {
    let literals = traverse(key)
        .filter(|item| matches!(item.kind, ItemKind::Literal { .. }) && item.path.is_plain());
    literals
        .fold(place, |at, item| if (item.place..item.end).contains(&at) { item.end } else { at })
}

/// Whether a place is inside an option. A key without this part does not reach the place.
fn inside_option(key: &[Segment], place: Place) -> bool {
    traverse(key).any(|item| {
        matches!(item.kind, ItemKind::Option(_))
            && item.path.is_plain()
            && item.place < place
            && place < item.end
    })
}

/// Returns the outermost field that starts at a place or after it. Skips literals before the field,
/// except at the start of a composite, which then is the next field itself.
fn next_field(key: &[Segment], place: Place) -> Option<(Item<'_>, &Field)> {
    let starts_there = |item: &Item<'_>| item.place >= place && item.path.is_plain();
    traverse(key).filter(starts_there).find_map(|item| match item.kind {
        ItemKind::Field(field) => Some((item, field)),
        _ => None,
    })
}
