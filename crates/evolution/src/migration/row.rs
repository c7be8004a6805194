//! Rows, the types of their parts, and their images.

use super::{FormPlan, Migration, Moved, Piece, make::Make};
use keyscape_layout::{
    EncodeError, Layout, Record, RowDatum, Span, encode_segments, fields,
    model::{Field, KeyspaceId, RowValue, Segment, Type},
};
use keyscape_prover::Row;
use std::sync::Arc;

/// A row of the old layout.
#[derive(Clone, Debug, PartialEq)]
pub struct OldRow {
    /// The keyspace; for a field of a hash, the field.
    pub keyspace: KeyspaceId,
    /// The fields of its key. A field of a hash has those of the hash as well, a structure has
    /// `member` and `score`.
    pub fields: Record,
    /// Its value.
    pub value: OldValue,
}

/// The value of an old row, and its form.
#[derive(Clone, Debug, PartialEq)]
pub enum OldValue {
    /// The declared form.
    Declared(RowDatum),
    /// The older form after `reads`.
    Reads(RowDatum),
    /// A value that is not needed, because only the key is computed.
    Unread,
}

/// The new row of an old one.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The new keyspace; for a field of a hash, the field.
    pub keyspace: KeyspaceId,
    /// The fields, as in [`OldRow::fields`].
    pub fields: Record,
    /// Its value.
    pub value: ImageValue,
}

/// The value of a new row.
#[derive(Clone, Debug, PartialEq)]
pub enum ImageValue {
    /// The bytes of the old row.
    Same,
    /// This value, in the declared form of the new keyspace.
    Datum(RowDatum),
    /// The bytes that the program makes.
    Program,
}

/// A row that has no image although its piece moves it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{reason}")]
pub struct Unfit {
    /// The new field, or `value`.
    pub field: String,
    /// The reason why no value of the field can be made.
    pub reason: String,
}

impl Migration<'_> {
    /// Returns the piece that applies to a row: the first whose condition holds.
    #[must_use]
    pub fn piece_of(&self, keyspace: KeyspaceId, fields: &Record) -> Option<&Piece> {
        let scope = &self.old_type(keyspace).identity;
        self.pieces_of(keyspace).find(|piece| match &piece.condition {
            Some(guard) => guard.holds(scope, fields),
            None => true,
        })
    }

    /// Computes the new row of an old row that a piece moves.
    ///
    /// # Errors
    /// [`Unfit`] if a value is not in the domain of its new field.
    pub fn image(&self, moved: &Moved, row: &OldRow) -> Result<Image, Unfit> {
        self.image_with(moved, row, None)
    }

    /// Computes the new row of an old row, with the fields of the row that the program makes of it.
    /// They are used only where the declaration says `program()`.
    ///
    /// # Errors
    /// [`Unfit`] if a value is not in the domain of its new field, or needs the program.
    pub fn image_with(
        &self,
        moved: &Moved,
        row: &OldRow,
        by_program: Option<&Record>,
    ) -> Result<Image, Unfit> {
        let datum = match &row.value {
            OldValue::Declared(datum) | OldValue::Reads(datum) => Some(datum),
            OldValue::Unread => None,
        };
        let mut scope = row.fields.clone();
        if let Some(RowDatum::Datum(datum)) = datum
            && scope.get(VALUE).is_none()
        {
            scope.set(VALUE, datum.clone());
        }
        let mut made = Record::default();
        for (name, make) in &moved.fields {
            let datum = match (make, by_program) {
                (Make::Program, Some(fields)) => fields.get(name).cloned(),
                _ => make.value(&scope, name)?,
            };
            if let Some(datum) = datum {
                made.set(name.clone(), datum);
            }
        }
        // The fields must be those of a key.
        self.new_identity(moved.to, &made)?;
        let plan = match &row.value {
            OldValue::Reads(_) => &moved.value.reads,
            OldValue::Declared(_) | OldValue::Unread => &moved.value.declared,
        };
        let value = match plan {
            FormPlan::Keep => ImageValue::Same,
            FormPlan::Fixed => ImageValue::Datum(RowDatum::Nothing),
            FormPlan::Program => ImageValue::Program,
            FormPlan::Make(_) if row.value == OldValue::Unread => ImageValue::Same,
            FormPlan::Make(make) => {
                let name = VALUE;
                let missing = || Unfit {
                    field: name.to_owned(),
                    reason: "there is no value to convert".to_owned(),
                };
                let datum = make.value(&scope, name)?.ok_or_else(missing)?;
                ImageValue::Datum(RowDatum::Datum(datum))
            }
        };
        Ok(Image { keyspace: moved.to, fields: made, value })
    }

    /// Computes the key of the new structure of an old one, without a member and a score.
    ///
    /// # Errors
    /// [`Unfit`] if a value is not in the domain of its new field.
    pub fn structure_key(&self, moved: &Moved, key: &Record) -> Result<Record, Unfit> {
        let mut made = Record::default();
        let is_of_key = |name: &str| name != MEMBER && name != SCORE;
        for (name, make) in moved.fields.iter().filter(|(name, _)| is_of_key(name)) {
            if let Some(datum) = make.value(key, name)? {
                made.set(name.clone(), datum);
            }
        }
        Ok(made)
    }

    /// Encodes the parts that identify a new row.
    pub(super) fn new_identity(&self, to: KeyspaceId, made: &Record) -> Result<Vec<u8>, Unfit> {
        identity(&self.new_type(to).identity, made)
    }

    /// Encodes the parts that identify an old row.
    pub(super) fn old_identity(&self, from: KeyspaceId, row: &Record) -> Result<Vec<u8>, Unfit> {
        identity(&self.old_type(from).identity, row)
    }

    /// Returns the old row with these fields, if a piece applies to it.
    pub(super) fn row_of(&self, piece: &Piece, fields: Record) -> Option<Row> {
        let key = self.old_identity(piece.from, &fields).ok()?;
        let is_own = std::ptr::eq(self.piece_of(piece.from, &fields)?, piece);
        is_own.then_some(Row { key, keyspace: piece.from, fields })
    }

    /// Returns the new key of an old row.
    pub(super) fn new_key(&self, moved: &Moved, row: &Row) -> Option<Vec<u8>> {
        let image = self.image(moved, &OldRow::unread(row.keyspace, row.fields.clone())).ok()?;
        self.new_identity(image.keyspace, &image.fields).ok()
    }
}

impl OldRow {
    /// Creates a row whose value is not needed.
    pub(super) const fn unread(keyspace: KeyspaceId, fields: Record) -> Self {
        Self { keyspace, fields, value: OldValue::Unread }
    }
}

impl From<EncodeError> for Unfit {
    fn from(error: EncodeError) -> Self {
        Self { field: error.field().to_owned(), reason: error.to_string() }
    }
}

fn identity(segments: &[Segment], row: &Record) -> Result<Vec<u8>, Unfit> {
    let has_field = |name: &str| fields(segments).iter().any(|field| field.name == name);
    let mut record = row.clone();
    record.0.retain(|(name, _)| name != SCORE && name != VALUE || has_field(name));
    let mut bytes = Vec::new();
    encode_segments(segments, &record, &mut bytes)?;
    Ok(bytes)
}

/// The name of a member of a structure.
pub(super) const MEMBER: &str = "member";
/// The name of a score of a structure.
pub(super) const SCORE: &str = "score";
/// The name of the value of a row.
pub(super) const VALUE: &str = "value";

/// The types of the parts of a keyspace's rows, which a migration can name.
#[derive(Clone, Debug, Default)]
pub(super) struct RowType {
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

impl RowType {
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

    /// Returns the row types of all keyspaces of a layout.
    pub(super) fn all(layout: &Layout) -> Vec<Self> {
        layout.keyspace_ids().map(|id| Self::new(layout, id)).collect()
    }

    pub(super) fn at(types: &[Self], id: KeyspaceId) -> &Self {
        static NONE: RowType =
            RowType { identity: Vec::new(), score: None, value: None, reads: None };
        types.get(id.0 as usize).unwrap_or(&NONE)
    }

    /// Returns the names and types of the fields and of the score.
    pub(super) fn slots(&self) -> Vec<Slot<'_>> {
        let fields = fields_with_presence(&self.identity).map(|(field, is_optional)| {
            let Field { name, ty, .. } = field;
            Slot { name, ty, is_optional }
        });
        let score = self.score.iter().map(|ty| Slot { name: SCORE, ty, is_optional: false });
        fields.chain(score).collect()
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

/// Yields the fields of segments, and whether each is in an optional part.
pub(super) fn fields_with_presence(segments: &[Segment]) -> impl Iterator<Item = (&Field, bool)> {
    segments.iter().flat_map(|segment| {
        let is_optional = matches!(segment, Segment::Option(_));
        let fields = fields(std::slice::from_ref(segment)).into_iter();
        fields.map(move |field| (field, is_optional))
    })
}

/// A named part of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'a> {
    pub(super) name: &'a str,
    pub(super) ty: &'a Arc<Type>,
    /// Whether rows may lack it.
    pub(super) is_optional: bool,
}
