//! The two forms of a scan. The plain form reads all keys with its prefix. The tight form reads
//! only keys whose bytes can follow the leading part.

use crate::{
    context::Context,
    scan_exact::decide,
    scan_query::{Interval, Query, declared, tight},
    scan_trial,
    verdict::{Counterexample, Unknown, Verdict},
};
use keyscape_automata::OverBudget;
use keyscape_layout::{
    Side,
    machine::Walk,
    model::{KeyspaceId, Scan},
};

/// The verdict on the forms of a scan.
pub(crate) struct Forms {
    pub(crate) verdict: Verdict,
    /// The interval after the leading part, for a scan that is exact only in its tight form.
    pub(crate) tight: Option<Interval>,
    /// The counterexample of the plain form of such a scan.
    pub(crate) plain: Option<Box<Counterexample>>,
}

impl Forms {
    /// Creates the result with one verdict.
    pub(crate) const fn of(verdict: Verdict) -> Self {
        Self { verdict, tight: None, plain: None }
    }
}

pub(crate) fn check(context: &Context<'_>, keyspace: KeyspaceId, scan: &Scan) -> Verdict {
    check_forms(context, keyspace, scan).verdict
}

/// Decides a scan in its plain form, and if that fails, in its tight form.
pub(crate) fn check_forms(context: &Context<'_>, keyspace: KeyspaceId, scan: &Scan) -> Forms {
    let Some(query) = declared(context.layout.keyspace(keyspace), scan) else {
        return Forms::of(scan_trial::check(context, keyspace, scan));
    };
    let plain = decide(context, keyspace, scan, &query);
    if scan.asked.is_some() || matches!(plain, Verdict::Proved) {
        return Forms::of(plain);
    }
    let query = match tight_query(context, keyspace, scan) {
        Ok(Some(query)) => query,
        Ok(None) => return Forms::of(plain),
        Err(over) => return Forms::of(Verdict::Unknown(Unknown::Budget(over))),
    };
    match decide(context, keyspace, scan, &query) {
        // If both forms fail, the counterexample of the plain form is easier to read.
        Verdict::Refuted(_) => Forms::of(plain),
        Verdict::Proved => {
            let plain = match plain {
                Verdict::Refuted(counterexample) => Some(counterexample),
                _ => None,
            };
            Forms { verdict: Verdict::Proved, tight: Some(query.interval), plain }
        }
        Verdict::Unknown(reason) => Forms::of(Verdict::Unknown(reason)),
    }
}

/// Returns the tight form of a scan.
fn tight_query(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    scan: &Scan,
) -> Result<Option<Query>, OverBudget> {
    let machine = context.space_machine(keyspace, Side::Over)?;
    let Some(track) = machine.track(keyspace) else { return Ok(None) };
    tight(&mut Walk::new(&machine), track, scan)
}
