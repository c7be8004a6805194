//! Conditions on decoded rows: `value.status=open`, `amount>=100`.

use super::Entry;
use crate::{entry_json, input::InputError};
use keyscape_layout::{
    Layout, fields,
    model::{KeyspaceId, KeyspaceKind},
};
use serde_json::Value as Json;
use std::{cmp::Ordering, str::FromStr};

/// A condition on a member of the JSON of a row.
#[derive(Clone, Debug)]
pub struct Condition {
    path: Vec<String>,
    operator: Operator,
    value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The operators, those with two characters first.
const OPERATORS: [(&str, Operator); 6] = [
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

impl FromStr for Condition {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let wrong = || InputError::NotCondition { given: text.to_owned() };
        let at = text.find(['!', '<', '>', '=']).ok_or_else(wrong)?;
        let (path, rest) = text.split_at(at);
        let (sign, operator) =
            OPERATORS.into_iter().find(|(sign, _)| rest.starts_with(sign)).ok_or_else(wrong)?;
        let path: Vec<String> = path.trim().split('.').map(str::to_owned).collect();
        if path.iter().any(String::is_empty) {
            return Err(wrong());
        }
        let value = rest.get(sign.len()..).unwrap_or_default().trim().to_owned();
        Ok(Condition { path, operator, value })
    }
}

/// The members of a row beside the fields of its key.
const MEMBERS: [&str; 6] = ["value", "store", "keyspace", "fields", "reads", "raw"];

impl Condition {
    /// Checks that conditions name members that the rows of a keyspace can have. The members of
    /// structures depend on the record.
    pub fn check(
        conditions: &[Condition],
        layout: &Layout,
        id: KeyspaceId,
    ) -> Result<(), InputError> {
        use KeyspaceKind::{Index, Item, Map, Sequence};
        let keyspace = layout.keyspace(id);
        if !matches!(keyspace.kind, Item | Map | Index | Sequence) {
            return Ok(());
        }
        let own = fields(&keyspace.key).into_iter().map(|field| field.name.as_str());
        let known: Vec<&str> = own.chain(MEMBERS).collect();
        for name in conditions.iter().filter_map(|condition| condition.path.first()) {
            if !known.contains(&name.as_str()) {
                return Err(InputError::Unknown {
                    what: "field",
                    given: name.clone(),
                    kinds: "fields",
                    known: known
                        .iter()
                        .take(known.len() - MEMBERS.len() + 1)
                        .map(|&name| name.to_owned())
                        .collect(),
                });
            }
        }
        Ok(())
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
        let order = compare(found, &self.value);
        match self.operator {
            Operator::Equal => order == Some(Ordering::Equal),
            Operator::NotEqual => order != Some(Ordering::Equal),
            Operator::Less => order.is_some_and(Ordering::is_lt),
            Operator::LessOrEqual => order.is_some_and(Ordering::is_le),
            Operator::Greater => order.is_some_and(Ordering::is_gt),
            Operator::GreaterOrEqual => order.is_some_and(Ordering::is_ge),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_compare_numbers_of_any_size_and_texts() {
        let row: Json = serde_json::from_str(
            r#"{"store":"s","keyspace":"m","fields":{"id":"340282366920938463463374607431768211456"},
               "value":{"status":"open","tags":["a","b"],"price":-9.50,"n":null}}"#,
        )
        .unwrap();
        let holds = |text: &str| text.parse::<Condition>().unwrap().holds(&row);
        for text in [
            "value.status=open",
            "value.status != closed",
            "value.tags.1=b",
            "id>340282366920938463463374607431768211455",
            "id<=340282366920938463463374607431768211456",
            "value.price=-9.5",
            "value.price<-9.4",
            "value.n=null",
            "value.status>closed",
        ] {
            assert!(holds(text), "{text}");
        }
        for text in ["value.price>0", "value.missing=1", "value.missing!=1", "value.tags=a", "id<9"]
        {
            assert!(!holds(text), "{text}");
        }
        for text in ["value", "=1", "value..x=1", "!x"] {
            assert!(text.parse::<Condition>().is_err(), "{text}");
        }
    }
}
