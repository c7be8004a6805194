//! Values of new fields, made from old rows.

use super::{
    convert::Convert,
    row::{Unfit, fields_with_presence},
};
use crate::correspondence::{ELEMENT, Fields, is_unchanged};
use keyscape_layout::{
    Datum, Record, direct_field, encode_type, fields,
    model::{OptionSegment, Segment, Type},
};
use std::sync::Arc;

/// The names of a part of a record; a step into a variant names the arm.
pub(super) type PartPath = Vec<String>;

/// Returns the path of a part of a part.
pub(super) fn child(path: &[String], name: &str) -> PartPath {
    [path, &[name.to_owned()]].concat()
}

/// A rule that makes a value from the fields of a record.
#[derive(Clone, Debug)]
pub(super) enum Make {
    /// Converts one old value.
    From { path: PartPath, from: Arc<Type>, to: Arc<Type>, how: How },
    /// Makes the same value for every row.
    Constant(Datum),
    /// Makes a composite from fields of the whole record.
    Composite(Parts),
    /// Makes an arm from fields of the whole record.
    Arm { arm: String, parts: Parts },
    /// Calls a function of the program.
    Program,
}

/// The conversion of one value to another.
#[derive(Clone, Debug)]
pub(super) enum How {
    /// Converts the value as a whole.
    Whole(Convert),
    /// Converts a composite field by field.
    Fields(Parts),
    /// Converts to the arm of the same name, field by field.
    Arms(Vec<(String, Parts)>),
    /// Converts a list element by element. The scope of each element is a record with the field
    /// [`ELEMENT`].
    Elements(Box<Make>),
}

/// The rule for a field of a key, a composite or an arm.
#[derive(Clone, Debug)]
pub(super) struct MadeField {
    pub(super) name: String,
    /// Whether the field is in an optional part.
    pub(super) is_optional: bool,
    pub(super) make: Make,
}

impl MadeField {
    /// Returns the rule for a field.
    pub(super) fn find<'f>(fields: &'f [Self], name: &str) -> Option<&'f Make> {
        fields.iter().find(|field| field.name == name).map(|field| &field.make)
    }

    /// Makes the fields. `outer` is the name of the new field around them.
    fn record(fields: &[Self], scope: &Record, outer: &str) -> Result<Record, Unfit> {
        let mut made = Record::default();
        for Self { name, make, .. } in fields {
            if let Some(datum) = make.value(scope, &format!("{outer}.{name}"))? {
                made.set(name.clone(), datum);
            }
        }
        Ok(made)
    }
}

/// The rules for the parts of a composite or of an arm.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The fields that are made. Other fields are absent.
    pub(super) fields: Vec<MadeField>,
    /// Whether every record has the required fields, and optional parts are present or absent as a
    /// whole.
    pub(super) is_complete: bool,
}

/// The reason why a value of one type cannot be made from a value of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mismatch {
    /// The values have different kinds.
    Kind,
    /// The types have different shapes.
    Shape,
    /// A part of the new type has no counterpart.
    Missing(String),
}

impl Make {
    /// Returns the rule that keeps values of one type in another: the same values in corresponding
    /// parts.
    pub(super) fn same(path: PartPath, from: &Arc<Type>, to: &Arc<Type>) -> Result<Self, Mismatch> {
        let how = match (&**from, &**to) {
            (Type::Leaf(a), Type::Leaf(b)) if a.codec.kind() != b.codec.kind() => {
                return Err(Mismatch::Kind);
            }
            (Type::Leaf(_), Type::Leaf(_)) | (Type::Enum(_), Type::Enum(_)) => {
                How::Whole(Convert::Value)
            }
            (Type::Composite(a), Type::Composite(b)) => {
                How::Fields(same_parts(a, b, is_unchanged(from, to))?)
            }
            (Type::Variant(olds), Type::Variant(news)) => {
                let is_unchanged = is_unchanged(from, to);
                let mut arms = Vec::new();
                for old in olds {
                    let Some(new) = news.iter().find(|new| new.name == old.name) else { continue };
                    let parts = same_parts(&old.segments, &new.segments, is_unchanged)?;
                    arms.push((old.name.clone(), parts));
                }
                How::Arms(arms)
            }
            (Type::List(a), Type::List(b)) => {
                let element = Self::same(vec![ELEMENT.to_owned()], &a.element, &b.element)?;
                How::Elements(Box::new(element))
            }
            _ => return Err(Mismatch::Shape),
        };
        Ok(Self::From { path, from: Arc::clone(from), to: Arc::clone(to), how })
    }

    /// Returns the old parts that the value is made from.
    pub(super) fn sources(&self) -> Vec<PartPath> {
        match self {
            Self::From { path, .. } => vec![path.clone()],
            Self::Constant(_) | Self::Program => Vec::new(),
            Self::Composite(parts) | Self::Arm { parts, .. } => {
                parts.fields.iter().flat_map(|field| field.make.sources()).collect()
            }
        }
    }

    /// Makes the value. Returns `None` if the parts that it is made from are absent. `name` is the
    /// new field.
    pub(super) fn value(&self, scope: &Record, name: &str) -> Result<Option<Datum>, Unfit> {
        Ok(Some(match self {
            Self::From { path, from, to, how } => {
                return match part(scope, path) {
                    Some(datum) => how.convert(from, to, datum, name),
                    None => Ok(None),
                };
            }
            Self::Constant(datum) => datum.clone(),
            Self::Composite(parts) => Datum::Record(MadeField::record(&parts.fields, scope, name)?),
            Self::Arm { arm, parts } => {
                Datum::Arm(arm.clone(), MadeField::record(&parts.fields, scope, name)?)
            }
            Self::Program => return Err(Unfit::new(name, "only the program makes it")),
        }))
    }
}

impl How {
    fn convert(
        &self,
        from: &Type,
        to: &Type,
        datum: &Datum,
        name: &str,
    ) -> Result<Option<Datum>, Unfit> {
        Ok(Some(match (self, datum) {
            (Self::Whole(convert), datum) => {
                let made = convert.apply(from, to, datum);
                let made = made.ok_or_else(|| Unfit::new(name, "the value cannot be converted"))?;
                encode_type(to, name, &made, &mut Vec::new())?;
                made
            }
            (Self::Fields(parts), Datum::Record(inner)) => {
                Datum::Record(MadeField::record(&parts.fields, inner, name)?)
            }
            (Self::Arms(arms), Datum::Arm(arm, inner)) => {
                let Some((_, parts)) = arms.iter().find(|(name, _)| name == arm) else {
                    return Err(Unfit::new(name, &format!("there is no arm `{arm}`")));
                };
                Datum::Arm(arm.clone(), MadeField::record(&parts.fields, inner, name)?)
            }
            (Self::Elements(element), Datum::List(elements)) => {
                let mut list = Vec::new();
                for datum in elements {
                    let scope = Record(vec![(ELEMENT.to_owned(), datum.clone())]);
                    list.extend(element.value(&scope, name)?);
                }
                let count = list.len();
                let is_allowed = matches!(to, Type::List(of)
                    if (of.min as usize..=of.max as usize).contains(&count));
                if !is_allowed {
                    return Err(Unfit::new(name, &format!("{count} elements are not allowed")));
                }
                Datum::List(list)
            }
            _ => return Ok(None),
        }))
    }
}

impl Parts {
    /// Creates the parts of a composite or an arm from values for its fields.
    pub(super) fn new(fields: Vec<MadeField>, segments: &[Segment]) -> Self {
        let is_complete = segments.iter().all(|segment| match segment {
            Segment::Option(option) => is_single(option),
            _ => true,
        });
        Self { fields, is_complete }
    }
}

/// Returns the rules that keep the parts of a composite or an arm in another one. `is_unchanged`
/// means that both types are the same and no part was renamed.
fn same_parts(old: &[Segment], new: &[Segment], is_unchanged: bool) -> Result<Parts, Mismatch> {
    let pairs = Fields::either_way(old, new);
    let mut makes = Vec::new();
    for (field, is_optional) in fields_with_presence(new) {
        let other =
            pairs.old_path(&field.name).and_then(|other| keyscape_layout::field(old, other));
        let name = field.name.clone();
        match other {
            Some(other) => {
                let make = Make::same(vec![other.name.clone()], &other.ty, &field.ty)?;
                makes.push(MadeField { name, is_optional, make });
            }
            None if is_optional => {}
            None => return Err(Mismatch::Missing(name)),
        }
    }
    let is_complete = is_unchanged || is_complete(old, new, &pairs);
    Ok(Parts { fields: makes, is_complete })
}

/// Whether every old record has the required fields of the new one, and either all fields of an
/// optional part or none.
fn is_complete(old: &[Segment], new: &[Segment], pairs: &Fields) -> bool {
    let required = |name: &str| direct_field(old, name).is_some();
    new.iter().all(|segment| match segment {
        Segment::Field(field) => pairs.old_path(&field.name).is_some_and(required),
        Segment::Option(option) => {
            let is_nested = option.segments.iter().any(|s| matches!(s, Segment::Option(_)));
            let inside: Vec<Option<&str>> =
                fields(&option.segments).iter().map(|field| pairs.old_path(&field.name)).collect();
            let is_whole = || {
                inside.iter().all(|name| name.is_none())
                    || inside.iter().all(|name| name.is_some_and(required))
                    || old.iter().any(|segment| has_all(segment, &inside))
            };
            is_single(option) || option.guard.is_none() && !is_nested && is_whole()
        }
        Segment::Literal(_) | Segment::Derived(_) => true,
    })
}

/// Whether an optional part is present exactly if its only field is.
pub(super) fn is_single(option: &OptionSegment) -> bool {
    let is_nested = option.segments.iter().any(|s| matches!(s, Segment::Option(_)));
    option.guard.is_none() && !is_nested && fields(&option.segments).len() == 1
}

/// Whether a segment is an optional part that has all of these fields.
fn has_all(segment: &Segment, names: &[Option<&str>]) -> bool {
    let Segment::Option(option) = segment else { return false };
    names.iter().all(|name| name.is_some_and(|name| direct_field(&option.segments, name).is_some()))
}

/// Returns a part of a record. A step into a variant names the arm; a part of another arm is
/// absent.
pub(super) fn part<'d>(record: &'d Record, path: &[String]) -> Option<&'d Datum> {
    let (first, rest) = path.split_first()?;
    let datum = record.get(first)?;
    match (datum, rest) {
        (_, []) => Some(datum),
        (Datum::Record(inner), rest) => part(inner, rest),
        (Datum::Arm(arm, inner), [name, rest @ ..]) if arm == name => part(inner, rest),
        _ => None,
    }
}

/// Replaces a part of a record. In a list, replaces the part of the first element.
pub(super) fn set_part(record: &mut Record, path: &[String], value: Datum) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    let Some((_, datum)) = record.0.iter_mut().find(|(name, _)| name == first) else {
        if rest.is_empty() {
            record.set(first.clone(), value);
        }
        return rest.is_empty();
    };
    set_in(datum, rest, value)
}

/// Replaces a part of a value, like [`set_part`].
pub(super) fn set_in(datum: &mut Datum, path: &[String], value: Datum) -> bool {
    match (datum, path) {
        (datum, []) => {
            *datum = value;
            true
        }
        (Datum::Record(inner), path) => set_part(inner, path, value),
        (Datum::Arm(arm, inner), [name, rest @ ..]) if arm == name => set_part(inner, rest, value),
        (Datum::List(elements), [name, rest @ ..]) if name == ELEMENT => {
            elements.first_mut().is_some_and(|element| set_in(element, rest, value))
        }
        _ => false,
    }
}

/// A value of an old row that becomes a part of a new one.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The path of the old part, including arms and elements.
    pub(super) source: PartPath,
    /// The new part.
    pub(super) target: PartPath,
    pub(super) from: Arc<Type>,
    pub(super) to: Arc<Type>,
    pub(super) convert: Convert,
}

impl Make {
    /// Lists the old values that this value is made from: leaves and enums, the choices of
    /// variants, and the lengths of lists. A choice or length has the type of its variant or list.
    pub(super) fn flows(&self, name: &str) -> Vec<Flow> {
        let mut flows = Vec::new();
        self.add_flows(&[], &[name.to_owned()], &mut flows);
        flows
    }

    fn add_flows(&self, source: &[String], target: &[String], flows: &mut Vec<Flow>) {
        match self {
            Self::Constant(_) | Self::Program => {}
            Self::Composite(parts) => parts.add_flows(source, target, flows),
            Self::Arm { arm, parts } => parts.add_flows(source, &child(target, arm), flows),
            Self::From { path, from, to, how } => {
                let source = [source, path].concat();
                let flow = |convert| Flow {
                    source: source.clone(),
                    target: target.to_vec(),
                    from: Arc::clone(from),
                    to: Arc::clone(to),
                    convert,
                };
                match how {
                    How::Whole(convert) => flows.push(flow(*convert)),
                    How::Fields(parts) => parts.add_flows(&source, target, flows),
                    How::Arms(arms) => {
                        for (arm, parts) in arms {
                            parts.add_flows(&child(&source, arm), &child(target, arm), flows);
                        }
                        flows.push(flow(Convert::Value));
                    }
                    How::Elements(element) => {
                        flows.push(flow(Convert::Value));
                        element.add_flows(&source, &child(target, ELEMENT), flows);
                    }
                }
            }
        }
    }
}

impl Parts {
    fn add_flows(&self, source: &[String], target: &[String], flows: &mut Vec<Flow>) {
        for MadeField { name, make, .. } in &self.fields {
            make.add_flows(source, &child(target, name), flows);
        }
    }
}
