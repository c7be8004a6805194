//! The syntax tree of a file, with the span of each part. Names are not resolved.

mod key;
mod migration;

use crate::Span;

pub use key::{
    Cond, Derived, Field, Int, Lit, OptionSeg, Range, Seg, Shown, TypeArg, TypeExpr, WrapSeg,
    all_fields,
};
pub use migration::{Assign, AssignSource, MigrationFile, MigrationLayouts, Move, Statement};

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The lines of `//!` at the top, without the marker.
    pub doc: Vec<String>,
    /// Declarations in source order. A `store` applies to all declarations after it.
    pub decls: Vec<Decl>,
}

/// A name or a quoted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name, or the text without quotes and escapes.
    pub text: String,
    /// Its span, including quotes.
    pub span: Span,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Decl {
    /// `import "other.keys" as other`
    Import(Import),
    /// `store bank version 1`
    Store(Store),
    /// `family NAME { … }`
    Family(Family),
    /// `type NAME = …`
    Type(TypeDecl),
    /// `namespace NAME = 0x02 { … }`
    Namespace(Namespace),
    /// `map balances = …`
    Keyspace(Keyspace),
}

impl Decl {
    /// Returns the span of its name, or of a whole import.
    #[must_use]
    pub fn name_span(&self) -> Span {
        match self {
            Self::Import(decl) => decl.span,
            Self::Store(decl) => decl.name.span,
            Self::Family(decl) => decl.name.span,
            Self::Type(decl) => decl.name.span,
            Self::Namespace(decl) => decl.name.span,
            Self::Keyspace(decl) => decl.name.span,
        }
    }
}

/// Returns all declarations in source order, including nested ones.
#[must_use]
pub fn all_decls(decls: &[Decl]) -> Vec<&Decl> {
    let mut all = Vec::new();
    for decl in decls {
        all.push(decl);
        match decl {
            Decl::Family(family) => all.extend(all_decls(&family.decls)),
            Decl::Namespace(namespace) => {
                let inside = namespace.decls().map(std::slice::from_ref);
                all.extend(inside.flat_map(all_decls));
            }
            _ => {}
        }
    }
    all
}

impl File {
    /// Returns the imports.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.decls.iter().filter_map(|decl| match decl {
            Decl::Import(import) => Some(import),
            _ => None,
        })
    }

    /// Returns all types, including those in families and namespaces.
    pub fn types(&self) -> impl Iterator<Item = &TypeDecl> {
        all_decls(&self.decls).into_iter().filter_map(|decl| match decl {
            Decl::Type(ty) => Some(ty),
            _ => None,
        })
    }

    /// Returns all keyspaces, including those in families and namespaces.
    pub fn keyspaces(&self) -> impl DoubleEndedIterator<Item = &Keyspace> {
        all_decls(&self.decls).into_iter().filter_map(|decl| match decl {
            Decl::Keyspace(keyspace) => Some(keyspace),
            _ => None,
        })
    }
}

/// `import STR [as NAME]`: the types of another file.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The path as written, relative to the importing file.
    pub path: Name,
    /// The qualifier of its types. Without an alias, the types need no qualifier.
    pub alias: Option<Name>,
    /// The whole declaration.
    pub span: Span,
}

/// `store NAME [structures] [on NAME] [version INT]`
#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    /// Lines of `///` before it.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
    /// Whether keys are keys of structures (hash, set, zset, queue) instead of rows.
    pub structures: bool,
    /// The backend whose limits apply.
    pub backend: Option<Name>,
    /// The version of the layout.
    pub version: Option<u64>,
    /// The whole declaration.
    pub span: Span,
}

/// `family NAME { decl* }`: a separate space within a store.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// Lines of `///` before it.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
    /// The declarations inside.
    pub decls: Vec<Decl>,
    /// The whole declaration.
    pub span: Span,
}

/// `type NAME = …`
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDecl {
    /// Lines of `///` before it.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
    /// The right-hand side.
    pub body: TypeBody,
    /// The whole declaration.
    pub span: Span,
}

/// The right-hand side of a `type`.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeBody {
    /// A codec, or another type.
    Expr(TypeExpr),
    /// A concatenation of segments: `{txid: hex(bytes[32])} "_" {vout: dec(u32)}`.
    Composite(Vec<Seg>),
    /// Fixed texts, which are the names of the values in guards and in JSON: `"collection" |
    /// "incoming"`. The order is the logical order.
    Enum(Vec<Name>),
    /// Named alternatives: `| txid "txid:" {…} | own "own:" {…}`. The order is the logical order.
    Variant(Vec<Arm>),
}

/// One alternative of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Arm {
    /// Its name.
    pub name: Name,
    /// Its segments. There is at least one, but all of them may be literals.
    pub segs: Vec<Seg>,
    /// The whole arm.
    pub span: Span,
}

/// `namespace NAME = lit+ { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Namespace {
    /// Lines of `///` before it.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
    /// The literal prefix that everything inside shares.
    pub prefix: Vec<Lit>,
    /// The items inside, in source order.
    pub items: Vec<NamespaceItem>,
    /// The whole declaration.
    pub span: Span,
}

impl Namespace {
    /// Returns the declarations inside.
    pub fn decls(&self) -> impl Iterator<Item = &Decl> {
        self.items.iter().filter_map(|item| match item {
            NamespaceItem::Decl(decl) => Some(decl),
            NamespaceItem::Allocate { .. } | NamespaceItem::Retired { .. } => None,
        })
    }
}

/// An item of a namespace.
#[derive(Clone, Debug, PartialEq)]
pub enum NamespaceItem {
    /// `allocate NAME lit ..= lit`
    Allocate {
        /// The name of the range.
        name: Name,
        /// Its first prefix.
        low: Lit,
        /// Its last prefix.
        high: Lit,
        /// The whole item.
        span: Span,
    },
    /// `reserve lit "why"` or `deprecated lit "why"`
    Retired {
        /// `true` for `deprecated`: rows may still exist.
        deprecated: bool,
        /// The prefix.
        prefix: Lit,
        /// The reason for the retirement.
        reason: String,
        /// The whole item.
        span: Span,
    },
    /// A declaration.
    Decl(Decl),
}

/// The kinds of keyspaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyspaceKind {
    /// One row.
    Item,
    /// A row per key.
    #[default]
    Map,
    /// An entry per row of a map, under another key.
    Index,
    /// A counter.
    Sequence,
    /// A map of fields.
    Hash,
    /// A set of members.
    Set,
    /// Members with scores.
    Zset,
    /// Members to process.
    Queue,
}

/// `kind NAME [of NAME] [was NAME] = segs [-> value [reads value]] clause*`
#[derive(Clone, Debug, PartialEq)]
pub struct Keyspace {
    /// Lines of `///` before it.
    pub doc: Vec<String>,
    /// The kind.
    pub kind: KeyspaceKind,
    /// Its name.
    pub name: Name,
    /// For an index: the map.
    pub of: Option<Name>,
    /// Its name in an older layout.
    pub was: Option<Name>,
    /// The key.
    pub key: Vec<Seg>,
    /// The form in which values are written.
    pub value: Option<ValueExpr>,
    /// A further form that is accepted when reading.
    pub reads: Option<ValueExpr>,
    /// Clauses in source order.
    pub clauses: Vec<Clause>,
    /// The whole declaration.
    pub span: Span,
}

impl Keyspace {
    /// Returns the fields of a hash.
    pub fn hash_fields(&self) -> impl Iterator<Item = &HashField> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::HashField(field) => Some(field),
            _ => None,
        })
    }
}

/// The value of a row. It does not affect keys.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueExpr {
    /// The form.
    pub kind: ValueExprKind,
    /// Its span.
    pub span: Span,
}

/// The form of the value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueExprKind {
    /// `empty`
    Empty,
    /// `const 0x00`
    Const(Lit),
    /// `json` or `json Pool`
    Json(Option<Name>),
    /// `proto Coin`
    Proto(Name),
    /// A codec or a type of the program.
    Type(TypeExpr),
}

/// A clause after the key of a keyspace.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    /// The kind of the clause, with its contents.
    pub kind: ClauseKind,
    /// The whole clause, including its keyword.
    pub span: Span,
}

/// The kinds of clauses.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `scan …`
    Scan(Scan),
    /// `in NAME`: the range of the namespace from which its prefix was allocated.
    In(Name),
    /// `unique`
    Unique,
    /// `counted`
    Counted,
    /// `ranked`
    Ranked,
    /// `member texpr`
    Member(TypeExpr),
    /// `score texpr`
    Score(TypeExpr),
    /// `field NAME [was NAME] = segs -> value` of a hash
    HashField(HashField),
    /// `split at [first | last] lit`
    Split(Split),
    /// `accept RULE [scan NAME] [with NAME] STR`
    Accept(Accept),
    /// `deprecated STR`
    Deprecated(String),
}

/// `scan (all | path,+) [by path,+] [as segs [.. segs]] [also NAME,+]`
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The leading fields, empty for `all`.
    pub leading: Vec<FieldPath>,
    /// The fields that determine the order of the rows.
    pub by: Vec<FieldPath>,
    /// The interval that the deployed code reads: its start, or start and end.
    pub asked: Option<Asked>,
    /// The keyspaces whose rows the interval may contain too.
    pub also: Vec<Name>,
    /// The whole clause.
    pub span: Span,
}

/// `owner` or `outpoint.txid`
#[derive(Clone, Debug, PartialEq)]
pub struct FieldPath {
    /// The names, outermost first, never empty.
    pub names: Vec<Name>,
    /// The whole path.
    pub span: Span,
}

/// `as segs [.. segs]`
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// The start of the interval. Without an end, the interval is all keys with this prefix.
    pub start: Vec<Seg>,
    /// The end of the interval, exclusive.
    pub end: Option<Vec<Seg>>,
    /// From `as` to the end.
    pub span: Span,
}

/// `split at [first | last] lit`
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The occurrences that cut a key.
    pub cut: Cut,
    /// The bytes at which keys are cut.
    pub separator: Lit,
    /// The whole clause.
    pub span: Span,
}

/// The occurrences of a separator that cut a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cut {
    /// All occurrences, from left to right without overlap.
    Every,
    /// `first`
    First,
    /// `last`
    Last,
}

/// A field of a hash, which is a small keyspace.
#[derive(Clone, Debug, PartialEq)]
pub struct HashField {
    /// Lines of `///` before it.
    pub doc: Vec<String>,
    /// Its name.
    pub name: Name,
    /// Its name in an older layout.
    pub was: Option<Name>,
    /// Its bytes.
    pub key: Vec<Seg>,
    /// The value.
    pub value: ValueExpr,
    /// The whole clause.
    pub span: Span,
}

/// An accepted claim that is known not to hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Accept {
    /// The rule, such as `KS001`.
    pub rule: Name,
    /// The name of the scan: its leading fields joined with `,` without blanks, or `all`.
    pub scan: Option<Name>,
    /// The name of the other keyspace.
    pub with: Option<Name>,
    /// The reason for the acceptance.
    pub reason: String,
    /// The whole clause.
    pub span: Span,
}
