//! Tests of the redb engine on healthy, damaged, foreign and full files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod batches;
mod conformance;
mod disk;
mod files;
mod plain_redb;
