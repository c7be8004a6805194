//! KS111: every old row is moved or dropped by name.

use super::{
    Migration,
    claim::{MigrationFault, Undecided, Verdict},
};
use keyscape_automata::Budget;
use keyscape_layout::model::KeyspaceId;
use keyscape_prover::Row;

/// Decides the claim for one old keyspace: every case of the conditions has a piece, or contains no
/// row.
pub(super) fn check(migration: &Migration<'_>, from: KeyspaceId, budget: Budget<'_>) -> Verdict {
    match forgotten(migration, from, budget) {
        Ok(None) => Verdict::Proved,
        Ok(Some(row)) => Verdict::Refuted(MigrationFault::Forgotten { row, minimal: true }),
        Err(undecided) => Verdict::Unknown(undecided),
    }
}

fn forgotten(
    migration: &Migration<'_>,
    from: KeyspaceId,
    budget: Budget<'_>,
) -> Result<Option<Row>, Undecided> {
    let mut open = migration.cases(from, &[])?;
    open.retain(|case| !migration.is_covered(from, case));
    let best = migration.shortest_row(from, &open, &[], budget)?;
    // Confirm that the row belongs to the keyspace, and that no piece applies to it.
    if let Some(row) = &best {
        let again = migration.old_identity(from, &row.fields);
        if again.as_ref() != Ok(&row.key) || migration.piece_of(from, &row.fields).is_some() {
            return Err(Undecided::inexact());
        }
    }
    Ok(best)
}
