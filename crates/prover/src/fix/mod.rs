//! Fixes that have themselves been proved.
//!
//! An [idea](idea::Idea) changes the text of the layout. The changed text is read again and the
//! claim decided again; only where it is then proved, and nothing that was proved before is lost,
//! is the change offered. Ideas come in the order of what they do to bytes that are stored already.

mod allocate;
mod bound;
mod change;
mod draft;
mod exclude;
mod idea;
mod index;
mod length;
mod literal;
mod order;
mod regress;
mod retype;
mod scan;
mod separate;
mod site;
mod unit;
mod view;
mod written;

use crate::{
    context::Context,
    decide::{Subject, subjects},
    verdict::{Claim, Counterexample, Fault, Fix, Verdict},
};
use draft::Draft;
use idea::Idea;
use std::collections::HashMap;
use view::View;

/// The most fixes that one claim is offered.
const MAX_FIXES: usize = 3;
/// The most changes that are tried for one claim; one bound counts as one.
const MAX_TRIED: usize = 24;
/// How often one idea is applied to its own outcome before it is given up.
const MAX_ROUNDS: usize = 4;
/// The most refuted claims that fixes are looked for.
const MAX_CLAIMS: usize = 200;
/// Above this many keyspaces a layout is large, and reading it again costs.
const LARGE: usize = 500;
/// The most refuted claims of a large layout that fixes are looked for.
const MAX_CLAIMS_OF_LARGE: usize = 20;

/// Gives the refuted claims of a layout their fixes.
pub(crate) fn offer(context: &Context<'_>, claims: &mut [Claim]) {
    let is_refuted = |claim: &Claim| matches!(claim.verdict, Verdict::Refuted(_));
    if !claims.iter().any(is_refuted) {
        return;
    }
    let Some(bench) = Bench::new(context, claims) else { return };
    let large = context.layout.keyspaces.len() > LARGE;
    let most = if large { MAX_CLAIMS_OF_LARGE } else { MAX_CLAIMS };
    for (claim, subject) in
        claims.iter_mut().zip(&bench.subjects).filter(|(c, _)| is_refuted(c)).take(most)
    {
        if let Verdict::Refuted(counterexample) = &mut claim.verdict {
            counterexample.fixes = bench.fixes(subject, counterexample);
        }
    }
}

/// What all claims of a layout need to look for fixes.
struct Bench<'a> {
    context: &'a Context<'a>,
    /// The layout as it is.
    tree: keyscape_layout::syntax::ast::File,
    text: &'a str,
    /// The subjects of all claims, in order.
    subjects: Vec<Subject>,
    /// What is proved of the layout as it is.
    proved: Vec<Subject>,
}

impl<'a> Bench<'a> {
    fn new(context: &'a Context<'a>, claims: &[Claim]) -> Option<Self> {
        let main = context.layout.sources.files().first()?;
        let (tree, _) = keyscape_layout::syntax::parse(&main.text, keyscape_layout::FileId(0));
        let mut known: HashMap<_, Subject> = HashMap::new();
        for id in context.layout.keyspace_ids() {
            for (subject, span, path) in subjects(context, id) {
                known.entry((subject.rule, id, subject.scan, path, span)).or_insert(subject);
            }
        }
        let mut subjects = Vec::with_capacity(claims.len());
        for claim in claims {
            let key = (claim.rule, claim.keyspace, claim.scan, claim.field.clone(), claim.span);
            subjects.push(*known.get(&key)?);
        }
        let proved = claims.iter().zip(&subjects);
        let proved = proved.filter(|(claim, _)| matches!(claim.verdict, Verdict::Proved));
        let proved = proved.map(|(_, subject)| *subject).collect();
        Some(Self { context, tree, text: &main.text, subjects, proved })
    }

    fn fixes(&self, subject: &Subject, counterexample: &Counterexample) -> Vec<Fix> {
        let mut fixes: Vec<Fix> = Vec::new();
        let mut tried = 0;
        let fault = &counterexample.fault;
        for idea in idea::ideas(subject.rule) {
            let view = self.view(subject, fault);
            // A scan that asks for the wrong keys is not the fault of the keys.
            let scan_mended =
                fixes.iter().any(|fix| view.scan_span().is_some_and(|span| span == fix.replaces));
            if scan_mended && !matches!(idea, Idea::Scan(_)) {
                break;
            }
            for draft in self.pursue(idea, subject, fault, MAX_TRIED - tried, &mut tried) {
                let before = (self.text, &self.tree);
                let fix = unit::fix(before, (&draft.text, draft.tree()), idea.effect());
                if let Some(fix) = fix.filter(|fix| !fixes.contains(fix))
                    && !regress::breaks(self, &draft)
                {
                    fixes.push(fix);
                }
                if fixes.len() == MAX_FIXES {
                    return fixes;
                }
            }
            if tried >= MAX_TRIED {
                break;
            }
        }
        fixes
    }

    fn view<'v>(&'v self, subject: &'v Subject, fault: &'v Fault) -> View<'v> {
        View {
            layout: self.context.layout,
            config: self.context.config,
            tree: &self.tree,
            text: self.text,
            subject,
            fault,
        }
    }

    /// The layouts that an idea leads to, in which the claim is proved.
    fn pursue(
        &self,
        idea: &Idea,
        subject: &Subject,
        fault: &Fault,
        most: usize,
        tried: &mut usize,
    ) -> Vec<Draft> {
        let view = self.view(subject, fault);
        match idea {
            Idea::Each(_, changes) | Idea::First(_, changes) => {
                let wanted = if matches!(idea, Idea::First(..)) { 1 } else { MAX_FIXES };
                let changes = changes(&view).into_iter().take(most);
                let drafts = changes.filter_map(|changes| {
                    *tried += 1;
                    let draft = Draft::new(&view, &changes)?;
                    draft.proves(self.context.config, subject).then_some(draft)
                });
                drafts.take(wanted).collect()
            }
            Idea::Scan(step) | Idea::Step(_, step) => {
                *tried += 1;
                self.repeat(*step, subject, fault).into_iter().collect()
            }
            Idea::Bound(bounds) => {
                let bounds = bounds(&view).into_iter().take(most);
                let drafts = bounds.filter_map(|bound| {
                    *tried += 1;
                    bound::weakest_draft(&view, &bound)
                });
                drafts.take(MAX_FIXES).collect()
            }
        }
    }

    /// The same step again and again, each time for what then refutes the claim.
    fn repeat(&self, step: idea::Step, subject: &Subject, fault: &Fault) -> Option<Draft> {
        let mut draft = {
            let view = self.view(subject, fault);
            Draft::new(&view, &step(&view)?)?
        };
        for _ in 1..MAX_ROUNDS {
            let next = {
                let counterexample = match draft.decide(self.context.config, subject)? {
                    Verdict::Proved => break,
                    Verdict::Refuted(counterexample) => counterexample,
                    Verdict::Unknown(_) => return None,
                };
                let fault = &counterexample.fault;
                let view = draft.view(self.context.config, subject, fault);
                Draft::new(&view, &step(&view)?)?
            };
            draft = next;
        }
        draft.proves(self.context.config, subject).then_some(draft)
    }
}
