//! Tests of keys, of the memory engine, of deletions, of faults and of saved layouts.

mod deleting;
mod faults;
mod keys;
mod layouts;
mod memory;
