//! `accept` clauses, some of which match claims that fail.

use crate::{
    random::Random,
    sketch::{Accept, Sketch},
};

/// Rules whose claims have other keyspaces as partners. Each partner is accepted separately.
const WITH_PARTNERS: [&str; 3] = ["KS001", "KS001", "KS007"];
const ALONE: [&str; 9] =
    ["KS001", "KS002", "KS003", "KS003", "KS004", "KS005", "KS006", "KS007", "KS009"];

/// Adds acceptances to some keyspaces, for most partners of one rule or for one whole claim.
pub(super) fn draw(random: &mut Random, sketch: &mut Sketch) {
    let names: Vec<String> = sketch.keyspaces.iter().map(|k| k.name.clone()).collect();
    for index in 0..sketch.keyspaces.len() {
        let mut accepts = Vec::new();
        if random.percent(60) {
            let rule = match sketch.structures && random.percent(50) {
                true => "KS008",
                false => *random.pick(&WITH_PARTNERS),
            };
            for (other, name) in names.iter().enumerate() {
                if other != index && random.percent(70) {
                    accepts.push(Accept { rule, scan: None, with: Some(name.clone()) });
                }
            }
        }
        if random.percent(30) {
            let rule = *random.pick(&ALONE);
            accepts.push(Accept { rule, scan: None, with: None });
        }
        let scans = &sketch.keyspaces[index].scans;
        if let Some(scan) = scans.first().filter(|_| random.percent(30)) {
            let leading = scan.leading.join(", ");
            let name = if leading.is_empty() { "all".to_owned() } else { leading };
            let rule = *random.pick(&["KS003", "KS004"]);
            accepts.push(Accept { rule, scan: Some(name), with: None });
        }
        sketch.keyspaces[index].accepts = accepts;
    }
}
