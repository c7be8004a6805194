//! Errors and claims as diagnostics of the protocol.

use crate::analysis::Analysis;
use keyscape_diagnostics::{
    bytes::hex,
    claim,
    datum::{self, Extent},
    message::{Level, Message},
    plain,
};
use keyscape_layout::{FileId, Layout, Span};
use keyscape_prover::{Claim, Verdict};
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, NumberOrString, Range,
};

/// The name of the server in diagnostics.
pub(crate) const SOURCE: &str = "keyscape";

/// Returns all diagnostics of a document.
pub(crate) fn diagnostics(analysis: &Analysis) -> Vec<Diagnostic> {
    match &analysis.outcome {
        Err(rejected) => {
            let found = rejected.diagnostics.iter();
            found.map(|mistake| analysis.message(&Message::from(mistake))).collect()
        }
        Ok((layout, report)) => {
            let mut found = Vec::new();
            for claim in &report.claims {
                let message = claim::message(layout, &report.claims, claim);
                found.extend(message.map(|message| analysis.claim(layout, claim, &message)));
                let warnings = claim::warnings(layout, &report.claims, claim);
                found.extend(warnings.into_iter().map(|message| analysis.message(&message)));
            }
            for &(keyspace, span) in &report.idle_accepts {
                found.push(analysis.message(&claim::idle_accept(layout, keyspace, span)));
            }
            found
        }
    }
}

impl Analysis {
    /// Returns the range of a span in the document. A span in an imported file has the range of the
    /// import.
    fn range_in_document(&self, span: Span) -> Range {
        if span.file == FileId::default() {
            return self.range(span);
        }
        let import = self.imports().find(|(_, file)| *file == span.file);
        import.map_or_else(Range::default, |(import, _)| self.range(import.path.span))
    }

    fn related(&self, span: Span, message: String) -> Option<DiagnosticRelatedInformation> {
        let location = self.location(span)?;
        Some(DiagnosticRelatedInformation { location, message })
    }

    fn message(&self, message: &Message) -> Diagnostic {
        let severity = match message.level {
            Level::Error | Level::Bug => DiagnosticSeverity::ERROR,
            Level::Warning | Level::Unknown => DiagnosticSeverity::WARNING,
            Level::Accepted => DiagnosticSeverity::HINT,
        };
        let span = message.labels.first().map_or(Span::default(), |label| label.span);
        let mut text = message.title.clone();
        let label = message.labels.first().filter(|label| !label.text.is_empty());
        for line in label.map(|label| &label.text).into_iter().chain(&message.body) {
            text.push('\n');
            text.push_str(plain(line).trim_end());
        }
        if let Some(help) = &message.help {
            text.push_str(&format!("\nhelp: {help}"));
        }
        let imported = span.file != FileId::default();
        let others = message.labels.iter().filter(|label| !label.primary || imported);
        let related: Vec<_> =
            others.filter_map(|label| self.related(label.span, label.text.clone())).collect();
        Diagnostic {
            range: self.range_in_document(span),
            severity: Some(severity),
            code: message.code.map(|code| NumberOrString::String(code.to_owned())),
            source: Some(SOURCE.to_owned()),
            message: text,
            related_information: (!related.is_empty()).then_some(related),
            ..Diagnostic::default()
        }
    }

    /// Adds the keys of the counterexample, each at its keyspace.
    fn claim(&self, layout: &Layout, claim: &Claim, message: &Message) -> Diagnostic {
        let mut diagnostic = self.message(message);
        if let Verdict::Refuted(counterexample) = &claim.verdict {
            let keys = counterexample.fault.rows().into_iter().filter_map(|row| {
                let keyspace = layout.keyspace(row.keyspace);
                let fields = datum::line(&keyspace.key, &row.fields, Extent::Short);
                let text = format!("key of `{}`: {} ({fields})", keyspace.name, key_text(&row.key));
                self.related(keyspace.name_span, text)
            });
            diagnostic.related_information.get_or_insert_default().extend(keys);
        }
        diagnostic
    }
}

/// Returns a key in hexadecimal digits; only the start of a long one.
fn key_text(key: &[u8]) -> String {
    const LONGEST: usize = 64;
    match key.get(..LONGEST) {
        Some(start) if key.len() > LONGEST => format!("{}… ({} bytes)", hex(start), key.len()),
        _ => hex(key),
    }
}
