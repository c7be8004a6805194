//! Makes new rows from the bytes of old ones, part by part.
//!
//! [`Migration::image`] makes the new row of any old row from the values of its fields. Most moves
//! keep the order and the codecs of most fields. For such moves, a [`Recipe`] makes the same rows
//! and copies the bytes of fields that keep their codec.

use super::{
    Action, FormPlan, Migration, Moved,
    convert::Convert,
    make::{How, MadeField, Make},
    row::VALUE,
};
use keyscape_automata::Budget;
use keyscape_codec::Codec;
use keyscape_layout::{
    Layout, ValueReader, derived_places, encode_type, encode_value,
    model::{Field, Keyspace, KeyspaceId, RowValue, Segment, Type},
};
use std::{ops::Range, sync::Arc};

/// The treatment of a row whose key has one reading, if the treatment does not depend on the values
/// of the fields.
#[derive(Debug)]
pub enum Treatment<'m> {
    /// The row keeps its bytes.
    Keep {
        /// Whether the row is an entry of an index.
        is_derived: bool,
    },
    /// The declaration drops the row.
    Drop,
    /// The row is an entry of an index that will be rebuilt.
    Derive,
    /// The row gets a key of a new keyspace.
    Make(Recipe<'m>),
}

/// The steps that make a new row from the bytes of an old one.
#[derive(Debug)]
pub struct Recipe<'m> {
    /// The new keyspace.
    pub to: KeyspaceId,
    key: Vec<Step>,
    value: NewValue<'m>,
}

#[derive(Debug)]
enum Step {
    /// Appends constant bytes.
    Bytes(Vec<u8>),
    /// Appends the bytes of an old leaf.
    Copy { leaf: usize },
    /// Appends the value of an old leaf with another codec.
    Encode { leaf: usize, from: Arc<dyn Codec>, to: Arc<dyn Codec> },
}

#[derive(Debug)]
enum NewValue<'m> {
    /// The bytes stay.
    Same,
    /// The value stays, and its form changes.
    Encoded { reader: ValueReader, form: Option<&'m RowValue> },
}

impl Migration<'_> {
    /// Returns the treatment of all rows of an old keyspace in a store without structures. Returns
    /// `None` if the treatment depends on the values of fields.
    #[must_use]
    pub fn treatment(&self, from: KeyspaceId) -> Option<Treatment<'_>> {
        let piece = self.pieces_of(from).next()?;
        let has_digests = !derived_places(&self.old.keyspace(from).key).is_empty();
        if piece.condition.is_some() || has_digests {
            return None;
        }
        Some(match &piece.action {
            Action::Drop { .. } => Treatment::Drop,
            Action::Derive { kept: Some(_) } => Treatment::Keep { is_derived: true },
            Action::Derive { kept: None } => Treatment::Derive,
            Action::Move(moved) if moved.is_identical => Treatment::Keep { is_derived: false },
            Action::Move(moved) => Treatment::Make(self.recipe(from, moved)?),
        })
    }

    fn recipe(&self, from: KeyspaceId, moved: &Moved) -> Option<Recipe<'_>> {
        let (old, new) = (self.old.keyspace(from), self.new.keyspace(moved.to));
        let is_row =
            |layout: &Layout, keyspace: &Keyspace| !layout.store(keyspace.store).structures;
        if !is_row(self.old, old) || !is_row(self.new, new) {
            return None;
        }
        let mut leaves: Vec<&str> = Vec::new();
        for segment in &old.key {
            match segment {
                Segment::Literal(_) => {}
                Segment::Field(field) if is_leaf(&field.ty) => leaves.push(&field.name),
                _ => return None,
            }
        }
        let step = |segment: &Segment| match segment {
            Segment::Literal(literal) => Some(Step::Bytes(literal.bytes.clone())),
            Segment::Field(field) => {
                step_of(MadeField::find(&moved.fields, &field.name)?, &leaves, field)
            }
            Segment::Derived(_) | Segment::Option(_) => None,
        };
        let key = new.key.iter().map(step).collect::<Option<_>>()?;
        Some(Recipe { to: moved.to, key, value: new_value(moved, old, new)? })
    }
}

fn is_leaf(ty: &Type) -> bool {
    matches!(ty, Type::Leaf(_) | Type::Enum(_))
}

fn step_of(make: &Make, leaves: &[&str], field: &Field) -> Option<Step> {
    match make {
        Make::From { path, from, to, how: How::Whole(Convert::Value) } => {
            let [name] = path.as_slice() else { return None };
            let leaf = leaves.iter().position(|leaf| leaf == name)?;
            match (&**from, &**to) {
                _ if from.is_same(to) => Some(Step::Copy { leaf }),
                (Type::Leaf(from), Type::Leaf(to)) => {
                    let (from, to) = (Arc::clone(&from.codec), Arc::clone(&to.codec));
                    Some(Step::Encode { leaf, from, to })
                }
                _ => None,
            }
        }
        Make::Constant(datum) => {
            let mut bytes = Vec::new();
            encode_type(&field.ty, &field.name, datum, &mut bytes).ok()?;
            Some(Step::Bytes(bytes))
        }
        _ => None,
    }
}

fn new_value<'m>(moved: &Moved, old: &Keyspace, new: &'m Keyspace) -> Option<NewValue<'m>> {
    match (&moved.value.declared, &moved.value.reads) {
        (FormPlan::Keep, FormPlan::Keep) if moved.keeps_value => Some(NewValue::Same),
        (FormPlan::Make(Make::From { path, from, to, how: How::Whole(Convert::Value) }), _)
            if path == &[VALUE] && old.reads.is_none() && is_leaf(from) && is_leaf(to) =>
        {
            let reader = ValueReader::new(old.value.as_ref(), Budget::default()).ok()?;
            Some(NewValue::Encoded { reader, form: new.value.as_ref() })
        }
        _ => None,
    }
}

impl Recipe<'_> {
    /// Appends the new key and the new value of a row. `leaves` contains the bytes of each field of
    /// the old key. Returns `None` if a value does not fit; ignore the appended bytes then, and
    /// call [`Migration::image`] for the reason.
    #[must_use]
    pub fn make(
        &self,
        (key, leaves): (&[u8], &[Range<usize>]),
        value: &[u8],
        (new_key, new_value): (&mut Vec<u8>, &mut Vec<u8>),
    ) -> Option<()> {
        let bytes_of = |leaf: usize| key.get(leaves.get(leaf)?.clone());
        for step in &self.key {
            match step {
                Step::Bytes(bytes) => new_key.extend_from_slice(bytes),
                Step::Copy { leaf } => new_key.extend_from_slice(bytes_of(*leaf)?),
                Step::Encode { leaf, from, to } => {
                    let value = from.decode(bytes_of(*leaf)?).ok()?;
                    to.encode(&value, new_key).ok()?;
                }
            }
        }
        match &self.value {
            NewValue::Same => new_value.extend_from_slice(value),
            NewValue::Encoded { reader, form } => {
                let datum = reader.read(value).ok()?;
                encode_value(*form, &datum, new_value).ok()?;
            }
        }
        Some(())
    }
}
