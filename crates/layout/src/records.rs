//! The records of a store of structures on an ordered store, as keys of a separate layout. A
//! backend stores these keys.
//!
//! [`keyscape_codec::record`] defines the bytes of a record. This module adds them to the key, the
//! members and the scores of a keyspace.

use crate::{
    Span,
    model::{
        Field, Keyspace, KeyspaceId, KeyspaceKind, Layout, Leaf, Literal, Segment, Space, SpaceId,
        SpaceKind, Store, StoreId, Type,
    },
    resolve::escaped,
};
use keyscape_automata::Budget;
use keyscape_codec::{
    Call, Loss, build,
    record::{Family, Kind, RANK_BUCKET, Rest},
};
use std::sync::Arc;

/// The field of a record that contains the fields of the structure's key.
pub const RECORD_KEY: &str = "key";
/// The field of a record that contains the fields of a hash field's key.
pub const RECORD_FIELD: &str = "field";

impl Layout {
    /// Returns the records of a keyspace in a store of structures: a layout with one keyspace for
    /// each form of record, named after its family or the field of a hash. The field [`RECORD_KEY`]
    /// contains the fields of the key, [`RECORD_FIELD`] those of a hash field. The others are
    /// `member`, `score` and `time`.
    ///
    /// Returns `None` if the store has only rows, or if the automata exceed their budget.
    #[must_use]
    pub fn records(&self, id: KeyspaceId) -> Option<Layout> {
        let keyspace = self.keyspace(id);
        if !self.store(keyspace.store).structures {
            return None;
        }
        let builder = Builder { layout: self, keyspace, span: keyspace.key_span };
        Some(self.with_keys(builder.forms(id)?, id))
    }

    /// Returns a layout that contains one map for each key, each in its own space. The layout
    /// shares the codecs and automata of this one. `at` is the keyspace of the keys.
    ///
    /// # Panics
    /// If the id belongs to another layout.
    #[must_use]
    pub fn with_keys(&self, keys: Vec<(String, Vec<Segment>)>, at: KeyspaceId) -> Layout {
        let at = self.keyspace(at);
        let layout = Self::of_keys(&self.store(at.store).name, keys, at);
        let (sources, built, paid) = (self.sources.clone(), self.built.clone(), self.paid.clone());
        Layout { sources, built, paid, ..layout }
    }

    /// Creates a layout with a map for each of these keys, each in its own space. `at` provides
    /// their spans.
    pub(crate) fn of_keys(store: &str, keys: Vec<(String, Vec<Segment>)>, at: &Keyspace) -> Self {
        let spaces = (0..keys.len() as u32).map(|index| Space {
            store: StoreId(0),
            kind: SpaceKind::Rows { family: None },
            keyspaces: vec![KeyspaceId(index)],
        });
        Self {
            stores: vec![Store { name: store.to_owned(), span: at.span, ..Store::default() }],
            spaces: spaces.collect(),
            keyspaces: keys
                .into_iter()
                .zip(0..)
                .map(|((name, key), space)| Keyspace {
                    name,
                    key,
                    space: SpaceId(space),
                    name_span: at.name_span,
                    key_span: at.key_span,
                    span: at.span,
                    ..Keyspace::default()
                })
                .collect(),
            ..Self::default()
        }
    }
}

/// Returns the kind of the records of a keyspace.
#[must_use]
pub const fn record_kind(kind: KeyspaceKind) -> Kind {
    match kind {
        KeyspaceKind::Hash => Kind::Hash,
        KeyspaceKind::Set => Kind::Set,
        KeyspaceKind::Zset => Kind::Zset,
        KeyspaceKind::Queue => Kind::Queue,
        KeyspaceKind::Item | KeyspaceKind::Map | KeyspaceKind::Index | KeyspaceKind::Sequence => {
            Kind::Row
        }
    }
}

struct Builder<'a> {
    layout: &'a Layout,
    keyspace: &'a Keyspace,
    span: Span,
}

impl Builder<'_> {
    /// Returns the forms of records by name, with their keys.
    fn forms(&self, id: KeyspaceId) -> Option<Vec<(String, Vec<Segment>)>> {
        let kind = record_kind(self.keyspace.kind);
        let begin = self.literal(vec![kind.byte()]);
        if kind == Kind::Row {
            let key = self.field(RECORD_KEY, Type::Composite(self.keyspace.key.clone()));
            return Some(vec![("row".to_owned(), vec![begin, key])]);
        }
        // The terminator is a literal after the key, not a part of it.
        let mut key = escaped(&self.layout.built, self.keyspace.key.clone(), self.span)?;
        let end = key.pop()?;
        let start = [begin, self.field(RECORD_KEY, Type::Composite(key)), end];
        let mut forms = Vec::new();
        for family in kind.families().iter().copied().filter(|&family| self.has(family)) {
            let start = [&start[..], &[self.literal(vec![family.byte()])]].concat();
            if family.rest() == [Rest::Field] {
                let fields = self.layout.keyspaces.iter().filter(|field| field.hash == Some(id));
                forms.extend(fields.map(|field| {
                    let rest = self.field(RECORD_FIELD, Type::Composite(field.key.clone()));
                    (field.name.clone(), [&start[..], &[rest]].concat())
                }));
                continue;
            }
            let mut record = start;
            for rest in family.rest() {
                record.extend(self.rest(*rest)?);
            }
            forms.push((format!("{family:?}").to_lowercase(), record));
        }
        Some(forms)
    }

    /// Whether the keyspace has records of a family.
    fn has(&self, family: Family) -> bool {
        match family {
            Family::Count => self.keyspace.counted,
            Family::Rank => {
                let members = self.keyspace.member.as_deref();
                self.keyspace.ranked && members.is_some_and(|ty| !has_at_most(ty, RANK_BUCKET))
            }
            _ => true,
        }
    }

    fn rest(&self, rest: Rest) -> Option<Vec<Segment>> {
        let typed =
            |name, ty: &Option<Arc<Type>>| Some(self.field(name, Type::clone(ty.as_deref()?)));
        Some(match rest {
            // A field of a hash is a separate form.
            Rest::Field => Vec::new(),
            Rest::Member => vec![typed("member", &self.keyspace.member)?],
            Rest::Level => vec![self.literal(vec![1])],
            Rest::Time => {
                let codec = build(Call::new("u64be")).ok()?;
                let language = codec.language(Budget::default()).ok()?;
                let leaf = Leaf { codec, language, shown: None, span: self.span };
                vec![self.field("time", Type::Leaf(leaf))]
            }
            Rest::Score => {
                let score = vec![typed("score", &self.keyspace.score)?];
                match self.keyspace.score.as_deref().and_then(Type::fixed_length) {
                    Some(_) => score,
                    None => escaped(&self.layout.built, score, self.span)?,
                }
            }
        })
    }

    fn literal(&self, bytes: Vec<u8>) -> Segment {
        let is_text = bytes.is_ascii();
        Segment::Literal(Literal::new(bytes, is_text, self.span))
    }

    fn field(&self, name: &str, ty: Type) -> Segment {
        Segment::Field(Field::new(name, Arc::new(ty), self.span))
    }
}

/// Whether a type certainly has at most `max` values.
fn has_at_most(ty: &Type, max: u64) -> bool {
    let max = max as usize;
    match ty {
        Type::Leaf(leaf) => {
            let one_each = leaf.codec.lossless() == Loss::None;
            one_each && leaf.language.exact().is_some_and(|dfa| dfa.words(max + 1).len() <= max)
        }
        Type::Enum(of) => of.texts.len() <= max,
        Type::Composite(_) | Type::Variant(_) | Type::List(_) => false,
    }
}
