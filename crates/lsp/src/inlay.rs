//! The prefix bytes of keyspaces as inlay hints.

use crate::analysis::Analysis;
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::FileId;
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip, Range};

/// Returns a hint after the name of each keyspace in a range: the literal prefix of its keys,
/// including that of its namespaces.
pub(crate) fn hints(analysis: &Analysis, range: Range) -> Vec<InlayHint> {
    let Ok((layout, _)) = &analysis.outcome else { return Vec::new() };
    let mut hints = Vec::new();
    for keyspace in &layout.keyspaces {
        let prefix = keyspace.literal_prefix();
        let position = analysis.range(keyspace.name_span).end;
        let is_asked = range.start <= position && position <= range.end;
        if prefix.is_empty() || !is_asked || keyspace.name_span.file != FileId::default() {
            continue;
        }
        let tooltip = format!("every key of `{}` begins with these bytes", keyspace.name);
        hints.push(InlayHint {
            position,
            label: InlayHintLabel::String(hex(&prefix)),
            kind: Some(InlayHintKind::TYPE),
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(tooltip)),
            padding_left: Some(true),
            padding_right: Some(false),
            data: None,
        });
    }
    hints
}
