//! Compares two layouts: the effects of a change on existing rows, and on programs that still run.
//!
//! [`diff`] compares an old layout with a new one and returns findings of ten rules. An answer
//! holds for all keys: it comes from searches over the marked automata of both layouts. Each
//! finding has a counterexample, which was decoded and encoded with the codecs. An undecided rule
//! is a finding as well, with the reason.
//!
//! | rule | finding |
//! |---|---|
//! | [KS101](Rule::Lost) | a stored key has no reading in the new layout |
//! | [KS102](Rule::Reread) | a stored key is read differently |
//! | [KS103](Rule::Captured) | a new keyspace can contain rows of another one |
//! | [KS104](Rule::Value) | the new layout does not read a form of stored values |
//! | [KS105](Rule::Index) | an index must be built, or is gone and its entries remain |
//! | [KS106](Rule::Forward) | the old program cannot read rows of the new one |
//! | [KS107](Rule::Order) | a scan returns rows in another order, or a cursor points elsewhere |
//! | [KS108](Rule::Retired) | a retired prefix is used again, or not retired any more |
//! | [KS109](Rule::Access) | a scan or an index that programs call is gone |
//! | [KS110](Rule::Limit) | a stored key exceeds the limit of the new backend |
//!
//! [`Correspondence`] matches the keyspaces of the layouts. [`migration`] declares how rows move
//! from one layout to the other, and proves it. This crate opens no files and prints nothing.

mod access;
mod alike;
mod captured;
mod compare;
mod correspondence;
mod diff;
mod events;
mod follow;
mod forward;
mod index;
mod limit;
mod lost;
pub mod migration;
mod order;
mod parts;
mod product;
mod report;
mod reread;
mod retired;
mod sample;
mod value;

pub use correspondence::Correspondence;
pub use diff::{Config, diff};
pub use report::{
    AccessFault, Fault, Finding, ForwardFault, IndexChange, IndexFault, Level, OrderFault, Part,
    Readings, Report, RetiredFault, RetiredPlace, Rule, Unknown, ValueExample, ValueFault,
};
