//! Values of new fields, made from old rows.

use super::{
    convert::Convert,
    row::{Unfit, fields_with_presence},
};
use crate::correspondence::{ELEMENT, Fields};
use keyscape_layout::{
    Datum, Record, direct_field, encode_type, fields,
    model::{OptionSegment, Segment, Type},
};
use std::sync::Arc;

/// The names of a part of a record; a step into a variant names the arm.
pub(super) type PartPath = Vec<String>;

/// A rule that makes a value from the fields of a record.
#[derive(Clone, Debug)]
pub(super) enum Make {
    /// From one value.
    From { path: PartPath, from: Arc<Type>, to: Arc<Type>, convert: Convert },
    /// Always the same.
    Constant { datum: Datum },
    /// A composite from a composite. The fields are made from its own fields.
    Within { path: PartPath, parts: Parts },
    /// The arm of the same name. The fields are made from those of the arm.
    Arms { path: PartPath, from: Arc<Type>, arms: Vec<(String, Parts)> },
    /// A list of as many elements. Each is made from a record with the field [`ELEMENT`].
    Each { path: PartPath, from: Arc<Type>, to: Arc<Type>, element: Box<Make> },
    /// A composite from fields of the whole record.
    Composite { parts: Parts },
    /// An arm from fields of the whole record.
    Arm { arm: String, parts: Parts },
    /// By a function of the program.
    Program,
}

/// The rules for the parts of a composite or of an arm.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// Each field, by name. A field that is left out is absent.
    pub(super) fields: Vec<(String, Make)>,
    /// The names of all fields, and whether each is in an optional part.
    pub(super) names: Vec<(String, bool)>,
    /// Whether every record has the required fields, and optional parts are present or absent as a
    /// whole.
    pub(super) is_complete: bool,
}

/// The reason why no value can be made of another.
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
        match (&**from, &**to) {
            (Type::Leaf(a), Type::Leaf(b)) => match a.codec.kind() == b.codec.kind() {
                true => Ok(Self::from(path, from, to, Convert::Value)),
                false => Err(Mismatch::Kind),
            },
            (Type::Enum(_), Type::Enum(_)) => Ok(Self::from(path, from, to, Convert::Value)),
            (Type::Composite(a), Type::Composite(b)) => {
                Ok(Self::Within { path, parts: same_parts(a, b, from.is_same(to))? })
            }
            (Type::Variant(olds), Type::Variant(news)) => {
                let is_same = from.is_same(to);
                let mut arms = Vec::new();
                for old in olds {
                    let Some(new) = news.iter().find(|new| new.name == old.name) else { continue };
                    let parts = same_parts(&old.segments, &new.segments, is_same)?;
                    arms.push((old.name.clone(), parts));
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
                encode_type(to, name, &made, &mut Vec::new())?;
                Ok(Some(made))
            }
            Self::Constant { datum } => Ok(Some(datum.clone())),
            Self::Within { path, parts } => match part(scope, path) {
                Some(Datum::Record(inner)) => Ok(Some(Datum::Record(parts.record(inner, name)?))),
                _ => Ok(None),
            },
            Self::Arms { path, arms, .. } => match part(scope, path) {
                Some(Datum::Arm(arm, inner)) => {
                    let Some((_, parts)) = arms.iter().find(|(known, _)| known == arm) else {
                        return Err(unfit(&format!("there is no arm `{arm}`")));
                    };
                    Ok(Some(Datum::Arm(arm.clone(), parts.record(inner, name)?)))
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
            Self::Composite { parts } => Ok(Some(Datum::Record(parts.record(scope, name)?))),
            Self::Arm { arm, parts } => {
                Ok(Some(Datum::Arm(arm.clone(), parts.record(scope, name)?)))
            }
            Self::Program => Err(unfit("only the program makes it")),
        }
    }
}

impl Parts {
    /// Creates the parts of a composite or an arm from values for its fields.
    pub(super) fn new(fields: Vec<(String, Make)>, segments: &[Segment]) -> Self {
        let is_complete = segments.iter().all(|segment| match segment {
            Segment::Option(option) => is_single(option),
            _ => true,
        });
        Self { fields, names: names(segments), is_complete }
    }

    fn record(&self, scope: &Record, outer: &str) -> Result<Record, Unfit> {
        let mut made = Record::default();
        for (name, make) in &self.fields {
            if let Some(datum) = make.value(scope, &format!("{outer}.{name}"))? {
                made.set(name.clone(), datum);
            }
        }
        Ok(made)
    }
}

fn names(segments: &[Segment]) -> Vec<(String, bool)> {
    let fields = fields_with_presence(segments);
    fields.map(|(field, is_optional)| (field.name.clone(), is_optional)).collect()
}

/// Returns the rules that keep the parts of a composite or an arm in another. `is_same` tells that
/// both types are the same.
fn same_parts(old: &[Segment], new: &[Segment], is_same: bool) -> Result<Parts, Mismatch> {
    let pairs = Counterparts::new(old, new);
    let mut makes = Vec::new();
    for (field, is_optional) in fields_with_presence(new) {
        let Some(other) = pairs.old(&field.name) else {
            match is_optional {
                true => continue,
                false => return Err(Mismatch::Missing(field.name.clone())),
            }
        };
        let olds = fields(old);
        let Some(other) = olds.into_iter().find(|old| old.name == other) else { continue };
        let make = Make::same(vec![other.name.clone()], &other.ty, &field.ty)?;
        makes.push((field.name.clone(), make));
    }
    let is_complete = is_same || is_complete(old, new, &pairs);
    Ok(Parts { fields: makes, names: names(new), is_complete })
}

/// Whether every old record has the required fields of the new one, and all fields of an optional
/// part or none.
fn is_complete(old: &[Segment], new: &[Segment], pairs: &Counterparts) -> bool {
    let required = |name: &str| direct_field(old, name).is_some();
    new.iter().all(|segment| match segment {
        Segment::Field(field) => pairs.old(&field.name).is_some_and(required),
        Segment::Option(option) => {
            let is_nested = option.segments.iter().any(|s| matches!(s, Segment::Option(_)));
            let inside: Vec<Option<&str>> =
                fields(&option.segments).iter().map(|field| pairs.old(&field.name)).collect();
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
            Self::Constant { .. } | Self::Program => {}
            Self::Within { path, parts } => {
                source.extend_from_slice(path);
                inner(&parts.fields, source, target);
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
                for (arm, parts) in arms {
                    source.push(arm.clone());
                    target.push(arm.clone());
                    inner(&parts.fields, source, target);
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
            Self::Composite { parts } => inner(&parts.fields, source, target),
            Self::Arm { arm, parts } => {
                target.push(arm.clone());
                inner(&parts.fields, source, target);
                target.pop();
            }
        }
    }
}
