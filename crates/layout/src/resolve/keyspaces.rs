//! Stores, families, namespaces and the keyspaces in them.

use super::{MAX_PLACES, Resolver};
use crate::{
    Diagnostic, Span,
    model::{
        AllocatedRange, Keyspace, KeyspaceId, KeyspaceKind, Layout, Literal, Namespace,
        RetiredPrefix, Segment, Space, SpaceId, SpaceKind, StoreId, places,
    },
    syntax::ast,
};

/// The declarations around a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    family: Option<String>,
    /// The innermost namespace: an index into the namespaces of the store.
    pub(super) namespace: Option<usize>,
    /// The literals of all namespaces.
    prefix: Vec<Literal>,
}

/// A keyspace with its id but without its key.
pub(super) struct Outline<'a> {
    id: KeyspaceId,
    tree: &'a ast::Keyspace,
    scope: Scope,
}

impl<'a> Resolver<'a> {
    /// Adds every keyspace of a declaration to the layout.
    pub(super) fn outline(
        &mut self,
        decl: &'a ast::Decl,
        scope: &Scope,
        layout: &mut Layout,
        outlines: &mut Vec<Outline<'a>>,
    ) {
        match decl {
            ast::Decl::Family(family) => {
                let scope = Scope { family: Some(family.name.text.clone()), ..scope.clone() };
                for decl in &family.decls {
                    self.outline(decl, &scope, layout, outlines);
                }
            }
            ast::Decl::Namespace(namespace) => self.namespace(namespace, scope, layout, outlines),
            ast::Decl::Keyspace(tree) => {
                let id = self.place_keyspace(tree, scope, layout);
                outlines.push(Outline { id, tree, scope: scope.clone() });
            }
            ast::Decl::Import(_) | ast::Decl::Store(_) | ast::Decl::Type(_) => {}
        }
    }

    fn namespace(
        &mut self,
        tree: &'a ast::Namespace,
        scope: &Scope,
        layout: &mut Layout,
        outlines: &mut Vec<Outline<'a>>,
    ) {
        let mut prefix = scope.prefix.clone();
        // `""` is the prefix of a namespace for the whole store.
        let is_empty = |lit: &&ast::Lit| lit.function.is_none() && lit.bytes.is_empty();
        let literals = tree.prefix.iter().filter(|lit| !is_empty(lit));
        prefix.extend(literals.filter_map(|lit| self.literal(lit)));
        let id = last_store(layout);
        let Some(store) = layout.stores.last_mut() else { return };
        let outer = scope.namespace.and_then(|index| store.namespaces.get(index));
        let name = match outer {
            Some(outer) => format!("{}.{}", outer.name, tree.name.text),
            None => tree.name.text.clone(),
        };
        if let Some(first) = self.namespaces.insert((id, name.clone()), tree.name.span) {
            self.declared_twice(format_args!("namespace `{name}`"), tree.name.span, first);
        }
        let mut namespace = Namespace {
            name,
            doc: tree.doc.clone(),
            outer: scope.namespace,
            prefix: prefix.iter().flat_map(|lit| lit.bytes.clone()).collect(),
            ranges: Vec::new(),
            retired: Vec::new(),
            span: tree.name.span,
        };
        for item in &tree.items {
            self.allocation(item, &mut namespace);
        }
        let index = store.namespaces.len();
        store.namespaces.push(namespace);
        let inner = Scope { family: scope.family.clone(), namespace: Some(index), prefix };
        for decl in tree.decls() {
            self.outline(decl, &inner, layout, outlines);
        }
    }

    fn allocation(&mut self, item: &ast::NamespaceItem, namespace: &mut Namespace) {
        match item {
            ast::NamespaceItem::Allocate { name, low, high, span } => {
                let (low, high) = (low.bytes.clone(), high.bytes.clone());
                let mut others = namespace.ranges.iter();
                if low.len() != high.len() || low > high {
                    let message = format!("range `{}` does not run from low to high", name.text);
                    let help = "write two ends of one length, the lower one first";
                    self.report(Diagnostic::error(*span, message).help(help));
                } else if let Some(first) = others.clone().find(|other| other.name == name.text) {
                    let what = format_args!("range `{}`", name.text);
                    self.declared_twice(what, name.span, first.span);
                } else if let Some(other) = others.find(|other| overlaps(other, &low, &high)) {
                    let message = format!("ranges `{}` and `{}` overlap", other.name, name.text);
                    let error = Diagnostic::error(*span, message);
                    self.report(error.related(other.span, "the other range"));
                } else {
                    let name = name.text.clone();
                    namespace.ranges.push(AllocatedRange { name, low, high, span: *span });
                }
            }
            ast::NamespaceItem::Retired { deprecated, prefix, reason, span } => {
                namespace.retired.push(RetiredPrefix {
                    deprecated: *deprecated,
                    prefix: prefix.bytes.clone(),
                    reason: reason.clone(),
                    span: *span,
                });
            }
            ast::NamespaceItem::Decl(_) => {}
        }
    }

    /// Adds an empty keyspace to its store and space. The fields of a hash follow it.
    fn place_keyspace(
        &mut self,
        tree: &ast::Keyspace,
        scope: &Scope,
        layout: &mut Layout,
    ) -> KeyspaceId {
        let store = last_store(layout);
        let id = KeyspaceId(layout.keyspaces.len() as u32);
        let name = &tree.name;
        if let Some(&first) = self.keyspaces.get(&(store, name.text.clone())) {
            let first = layout.keyspace(first).name_span;
            self.declared_twice(format_args!("keyspace `{}`", name.text), name.span, first);
        } else {
            self.keyspaces.insert((store, name.text.clone()), id);
        }
        let others = layout.keyspaces.iter().filter(|other| other.store == store);
        let others = others.filter(|other| other.hash.is_none());
        let others = others.map(|other| (other.was.as_deref(), other.name_span));
        self.check_was(name, tree.was.as_ref(), others);
        let family = scope.family.clone();
        let kind = match layout.stores.last().is_some_and(|store| store.structures) {
            true => SpaceKind::Structures { family, kind: space_kind(tree.kind) },
            false => SpaceKind::Rows { family },
        };
        let is_own = |space: &Space| space.store == store && space.kind == kind;
        let space = match layout.spaces.iter().position(is_own) {
            Some(index) => SpaceId(index as u32),
            None => new_space(layout, store, kind),
        };
        add_keyspace(layout, empty_keyspace(tree, store, space, scope));
        if tree.hash_fields().next().is_none() {
            return id;
        }
        let space = new_space(layout, store, SpaceKind::HashFields { hash: id });
        for field in tree.hash_fields() {
            let full_name = format!("{}.{}", name.text, field.name.text);
            let first = self.keyspaces.get(&(store, full_name.clone()));
            let first = first.map(|&first| layout.keyspace(first));
            if let Some(first) = first.filter(|first| first.hash == Some(id)) {
                let what = format_args!("field `{}`", field.name.text);
                self.declared_twice(what, field.name.span, first.name_span);
            }
            let others = layout.keyspaces.iter().filter(|other| other.hash == Some(id));
            let others = others.map(|other| (other.was.as_deref(), other.name_span));
            self.check_was(&field.name, field.was.as_ref(), others);
            let field = Keyspace {
                name: full_name.clone(),
                was: field.was.as_ref().map(|was| was.text.clone()),
                doc: field.doc.clone(),
                kind: KeyspaceKind::Map,
                hash: Some(id),
                name_span: field.name.span,
                key_span: key_span(&field.key, field.name.span),
                span: field.span,
                ..empty_keyspace(tree, store, space, scope)
            };
            self.keyspaces.insert((store, full_name), add_keyspace(layout, field));
        }
        id
    }

    /// Checks that `was` differs from the name and is used by no other part.
    pub(super) fn check_was<'o>(
        &mut self,
        name: &ast::Name,
        was: Option<&ast::Name>,
        mut others: impl Iterator<Item = (Option<&'o str>, Span)>,
    ) {
        let Some(was) = was else { return };
        if was.text == name.text {
            let message = format!("`{}` has this name already", name.text);
            let help = "remove `was`, which is the name in an older layout";
            self.report(Diagnostic::error(was.span, message).help(help));
        } else if let Some((_, first)) = others.find(|(other, _)| *other == Some(&*was.text)) {
            let message = format!("`{}` is the old name of another part", was.text);
            self.report(Diagnostic::error(was.span, message).related(first, "of this one"));
        }
    }

    /// Resolves the keyspaces, indexes last, because they inherit types from their maps.
    pub(super) fn fill_keyspaces(&mut self, outlines: &[Outline<'_>], layout: &mut Layout) {
        let (maps, indexes): (Vec<_>, Vec<_>) =
            outlines.iter().partition(|outline| outline.tree.of.is_none());
        for outline in maps.into_iter().chain(indexes) {
            self.fill(outline, layout);
        }
        // Scans may name any keyspace, so resolve them after all keys.
        for outline in outlines {
            self.scans(outline.id, outline.tree, layout);
        }
    }

    fn fill(&mut self, outline: &Outline<'_>, layout: &mut Layout) {
        let Outline { id, tree, scope } = outline;
        let of = self.map_of(tree, layout, *id);
        let map = of.map(|map| layout.keyspace(map));
        let key = self.key(&tree.key, &scope.prefix, map.map(|map| &map.key[..]), &tree.name);
        match map {
            Some(map) => self.check_from_value(&key, map),
            None if tree.kind == KeyspaceKind::Index => {}
            None => self.reject_from_value(&key),
        }
        self.check_kind(tree, *id, layout);
        let mut keyspace = std::mem::take(&mut layout.keyspaces[id.0 as usize]);
        (keyspace.of, keyspace.key) = (of, key);
        self.clauses(tree, scope, layout.store(keyspace.store), &mut keyspace);
        keyspace.value = tree.value.as_ref().and_then(|value| self.row_value(value));
        keyspace.reads = tree.reads.as_ref().and_then(|reads| self.row_value(reads));
        layout.keyspaces[id.0 as usize] = keyspace;
        for (field, index) in tree.hash_fields().zip(id.0 as usize + 1..) {
            let key = self.key(&field.key, &[], None, &field.name);
            self.reject_from_value(&key);
            layout.keyspaces[index].key = key;
            layout.keyspaces[index].value = self.row_value(&field.value);
        }
    }

    /// Returns the map of an index.
    fn map_of(
        &mut self,
        tree: &ast::Keyspace,
        layout: &Layout,
        id: KeyspaceId,
    ) -> Option<KeyspaceId> {
        let of = match (&tree.of, tree.kind) {
            (None, KeyspaceKind::Index) => {
                let name = &tree.name.text;
                let message = format!("index `{name}` does not name its map");
                let help = format!("write `index {name} of MAP = …`");
                return self.reject(Diagnostic::error(tree.name.span, message).help(help));
            }
            (None, _) => return None,
            (Some(of), KeyspaceKind::Index) => of,
            (Some(of), _) => return self.fail(of.span, "only an index is `of` another keyspace"),
        };
        let store = layout.keyspace(id).store;
        let is_map = |id: &KeyspaceId| {
            let keyspace = layout.keyspace(*id);
            keyspace.kind == KeyspaceKind::Map && keyspace.hash.is_none()
        };
        let found = self.keyspaces.get(&(store, of.text.clone())).copied().filter(is_map);
        let maps = layout.keyspace_ids().filter(is_map).map(|id| layout.keyspace(id));
        let names = maps.filter(|map| map.store == store).map(|map| map.name.as_str());
        let message = format!("there is no map `{}` in this store", of.text);
        self.find_or_report(found, of, message, names)
    }

    fn key(
        &mut self,
        segs: &[ast::Seg],
        prefix: &[Literal],
        inherit: Option<&[Segment]>,
        name: &ast::Name,
    ) -> Vec<Segment> {
        let mut key: Vec<Segment> = prefix.iter().cloned().map(Segment::Literal).collect();
        if let Some(segments) = self.segments(segs, inherit) {
            key.extend(segments);
            if places(&key) > MAX_PLACES {
                let message =
                    format!("the key of `{}` has more than {MAX_PLACES} parts", name.text);
                self.error(name.span, message);
                return Vec::new();
            }
            self.check_cases(&key, name.span);
        }
        key
    }

    fn check_kind(&mut self, tree: &ast::Keyspace, id: KeyspaceId, layout: &Layout) {
        use KeyspaceKind::{Hash, Item, Queue, Set, Zset};
        let (kind, name) = (tree.kind, &tree.name.text);
        let has = |is_it: fn(&ast::ClauseKind) -> bool| {
            tree.clauses.iter().any(|clause| is_it(&clause.kind))
        };
        let store = layout.store(layout.keyspace(id).store);
        let is_structure = matches!(kind, Hash | Set | Zset | Queue);
        let checks = [
            (
                is_structure && !store.structures,
                format!("`{name}` is a structure, but store `{}` holds rows", store.name),
                "write `store NAME structures`, or describe the rows as maps",
            ),
            (
                matches!(kind, Set | Zset | Queue)
                    && !has(|c| matches!(c, ast::ClauseKind::Member(_))),
                format!("`{name}` does not declare its members"),
                "add `member TYPE`",
            ),
            (
                matches!(kind, Zset | Queue) && !has(|c| matches!(c, ast::ClauseKind::Score(_))),
                format!("`{name}` does not declare its scores"),
                "add `score TYPE`",
            ),
            (
                kind == Hash && tree.hash_fields().next().is_none(),
                format!("hash `{name}` has no fields"),
                "add `field NAME = SEGMENTS -> VALUE`",
            ),
            (
                kind == Item && tree.key.iter().any(has_field),
                format!("item `{name}` is one row, so its key has no fields"),
                "use `map` for a row per value of a field",
            ),
            (
                is_structure && tree.value.is_some(),
                format!("`{name}` is a structure, which has no value of its own"),
                "remove `->` and the value",
            ),
        ];
        for (_, message, help) in checks.into_iter().filter(|(is_wrong, ..)| *is_wrong) {
            self.report(Diagnostic::error(tree.name.span, message).help(help));
        }
    }
}

/// Whether two ranges overlap. A range contains all keys that start with one of its prefixes.
fn overlaps(range: &AllocatedRange, low: &[u8], high: &[u8]) -> bool {
    let below = |a: &[u8], b: &[u8]| a < b && !b.starts_with(a);
    !below(&range.high, low) && !below(high, &range.low)
}

/// Returns the kind of the structures with which a keyspace shares its space.
fn space_kind(kind: KeyspaceKind) -> KeyspaceKind {
    match kind {
        // Plain rows of a store of structures share one kind: a string.
        KeyspaceKind::Item | KeyspaceKind::Index | KeyspaceKind::Sequence => KeyspaceKind::Map,
        // Only the name distinguishes a queue from other sorted sets.
        kind => kind,
    }
}

fn last_store(layout: &Layout) -> StoreId {
    StoreId(layout.stores.len().saturating_sub(1) as u32)
}

fn new_space(layout: &mut Layout, store: StoreId, kind: SpaceKind) -> SpaceId {
    layout.spaces.push(Space { store, kind, keyspaces: Vec::new() });
    SpaceId(layout.spaces.len() as u32 - 1)
}

fn add_keyspace(layout: &mut Layout, keyspace: Keyspace) -> KeyspaceId {
    let id = KeyspaceId(layout.keyspaces.len() as u32);
    layout.spaces[keyspace.space.0 as usize].keyspaces.push(id);
    layout.keyspaces.push(keyspace);
    id
}

fn empty_keyspace(tree: &ast::Keyspace, store: StoreId, space: SpaceId, scope: &Scope) -> Keyspace {
    Keyspace {
        name: tree.name.text.clone(),
        was: tree.was.as_ref().map(|was| was.text.clone()),
        doc: tree.doc.clone(),
        kind: tree.kind,
        store,
        space,
        family: scope.family.clone(),
        namespace: scope.namespace,
        name_span: tree.name.span,
        key_span: key_span(&tree.key, tree.name.span),
        span: tree.span,
        ..Keyspace::default()
    }
}

/// Returns the span of a key, or that of the name if the key is empty.
fn key_span(key: &[ast::Seg], name: Span) -> Span {
    key.first().zip(key.last()).map_or(name, |(first, last)| first.span().to(last.span()))
}

/// Whether a segment contains anything but literals.
fn has_field(seg: &ast::Seg) -> bool {
    match seg {
        ast::Seg::Lit(_) => false,
        ast::Seg::Wrap(wrap) => wrap.segs.iter().any(has_field),
        ast::Seg::Field(_) | ast::Seg::Option(_) | ast::Seg::Derived(_) => true,
    }
}
