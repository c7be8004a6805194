//! The two forms of a scan: everything with its prefix, and only what can follow its leading part.

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
    /// For a scan that holds in its tight form only, what may follow the leading part.
    pub(crate) tight: Option<Interval>,
    /// For such a scan, what refutes its plain form.
    pub(crate) plain: Option<Box<Counterexample>>,
}

impl Forms {
    /// A verdict about one form.
    pub(crate) const fn of(verdict: Verdict) -> Self {
        Self { verdict, tight: None, plain: None }
    }
}

pub(crate) fn check(context: &Context<'_>, keyspace: KeyspaceId, scan: &Scan) -> Verdict {
    check_forms(context, keyspace, scan).verdict
}

/// Decides a scan in its plain form, and where that fails, in its tight form.
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
        // Both forms fail: the plain one is the easier to read.
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

/// The tight form of a scan: only what can follow its leading part.
fn tight_query(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    scan: &Scan,
) -> Result<Option<Query>, OverBudget> {
    let machine = context.space_machine(keyspace, Side::Over)?;
    let Some(track) = machine.track(keyspace) else { return Ok(None) };
    tight(&mut Walk::new(&machine), track, scan)
}
