//! The defects of the layouts of Osmosis concentrated liquidity. The documented layout is sound.

use crate::layouts::findings::{File, Finding, out_of_order, scans_more, splits_wrongly};

const POOLS: Finding =
    out_of_order("pools", "all", "ids are decimal: pool 10 comes before pool 2 in every export");
const POSITIONS: Finding =
    out_of_order("positions", "all", "ids are decimal: position 10 comes before position 2");

pub(crate) const FILES: &[File] = &[
    File { name: "osmosis-cl/1d7fedd270.keys", findings: &[&[POOLS, POSITIONS]] },
    File { name: "osmosis-cl/deployed.keys", findings: &[&[POOLS, POSITIONS]] },
    File {
        name: "osmosis-cl/v16.0.0.keys",
        findings: &[&[splits_wrongly(
            "incentives",
            "at \"|\"",
            "raw addresses may contain the bar, and so may their length: 124 bytes",
        )]],
    },
    File {
        name: "osmosis-cl/before-1d7fedd270.keys",
        findings: &[&[
            scans_more(
                "owner_positions",
                "owner",
                &["owner_positions"],
                "addresses have several lengths, and a long one may begin with a short one",
            ),
            scans_more(
                "owner_positions",
                "owner,pool",
                &["owner_positions"],
                "the positions in pool 1 include those in pools 10 to 19, 100, …",
            ),
            scans_more(
                "incentives",
                "pool",
                &["incentives"],
                "the incentives of pool 1 include those of pools 10 to 19, 100, …",
            ),
        ]],
    },
];
