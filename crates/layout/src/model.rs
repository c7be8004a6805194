//! The checked model of a layout: every name is resolved, and every domain is built.

use crate::{
    Backend, FileId, Span,
    built::{Built, Paid},
    guard::Guard,
    source::Sources,
    syntax::ast,
};
use keyscape_codec::{Codec, Language, Shown, WrapPart};
use std::sync::Arc;

pub use crate::{
    clause::{Accept, Split},
    derived::{Derived, Input},
    from_value::{FromValue, MAX_FIELD_NUMBER, PathPart, Take, ValueSource},
    places::{places, same_except_fields, same_segments},
    row_value::{EntryValue, RowValue, TypedValue},
    syntax::ast::{Cut, KeyspaceKind},
};

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
    /// The main files, in the order of `sources`. All others are imports.
    pub(crate) roots: Vec<RootFile>,
    /// The cache of its codecs and automata.
    pub(crate) built: Built,
    /// The units of work of its codecs and automata, see [`Budget`](keyscape_automata::Budget).
    pub work: usize,
    /// The codecs and automata that this work covers.
    pub(crate) paid: Paid,
}

/// A main file of a layout. Most layouts have one.
#[derive(Clone, Debug)]
pub(crate) struct RootFile {
    /// The index in [`Layout::sources`].
    pub(crate) file: FileId,
    /// The stores that belong to the layout, or `None` for all.
    pub(crate) stores: Option<Vec<String>>,
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
    /// The place of its name. Types with the same name are in different files.
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
    /// The source of the declaration.
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
    /// The source of the declaration.
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
    /// The source of the declaration.
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
    /// The source of the declaration.
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
    /// The place of its name.
    pub name_span: Span,
    /// The place of its key.
    pub key_span: Span,
    /// The source of the declaration.
    pub span: Span,
}

/// A literal, a field, an optional part, or derived bytes. A key is the concatenation of its
/// segments. A wrap is not a segment: the segments inside have the wrapped bytes, and the end of
/// the wrap follows as a literal.
#[derive(Clone, Debug)]
pub enum Segment {
    /// Fixed bytes.
    Literal(Literal),
    /// A typed part.
    Field(Field),
    /// A part that may be absent.
    Option(OptionSegment),
    /// Bytes that are computed from fields.
    Derived(Derived),
}

/// Fixed bytes.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The bytes, never empty.
    pub bytes: Vec<u8>,
    /// Whether it was written as text.
    pub is_text: bool,
    /// The call that it was computed from, such as `twox_128("System")`.
    pub call: Option<String>,
    /// The wrap that it ends.
    pub end_of: Option<&'static str>,
    /// The source of the declaration.
    pub span: Span,
}

impl Literal {
    pub(crate) const fn new(bytes: Vec<u8>, is_text: bool, span: Span) -> Self {
        Self { bytes, is_text, call: None, end_of: None, span }
    }
}

/// A named, typed part of a key.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its name in an older layout, if it was renamed. It changes no byte.
    pub was: Option<String>,
    /// Its type, including the wraps around it.
    pub ty: Arc<Type>,
    /// Its type without the wraps.
    pub declared: Arc<Type>,
    /// The wraps around it, innermost first.
    pub wraps: Vec<WrapPart>,
    /// For an index, its source in the map's value. `None` if it comes from the map's key.
    pub from_value: Option<FromValue>,
    /// The source of the declaration.
    pub span: Span,
    /// The place of its type, or `None` if the type is inherited from a field with the same name.
    pub ty_span: Option<Span>,
}

impl Field {
    /// Creates a field without wraps that is not in the text of a layout.
    #[must_use]
    pub fn new(name: &str, ty: Arc<Type>, span: Span) -> Self {
        let (name, declared) = (name.to_owned(), ty.clone());
        let (was, wraps) = (None, Vec::new());
        Self { name, was, ty, declared, wraps, from_value: None, span, ty_span: None }
    }
}

/// A part of a key that may be absent. It contains a direct field, whose value in a row decides the
/// presence.
#[derive(Clone, Debug)]
pub struct OptionSegment {
    /// The segments inside.
    pub segments: Vec<Segment>,
    /// The condition for its presence. Without a guard, every key may have it or not.
    pub guard: Option<Guard>,
    /// The source of the declaration.
    pub span: Span,
}

/// The type of a field.
#[derive(Clone, Debug)]
pub enum Type {
    /// The values of one codec.
    Leaf(Leaf),
    /// The concatenation of segments.
    Composite(Vec<Segment>),
    /// One of several texts, in logical order.
    Enum(Enum),
    /// One of several arms, in logical order.
    Variant(Vec<Arm>),
    /// Several consecutive values with non-empty encodings.
    List(List),
}

/// Texts, one of which is the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The texts, which are also the names of the values.
    pub texts: Vec<String>,
    /// The bytes of each text, including the wraps around it.
    pub bytes: Vec<Vec<u8>>,
}

impl Enum {
    /// Returns the bytes of a text.
    #[must_use]
    pub fn bytes_of(&self, text: &str) -> Option<&[u8]> {
        let index = self.texts.iter().position(|known| known == text)?;
        self.bytes.get(index).map(Vec::as_slice)
    }
}

/// Consecutive values of one type.
#[derive(Clone, Debug)]
pub struct List {
    /// The type of the elements.
    pub element: Arc<Type>,
    /// The minimal number of elements.
    pub min: u32,
    /// The maximal number of elements.
    pub max: u32,
}

/// The values of one codec.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The codec, with its domain.
    pub codec: Arc<dyn Codec>,
    /// Its byte language.
    pub language: Language,
    /// The form in which values are displayed and parsed.
    pub shown: Option<Shown>,
    /// The place of the codec, in the key or in the declaration of its type.
    pub span: Span,
}

/// A named alternative of a variant.
#[derive(Clone, Debug)]
pub struct Arm {
    /// Its name.
    pub name: String,
    /// Its segments, never empty.
    pub segments: Vec<Segment>,
    /// The source of the declaration.
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
    /// The place of `by`, if present.
    pub by_span: Option<Span>,
    /// The interval that the deployed code reads instead of the derived one.
    pub asked: Option<Asked>,
    /// The keyspaces whose rows the interval may contain too.
    pub also: Vec<KeyspaceId>,
    /// The source of the declaration.
    pub span: Span,
}

/// A place in a key: the number of literal bytes, leaves and choices before it in source order. See
/// [`Segment::places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(pub u32);

/// The interval that the deployed code reads.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The start of the interval. Without an end, the interval is all keys with this prefix.
    pub start: Vec<Segment>,
    /// The end of the interval, exclusive.
    pub end: Option<Vec<Segment>>,
    /// The source of the declaration.
    pub span: Span,
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
}
