//! How a value of a new field is made from an old row.

use super::{convert::Convert, row::Unfit};
use crate::correspondence::{ELEMENT, Fields};
use keyscape_layout::{
    Datum, Record, encode_type, fields,
    model::{Segment, Type},
};
use std::sync::Arc;

/// The names of a part of a record; a step into a variant names the arm.
pub(super) type PartPath = Vec<String>;

/// How a value is made from the fields of a record.
#[derive(Clone, Debug)]
pub(super) enum Make {
    /// From one value.
    From { path: PartPath, from: Arc<Type>, to: Arc<Type>, convert: Convert },
    /// Always the same.
    Constant { datum: Datum },
    /// A composite from a composite. The fields are made from its own fields.
    Within { path: PartPath, fields: Vec<(String, Make)> },
    /// The arm of the same name. The fields are made from those of the arm.
    Arms { path: PartPath, from: Arc<Type>, arms: Vec<(String, Vec<(String, Make)>)> },
    /// A list of as many elements. Each is made from a record with the field [`ELEMENT`].
    Each { path: PartPath, from: Arc<Type>, to: Arc<Type>, element: Box<Make> },
    /// A composite from fields of the whole record.
    Composite { fields: Vec<(String, Make)> },
    /// An arm from fields of the whole record.
    Arm { arm: String, fields: Vec<(String, Make)> },
}

/// Why a value cannot be made of another.
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
    /// Returns how values of a type become values of another: the same values in corresponding
    /// parts.
    pub(super) fn same(path: PartPath, from: &Arc<Type>, to: &Arc<Type>) -> Result<Self, Mismatch> {
        match (&**from, &**to) {
            (Type::Leaf(a), Type::Leaf(b)) => match a.codec.kind() == b.codec.kind() {
                true => Ok(Self::from(path, from, to, Convert::Value)),
                false => Err(Mismatch::Kind),
            },
            (Type::Enum(_), Type::Enum(_)) => Ok(Self::from(path, from, to, Convert::Value)),
            (Type::Composite(a), Type::Composite(b)) => {
                Ok(Self::Within { path, fields: same_fields(a, b)? })
            }
            (Type::Variant(olds), Type::Variant(news)) => {
                let mut arms = Vec::new();
                for old in olds {
                    let Some(new) = news.iter().find(|new| new.name == old.name) else { continue };
                    arms.push((old.name.clone(), same_fields(&old.segments, &new.segments)?));
                }
                Ok(Self::Arms { path, from: Arc::clone(from), arms })
            }
            (Type::List(a), Type::List(b)) => {
                let element = Self::same(vec![ELEMENT.to_owned()], &a.element, &b.element)?;
                let (from, to) = (Arc::clone(from), Arc::clone(to));
                Ok(Self::Each { path, from, to, element: Box::new(element) })
            }
            _ => Err(Mismatch::Shape),
        }
    }

    pub(super) fn from(path: PartPath, from: &Arc<Type>, to: &Arc<Type>, convert: Convert) -> Self {
        Self::From { path, from: Arc::clone(from), to: Arc::clone(to), convert }
    }

    /// Makes the value; `None` if the parts that it is made of are absent. `name` is the new field.
    pub(super) fn value(&self, scope: &Record, name: &str) -> Result<Option<Datum>, Unfit> {
        let unfit = |reason: &str| Unfit {
            field: name.to_owned(),
            reason: format!("field `{name}`: {reason}"),
        };
        match self {
            Self::From { path, from, to, convert } => {
                let Some(datum) = part(scope, path) else { return Ok(None) };
                let made = convert.apply(from, to, datum);
                let made = made.ok_or_else(|| unfit("the value cannot be converted"))?;
                let fits = encode_type(to, name, &made, &mut Vec::new());
                let fits = fits.map_err(|error| Unfit {
                    field: error.field().to_owned(),
                    reason: error.to_string(),
                });
                fits.map(|()| Some(made))
            }
            Self::Constant { datum } => Ok(Some(datum.clone())),
            Self::Within { path, fields } => match part(scope, path) {
                Some(Datum::Record(inner)) => Ok(Some(Datum::Record(record(fields, inner, name)?))),
                _ => Ok(None),
            },
            Self::Arms { path, arms, .. } => match part(scope, path) {
                Some(Datum::Arm(arm, inner)) => {
                    let Some((_, fields)) = arms.iter().find(|(known, _)| known == arm) else {
                        return Err(unfit(&format!("there is no arm `{arm}`")));
                    };
                    Ok(Some(Datum::Arm(arm.clone(), record(fields, inner, name)?)))
                }
                _ => Ok(None),
            },
            Self::Each { path, to, element, .. } => match part(scope, path) {
                Some(Datum::List(elements)) => {
                    let mut list = Vec::new();
                    for datum in elements {
                        let scope = Record(vec![(ELEMENT.to_owned(), datum.clone())]);
                        list.extend(element.value(&scope, name)?);
                    }
                    let count = list.len() as u64;
                    match &**to {
                        Type::List(of)
                            if (u64::from(of.min)..=u64::from(of.max)).contains(&count) =>
                        {
                            Ok(Some(Datum::List(list)))
                        }
                        _ => Err(unfit(&format!("{count} elements are not allowed"))),
                    }
                }
                _ => Ok(None),
            },
            Self::Composite { fields } => Ok(Some(Datum::Record(record(fields, scope, name)?))),
            Self::Arm { arm, fields } => {
                Ok(Some(Datum::Arm(arm.clone(), record(fields, scope, name)?)))
            }
        }
    }
}

fn record(makes: &[(String, Make)], scope: &Record, outer: &str) -> Result<Record, Unfit> {
    let mut made = Record::default();
    for (name, make) in makes {
        if let Some(datum) = make.value(scope, &format!("{outer}.{name}"))? {
            made.set(name.clone(), datum);
        }
    }
    Ok(made)
}

/// Returns how the fields of a list of segments become those of another.
fn same_fields(old: &[Segment], new: &[Segment]) -> Result<Vec<(String, Make)>, Mismatch> {
    let pairs = Counterparts::new(old, new);
    let mut makes = Vec::new();
    for segment in new {
        for field in fields(std::slice::from_ref(segment)) {
            let Some(other) = pairs.old(&field.name) else {
                match segment {
                    Segment::Option(_) => continue,
                    _ => return Err(Mismatch::Missing(field.name.clone())),
                }
            };
            let olds = fields(old);
            let Some(other) = olds.into_iter().find(|old| old.name == other) else { continue };
            let make = Make::same(vec![other.name.clone()], &other.ty, &field.ty)?;
            makes.push((field.name.clone(), make));
        }
    }
    Ok(makes)
}

/// The counterparts of fields, by `was` in either layout or by name.
pub(super) struct Counterparts {
    forward: Fields,
    backward: Fields,
}

impl Counterparts {
    pub(super) fn new(old: &[Segment], new: &[Segment]) -> Self {
        Self { forward: Fields::new(old, new), backward: Fields::new(new, old) }
    }

    /// Returns the old field of a new one, outside of types.
    pub(super) fn old(&self, new: &str) -> Option<&str> {
        let backward =
            || self.backward.new_path(new).filter(|old| self.forward.new_path(old).is_none());
        self.forward.old_path(new).or_else(backward)
    }
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

/// Replaces a part of a record. Of a list, the first element.
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

fn set_in(datum: &mut Datum, path: &[String], value: Datum) -> bool {
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
    /// The old part, with arms and elements on the way.
    pub(super) source: PartPath,
    /// The new part.
    pub(super) target: PartPath,
    pub(super) from: Arc<Type>,
    pub(super) to: Arc<Type>,
    pub(super) convert: Convert,
}

impl Make {
    /// Lists the values that it is made of: leaves, enums, and the choices of variants and lengths
    /// of lists, which have the types of the whole variant or list.
    pub(super) fn flows(&self, name: &str) -> Vec<Flow> {
        let mut flows = Vec::new();
        self.add_flows(&mut Vec::new(), &mut vec![name.to_owned()], &mut flows);
        flows
    }

    fn add_flows(&self, source: &mut PartPath, target: &mut PartPath, flows: &mut Vec<Flow>) {
        let depth = source.len();
        let mut inner =
            |fields: &[(String, Self)], source: &mut PartPath, target: &mut PartPath| {
                for (name, make) in fields {
                    target.push(name.clone());
                    make.add_flows(source, target, flows);
                    target.pop();
                }
            };
        match self {
            Self::From { path, from, to, convert } => {
                let source = [source.as_slice(), path].concat();
                let (from, to) = (Arc::clone(from), Arc::clone(to));
                flows.push(Flow { source, target: target.clone(), from, to, convert: *convert });
            }
            Self::Constant { .. } => {}
            Self::Within { path, fields } => {
                source.extend_from_slice(path);
                inner(fields, source, target);
                source.truncate(depth);
            }
            Self::Arms { path, from, arms } => {
                source.extend_from_slice(path);
                let names = arms.iter().map(|(name, _)| name.clone()).collect();
                let to = Arc::new(Type::Enum(keyscape_layout::model::Enum {
                    texts: names,
                    bytes: Vec::new(),
                }));
                let choice = (source.clone(), target.clone());
                for (arm, fields) in arms {
                    source.push(arm.clone());
                    target.push(arm.clone());
                    inner(fields, source, target);
                    source.pop();
                    target.pop();
                }
                flows.push(Flow {
                    source: choice.0,
                    target: choice.1,
                    from: Arc::clone(from),
                    to,
                    convert: Convert::Value,
                });
                source.truncate(depth);
            }
            Self::Each { path, from, to, element } => {
                source.extend_from_slice(path);
                let (from, to) = (Arc::clone(from), Arc::clone(to));
                let (at, of) = (source.clone(), target.clone());
                flows.push(Flow { source: at, target: of, from, to, convert: Convert::Value });
                target.push(ELEMENT.to_owned());
                element.add_flows(source, target, flows);
                target.pop();
                source.truncate(depth);
            }
            Self::Composite { fields } => inner(fields, source, target),
            Self::Arm { arm, fields } => {
                target.push(arm.clone());
                inner(fields, source, target);
                target.pop();
            }
        }
    }
}
