//! Tests of generated code, compiled into one program.

mod access;
mod agree;
mod faults;
mod file;
mod mistakes;
mod panics;
mod project;
mod ranges;
mod readme;
mod records;
mod source;
