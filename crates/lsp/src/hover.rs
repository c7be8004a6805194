//! Facts about the name at a position.

use crate::{
    analysis::Analysis,
    definition::{Reference, find_type, reference_at},
};
use keyscape_diagnostics::bytes::hex;
use keyscape_layout::{
    Layout, Length, Span, field, kind_name,
    model::{Keyspace, Scan, Type},
    syntax::ast,
};
use keyscape_prover::{Claim, Report, Rule, Verdict};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};
use std::ptr;

/// Describes the name at a position: the bytes of a type, the bytes and verdicts of a field or
/// keyspace, or the verdicts of a scan.
pub(crate) fn hover(analysis: &Analysis, position: Position) -> Option<Hover> {
    let (layout, report) = analysis.outcome.as_ref().ok()?;
    let offset = analysis.offset(position);
    let Some((reference, span)) = reference_at(analysis.trees().first()?, offset) else {
        let (value, span) = scan_text(layout, report, offset)?;
        return Some(markdown(value, analysis.range(span)));
    };
    let resolved = |tree: &ast::Keyspace| {
        layout.keyspaces.iter().find(|keyspace| keyspace.name_span == tree.name.span)
    };
    let value = match reference {
        Reference::Keyspace(tree) => keyspace_text(layout, report, resolved(tree)?),
        Reference::Field(tree, field) => field_text(layout, report, resolved(tree)?, field)?,
        Reference::Type(name) => {
            let declared = find_type(analysis, name)?;
            let named = layout.types.iter().find(|named| named.span == declared)?;
            let text = format!("```keyscape\ntype {}\n```\n", named.name);
            format!("{text}{}{}", paragraphs(&named.doc), type_text(&named.ty))
        }
        Reference::Import(_) => return None,
    };
    Some(markdown(value, analysis.range(span)))
}

fn markdown(value: String, range: Range) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Hover { contents, range: Some(range) }
}

/// Describes the scan around an offset. Returns the text with the span of the scan.
fn scan_text(layout: &Layout, report: &Report, offset: usize) -> Option<(String, Span)> {
    let is_at = |span: Span| span.file.0 == 0 && (span.start..=span.end).contains(&(offset as u32));
    let (keyspace, scan) = layout.keyspaces.iter().find_map(|keyspace| {
        let scan = keyspace.scans.iter().position(|scan| is_at(scan.span))?;
        Some((keyspace, scan))
    })?;
    let span = keyspace.scans.get(scan)?.span;
    let text = format!("```keyscape\n{}\n```\n", layout.sources.text(span));
    let verdicts = verdicts(layout, report, keyspace, |claim| claim.scan == Some(scan));
    Some((format!("{text}Scan of `{}`\n\n{verdicts}", keyspace.name), span))
}

fn keyspace_text(layout: &Layout, report: &Report, keyspace: &Keyspace) -> String {
    let Keyspace { name, kind, .. } = keyspace;
    let key = layout.sources.text(keyspace.key_span);
    let mut text = format!("```keyscape\n{} {name} = {key}\n```\n", kind_name(*kind));
    text.push_str(&paragraphs(&keyspace.doc));
    text.push_str(&format!("Key: {}", length_text(Length::of(&keyspace.key))));
    let prefix = keyspace.literal_prefix();
    if !prefix.is_empty() {
        text.push_str(&format!(", beginning with `{}`", hex(&prefix)));
    }
    text.push_str("\n\n");
    text.push_str(&verdicts(layout, report, keyspace, |_| true));
    text
}

/// Lists the verdicts on some claims about a keyspace.
fn verdicts(
    layout: &Layout,
    report: &Report,
    keyspace: &Keyspace,
    is_shown: impl Fn(&Claim) -> bool,
) -> String {
    let mut text = String::new();
    let is_own = |claim: &&Claim| ptr::eq(layout.keyspace(claim.keyspace), keyspace);
    for claim in report.claims.iter().filter(is_own).filter(|claim| is_shown(claim)) {
        let verdict = match (&claim.verdict, &claim.accepted) {
            (Verdict::Proved, _) => "proved",
            (_, Some(_)) => "accepted",
            (Verdict::Refuted(_), _) => "**refuted**",
            (Verdict::Unknown(_), _) => "**unknown**",
        };
        let scan = claim.scan.and_then(|index| keyspace.scans.get(index));
        let about = match (scan, &claim.field) {
            (Some(scan), _) => format!(", scan `{}`", scan.name),
            (None, Some(field)) => format!(", field `{field}`"),
            (None, None) => String::new(),
        };
        let rule = claim.rule;
        text.push_str(&format!("- {} {}{about}: {verdict}\n", rule.code(), rule.name()));
    }
    text
}

fn field_text(layout: &Layout, report: &Report, keyspace: &Keyspace, name: &str) -> Option<String> {
    let field = field(&keyspace.key, name)?;
    let ty = match (layout.named(&field.declared), field.declared.leaf()) {
        (Some(named), _) => named.name.clone(),
        (None, Some(leaf)) => leaf.codec.text(),
        (None, None) => field.ty_span.map_or("", |span| layout.sources.text(span)).to_owned(),
    };
    let is_first = |path: &str| path.split('.').next() == Some(name);
    let verdicts = verdicts(layout, report, keyspace, |claim| {
        let scan = claim.scan.and_then(|scan| keyspace.scans.get(scan));
        let leads =
            |scan: &Scan| scan.leading.iter().any(|path| path.first().is_some_and(|f| f == name));
        let sorts = |scan: &Scan| scan.by.iter().any(|path| is_first(path));
        claim.field.as_deref().is_some_and(is_first)
            || scan.is_some_and(|scan| match claim.rule {
                Rule::Ordered => sorts(scan),
                _ => leads(scan),
            })
    });
    let bytes = type_text(&field.ty);
    Some(format!("```keyscape\n{{{name}: {ty}}}\n```\n{bytes}\n\n{verdicts}"))
}

fn type_text(ty: &Type) -> String {
    let codec = ty.leaf().map(|leaf| format!("`{}`, ", leaf.codec.text()));
    format!("{}{}", codec.unwrap_or_default(), length_text(ty.length()))
}

fn length_text(length: Length) -> String {
    match (length.min, length.max) {
        (1, Some(1)) => "1 byte".to_owned(),
        (min, Some(max)) if min == max => format!("{min} bytes"),
        (min, Some(max)) => format!("{min} to {max} bytes"),
        (min, None) => format!("at least {min} bytes, without a limit"),
    }
}

fn paragraphs(doc: &[String]) -> String {
    if doc.is_empty() { String::new() } else { format!("{}\n\n", doc.join("\n")) }
}
