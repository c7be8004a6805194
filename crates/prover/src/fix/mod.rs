//! Proved fixes.
//!
//! An [idea](idea::Idea) edits the text of the layout. The edited text is parsed, and the claim is
//! decided again. The edit is offered only if the claim is then proved and all proved claims stay
//! proved. Fixes are ordered by their effect on stored bytes. Fixes that reject formerly allowed
//! values come last.

mod bound;
mod clause;
mod edit;
mod effect;
mod exclude;
mod expr;
mod idea;
mod index;
mod length;
mod literal;
mod order;
mod problem;
mod reduce;
mod regress;
mod retype;
mod site;
mod variant;

use crate::{
    check::{Subject, is_proved},
    context::Context,
    verdict::{Claim, Effect, Fault, Fix, NoFix, Rule, Verdict},
};
use edit::Edit;
use hashbrown::HashMap;
use idea::{Idea, Ideas};
use keyscape_automata::Total;
use keyscape_layout::{Layout, Span, model::KeyspaceId};
use problem::Problem;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

/// The maximum number of fixes per claim.
const MAX_FIXES: usize = 4;
/// The maximum number of changes to try per claim. A bound counts as one change.
const MAX_TRIED: usize = 24;
/// The maximum number of times that one idea is applied to its own result.
const MAX_ROUNDS: usize = 4;
/// The maximum number of `also` keyspaces in a fix of a scan.
const MAX_ALSO: usize = 8;
/// The maximum number of refuted claims for which fixes are searched.
const MAX_CLAIMS: usize = 200;
/// A layout with more keyspaces than this is large, and parsing it is expensive.
const LARGE: usize = 500;
/// The maximum number of refuted claims for which fixes are searched in a large layout.
const MAX_CLAIMS_OF_LARGE: usize = 20;

/// The maximum total number of keyspaces in the layouts that are parsed to confirm fixes.
const MAX_REREAD: usize = 20_000;

/// The maximum number of edited layouts in the cache.
const MAX_APPLIED: usize = 16;

/// The units of work for all edited layouts of a layout, and for those of one claim. Work is
/// counted instead of time, so a layout has the same fixes on every machine.
const WORK: usize = 1 << 22;
const WORK_OF_CLAIM: usize = 1 << 21;

/// Adds fixes to the refuted claims of a layout. `subjects` contains the subject of each claim.
/// Returns the units of work of the search.
pub(crate) fn offer(
    context: &Context<'_>,
    subjects: &[Subject],
    claims: &mut [Claim],
    idle_accepts: &[(KeyspaceId, Span)],
) -> usize {
    let is_refuted = |claim: &Claim| matches!(claim.verdict, Verdict::Refuted(_));
    if !claims.iter().any(is_refuted) {
        return 0;
    }
    let search = FixSearch::new(context, subjects, claims, idle_accepts);
    let budget = Total::new("search nodes for fixes", WORK);
    let large = context.layout.keyspaces.len() > LARGE;
    let max_claims = if large { MAX_CLAIMS_OF_LARGE } else { MAX_CLAIMS };
    let refuted = claims.iter_mut().zip(subjects).filter(|(claim, _)| is_refuted(claim));
    for (nth, (claim, subject)) in refuted.enumerate() {
        let Verdict::Refuted(counterexample) = &mut claim.verdict else { continue };
        if nth >= max_claims || search.reread.get() < context.layout.keyspaces.len() {
            claim.no_fix = Some(NoFix::Limit);
            continue;
        }
        let of_claim = budget_of_claim(&budget);
        counterexample.fixes = search.fixes(subject, &counterexample.fault, &of_claim);
        // The budget of a claim never exceeds the remaining budget.
        let _ = budget.take(of_claim.spent());
        if counterexample.fixes.is_empty() {
            let is_spent = of_claim.left() == 0;
            claim.no_fix = Some(if is_spent { NoFix::Limit } else { NoFix::NothingProves });
        }
    }
    budget.spent()
}

/// Creates the budget of one claim from the remaining budget of its layout.
fn budget_of_claim(of_layout: &Total) -> Total {
    Total::new("search nodes for fixes", of_layout.left().min(WORK_OF_CLAIM))
}

/// State that the search for fixes shares over all claims of a layout.
struct FixSearch<'a> {
    context: &'a Context<'a>,
    /// The subjects of all claims, in order.
    subjects: &'a [Subject],
    /// The proved claims of the unchanged layout.
    proved: Vec<Subject>,
    /// The acceptances of the unchanged layout that match no failing claim.
    idle_accepts: &'a [(KeyspaceId, Span)],
    /// A cache of whole layouts with fixes, because several claims often have the same fix.
    applied: RefCell<HashMap<(Span, String), Rc<Applied>>>,
    /// The number of keyspaces that may still be parsed.
    reread: Cell<usize>,
}

/// A fix, applied to the whole layout.
struct Applied {
    /// `None` if the edited text is not a layout.
    layout: Option<Layout>,
    /// The keyspaces that the fix changes.
    changed: Vec<KeyspaceId>,
    /// Whether the fix breaks a proved claim; `None` until this is decided.
    breaks: Cell<Option<bool>>,
}

impl<'a> FixSearch<'a> {
    fn new(
        context: &'a Context<'a>,
        subjects: &'a [Subject],
        claims: &[Claim],
        idle_accepts: &'a [(KeyspaceId, Span)],
    ) -> Self {
        let proved = claims.iter().zip(subjects);
        let proved = proved.filter(|(claim, _)| matches!(claim.verdict, Verdict::Proved));
        Self {
            context,
            subjects,
            proved: proved.map(|(_, subject)| *subject).collect(),
            idle_accepts,
            applied: RefCell::default(),
            reread: Cell::new(MAX_REREAD),
        }
    }

    fn fixes(&self, subject: &Subject, fault: &Fault, budget: &Total) -> Vec<Fix> {
        let layout = self.context.layout;
        let whole = Problem {
            layout,
            config: self.context.config,
            budget,
            whole: layout,
            is_disjoint: self.proved.contains(&Subject::new(Rule::Disjoint, subject.keyspace)),
            cache: self.context.cache,
            subject,
            fault,
        };
        let Some((layout, subject)) = &reduce::reduce(&whole) else {
            return self.fixes_in(&whole, &whole);
        };
        // The smaller layout has other keyspace ids, so the claim is decided again to get a
        // counterexample with them.
        let smaller = Problem { layout, subject, ..whole };
        let Some(Verdict::Refuted(counterexample)) = smaller.decide(layout) else {
            return self.fixes_in(&whole, &whole);
        };
        self.fixes_in(&Problem { fault: &counterexample.fault, ..smaller }, &whole)
    }

    /// Returns the fixes of a problem that hold in the whole layout.
    fn fixes_in(&self, problem: &Problem<'_>, whole: &Problem<'_>) -> Vec<Fix> {
        let mut fixes: Vec<Fix> = Vec::new();
        let mut left = MAX_TRIED;
        let mut scan_is_mended = false;
        let Ideas { usual, otherwise, narrowing, last } = idea::ideas(problem.subject.rule);
        for (group, only_if_none) in
            [(usual, false), (otherwise, true), (narrowing, false), (last, true)]
        {
            if only_if_none && !fixes.is_empty() {
                continue;
            }
            for idea in *group {
                let is_scan = matches!(idea, Idea::Scan(_));
                let enough = fixes.len() >= MAX_FIXES || only_if_none && !fixes.is_empty();
                // If another form of the scan proves the claim, the key needs no change.
                if left == 0 || enough || scan_is_mended && !is_scan {
                    break;
                }
                try_idea(idea, problem, &mut left, &mut |layout| {
                    let fix = edit::fix(problem.layout, layout, idea.effect());
                    let is_known = |fix: &Fix| fixes.iter().any(|known| known.edit == fix.edit);
                    let fix = fix.filter(|fix| !is_known(fix) && self.holds(fix, whole));
                    let fix = fix.and_then(|fix| self.with_real_effect(fix, whole));
                    let is_new = fix.is_some();
                    fixes.extend(fix);
                    scan_is_mended |= is_scan && is_new;
                    is_new
                });
            }
        }
        fixes.truncate(MAX_FIXES);
        fixes.sort_by_key(|fix| fix.effect);
        for fix in &mut fixes {
            fix.idle_accepts = regress::idle_accepts(self, whole, &self.applied(fix, whole));
        }
        fixes
    }

    /// Returns the fix with its real effect on stored bytes. The effect can be milder than that of
    /// the idea, or stronger if derived bytes change. Returns `None` for a fix that changes stored
    /// bytes and rejects values.
    fn with_real_effect(&self, fix: Fix, whole: &Problem<'_>) -> Option<Fix> {
        let applied = self.applied(&fix, whole);
        let changed = applied.pairs(self.context.layout);
        // If no keyspace changes, the effect of the idea applies.
        if changed.is_empty() {
            return Some(fix);
        }
        let keeps_bytes = effect::keeps_bytes(&changed);
        let narrows = effect::rejects_values(&changed);
        let effect = match fix.effect {
            Effect::Narrowed => Effect::Narrowed,
            _ if narrows => return keeps_bytes.then_some(Fix { effect: Effect::Narrowed, ..fix }),
            _ if keeps_bytes => Effect::NothingStored,
            Effect::BytesAdded if effect::changes_derived(&changed) => Effect::TypeChanged,
            known => known,
        };
        Some(Fix { effect, ..fix })
    }

    /// Whether a fix proves the claim in the whole layout and breaks no other claim.
    fn holds(&self, fix: &Fix, whole: &Problem<'_>) -> bool {
        let Some(left) = self.reread.get().checked_sub(whole.layout.keyspaces.len()) else {
            return false;
        };
        self.reread.set(left);
        let applied = self.applied(fix, whole);
        let changed = applied.pairs(self.context.layout);
        let Some(after) = &applied.layout else { return false };
        if applied.breaks.get() == Some(true)
            || effect::is_absurd(&changed)
            || effect::allows_more(&changed)
            || effect::reverses_order(&changed)
        {
            return false;
        }
        let context = applied.context(whole, after, whole.subject.keyspace);
        if !is_proved(&context, whole.subject) {
            return false;
        }
        let breaks = applied.breaks.get();
        let breaks = breaks.unwrap_or_else(|| regress::breaks(self, &context, &applied.changed));
        applied.breaks.set(Some(breaks));
        !breaks
    }

    /// Returns the whole layout with a fix.
    fn applied(&self, fix: &Fix, whole: &Problem<'_>) -> Rc<Applied> {
        let change = (fix.replaces, fix.edit.clone());
        if let Some(known) = self.applied.borrow().get(&change) {
            return known.clone();
        }
        let layout = whole.edited(&[Edit::replace(fix.replaces, fix.edit.as_str())]);
        let changed = layout.as_ref().map(|after| regress::changed(self.context.layout, after));
        let changed = changed.unwrap_or_default();
        let applied = Rc::new(Applied { layout, changed, breaks: Cell::new(None) });
        let mut known = self.applied.borrow_mut();
        if known.len() >= MAX_APPLIED {
            known.clear();
        }
        known.insert(change, applied.clone());
        applied
    }
}

impl Applied {
    /// Returns the changed keyspaces before and after the fix.
    fn pairs<'l>(&'l self, before: &'l Layout) -> Vec<effect::Pair<'l>> {
        let Some(after) = &self.layout else { return Vec::new() };
        self.changed.iter().map(|&id| (before.keyspace(id), after.keyspace(id))).collect()
    }

    /// Creates a context of the layout with a focus on the changed keyspaces and one more.
    fn context<'l>(
        &self,
        whole: &'l Problem<'_>,
        layout: &'l Layout,
        other: KeyspaceId,
    ) -> Context<'l> {
        let mut focus = self.changed.clone();
        if !focus.contains(&other) {
            focus.push(other);
        }
        whole.context(layout).focused(focus)
    }
}

/// Passes each layout of an idea in which the claim is proved to `take`. `take` returns whether it
/// uses the layout. `left` is the number of layouts that may still be tried.
fn try_idea(
    idea: &Idea,
    problem: &Problem<'_>,
    left: &mut usize,
    take: &mut dyn FnMut(&Layout) -> bool,
) {
    let mut may_try = || {
        let may = *left > 0;
        *left = left.saturating_sub(1);
        may
    };
    match idea {
        Idea::Each(_, edits) | Idea::First(_, edits) => {
            let first = matches!(idea, Idea::First(..));
            for edits in edits(problem).into_iter().take_while(|_| may_try()) {
                if problem.fixed(&edits).is_some_and(|layout| take(&layout)) && first {
                    return;
                }
            }
        }
        Idea::Scan(step) | Idea::Also(step) => {
            let rounds = if matches!(idea, Idea::Also(_)) { MAX_ALSO } else { MAX_ROUNDS };
            if may_try()
                && let Some(layout) = repeat(step, problem, rounds)
            {
                take(&layout);
            }
        }
        Idea::Steps(_, steps) => {
            // The first layout that `take` uses ends the search.
            steps.iter().take_while(|_| may_try()).any(|step| {
                let step = |problem: &Problem<'_>| {
                    clause::derived_first(problem).or_else(|| step(problem))
                };
                repeat(&step, problem, MAX_ROUNDS).is_some_and(|layout| take(&layout))
            });
        }
        Idea::Bound(bounds) => {
            for bound in bounds(problem).into_iter().take_while(|_| may_try()) {
                if let Some(layout) = bound::weakest_layout(problem, &bound) {
                    take(&layout);
                }
            }
        }
    }
}

/// Repeats a step, each time for the new fault of the claim.
fn repeat(
    step: &dyn Fn(&Problem<'_>) -> Option<Vec<Edit>>,
    problem: &Problem<'_>,
    rounds: usize,
) -> Option<Layout> {
    let mut layout = problem.edited(&step(problem)?)?;
    for _ in 1..rounds {
        let counterexample = match problem.decide(&layout)? {
            Verdict::Proved => return Some(layout),
            Verdict::Refuted(counterexample) => counterexample,
            Verdict::Unknown(_) => return None,
        };
        let next = Problem { layout: &layout, fault: &counterexample.fault, ..*problem };
        layout = next.edited(&step(&next)?)?;
    }
    matches!(problem.decide(&layout)?, Verdict::Proved).then_some(layout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_of_a_claim_is_missing_for_the_next() {
        let of_layout = Total::new("search nodes for fixes", WORK);
        for _ in 0..WORK / WORK_OF_CLAIM {
            let of_claim = budget_of_claim(&of_layout);
            assert!(of_claim.take(WORK_OF_CLAIM - 1).is_ok() && of_claim.left() > 0);
            assert!(of_claim.take(2).is_err() && of_claim.left() == 0);
            assert!(of_layout.take(of_claim.spent()).is_ok());
        }
        assert!(of_layout.left() == 0 && budget_of_claim(&of_layout).take(1).is_err());
    }
}
