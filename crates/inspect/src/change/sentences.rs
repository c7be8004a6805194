//! The sentences about a finding.

use super::Change;
use keyscape_diagnostics::bytes::hex;
use keyscape_diagnostics::suggestion;
use keyscape_evolution::{
    AccessFault, Fault, ForwardFault, IndexChange, IndexFault, OrderFault, Part, RetiredFault,
    Rule, Unknown, ValueFault,
};

impl Change<'_> {
    fn old_name(&self) -> &str {
        self.old_keyspace().map_or("", |keyspace| keyspace.name.as_str())
    }

    fn new_name(&self) -> &str {
        self.new_keyspace().map_or("", |keyspace| keyspace.name.as_str())
    }

    /// Whether the new keyspace has the name of the old one, or says with `was` that it is the old
    /// one.
    fn is_same_keyspace(&self) -> bool {
        let (Some(old), Some(new)) = (self.old_keyspace(), self.new_keyspace()) else {
            return false;
        };
        new.name == old.name || new.was.as_ref() == Some(&old.name)
    }

    /// Returns the finding in one line.
    pub fn title(&self) -> String {
        let (old, new) = (self.old_name(), self.new_name());
        match &self.finding.fault {
            Err(reason) => self.open_question(reason),
            Ok(Fault::Lost { part, .. }) => {
                format!("stored {} of `{old}` have no reading in the new layout", plural(*part))
            }
            Ok(Fault::Reread { part, .. }) if self.is_same_keyspace() => {
                format!("stored {} of `{old}` are read differently", plural(*part))
            }
            Ok(Fault::Reread { part, .. }) => {
                format!("stored {} of `{old}` are read as `{new}`", plural(*part))
            }
            Ok(Fault::Captured { .. }) => {
                format!("the new keyspace `{new}` contains stored rows of `{old}`")
            }
            Ok(Fault::Value(fault)) => format!("`{new}` does not read {}", forms(fault)),
            Ok(Fault::Index(fault)) => self.index(fault),
            Ok(Fault::Forward(ForwardFault::Unread { part, .. })) => {
                format!("the old layout has no reading for {} of `{new}`", written(*part))
            }
            Ok(Fault::Forward(ForwardFault::Misread { part, .. })) => {
                format!("the old layout reads {} of `{new}` differently", written(*part))
            }
            Ok(Fault::Forward(ForwardFault::Value(fault))) => {
                format!("the old layout does not read values of `{new}`: {}", forms(fault))
            }
            Ok(Fault::Order(OrderFault::Order { scan, .. })) => {
                format!("scan `{scan}` of `{old}` returns rows in another order")
            }
            Ok(Fault::Order(OrderFault::Cursor { .. })) => {
                format!("cursors of pages of `{old}` point elsewhere, because its keys change")
            }
            Ok(Fault::Order(OrderFault::Renamed)) => {
                format!("cursors of pages of `{old}` are invalid, because it is now `{new}`")
            }
            Ok(Fault::Retired(RetiredFault::Used(place, _))) => {
                format!("`{new}` uses the retired prefix 0x{}", hex(&place.prefix))
            }
            Ok(Fault::Retired(RetiredFault::Dropped(place))) => format!(
                "the new layout does not retire 0x{} of namespace `{}` any more",
                hex(&place.prefix),
                place.namespace
            ),
            Ok(Fault::Access(AccessFault::Scan(scan))) => {
                format!("scan `{scan}` of `{old}` is gone")
            }
            Ok(Fault::Access(AccessFault::Index)) => format!("index `{old}` is gone"),
            Ok(Fault::Limit { backend, length: 0, .. }) => {
                format!("{} does not allow the empty key of `{old}`", backend.name)
            }
            Ok(Fault::Limit { backend, .. }) => {
                format!("stored keys of `{old}` are too long for {}", backend.name)
            }
        }
    }

    fn index(&self, fault: &IndexFault) -> String {
        let (old, new) = (self.old_name(), self.new_name());
        match fault {
            IndexFault::Added => format!("index `{new}` is new and has to be built"),
            IndexFault::Removed => format!("index `{old}` is gone and leaves its entries behind"),
            IndexFault::Changed(change) => {
                let why = match change {
                    IndexChange::Map => "it is an index of another map".to_owned(),
                    IndexChange::Field(field) => format!("its field `{field}` differs"),
                    IndexChange::Wider(field) => {
                        format!("its field `{field}` takes values that had no entry")
                    }
                    IndexChange::Value => "its entries have other values".to_owned(),
                    IndexChange::Unique => "existing rows may not be unique".to_owned(),
                    IndexChange::Lost(_) => "old entries have no reading".to_owned(),
                    IndexChange::Reread(_) => "old entries are read differently".to_owned(),
                };
                format!("index `{new}` has to be built again: {why}")
            }
            IndexFault::RecordsAdded(word) => {
                format!("`{new}` is {word} now, so these records have to be built")
            }
            IndexFault::RecordsRemoved(word) => {
                format!("`{new}` is not {word} any more and leaves these records behind")
            }
        }
    }

    fn open_question(&self, reason: &Unknown) -> String {
        let name = match self.old_name() {
            "" => self.new_name(),
            name => name,
        };
        let question = match self.finding.rule {
            Rule::Lost => format!("every stored key of `{name}` has a reading in the new layout"),
            Rule::Reread => format!("stored keys of `{name}` are read as before"),
            Rule::Captured => format!("`{name}` contains rows of other keyspaces"),
            Rule::Value => format!("stored values of `{name}` can be read"),
            Rule::Index => format!("index `{name}` has to be built again"),
            Rule::Forward => format!("the old layout reads rows of `{}`", self.new_name()),
            Rule::Order => format!("scans of `{name}` keep their order"),
            Rule::Retired => format!("`{}` uses retired prefixes", self.new_name()),
            Rule::Access => format!("scans of `{name}` still exist"),
            Rule::Limit => format!("stored keys of `{name}` fit the backend"),
        };
        match reason {
            Unknown::Bug { .. } => format!("Keyscape contradicts itself on whether {question}"),
            _ => format!("it is not known whether {question}"),
        }
    }

    /// Returns the text at the place of the finding.
    pub(super) fn label(&self) -> String {
        match (&self.finding.fault, self.finding.new) {
            (Ok(Fault::Lost { .. }), None) => "removed".to_owned(),
            (Ok(Fault::Retired(RetiredFault::Dropped(place))), _) => {
                format!("retired here: {}", place.reason)
            }
            _ => String::new(),
        }
    }

    /// Returns further lines, each after a word.
    pub(super) fn lines(&self) -> Vec<(&'static str, String)> {
        match &self.finding.fault {
            Err(reason) => vec![("reason", unknown(reason))],
            Ok(Fault::Limit { backend, length, .. }) => vec![(
                backend.name,
                format!("{}; the shortest key over the limit has {length} bytes", backend.because),
            )],
            Ok(Fault::Retired(RetiredFault::Used(place, _))) => {
                vec![("retired", place.reason.clone())]
            }
            Ok(Fault::Index(IndexFault::Added)) => vec![(
                "in practice",
                "reading the index fails until it is built, and an old program does not maintain it"
                    .to_owned(),
            )],
            _ => Vec::new(),
        }
    }

    /// Returns the advice.
    pub fn help(&self) -> Option<String> {
        let (old, new) = (self.old_name(), self.new_name());
        let text = match self.finding.fault.as_ref().ok()? {
            Fault::Lost { .. } if self.finding.new.is_none() => format!(
                "keep `{old}` and mark it `deprecated`, or move its rows with a migration first"
            ),
            Fault::Lost { .. } | Fault::Reread { .. } if self.is_same_keyspace() => {
                format!("keep the old keys of `{old}`, or move its rows with a migration")
            }
            Fault::Lost { .. } => "move the rows with a migration first".to_owned(),
            Fault::Reread { .. } | Fault::Captured { .. } => format!(
                "if `{new}` is the same keyspace, write `{new} was {old}`; otherwise give it \
                 another prefix"
            ),
            Fault::Value(fault) if !fault.read.contains(&fault.written) => {
                format!("read the old form as well: `reads {}`", fault.written)
            }
            Fault::Retired(RetiredFault::Used(..)) => {
                "choose a prefix that was never used".to_owned()
            }
            Fault::Retired(RetiredFault::Dropped(_)) => {
                "keep the `reserve` or `deprecated` line".to_owned()
            }
            _ => return None,
        };
        Some(text)
    }
}

fn plural(part: Part) -> &'static str {
    match part {
        Part::Key => "keys",
        Part::Member => "members",
        Part::Score => "scores",
    }
}

fn written(part: Part) -> &'static str {
    match part {
        Part::Key => "rows",
        Part::Member | Part::Score => plural(part),
    }
}

fn forms(fault: &ValueFault) -> String {
    format!("`{}`, only {}", fault.written, suggestion::list(&fault.read))
}

/// Returns why something is not known.
pub(super) fn unknown(reason: &Unknown) -> String {
    match reason {
        Unknown::Budget(over) => over.to_string(),
        Unknown::Inexact { codecs } => format!(
            "no automaton has exactly the encodings of {}, and no real key settles it",
            suggestion::list(codecs)
        ),
        Unknown::Values => {
            "the values that both layouts read from the same bytes could not be compared".to_owned()
        }
        Unknown::Order => "the rows that were tried keep their order".to_owned(),
        Unknown::Bug { key } => format!("the key 0x{} does not replay; please report it", hex(key)),
    }
}
