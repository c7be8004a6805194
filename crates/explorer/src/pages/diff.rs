//! Compares two layouts: that of the database with a pasted one, or two pasted ones.

use crate::{
    ask::Ask,
    part::{
        source, terminal,
        text::{clean, table},
    },
    reply::{Problem, Reply},
};
use keyscape_diagnostics::{
    file::{LayoutError, read_bundle},
    suggestion,
};
use keyscape_evolution::{Config, Level, Report, diff};
use keyscape_inspect::{change::Change, document::facts::source_of, many};
use keyscape_layout::{Built, Bundle, Layout, model::KeyspaceId};
use maud::{Markup, html};
use std::{path::Path, sync::Arc};

const LEVELS: [(&str, Level, &str); 4] = [
    ("backward", Level::Backward, "the new program reads the rows that exist"),
    ("forward", Level::Forward, "the old program reads the rows that the new one writes"),
    ("full", Level::Full, "both"),
    ("rolling", Level::Rolling, "both, while old and new programs run at the same time"),
];

pub(super) const PARAMETERS: &[&str] = &["old", "new", "level"];

/// Shows the form, and the comparison of the posted layouts.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let (old_text, new_text) =
        (ask.get("old").unwrap_or_default(), ask.get("new").unwrap_or_default());
    // The form begins with the layout of the database, to be edited.
    let shown = match new_text {
        "" => ask.layout().bundle().text(),
        text => text.to_owned(),
    };
    let wanted = ask.get("level").unwrap_or("backward");
    let Some((_, level, _)) = LEVELS.into_iter().find(|(name, ..)| *name == wanted) else {
        let help = suggestion::help(wanted, "levels", &LEVELS.map(|(name, ..)| name));
        return Err(Problem::input(format!("there is no level `{wanted}`"), Some(help)));
    };
    let compared = (!new_text.is_empty()).then(|| Comparison::new(ask, old_text, new_text));
    if ask.wants_json {
        return match compared {
            Some(Ok(compared)) => {
                Ok(Reply::Json(compared.changes().map(|change| change.object(level)).collect()))
            }
            Some(Err(problem)) => Err(Problem::input(problem, None)),
            None => Err(Problem::input(
                "the new layout is missing",
                Some("send it as `new`".to_owned()),
            )),
        };
    }
    let body = html! {
        header.top { p.eyebrow { "Tool" } h1 { "Compare layouts" }
            p.lead { "Finds every change that loses or misreads stored rows, with a key that shows it. Edit the layout of the database on the right, or paste two layouts." } }
        form.diff method="post" action=(format!("{}/diff", ask.base)) {
            div.sides {
                label { "Old layout" textarea name="old" rows="12" spellcheck="false" placeholder="empty: the layout of the database" { (old_text) } }
                label { "New layout" textarea name="new" rows="12" spellcheck="false" required { (shown) } }
            }
            div.options {
                label { "Compatibility"
                    select name="level" {
                        @for (name, _, says) in LEVELS { option value=(name) selected[name == wanted] { (name) ": " (says) } }
                    }
                }
                button { "Compare" }
            }
        }
        @match compared {
            Some(Ok(compared)) => { (compared.render(level)) },
            Some(Err(problem)) => { section.problem role="alert" { (terminal::render(&problem)) } },
            None => {},
        }
    };
    Ok(Reply::page("Diff", body))
}

/// A comparison of two layouts.
struct Comparison {
    old: Arc<Layout>,
    new: Layout,
    report: Report,
}

impl Comparison {
    /// Compares two texts; without an old one, the layout of the database is the old layout. Fails
    /// with the mistakes of a layout that cannot be read.
    fn new(ask: &Ask, old: &str, new: &str) -> Result<Self, String> {
        let built = Built::default();
        let read = |name: &str, text: &str| -> Result<Layout, String> {
            match read_bundle(&built, Path::new(name), &Bundle::parse(text)) {
                Err(LayoutError::Rejected(rejected)) => {
                    Err(keyscape_diagnostics::rejected(&rejected))
                }
                other => other.map_err(|error| error.to_string()),
            }
        };
        let new = read("new.keys", new)?;
        let old = match old {
            "" => Arc::clone(&ask.shared.layout),
            text => Arc::new(read("old.keys", text)?),
        };
        let report = diff(&old, &new, Config::default());
        Ok(Self { old, new, report })
    }

    fn changes(&self) -> impl Iterator<Item = Change<'_>> {
        let findings = self.report.findings.iter();
        findings.map(|finding| Change { old: &self.old, new: &self.new, finding })
    }

    fn render(&self, level: Level) -> Markup {
        let required = self.report.of_level(level).count() as u64;
        html! {
            section {
                h2 {
                    @if required == 0 { span.proved { (level.name()) " compatible" } }
                    @else { span.refuted { "not " (level.name()) " compatible: " (many(required, "finding")) } }
                }
                (sides(&self.old, &self.new, &self.report))
                @for change in self.changes() { (terminal::render(&change.render(level))) }
                @if self.report.findings.is_empty() { p.empty { "Existing rows and programs are not affected." } }
            }
        }
    }
}

/// Renders the keyspaces of both layouts side by side.
fn sides(old: &Layout, new: &Layout, report: &Report) -> Markup {
    let cell = |layout: &Layout, id: Option<KeyspaceId>| {
        html! {
            @if let Some(id) = id {
                @let keyspace = layout.keyspace(id);
                b { (clean(&keyspace.name)) } br; (source::render(&source_of(layout, keyspace), &[]))
            }
        }
    };
    let mut rows = Vec::new();
    let mut row = |before: Option<KeyspaceId>, after: Option<KeyspaceId>| {
        let text = |layout: &Layout, id: Option<KeyspaceId>| {
            id.map(|id| (layout.keyspace(id).name.clone(), layout.canonical(id)))
        };
        let (word, class) = match (before, after) {
            (Some(_), None) => ("removed", "refuted"),
            (None, Some(_)) => ("added", "accepted"),
            _ if text(old, before) == text(new, after) => ("same", "none"),
            _ => ("changed", "unknown"),
        };
        let chip = html! { span class=(format!("chip {class}")) { (word) } };
        rows.push([chip, cell(old, before), cell(new, after)]);
    };
    for id in old.keyspace_ids() {
        row(Some(id), report.correspondence.new_keyspace(id));
    }
    for id in new.keyspace_ids().filter(|&id| report.correspondence.old_keyspace(id).is_none()) {
        row(None, Some(id));
    }
    table("sides", ["change", "old", "new"], rows)
}
