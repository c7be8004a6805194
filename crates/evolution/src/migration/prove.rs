//! The proof of a migration, claim by claim.

use super::{
    Action, Migration,
    claim::{Answer, Claim, Proof, Undecided, Verdict},
    fitting, injective, inverse, restart, total,
};
use crate::diff::Config;
use keyscape_automata::{Budget, Total};
use keyscape_layout::model::KeyspaceKind;
use keyscape_prover::{Report, Rule, Verdict as ClaimVerdict};

impl Migration<'_> {
    /// Decides all claims. `report` is that of the new layout.
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
        for piece in &self.pieces {
            let Action::Move(moved) = &piece.action else { continue };
            let (from, to) = (piece.from, Some(moved.to));
            let injective = match determines_rows(report) {
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

/// Whether the keys of a layout determine their rows. A failing claim that is accepted fails all
/// the same.
fn determines_rows(report: &Report) -> bool {
    let rules = [Rule::Disjoint, Rule::Unambiguous, Rule::Lossless, Rule::StructureTyped];
    let mut claims = report.claims.iter().filter(|claim| rules.contains(&claim.rule));
    claims.all(|claim| matches!(claim.verdict, ClaimVerdict::Proved))
}
