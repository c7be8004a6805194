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
use keyscape_automata::Budget;
use keyscape_codec::{IntRange, Language, Uint, Value};
use keyscape_layout::{
    Datum, encode_type,
    model::{KeyspaceId, Leaf, Type},
};
use std::sync::Arc;

/// Values that do not fit.
pub(super) struct Unfitting {
    pub(super) values: Vec<Datum>,
    /// Whether no value that does not fit has a shorter encoding than the first.
    pub(super) is_shortest: bool,
}

/// The answer about one value: all fit, some do not, or it is not certain.
pub(super) type Fit = Result<Option<Unfitting>, Undecided>;

/// Returns values of a type that a flow does not convert.
pub(super) fn unfitting(of: MovedPiece<'_, '_>, from: &Arc<Type>, flow: &Flow) -> Fit {
    let unclear = || Undecided::Values { field: flow.target.join(".") };
    if flow.convert == Convert::SameBytes {
        return same_bytes(of, from, flow);
    }
    match (&**from, &*flow.to) {
        (Type::Leaf(a), Type::Leaf(b)) => leaf(a, b, flow.convert, of.budget).ok_or_else(unclear),
        (Type::Enum(a), Type::Enum(b)) => {
            let missing = a.texts.iter().filter(|text| !b.texts.contains(text));
            Ok(listed(missing.cloned().map(Datum::Name).collect(), false))
        }
        // The choices of a variant, with the arms that the new one has as texts.
        (Type::Variant(arms), Type::Enum(known)) => {
            let missing = arms.iter().filter(|arm| !known.texts.contains(&arm.name));
            let values = missing.filter_map(|arm| Type::Variant(vec![arm.clone()]).example());
            let values: Vec<Datum> = values.collect();
            let count = arms.iter().filter(|arm| !known.texts.contains(&arm.name)).count();
            match (values.is_empty(), count) {
                (true, 0) => Ok(None),
                (true, _) => Err(unclear()),
                (false, _) => Ok(listed(values, false)),
            }
        }
        (Type::List(a), Type::List(b)) => {
            if b.min <= a.min && a.max <= b.max {
                return Ok(None);
            }
            let count = if a.min < b.min { a.min } else { b.max.saturating_add(1) };
            let element = a.element.example().ok_or_else(unclear)?;
            if count > 64 {
                return Err(unclear());
            }
            Ok(listed(vec![Datum::List(vec![element; count as usize])], false))
        }
        _ => Err(unclear()),
    }
}

fn listed(values: Vec<Datum>, is_shortest: bool) -> Option<Unfitting> {
    (!values.is_empty()).then_some(Unfitting { values, is_shortest })
}

/// Looks for bytes of an old part that the new type does not read.
fn same_bytes(of: MovedPiece<'_, '_>, from: &Arc<Type>, flow: &Flow) -> Fit {
    let writing = layout_of(of.migration.old, of.piece.from, "value", &[from]);
    let reading = layout_of(of.migration.new, of.moved.to, "value", &[&flow.to]);
    let comparison = Comparison::new(&writing, &reading, of.budget);
    let id = KeyspaceId(0);
    match comparison.unread(&comparison.asked(Direction::Backward, id, None), &[id], &[]) {
        Ok(None) => Ok(None),
        Ok(Some(found)) => {
            let value = found.of.fields.get("value").cloned();
            Ok(listed(value.into_iter().collect(), found.minimal))
        }
        Err(_) => Err(Undecided::Values { field: flow.target.join(".") }),
    }
}

/// Returns values of a leaf that another does not take; `None` if it is not certain whether there
/// are any.
fn leaf(a: &Leaf, b: &Leaf, convert: Convert, budget: Budget<'_>) -> Option<Option<Unfitting>> {
    let encoded = |value: Option<Value>| value.map(Datum::Leaf).into_iter().collect::<Vec<_>>();
    match convert {
        Convert::First | Convert::Second => {
            let domain = a.codec.pairs()?;
            let (low, high) = match convert {
                Convert::First => domain.wholes,
                _ => (0, domain.last_part),
            };
            let needed = IntRange::Unsigned { low: Uint::from(low), high: Uint::from(high) };
            let takes = b.codec.integers()?.contains(&needed);
            takes.then_some(None)
        }
        Convert::Number | Convert::Text | Convert::Bytes => {
            let (words, known) = (convert::texts(a, budget)?, convert::texts(b, budget)?);
            let rest = words.without(&known, budget).ok()?;
            if rest.is_empty() {
                return Some(None);
            }
            let word = rest.shortest_from(rest.start());
            let is_plain = a.codec.describe().is_plain();
            let value = value_of_text(a, &word);
            Some(listed(encoded(value), is_plain))
        }
        Convert::Value => {
            if b.takes_all_of(a) {
                return Some(None);
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
                return Some(listed(values, true));
            }
            let described = a.codec.describe();
            if let (true, Some(words), Some(known)) = (described.is_plain(), a.words(), b.words()) {
                let (Language::Exact(words), Language::Exact(known)) = (words, known) else {
                    return sampled(a, b);
                };
                let rest = words.without(&known, budget).ok()?;
                if rest.is_empty() {
                    return Some(None);
                }
                let word = rest.shortest_from(rest.start());
                return Some(listed(encoded(a.codec.decode(&word).ok()), true));
            }
            sampled(a, b)
        }
        Convert::SameBytes => None,
    }
}

/// Tries samples of a leaf.
fn sampled(a: &Leaf, b: &Leaf) -> Option<Option<Unfitting>> {
    let ty = Type::Leaf(b.clone());
    let fails = |value: &Value| {
        encode_type(&ty, "value", &Datum::Leaf(value.clone()), &mut Vec::new()).is_err()
    };
    let found = a.codec.samples().into_iter().find(fails)?;
    Some(listed(vec![Datum::Leaf(found)], false))
}

fn value_of_text(leaf: &Leaf, word: &[u8]) -> Option<Value> {
    let text = Type::Leaf(leaf.clone());
    let as_bytes = Datum::Leaf(Value::Bytes(word.to_vec()));
    // The text of a value is its bytes, or its digits.
    match Convert::Text.apply(&text, &text, &as_bytes)? {
        Datum::Leaf(value) => Some(value),
        _ => None,
    }
}
