//! The claims about a migration, and the answers.

use super::{
    Action, Migration, Moved, Piece, fitting, injective, inverse, make::Flow, restart,
    row::RowType, total,
};
use crate::diff::Config;
use keyscape_automata::{Budget, OverBudget, Total};
use keyscape_layout::{
    Datum,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_prover::{Report, Row, Rule, Verdict as ClaimVerdict, rules};

rules! {
    /// A claim about a migration.
    pub enum Claim {
        Total = "KS111" "total" "every old row is moved or dropped by name",
        Injective = "KS112" "injective" "no two old rows get the same new key",
        Fitting = "KS113" "fitting" "every moved value is in the domain of the new field",
        Restartable =
            "KS114" "restartable" "every key of a half-migrated store is known to be old or new",
        Reversible = "KS115" "reversible" "the inverse migration exists",
    }
}

/// The answers about all claims of a migration.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The answers, by claim and then in the order of the old layout.
    pub answers: Vec<Answer>,
    /// The inverse migration, if KS115 holds.
    pub inverse: Option<String>,
    /// The units of work that the proof took; see [`Budget`](keyscape_automata::Budget).
    pub work: usize,
}

/// The answer about one claim and one old keyspace.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The claim.
    pub claim: Claim,
    /// The old keyspace.
    pub from: KeyspaceId,
    /// The new keyspace, if the answer is about one.
    pub to: Option<KeyspaceId>,
    /// The verdict.
    pub verdict: Verdict,
}

/// The verdict about a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The claim holds for all rows.
    Proved,
    /// The claim does not hold for these rows.
    Refuted(MigrationFault),
    /// The claim is not decided.
    Unknown(Undecided),
}

impl Proof {
    /// Whether a claim is proved for all keyspaces.
    #[must_use]
    pub fn holds(&self, claim: Claim) -> bool {
        let mut answers = self.answers.iter().filter(|answer| answer.claim == claim);
        answers.all(|answer| answer.verdict == Verdict::Proved)
    }

    /// Whether a claim is refuted for some keyspace.
    #[must_use]
    pub fn is_refuted(&self, claim: Claim) -> bool {
        let mut answers = self.answers.iter().filter(|answer| answer.claim == claim);
        answers.any(|answer| matches!(answer.verdict, Verdict::Refuted(_)))
    }

    /// Whether the migration may run: no row is known to be forgotten, overwritten or unfit.
    #[must_use]
    pub fn may_run(&self) -> bool {
        [Claim::Total, Claim::Injective, Claim::Fitting]
            .iter()
            .all(|&claim| !self.is_refuted(claim))
    }

    /// Whether the migration may run within the database: KS111 to KS114 are proved. For fields
    /// that the program makes, KS113 may be undecided, because every row is checked.
    #[must_use]
    pub fn may_run_in_place(&self) -> bool {
        let needed = [Claim::Total, Claim::Injective, Claim::Restartable];
        needed.iter().all(|&claim| self.holds(claim)) && self.is_fitting_but_for_program()
    }

    /// Whether KS113 is proved, or undecided only for fields that the program makes.
    #[must_use]
    pub fn is_fitting_but_for_program(&self) -> bool {
        let mut answers = self.answers.iter().filter(|answer| answer.claim == Claim::Fitting);
        answers.all(|answer| {
            let is_by_program =
                matches!(answer.verdict, Verdict::Unknown(Undecided::Program { .. }));
            is_by_program || answer.verdict == Verdict::Proved
        })
    }
}

/// The evidence against a claim. Every row has been encoded with the codecs. The key of a
/// structure's row is followed by its member. The key of a field of a hash contains the key of the
/// hash and the field.
#[derive(Clone, Debug, PartialEq)]
pub enum MigrationFault {
    /// KS111: no statement covers the row, and its keyspace has no counterpart.
    Forgotten {
        /// The row.
        row: Row,
        /// Whether no shorter key is forgotten.
        minimal: bool,
    },
    /// KS112: two rows with the same new key.
    Collision {
        /// One of the rows.
        first: Row,
        /// The other one.
        second: Row,
        /// The new key.
        key: Vec<u8>,
    },
    /// KS113: a row with a value that does not fit.
    Unfit {
        /// The row.
        row: Row,
        /// The value of the row, if the value does not fit.
        value: Option<Datum>,
        /// The new field.
        field: String,
        /// The reason why the row does not fit.
        reason: String,
        /// Whether no shorter key shows the fault.
        minimal: bool,
    },
    /// KS114: one old row has a key to which another old row moves.
    Both {
        /// The old row with that key.
        row: Row,
        /// The old row that moves to the key.
        moved: Row,
    },
    /// KS115: rows are dropped.
    Dropped {
        /// The reason that the declaration gives.
        reason: String,
    },
    /// KS115: an old part cannot be computed from the new row.
    Lost {
        /// The old field, `score` or `value`.
        field: String,
    },
    /// KS115: rows of several keyspaces cannot be distinguished.
    Merged {
        /// Another old keyspace whose rows move to the same new one.
        other: KeyspaceId,
    },
}

/// The reason why a claim is not decided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// A function of the program makes the field, so every row is checked.
    #[error("the program makes `{field}`, so each row is checked")]
    Program {
        /// The new field, or `value`.
        field: String,
    },
    /// Any other reason, as a sentence.
    #[error("{0}")]
    Because(String),
}

impl Undecided {
    pub(super) fn because(reason: &str) -> Self {
        Self::Because(reason.to_owned())
    }

    /// Returns the reason for automata that accept more than the encodings of their codecs.
    pub(super) fn inexact() -> Self {
        Self::because("a codec has no exact automaton")
    }
}

impl From<OverBudget> for Undecided {
    fn from(over: OverBudget) -> Self {
        Self::Because(format!("the search needs more than {} {}", over.limit, over.what))
    }
}

impl Migration<'_> {
    /// Decides all claims. `report` is the proof of the new layout.
    #[must_use]
    pub fn prove(&self, config: Config, report: &Report) -> Proof {
        let total = Total::new("units of work for the migration", config.work);
        let budget = Budget { total: Some(&total), ..config.budget };
        let mut answers = Vec::new();
        for from in self.old.keyspace_ids() {
            let kind = self.old.keyspace(from).kind;
            if kind != KeyspaceKind::Hash && kind != KeyspaceKind::Index {
                let verdict = total::check(self, from, budget);
                answers.push(Answer { claim: Claim::Total, from, to: None, verdict });
            }
        }
        for of in self.moved_pieces(budget) {
            let (from, to) = (of.piece.from, Some(of.moved.to));
            let injective = match determines_rows(report) {
                true => injective::check(of),
                false => Verdict::Unknown(Undecided::because(
                    "the new layout is not proved, so that two of its rows may have the same key",
                )),
            };
            let verdicts = [
                (Claim::Injective, injective),
                (Claim::Fitting, fitting::check(of)),
                (Claim::Restartable, restart::check(of)),
            ];
            answers.extend(verdicts.map(|(claim, verdict)| Answer { claim, from, to, verdict }));
        }
        let (reversible, inverse) = inverse::check(self, budget);
        answers.extend(reversible.into_iter().map(|(piece, verdict)| {
            let to = match &piece.action {
                Action::Move(moved) => Some(moved.to),
                _ => None,
            };
            Answer { claim: Claim::Reversible, from: piece.from, to, verdict }
        }));
        answers.sort_by_key(|answer| (answer.claim, answer.from));
        Proof { answers, inverse, work: total.spent() }
    }

    /// Yields the pieces that move rows.
    pub(super) fn moved_pieces<'m>(
        &'m self,
        budget: Budget<'m>,
    ) -> impl Iterator<Item = MovedPiece<'m>> {
        self.pieces.iter().filter_map(move |piece| match &piece.action {
            Action::Move(moved) => Some(MovedPiece { migration: self, piece, moved, budget }),
            Action::Drop { .. } | Action::Derive { .. } => None,
        })
    }
}

/// A piece that moves rows, in the proof of its migration.
#[derive(Clone, Copy)]
pub(super) struct MovedPiece<'m> {
    pub(super) migration: &'m Migration<'m>,
    pub(super) piece: &'m Piece,
    pub(super) moved: &'m Moved,
    pub(super) budget: Budget<'m>,
}

impl<'m> MovedPiece<'m> {
    /// Returns the types of the old rows.
    pub(super) fn old_type(&self) -> &'m RowType {
        self.migration.old_type(self.piece.from)
    }

    /// Returns the types of the new rows.
    pub(super) fn new_type(&self) -> &'m RowType {
        self.migration.new_type(self.moved.to)
    }

    /// Lists the old values from which the fields and the score of new rows are made.
    pub(super) fn flows(&self) -> Vec<Flow> {
        self.moved.fields.iter().flat_map(|field| field.make.flows(&field.name)).collect()
    }
}

/// Whether the keys of a layout determine their rows. A claim that fails counts as failed even if
/// the layout accepts the failure.
fn determines_rows(report: &Report) -> bool {
    let rules = [Rule::Disjoint, Rule::Unambiguous, Rule::Lossless, Rule::StructureTyped];
    let mut claims = report.claims.iter().filter(|claim| rules.contains(&claim.rule));
    claims.all(|claim| matches!(claim.verdict, ClaimVerdict::Proved))
}
