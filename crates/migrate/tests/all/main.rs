//! Migrations on databases: interrupted at every call, verified, and rolled back.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

#[path = "migrations/harness.rs"]
mod harness;
#[path = "migrations/interrupted.rs"]
mod interrupted;
#[path = "migrations/programs.rs"]
pub mod programs;
#[path = "migrations/systems.rs"]
mod systems;
