//! Tests of the memory engine, of faults and of stored layouts.

mod conformance;
mod faults;
mod layouts;
