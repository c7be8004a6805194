//! The layout language: parses text to a checked model, encodes values as keys, and decodes keys.
//!
//! [`read`] converts a text to a [`Layout`] or returns all its errors. A keyspace of the model
//! [encodes](model::Keyspace::encode) values. A [`Machine`] is the marked automaton that
//! [decodes](Decoder) keys and on which claims are proved.
//!
//! This crate opens no files and prints nothing. A [`Loader`] loads imports, and errors are
//! [`Diagnostic`]s.

mod backend;
mod built;
mod bundle;
mod clause;
mod datum;
mod decode;
mod derived;
mod descriptor;
mod diagnostic;
mod encode;
mod example;
mod fingerprint;
mod from_value;
pub mod guard;
mod leaf;
mod length;
pub mod machine;
pub mod model;
mod near_miss;
mod places;
mod prefix;
pub mod prefix_map;
mod records;
mod resolve;
mod row_value;
mod source;
mod split;
pub mod syntax;
pub mod traverse;
mod value;
mod written;

pub use backend::{BACKENDS, Backend};
pub use built::Built;
pub use bundle::Bundle;
pub use datum::{
    Datum, Record, compare, compare_records, direct_field, field, fields, is_present, type_at,
};
pub use decode::{Decoded, Decoder, MAX_READINGS, Part, Reading};
pub use derived::{DerivedPlace, derived_places};
pub use descriptor::{Descriptor, Message};
pub use diagnostic::{Diagnostic, FileId, Severity, Span, did_you_mean, most_similar};
pub use encode::{EncodeError, EncodedPart, encode_parts, encode_segments, encode_type};
pub use example::Example;
pub use fingerprint::kind_name;
pub use length::Length;
pub use machine::{Machine, Side};
pub use model::Layout;
pub use near_miss::{Expected, NearMiss};
pub use prefix::literal_prefix;
pub use records::{RECORD_FIELD, RECORD_KEY, record_kind};
pub use resolve::{
    Loader, MAX_BYTES, MAX_PLACES, NoImports, Rejected, Reread, int_bounds, read, read_again,
    read_beside,
};
pub use source::{LineColumn, Source, Sources};
pub use value::{NotValue, RowDatum, TypeReader, ValueReader, encode_value};
