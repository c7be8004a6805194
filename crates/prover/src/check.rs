//! All claims of a layout, decided in order.

use crate::{
    accept,
    context::Context,
    decide::{decide, subjects},
    fix, scan_exact,
    verdict::{Claim, Report, Rule},
};
use keyscape_automata::Budget;
use keyscape_layout::{Backend, Layout};

/// How far the prover may go.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// For one claim.
    pub budget: Budget,
    /// How many times the pairs of one claim a whole space may take.
    pub space_factor: usize,
    /// A backend whose limits count for all stores, whatever the layout says.
    pub backend: Option<&'static Backend>,
    /// Whether to look for changes that make refuted claims true.
    pub fixes: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { budget: Budget::default(), space_factor: 2, backend: None, fixes: true }
    }
}

impl Config {
    pub(crate) fn store_budget(&self) -> Budget {
        Budget { pairs: self.budget.pairs.saturating_mul(self.space_factor), ..self.budget }
    }
}

/// Decides every claim of a layout.
#[must_use]
pub fn check(layout: &Layout, config: Config) -> Report {
    let context = Context::new(layout, config);
    let mut claims = Vec::new();
    for id in layout.keyspace_ids() {
        let store = layout.keyspace(id).store;
        for (subject, span, path) in subjects(&context, id) {
            let scan = subject.scan.filter(|_| subject.rule == Rule::ScanExact);
            let (verdict, tight) = match scan.and_then(|scan| layout.keyspace(id).scans.get(scan)) {
                // Here it matters which form of the scan is the exact one.
                Some(scan) => {
                    let (verdict, tight) = scan_exact::check_forms(&context, id, scan);
                    (Some(verdict), tight)
                }
                None => (decide(&context, &subject), None),
            };
            let Some(verdict) = verdict else { continue };
            claims.push(Claim {
                rule: subject.rule,
                store,
                keyspace: id,
                scan: subject.scan,
                field: path,
                tight,
                span,
                verdict,
                accepted: None,
            });
        }
    }
    if config.fixes {
        fix::offer(&context, &mut claims);
    }
    let idle_accepts = accept::apply(layout, &mut claims);
    Report { claims, idle_accepts }
}
