//! Guards: the conditions under which optional parts are present.
//!
//! A guard names fields of its own list of segments, or of an enclosing list in the same key or
//! type body. The values of these fields are split into finitely many classes, and a list becomes a
//! union of [cases]. In each case, every such field is restricted to one class, and every guarded
//! part is either present or absent.

use crate::{
    datum::{Datum, Record},
    model::{Segment, Type, direct_field},
};
use keyscape_codec::IntRange;

/// The highest number of cases of one list of segments.
pub const MAX_CASES: usize = 64;

/// The condition under which an optional part is present.
#[derive(Clone, Debug, PartialEq)]
pub enum Guard {
    /// The field has one of these texts or arms, by index.
    Is {
        /// The field.
        field: String,
        /// The indices of the texts or arms, ascending.
        choices: Vec<usize>,
    },
    /// The integer of the field is in the range.
    In {
        /// The field.
        field: String,
        /// The range.
        range: IntRange,
    },
    /// All guards hold.
    All(Vec<Guard>),
    /// Any guard holds.
    Any(Vec<Guard>),
}

/// One class of values of a field that a guard names.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    /// Texts or arms, by index.
    Choices(Vec<usize>),
    /// A range of integers.
    Integers(IntRange),
}

/// One case of a list: a class for each field that a guard names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Case {
    /// The class of each field that a guard names.
    pub classes: Vec<(String, Class)>,
}

impl Case {
    /// Returns the class of `field`.
    #[must_use]
    pub fn class(&self, field: &str) -> Option<&Class> {
        self.classes.iter().find(|(name, _)| name == field).map(|(_, class)| class)
    }

    /// Whether a guard holds. Every class satisfies each condition completely or not at all.
    #[must_use]
    pub fn satisfies(&self, guard: &Guard) -> bool {
        guard.evaluate(&|field, condition| match (condition, self.class(field)) {
            (Guard::Is { choices, .. }, Some(Class::Choices(class))) => {
                class.iter().all(|choice| choices.contains(choice))
            }
            (Guard::In { range, .. }, Some(Class::Integers(class))) => range.contains(class),
            _ => false,
        })
    }
}

impl Guard {
    /// Whether the guard holds for a record. `scope` is the list whose fields it names.
    #[must_use]
    pub fn holds(&self, scope: &[Segment], record: &Record) -> bool {
        self.evaluate(&|field, condition| match (condition, record.get(field)) {
            (Self::Is { choices, .. }, Some(Datum::Name(name) | Datum::Arm(name, _))) => {
                let names = direct_field(scope, field).and_then(|field| field.ty.choices());
                let index = names.and_then(|names| names.iter().position(|known| known == name));
                index.is_some_and(|index| choices.contains(&index))
            }
            (Self::In { range, .. }, Some(Datum::Leaf(value))) => range.contains_value(value),
            _ => false,
        })
    }

    /// Whether the guard holds, if `holds` decides its conditions on fields.
    fn evaluate(&self, holds: &impl Fn(&str, &Self) -> bool) -> bool {
        match self {
            Self::Is { field, .. } | Self::In { field, .. } => holds(field, self),
            Self::All(parts) => parts.iter().all(|part| part.evaluate(holds)),
            Self::Any(parts) => parts.iter().any(|part| part.evaluate(holds)),
        }
    }

    /// Returns every condition on a field, with the name of the field.
    #[must_use]
    pub fn conditions(&self) -> Vec<(&str, &Self)> {
        match self {
            Self::Is { field, .. } | Self::In { field, .. } => vec![(field, self)],
            Self::All(parts) | Self::Any(parts) => {
                parts.iter().flat_map(Self::conditions).collect()
            }
        }
    }
}

/// Returns the guards of a list, including those of nested options.
fn guards(segments: &[Segment]) -> Vec<&Guard> {
    let options = segments.iter().filter_map(|segment| match segment {
        Segment::Option(option) => Some(option),
        _ => None,
    });
    let inside = options.flat_map(|option| option.guard.iter().chain(guards(&option.segments)));
    inside.collect()
}

/// Returns the fields that guards name, in the order of their first use.
fn named_fields<'a>(guards: &[&'a Guard]) -> Vec<&'a str> {
    let mut fields = Vec::new();
    for (field, _) in guards.iter().flat_map(|guard| guard.conditions()) {
        if !fields.contains(&field) {
            fields.push(field);
        }
    }
    fields
}

/// Returns the fields that the guards of a list name, in the order of their first use.
#[must_use]
pub fn guarded_fields(segments: &[Segment]) -> Vec<&str> {
    named_fields(&guards(segments))
}

/// Returns the cases of a list of segments. A list without guards has one case without classes.
/// Returns `None` if the list has more than [`MAX_CASES`].
#[must_use]
pub fn cases(segments: &[Segment]) -> Option<Vec<Case>> {
    cases_of(segments, &guards(segments), MAX_CASES)
}

/// Returns the cases of some guards on fields of a list: in each, every guard holds for all rows or
/// for none. Returns `None` if there are more than `max`.
#[must_use]
pub fn cases_of(segments: &[Segment], guards: &[&Guard], max: usize) -> Option<Vec<Case>> {
    let mut cases = vec![Case::default()];
    for field in named_fields(guards) {
        let Some(ty) = direct_field(segments, field).map(|field| &*field.ty) else { continue };
        let conditions = guards.iter().flat_map(|guard| guard.conditions());
        let conditions = conditions.filter(|(name, _)| *name == field);
        let conditions: Vec<&Guard> = conditions.map(|(_, condition)| condition).collect();
        let classes = classes(ty, &conditions);
        if cases.len() * classes.len() > max {
            return None;
        }
        let with = |case: &Case, class: &Class| {
            let mut case = case.clone();
            case.classes.push((field.to_owned(), class.clone()));
            case
        };
        cases =
            cases.iter().flat_map(|case| classes.iter().map(|class| with(case, class))).collect();
    }
    Some(cases)
}

/// Splits the values of a type into classes that each condition accepts or rejects as a whole.
#[must_use]
pub fn classes(ty: &Type, conditions: &[&Guard]) -> Vec<Class> {
    if let Type::Leaf(leaf) = ty {
        let whole = leaf.codec.integers().into_iter();
        return whole.flat_map(|whole| split(whole, conditions)).map(Class::Integers).collect();
    }
    let mut classes: Vec<(Vec<bool>, Vec<usize>)> = Vec::new();
    for choice in 0..ty.choices().unwrap_or_default().len() {
        let truth: Vec<bool> = conditions
            .iter()
            .map(|c| matches!(c, Guard::Is { choices, .. } if choices.contains(&choice)))
            .collect();
        match classes.iter_mut().find(|(t, _)| *t == truth) {
            Some((_, class)) => class.push(choice),
            None => classes.push((truth, vec![choice])),
        }
    }
    classes.into_iter().map(|(_, class)| Class::Choices(class)).collect()
}

fn split(whole: IntRange, conditions: &[&Guard]) -> Vec<IntRange> {
    let mut parts = vec![whole];
    for condition in conditions {
        let Guard::In { range, .. } = condition else { continue };
        let cut = |part: &IntRange| {
            let [below, above] = part.without(range);
            [below, part.intersect(range), above].into_iter().flatten()
        };
        parts = parts.iter().flat_map(cut).collect();
    }
    parts
}
