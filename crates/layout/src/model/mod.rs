//! The checked model of a layout: every name is resolved, and every domain is built.

mod derived;
mod from_value;
mod key;
mod leaf;
mod split;

use crate::{
    Backend, Span,
    built::{Built, Paid},
    source::Sources,
    syntax::ast,
};
use std::{iter, sync::Arc};

pub use crate::{
    row_value::{EntryValue, RowValue, TypedValue},
    syntax::ast::{Cut, KeyspaceKind},
};
pub use derived::{Derived, DerivedPlace, Input, derived_places};
pub use from_value::{FromValue, MAX_FIELD_NUMBER, PathPart, Take, ValueSource};
pub(crate) use key::find_field;
pub use key::{
    Arm, Enum, Field, List, Literal, OptionSegment, Place, Segment, Type, direct_field, field,
    fields, literal_prefix, places, same_except_fields, same_segments, type_at,
};
pub use leaf::{Leaf, Length};
pub use split::Split;

/// A layout: one or more stores.
#[derive(Debug, Default)]
pub struct Layout {
    /// The documentation of the file.
    pub doc: Vec<String>,
    /// The stores, in source order.
    pub stores: Vec<Store>,
    /// All keyspaces of all stores, in source order. The fields of a hash follow it.
    pub keyspaces: Vec<Keyspace>,
    /// The spaces in which keys are compared.
    pub spaces: Vec<Space>,
    /// The declared types, including those of imported files, in the order of files and
    /// declarations. Every use of such a type has the same [`Arc`], see [`Layout::named`].
    pub types: Vec<NamedType>,
    /// The source files.
    pub sources: Sources,
    /// The syntax trees of the files, in the order of `sources`.
    pub trees: Vec<ast::File>,
    /// For each main file, the stores that belong to the layout, or `None` for all. The main files
    /// are the first of `sources`. All others are imports.
    pub(crate) root_stores: Vec<Option<Vec<String>>>,
    /// The cache of its codecs and automata.
    pub(crate) built: Built,
    /// The units of work of its codecs and automata, see [`Budget`](keyscape_automata::Budget).
    pub work: usize,
    /// The codecs and automata that this work covers.
    pub(crate) paid: Paid,
}

/// A declared type. Each declaration has its own [`Arc`], even if it names another type.
#[derive(Clone, Debug)]
pub struct NamedType {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub doc: Vec<String>,
    /// The type.
    pub ty: Arc<Type>,
    /// The span of its name. Types with the same name are in different files.
    pub span: Span,
}

/// An index into [`Layout::stores`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreId(pub u32);

/// An index into [`Layout::keyspaces`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyspaceId(pub u32);

/// An index into [`Layout::spaces`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpaceId(pub u32);

/// One ordered space of byte-string keys.
#[derive(Debug, Default)]
pub struct Store {
    /// Its name.
    pub name: String,
    /// Its documentation.
    pub doc: Vec<String>,
    /// Whether its keys are keys of structures instead of rows.
    pub structures: bool,
    /// The backend whose limits apply.
    pub backend: Option<&'static Backend>,
    /// The version of the layout.
    pub version: Option<u64>,
    /// Its namespaces.
    pub namespaces: Vec<Namespace>,
    /// The span of the declaration.
    pub span: Span,
}

/// A literal prefix that keyspaces share, with its own allocation rules.
#[derive(Debug)]
pub struct Namespace {
    /// Its name, qualified by the enclosing namespaces: `dex.fees`.
    pub name: String,
    /// Its documentation.
    pub doc: Vec<String>,
    /// The enclosing namespace: an index into [`Store::namespaces`].
    pub outer: Option<usize>,
    /// The whole prefix, including that of the enclosing namespaces.
    pub prefix: Vec<u8>,
    /// The ranges from which prefixes are allocated.
    pub ranges: Vec<AllocatedRange>,
    /// The prefixes that may not be used.
    pub retired: Vec<RetiredPrefix>,
    /// The span of the declaration.
    pub span: Span,
}

/// `allocate NAME low ..= high`
#[derive(Clone, Debug)]
pub struct AllocatedRange {
    /// Its name.
    pub name: String,
    /// The first prefix.
    pub low: Vec<u8>,
    /// The last prefix.
    pub high: Vec<u8>,
    /// The span of the declaration.
    pub span: Span,
}

/// `reserve` or `deprecated`
#[derive(Clone, Debug)]
pub struct RetiredPrefix {
    /// Whether rows may still exist.
    pub deprecated: bool,
    /// The prefix within the namespace.
    pub prefix: Vec<u8>,
    /// The reason for the retirement.
    pub reason: String,
    /// The span of the declaration.
    pub span: Span,
}

/// A set of keyspaces that share one ordered key space: those of a store or family (in a store of
/// structures, those of one kind), or the fields of one hash.
#[derive(Clone, Debug)]
pub struct Space {
    /// The store.
    pub store: StoreId,
    /// The kind of its rows or structures.
    pub kind: SpaceKind,
    /// Its keyspaces, in source order.
    pub keyspaces: Vec<KeyspaceId>,
}

/// The contents of a [`Space`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceKind {
    /// The rows of a store or of one of its families.
    Rows {
        /// The family.
        family: Option<String>,
    },
    /// The structures of one kind in a store or family.
    Structures {
        /// The family.
        family: Option<String>,
        /// The kind.
        kind: KeyspaceKind,
    },
    /// The fields of a hash.
    HashFields {
        /// The hash.
        hash: KeyspaceId,
    },
}

/// One named group of keys.
#[derive(Debug, Default)]
pub struct Keyspace {
    /// Its name. A field of a hash is named `hash.field`.
    pub name: String,
    /// Its name in an older layout, if it was renamed. For a field of a hash, without the hash. It
    /// changes no byte.
    pub was: Option<String>,
    /// Its documentation.
    pub doc: Vec<String>,
    /// The reason for its deprecation, if it is deprecated. Its rows stay readable.
    pub deprecated: Option<String>,
    /// Its kind. A field of a hash counts as a map.
    pub kind: KeyspaceKind,
    /// Its store.
    pub store: StoreId,
    /// The space in which its keys are compared.
    pub space: SpaceId,
    /// Its family.
    pub family: Option<String>,
    /// Its namespace: an index into [`Store::namespaces`].
    pub namespace: Option<usize>,
    /// Its range in the namespace: an index into [`Namespace::ranges`].
    pub allocated: Option<usize>,
    /// For an index, its map.
    pub of: Option<KeyspaceId>,
    /// For a field of a hash, the hash.
    pub hash: Option<KeyspaceId>,
    /// The key, starting with the prefix of its namespace.
    pub key: Vec<Segment>,
    /// The value of a row.
    pub value: Option<RowValue>,
    /// Another form that is accepted when reading the value of a row.
    pub reads: Option<RowValue>,
    /// The type of the members of a set, zset or queue.
    pub member: Option<Arc<Type>>,
    /// The type of the scores of a zset or queue.
    pub score: Option<Arc<Type>>,
    /// Whether an index is unique.
    pub unique: bool,
    /// Whether members are counted.
    pub counted: bool,
    /// Whether members are ranked.
    pub ranked: bool,
    /// Its scans.
    pub scans: Vec<Scan>,
    /// The ways in which programs split its keys.
    pub splits: Vec<Split>,
    /// The accepted claims.
    pub accepts: Vec<Accept>,
    /// The span of its name.
    pub name_span: Span,
    /// The span of its key.
    pub key_span: Span,
    /// The span of the declaration.
    pub span: Span,
}

/// A declared read: all keys with these leading fields.
#[derive(Clone, Debug)]
pub struct Scan {
    /// Its leading fields joined with commas, or `all`.
    pub name: String,
    /// The paths of the leading fields.
    pub leading: Vec<Vec<String>>,
    /// The place in the key after the leading part and the literals that follow it.
    pub end: Place,
    /// The paths of the fields that determine the order, with names joined by dots.
    pub by: Vec<String>,
    /// The place in the key after the last `by` field.
    pub by_end: Place,
    /// The span of `by`, if present.
    pub by_span: Option<Span>,
    /// The interval that the deployed code reads instead of the derived one.
    pub asked: Option<Asked>,
    /// The keyspaces whose rows the interval may contain too.
    pub also: Vec<KeyspaceId>,
    /// The span of the declaration.
    pub span: Span,
}

/// The interval that the deployed code reads.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The start of the interval. Without an end, the interval is all keys with this prefix.
    pub start: Vec<Segment>,
    /// The end of the interval, exclusive.
    pub end: Option<Vec<Segment>>,
    /// The span of the declaration.
    pub span: Span,
}

/// An accepted claim that is known not to hold.
#[derive(Clone, Debug)]
pub struct Accept {
    /// The rule, such as `KS001`.
    pub rule: String,
    /// The name of the scan, if the acceptance is about one.
    pub scan: Option<String>,
    /// The name of the other keyspace, if the acceptance is about one.
    pub with: Option<String>,
    /// The reason for the acceptance.
    pub reason: String,
    /// The span of the clause.
    pub span: Span,
}

impl Store {
    /// Returns the namespaces around a keyspace, innermost first, each with its index.
    pub fn namespaces_around(
        &self,
        keyspace: &Keyspace,
    ) -> impl Iterator<Item = (usize, &Namespace)> {
        let at = |index: usize| Some((index, self.namespaces.get(index)?));
        iter::successors(keyspace.namespace.and_then(at), move |(_, inner)| at(inner.outer?))
    }
}

impl Namespace {
    /// Whether the namespace allocates or retires prefixes.
    #[must_use]
    pub fn has_rules(&self) -> bool {
        !self.ranges.is_empty() || !self.retired.is_empty()
    }
}

impl Layout {
    /// Returns a keyspace.
    ///
    /// # Panics
    /// If the id belongs to another layout.
    #[must_use]
    pub fn keyspace(&self, id: KeyspaceId) -> &Keyspace {
        &self.keyspaces[id.0 as usize]
    }

    /// Returns a store.
    ///
    /// # Panics
    /// If the id belongs to another layout.
    #[must_use]
    pub fn store(&self, id: StoreId) -> &Store {
        &self.stores[id.0 as usize]
    }

    /// Returns a space.
    ///
    /// # Panics
    /// If the id belongs to another layout.
    #[must_use]
    pub fn space(&self, id: SpaceId) -> &Space {
        &self.spaces[id.0 as usize]
    }

    /// Returns the declaration of a type, if it is declared.
    #[must_use]
    pub fn named(&self, ty: &Arc<Type>) -> Option<&NamedType> {
        self.types.iter().find(|named| Arc::ptr_eq(&named.ty, ty))
    }

    /// Returns the ids of all keyspaces, in source order.
    pub fn keyspace_ids(&self) -> impl Iterator<Item = KeyspaceId> + use<> {
        (0..self.keyspaces.len() as u32).map(KeyspaceId)
    }

    /// Returns the name of a keyspace with its store: `store/name`.
    #[must_use]
    pub fn full_name(&self, id: KeyspaceId) -> String {
        let keyspace = self.keyspace(id);
        format!("{}/{}", self.store(keyspace.store).name, keyspace.name)
    }

    /// Returns the keyspaces with a name: `balances`, `output.data`, or with its store
    /// `bank/balances`. Several stores may use the same name.
    #[must_use]
    pub fn find(&self, name: &str) -> Vec<KeyspaceId> {
        let (store, keyspace) = match name.split_once('/') {
            Some((store, keyspace)) => (Some(store), keyspace),
            None => (None, name),
        };
        self.keyspace_ids()
            .filter(|&id| {
                let found = self.keyspace(id);
                found.name == keyspace && store.is_none_or(|s| self.store(found.store).name == s)
            })
            .collect()
    }

    /// Returns the text of the main file.
    #[must_use]
    pub fn text(&self) -> &str {
        self.sources.files().first().map_or("", |file| &file.text)
    }

    /// Returns the declarations of the main file.
    #[must_use]
    pub fn decls(&self) -> &[ast::Decl] {
        self.trees.first().map_or(&[], |tree| &tree.decls)
    }

    /// Returns the syntax tree of the key of a keyspace, or of a field of a hash.
    #[must_use]
    pub fn written_key(&self, keyspace: &Keyspace) -> Option<&[ast::Seg]> {
        self.trees.iter().flat_map(ast::File::keyspaces).find_map(|tree| {
            let fields = tree.hash_fields().map(|field| (&field.name, &field.key));
            let mut keys = [(&tree.name, &tree.key)].into_iter().chain(fields);
            keys.find(|(name, _)| name.span == keyspace.name_span).map(|(_, key)| key.as_slice())
        })
    }
}
