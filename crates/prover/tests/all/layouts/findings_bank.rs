//! The defects of the layouts of the bank. Versions that are not listed are sound.

use crate::layouts::findings::{File, reads_twice, scans_more};

pub(crate) const FILES: &[File] = &[
    File {
        name: "bank/documented.keys",
        findings: &[&[
            reads_twice(
                "balances",
                "addresses and denominations may contain the slash that is to part them",
            ),
            scans_more(
                "balances",
                "address",
                &["balances"],
                "an address that ends in a slash and more begins like the balances of another",
            ),
        ]],
    },
    File {
        name: "bank/v0.40-two-lengths.keys",
        findings: &[&[
            reads_twice(
                "balances",
                "twelve letters of a denomination make a short address a long one: v0.43 added a length",
            ),
            scans_more(
                "balances",
                "address",
                &["balances"],
                "the balances of a short address include those of every long one that begins with it",
            ),
        ]],
    },
];
