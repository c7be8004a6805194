//! The tests of the module, in one program.

#![expect(clippy::expect_used, reason = "a test that cannot be set up fails")]

mod compute;
mod costs;
mod defects;
mod dex;
mod faults;
mod golden;
mod invariants;
mod oracle;
mod packets;
mod params;
mod properties;
mod setup;
mod sim;
mod values;
