//! Fields of an index that come from the values of its map.

use super::{Field, Leaf, RowValue, Type, direct_field, field};
use std::fmt;

/// `from value`, `from value optional due`, `from value each tags`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromValue {
    /// The number of values that the value of a row has for the field.
    pub take: Take,
    /// The path to the field in the value. Without one, the field is the part of the value with
    /// the same name, or only the program can take it.
    pub path: Vec<PathPart>,
}

/// The number of values that a row has for a field of an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Take {
    /// Exactly one. Each row has an entry.
    #[default]
    One,
    /// One or none. A row without the value has no entry.
    Optional,
    /// Any number. A row has one entry for each distinct value.
    Each,
}

/// A step of a path into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathPart {
    /// A part of a described value, or a member of a JSON object.
    Name(String),
    /// The number of a field of a protobuf message.
    Number(u32),
}

/// The highest number of a field of a protobuf message.
pub const MAX_FIELD_NUMBER: u32 = (1 << 29) - 1;

/// The source of a field of an index, if the layout describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource<'a> {
    /// The value itself, or its elements.
    Whole,
    /// The part of the value with this name, or its elements.
    Part(&'a str),
    /// A path of names into JSON.
    Json(&'a [PathPart]),
    /// A path of field numbers into a protobuf message.
    Proto(&'a [PathPart]),
}

impl Take {
    /// Returns the keyword, or an empty text for exactly one value.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::One => "",
            Self::Optional => "optional",
            Self::Each => "each",
        }
    }
}

impl fmt::Display for FromValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("from value")?;
        if self.take != Take::One {
            write!(f, " {}", self.take.word())?;
        }
        for (index, part) in self.path.iter().enumerate() {
            write!(f, "{}{part}", if index == 0 { " " } else { "." })?;
        }
        Ok(())
    }
}

impl fmt::Display for PathPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) if is_plain(name) => f.write_str(name),
            Self::Name(name) => write!(f, "{name:?}"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// Whether a name of a path needs no quotes.
fn is_plain(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_word)
        && name.starts_with(|first: char| !first.is_ascii_digit())
        && !matches!(name, "each" | "optional")
}

impl Field {
    /// Whether an index takes the field from the map's value.
    #[must_use]
    pub const fn is_from_value(&self) -> bool {
        self.from_value.is_some()
    }

    /// Returns the source of the field in a value of its map. `None` if only the program can take
    /// it, or if the field does not come from the value.
    #[must_use]
    pub fn value_source<'a>(&'a self, value: Option<&RowValue>) -> Option<ValueSource<'a>> {
        let FromValue { take, path } = self.from_value.as_ref()?;
        let is_path_of =
            |is_step: fn(&PathPart) -> bool| !path.is_empty() && path.iter().all(is_step);
        match value? {
            RowValue::Json(_) => is_path_of(|part| matches!(part, PathPart::Name(_)))
                .then_some(ValueSource::Json(path)),
            RowValue::Proto(_) => is_path_of(|part| matches!(part, PathPart::Number(_)))
                .then_some(ValueSource::Proto(path)),
            RowValue::Typed(typed) => {
                let Type::Composite(segments) = &*typed.ty else {
                    let is_value = path.is_empty()
                        && *take != Take::Optional
                        && has_values(&typed.ty, *take, &self.declared);
                    return is_value.then_some(ValueSource::Whole);
                };
                let name = match &path[..] {
                    [] => &self.name,
                    [PathPart::Name(name)] => name,
                    _ => return None,
                };
                let part = field(segments, name)?;
                let is_required = direct_field(segments, name).is_some();
                (is_required == (*take != Take::Optional)
                    && has_values(&part.declared, *take, &self.declared))
                .then_some(ValueSource::Part(name))
            }
            RowValue::Empty | RowValue::Const(_) | RowValue::Own(_) => None,
        }
    }
}

/// Whether a part of a value, or each of its elements, has the values of a field.
fn has_values(part: &Type, take: Take, field: &Type) -> bool {
    match (part, take) {
        (Type::List(list), Take::Each) => same_values(&list.element, field),
        (_, Take::Each) => false,
        (part, Take::One | Take::Optional) => same_values(part, field),
    }
}

/// Whether two types have the same values: the same codec, or integers of any width.
fn same_values(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Leaf(a), Type::Leaf(b)) => {
            let is_integer = |leaf: &Leaf| leaf.codec.describe().int_type().is_some();
            a.codec.describe() == b.codec.describe() || (is_integer(a) && is_integer(b))
        }
        (Type::Enum(a), Type::Enum(b)) => a == b,
        _ => false,
    }
}
