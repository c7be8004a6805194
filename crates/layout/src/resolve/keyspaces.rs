//! Stores, families, namespaces and the keyspaces in them.

use super::{MAX_PLACES, Resolver, did_you_mean};
use crate::{
    Diagnostic, Span,
    model::{
        AllocatedRange, Keyspace, KeyspaceId, KeyspaceKind, Layout, Namespace, RetiredPrefix,
        Segment, Space, SpaceId, SpaceKind, StoreId, places,
    },
    syntax::ast,
};

/// The declarations around a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    family: Option<String>,
    namespace: Option<usize>,
    prefix: Vec<crate::model::Literal>,
}

impl Scope {
    /// Returns the namespace around a declaration.
    pub(super) fn namespace_of<'s>(&self, store: &'s crate::model::Store) -> Option<&'s Namespace> {
        self.namespace.and_then(|index| store.namespaces.get(index))
    }
}

/// A keyspace with its id but without its key.
pub(super) struct Outline<'a> {
    id: KeyspaceId,
    tree: &'a ast::Keyspace,
    scope: Scope,
}

pub(super) fn decl_span(decl: &ast::Decl) -> Span {
    match decl {
        ast::Decl::Import(decl) => decl.span,
        ast::Decl::Store(decl) => decl.name.span,
        ast::Decl::Family(decl) => decl.name.span,
        ast::Decl::Type(decl) => decl.name.span,
        ast::Decl::Namespace(decl) => decl.name.span,
        ast::Decl::Keyspace(decl) => decl.name.span,
    }
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
        prefix.extend(tree.prefix.iter().filter_map(|lit| self.literal(lit)));
        let id = StoreId(layout.stores.len().saturating_sub(1) as u32);
        let Some(store) = layout.stores.last_mut() else { return };
        let outer = scope.namespace.and_then(|index| store.namespaces.get(index));
        let name = match outer {
            Some(outer) => format!("{}.{}", outer.name, tree.name.text),
            None => tree.name.text.clone(),
        };
        if let Some(first) = self.namespaces.insert((id, name.clone()), tree.name.span) {
            let message = format!("namespace `{name}` is declared twice");
            let diagnostic =
                Diagnostic::error(tree.name.span, message).related(first, "first declared here");
            self.diagnostics.push(diagnostic);
        }
        let index = store.namespaces.len();
        store.namespaces.push(Namespace {
            name,
            doc: tree.doc.clone(),
            outer: scope.namespace,
            prefix: prefix.iter().flat_map(|lit| lit.bytes.clone()).collect(),
            ranges: Vec::new(),
            retired: Vec::new(),
            span: tree.name.span,
        });
        let inner = Scope { family: scope.family.clone(), namespace: Some(index), prefix };
        for item in &tree.items {
            match item {
                ast::NamespaceItem::Decl(decl) => self.outline(decl, &inner, layout, outlines),
                item => self.allocation(item, index, layout),
            }
        }
    }

    fn allocation(&mut self, item: &ast::NamespaceItem, index: usize, layout: &mut Layout) {
        let Some(namespace) =
            layout.stores.last_mut().and_then(|store| store.namespaces.get_mut(index))
        else {
            return;
        };
        match item {
            ast::NamespaceItem::Allocate { name, low, high, span } => {
                if low.bytes.len() != high.bytes.len() || low.bytes > high.bytes {
                    let message = format!("range `{}` does not run from low to high", name.text);
                    self.report(
                        Diagnostic::error(*span, message)
                            .help("both ends need the same number of bytes, the lower one first"),
                    );
                } else if let Some(first) = namespace.ranges.iter().find(|r| r.name == name.text) {
                    let message = format!("range `{}` is declared twice", name.text);
                    let first = first.span;
                    self.report(
                        Diagnostic::error(name.span, message).related(first, "first declared here"),
                    );
                } else if let Some(other) =
                    namespace.ranges.iter().find(|r| overlaps(r, &low.bytes, &high.bytes))
                {
                    let message = format!("ranges `{}` and `{}` overlap", other.name, name.text);
                    let other = other.span;
                    self.report(
                        Diagnostic::error(*span, message).related(other, "the other range"),
                    );
                } else {
                    namespace.ranges.push(AllocatedRange {
                        name: name.text.clone(),
                        low: low.bytes.clone(),
                        high: high.bytes.clone(),
                        span: *span,
                    });
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
        let store = StoreId(layout.stores.len().saturating_sub(1) as u32);
        let id = KeyspaceId(layout.keyspaces.len() as u32);
        let name = &tree.name;
        if let Some(&first) = self.keyspaces.get(&(store, name.text.clone())) {
            let message = format!("keyspace `{}` is declared twice", name.text);
            self.report(
                Diagnostic::error(name.span, message)
                    .related(layout.keyspace(first).name_span, "first declared here"),
            );
        } else {
            self.keyspaces.insert((store, name.text.clone()), id);
        }
        let others = layout.keyspaces.iter().filter(|other| other.store == store);
        let others = others.filter(|other| other.hash.is_none());
        let others = others.map(|other| (other.was.as_deref(), other.name_span));
        self.check_was(name, tree.was.as_ref(), others);
        let structures = layout.stores.last().is_some_and(|s| s.structures);
        let family = scope.family.clone();
        let kind = if structures {
            SpaceKind::Structures { family, kind: space_kind(tree.kind) }
        } else {
            SpaceKind::Rows { family }
        };
        let space = space_of(layout, store, kind);
        layout.keyspaces.push(empty_keyspace(tree, store, space, scope));
        layout.spaces[space.0 as usize].keyspaces.push(id);
        let fields: Vec<&ast::HashField> = hash_fields(tree).collect();
        if !fields.is_empty() {
            let space = new_space(layout, store, SpaceKind::HashFields { hash: id });
            for field in fields {
                let field_id = KeyspaceId(layout.keyspaces.len() as u32);
                let full_name = format!("{}.{}", name.text, field.name.text);
                self.keyspaces.insert((store, full_name.clone()), field_id);
                layout.keyspaces.push(Keyspace {
                    name: full_name,
                    was: field.was.as_ref().map(|was| was.text.clone()),
                    doc: field.doc.clone(),
                    kind: KeyspaceKind::Map,
                    hash: Some(id),
                    name_span: field.name.span,
                    key_span: key_span(&field.key, field.name.span),
                    span: field.span,
                    ..empty_keyspace(tree, store, space, scope)
                });
                layout.spaces[space.0 as usize].keyspaces.push(field_id);
            }
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
            let help = "`was` names the part in an older layout; remove it";
            self.report(Diagnostic::error(was.span, message).help(help));
        } else if let Some((_, first)) = others.find(|(other, _)| *other == Some(&*was.text)) {
            let message = format!("`{}` is the old name of another part", was.text);
            self.report(Diagnostic::error(was.span, message).related(first, "of this one"));
        }
    }

    /// Resolves the keyspaces, indexes last, because they inherit types from their maps.
    pub(super) fn fill_keyspaces(&mut self, outlines: &[Outline<'_>], layout: &mut Layout) {
        for outline in outlines.iter().filter(|o| o.tree.of.is_none()) {
            self.fill(outline, layout);
        }
        for outline in outlines.iter().filter(|o| o.tree.of.is_some()) {
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
        let inherit = of.map(|map| layout.keyspace(map).key.clone());
        let key = self.key(&tree.key, &scope.prefix, inherit.as_deref(), &tree.name);
        self.check_from_value(&key, of.map(|map| layout.keyspace(map)));
        self.check_kind(tree, *id, layout);
        let clauses = self.clauses(tree, *id, scope, layout);
        let value = tree.value.as_ref().and_then(|value| self.row_value(value));
        let reads = tree.reads.as_ref().and_then(|reads| self.row_value(reads));
        let keyspace = &mut layout.keyspaces[id.0 as usize];
        keyspace.of = of;
        keyspace.key = key;
        keyspace.value = value;
        keyspace.reads = reads;
        keyspace.member = clauses.member;
        keyspace.score = clauses.score;
        keyspace.unique = clauses.unique;
        keyspace.counted = clauses.counted;
        keyspace.ranked = clauses.ranked;
        keyspace.allocated = clauses.allocated;
        keyspace.deprecated = clauses.deprecated;
        for (offset, field) in hash_fields(tree).enumerate() {
            let key = self.key(&field.key, &[], None, &field.name);
            let value = self.row_value(&field.value);
            let keyspace = &mut layout.keyspaces[id.0 as usize + 1 + offset];
            keyspace.key = key;
            keyspace.value = value;
        }
    }

    fn map_of(
        &mut self,
        tree: &ast::Keyspace,
        layout: &Layout,
        id: KeyspaceId,
    ) -> Option<KeyspaceId> {
        let store = layout.keyspace(id).store;
        match (&tree.of, tree.kind) {
            (None, KeyspaceKind::Index) => {
                let message = format!("index `{}` does not say of which map it is", tree.name.text);
                self.report(
                    Diagnostic::error(tree.name.span, message)
                        .help(format!("write `index {} of MAP = …`", tree.name.text)),
                );
                None
            }
            (Some(of), kind) if kind != KeyspaceKind::Index => {
                self.error(of.span, "only an index is `of` another keyspace");
                None
            }
            (Some(of), _) => {
                let maps = || {
                    layout.keyspace_ids().filter(|&k| {
                        let keyspace = layout.keyspace(k);
                        keyspace.store == store
                            && keyspace.kind == KeyspaceKind::Map
                            && keyspace.hash.is_none()
                    })
                };
                let is_map = |k: &KeyspaceId| {
                    let keyspace = layout.keyspace(*k);
                    keyspace.kind == KeyspaceKind::Map && keyspace.hash.is_none()
                };
                let found = self.keyspaces.get(&(store, of.text.clone())).copied().filter(is_map);
                if found.is_none() {
                    let message = format!("there is no map `{}` in this store", of.text);
                    let mut diagnostic = Diagnostic::error(of.span, message);
                    diagnostic.help =
                        did_you_mean(&of.text, maps().map(|k| layout.keyspace(k).name.as_str()));
                    self.report(diagnostic);
                }
                found
            }
            (None, _) => None,
        }
    }

    fn key(
        &mut self,
        segs: &[ast::Seg],
        prefix: &[crate::model::Literal],
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
        use KeyspaceKind::{Hash, Index, Item, Queue, Set, Zset};
        let name = &tree.name;
        let has = |wanted: fn(&ast::Clause) -> bool| tree.clauses.iter().any(wanted);
        let store = layout.store(layout.keyspace(id).store);
        let mut complain = |message: String, help: &str| {
            self.diagnostics.push(Diagnostic::error(name.span, message).help(help));
        };
        if matches!(tree.kind, Hash | Set | Zset | Queue) && !store.structures {
            complain(
                format!("`{}` is a structure, but store `{}` holds rows", name.text, store.name),
                "write `store NAME structures`, or describe the rows as maps",
            );
        }
        if matches!(tree.kind, Set | Zset | Queue) && !has(|c| matches!(c, ast::Clause::Member(_)))
        {
            complain(
                format!("`{}` does not say what its members are", name.text),
                "add `member TYPE`",
            );
        }
        if matches!(tree.kind, Zset | Queue) && !has(|c| matches!(c, ast::Clause::Score(_))) {
            complain(
                format!("`{}` does not say what its scores are", name.text),
                "add `score TYPE`",
            );
        }
        if tree.kind == Hash && hash_fields(tree).next().is_none() {
            complain(
                format!("hash `{}` has no fields", name.text),
                "add `field NAME = SEGMENTS -> VALUE`",
            );
        }
        if tree.kind == Item && tree.key.iter().any(has_field) {
            complain(
                format!("item `{}` is one row, so its key has no fields", name.text),
                "use `map` for a row per value of a field",
            );
        }
        if tree.kind != Index && has(|c| matches!(c, ast::Clause::Unique(_))) {
            complain("only an index can be `unique`".to_owned(), "remove `unique`");
        }
    }
}

/// Whether two ranges overlap. A range contains all keys that start with one of its prefixes.
fn overlaps(range: &AllocatedRange, low: &[u8], high: &[u8]) -> bool {
    let below = |a: &[u8], b: &[u8]| a < b && !b.starts_with(a);
    !below(&range.high, low) && !below(high, &range.low)
}

fn space_kind(kind: KeyspaceKind) -> KeyspaceKind {
    match kind {
        // Plain rows of a store of structures share one kind: a string.
        KeyspaceKind::Item | KeyspaceKind::Index | KeyspaceKind::Sequence => KeyspaceKind::Map,
        // Only the name distinguishes a queue from other sorted sets.
        kind => kind,
    }
}

fn space_of(layout: &mut Layout, store: StoreId, kind: SpaceKind) -> SpaceId {
    let is_same = |space: &Space| space.store == store && space.kind == kind;
    match layout.spaces.iter().position(is_same) {
        Some(index) => SpaceId(index as u32),
        None => new_space(layout, store, kind),
    }
}

fn new_space(layout: &mut Layout, store: StoreId, kind: SpaceKind) -> SpaceId {
    layout.spaces.push(Space { store, kind, keyspaces: Vec::new() });
    SpaceId(layout.spaces.len() as u32 - 1)
}

fn hash_fields(tree: &ast::Keyspace) -> impl Iterator<Item = &ast::HashField> {
    tree.clauses.iter().filter_map(|clause| match clause {
        ast::Clause::HashField(field) => Some(field),
        _ => None,
    })
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

/// Returns the place of a key, or that of the name if the key is empty.
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
