//! Tests of the memory engine, of deletions, of faults and of stored layouts.

mod conformance;
mod deleting;
mod faults;
mod layouts;
