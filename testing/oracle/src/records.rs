//! The records of structures, computed from the table in the specification.

use crate::{
    oracle::Oracle,
    rows::{Enumeration, Row, TooMany},
};
use keyscape_layout::model::{Keyspace, KeyspaceId, KeyspaceKind, Type};
use std::collections::BTreeSet;

/// The lengths of the parts that follow the key of a structure in its records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rests {
    members: BTreeSet<usize>,
    /// Includes the escapes and the terminator, unless the scores have a fixed length.
    scores: BTreeSet<usize>,
}

impl Rests {
    pub(crate) fn of(
        keyspace: &Keyspace,
        enumeration: &mut Enumeration<'_>,
    ) -> Result<Self, TooMany> {
        let mut of = |ty: &Option<_>| match ty {
            Some(ty) => enumeration.encodings(ty, None),
            None => Ok(Vec::new()),
        };
        let (members, scores) = (of(&keyspace.member)?, of(&keyspace.score)?);
        let is_fixed = keyspace.score.as_deref().is_some_and(|ty| Type::fixed_length(ty).is_some());
        let score = |bytes: Vec<u8>| if is_fixed { bytes.len() } else { escaped(&bytes).len() + 2 };
        Ok(Self {
            members: members.iter().map(Vec::len).collect(),
            scores: scores.into_iter().map(score).collect(),
        })
    }
}

/// Replaces each `00` by `00 FF`.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let of = |byte: &u8| if *byte == 0 { vec![0, 0xff] } else { vec![*byte] };
    bytes.iter().flat_map(of).collect()
}

impl Oracle<'_> {
    /// Returns the common prefix of all records of a row in a store of structures.
    #[must_use]
    pub fn record_start(&self, row: &Row) -> Vec<u8> {
        let kind = match self.layout.keyspace(row.keyspace).kind {
            KeyspaceKind::Hash => b'h',
            KeyspaceKind::Set => b's',
            KeyspaceKind::Zset => b'z',
            KeyspaceKind::Queue => b'q',
            _ => return [&b"r"[..], &row.key].concat(),
        };
        [&[kind][..], &escaped(&row.key), &[0, 1]].concat()
    }

    /// Returns the lengths of all records of a row in a store of structures.
    #[must_use]
    pub fn record_lengths(&self, row: &Row) -> BTreeSet<usize> {
        let start = self.record_start(row).len();
        let rests = self.rests(row.keyspace);
        let sums = |a: &BTreeSet<usize>, b: &BTreeSet<usize>| -> Vec<usize> {
            a.iter().flat_map(|a| b.iter().map(move |b| a + b)).collect()
        };
        let members: Vec<usize> = rests.members.iter().copied().collect();
        let scored = sums(&rests.scores, &rests.members);
        let rest = match self.layout.keyspace(row.keyspace).kind {
            KeyspaceKind::Hash => self.field_lengths(row.keyspace),
            KeyspaceKind::Set => members,
            KeyspaceKind::Zset => [members, scored].concat(),
            KeyspaceKind::Queue => {
                let timed = sums(&BTreeSet::from([8]), &rests.members);
                [members, scored, timed, vec![0]].concat()
            }
            _ => return BTreeSet::from([start]),
        };
        rest.into_iter().map(|rest| start + 1 + rest).collect()
    }

    fn field_lengths(&self, hash: KeyspaceId) -> Vec<usize> {
        let ids = self.layout.keyspace_ids();
        let fields = ids.filter(|&id| self.layout.keyspace(id).hash == Some(hash));
        fields.flat_map(|id| self.rows(id)).map(|row| row.key.len()).collect()
    }
}
