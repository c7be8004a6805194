//! The parts of a key as JSON.

use crate::output::{
    bytes::hex,
    document::facts::{Part, Shape, Start},
};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct SegmentObject<'a> {
    #[serde(flatten)]
    shape: ShapeObject<'a>,
    shortest: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<AfterObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
}

/// So many bytes behind the end of another part.
#[derive(Serialize)]
struct AfterObject<'a> {
    path: &'a str,
    plus: usize,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ShapeObject<'a> {
    Literal {
        bytes: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        made_from: Option<&'a str>,
    },
    Leaf {
        path: &'a str,
        name: &'a str,
        codec: &'a str,
        allowed: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        shown_as: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        integers: Option<IntegersObject<'a>>,
        #[serde(skip_serializing_if = "is_false")]
        from_value: bool,
    },
    Enum {
        path: &'a str,
        name: &'a str,
        texts: &'a [String],
    },
    Composite {
        path: &'a str,
        name: &'a str,
        segments: Vec<SegmentObject<'a>>,
    },
    Variant {
        path: &'a str,
        name: &'a str,
        arms: Vec<ArmObject<'a>>,
    },
    List {
        path: &'a str,
        name: &'a str,
        min: u32,
        max: u32,
        element: Box<SegmentObject<'a>>,
    },
    Option {
        #[serde(skip_serializing_if = "Option::is_none")]
        guard: Option<&'a str>,
        segments: Vec<SegmentObject<'a>>,
    },
}

/// Texts, since readers of JSON do not agree on integers above 2^53.
#[derive(Serialize)]
struct IntegersObject<'a> {
    low: &'a str,
    high: &'a str,
}

#[derive(Serialize)]
struct ArmObject<'a> {
    name: &'a str,
    segments: Vec<SegmentObject<'a>>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
pub(super) const fn is_false(is: &bool) -> bool {
    !*is
}

pub(super) fn all(parts: &[Part]) -> Vec<SegmentObject<'_>> {
    parts.iter().map(SegmentObject::new).collect()
}

impl<'a> SegmentObject<'a> {
    fn new(part: &'a Part) -> Self {
        let (at, after) = match &part.start {
            Start::At(offset) => (Some(*offset), None),
            Start::After { path, plus } => (None, Some(AfterObject { path, plus: *plus })),
        };
        let is_literal = matches!(part.shape, Shape::Literal { .. });
        Self {
            shape: shape(part),
            shortest: part.length.least,
            longest: part.length.most,
            at,
            after,
            example: part.sample.as_ref().filter(|_| !is_literal).map(|bytes| hex(bytes)),
        }
    }
}

fn shape(part: &Part) -> ShapeObject<'_> {
    let (path, name) = (part.path.as_str(), part.name.as_str());
    match &part.shape {
        Shape::Literal { bytes, is_text, note } => ShapeObject::Literal {
            bytes: hex(bytes),
            text: is_text.then(|| String::from_utf8(bytes.clone()).ok()).flatten(),
            made_from: note.as_deref(),
        },
        Shape::Leaf { codec, allowed, shown, integers } => ShapeObject::Leaf {
            path,
            name,
            codec,
            allowed,
            shown_as: shown.as_deref(),
            integers: integers.as_ref().map(|(low, high)| IntegersObject { low, high }),
            from_value: part.from_value,
        },
        Shape::Enum { texts } => ShapeObject::Enum { path, name, texts },
        Shape::Composite { parts } => ShapeObject::Composite { path, name, segments: all(parts) },
        Shape::Variant { arms } => {
            let arms = arms.iter();
            let arms = arms.map(|arm| ArmObject { name: &arm.name, segments: all(&arm.parts) });
            ShapeObject::Variant { path, name, arms: arms.collect() }
        }
        Shape::List { element, min, max } => ShapeObject::List {
            path,
            name,
            min: *min,
            max: *max,
            element: Box::new(SegmentObject::new(element)),
        },
        Shape::Option { guard, parts } => {
            ShapeObject::Option { guard: guard.as_deref(), segments: all(parts) }
        }
    }
}
