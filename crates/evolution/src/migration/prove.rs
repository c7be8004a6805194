//! The proof of a migration, claim by claim.

use super::{
    Action, Migration,
    claim::{Answer, Claim, Proof, Undecided, Verdict},
    fitting, injective, inverse, restart, total,
};
use crate::diff::Config;
use keyscape_automata::{Budget, Total};
use keyscape_layout::model::KeyspaceKind;

impl Migration<'_> {
    /// Decides all claims. `is_sound` tells whether the new layout is proved: only then do its keys
    /// determine their rows.
    #[must_use]
    pub fn prove(&self, config: Config, is_sound: bool) -> Proof {
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
        for piece in &self.pieces {
            let Action::Move(moved) = &piece.action else { continue };
            let (from, to) = (piece.from, Some(moved.to));
            let injective = match is_sound {
                true => injective::check(self, piece, moved, budget),
                false => Verdict::Unknown(Undecided::Unsound),
            };
            let fitting = fitting::check(self, piece, moved, budget);
            let restartable = restart::check(self, piece, moved, budget);
            let verdicts = [
                (Claim::Injective, injective),
                (Claim::Fitting, fitting),
                (Claim::Restartable, restartable),
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
}
