//! Rows and their images.

use super::{Action, FormPlan, Migration, Moved, Piece, make::Make};
use keyscape_layout::{Record, RowDatum, encode_segments, model::KeyspaceId};

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
    /// A value that is not looked at: only the key is computed.
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
        let scope = &self.old_view(keyspace).identity;
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
            && scope.get(super::view::VALUE).is_none()
        {
            scope.set(super::view::VALUE, datum.clone());
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
        self.check_identity(moved.to, &made)?;
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
                let name = super::view::VALUE;
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
        let is_of_key = |name: &str| name != super::view::MEMBER && name != super::view::SCORE;
        for (name, make) in moved.fields.iter().filter(|(name, _)| is_of_key(name)) {
            if let Some(datum) = make.value(key, name)? {
                made.set(name.clone(), datum);
            }
        }
        Ok(made)
    }

    /// Checks that the fields of a new row are the fields of a key.
    fn check_identity(&self, to: KeyspaceId, made: &Record) -> Result<(), Unfit> {
        self.new_identity(to, made).map(drop)
    }

    /// Encodes the parts that identify a new row.
    pub(super) fn new_identity(&self, to: KeyspaceId, made: &Record) -> Result<Vec<u8>, Unfit> {
        identity(&self.new_view(to).identity, made)
    }

    /// Encodes the parts that identify an old row.
    pub(super) fn old_identity(&self, from: KeyspaceId, row: &Record) -> Result<Vec<u8>, Unfit> {
        identity(&self.old_view(from).identity, row)
    }

    /// Returns the image of a row without its value, if its piece moves it.
    pub(super) fn image_of(
        &self,
        keyspace: KeyspaceId,
        fields: &Record,
    ) -> Option<(&Moved, Result<Image, Unfit>)> {
        let Action::Move(moved) = &self.piece_of(keyspace, fields)?.action else { return None };
        let row = OldRow { keyspace, fields: fields.clone(), value: OldValue::Unread };
        Some((moved, self.image(moved, &row)))
    }
}

fn identity(segments: &[keyscape_layout::model::Segment], row: &Record) -> Result<Vec<u8>, Unfit> {
    let mut record = row.clone();
    record.0.retain(|(name, _)| {
        name != super::view::SCORE && name != super::view::VALUE || has_field(segments, name)
    });
    let mut bytes = Vec::new();
    encode_segments(segments, &record, &mut bytes)
        .map_err(|error| Unfit { field: error.field().to_owned(), reason: error.to_string() })?;
    Ok(bytes)
}

fn has_field(segments: &[keyscape_layout::model::Segment], name: &str) -> bool {
    keyscape_layout::fields(segments).iter().any(|field| field.name == name)
}
