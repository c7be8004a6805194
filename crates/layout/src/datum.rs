//! Values of fields, in readings and inputs.

use crate::model::{Segment, Type};
use keyscape_codec::Value;

/// A value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// A value of a codec.
    Leaf(Value),
    /// A text of an enum.
    Name(String),
    /// The fields of a composite.
    Record(Record),
    /// An arm of a variant, with its fields.
    Arm(String, Record),
    /// The elements of a list.
    List(Vec<Datum>),
}

/// Fields with their values, in the order of the key. Absent fields are omitted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record(pub Vec<(String, Datum)>);

impl Record {
    /// Returns the value of a field.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Datum> {
        self.0.iter().find(|(name, _)| name == field).map(|(_, datum)| datum)
    }

    /// Returns the value of a field inside composites: `["outpoint", "txid"]`.
    #[must_use]
    pub fn get_path(&self, path: &[impl AsRef<str>]) -> Option<&Datum> {
        let (first, rest) = path.split_first()?;
        let datum = self.get(first.as_ref())?;
        match datum {
            _ if rest.is_empty() => Some(datum),
            Datum::Record(record) => record.get_path(rest),
            _ => None,
        }
    }

    /// Sets the value of a field.
    pub fn set(&mut self, field: impl Into<String>, datum: Datum) {
        let field = field.into();
        match self.0.iter_mut().find(|(name, _)| *name == field) {
            Some((_, old)) => *old = datum,
            None => self.0.push((field, datum)),
        }
    }

    /// Sets the value of a field inside composites. Adds the composites that are missing, and
    /// replaces a value on the path that is not a composite.
    pub fn set_path(&mut self, path: &[impl AsRef<str>], datum: Datum) {
        let Some((first, rest)) = path.split_first() else { return };
        if rest.is_empty() {
            return self.set(first.as_ref(), datum);
        }
        let mut inner = match self.get(first.as_ref()) {
            Some(Datum::Record(inner)) => inner.clone(),
            _ => Self::default(),
        };
        inner.set_path(rest, datum);
        self.set(first.as_ref(), Datum::Record(inner));
    }

    /// Returns the fields at some paths, without those that are absent.
    #[must_use]
    pub fn select<S: AsRef<str>>(&self, paths: impl IntoIterator<Item: AsRef<[S]>>) -> Self {
        let mut found = Self::default();
        for path in paths {
            if let Some(datum) = self.get_path(path.as_ref()) {
                found.set_path(path.as_ref(), datum.clone());
            }
        }
        found
    }
}

/// Compares two values of a type in logical order.
#[must_use]
pub fn compare(ty: &Type, a: &Datum, b: &Datum) -> std::cmp::Ordering {
    use std::cmp::Ordering::Equal;
    match (ty, a, b) {
        (Type::Leaf(leaf), Datum::Leaf(a), Datum::Leaf(b)) => leaf.codec.compare(a, b),
        (Type::Enum(of), Datum::Name(a), Datum::Name(b)) => {
            let index = |text: &String| of.texts.iter().position(|t| t == text);
            index(a).cmp(&index(b))
        }
        (Type::List(list), Datum::List(a), Datum::List(b)) => {
            let pairs = a.iter().zip(b);
            let order = pairs.map(|(a, b)| compare(&list.element, a, b)).find(|o| *o != Equal);
            order.unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Type::Composite(segments), Datum::Record(a), Datum::Record(b)) => {
            compare_records(segments, a, b)
        }
        (Type::Variant(arms), Datum::Arm(a, inner_a), Datum::Arm(b, inner_b)) => {
            let index = |name: &String| arms.iter().position(|arm| arm.name == *name);
            index(a).cmp(&index(b)).then_with(|| {
                let arm = index(a).and_then(|index| arms.get(index));
                arm.map_or(Equal, |arm| compare_records(&arm.segments, inner_a, inner_b))
            })
        }
        _ => Equal,
    }
}

/// Compares two records in logical order: field by field, absent before present.
#[must_use]
pub fn compare_records(segments: &[Segment], a: &Record, b: &Record) -> std::cmp::Ordering {
    use std::cmp::Ordering::Equal;
    for segment in segments {
        let order = match segment {
            Segment::Literal(_) | Segment::Derived(_) => Equal,
            Segment::Field(field) => match (a.get(&field.name), b.get(&field.name)) {
                (Some(a), Some(b)) => compare(&field.ty, a, b),
                _ => Equal,
            },
            Segment::Option(option) => {
                let present = |record: &Record| is_present(&option.segments, record);
                match (present(a), present(b)) {
                    (true, true) => compare_records(&option.segments, a, b),
                    (a, b) => a.cmp(&b),
                }
            }
        };
        if order != Equal {
            return order;
        }
    }
    Equal
}

/// Whether a record has a field that is directly in the segments of an option.
#[must_use]
pub fn is_present(segments: &[Segment], record: &Record) -> bool {
    segments.iter().any(|segment| match segment {
        Segment::Field(field) => record.get(&field.name).is_some(),
        Segment::Literal(_) | Segment::Option(_) | Segment::Derived(_) => false,
    })
}
