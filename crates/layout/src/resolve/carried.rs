//! Fields that an index takes from its map and writes with a type of its own.

use super::Resolver;
use crate::{
    Diagnostic,
    model::{Leaf, Segment, Type},
    syntax::ast,
};
use keyscape_codec::{IntRange, Language, Loss};

/// The most values that are tried one by one.
const MAX_TRIED: usize = 64;

impl Resolver<'_> {
    /// Reports a field of an index that can hold no value of the like-named field of the map: no row
    /// would ever have an entry.
    pub(super) fn check_carried(&mut self, field: &ast::Field, ty: &Type, map: &[Segment]) {
        let known = crate::datum::fields(map).into_iter().find(|f| f.name == field.name.text);
        let Some(known) = known.filter(|known| share_no_value(&known.declared, ty)) else { return };
        let name = &field.name.text;
        let message = match signs(&known.declared, ty) {
            Some((in_map, here)) => {
                format!("`{name}` has {in_map} integers in the map, and {here} ones here")
            }
            None => format!("no value of the map's field `{name}` fits this type"),
        };
        let diagnostic = Diagnostic::error(field.span, message)
            .related(known.span, "the field of the map")
            .help(format!("write `{{{name}}}`, or `from value` if it is another field"));
        self.report(diagnostic);
    }
}

/// What the integers of two types are, if one has signed ones and the other unsigned ones.
fn signs(a: &Type, b: &Type) -> Option<(&'static str, &'static str)> {
    let (Type::Leaf(a), Type::Leaf(b)) = (a, b) else { return None };
    match (a.codec.integers()?, b.codec.integers()?) {
        (IntRange::Unsigned { .. }, IntRange::Signed { .. }) => Some(("unsigned", "signed")),
        (IntRange::Signed { .. }, IntRange::Unsigned { .. }) => Some(("signed", "unsigned")),
        _ => None,
    }
}

/// Whether it is plain that two types have no value in common; they may have none without that.
fn share_no_value(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Leaf(a), Type::Leaf(b)) => share_no_leaf(a, b),
        (Type::Enum(a), Type::Enum(b)) => a.texts.iter().all(|text| !b.texts.contains(text)),
        (Type::Variant(a), Type::Variant(b)) => {
            a.iter().all(|arm| b.iter().all(|other| other.name != arm.name))
        }
        (Type::List(a), Type::List(b)) => {
            let lengths = a.max < b.min || b.max < a.min;
            let empty = a.min == 0 && b.min == 0;
            lengths || !empty && share_no_value(&a.element, &b.element)
        }
        (Type::Composite(_), Type::Composite(_)) => false,
        _ => true,
    }
}

fn share_no_leaf(a: &Leaf, b: &Leaf) -> bool {
    if a.codec.kind() != b.codec.kind() {
        return true;
    }
    match (a.codec.integers(), b.codec.integers()) {
        (
            Some(IntRange::Unsigned { low, high }),
            Some(IntRange::Unsigned { low: other_low, high: other_high }),
        ) => high < other_low || other_high < low,
        (
            Some(IntRange::Signed { low, high }),
            Some(IntRange::Signed { low: other_low, high: other_high }),
        ) => high < other_low || other_high < low,
        _ => fits_nowhere(a, b) || fits_nowhere(b, a),
    }
}

/// Whether a leaf has few values, and the other one takes none of them.
fn fits_nowhere(few: &Leaf, other: &Leaf) -> bool {
    let Language::Exact(words) = &few.language else { return false };
    if !matches!(few.codec.lossless(), Loss::None) {
        return false;
    }
    words.few_words(MAX_TRIED).is_some_and(|words| {
        words.iter().all(|word| match few.codec.decode(word) {
            Ok(value) => other.codec.encode(&value, &mut Vec::new()).is_err(),
            Err(_) => false,
        })
    })
}
