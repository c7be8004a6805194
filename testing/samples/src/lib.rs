//! Sample layouts for the tests and documentation examples of the runtime, compiled once.

pub mod bank;
pub mod odd;
pub mod shop;
pub mod txo;
