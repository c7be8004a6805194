//! End-to-end tests of `keyscape doc`.
#![expect(clippy::unwrap_used, reason = "a broken expectation fails the test")]

mod doc {
    mod counts;
    mod harness;
    mod hostile;
    mod html;
    mod json;
    mod markdown;
    mod output;
}
