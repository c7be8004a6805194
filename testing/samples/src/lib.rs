//! Sample layouts for the tests and documentation examples of the runtime, compiled once.

pub mod shop;
pub mod txo;
