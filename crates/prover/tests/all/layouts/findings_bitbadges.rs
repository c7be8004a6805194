//! The defects of the layouts of BitBadges.

use crate::layouts::findings::{File, Finding, loses, out_of_order, reads_twice, scans_more};

const DASH: &str = "ids may contain the dash: approval `a-b` with tracker `c` is also `a` with \
                    `b-c`, and both share a limit";
const LEAF: &str =
    "ids may contain the dash: leaves that one approval has used are used for another";
const CUT: &str = "an id is cut off after eight digits: 123456789 overwrites 12345678";
const ORDER: &str = "ids are decimal: 10 sorts before 2, whatever fills them up";

const TRACKERS: Finding = reads_twice("approval_trackers", DASH);
const CHALLENGES: Finding = reads_twice("challenge_trackers", LEAF);

pub(crate) const FILES: &[File] = &[
    File {
        name: "bitbadges/documented.keys",
        findings: &[&[
            TRACKERS,
            CHALLENGES,
            reads_twice(
                "dynamic_values",
                "nothing is between a store and an address: store 1 and `0…` is store 10",
            ),
        ]],
    },
    File {
        name: "bitbadges/v11.keys",
        findings: &[&[
            TRACKERS,
            CHALLENGES,
            loses("collections", "collection", CUT),
            loses("dynamic_stores", "store", CUT),
            loses("dynamic_values", "store", CUT),
            out_of_order("collections", "all", ORDER),
            out_of_order("dynamic_stores", "all", ORDER),
            scans_more(
                "dynamic_values",
                "store",
                &["dynamic_values"],
                "the digits are asked for without their filling: store 1 brings 10 to 19 along",
            ),
        ]],
    },
    File {
        name: "bitbadges/deployed.keys",
        findings: &[&[
            TRACKERS,
            CHALLENGES,
            reads_twice("signature_trackers", DASH),
            reads_twice("votes", DASH),
            reads_twice("voting_challenges", DASH),
        ]],
    },
];
