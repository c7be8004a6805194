//! What scans read, as intervals of keys.

use crate::{
    check::Config,
    context::Context,
    memory::{Memory, Recall},
    scan_forms,
    scan_query::{Interval, Query},
};
use keyscape_layout::{
    EncodeError, Layout, Record, encode_segments,
    model::{KeyspaceId, Scan, Segment},
};

/// What the scans of each keyspace read: what they declare, or a tighter interval where only that
/// one is exact. `None` for a scan that asks with other bytes than the key's.
#[must_use]
pub fn scan_queries(layout: &Layout, config: Config) -> Vec<Vec<Option<Query>>> {
    let memory = Memory::default();
    let memory = Recall::new(&memory);
    let context = Context::new(layout, config, &memory);
    let of = |id: KeyspaceId| {
        let scans = layout.keyspace(id).scans.iter();
        scans.map(|scan| scan_forms::reads(&context, id, scan)).collect()
    };
    layout.keyspace_ids().map(of).collect()
}

/// What a scan reads for these leading fields: everything that starts with its leading part, its
/// tight form where only that is exact, or what its `as` asks for.
///
/// # Errors
/// [`EncodeError`] names the field that is missing or wrong.
pub fn scan_interval(
    layout: &Layout,
    keyspace: KeyspaceId,
    scan: &Scan,
    leading: &Record,
) -> Result<Interval, EncodeError> {
    if let Some(asked) = &scan.asked {
        let bytes = |segments: &[Segment]| {
            let mut bytes = Vec::new();
            encode_segments(segments, leading, &mut bytes).map(|()| bytes)
        };
        let low = bytes(&asked.start)?;
        return Ok(match &asked.end {
            None => Interval::starting_with(&low),
            Some(end) => Interval { low, high: Some(bytes(end)?) },
        });
    }
    let prefix = layout.keyspace(keyspace).encode_until(leading, scan.end)?;
    let memory = Memory::default();
    let memory = Recall::new(&memory);
    let context = Context::new(layout, Config::default(), &memory);
    let tight = scan_forms::check_forms(&context, keyspace, scan).tight;
    Ok(tight.map_or_else(|| Interval::starting_with(&prefix), |form| form.behind(&prefix)))
}
