//! The namespaces of a store.

use super::json;
use keyscape_layout::{
    model::{AllocatedRange, Namespace},
    prefix_map::{NamespaceUse, PrefixMap, Usage},
};
use serde::Serialize;

/// A namespace.
#[derive(Debug, Serialize)]
pub struct NamespaceFacts {
    pub name: String,
    #[serde(skip_serializing_if = "json::is_blank", serialize_with = "json::lines")]
    pub doc: Vec<String>,
    #[serde(serialize_with = "json::hex_text")]
    pub prefix: Vec<u8>,
    /// The number of keyspaces in the namespace and in the namespaces inside it.
    pub keyspaces: usize,
    /// The number of values that the byte after the prefix takes.
    #[serde(flatten, serialize_with = "json::usage")]
    usage: Option<Usage>,
    pub ranges: Vec<RangeFacts>,
    pub retired: Vec<RetiredFacts>,
    /// Its next byte.
    #[serde(rename = "bytes", serialize_with = "json::bytes")]
    pub map: PrefixMap,
}

/// A range from which prefixes are allocated.
#[derive(Debug, Serialize)]
pub struct RangeFacts {
    pub name: String,
    #[serde(serialize_with = "json::hex_text")]
    pub low: Vec<u8>,
    #[serde(serialize_with = "json::hex_text")]
    pub high: Vec<u8>,
    /// The number of prefixes in the range.
    #[serde(rename = "allocated")]
    pub size: u128,
    /// `None` for prefixes of three bytes or more, which are not counted.
    #[serde(flatten, serialize_with = "json::usage")]
    pub usage: Option<Usage>,
}

/// A prefix that may not be used.
#[derive(Debug, Serialize)]
pub struct RetiredFacts {
    #[serde(serialize_with = "json::hex_text")]
    pub prefix: Vec<u8>,
    pub deprecated: bool,
    pub reason: String,
}

impl NamespaceFacts {
    pub(super) fn new(namespace: &Namespace, found: NamespaceUse) -> Self {
        let retired = namespace.retired.iter().map(|entry| RetiredFacts {
            prefix: entry.prefix.clone(),
            deprecated: entry.deprecated,
            reason: entry.reason.clone(),
        });
        let ranges = namespace.ranges.iter().zip(found.ranges);
        let range = |(range, usage): (&AllocatedRange, _)| RangeFacts {
            name: range.name.clone(),
            low: range.low.clone(),
            high: range.high.clone(),
            size: range.size(),
            usage,
        };
        Self {
            name: namespace.name.clone(),
            doc: namespace.doc.clone(),
            prefix: namespace.prefix.clone(),
            keyspaces: found.keyspaces,
            usage: Some(found.map.usage()),
            ranges: ranges.map(range).collect(),
            retired: retired.collect(),
            map: found.map,
        }
    }
}
