//! Checks the fields of indexes: those of the map, and those from the values of its rows.

use super::Resolver;
use crate::{
    Diagnostic,
    diagnostic::did_you_mean,
    model::{
        self, Field, FromValue, Keyspace, Leaf, MAX_FIELD_NUMBER, PathPart, RowValue, Segment,
        Take, Type, direct_field, fields,
    },
    syntax::ast,
};

impl Resolver<'_> {
    /// Reports a field of an index that accepts no value of the map's field with the same name. No
    /// row would have an entry.
    pub(super) fn check_carried(&mut self, field: &ast::Field, ty: &Type, map: &[Segment]) {
        let known = model::field(map, &field.name.text);
        let Some(known) = known.filter(|known| share_no_value(&known.declared, ty)) else { return };
        let name = &field.name.text;
        let message = match signs(&known.declared, ty) {
            Some((in_map, here)) => {
                format!("`{name}` has {in_map} integers in the map, and {here} ones here")
            }
            None => format!("no value of the map's field `{name}` fits this type"),
        };
        let help = match ty.leaf().is_some_and(Leaf::is_digest) {
            true => format!("write `{{{name}}}`: an entry holds the value, not its digest"),
            false => format!("write `{{{name}}}`, or `from value` if it is another field"),
        };
        let error = Diagnostic::error(field.span, message).help(help);
        self.report(error.related(known.span, "the field of the map"));
    }

    /// Reports fields that come from a value. Only the key of an index has such fields.
    pub(super) fn reject_from_value(&mut self, segments: &[Segment]) {
        for field in fields(segments).into_iter().filter(|field| field.is_from_value()) {
            self.error(field.span, "only an index takes fields from the value of a row");
        }
    }

    /// Checks the fields of an index that come from the values of its map.
    pub(super) fn check_from_value(&mut self, key: &[Segment], map: &Keyspace) {
        let taken = || fields(key).into_iter().filter(|field| field.is_from_value());
        let take = |field: &Field| field.from_value.as_ref().map(|from| from.take);
        let mut several = taken().filter(|field| take(field) == Some(Take::Each));
        if let (Some(first), Some(second)) = (several.next(), several.next()) {
            let message = "an index takes only one field from `each` element of a list";
            let error = Diagnostic::error(second.span, message);
            self.report(error.related(first.span, "the first one"));
        }
        for field in taken() {
            self.check_taken(field, map);
            let is_direct = direct_field(key, &field.name).is_some();
            if let Some(take @ (Take::Each | Take::Optional)) = take(field).filter(|_| !is_direct) {
                let message = format!("`{}` cannot be in an optional part", take.word());
                let help = format!(
                    "write `from value`, which omits the part; `{}` omits the whole entry",
                    take.word()
                );
                self.report(Diagnostic::error(field.span, message).help(help));
            }
        }
    }

    fn check_taken(&mut self, field: &Field, map: &Keyspace) {
        let Some(from @ FromValue { path, .. }) = &field.from_value else { return };
        let value = map.value.as_ref();
        if !path.is_empty() && !matches!(&*field.declared, Type::Leaf(_) | Type::Enum(_)) {
            let message = format!("`{}` has parts, so no path can take it", field.name);
            self.report(Diagnostic::error(field.span, message).help(REMOVE_PATH));
        } else if path.iter().any(is_bad_number) {
            let message = format!("field numbers are from 1 to {MAX_FIELD_NUMBER}");
            self.error(field.span, message);
        } else if !path.is_empty() && field.value_source(value).is_none() {
            let (message, help) = misfit(from, field, map);
            self.report(Diagnostic::error(field.span, message).help(help));
        }
    }
}

const REMOVE_PATH: &str = "remove the path, and take the field in the program";

fn is_bad_number(part: &PathPart) -> bool {
    matches!(part, PathPart::Number(number) if !(1..=MAX_FIELD_NUMBER).contains(number))
}

/// Describes a path that does not fit the value of the map.
fn misfit(from: &FromValue, field: &Field, map: &Keyspace) -> (String, String) {
    let name = &map.name;
    let composite = match map.value.as_ref() {
        Some(RowValue::Json(_)) => {
            let message = "a path into JSON consists of the names of members".to_owned();
            return (message, "write names: `from value meta.tags`".to_owned());
        }
        Some(RowValue::Proto(_)) => {
            let message = "a path into a protobuf message consists of field numbers".to_owned();
            return (message, "write numbers: `from value 3.1`".to_owned());
        }
        Some(RowValue::Typed(typed)) => match &*typed.ty {
            Type::Composite(segments) => Some(segments),
            _ => None,
        },
        _ => None,
    };
    let (Some(segments), [PathPart::Name(part_name)]) = (composite, &from.path[..]) else {
        let message = format!("the value of `{name}` has no such parts");
        return (message, REMOVE_PATH.to_owned());
    };
    let known = fields(segments);
    if !known.iter().any(|part| part.name == *part_name) {
        let message = format!("the value of `{name}` has no part `{part_name}`");
        let names = known.iter().map(|part| part.name.as_str());
        return (message, did_you_mean(part_name, names).unwrap_or_else(|| REMOVE_PATH.to_owned()));
    }
    let expected = match from.take {
        Take::One => "a part that all values have, with the type",
        Take::Optional => "an optional part with the type",
        Take::Each => "a list with elements of the type",
    };
    let message = format!("`{part_name}` is not {expected} of `{}`", field.name);
    (message, "declare both with the same type, or remove the path".to_owned())
}

/// Describes the integers of two types, if one is signed and the other unsigned.
fn signs(a: &Type, b: &Type) -> Option<(&'static str, &'static str)> {
    let is_signed = |ty: &Type| Some(ty.leaf()?.codec.integers()?.is_signed());
    match (is_signed(a)?, is_signed(b)?) {
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
