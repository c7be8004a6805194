//! The form of a keyspace, built from its declared scans.

use super::query::{SIZES, address_of, by_field};
use crate::{
    ask::Ask,
    link,
    part::text::{clean, prose_line},
};
use keyscape_diagnostics::datum::{Extent, scalar};
use keyscape_inspect::document::facts::{KeyspaceFacts, Outcome, shown_text};
use keyscape_layout::{
    model::{KeyspaceId, Segment, Type},
    traverse::{ItemKind, traverse},
};
use maud::{Markup, html};

/// An input of the form.
struct Input<'l> {
    path: String,
    ty: &'l Type,
}

impl Input<'_> {
    /// Whether it is a field, or a part of it.
    fn is_in(&self, field: &str) -> bool {
        let rest = self.path.strip_prefix(field);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

/// Renders the form that selects rows.
pub(super) fn render(ask: &Ask, id: KeyspaceId, facts: Option<&KeyspaceFacts>) -> Markup {
    let keyspace = ask.layout().keyspace(id);
    let chosen = ask.get("scan").unwrap_or_default();
    let scan = keyspace.scans.iter().find(|scan| scan.name == chosen);
    let first: Vec<String> =
        scan.map_or_else(Vec::new, |scan| scan.leading.iter().map(|path| path.join(".")).collect());
    let (leading, others): (Vec<Input<'_>>, Vec<Input<'_>>) =
        inputs(ask, id).into_iter().partition(|input| first.iter().any(|path| input.is_in(path)));
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
            @for input in &leading { (field(ask, input)) }
            @if let Some(by) = &by {
                fieldset.range {
                    legend { "Range of " code { (clean(by)) } }
                    label { "from" input name="from" value=(ask.get("from").unwrap_or_default()) autocomplete="off"; }
                    label { "to, included" input name="to" value=(ask.get("to").unwrap_or_default()) autocomplete="off"; }
                }
            }
            @if !others.is_empty() {
                details open[others.iter().any(|input| ask.get(&format!("f.{}", input.path)).is_some()) || leading.is_empty() && others.len() <= 4] {
                    summary { @if leading.is_empty() { "Fields" } @else { "Further fields" } }
                    div.fields { @for input in &others { (field(ask, input)) } }
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

/// Renders an input with its name, an example and its allowed values.
fn field(ask: &Ask, input: &Input<'_>) -> Markup {
    let name = format!("f.{}", input.path);
    let id = format!("hint-{}", input.path);
    html! {
        div.field {
            label for=(name) { (clean(&input.path)) }
            input id=(name) name=(name) value=(ask.get(&name).unwrap_or_default()) placeholder=(clean(&example(input)))
                aria-describedby=(id) autocomplete="off" spellcheck="false";
            span.hint id=(id) { (prose_line(&hint(input.ty))) }
        }
    }
}

/// Returns an example value, as the input takes it.
fn example(input: &Input<'_>) -> String {
    let name = input.path.rsplit('.').next().unwrap_or_default();
    match input.ty {
        Type::Leaf(_) | Type::Enum(_) => {
            let datum = input.ty.example_of(name);
            datum.map_or_else(String::new, |datum| scalar(Some(input.ty), &datum, Extent::Short))
        }
        Type::Composite(_) | Type::Variant(_) | Type::List(_) => String::new(),
    }
}

/// Describes the allowed values.
fn hint(ty: &Type) -> String {
    match ty {
        Type::Leaf(leaf) => match &leaf.shown {
            Some(shown) => format!("as `{}`", shown_text(shown)),
            None => leaf.codec.allowed(),
        },
        Type::Enum(of) => of.texts.join(", "),
        Type::Variant(arms) => {
            let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
            format!("one of {}", names.join(", "))
        }
        Type::Composite(_) => "a JSON object".to_owned(),
        Type::List(_) => "a JSON array".to_owned(),
    }
}

/// Lists the inputs of a keyspace: the fields of its key, its member and its score.
fn inputs(ask: &Ask, id: KeyspaceId) -> Vec<Input<'_>> {
    let layout = ask.layout();
    let keyspace = layout.keyspace(id);
    let mut all = Vec::new();
    if let Some(hash) = keyspace.hash {
        all.extend(key_inputs(&layout.keyspace(hash).key));
    }
    all.extend(key_inputs(&keyspace.key));
    for (name, ty) in [("member", &keyspace.member), ("score", &keyspace.score)] {
        all.extend(ty.as_deref().map(|ty| Input { path: name.to_owned(), ty }));
    }
    all
}

/// Lists the fields of a key; composites are listed by their parts.
fn key_inputs(segments: &[Segment]) -> impl Iterator<Item = Input<'_>> {
    traverse(segments).filter_map(|item| match item.kind {
        ItemKind::Field(field)
            if item.path.is_plain() && !matches!(*field.ty, Type::Composite(_)) =>
        {
            Some(Input { path: item.path.text(), ty: &field.ty })
        }
        _ => None,
    })
}
