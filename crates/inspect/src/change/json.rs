//! Findings as JSON: one object per line.

use super::{Age, Change, words::unknown};
use crate::claim_json::SpanObject;
use keyscape_diagnostics::{bytes::hex, json::put_record};
use keyscape_evolution::{
    AccessFault, Fault, ForwardFault, IndexChange, IndexFault, Level, OrderFault, Part, Readings,
    RetiredFault, ValueFault,
};
use keyscape_layout::Record;
use keyscape_prover::Row;
use serde_json::{Value, json};

impl Change<'_> {
    /// Returns the finding as one object.
    pub fn object(&self, level: Level) -> Value {
        let keyspace = |age: Age| {
            let (layout, keyspace) = match age {
                Age::Old => (self.old, self.old_keyspace()),
                Age::New => (self.new, self.new_keyspace()),
            };
            keyspace.map(
                |found| json!({"store": layout.store(found.store).name, "keyspace": found.name}),
            )
        };
        let mut object = json!({
            "rule": self.finding.rule.code(),
            "name": self.finding.rule.name(),
            "required": level.requires(self.finding.rule),
            "verdict": if self.finding.fault.is_ok() { "found" } else { "unknown" },
            "message": self.title(),
        });
        let mut add = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                object[name] = value;
            }
        };
        add("old", keyspace(Age::Old));
        add("new", keyspace(Age::New));
        match &self.finding.fault {
            Ok(fault) => {
                add("counterexample", Some(self.fault(fault)));
                add("minimal", Some(json!(self.finding.minimal)));
            }
            Err(reason) => add("reason", Some(json!(unknown(reason)))),
        }
        add("help", self.help().map(Value::from));
        let span = self.place().map(|(sources, span)| SpanObject::new(sources, span));
        add("span", span.and_then(|span| serde_json::to_value(span).ok()));
        object
    }

    fn fault(&self, fault: &Fault) -> Value {
        match fault {
            Fault::Lost { part, row } => {
                json!({"part": name(*part), "row": self.row_object(Age::Old, *part, row)})
            }
            Fault::Reread { part, readings } => self.readings_object(*part, readings),
            Fault::Captured { readings } => self.readings_object(Part::Key, readings),
            Fault::Value(fault) => value(fault),
            Fault::Index(fault) => self.index_object(fault),
            Fault::Forward(ForwardFault::Unread(row)) => {
                json!({"fault": "unread", "row": self.row_object(Age::New, Part::Key, row)})
            }
            Fault::Forward(ForwardFault::Misread(readings)) => {
                let mut object = self.readings_object(Part::Key, readings);
                object["fault"] = json!("misread");
                object
            }
            Fault::Forward(ForwardFault::Value(fault)) => {
                let mut object = value(fault);
                object["fault"] = json!("value");
                object
            }
            Fault::Order(OrderFault::Order { scan, first, second, new_keys }) => {
                let rows = [first, second].map(|row| self.row_object(Age::Old, Part::Key, row));
                json!({
                    "fault": "order",
                    "scan": scan,
                    "rows": rows,
                    "new_keys": [hex(&new_keys.0), hex(&new_keys.1)],
                })
            }
            Fault::Order(OrderFault::Cursor { row, new_key }) => json!({
                "fault": "cursor",
                "row": self.row_object(Age::Old, Part::Key, row),
                "new_key": hex(new_key),
            }),
            Fault::Order(OrderFault::Renamed) => json!({"fault": "renamed"}),
            Fault::Retired(fault) => {
                let (RetiredFault::Used(place, _) | RetiredFault::Dropped(place)) = fault;
                let mut object = json!({
                    "namespace": place.namespace,
                    "prefix": hex(&place.prefix),
                    "deprecated": place.deprecated,
                    "reason": place.reason,
                });
                match fault {
                    RetiredFault::Used(_, row) => {
                        object["fault"] = json!("used");
                        object["row"] = self.row_object(Age::New, Part::Key, row);
                    }
                    RetiredFault::Dropped(_) => object["fault"] = json!("dropped"),
                }
                object
            }
            Fault::Access(AccessFault::Scan(scan)) => json!({"scan": scan}),
            Fault::Access(AccessFault::Index) => json!({"index": true}),
            Fault::Limit { backend, row, length } => json!({
                "backend": backend.name,
                "longest_key": backend.longest_key,
                "length": length,
                "row": self.row_object(Age::Old, Part::Key, row),
            }),
        }
    }

    fn index_object(&self, fault: &IndexFault) -> Value {
        match fault {
            IndexFault::Added => json!({"fault": "added"}),
            IndexFault::Removed => json!({"fault": "removed"}),
            IndexFault::RecordsAdded(word) => json!({"fault": "records added", "records": word}),
            IndexFault::RecordsRemoved(word) => {
                json!({"fault": "records removed", "records": word})
            }
            IndexFault::Changed(change) => match change {
                IndexChange::Map => json!({"fault": "changed", "change": "map"}),
                IndexChange::Field(field) => {
                    json!({"fault": "changed", "change": "field", "field": field})
                }
                IndexChange::Wider(field) => {
                    json!({"fault": "changed", "change": "wider", "field": field})
                }
                IndexChange::Value => json!({"fault": "changed", "change": "value"}),
                IndexChange::Unique => json!({"fault": "changed", "change": "unique"}),
                IndexChange::Lost(row) => {
                    let row = self.row_object(Age::Old, Part::Key, row);
                    json!({"fault": "changed", "change": "lost", "row": row})
                }
                IndexChange::Reread(readings) => {
                    let mut object = self.readings_object(Part::Key, readings);
                    object["fault"] = json!("changed");
                    object["change"] = json!("reread");
                    object
                }
            },
        }
    }

    fn readings_object(&self, part: Part, readings: &Readings) -> Value {
        let reading = |age: Age, row: &Row| {
            let keyspace = self.name(age, row.keyspace, part);
            json!({"keyspace": keyspace, "fields": self.fields_value(age, part, row)})
        };
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
            "fields": self.fields_value(age, part, row),
        })
    }

    fn fields_value(&self, age: Age, part: Part, row: &Row) -> Value {
        let mut text = Vec::new();
        put_record(&self.segments(age, part, row.keyspace), &row.fields, &mut text);
        serde_json::from_slice(&text).unwrap_or_default()
    }
}

fn value(fault: &ValueFault) -> Value {
    let mut object = json!({"written": fault.written, "read": fault.read});
    let fields = |record: &Record| -> Value {
        let mut text = Vec::new();
        put_record(&[], record, &mut text);
        serde_json::from_slice(&text).unwrap_or_default()
    };
    if let Some(example) = &fault.example {
        object["bytes"] = json!(hex(&example.bytes));
        object["value"] = fields(&example.written)["value"].clone();
        if let Some(read) = &example.read {
            object["read_as"] = fields(read)["value"].clone();
        }
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
