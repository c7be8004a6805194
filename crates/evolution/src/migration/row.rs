//! Rows, the types of their parts, and their images.

use super::{
    FormPlan, Migration, Moved, Piece,
    make::{MadeField, Make, PartPath},
};
use keyscape_layout::{
    EncodeError, Layout, Record, RowDatum, Span, encode_segments, encode_type, field, fields,
    guard::Guard,
    model::{Field, KeyspaceId, RowValue, Segment, Type},
};
use std::sync::Arc;

/// A row of the old layout.
#[derive(Clone, Debug, PartialEq)]
pub struct OldRow {
    /// The keyspace. For a field of a hash, the keyspace of the field.
    pub keyspace: KeyspaceId,
    /// The fields of the key. A field of a hash includes the fields of the hash. A structure adds
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
    /// A value that is not read, because only the key is computed.
    Unread,
}

/// The new row of an old one.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// The new keyspace. For a field of a hash, the keyspace of the field.
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

impl Unfit {
    pub(super) fn new(field: &str, reason: &str) -> Self {
        Self { field: field.to_owned(), reason: format!("field `{field}`: {reason}") }
    }
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

    /// Returns the pieces that may select members of a structure, in the order in which they apply.
    /// They apply to a record that the structure has once for all members, such as the counter of a
    /// queue's tokens.
    #[must_use]
    pub fn pieces_of_structure(&self, keyspace: KeyspaceId, key: &Record) -> Vec<&Piece> {
        let scope = &self.old_type(keyspace).identity;
        let mut found = Vec::new();
        for piece in self.pieces_of(keyspace) {
            let guard = piece.condition.as_ref();
            if !guard.is_none_or(|guard| may_hold(guard, scope, key)) {
                continue;
            }
            found.push(piece);
            // Without a member, only a condition on the key holds. The piece then selects all
            // members.
            if guard.is_none_or(|guard| guard.holds(scope, key)) {
                break;
            }
        }
        found
    }

    /// Computes the new row of an old row that a piece moves.
    ///
    /// # Errors
    /// [`Unfit`] if a value is not in the domain of its new field.
    pub fn image(&self, moved: &Moved, row: &OldRow) -> Result<Image, Unfit> {
        self.image_with(moved, row, None)
    }

    /// Computes the new row of an old row. `by_program` contains the row that the program made.
    /// Only fields with `program()` in the declaration are taken from it.
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
        for MadeField { name, make, .. } in &moved.fields {
            let datum = match (make, by_program) {
                (Make::Program, Some(fields)) => fields.get(name).cloned(),
                _ => make.value(&scope, name)?,
            };
            if let Some(datum) = datum {
                made.set(name.clone(), datum);
            }
        }
        // Check that the fields can be encoded as a key.
        self.new_identity(moved.to, &made)?;
        let new = self.new_type(moved.to);
        if let (Some(ty), Some(_)) = (&new.score, row.fields.get(SCORE)) {
            let score = made.get(SCORE).ok_or_else(|| Unfit::new(SCORE, "it has no value"))?;
            encode_type(ty, SCORE, score, &mut Vec::new())?;
        }
        let plan = match &row.value {
            OldValue::Reads(_) => &moved.value.reads,
            OldValue::Declared(_) | OldValue::Unread => &moved.value.declared,
        };
        let value = match plan {
            FormPlan::Keep => ImageValue::Same,
            FormPlan::Fixed => ImageValue::Datum(RowDatum::Nothing),
            FormPlan::Unfit => {
                return Err(Unfit::new(VALUE, "values of the older form cannot be converted"));
            }
            FormPlan::Make(Make::Program) => ImageValue::Program,
            FormPlan::Make(_) if row.value == OldValue::Unread => ImageValue::Same,
            FormPlan::Make(make) => {
                let missing = || Unfit::new(VALUE, "it has no value");
                let datum = make.value(&scope, VALUE)?.ok_or_else(missing)?;
                if let Some(ty) = &new.value {
                    encode_type(ty, VALUE, &datum, &mut Vec::new())?;
                }
                ImageValue::Datum(RowDatum::Datum(datum))
            }
        };
        Ok(Image { keyspace: moved.to, fields: made, value })
    }

    /// Computes the key of the new structure of an old one, without a member and a score. Returns
    /// `None` if the key does not fit, because the new layout then has no such structure.
    ///
    /// # Errors
    /// [`Unfit`] if a field of the new key is made from members or scores.
    pub fn structure_key(&self, moved: &Moved, key: &Record) -> Result<Option<Record>, Unfit> {
        let of_key =
            || moved.fields.iter().filter(|field| ![MEMBER, SCORE].contains(&&*field.name));
        let is_of_member = |path: &PartPath| {
            path.first().is_some_and(|root| [MEMBER, SCORE].contains(&root.as_str()))
        };
        if let Some(field) = of_key().find(|field| field.make.sources().iter().any(is_of_member)) {
            return Err(Unfit::new(&field.name, "it is made from members"));
        }
        let mut made = Record::default();
        for MadeField { name, make, .. } in of_key() {
            match make.value(key, name) {
                Ok(Some(datum)) => made.set(name.clone(), datum),
                Ok(None) => {}
                Err(_) => return Ok(None),
            }
        }
        let segments = &self.new.keyspace(moved.to).key;
        let fits = encode_segments(segments, &made, &mut Vec::new()).is_ok();
        Ok(fits.then_some(made))
    }

    /// Encodes the parts that identify a new row.
    pub(super) fn new_identity(&self, to: KeyspaceId, row: &Record) -> Result<Vec<u8>, Unfit> {
        identity(&self.new_type(to).identity, row)
    }

    /// Encodes the parts that identify an old row.
    pub(super) fn old_identity(&self, from: KeyspaceId, row: &Record) -> Result<Vec<u8>, Unfit> {
        identity(&self.old_type(from).identity, row)
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
        Self { field: error.field.clone(), reason: error.to_string() }
    }
}

/// Whether a condition holds for some member of the structure with this key.
fn may_hold(guard: &Guard, scope: &[Segment], key: &Record) -> bool {
    match guard {
        Guard::Is { field, .. } | Guard::In { field, .. } => {
            field == MEMBER || guard.holds(scope, key)
        }
        Guard::All(parts) => parts.iter().all(|part| may_hold(part, scope, key)),
        Guard::Any(parts) => parts.iter().any(|part| may_hold(part, scope, key)),
    }
}

fn identity(segments: &[Segment], row: &Record) -> Result<Vec<u8>, Unfit> {
    let mut record = row.clone();
    record.0.retain(|(name, _)| name != SCORE && name != VALUE || field(segments, name).is_some());
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
    /// The parts that identify a row: the key. A field of a hash adds its fields to the key of the
    /// hash. A structure with members adds the field `member` to the key.
    pub(super) identity: Vec<Segment>,
    /// The identity, and the field `score` if rows have a score.
    pub(super) parts: Vec<Segment>,
    /// The type of the score.
    pub(super) score: Option<Arc<Type>>,
    /// The type of the value, if the layout defines it.
    pub(super) value: Option<Arc<Type>>,
    /// The type of the value in the older form.
    pub(super) reads: Option<Arc<Type>>,
}

impl RowType {
    fn new(layout: &Layout, id: KeyspaceId) -> Self {
        let keyspace = layout.keyspace(id);
        let field = |name: &str, ty: &Arc<Type>| {
            Segment::Field(Field::new(name, Arc::clone(ty), Span::default()))
        };
        let hash = keyspace.hash.map(|hash| layout.keyspace(hash).key.as_slice());
        let mut identity = [hash.unwrap_or_default(), &keyspace.key].concat();
        identity.extend(keyspace.member.as_ref().map(|member| field(MEMBER, member)));
        let mut parts = identity.clone();
        parts.extend(keyspace.score.as_ref().map(|score| field(SCORE, score)));
        let typed = |form: &Option<RowValue>| match form {
            Some(RowValue::Typed(typed)) => Some(Arc::clone(&typed.ty)),
            _ => None,
        };
        let (value, reads) = (typed(&keyspace.value), typed(&keyspace.reads));
        Self { identity, parts, score: keyspace.score.clone(), value, reads }
    }

    /// Returns the row types of all keyspaces of a layout.
    pub(super) fn all(layout: &Layout) -> Vec<Self> {
        layout.keyspace_ids().map(|id| Self::new(layout, id)).collect()
    }

    /// Returns the type of a part, by the names of its path. A step into a variant names the arm.
    pub(super) fn type_at(&self, path: &[impl AsRef<str>]) -> Option<Arc<Type>> {
        let (first, rest) = path.split_first()?;
        let ty = match field(&self.parts, first.as_ref()) {
            Some(field) => &field.ty,
            None if first.as_ref() == VALUE => self.value.as_ref()?,
            None => return None,
        };
        ty.type_at(rest).cloned()
    }

    /// Whether the key has a field of this name. `score` and `value` may be names of fields.
    pub(super) fn is_in_key(&self, name: &str) -> bool {
        let is_score = name == SCORE && self.score.is_some();
        !is_score && field(&self.identity, name).is_some()
    }

    /// Returns a name that two parts share: a field of the key can have the same name as a member,
    /// a score or a field of its hash.
    pub(super) fn repeated_name(&self) -> Option<&str> {
        let names: Vec<&str> =
            fields(&self.parts).iter().map(|field| field.name.as_str()).collect();
        (1..names.len()).find(|&at| names[..at].contains(&names[at])).map(|at| names[at])
    }

    /// Returns the names that a path can begin with.
    pub(super) fn names(&self) -> Vec<&str> {
        let fields = fields(&self.parts).into_iter().map(|field| field.name.as_str());
        fields.chain(self.value.as_ref().map(|_| VALUE)).collect()
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
