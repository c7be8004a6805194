//! Proved fixes.
//!
//! An [idea](idea::Idea) changes the text of the layout. The changed text is parsed, and the claim
//! is decided again. The change is offered only if the claim is then proved and all proved claims
//! stay proved. Fixes are ordered by their effect on stored bytes. Fixes that reject values that
//! were allowed come last.

mod absurd;
mod allocate;
mod bound;
mod change;
mod draft;
mod effect;
mod effort;
mod exclude;
mod free;
mod idea;
mod idle;
mod index;
mod length;
mod literal;
mod order;
mod reduce;
mod regress;
mod retype;
mod scan;
mod separate;
mod site;
mod split;
mod unit;
mod variant;
mod view;
mod written;

use crate::{
    context::Context,
    decide::{Subject, decide, subjects},
    verdict::{Claim, Counterexample, Effect, Fix, NoFix, Rule, Verdict},
};
use change::Change;
use draft::Draft;
use effort::Effort;
use hashbrown::HashMap;
use idea::{Idea, Ideas};
use keyscape_layout::{Span, model::KeyspaceId};
use reduce::Reduced;
use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};
use view::View;

/// The highest number of fixes per claim.
const MAX_FIXES: usize = 4;
/// The highest number of changes to try per claim. A bound counts as one.
const MAX_TRIED: usize = 24;
/// The highest number of times that one idea is applied to its own result.
const MAX_ROUNDS: usize = 4;
/// The highest number of `also` keyspaces in a fix of a scan.
const MAX_ALSO: usize = 8;
/// The highest number of refuted claims with a search for fixes.
const MAX_CLAIMS: usize = 200;
/// A layout with more keyspaces than this is large, and parsing it is expensive.
const LARGE: usize = 500;
/// The highest number of refuted claims of a large layout with a search for fixes.
const MAX_CLAIMS_OF_LARGE: usize = 20;

/// The highest number of keyspaces in all whole layouts that are parsed to confirm fixes.
const MAX_REREAD: usize = 20_000;

/// The number of whole layouts with fixes in the cache.
const MOST_TRIED: usize = 16;

/// Adds fixes to the refuted claims of a layout. Returns the units of work of the search.
pub(crate) fn offer(context: &Context<'_>, claims: &mut [Claim]) -> usize {
    let is_refuted = |claim: &Claim| matches!(claim.verdict, Verdict::Refuted(_));
    if !claims.iter().any(is_refuted) {
        return 0;
    }
    let Some(bench) = Bench::new(context, claims) else { return 0 };
    let large = context.layout.keyspaces.len() > LARGE;
    let most = if large { MAX_CLAIMS_OF_LARGE } else { MAX_CLAIMS };
    let refuted = claims.iter_mut().zip(&bench.subjects).filter(|(claim, _)| is_refuted(claim));
    for (nth, (claim, subject)) in refuted.enumerate() {
        let Verdict::Refuted(counterexample) = &mut claim.verdict else { continue };
        if nth >= most || bench.reread.get() < context.layout.keyspaces.len() {
            claim.no_fix = Some(NoFix::Limit);
            continue;
        }
        let effort = bench.effort.of_claim();
        counterexample.fixes = bench.fixes(subject, counterexample, &effort);
        bench.effort.spend(&effort);
        if counterexample.fixes.is_empty() {
            claim.no_fix =
                Some(if effort.is_spent() { NoFix::Limit } else { NoFix::NothingProves });
        }
    }
    bench.effort.total.spent()
}

/// State that the search for fixes shares over all claims of a layout.
struct Bench<'a> {
    context: &'a Context<'a>,
    /// The subjects of all claims, in order.
    subjects: Vec<Subject>,
    /// The proved claims of the unchanged layout.
    proved: Vec<Subject>,
    /// The acceptances that match a failing claim.
    used_accepts: Vec<(KeyspaceId, usize)>,
    /// A cache of whole layouts with fixes, because several claims often have the same fix.
    tried: RefCell<HashMap<(Span, String), Rc<Tried>>>,
    /// The number of keyspaces that may still be parsed.
    reread: Cell<usize>,
    /// The remaining work for changed layouts.
    effort: Effort,
}

/// A fix, applied to the whole layout.
struct Tried {
    /// `None` if the changed text is not a layout.
    draft: Option<Draft>,
    /// The keyspaces that the fix changes.
    changed: Vec<KeyspaceId>,
    /// Whether the fix breaks a proved claim, once decided.
    breaks: Cell<Option<bool>>,
}

impl<'a> Bench<'a> {
    fn new(context: &'a Context<'a>, claims: &[Claim]) -> Option<Self> {
        let mut known: HashMap<_, Subject> = HashMap::new();
        for id in context.layout.keyspace_ids() {
            for (subject, span, path) in subjects(context, id) {
                let Subject { rule, scan, split, .. } = subject;
                known.entry((rule, id, scan, split, path, span)).or_insert(subject);
            }
        }
        let mut subjects = Vec::with_capacity(claims.len());
        for claim in claims {
            let (scan, split) = (claim.scan, claim.split);
            let key = (claim.rule, claim.keyspace, scan, split, claim.field.clone(), claim.span);
            subjects.push(*known.get(&key)?);
        }
        let proved = claims.iter().zip(&subjects);
        let proved = proved.filter(|(claim, _)| matches!(claim.verdict, Verdict::Proved));
        let proved = proved.map(|(_, subject)| *subject).collect();
        Some(Self {
            context,
            subjects,
            proved,
            used_accepts: idle::used(context.layout, claims),
            tried: RefCell::default(),
            reread: Cell::new(MAX_REREAD),
            effort: Effort::of_layout(),
        })
    }

    fn fixes(
        &self,
        subject: &Subject,
        counterexample: &Counterexample,
        effort: &Effort,
    ) -> Vec<Fix> {
        let fault = &counterexample.fault;
        let (layout, config) = (self.context.layout, self.context.config);
        let disjoint =
            Subject { rule: Rule::Disjoint, scan: None, split: None, field: None, ..*subject };
        let whole = View {
            layout,
            config,
            effort,
            whole: layout,
            is_disjoint: self.proved.contains(&disjoint),
            cache: self.context.cache,
            subject,
            fault,
        };
        let Some(smaller) = reduce::reduce(layout, subject, fault, effort) else {
            return self.fixes_in(&whole, &whole);
        };
        let Reduced { layout, subject } = &smaller;
        // The counterexample of the smaller layout has its own keyspace ids.
        let focused = whole.context(layout).focused(vec![subject.keyspace]);
        let verdict = decide(&focused, subject);
        let Some(Verdict::Refuted(counterexample)) = verdict else {
            return self.fixes_in(&whole, &whole);
        };
        let view = View { layout, subject, fault: &counterexample.fault, ..whole };
        self.fixes_in(&view, &whole)
    }

    /// Returns the fixes found in a view that hold in the whole layout.
    fn fixes_in(&self, view: &View<'_>, whole: &View<'_>) -> Vec<Fix> {
        let mut fixes: Vec<Fix> = Vec::new();
        let mut left = MAX_TRIED;
        let mut scan_is_mended = false;
        let Ideas { usual, otherwise, narrowing, last } = idea::ideas(view.subject.rule);
        for (group, only_if_none) in
            [(usual, false), (otherwise, true), (narrowing, false), (last, true)]
        {
            if only_if_none && !fixes.is_empty() {
                continue;
            }
            for idea in *group {
                let is_scan = matches!(idea, Idea::Scan(_));
                let enough = fixes.len() >= MAX_FIXES || only_if_none && !fixes.is_empty();
                // If another form of the scan helps, the key needs no change.
                if left == 0 || enough || scan_is_mended && !is_scan {
                    break;
                }
                self.pursue(idea, view, &mut left, &mut |draft| {
                    let fix = unit::fix(view.layout, &draft.layout, idea.effect());
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
            fix.idle_accepts = idle::made_idle(self, whole, &self.tried(fix, whole));
        }
        fixes
    }

    /// Returns the fix with its real effect on stored bytes. The effect can be milder than that of
    /// the idea, or stronger if derived bytes change. Returns `None` for a fix that changes stored
    /// bytes and rejects values.
    fn with_real_effect(&self, fix: Fix, whole: &View<'_>) -> Option<Fix> {
        let tried = self.tried(&fix, whole);
        // Without a changed keyspace, the effect of the idea applies.
        let Some(draft) = tried.draft.as_ref().filter(|_| !tried.changed.is_empty()) else {
            return Some(fix);
        };
        let (before, after) = (self.context.layout, &draft.layout);
        let keeps_bytes = effect::keeps_bytes(before, after, &tried.changed);
        let narrows = effect::rejects_values(before, after, &tried.changed);
        let effect = match fix.effect {
            Effect::Narrowed => Effect::Narrowed,
            _ if narrows => return keeps_bytes.then_some(Fix { effect: Effect::Narrowed, ..fix }),
            _ if keeps_bytes => Effect::NothingStored,
            Effect::BytesAdded if effect::changes_derived(before, after, &tried.changed) => {
                Effect::TypeChanged
            }
            known => known,
        };
        Some(Fix { effect, ..fix })
    }

    /// Whether a fix proves the claim in the whole layout and breaks no other claim.
    fn holds(&self, fix: &Fix, whole: &View<'_>) -> bool {
        let Some(left) = self.reread.get().checked_sub(whole.layout.keyspaces.len()) else {
            return false;
        };
        self.reread.set(left);
        let tried = self.tried(fix, whole);
        let Some(draft) = &tried.draft else { return false };
        if tried.breaks.get() == Some(true)
            || absurd::is_absurd(self.context.layout, &draft.layout, &tried.changed)
            || effect::allows_more(self.context.layout, &draft.layout, &tried.changed)
            || effect::reverses_order(self.context.layout, &draft.layout, &tried.changed)
        {
            return false;
        }
        let mut focus = tried.changed.clone();
        if !focus.contains(&whole.subject.keyspace) {
            focus.push(whole.subject.keyspace);
        }
        let context = whole.context(&draft.layout).focused(focus);
        if !matches!(decide(&context, whole.subject), Some(Verdict::Proved)) {
            return false;
        }
        let breaks = tried.breaks.get();
        let breaks = breaks.unwrap_or_else(|| regress::breaks(self, &context, &tried.changed));
        tried.breaks.set(Some(breaks));
        !breaks
    }

    /// Returns the whole layout with a fix.
    fn tried(&self, fix: &Fix, whole: &View<'_>) -> Rc<Tried> {
        let change = (fix.replaces, fix.edit.clone());
        if let Some(known) = self.tried.borrow().get(&change) {
            return known.clone();
        }
        let draft = Draft::new(whole, &[Change::replace(fix.replaces, fix.edit.as_str())]);
        let before = self.context.layout;
        let changed =
            draft.as_ref().map_or_else(Vec::new, |draft| regress::changed(before, &draft.layout));
        let tried = Rc::new(Tried { draft, changed, breaks: Cell::new(None) });
        let mut known = self.tried.borrow_mut();
        if known.len() >= MOST_TRIED {
            known.clear();
        }
        known.insert(change, tried.clone());
        tried
    }

    /// Passes the layouts of an idea in which the claim is proved to `take`, which returns whether
    /// it uses the layout. `left` is the number of layouts that may still be tried.
    fn pursue(
        &self,
        idea: &Idea,
        view: &View<'_>,
        left: &mut usize,
        take: &mut dyn FnMut(&Draft) -> bool,
    ) {
        let mut may_try = || {
            let may = *left > 0;
            *left = left.saturating_sub(1);
            may
        };
        match idea {
            Idea::Each(_, changes) | Idea::First(_, changes) => {
                let first = matches!(idea, Idea::First(..));
                for changes in changes(view).into_iter().take_while(|_| may_try()) {
                    let draft = Draft::new(view, &changes);
                    let draft = draft.filter(|draft| draft.proves(view));
                    if draft.is_some_and(|draft| take(&draft)) && first {
                        return;
                    }
                }
            }
            Idea::Scan(step) | Idea::Also(step) => {
                let rounds = if matches!(idea, Idea::Also(_)) { MAX_ALSO } else { MAX_ROUNDS };
                if may_try()
                    && let Some(draft) = repeat(*step, view, rounds)
                {
                    take(&draft);
                }
            }
            Idea::Steps(_, steps) => {
                let mut drafts = steps.iter().take_while(|_| may_try());
                // The first layout that `take` uses ends the search.
                drafts
                    .any(|step| repeat(*step, view, MAX_ROUNDS).is_some_and(|draft| take(&draft)));
            }
            Idea::Bound(bounds) => {
                for bound in bounds(view).into_iter().take_while(|_| may_try()) {
                    if let Some(draft) = bound::weakest_draft(view, &bound) {
                        take(&draft);
                    }
                }
            }
        }
    }
}

/// Repeats a step, each time for the new fault of the claim.
fn repeat(step: idea::Step, view: &View<'_>, rounds: usize) -> Option<Draft> {
    let mut draft = Draft::new(view, &step(view)?)?;
    for _ in 1..rounds {
        let next = {
            let counterexample = match draft.decide(view)? {
                Verdict::Proved => return Some(draft),
                Verdict::Refuted(counterexample) => counterexample,
                Verdict::Unknown(_) => return None,
            };
            let fault = &counterexample.fault;
            let view = draft.view(view, fault);
            Draft::new(&view, &step(&view)?)?
        };
        draft = next;
    }
    draft.proves(view).then_some(draft)
}
