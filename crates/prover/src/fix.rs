//! Fixes that have themselves been proved.

use crate::{
    check::Context,
    scan_exact,
    verdict::{Fix, Verdict},
};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, Scan},
};

/// Where a scan asks for too little of the key, the scan that Keyscape derives may be right.
pub(crate) fn scan(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    scan: &Scan,
    verdict: Verdict,
) -> Verdict {
    let (Verdict::Refuted(mut counterexample), Some(_)) = (verdict.clone(), &scan.asked) else {
        return verdict;
    };
    let derived = Scan { asked: None, ..scan.clone() };
    if matches!(scan_exact::check(context, keyspace, &derived), Verdict::Proved) {
        counterexample.fixes.push(Fix {
            text: clause(context.layout, &derived),
            replaces: scan.span,
            effect: "no stored byte changes",
        });
    }
    Verdict::Refuted(counterexample)
}

/// A scan without `as`, as it is written.
fn clause(layout: &Layout, scan: &Scan) -> String {
    let mut text = match scan.leading.as_slice() {
        [] => "scan all".to_owned(),
        paths => {
            let paths: Vec<String> = paths.iter().map(|path| path.join(".")).collect();
            format!("scan {}", paths.join(", "))
        }
    };
    if !scan.by.is_empty() {
        text.push_str(&format!(" by {}", scan.by.join(", ")));
    }
    if !scan.also.is_empty() {
        let names: Vec<&str> =
            scan.also.iter().map(|&id| layout.keyspace(id).name.as_str()).collect();
        text.push_str(&format!(" also {}", names.join(", ")));
    }
    text
}
