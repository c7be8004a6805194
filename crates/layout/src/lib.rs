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
mod datum;
mod decode;
mod descriptor;
mod diagnostic;
mod encode;
mod example;
mod fingerprint;
pub mod guard;
pub mod machine;
pub mod model;
mod near_miss;
pub mod prefix_map;
mod records;
mod resolve;
mod row_value;
mod source;
pub mod syntax;
pub mod traverse;

pub use backend::{BACKENDS, Backend};
pub use built::Built;
pub use bundle::Bundle;
pub use datum::{Datum, Record, compare, compare_records, is_present};
pub use decode::{Decoded, Decoder, MAX_READINGS, Part, Reading};
pub use descriptor::{Descriptor, Message};
pub use diagnostic::{Diagnostic, FileId, Span, did_you_mean, most_similar};
pub use encode::{
    EncodeError, EncodeReason, EncodedPart, encode_parts, encode_segments, encode_type,
};
pub use example::Example;
pub use fingerprint::kind_name;
pub use machine::{Machine, Side};
pub use model::{
    DerivedPlace, Layout, Length, derived_places, direct_field, field, fields, literal_prefix,
    type_at,
};
pub use near_miss::{Expected, NearMiss};
pub use records::{RECORD_FIELD, RECORD_KEY, record_kind};
pub use resolve::{
    Loader, MAX_BYTES, MAX_PLACES, NoImports, Rejected, Reread, int_bounds, read, read_again,
    read_beside,
};
pub use row_value::{NotValue, RowDatum, TypeReader, ValueReader, encode_value};
pub use source::{LineColumn, Source, Sources};
