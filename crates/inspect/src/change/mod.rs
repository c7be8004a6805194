//! The findings of `diff`: messages for people, JSON, and a section of a changelog.

pub mod json;
mod sentences;

use keyscape_diagnostics::{
    datum::{self, Extent},
    message::{Level as Severity, Message},
    table::Table,
};
use keyscape_evolution::{
    Fault, Finding, ForwardFault, IndexChange, IndexFault, Level, OrderFault, Part, Readings,
    RetiredFault, ValueFault,
};
use keyscape_layout::{
    Layout, Record, Sources, Span,
    model::{Field, Keyspace, KeyspaceId, Segment},
};
use keyscape_prover::Row;

/// A finding with the layouts that it is about.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a> {
    pub old: &'a Layout,
    pub new: &'a Layout,
    pub finding: &'a Finding,
}

/// The layout that bytes are read with.
#[derive(Clone, Copy, Debug)]
pub enum Age {
    Old,
    New,
}

impl<'a> Change<'a> {
    fn layout(&self, age: Age) -> &'a Layout {
        match age {
            Age::Old => self.old,
            Age::New => self.new,
        }
    }

    /// Returns the old keyspace, if the finding is about one.
    pub fn old_keyspace(&self) -> Option<&'a Keyspace> {
        self.finding.old.map(|id| self.old.keyspace(id))
    }

    /// Returns the new keyspace, if the finding is about one.
    pub fn new_keyspace(&self) -> Option<&'a Keyspace> {
        self.finding.new.map(|id| self.new.keyspace(id))
    }

    /// Returns the place that the finding is about: in the new layout if it has one.
    pub fn place(&self) -> Option<(&'a Sources, Span)> {
        if let Ok(Fault::Retired(RetiredFault::Dropped(place))) = &self.finding.fault {
            let store = self.old.store(place.store);
            let namespace = store.namespaces.iter().find(|known| known.name == place.namespace);
            return namespace.map(|namespace| (&self.old.sources, namespace.span));
        }
        let new = self.new_keyspace().map(|keyspace| (&self.new.sources, keyspace.name_span));
        let old = || self.old_keyspace().map(|keyspace| (&self.old.sources, keyspace.name_span));
        new.or_else(old)
    }

    /// Describes the finding.
    pub fn message(&self, level: Level) -> Message {
        let severity = match &self.finding.fault {
            _ if self.finding.is_bug() => Severity::Bug,
            Err(_) => Severity::Unknown,
            Ok(_) if level.requires(self.finding.rule) => Severity::Error,
            Ok(_) => Severity::Warning,
        };
        let mut message = Message::new(severity, self.title()).code(self.finding.rule.code());
        if let Some((_, span)) = self.place() {
            message = message.at(span, self.label());
        }
        message.table(&self.table());
        for (word, line) in self.lines() {
            message.note(word, line);
        }
        message.with_help(self.help())
    }

    /// Renders the message with the snippet of its layout.
    pub fn render(&self, level: Level) -> String {
        self.message(level).render(self.place().map(|(sources, _)| sources))
    }

    /// Returns the keys of the finding, one above the other.
    pub fn table(&self) -> Table {
        let mut table = Table::default();
        let Ok(fault) = &self.finding.fault else { return table };
        match fault {
            Fault::Lost { part, row } => self.row(&mut table, ("stored", Age::Old), *part, row),
            Fault::Limit { row, .. }
            | Fault::Index(IndexFault::Changed(IndexChange::Lost(row))) => {
                self.row(&mut table, ("stored", Age::Old), Part::Key, row);
            }
            Fault::Reread { part, readings }
            | Fault::Forward(ForwardFault::Misread { part, readings }) => {
                self.readings(&mut table, *part, readings);
            }
            Fault::Captured { readings } => self.readings(&mut table, Part::Key, readings),
            Fault::Index(IndexFault::Changed(IndexChange::Reread(readings))) => {
                self.readings(&mut table, Part::Key, readings);
            }
            Fault::Value(fault) | Fault::Forward(ForwardFault::Value(fault)) => {
                self.value(&mut table, fault);
            }
            Fault::Forward(ForwardFault::Unread { part, row }) => {
                self.row(&mut table, ("written", Age::New), *part, row);
            }
            Fault::Order(OrderFault::Order { first, second, new_keys, .. }) => {
                for (row, key) in [(first, &new_keys.0), (second, &new_keys.1)] {
                    self.row(&mut table, ("old", Age::Old), Part::Key, row);
                    table.key("new", "", key);
                }
            }
            Fault::Order(OrderFault::Cursor { row, new_key }) => {
                self.row(&mut table, ("old", Age::Old), Part::Key, row);
                table.key("new", "", new_key);
            }
            Fault::Retired(RetiredFault::Used(place, row)) => {
                table.key("retired", "", &place.prefix);
                self.row(&mut table, ("written", Age::New), Part::Key, row);
            }
            Fault::Retired(RetiredFault::Dropped(place)) => {
                table.key("retired", "", &place.prefix);
            }
            Fault::Index(_) | Fault::Order(OrderFault::Renamed) | Fault::Access(_) => {}
        }
        table
    }

    fn row(&self, table: &mut Table, (label, age): (&str, Age), part: Part, row: &Row) {
        let label = format!("{label} {}", self.name(age, row.keyspace, part));
        table.key(&label, self.fields(age, part, row), &row.key);
    }

    fn readings(&self, table: &mut Table, part: Part, Readings { old, new }: &Readings) {
        self.row(table, ("old", Age::Old), part, old);
        let label = format!("new {}", self.name(Age::New, new.keyspace, part));
        table.note(&label, &self.fields(Age::New, part, new));
    }

    fn value(&self, table: &mut Table, fault: &ValueFault) {
        let Some(example) = &fault.example else { return };
        let shown = |record: &Record| datum::line(&[], record, Extent::Short);
        table.key("written", shown(&example.written), &example.bytes);
        if let Some(read) = &example.read {
            table.note("read", &shown(read));
        }
    }

    /// Returns the name of the keyspace of a row. The rows of members and scores have none of their
    /// own.
    fn name(&self, age: Age, id: KeyspaceId, part: Part) -> &'a str {
        let keyspace = match part {
            Part::Key => Some(self.layout(age).keyspace(id)),
            Part::Member | Part::Score => self.keyspace(age),
        };
        keyspace.map_or("", |keyspace| keyspace.name.as_str())
    }

    fn keyspace(&self, age: Age) -> Option<&'a Keyspace> {
        match age {
            Age::Old => self.old_keyspace(),
            Age::New => self.new_keyspace(),
        }
    }

    /// Returns the fields of a row as `path=value` pairs.
    fn fields(&self, age: Age, part: Part, row: &Row) -> String {
        datum::line(&self.segments(age, part, row.keyspace), &row.fields, Extent::Short)
    }

    /// Returns the segments that a row was read with.
    pub fn segments(&self, age: Age, part: Part, id: KeyspaceId) -> Vec<Segment> {
        let (name, ty) = match (part, self.keyspace(age)) {
            (Part::Key, _) => return self.layout(age).keyspace(id).key.clone(),
            (Part::Member, keyspace) => ("member", keyspace.and_then(|found| found.member.clone())),
            (Part::Score, keyspace) => ("score", keyspace.and_then(|found| found.score.clone())),
        };
        ty.map(|ty| Segment::Field(Field::new(name, ty, Span::default()))).into_iter().collect()
    }
}
