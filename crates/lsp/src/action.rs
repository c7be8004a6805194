//! Proved fixes as quick fixes.

use crate::{analysis::Analysis, diagnostic::diagnostics};
use keyscape_layout::{FileId, Span};
use keyscape_prover::{Effect, Verdict};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, NumberOrString, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use std::collections::HashMap;

/// Returns the fixes of the refuted claims in a range.
pub(crate) fn actions(analysis: &Analysis, uri: &Uri, range: Range) -> Vec<CodeActionOrCommand> {
    let Ok((_, report)) = &analysis.outcome else { return Vec::new() };
    let [start, end] = [range.start, range.end].map(|at| analysis.offset(at) as u32);
    let asked = Span { file: FileId::default(), start, end };
    let diagnostics = diagnostics(analysis);
    let mut actions = Vec::new();
    for claim in report.claims.iter().filter(|claim| claim.span.meets(asked)) {
        let Verdict::Refuted(counterexample) = &claim.verdict else { continue };
        let code = NumberOrString::String(claim.rule.code().to_owned());
        let place = analysis.range(claim.span);
        let solves = diagnostics.iter().filter(|diagnostic| {
            diagnostic.code.as_ref() == Some(&code) && diagnostic.range == place
        });
        let solves: Vec<_> = solves.cloned().collect();
        let fixes = counterexample.fixes.iter().filter(|fix| fix.replaces.file.0 == 0);
        for (nth, fix) in fixes.enumerate() {
            let text = fix.text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            let edit = TextEdit::new(analysis.range(fix.replaces), fix.edit.clone());
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: format!("{text} ({}, {})", claim.rule.code(), fix.effect.words()),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: Some(solves.clone()),
                edit: Some(WorkspaceEdit::new(HashMap::from([(uri.clone(), vec![edit])]))),
                is_preferred: Some(nth == 0 && fix.effect != Effect::Narrowed),
                ..CodeAction::default()
            }));
        }
    }
    actions
}
