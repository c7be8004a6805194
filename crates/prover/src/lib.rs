//! The prover decides claims about a layout and shows counterexamples.
//!
//! [`check`] decides every claim of a layout. A verdict is [`Verdict::Proved`],
//! [`Verdict::Refuted`] with a counterexample that was replayed with the codecs, or
//! [`Verdict::Unknown`] with its reason. A refutation is a result, not an error.
//!
//! | rule | one claim per | holds when |
//! |---|---|---|
//! | [KS001](Rule::Disjoint) | keyspace | no byte string is also a key of another keyspace |
//! | [KS002](Rule::Unambiguous) | keyspace | no key has two readings |
//! | [KS003](Rule::ScanExact) | scan | the interval that it reads contains its rows and no others |
//! | [KS004](Rule::Ordered) | `by` of a scan | the order of the bytes is the order of the values |
//! | [KS005](Rule::Lossless) | field | distinct values have distinct encodings |
//! | [KS006](Rule::Bounded) | keyspace of a store `on` a backend | no key is too long for it |
//! | [KS007](Rule::Allocated) | keyspace of a namespace that allocates | its prefix is allocated |
//! | [KS008](Rule::StructureTyped) | keyspace of a store of structures | no key has two kinds |
//! | [KS009](Rule::Indexed) | index | it distinguishes all rows of its map |
//! | [KS010](Rule::Splittable) | `split` | it cuts keys at their separators and nowhere else |

mod accept;
mod allocated;
mod bounded;
mod cache;
mod check;
mod context;
mod disjoint;
mod fix;
mod indexed;
mod leaf_order;
mod lossless;
mod memo;
mod number;
mod numeric;
mod occurrence;
mod one_key;
mod order_product;
mod ordered;
mod pair;
mod presence;
mod reader;
mod replay;
mod rules;
mod sample;
mod scan_exact;
mod scan_forms;
mod scan_query;
mod scan_trial;
mod separator;
mod splittable;
mod unambiguous;
mod unknown;
mod verdict;

pub use accept::Partner;
pub use cache::Cache;
pub use check::{Config, check, check_with, decide_bounded};
pub use number::Notation;
pub use numeric::NumericText;
pub use reader::KeyReader;
pub use scan_forms::{foreign_values, interval_of, scan_interval};
pub use scan_query::Interval;
pub use separator::{Occurrence, Separator, separators};
pub use verdict::{
    AllocationFault, Claim, Collision, Counterexample, Effect, EntryFault, Fault, Fix, NoFix,
    Report, Row, Rule, ScanFault, ScannedRow, StoredRecord, Unknown, Verdict,
};
