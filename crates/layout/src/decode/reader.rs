//! The values of a reading, from the marks of its run.

use super::{Mismatch, Part};
use crate::{
    datum::{Datum, Record},
    machine::Mark,
    model::{Derived, Segment, Type},
};
use keyscape_codec::Value;

/// Follows the marks of a run through the model.
pub(super) struct Reader<'a> {
    pub(super) key: &'a [u8],
    pub(super) trail: std::slice::Iter<'a, (Mark, usize)>,
    pub(super) at: usize,
    pub(super) path: String,
    pub(super) parts: Vec<Part>,
    pub(super) wants_parts: bool,
    pub(super) verifies: bool,
    pub(super) accepts_mismatches: bool,
    pub(super) mismatch: Option<Mismatch>,
    /// The derived bytes of the lists in progress, with their decoded digests.
    pub(super) claimed: Vec<(&'a Derived, Value)>,
}

impl<'a> Reader<'a> {
    pub(super) fn list(&mut self, segments: &'a [Segment]) -> Option<Record> {
        let mut record = Record::default();
        let outer = self.claimed.len();
        self.list_into(segments, &mut record)?;
        for (derived, claimed) in self.claimed.drain(outer..) {
            if self.verifies && derived.value(&record).ok()? != claimed {
                return None;
            }
        }
        Some(record)
    }

    fn list_into(&mut self, segments: &'a [Segment], record: &mut Record) -> Option<()> {
        for segment in segments {
            match segment {
                Segment::Literal(literal) => {
                    let end = self.at + literal.bytes.len();
                    if self.wants_parts {
                        let ends = || literal.end_of.map(|wrap| format!("end of {wrap}"));
                        let note = literal.call.clone().or_else(ends);
                        let bytes = self.at..end;
                        self.parts.push(Part { bytes, field: None, value: None, note });
                    }
                    self.at = end;
                }
                Segment::Derived(derived) => {
                    let &(_, end) = self.trail.next()?;
                    let value = derived.leaf.codec.decode(self.key.get(self.at..end)?).ok()?;
                    if self.wants_parts {
                        let (bytes, field) = (self.at..end, Some(derived.text()));
                        let value = Some(Datum::Leaf(value.clone()));
                        self.parts.push(Part { bytes, field, value, note: None });
                    }
                    self.claimed.push((derived, value));
                    self.at = end;
                }
                Segment::Field(field) => {
                    let outer = self.enter(&field.name);
                    let datum = self.value(&field.ty)?;
                    self.path.truncate(outer);
                    record.0.push((field.name.clone(), datum));
                }
                Segment::Option(option) => {
                    if self.trail.next()?.0 == Mark::Present {
                        self.list_into(&option.segments, record)?;
                    }
                }
            }
        }
        Some(())
    }

    fn enter(&mut self, name: &str) -> usize {
        let outer = self.path.len();
        if !self.wants_parts {
            return outer;
        }
        if outer > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        outer
    }

    fn value(&mut self, ty: &'a Type) -> Option<Datum> {
        match ty {
            Type::Leaf(leaf) => {
                let &(_, end) = self.trail.next()?;
                // If the codec rejects a word that an inexact automaton accepts, the run is not a
                // reading.
                let word = self.key.get(self.at..end)?;
                let value = match leaf.codec.decode(word) {
                    Ok(value) => value,
                    Err(malformed) if self.accepts_mismatches => {
                        let (path, codec) = (self.path.clone(), leaf.codec.text());
                        let (bytes, reason) = (self.at..end, malformed.reason);
                        self.mismatch.get_or_insert(Mismatch { bytes, path, codec, reason });
                        Value::Bytes(word.to_vec())
                    }
                    Err(_) => return None,
                };
                Some(self.part(end, Datum::Leaf(value)))
            }
            Type::Enum(of) => {
                let index = self.arm()?;
                let (text, bytes) = (of.texts.get(index)?, of.bytes.get(index)?);
                Some(self.part(self.at + bytes.len(), Datum::Name(text.clone())))
            }
            Type::Composite(segments) => Some(Datum::Record(self.list(segments)?)),
            Type::List(list) => {
                let mut elements = Vec::new();
                for index in 0..list.max {
                    if index >= list.min && self.trail.next()?.0 != Mark::Present {
                        break;
                    }
                    let outer = self.enter(&format!("{index}"));
                    elements.push(self.value(&list.element)?);
                    self.path.truncate(outer);
                }
                Some(Datum::List(elements))
            }
            Type::Variant(arms) => {
                let arm = arms.get(self.arm()?)?;
                let outer = self.enter(&arm.name);
                let record = self.list(&arm.segments)?;
                self.path.truncate(outer);
                Some(Datum::Arm(arm.name.clone(), record))
            }
        }
    }

    fn arm(&mut self) -> Option<usize> {
        match self.trail.next()?.0 {
            Mark::Arm(index) => Some(index as usize),
            _ => None,
        }
    }

    fn part(&mut self, end: usize, value: Datum) -> Datum {
        if self.wants_parts {
            let field = Some(self.path.clone());
            let (bytes, value) = (self.at..end, Some(value.clone()));
            self.parts.push(Part { bytes, field, value, note: None });
        }
        self.at = end;
        value
    }
}
