//! Which bytes of a key are which literal or field, found by encoding the values again.

use keyscape_layout::{
    Datum, Record, encode_type, is_present,
    model::{Segment, Type},
};
use std::ops::Range;

/// Some bytes of a key, and what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where they stand in the key.
    pub bytes: Range<usize>,
    /// The path of the field, with arms on the way; `None` for a literal.
    pub path: Option<String>,
}

/// The pieces of a key with these values, up to the first value that is missing.
pub fn pieces(segments: &[Segment], record: &Record) -> Vec<Piece> {
    let mut cutter = Cutter { key: Vec::new(), pieces: Vec::new() };
    cutter.list(segments, record, "");
    cutter.pieces
}

struct Cutter {
    key: Vec<u8>,
    pieces: Vec<Piece>,
}

impl Cutter {
    fn list(&mut self, segments: &[Segment], record: &Record, outer: &str) -> Option<()> {
        for segment in segments {
            match segment {
                Segment::Literal(literal) => {
                    let start = self.key.len();
                    self.key.extend_from_slice(&literal.bytes);
                    self.piece(start, None);
                }
                Segment::Field(field) => {
                    let path = join(outer, &field.name);
                    self.field(&field.ty, record.get(&field.name)?, path)?;
                }
                Segment::Derived(derived) => {
                    let start = self.key.len();
                    derived.encode(record, &mut self.key).ok()?;
                    self.piece(start, Some(join(outer, &derived.text())));
                }
                Segment::Option(option) => {
                    if is_present(&option.segments, record) {
                        self.list(&option.segments, record, outer)?;
                    }
                }
            }
        }
        Some(())
    }

    fn field(&mut self, ty: &Type, datum: &Datum, path: String) -> Option<()> {
        match (ty, datum) {
            (Type::Composite(segments), Datum::Record(record)) => {
                self.list(segments, record, &path)
            }
            (Type::Variant(arms), Datum::Arm(name, record)) => {
                let arm = arms.iter().find(|arm| arm.name == *name)?;
                self.list(&arm.segments, record, &join(&path, name))
            }
            (ty, datum) => {
                let start = self.key.len();
                encode_type(ty, &path, datum, &mut self.key).ok()?;
                self.piece(start, Some(path));
                Some(())
            }
        }
    }

    fn piece(&mut self, start: usize, path: Option<String>) {
        self.pieces.push(Piece { bytes: start..self.key.len(), path });
    }
}

fn join(outer: &str, name: &str) -> String {
    if outer.is_empty() { name.to_owned() } else { format!("{outer}.{name}") }
}
