//! The rules about a change, and the levels that require them.

/// A rule about a change from an old layout to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// KS101: every stored key has a reading in the new layout.
    Lost,
    /// KS102: every stored key is read as before.
    Reread,
    /// KS103: no new keyspace contains rows of another keyspace.
    Captured,
    /// KS104: the values of stored rows can be read.
    Value,
    /// KS105: every index has the entries that it should have.
    Index,
    /// KS106: the old program can read the rows that the new one writes.
    Forward,
    /// KS107: scans return rows in the same order, and cursors of pages stay valid.
    Order,
    /// KS108: retired prefixes stay retired.
    Retired,
    /// KS109: scans and indexes that programs call still exist.
    Access,
    /// KS110: stored rows fit the limits of the new backend.
    Limit,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 10] = [
        Self::Lost,
        Self::Reread,
        Self::Captured,
        Self::Value,
        Self::Index,
        Self::Forward,
        Self::Order,
        Self::Retired,
        Self::Access,
        Self::Limit,
    ];

    /// Returns the rule with that code or name.
    #[must_use]
    pub fn find(code: &str) -> Option<Self> {
        let is_meant = |known: &str| known.eq_ignore_ascii_case(code);
        Self::ALL.into_iter().find(|rule| is_meant(rule.code()) || is_meant(rule.name()))
    }

    /// Returns its code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Lost => "KS101",
            Self::Reread => "KS102",
            Self::Captured => "KS103",
            Self::Value => "KS104",
            Self::Index => "KS105",
            Self::Forward => "KS106",
            Self::Order => "KS107",
            Self::Retired => "KS108",
            Self::Access => "KS109",
            Self::Limit => "KS110",
        }
    }

    /// Returns its name in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Lost => "lost",
            Self::Reread => "reread",
            Self::Captured => "captured",
            Self::Value => "value",
            Self::Index => "index",
            Self::Forward => "forward",
            Self::Order => "order",
            Self::Retired => "retired",
            Self::Access => "access",
            Self::Limit => "limit",
        }
    }

    /// Returns the rule in a few words.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Lost => "every stored key has a reading in the new layout",
            Self::Reread => "every stored key is read as before",
            Self::Captured => "no new keyspace contains rows of another keyspace",
            Self::Value => "the values of stored rows can be read",
            Self::Index => "no index has to be built, and none leaves entries behind",
            Self::Forward => "the old program can read the rows that the new one writes",
            Self::Order => "scans keep their order, and cursors of pages stay valid",
            Self::Retired => "retired prefixes stay retired",
            Self::Access => "scans and indexes that programs call still exist",
            Self::Limit => "stored rows fit the limits of the new backend",
        }
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
