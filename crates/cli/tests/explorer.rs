//! The explorer, over HTTP and in Chromium.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test whose server or browser cannot start fails"
)]

#[path = "cli/harness.rs"]
#[expect(dead_code, reason = "the other tests use all of it")]
mod harness;

mod explorer {
    mod access;
    mod browser;
    mod hostile;
    mod pages;
    mod server;
    mod systems;
}
