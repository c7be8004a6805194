//! Parses the JSON lines of `export` to entries.

use super::{
    InputError,
    argument::{Argument, Parts},
    json,
    key::{KeyError, read_hex},
    name, value,
};
use crate::database::{Body, Entry, Part, QueueItem, RowFilter, Stored, family_name};
use keyscape_inspect::message;
use keyscape_layout::{
    Datum, Layout, Message, Record, RowDatum,
    model::{Keyspace, KeyspaceId, KeyspaceKind, RowValue, Type},
};
use keyscape_runtime::record::{Family, Kind, State};
use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, value::RawValue};

/// A parsed line.
#[derive(Debug)]
pub(crate) enum Line {
    /// An entry that is written with its index entries and counts.
    Entry(Entry),
    /// A single record that is written unchanged.
    Record(Entry),
    /// A row as bytes. It may belong to a keyspace.
    Unknown { space: String, key: Vec<u8>, value: Vec<u8> },
}

/// An error in a line.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error("it is not an object in the format of `export`: {}", json_words(.0))]
    Json(#[from] serde_json::Error),
    #[error("it is not an object in the format of `export`")]
    NotObject,
    #[error("`{0}` is missing")]
    Missing(&'static str),
    #[error("`{0}` is not allowed here")]
    NotAllowed(&'static str),
    #[error("`{what}`: {source}")]
    Bytes { what: &'static str, source: KeyError },
    #[error("`{what}` must be {expected}")]
    Shape { what: &'static str, expected: &'static str },
    #[error("`{keyspace}` has no records of family `{given}`")]
    Family { keyspace: String, given: String },
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Formats a JSON error with its column, without its line number.
fn json_words(error: &serde_json::Error) -> String {
    let (text, place) = (error.to_string(), format!(" at line {} column ", error.line()));
    let what = text.split(&place).next().unwrap_or(&text);
    // Omits the list of all possible names.
    let what = what.split(", expected one of ").next().unwrap_or(what);
    match error.column() {
        0 => what.to_owned(),
        column => format!("{what} (column {column})"),
    }
}

impl LineError {
    /// Returns the `help:` line.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            Self::Input(InputError::NoValue { .. }) => Some("give `value`".to_owned()),
            Self::Input(error) => error.help(),
            _ => None,
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct Object<'a> {
    store: Option<String>,
    keyspace: Option<String>,
    key: Option<String>,
    hash: Option<Json>,
    fields: Option<Json>,
    family: Option<String>,
    member: Option<Json>,
    score: Option<Json>,
    again: Option<Json>,
    state: Option<String>,
    at: Option<Json>,
    attempts: Option<Json>,
    token: Option<Json>,
    number: Option<Json>,
    level: Option<Json>,
    from: Option<String>,
    children: Option<Json>,
    members: Option<Json>,
    #[serde(borrow, default, deserialize_with = "present")]
    value: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    reads: Option<&'a RawValue>,
    raw: Option<String>,
}

/// Treats an explicit `null` as present.
fn present<'de, D: Deserializer<'de>>(from: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(from).map(Some)
}

impl Line {
    /// Returns the line of a decoded row. Index entries and records of structures are written
    /// unchanged.
    pub(crate) fn of(layout: &Layout, entry: Entry) -> Self {
        let is_index = layout.keyspace(entry.keyspace).kind == KeyspaceKind::Index;
        if is_index || matches!(entry.body, Body::Part { .. }) {
            Self::Record(entry)
        } else {
            Self::Entry(entry)
        }
    }

    /// Parses a line.
    pub(crate) fn read(layout: &Layout, text: &str) -> Result<Self, LineError> {
        // serde would accept an array as the values of an object, in order.
        if text.starts_with('[') {
            return Err(LineError::NotObject);
        }
        let object: Object<'_> = json::parse(text)?;
        let Some(keyspace) = &object.keyspace else { return object.unknown() };
        if object.key.is_some() {
            return Err(LineError::NotAllowed("key"));
        }
        let name = match &object.store {
            Some(store) => format!("{store}/{keyspace}"),
            None => keyspace.clone(),
        };
        let id = name::keyspace(layout, &name)?;
        object.entry(layout, id)
    }
}

impl Object<'_> {
    fn unknown(&self) -> Result<Line, LineError> {
        let key = self.key.as_deref().ok_or(LineError::Missing("keyspace"))?;
        let space = self.store.clone().ok_or(LineError::Missing("store"))?;
        let value = self.value.ok_or(LineError::Missing("value"))?;
        let shape = LineError::Shape { what: "value", expected: "hexadecimal digits" };
        let value: String = serde_json::from_str(value.get()).map_err(|_| shape)?;
        let (key, value) = (digits("key", key)?, digits("value", &value)?);
        Ok(Line::Unknown { space, key, value })
    }

    fn entry(self, layout: &Layout, id: KeyspaceId) -> Result<Line, LineError> {
        let named = layout.keyspace(id);
        if named.hash.is_some() {
            return self.hash_field(layout, id);
        }
        if self.hash.is_some() {
            return Err(LineError::NotAllowed("hash"));
        }
        let is_structure = matches!(
            named.kind,
            KeyspaceKind::Hash | KeyspaceKind::Set | KeyspaceKind::Zset | KeyspaceKind::Queue
        );
        match &self.family {
            Some(_) if !is_structure => Err(LineError::NotAllowed("family")),
            Some(family) => {
                let family = family_of(named, family)?;
                let part = self.part(named, family)?;
                let key = record(named, self.fields)?;
                Ok(Line::of(layout, Entry { keyspace: id, key, body: Body::Part { family, part } }))
            }
            None if is_structure => self.member(layout, id),
            None => {
                let value = self.stored(named)?;
                let key = record(named, self.fields)?;
                Ok(Line::of(layout, Entry { keyspace: id, key, body: Body::Row(value) }))
            }
        }
    }

    fn hash_field(self, layout: &Layout, id: KeyspaceId) -> Result<Line, LineError> {
        let named = layout.keyspace(id);
        let value = self.stored(named)?;
        let hash = named.hash.unwrap_or(id);
        let key = record(layout.keyspace(hash), self.hash)?;
        let fields = record(named, self.fields)?;
        Ok(Line::Entry(Entry { keyspace: hash, key, body: Body::Field { id, fields, value } }))
    }

    /// Returns a member of a structure without a family, which is written as by `put`.
    fn member(self, layout: &Layout, id: KeyspaceId) -> Result<Line, LineError> {
        for (name, given) in [("state", self.state.is_some()), ("token", self.token.is_some())] {
            if given {
                return Err(LineError::NotAllowed(name));
            }
        }
        let named = layout.keyspace(id);
        let key = record(named, self.fields)?;
        let member = typed("member", named.member.as_deref(), self.member)?;
        let score = |score| typed("score", named.score.as_deref(), Some(score));
        let score = self.score.map(score).transpose()?;
        let filter = RowFilter { key, member: Some(member), score, ..RowFilter::all(id) };
        let entry = filter.entry(layout, Stored::Raw(Vec::new()));
        let entry = entry.map_err(|source| InputError::encode(&source, &[]))?;
        Ok(Line::Entry(entry))
    }

    fn stored(&self, keyspace: &Keyspace) -> Result<Stored, LineError> {
        match (self.value, self.reads, &self.raw) {
            (value, None, None) => {
                Ok(Stored::Value(row_datum(keyspace.value.as_ref(), &keyspace.name, value)?))
            }
            (None, Some(reads), None) if keyspace.reads.is_some() => {
                let datum = row_datum(keyspace.reads.as_ref(), &keyspace.name, Some(reads))?;
                Ok(Stored::Reads(datum))
            }
            (None, None, Some(raw)) => Ok(Stored::Raw(bytes("raw", raw)?)),
            (_, Some(_), _) => Err(LineError::NotAllowed("reads")),
            (_, _, Some(_)) => Err(LineError::NotAllowed("raw")),
        }
    }

    fn part(&self, keyspace: &Keyspace, family: Family) -> Result<Part, LineError> {
        let member = || typed("member", keyspace.member.as_deref(), self.member.clone());
        let score = || typed("score", keyspace.score.as_deref(), self.score.clone());
        Ok(match family {
            Family::Count | Family::Token => Part::Number(integer("number", &self.number)?),
            Family::Rank => Part::Rank {
                level: integer("level", &self.level)?,
                from: bytes("from", self.from.as_deref().ok_or(LineError::Missing("from"))?)?,
                children: integer("children", &self.children)?,
                members: integer("members", &self.members)?,
            },
            Family::Score | Family::Ready => Part::Scored { score: score()?, member: member()? },
            Family::Member if keyspace.kind == KeyspaceKind::Zset => {
                Part::Scored { score: score()?, member: member()? }
            }
            Family::Waiting | Family::Leased => {
                Part::Timed { at: integer("at", &self.at)?, member: member()? }
            }
            Family::Item => {
                let again =
                    |again: &Json| typed("again", keyspace.score.as_deref(), Some(again.clone()));
                let item = QueueItem {
                    state: self.state()?,
                    attempts: integer("attempts", &self.attempts)?,
                    token: integer("token", &self.token)?,
                    score: score()?,
                    again: self.again.as_ref().map(again).transpose()?,
                };
                Part::Item { member: member()?, item }
            }
            Family::Member | Family::Dead | Family::Field => Part::Member { member: member()? },
        })
    }

    fn state(&self) -> Result<State, LineError> {
        let at = || integer("at", &self.at);
        match self.state.as_deref().ok_or(LineError::Missing("state"))? {
            "ready" => Ok(State::Ready),
            "waiting" => Ok(State::Waiting(at()?)),
            "leased" => Ok(State::Leased(at()?)),
            "dead" => Ok(State::Dead),
            _ => {
                let expected = "`ready`, `waiting`, `leased` or `dead`";
                Err(LineError::Shape { what: "state", expected })
            }
        }
    }
}

fn family_of(keyspace: &Keyspace, given: &str) -> Result<Family, LineError> {
    let kind = match keyspace.kind {
        KeyspaceKind::Set => Kind::Set,
        KeyspaceKind::Zset => Kind::Zset,
        KeyspaceKind::Queue => Kind::Queue,
        _ => Kind::Row,
    };
    let found = kind.families().iter().find(|family| family_name(**family) == given);
    let wrong = || LineError::Family { keyspace: keyspace.name.clone(), given: given.to_owned() };
    found.copied().ok_or_else(wrong)
}

fn record(keyspace: &Keyspace, json: Option<Json>) -> Result<Record, LineError> {
    let parts = match json.map(Argument::from) {
        Some(Argument::Parts(parts)) => parts,
        None => Parts::new(),
        Some(_) => return Err(LineError::Shape { what: "fields", expected: "an object" }),
    };
    Ok(value::record(&keyspace.key, parts, "")?)
}

fn typed(what: &'static str, ty: Option<&Type>, json: Option<Json>) -> Result<Datum, LineError> {
    let ty = ty.ok_or(LineError::NotAllowed(what))?;
    let json = json.ok_or(LineError::Missing(what))?;
    Ok(value::datum(ty, json.into(), what)?)
}

fn integer<T: TryFrom<u64>>(what: &'static str, json: &Option<Json>) -> Result<T, LineError> {
    let shape = LineError::Shape { what, expected: "an integer in the supported range" };
    let text = match json {
        Some(Json::Number(number)) => number.to_string(),
        Some(Json::String(text)) => text.clone(),
        Some(_) => return Err(shape),
        None => return Err(LineError::Missing(what)),
    };
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse::<u64>().ok().filter(|_| is_digits);
    number.and_then(|number| T::try_from(number).ok()).ok_or(shape)
}

fn bytes(what: &'static str, text: &str) -> Result<Vec<u8>, LineError> {
    if !text.starts_with("0x") {
        return Err(LineError::Shape { what, expected: "`0x` and hexadecimal digits" });
    }
    digits(what, text)
}

/// Reads hexadecimal digits, with or without `0x`.
fn digits(what: &'static str, text: &str) -> Result<Vec<u8>, LineError> {
    let mut bytes = Vec::new();
    read_hex(text.as_bytes(), &mut bytes).map_err(|source| LineError::Bytes { what, source })?;
    Ok(bytes)
}

/// Decodes the value of a row from the JSON text of the line. Values of the form `json`, and
/// messages as JSON objects, keep their text.
fn row_datum(
    form: Option<&RowValue>,
    what: &str,
    json: Option<&RawValue>,
) -> Result<RowDatum, InputError> {
    let argument = match (form, json.map(RawValue::get)) {
        (_, None) => None,
        (Some(RowValue::Json(_)), Some(text)) => Some(Argument::Text(text.to_owned())),
        (Some(RowValue::Proto(Message { descriptor: Some(_), .. })), Some(text))
            if text.starts_with('{') =>
        {
            Some(Argument::Text(text.to_owned()))
        }
        (_, Some(text)) => {
            let json: Option<Json> =
                serde_json::from_str(text).map_err(|source| InputError::not_json(&source))?;
            json.map(Argument::from)
        }
    };
    row_value(form, what, argument)
}

/// Decodes the value of a row from an argument. `what` names the value in errors.
pub(crate) fn row_value(
    form: Option<&RowValue>,
    what: &str,
    given: Option<Argument>,
) -> Result<RowDatum, InputError> {
    let constant = match form {
        Some(RowValue::Empty) => Some(&[][..]),
        Some(RowValue::Const(bytes)) => Some(bytes.as_slice()),
        _ => None,
    };
    if let Some(constant) = constant {
        let Some(given) = given else { return Ok(RowDatum::Nothing) };
        let text = text_of(&given);
        let is_constant =
            text.starts_with("0x") && bytes("value", &text).is_ok_and(|bytes| bytes == constant);
        return match is_constant {
            true => Ok(RowDatum::Nothing),
            false => Err(takes_no_value(&format!("`{what}`"), &text)),
        };
    }
    let given = given.ok_or_else(|| InputError::NoValue { what: format!("`{what}`") })?;
    match form {
        Some(RowValue::Json(_)) => {
            let text = text_of(&given);
            match json::parse::<serde::de::IgnoredAny>(&text) {
                Ok(_) => Ok(RowDatum::Json(text.trim().to_owned())),
                Err(source) => Err(InputError::not_json(&source)),
            }
        }
        Some(RowValue::Proto(Message { descriptor: Some(descriptor), .. }))
            if !text_of(&given).starts_with("0x") =>
        {
            Ok(RowDatum::Bytes(message::from_json(descriptor, &text_of(&given))?))
        }
        Some(RowValue::Typed(typed)) => {
            Ok(RowDatum::Datum(value::datum(&typed.ty, given, "value")?))
        }
        Some(RowValue::Empty | RowValue::Const(_) | RowValue::Proto(_) | RowValue::Own(_))
        | None => {
            let bytes = value::plain_bytes(&text_of(&given));
            Ok(RowDatum::Bytes(bytes.map_err(|error| error.in_field("value"))?))
        }
    }
}

/// Returns the error of a value for a row whose value is fixed.
pub(crate) fn takes_no_value(what: &str, given: &str) -> InputError {
    InputError::without_help(format!("{what} takes no value, and `{given}` was given"))
}

fn text_of(given: &Argument) -> String {
    match given {
        Argument::Text(text) | Argument::Json(Json::String(text)) => text.clone(),
        Argument::Json(json) => json.to_string(),
        Argument::Parts(_) => "{…}".to_owned(),
    }
}
