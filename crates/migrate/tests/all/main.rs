//! Migrations on databases: interrupted at every call, verified, and rolled back.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod harness;
mod interrupted;
pub mod programs;
mod systems;
