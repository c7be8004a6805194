//! Tests of generated code, compiled into one program.

pub mod access;
mod agree;
pub mod errors;
mod faults;
mod file;
pub mod indexes;
mod mistakes;
pub mod panics;
mod ranges;
mod records;
mod source;
mod text;
