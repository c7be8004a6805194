//! Findings as JSON: one object per line.

use super::{Age, Change, sentences::unknown};
use crate::claim_json::{datum_json, present, record_json, span_object};
use keyscape_diagnostics::bytes::hex;
use keyscape_evolution::{
    AccessFault, Fault, ForwardFault, IndexChange, IndexFault, Level, OrderFault, Part, Readings,
    RetiredFault, ValueFault,
};
use keyscape_layout::{Layout, Record, model::Keyspace};
use keyscape_prover::Row;
use serde_json::{Value, json};

impl<'a> Change<'a> {
    /// Returns the finding as one object.
    pub fn object(&self, level: Level) -> Value {
        let keyspace = |layout: &'a Layout, found: Option<&'a Keyspace>| {
            let found = found?;
            Some(json!({"store": layout.store(found.store).name, "keyspace": found.name}))
        };
        let fault = self.finding.fault.as_ref();
        present(json!({
            "rule": self.finding.rule.code(),
            "name": self.finding.rule.name(),
            "required": level.requires(self.finding.rule),
            "verdict": if fault.is_ok() { "found" } else { "unknown" },
            "message": self.title(),
            "old": keyspace(self.old, self.old_keyspace()),
            "new": keyspace(self.new, self.new_keyspace()),
            "counterexample": fault.ok().map(|fault| self.fault(fault)),
            "minimal": fault.ok().map(|_| self.finding.minimal),
            "reason": fault.err().map(unknown),
            "help": self.help(),
            "span": self.place().map(|(sources, span)| span_object(sources, span)),
        }))
    }

    /// Returns a counterexample, whose members depend on the rule. Rules with several faults name
    /// the fault.
    fn fault(&self, fault: &Fault) -> Value {
        let old = |row: &Row| self.row_object(Age::Old, Part::Key, row);
        let new = |row: &Row| self.row_object(Age::New, Part::Key, row);
        match fault {
            Fault::Lost { part, row } => {
                json!({"part": name(*part), "row": self.row_object(Age::Old, *part, row)})
            }
            Fault::Reread { part, readings } => self.readings_object(*part, readings),
            Fault::Captured { readings } => self.readings_object(Part::Key, readings),
            Fault::Value(fault) => value_object(fault),
            Fault::Index(fault) => self.index_object(fault),
            Fault::Forward(ForwardFault::Unread { part, row }) => {
                let row = self.row_object(Age::New, *part, row);
                json!({"fault": "unread", "part": name(*part), "row": row})
            }
            Fault::Forward(ForwardFault::Misread { part, readings }) => {
                with(self.readings_object(*part, readings), json!({"fault": "misread"}))
            }
            Fault::Forward(ForwardFault::Value(fault)) => {
                with(value_object(fault), json!({"fault": "value"}))
            }
            Fault::Order(OrderFault::Order { scan, first, second, new_keys }) => json!({
                "fault": "order",
                "scan": scan,
                "rows": [old(first), old(second)],
                "new_keys": [hex(&new_keys.0), hex(&new_keys.1)],
            }),
            Fault::Order(OrderFault::Cursor { row, new_key }) => {
                json!({"fault": "cursor", "row": old(row), "new_key": hex(new_key)})
            }
            Fault::Order(OrderFault::Renamed) => json!({"fault": "renamed"}),
            Fault::Retired(fault) => {
                let (place, fault) = match fault {
                    RetiredFault::Used(place, row) => {
                        (place, json!({"fault": "used", "row": new(row)}))
                    }
                    RetiredFault::Dropped(place) => (place, json!({"fault": "dropped"})),
                };
                let retired = json!({
                    "namespace": place.namespace,
                    "prefix": hex(&place.prefix),
                    "deprecated": place.deprecated,
                    "reason": place.reason,
                });
                with(retired, fault)
            }
            Fault::Access(AccessFault::Scan(scan)) => json!({"scan": scan}),
            Fault::Access(AccessFault::Index) => json!({"index": true}),
            Fault::Limit { backend, row, length } => json!({
                "backend": backend.name,
                "longest_key": backend.longest_key,
                "length": length,
                "row": old(row),
            }),
        }
    }

    fn index_object(&self, fault: &IndexFault) -> Value {
        let changed =
            |change: &str, more: Value| with(json!({"fault": "changed", "change": change}), more);
        match fault {
            IndexFault::Added => json!({"fault": "added"}),
            IndexFault::Removed => json!({"fault": "removed"}),
            IndexFault::RecordsAdded(word) => json!({"fault": "records added", "records": word}),
            IndexFault::RecordsRemoved(word) => {
                json!({"fault": "records removed", "records": word})
            }
            IndexFault::Changed(change) => match change {
                IndexChange::Map => changed("map", Value::Null),
                IndexChange::Field(field) => changed("field", json!({"field": field})),
                IndexChange::Wider(field) => changed("wider", json!({"field": field})),
                IndexChange::Value => changed("value", Value::Null),
                IndexChange::Unique => changed("unique", Value::Null),
                IndexChange::Lost(row) => {
                    changed("lost", json!({"row": self.row_object(Age::Old, Part::Key, row)}))
                }
                IndexChange::Reread(readings) => {
                    let fault = changed("reread", Value::Null);
                    with(self.readings_object(Part::Key, readings), fault)
                }
            },
        }
    }

    fn readings_object(&self, part: Part, readings: &Readings) -> Value {
        let reading = |age: Age, row: &Row| json!({"keyspace": self.name(age, row.keyspace, part), "fields": self.fields_object(age, part, row)});
        json!({
            "part": name(part),
            "key": hex(&readings.old.key),
            "old": reading(Age::Old, &readings.old),
            "new": reading(Age::New, &readings.new),
        })
    }

    fn row_object(&self, age: Age, part: Part, row: &Row) -> Value {
        json!({
            "key": hex(&row.key),
            "keyspace": self.name(age, row.keyspace, part),
            "fields": self.fields_object(age, part, row),
        })
    }

    fn fields_object(&self, age: Age, part: Part, row: &Row) -> Value {
        record_json(&self.segments(age, part, row.keyspace), &row.fields)
    }
}

/// Returns a value that is not read, or that is read as another value.
fn value_object(fault: &ValueFault) -> Value {
    let value = |record: &Record| record.get("value").map(datum_json);
    let mut object = json!({"written": fault.written, "read": fault.read});
    if let Some(example) = &fault.example {
        object["bytes"] = json!(hex(&example.bytes));
        object["value"] = json!(value(&example.written));
        if let Some(read) = example.read.as_ref().and_then(value) {
            object["read_as"] = read;
        }
    }
    object
}

/// Appends the members of another object, if it is one.
fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(members), Value::Object(more)) = (&mut object, more) {
        members.extend(more);
    }
    object
}

const fn name(part: Part) -> &'static str {
    match part {
        Part::Key => "key",
        Part::Member => "member",
        Part::Score => "score",
    }
}
