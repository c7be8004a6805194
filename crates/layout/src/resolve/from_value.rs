//! Checks fields that are taken from the values of rows.

use super::{Resolver, did_you_mean};
use crate::{
    Diagnostic,
    datum::fields,
    from_value::{FromValue, MAX_FIELD_NUMBER, PathPart, Take},
    model::{Field, Keyspace, RowValue, Segment, Type},
};

impl Resolver<'_> {
    /// Checks the fields of a key that come from a value. Only an index has such fields.
    pub(super) fn check_from_value(&mut self, key: &[Segment], map: Option<&Keyspace>) {
        let taken = || fields(key).into_iter().filter(|field| field.is_from_value());
        let take = |field: &Field| field.from_value.as_ref().map(|from| from.take);
        let mut several = taken().filter(|field| take(field) == Some(Take::Each));
        if let (Some(first), Some(second)) = (several.next(), several.next()) {
            let message = "an index takes only one field from `each` element of a list";
            self.report(
                Diagnostic::error(second.span, message).related(first.span, "the first one"),
            );
        }
        for field in taken() {
            self.check_taken(field, map);
            let is_direct =
                key.iter().any(|own| matches!(own, Segment::Field(own) if own.name == field.name));
            if let Some(take @ (Take::Each | Take::Optional)) = take(field).filter(|_| !is_direct) {
                let message = format!("`{}` cannot be in an optional part", take.word());
                let help = format!(
                    "`{}` omits the whole entry; `from value` alone omits the optional part",
                    take.word()
                );
                self.report(Diagnostic::error(field.span, message).help(help));
            }
        }
    }

    fn check_taken(&mut self, field: &Field, map: Option<&Keyspace>) {
        let Some(from @ FromValue { take, path }) = &field.from_value else { return };
        let Some(map) = map else {
            if *take != Take::One || !path.is_empty() {
                self.error(field.span, "only an index takes fields from the value of a row");
            }
            return;
        };
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
    let (Some(segments), [PathPart::Name(wanted)]) = (composite, &from.path[..]) else {
        let message = format!("the value of `{name}` has no such parts");
        return (message, REMOVE_PATH.to_owned());
    };
    let known = fields(segments);
    if !known.iter().any(|part| part.name == *wanted) {
        let message = format!("the value of `{name}` has no part `{wanted}`");
        let names = known.iter().map(|part| part.name.as_str());
        return (message, did_you_mean(wanted, names).unwrap_or_else(|| REMOVE_PATH.to_owned()));
    }
    let expected = match from.take {
        Take::One => "a part that all values have, with the type",
        Take::Optional => "an optional part with the type",
        Take::Each => "a list with elements of the type",
    };
    let message = format!("`{wanted}` is not {expected} of `{}`", field.name);
    (message, "declare both with the same type, or remove the path".to_owned())
}
