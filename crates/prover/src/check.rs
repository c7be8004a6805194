//! All claims of a layout, decided in order.

use crate::{
    accept,
    context::Context,
    decide::{decide, partners, subjects},
    fix,
    memory::{Memory, Recall},
    numeric,
    scan_forms::{self, Forms},
    verdict::{Claim, Report, Rule, Verdict},
};
use keyscape_automata::{Budget, Total};
use keyscape_layout::{Backend, Layout};

/// How far the prover may go.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// For one claim.
    pub budget: Budget<'static>,
    /// How many times the pairs of one claim a whole space may take.
    pub space_factor: usize,
    /// The units of work that all claims of the layout may take together, without fixes.
    pub work: usize,
    /// A backend whose limits count for all stores, whatever the layout says.
    pub backend: Option<&'static Backend>,
    /// Whether to look for changes that make refuted claims true.
    pub fixes: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            budget: Budget::default(),
            space_factor: 2,
            work: 1 << 25,
            backend: None,
            fixes: true,
        }
    }
}

impl Config {
    /// Returns the work of all claims of a layout.
    pub(crate) const fn total(&self) -> Total {
        Total::new("search nodes for all claims of the layout", self.work)
    }
}

/// Decides every claim of a layout.
#[must_use]
pub fn check(layout: &Layout, config: Config) -> Report {
    check_with(layout, config, &Memory::default())
}

/// Decides every claim of a layout, one of several that have much in common.
#[must_use]
pub fn check_with(layout: &Layout, config: Config, memory: &Memory) -> Report {
    let memory = Recall::new(memory);
    let context = Context::new(layout, config, &memory);
    let mut claims = Vec::new();
    for id in layout.keyspace_ids() {
        let store = layout.keyspace(id).store;
        for (subject, span, path) in subjects(&context, id) {
            let scan = subject.scan.and_then(|scan| layout.keyspace(id).scans.get(scan));
            let decided = match (subject.rule, scan) {
                (Rule::ScanExact, Some(scan)) => Some(scan_forms::check_forms(&context, id, scan)),
                _ => decide(&context, &subject).map(Forms::of),
            };
            let Some(Forms { verdict, tight, plain }) = decided else { continue };
            let numeric = match verdict {
                Verdict::Proved => numeric::warnings(&context, &subject),
                _ => Vec::new(),
            };
            claims.push(Claim {
                rule: subject.rule,
                store,
                keyspace: id,
                scan: subject.scan,
                split: subject.split,
                field: path,
                tight,
                plain,
                numeric,
                span,
                partners: partners(&context, &subject),
                verdict,
                accepted: None,
                no_fix: None,
            });
        }
    }
    let fixes = if config.fixes { fix::offer(&context, &mut claims) } else { 0 };
    let idle_accepts = accept::apply(layout, &mut claims);
    Report { claims, idle_accepts, work: context.spent() + fixes }
}
