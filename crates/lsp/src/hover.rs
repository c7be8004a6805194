//! Facts about the name at a position.

use crate::{
    analysis::Analysis,
    definition::{Reference, find_type, reference_at},
    line_index::LineIndex,
};
use keyscape_layout::{
    Layout, Length, kind_name,
    model::{Keyspace, Type},
    traverse::{ItemKind, traverse},
};
use keyscape_prover::{Report, Verdict};
use keyscape_report::bytes::hex;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};

/// Describes the name at a position: the bytes of a field or type, or the bytes and verdicts of a
/// keyspace.
pub(crate) fn hover(analysis: &Analysis, position: Position) -> Option<Hover> {
    let (layout, report) = analysis.outcome.as_ref().ok()?;
    let tree = analysis.tree();
    let index = LineIndex::new(analysis.text());
    let (reference, span) = reference_at(&tree, index.offset(position))?;
    let value = match &reference {
        Reference::Keyspace(name) => keyspace_text(layout, report, find(layout, name)?),
        Reference::Field(keyspace, field) => field_text(layout, find(layout, keyspace)?, field)?,
        Reference::Type(name) => {
            let (_, declared) = find_type(analysis, &tree, name)?;
            let bare = name.rsplit('.').next().unwrap_or(name);
            let named = layout
                .types
                .iter()
                .find(|named| named.name == bare && named.span.start == declared.start)?;
            let text = format!("```keyscape\ntype {}\n```\n", named.name);
            format!("{text}{}{}", paragraphs(&named.doc), type_text(&named.ty))
        }
        Reference::Import(_) => return None,
    };
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Some(Hover { contents, range: Some(index.range(span)) })
}

fn find<'a>(layout: &'a Layout, name: &str) -> Option<&'a Keyspace> {
    layout.keyspaces.iter().find(|keyspace| keyspace.name == name)
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
    for claim in report.claims.iter().filter(|c| layout.keyspace(c.keyspace).name == *name) {
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

fn field_text(layout: &Layout, keyspace: &Keyspace, name: &str) -> Option<String> {
    let field = traverse(&keyspace.key).find_map(|item| match item.kind {
        ItemKind::Field(field) if field.name == name => Some(field),
        _ => None,
    })?;
    let ty = match (layout.named(&field.declared), &*field.declared) {
        (Some(named), _) => named.name.clone(),
        (None, Type::Leaf(leaf)) => leaf.codec.text(),
        (None, _) => field.ty_span.map_or("", |span| layout.sources.text(span)).to_owned(),
    };
    Some(format!("```keyscape\n{{{name}: {ty}}}\n```\n{}", type_text(&field.ty)))
}

fn type_text(ty: &Type) -> String {
    let codec = match ty {
        Type::Leaf(leaf) => format!("`{}`, ", leaf.codec.text()),
        _ => String::new(),
    };
    format!("{codec}{}", length_text(ty.length()))
}

fn length_text(length: Length) -> String {
    match (length.least, length.most) {
        (1, Some(1)) => "1 byte".to_owned(),
        (least, Some(most)) if least == most => format!("{least} bytes"),
        (least, Some(most)) => format!("{least} to {most} bytes"),
        (least, None) => format!("at least {least} bytes, without a limit"),
    }
}

fn paragraphs(doc: &[String]) -> String {
    if doc.is_empty() { String::new() } else { format!("{}\n\n", doc.join("\n")) }
}
