//! The parts of a row that a migration can name.

use keyscape_layout::{
    Layout, Span, fields,
    model::{Field, KeyspaceId, RowValue, Segment, Type},
};
use std::sync::Arc;

/// The name of a member of a structure.
pub(super) const MEMBER: &str = "member";
/// The name of a score of a structure.
pub(super) const SCORE: &str = "score";
/// The name of the value of a row.
pub(super) const VALUE: &str = "value";

/// The parts of the rows of a keyspace.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    /// The parts that identify a row: the key; of a field of a hash, after the key of the hash; of
    /// a structure with members, the field `member` after the key.
    pub(super) identity: Vec<Segment>,
    /// The type of the score.
    pub(super) score: Option<Arc<Type>>,
    /// The type of the value, if the layout knows it.
    pub(super) value: Option<Arc<Type>>,
    /// The type of the value in the older form.
    pub(super) reads: Option<Arc<Type>>,
}

impl View {
    fn new(layout: &Layout, id: KeyspaceId) -> Self {
        let keyspace = layout.keyspace(id);
        let mut identity = Vec::new();
        if let Some(hash) = keyspace.hash {
            identity.extend(layout.keyspace(hash).key.iter().cloned());
        }
        identity.extend(keyspace.key.iter().cloned());
        if let Some(member) = &keyspace.member {
            let field = Field::new(MEMBER, Arc::clone(member), Span::default());
            identity.push(Segment::Field(field));
        }
        let typed = |form: &Option<RowValue>| match form {
            Some(RowValue::Typed(typed)) => Some(Arc::clone(&typed.ty)),
            _ => None,
        };
        let (value, reads) = (typed(&keyspace.value), typed(&keyspace.reads));
        Self { identity, score: keyspace.score.clone(), value, reads }
    }

    /// Returns the views of all keyspaces of a layout.
    pub(super) fn all(layout: &Layout) -> Vec<Self> {
        layout.keyspace_ids().map(|id| Self::new(layout, id)).collect()
    }

    pub(super) fn at(views: &[Self], id: KeyspaceId) -> &Self {
        static NONE: View = View { identity: Vec::new(), score: None, value: None, reads: None };
        views.get(id.0 as usize).unwrap_or(&NONE)
    }

    /// Returns the names and types of the fields and of the score.
    pub(super) fn slots(&self) -> Vec<Slot<'_>> {
        let mut slots = Vec::new();
        for segment in &self.identity {
            let is_optional = matches!(segment, Segment::Option(_));
            for field in fields(std::slice::from_ref(segment)) {
                slots.push(Slot { name: &field.name, ty: &field.ty, is_optional });
            }
        }
        slots.extend(self.score.iter().map(|ty| Slot { name: SCORE, ty, is_optional: false }));
        slots
    }

    /// Returns the type of a part, by the names of its path. A step into a variant names the arm.
    pub(super) fn type_at(&self, path: &[String]) -> Option<Arc<Type>> {
        let (first, rest) = path.split_first()?;
        let slots = self.slots();
        let ty = match slots.iter().find(|slot| slot.name == first) {
            Some(slot) => slot.ty,
            None if first == VALUE => self.value.as_ref()?,
            None => return None,
        };
        ty.type_at(rest).cloned()
    }

    /// Returns the names that a path can begin with.
    pub(super) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.slots().iter().map(|slot| slot.name).collect();
        names.extend(self.value.as_ref().map(|_| VALUE));
        names
    }
}

/// A named part of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'a> {
    pub(super) name: &'a str,
    pub(super) ty: &'a Arc<Type>,
    /// Whether rows may lack it.
    pub(super) is_optional: bool,
}
