//! The form of a keyspace, built from its declared scans.

use super::query::{SIZES, address_of, by_field};
use crate::{ask::Ask, link, part::text::clean};
use keyscape_inspect::document::facts::{KeyspaceFacts, Outcome, PartKind};
use keyscape_layout::{
    fields,
    model::{KeyspaceId, Segment, Type},
};
use maud::{Markup, html};

/// The form that selects rows.
pub(super) fn render(ask: &Ask, id: KeyspaceId, facts: Option<&KeyspaceFacts>) -> Markup {
    let keyspace = ask.layout().keyspace(id);
    let chosen = ask.get("scan").unwrap_or_default();
    let scan = keyspace.scans.iter().find(|scan| scan.name == chosen);
    let leading: Vec<String> =
        scan.map_or_else(Vec::new, |scan| scan.leading.iter().map(|path| path.join(".")).collect());
    let mut all = Vec::new();
    if let Some(hash) = keyspace.hash {
        paths(&ask.layout().keyspace(hash).key, "", &mut all);
    }
    paths(&keyspace.key, "", &mut all);
    all.extend(
        ["member", "score"]
            .into_iter()
            .zip([keyspace.member.is_some(), keyspace.score.is_some()])
            .filter(|(_, is)| *is)
            .map(|(name, _)| name.to_owned()),
    );
    let others: Vec<&String> = all.iter().filter(|path| !leading.contains(path)).collect();
    let by = by_field(ask, id, chosen).filter(|_| is_ordered(facts, chosen));
    html! {
        @if !keyspace.scans.is_empty() {
            ul.scans-list aria-label="Scans" {
                li { a href=(address_of(ask)) aria-current=[chosen.is_empty().then_some("true")] { "all rows" } }
                @for scan in &keyspace.scans {
                    li {
                        a href=(format!("{}{}", address_of(ask), link::query([("scan", scan.name.as_str())])))
                            aria-current=[(scan.name == chosen).then_some("true")] { "scan " (clean(&scan.name)) }
                    }
                }
            }
        }
        form.filter method="get" action=(address_of(ask)) {
            @if !chosen.is_empty() { input type="hidden" name="scan" value=(chosen); }
            @for path in &leading { (field(ask, facts, path)) }
            @if let Some(by) = &by {
                fieldset.range {
                    legend { "Range of " code { (clean(by)) } }
                    label { "from" input name="from" value=(ask.get("from").unwrap_or_default()) autocomplete="off"; }
                    label { "to, included" input name="to" value=(ask.get("to").unwrap_or_default()) autocomplete="off"; }
                }
            }
            @if !others.is_empty() {
                details open[others.iter().any(|path| ask.get(&format!("f.{path}")).is_some()) || leading.is_empty() && others.len() <= 4] {
                    summary { @if leading.is_empty() { "Fields" } @else { "Further fields" } }
                    div.fields { @for path in &others { (field(ask, facts, path)) } }
                }
            }
            div.options {
                label { "Order"
                    select name="dir" {
                        option value="" { "forward" }
                        option value="back" selected[ask.get("dir") == Some("back")] { "backward" }
                    }
                }
                label { "Rows"
                    select name="size" {
                        @for size in SIZES {
                            @let is_chosen = ask.get("size").unwrap_or("50") == size.to_string();
                            option value=(size) selected[is_chosen] { (size) }
                        }
                    }
                }
                button { "Show rows" }
            }
        }
    }
}

/// Whether the order of a scan is proved or accepted.
fn is_ordered(facts: Option<&KeyspaceFacts>, scan: &str) -> bool {
    let scan = facts.and_then(|facts| facts.scans.iter().find(|known| known.name == scan));
    scan.is_some_and(|scan| matches!(scan.ordered, Some(Outcome::Proved | Outcome::Accepted)))
}

/// An input with its name and its allowed values.
fn field(ask: &Ask, facts: Option<&KeyspaceFacts>, path: &str) -> Markup {
    let name = format!("f.{path}");
    let hint = facts.and_then(|facts| hint(&facts.parts, path)).unwrap_or_default();
    html! {
        label.field {
            span { (clean(path)) }
            input name=(name) value=(ask.get(&name).unwrap_or_default()) placeholder=(clean(&hint)) autocomplete="off" spellcheck="false";
        }
    }
}

/// Returns the allowed values of a field.
fn hint(parts: &[keyscape_inspect::document::facts::Part], path: &str) -> Option<String> {
    for part in parts {
        if part.path == path {
            return match &part.shape {
                PartKind::Leaf { allowed, shown_as, .. } => Some(
                    shown_as.as_ref().map_or_else(|| allowed.clone(), |form| format!("as {form}")),
                ),
                PartKind::Enum { texts } => Some(texts.join(", ")),
                PartKind::Variant { arms } => {
                    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
                    Some(names.join(", "))
                }
                PartKind::List { .. } => Some("[…]".to_owned()),
                _ => None,
            };
        }
        let (PartKind::Composite { parts: inside } | PartKind::Option { parts: inside, .. }) =
            &part.shape
        else {
            continue;
        };
        if let Some(found) = hint(inside, path) {
            return Some(found);
        }
    }
    None
}

/// Lists the paths of the fields; composites are listed by their parts.
fn paths(segments: &[Segment], outer: &str, out: &mut Vec<String>) {
    for field in fields(segments) {
        let path =
            if outer.is_empty() { field.name.clone() } else { format!("{outer}.{}", field.name) };
        match &*field.ty {
            Type::Composite(inner) => paths(inner, &path, out),
            _ => out.push(path),
        }
    }
}
