//! Conditions on decoded rows: `value.status=open`, `amount>=100`.

use super::{Entry, RowFilter};
use crate::{
    entry_json,
    input::{
        InputError,
        argument::Argument,
        value::{self, field_names, not_a_number, unknown_choice, wrong_kind},
    },
};
use keyscape_codec::Kind;
use keyscape_diagnostics::json::put_datum;
use keyscape_layout::{
    Layout, field, fields,
    model::{Keyspace, KeyspaceKind, RowValue, Segment, Type},
};
use serde_json::Value as Json;
use std::{cmp::Ordering, str::FromStr, sync::Arc};

/// A condition on a member of the JSON of a row.
#[derive(Clone, Debug)]
pub struct Condition {
    path: Vec<String>,
    operator: Operator,
    value: String,
}

/// A sign, and whether it holds for an order. Values that cannot be compared have no order.
type Operator = (&'static str, fn(Option<Ordering>) -> bool);

/// The operators, those with two characters first.
const OPERATORS: [Operator; 6] = [
    ("!=", |order| order != Some(Ordering::Equal)),
    ("<=", |order| order.is_some_and(Ordering::is_le)),
    (">=", |order| order.is_some_and(Ordering::is_ge)),
    ("=", |order| order == Some(Ordering::Equal)),
    ("<", |order| order.is_some_and(Ordering::is_lt)),
    (">", |order| order.is_some_and(Ordering::is_gt)),
];

/// Checks a value that is compared with values of a type, and returns its spelling in rows if it
/// has another one. A bound may be outside the domain.
fn checked(
    is_equality: bool,
    ty: &Type,
    text: &str,
    path: &str,
) -> Result<Option<String>, InputError> {
    let needs_value = match ty {
        Type::Leaf(leaf) => match leaf.codec.kind() {
            Kind::Uint | Kind::Int | Kind::Float => is_equality || !is_number(text),
            Kind::Text | Kind::Bytes => is_equality,
            Kind::Bool | Kind::Pair => true,
        },
        _ => is_equality,
    };
    let datum = match value::datum(ty, Argument::Text(text.to_owned()), path) {
        Ok(datum) => datum,
        Err(_) if !needs_value => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut json = Vec::new();
    put_datum(Some(ty), &datum, &mut json);
    Ok(match serde_json::from_slice(&json) {
        Ok(Json::String(text)) => Some(text),
        _ => None,
    })
}

fn is_number(text: &str) -> bool {
    Decimal::parse(text).is_some() || text.parse::<f64>().is_ok()
}

impl FromStr for Condition {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        // clap prints the error, but no help.
        let wrong = || {
            InputError::without_help(format!(
                "`{text}` is not a condition: write a path, one of `=`, `!=`, `<`, `<=`, `>`, \
                 `>=`, and a value, such as `value.status=open`"
            ))
        };
        let at = text.find(['!', '<', '>', '=']).ok_or_else(wrong)?;
        let (path, rest) = text.split_at(at);
        let operator =
            OPERATORS.into_iter().find(|(sign, _)| rest.starts_with(sign)).ok_or_else(wrong)?;
        let path: Vec<String> = path.trim().split('.').map(str::to_owned).collect();
        if path.iter().any(String::is_empty) {
            return Err(wrong());
        }
        let value = rest.get(operator.0.len()..).unwrap_or_default().trim().to_owned();
        Ok(Condition { path, operator, value })
    }
}

/// The members of a row beside its fields and its value.
const OTHERS: [&str; 4] = ["store", "keyspace", "reads", "raw"];
const STATES: [&str; 4] = ["ready", "waiting", "leased", "dead"];

/// The values that a member of a row can have.
#[derive(Clone, Copy, Debug)]
enum Form<'l> {
    Typed(&'l Type),
    /// The fields of an arm.
    Arm(&'l Vec<Segment>),
    Number,
    State,
    /// The layout does not restrict the member.
    Any,
}

impl Form<'_> {
    /// Lists the names of the parts. Only forms without parts can be compared.
    fn parts(self) -> Vec<String> {
        match self {
            Self::Typed(Type::Leaf(leaf)) if leaf.codec.kind() == Kind::Pair => {
                vec!["0".to_owned(), "1".to_owned()]
            }
            Self::Typed(Type::Composite(segments)) | Self::Arm(segments) => field_names(segments),
            Self::Typed(Type::Variant(arms)) => arms.iter().map(|arm| arm.name.clone()).collect(),
            Self::Typed(Type::List(_)) => vec!["0".to_owned()],
            Self::Typed(Type::Leaf(_) | Type::Enum(_)) | Self::Number | Self::State | Self::Any => {
                Vec::new()
            }
        }
    }

    /// Returns the form of a part.
    fn part(self, name: &str) -> Option<Self> {
        match self {
            Self::Typed(Type::Leaf(_)) => {
                self.parts().iter().any(|part| part == name).then_some(Self::Number)
            }
            Self::Typed(Type::Composite(segments)) | Self::Arm(segments) => {
                field(segments, name).map(|field| Self::Typed(&field.ty))
            }
            Self::Typed(Type::Variant(arms)) => {
                arms.iter().find(|arm| arm.name == name).map(|arm| Self::Arm(&arm.segments))
            }
            Self::Typed(Type::List(list)) => {
                name.parse::<usize>().ok().map(|_| Self::Typed(&list.element))
            }
            Self::Typed(Type::Enum(_)) | Self::Number | Self::State => None,
            Self::Any => Some(Self::Any),
        }
    }
}

/// Lists the members that the rows of a filter can have, without [`OTHERS`].
fn members<'l>(layout: &'l Layout, filter: &RowFilter) -> Vec<(&'l str, Form<'l>)> {
    fn of_key(keyspace: &Keyspace) -> Vec<(&str, Form<'_>)> {
        let fields = fields(&keyspace.key).into_iter();
        fields.map(|field| (field.name.as_str(), Form::Typed(&field.ty))).collect()
    }
    fn value(keyspace: &Keyspace) -> Form<'_> {
        match (&keyspace.value, &keyspace.reads) {
            (Some(RowValue::Typed(typed)), None) => Form::Typed(&typed.ty),
            _ => Form::Any,
        }
    }
    let owner = layout.keyspace(filter.keyspace);
    let mut members = of_key(owner);
    let typed = |ty: &'l Option<Arc<Type>>| ty.as_deref().map_or(Form::Any, Form::Typed);
    match (owner.kind, filter.field) {
        (KeyspaceKind::Hash, Some(field)) => {
            members.extend(of_key(layout.keyspace(field)));
            members.push(("value", value(layout.keyspace(field))));
        }
        // Each field of a hash has its own key and value.
        (KeyspaceKind::Hash, None) => {
            let of_hash = |other: &&Keyspace| other.hash == Some(filter.keyspace);
            let inner = layout.keyspaces.iter().filter(of_hash).flat_map(of_key);
            members.extend(inner.map(|(name, _)| (name, Form::Any)));
            members.push(("value", Form::Any));
        }
        (KeyspaceKind::Set, _) => members.push(("member", typed(&owner.member))),
        (KeyspaceKind::Zset, _) => {
            members.extend([("member", typed(&owner.member)), ("score", typed(&owner.score))]);
        }
        (KeyspaceKind::Queue, _) => {
            members.extend([("member", typed(&owner.member)), ("score", typed(&owner.score))]);
            members.extend([("state", Form::State), ("again", typed(&owner.score))]);
            members.extend(["at", "attempts", "token"].map(|name| (name, Form::Number)));
        }
        (
            KeyspaceKind::Item | KeyspaceKind::Map | KeyspaceKind::Index | KeyspaceKind::Sequence,
            _,
        ) => members.push(("value", value(owner))),
    }
    members
}

impl Condition {
    /// Checks that conditions name members that the selected rows can have, and that a row can
    /// fulfil them. Converts values to the spelling of rows.
    ///
    /// # Errors
    /// If a member does not exist, or a value is not one of its values.
    pub fn check(
        conditions: &mut [Condition],
        layout: &Layout,
        filter: &RowFilter,
    ) -> Result<(), InputError> {
        let members = members(layout, filter);
        conditions.iter_mut().try_for_each(|condition| condition.check_one(&members))
    }

    fn check_one(&mut self, members: &[(&str, Form<'_>)]) -> Result<(), InputError> {
        let is_member = |name: &str| members.iter().any(|(known, _)| *known == name);
        let path = match self.path.as_slice() {
            [object, rest @ ..]
                if !rest.is_empty()
                    && ["fields", "hash"].contains(&&**object)
                    && !is_member(object) =>
            {
                rest
            }
            path => path,
        };
        let Some((name, parts)) = path.split_first() else { return Ok(()) };
        let Some((_, form)) = members.iter().find(|(known, _)| known == name) else {
            if OTHERS.contains(&name.as_str()) {
                return Ok(());
            }
            let known: Vec<String> = members.iter().map(|(name, _)| (*name).to_owned()).collect();
            return Err(InputError::unknown_field(name, &known));
        };
        let (mut form, mut path) = (*form, name.clone());
        for part in parts {
            let known = form.parts();
            form = form.part(part).ok_or_else(|| match known.is_empty() {
                true => InputError::new(
                    format!("field `{path}`: it has no part `{part}`"),
                    "leave the part out; the value is not composite",
                ),
                false => InputError::unknown_field(&format!("{path}.{part}"), &known),
            })?;
            path = format!("{path}.{part}");
        }
        if let Some(first) = form.parts().first() {
            let expected = format_args!("one of its parts, such as `{path}.{first}`");
            return Err(wrong_kind(expected, "the whole field").in_field(&path));
        }
        match form {
            Form::Typed(ty) => {
                let is_equality = matches!(self.operator.0, "=" | "!=");
                if let Some(value) = checked(is_equality, ty, &self.value, &path)? {
                    self.value = value;
                }
                Ok(())
            }
            Form::Arm(_) => Err(wrong_kind("an arm with fields", "the whole arm").in_field(&path)),
            Form::Number if !is_number(&self.value) => {
                Err(not_a_number(&self.value).in_field(&path))
            }
            Form::State if !STATES.contains(&self.value.as_str()) => {
                let known = STATES.map(str::to_owned);
                Err(unknown_choice(&self.value, "states", &known).in_field(&path))
            }
            Form::Number | Form::State | Form::Any => Ok(()),
        }
    }

    /// Whether all conditions hold for an entry.
    pub fn all_hold(conditions: &[Condition], layout: &Layout, entry: &Entry) -> bool {
        if conditions.is_empty() {
            return true;
        }
        let mut line = Vec::new();
        entry_json::put_listed(layout, entry, &mut line);
        let Ok(row) = serde_json::from_slice::<Json>(&line) else { return false };
        conditions.iter().all(|condition| condition.holds(&row))
    }

    /// Whether the condition holds. A row without the member fulfils no condition.
    fn holds(&self, row: &Json) -> bool {
        let found = [row.get("fields"), row.get("hash"), Some(row)]
            .into_iter()
            .flatten()
            .find_map(|object| self.path.iter().try_fold(object, |json, name| member(json, name)));
        let Some(found) = found else { return false };
        let (_, holds) = self.operator;
        holds(compare(found, &self.value))
    }
}

fn member<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    match json {
        Json::Array(elements) => elements.get(name.parse::<usize>().ok()?),
        json => json.get(name),
    }
}

/// Compares a value with a text: as numbers if both are numbers, otherwise as texts.
fn compare(found: &Json, text: &str) -> Option<Ordering> {
    let found = match found {
        Json::String(found) => found.clone(),
        Json::Number(_) | Json::Bool(_) | Json::Null => found.to_string(),
        Json::Array(_) | Json::Object(_) => return None,
    };
    if let (Some(one), Some(other)) = (Decimal::parse(&found), Decimal::parse(text)) {
        return Some(one.cmp(&other));
    }
    if let (Ok(one), Ok(other)) = (found.parse::<f64>(), text.parse::<f64>()) {
        return one.partial_cmp(&other);
    }
    Some(found.as_str().cmp(text))
}

/// A decimal number of any size without an exponent: sign, digits, digits after the point.
struct Decimal<'t> {
    is_negative: bool,
    whole: &'t str,
    fraction: &'t str,
}

impl<'t> Decimal<'t> {
    fn parse(text: &'t str) -> Option<Decimal<'t>> {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !are_digits(whole) || !are_digits(fraction) {
            return None;
        }
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let is_negative = is_negative && !(whole.is_empty() && fraction.is_empty());
        Some(Decimal { is_negative, whole, fraction })
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let size = |number: &Self| (number.whole.len(), number.whole.to_owned());
        let by_size = size(self).cmp(&size(other)).then_with(|| self.fraction.cmp(other.fraction));
        match (self.is_negative, other.is_negative) {
            (false, false) => by_size,
            (true, true) => by_size.reverse(),
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
        }
    }
}
