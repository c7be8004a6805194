//! Values of old fields that do not fit a new one, leaf by leaf.

use super::{
    claim::{MovedPiece, Undecided},
    convert::{self, Convert},
    make::Flow,
};
use crate::{
    compare::{Comparison, Direction},
    parts::layout_of,
};
use keyscape_automata::{Budget, Dfa};
use keyscape_codec::{IntRange, Language, Uint, Value};
use keyscape_layout::{
    Datum,
    model::{Arm, KeyspaceId, Leaf, Type},
};
use std::sync::Arc;

/// The maximum number of elements of a list to try.
const MAX_ELEMENTS: u32 = 64;

/// The values of an old part that do not fit the new one, if there are any.
#[derive(Default)]
pub(super) struct Unfitting {
    /// Some values that do not fit. If the list is empty, all values fit.
    pub(super) values: Vec<Datum>,
    /// Whether no value that does not fit has a shorter encoding than the first.
    pub(super) is_shortest: bool,
}

impl Unfitting {
    fn one(value: Datum, is_shortest: bool) -> Self {
        Self { values: vec![value], is_shortest }
    }
}

/// Returns the reason for an undecided flow.
pub(super) fn uncertain(flow: &Flow) -> Undecided {
    uncertain_value(&flow.target.join("."))
}

/// Returns the reason for a field whose values are undecided.
pub(super) fn uncertain_value(field: &str) -> Undecided {
    Undecided::Because(format!("it is not certain that every value fits the field `{field}`"))
}

/// Returns values of a type that a flow cannot convert.
pub(super) fn unfitting(
    of: MovedPiece<'_>,
    from: &Arc<Type>,
    flow: &Flow,
) -> Result<Unfitting, Undecided> {
    if flow.convert == Convert::SameBytes {
        return same_bytes(of, from, flow);
    }
    let values = match (&**from, &*flow.to) {
        (Type::Leaf(a), Type::Leaf(b)) => {
            return leaf(a, b, flow.convert, of.budget).ok_or_else(|| uncertain(flow));
        }
        (Type::Enum(a), Type::Enum(b)) => {
            let missing = a.texts.iter().filter(|text| !b.texts.contains(text));
            missing.cloned().map(Datum::Name).collect()
        }
        (Type::Variant(a), Type::Variant(b)) => {
            let is_missing = |arm: &&Arm| b.iter().all(|other| other.name != arm.name);
            let missing: Vec<&Arm> = a.iter().filter(is_missing).collect();
            let examples = missing.iter().map(|&arm| Type::Variant(vec![arm.clone()]).example());
            let values: Vec<Datum> = examples.flatten().collect();
            if values.is_empty() && !missing.is_empty() {
                return Err(uncertain(flow));
            }
            values
        }
        (Type::List(a), Type::List(b)) if b.min <= a.min && a.max <= b.max => Vec::new(),
        (Type::List(a), Type::List(b)) => {
            let count = if a.min < b.min { a.min } else { b.max.saturating_add(1) };
            let element = a.element.example().filter(|_| count <= MAX_ELEMENTS);
            let element = element.ok_or_else(|| uncertain(flow))?;
            vec![Datum::List(vec![element; count as usize])]
        }
        _ => return Err(uncertain(flow)),
    };
    Ok(Unfitting { values, is_shortest: false })
}

/// Looks for bytes of an old part that the new type does not read.
fn same_bytes(of: MovedPiece<'_>, from: &Arc<Type>, flow: &Flow) -> Result<Unfitting, Undecided> {
    let writing = layout_of(of.migration.old, of.piece.from, "value", &[from]);
    let reading = layout_of(of.migration.new, of.moved.to, "value", &[&flow.to]);
    let comparison = Comparison::new(&writing, &reading, of.budget);
    let id = KeyspaceId(0);
    let question = comparison.question(Direction::Backward, id, None);
    match comparison.unread(&question, &[id], &[]) {
        Ok(None) => Ok(Unfitting::default()),
        Ok(Some(found)) => match found.of.fields.get("value") {
            Some(value) => Ok(Unfitting::one(value.clone(), found.minimal)),
            None => Err(uncertain(flow)),
        },
        Err(_) => Err(uncertain(flow)),
    }
}

/// Returns values of a leaf that another leaf does not accept; `None` if it is not certain whether
/// such values exist.
fn leaf(a: &Leaf, b: &Leaf, convert: Convert, budget: Budget<'_>) -> Option<Unfitting> {
    match convert {
        Convert::First | Convert::Second => {
            let domain = a.codec.pairs()?;
            let (low, high) = match convert {
                Convert::First => domain.wholes,
                _ => (0, domain.last_part),
            };
            let needed = IntRange::Unsigned { low: Uint::from(low), high: Uint::from(high) };
            b.codec.integers()?.contains(&needed).then(Unfitting::default)
        }
        Convert::Number | Convert::Text | Convert::Bytes => {
            let (texts, accepted) = (convert::texts(a, budget)?, convert::texts(b, budget)?);
            let Some(word) = word_without(&texts, &accepted, budget)? else {
                return Some(Unfitting::default());
            };
            let value = convert::of_text(a.codec.kind(), &word)?;
            Some(Unfitting::one(Datum::Leaf(value), a.codec.describe().is_plain()))
        }
        Convert::Value => {
            if b.takes_all_of(a) {
                return Some(Unfitting::default());
            }
            if let (Some(all), Some(taken)) = (a.codec.integers(), b.codec.integers()) {
                let mut values: Vec<(usize, Datum)> = Vec::new();
                for range in all.without(&taken).into_iter().flatten() {
                    let codec = a.codec.restrict(&range)?;
                    let language = codec.language(budget).ok()?;
                    let word = language.over().shortest_from(language.over().start());
                    values.push((word.len(), Datum::Leaf(codec.decode(&word).ok()?)));
                }
                values.sort_by_key(|(length, _)| *length);
                let values = values.into_iter().map(|(_, value)| value).collect();
                return Some(Unfitting { values, is_shortest: true });
            }
            if a.codec.describe().is_plain()
                && let (Some(Language::Exact(words)), Some(Language::Exact(accepted))) =
                    (a.words(), b.words())
            {
                let Some(word) = word_without(&words, &accepted, budget)? else {
                    return Some(Unfitting::default());
                };
                return Some(Unfitting::one(Datum::Leaf(a.codec.decode(&word).ok()?), true));
            }
            let takes = |value: &Value| b.codec.encode(value, &mut Vec::new()).is_ok();
            let found = a.codec.samples().into_iter().find(|value| !takes(value))?;
            Some(Unfitting::one(Datum::Leaf(found), false))
        }
        Convert::SameBytes => None,
    }
}

/// Returns a shortest word of one language that another lacks. The outer `None` means that the
/// search exceeds its budget.
fn word_without(words: &Dfa, other: &Dfa, budget: Budget<'_>) -> Option<Option<Vec<u8>>> {
    let rest = words.without(other, budget).ok()?;
    Some((!rest.is_empty()).then(|| rest.shortest_from(rest.start())))
}
