//! Fields that an index takes from its map with another type.

use super::Resolver;
use crate::{
    Diagnostic,
    model::{Segment, Type},
    syntax::ast,
};

impl Resolver<'_> {
    /// Reports a field of an index that accepts no value of the map's field with the same name. No
    /// row would have an entry.
    pub(super) fn check_carried(&mut self, field: &ast::Field, ty: &Type, map: &[Segment]) {
        let known = crate::datum::field(map, &field.name.text);
        let Some(known) = known.filter(|known| share_no_value(&known.declared, ty)) else { return };
        let name = &field.name.text;
        let message = match signs(&known.declared, ty) {
            Some((in_map, here)) => {
                format!("`{name}` has {in_map} integers in the map, and {here} ones here")
            }
            None => format!("no value of the map's field `{name}` fits this type"),
        };
        let help = match ty {
            Type::Leaf(leaf) if leaf.is_digest() => {
                format!("an entry holds the value of `{name}`, not its digest: write `{{{name}}}`")
            }
            _ => format!("write `{{{name}}}`, or `from value` if it is another field"),
        };
        let diagnostic = Diagnostic::error(field.span, message)
            .related(known.span, "the field of the map")
            .help(help);
        self.report(diagnostic);
    }
}

/// Describes the integers of two types, if one is signed and the other unsigned.
fn signs(a: &Type, b: &Type) -> Option<(&'static str, &'static str)> {
    let (Type::Leaf(a), Type::Leaf(b)) = (a, b) else { return None };
    match (a.codec.integers()?.is_signed(), b.codec.integers()?.is_signed()) {
        (false, true) => Some(("unsigned", "signed")),
        (true, false) => Some(("signed", "unsigned")),
        _ => None,
    }
}

/// Whether two types certainly have no common value.
fn share_no_value(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Leaf(a), Type::Leaf(b)) => b.takes_none_of(a),
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
