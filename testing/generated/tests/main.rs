//! Tests of generated code, compiled into one program.

mod access;
mod agree;
mod faults;
mod file;
mod mistakes;
mod outside;
mod panics;
mod ranges;
mod records;
mod source;
