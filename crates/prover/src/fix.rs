//! Fixes that have themselves been proved.

use crate::{
    check::Context,
    scan_exact,
    verdict::{Fix, Verdict},
};
use keyscape_layout::model::{KeyspaceId, Scan};

/// Where a scan asks for too little of the key, the scan that Keyscape derives may be right.
pub(crate) fn scan(
    context: &Context<'_>,
    keyspace: KeyspaceId,
    scan: &Scan,
    verdict: Verdict,
) -> Verdict {
    let (Verdict::Refuted(mut counterexample), Some(asked)) = (verdict.clone(), &scan.asked) else {
        return verdict;
    };
    let derived = Scan { asked: None, ..scan.clone() };
    if matches!(scan_exact::check(context, keyspace, &derived), Verdict::Proved) {
        let names = match scan.leading.as_slice() {
            [] => "all".to_owned(),
            paths => paths.iter().map(|path| path.join(".")).collect::<Vec<_>>().join(", "),
        };
        counterexample.fixes.push(Fix {
            text: format!("scan {names}"),
            replaces: scan.span.to(asked.span),
            effect: "no stored byte changes",
        });
    }
    Verdict::Refuted(counterexample)
}
