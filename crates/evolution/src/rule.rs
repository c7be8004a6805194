//! The rules about a change, and the levels that require them.

use keyscape_prover::rules;

rules! {
    /// A rule about a change from an old layout to a new one.
    pub enum Rule {
        Lost = "KS101" "lost" "every stored key has a reading in the new layout",
        Reread = "KS102" "reread" "every stored key is read as before",
        Captured = "KS103" "captured" "no new keyspace contains rows of another keyspace",
        Value = "KS104" "value" "the values of stored rows can be read",
        Index = "KS105" "index" "no index has to be built, and none leaves entries behind",
        Forward = "KS106" "forward" "the old program can read the rows that the new one writes",
        Order = "KS107" "order" "scans keep their order, and cursors of pages stay valid",
        Retired = "KS108" "retired" "retired prefixes stay retired",
        Access = "KS109" "access" "scans and indexes that programs call still exist",
        Limit = "KS110" "limit" "stored rows fit the limits of the new backend",
    }
}

/// The compatibility that a change must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Level {
    /// The new program reads the rows that exist.
    #[default]
    Backward,
    /// The old program reads the rows that the new one writes.
    Forward,
    /// Both.
    Full,
    /// Both, while old and new programs run at the same time. The old program does not maintain an
    /// index that only the new layout has.
    Rolling,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 4] = [Self::Backward, Self::Forward, Self::Full, Self::Rolling];

    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Backward => "backward",
            Self::Forward => "forward",
            Self::Full => "full",
            Self::Rolling => "rolling",
        }
    }

    /// Whether a change with a finding of the rule does not have this compatibility. Changes of
    /// order and of names concern the sources of programs, so no level requires them.
    #[must_use]
    pub const fn requires(self, rule: Rule) -> bool {
        match rule {
            Rule::Order | Rule::Access => false,
            Rule::Forward => !matches!(self, Self::Backward),
            _ => !matches!(self, Self::Forward),
        }
    }
}
