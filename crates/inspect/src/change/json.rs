//! Findings as JSON: one object per line.

use super::{Age, Change, words::unknown};
use crate::claim_json::{ReadingObject, RowObject, SpanObject, datum_json, record_json};
use keyscape_diagnostics::bytes::hex;
use keyscape_evolution::{
    AccessFault, Fault, ForwardFault, IndexChange, IndexFault, Level, OrderFault, Part, Readings,
    RetiredFault, ValueFault,
};
use keyscape_layout::{Layout, Record, model::Keyspace};
use keyscape_prover::Row;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

#[derive(Serialize)]
struct ChangeLine<'a> {
    rule: &'static str,
    name: &'static str,
    required: bool,
    verdict: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<KeyspaceObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<KeyspaceObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<FaultObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    minimal: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<SpanObject<'a>>,
}

#[derive(Serialize)]
struct KeyspaceObject<'a> {
    store: &'a str,
    keyspace: &'a str,
}

/// A counterexample; the keys depend on the rule.
#[derive(Serialize)]
#[serde(untagged)]
enum FaultObject<'a> {
    /// KS101.
    Lost { part: &'static str, row: RowObject<'a> },
    /// KS102 and KS103, and KS105 and KS106 with a fault.
    Readings {
        part: &'static str,
        key: String,
        old: ReadingObject<'a>,
        new: ReadingObject<'a>,
        #[serde(flatten)]
        fault: Option<NamedFault<'a>>,
    },
    /// KS104, and KS106 with a fault.
    Value {
        written: &'a str,
        read: &'a [String],
        #[serde(flatten)]
        example: Option<ValueObject>,
        #[serde(flatten)]
        fault: Option<NamedFault<'a>>,
    },
    /// KS105, KS106 and KS107.
    Named(NamedFault<'a>),
    /// KS107.
    Order { fault: &'static str, scan: &'a str, rows: [RowObject<'a>; 2], new_keys: [String; 2] },
    /// KS108.
    Retired {
        namespace: &'a str,
        prefix: String,
        deprecated: bool,
        reason: &'a str,
        #[serde(flatten)]
        fault: NamedFault<'a>,
    },
    /// KS109.
    Scan { scan: &'a str },
    /// KS109.
    Index { index: bool },
    /// KS110.
    Limit { backend: &'static str, longest_key: usize, length: usize, row: RowObject<'a> },
}

/// The name of a fault, for rules with several faults.
#[derive(Default, Serialize)]
struct NamedFault<'a> {
    fault: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    records: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<RowObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    new_key: Option<String>,
}

/// A value that is not read, or read as another value.
#[derive(Serialize)]
struct ValueObject {
    bytes: String,
    value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_as: Option<Box<RawValue>>,
}

impl<'a> Change<'a> {
    /// Returns the finding as one object.
    pub fn object(&self, level: Level) -> Value {
        // INVARIANT: all keys of maps are texts, so this does not fail.
        serde_json::to_value(self.line(level)).unwrap_or_default()
    }

    fn line(&self, level: Level) -> ChangeLine<'a> {
        let keyspace = |layout: &'a Layout, found: Option<&'a Keyspace>| {
            let found = found?;
            Some(KeyspaceObject { store: &layout.store(found.store).name, keyspace: &found.name })
        };
        let fault = self.finding.fault.as_ref();
        ChangeLine {
            rule: self.finding.rule.code(),
            name: self.finding.rule.name(),
            required: level.requires(self.finding.rule),
            verdict: if fault.is_ok() { "found" } else { "unknown" },
            message: self.title(),
            old: keyspace(self.old, self.old_keyspace()),
            new: keyspace(self.new, self.new_keyspace()),
            counterexample: fault.ok().map(|fault| self.fault(fault)),
            minimal: fault.ok().map(|_| self.finding.minimal),
            reason: fault.err().map(unknown),
            help: self.help(),
            span: self.place().map(|(sources, span)| SpanObject::new(sources, span)),
        }
    }

    fn fault(&self, fault: &'a Fault) -> FaultObject<'a> {
        match fault {
            Fault::Lost { part, row } => {
                FaultObject::Lost { part: name(*part), row: self.row_object(Age::Old, *part, row) }
            }
            Fault::Reread { part, readings } => self.readings_object(*part, readings, None),
            Fault::Captured { readings } => self.readings_object(Part::Key, readings, None),
            Fault::Value(fault) => value_object(fault, None),
            Fault::Index(fault) => self.index_object(fault),
            Fault::Forward(ForwardFault::Unread(row)) => {
                let row = Some(self.key_object(Age::New, row));
                FaultObject::Named(NamedFault { row, ..named("unread") })
            }
            Fault::Forward(ForwardFault::Misread(readings)) => {
                self.readings_object(Part::Key, readings, Some(named("misread")))
            }
            Fault::Forward(ForwardFault::Value(fault)) => value_object(fault, Some(named("value"))),
            Fault::Order(OrderFault::Order { scan, first, second, new_keys }) => {
                FaultObject::Order {
                    fault: "order",
                    scan,
                    rows: [first, second].map(|row| self.key_object(Age::Old, row)),
                    new_keys: [hex(&new_keys.0), hex(&new_keys.1)],
                }
            }
            Fault::Order(OrderFault::Cursor { row, new_key }) => FaultObject::Named(NamedFault {
                row: Some(self.key_object(Age::Old, row)),
                new_key: Some(hex(new_key)),
                ..named("cursor")
            }),
            Fault::Order(OrderFault::Renamed) => FaultObject::Named(named("renamed")),
            Fault::Retired(fault) => {
                let (place, fault) = match fault {
                    RetiredFault::Used(place, row) => {
                        let row = Some(self.key_object(Age::New, row));
                        (place, NamedFault { row, ..named("used") })
                    }
                    RetiredFault::Dropped(place) => (place, named("dropped")),
                };
                FaultObject::Retired {
                    namespace: &place.namespace,
                    prefix: hex(&place.prefix),
                    deprecated: place.deprecated,
                    reason: &place.reason,
                    fault,
                }
            }
            Fault::Access(AccessFault::Scan(scan)) => FaultObject::Scan { scan },
            Fault::Access(AccessFault::Index) => FaultObject::Index { index: true },
            Fault::Limit { backend, row, length } => FaultObject::Limit {
                backend: backend.name,
                longest_key: backend.longest_key,
                length: *length,
                row: self.key_object(Age::Old, row),
            },
        }
    }

    fn index_object(&self, fault: &'a IndexFault) -> FaultObject<'a> {
        let changed = |change| NamedFault { change: Some(change), ..named("changed") };
        FaultObject::Named(match fault {
            IndexFault::Added => named("added"),
            IndexFault::Removed => named("removed"),
            IndexFault::RecordsAdded(word) => {
                NamedFault { records: Some(word), ..named("records added") }
            }
            IndexFault::RecordsRemoved(word) => {
                NamedFault { records: Some(word), ..named("records removed") }
            }
            IndexFault::Changed(change) => match change {
                IndexChange::Map => changed("map"),
                IndexChange::Field(field) => NamedFault { field: Some(field), ..changed("field") },
                IndexChange::Wider(field) => NamedFault { field: Some(field), ..changed("wider") },
                IndexChange::Value => changed("value"),
                IndexChange::Unique => changed("unique"),
                IndexChange::Lost(row) => {
                    NamedFault { row: Some(self.key_object(Age::Old, row)), ..changed("lost") }
                }
                IndexChange::Reread(readings) => {
                    return self.readings_object(Part::Key, readings, Some(changed("reread")));
                }
            },
        })
    }

    fn readings_object(
        &self,
        part: Part,
        readings: &Readings,
        fault: Option<NamedFault<'a>>,
    ) -> FaultObject<'a> {
        let reading = |age: Age, row: &Row| {
            let RowObject { keyspace, fields, .. } = self.row_object(age, part, row);
            ReadingObject { keyspace, fields }
        };
        FaultObject::Readings {
            part: name(part),
            key: hex(&readings.old.key),
            old: reading(Age::Old, &readings.old),
            new: reading(Age::New, &readings.new),
            fault,
        }
    }

    fn key_object(&self, age: Age, row: &Row) -> RowObject<'a> {
        self.row_object(age, Part::Key, row)
    }

    fn row_object(&self, age: Age, part: Part, row: &Row) -> RowObject<'a> {
        RowObject {
            key: hex(&row.key),
            keyspace: self.name(age, row.keyspace, part),
            fields: record_json(&self.segments(age, part, row.keyspace), &row.fields),
        }
    }
}

fn value_object<'a>(fault: &'a ValueFault, named: Option<NamedFault<'a>>) -> FaultObject<'a> {
    let value = |record: &Record| record.get("value").map(datum_json);
    let example = fault.example.as_ref().map(|example| ValueObject {
        bytes: hex(&example.bytes),
        value: value(&example.written),
        read_as: example.read.as_ref().and_then(value),
    });
    FaultObject::Value { written: &fault.written, read: &fault.read, example, fault: named }
}

fn named<'a>(fault: &'static str) -> NamedFault<'a> {
    NamedFault { fault, ..NamedFault::default() }
}

const fn name(part: Part) -> &'static str {
    match part {
        Part::Key => "key",
        Part::Member => "member",
        Part::Score => "score",
    }
}
