//! The overview: stores, prefix maps, keyspaces with their sizes, verdicts, indexes, migrations.

use crate::{
    ask::Ask,
    count::{self, Counts, Size},
    job::Done,
    link,
    part::{
        claims, prefix_map,
        text::{clean, code, many, names, number, prose, runs, size, table},
    },
    reply::{Problem, Reply},
};
use keyscape_inspect::{
    database::OpenDatabase,
    document::{
        facts::{Document, KeyspaceFacts, StoreFacts},
        prose, words,
    },
};
use keyscape_layout::{
    model::{KeyspaceId, KeyspaceKind},
    prefix_map::Cell,
};
use keyscape_migrate::Plan;
use keyscape_store::SavedMigration;
use maud::{Markup, html};
use serde_json::{Value, json};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The time that samples of all keyspaces may take.
const SAMPLES: Duration = Duration::from_millis(400);

/// Shows the overview.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let base = ask.database();
    let counts = match ask.shared.counting.done().as_deref() {
        Some(Done { result: Ok(counts), .. }) => counts.clone(),
        _ => count::sample(&base, Instant::now() + SAMPLES)?,
    };
    let document = ask.shared.document(ask.deadline);
    let proof = ask.shared.proof.done();
    let proof_error = proof.as_deref().and_then(|proof| proof.result.as_ref().err());
    let running = ask.shared.counting.running();
    let state = State::read(&base)?;
    if ask.wants_json {
        return Ok(Reply::Json(as_json(ask, &counts, document.as_deref(), &state)));
    }
    let body = html! {
        (prefix_map::patterns())
        header.top {
            p.eyebrow { "Database" }
            h1 { (clean(&ask.shared.name())) }
            (purpose(&ask.layout().doc))
            @match (document.as_deref(), proof_error) {
                (Some(document), _) => { (claims::standing(document)) },
                (None, Some(error)) => { p.standing { "The layout is not proved: " (clean(error)) "." } },
                (None, None) => { p.standing { "The layout is still being proved; " a href="" { "load the page again" } "." } },
            }
            (counting(ask, &counts))
            (state.render())
            @if !ask.shared.others.is_empty() {
                p.note { "Not in the layout: store " (names(&ask.shared.others)) "." }
            }
        }
        @match document.as_deref() {
            Some(document) => { @for facts in &document.stores { (store(ask, &counts, facts)) } },
            None => { (bare(ask, &counts)) },
        }
    };
    Ok(Reply::page("Overview", body)
        .live(running.is_some() || (document.is_none() && proof_error.is_none())))
}

/// Starts to count all rows.
pub(super) fn count(ask: &Ask) -> Result<Reply, Problem> {
    let shared = Arc::clone(&ask.shared);
    ask.shared.counting.start(move |on_row| count::count_all(&shared, on_row));
    Ok(Reply::Redirect("/".to_owned()))
}

/// Renders the first paragraph of a doc comment, and the others on demand.
fn purpose(doc: &[String]) -> Markup {
    let rest: Vec<String> =
        doc.iter().skip_while(|line| !line.trim().is_empty()).cloned().collect();
    html! {
        @let first = prose::first(doc);
        @if !first.is_empty() { p.lead { (runs(&first)) } }
        @if rest.iter().any(|line| !line.trim().is_empty()) {
            details.more { summary { "More about the layout" } (prose(&rest, "lead")) }
        }
    }
}

/// Renders the state of the counts, and the button that counts all rows.
fn counting(ask: &Ask, counts: &Counts) -> Markup {
    let is_exact = counts.sizes.values().all(|size| size.is_exact);
    let (running, done) = (ask.shared.counting.running(), ask.shared.counting.done());
    let error = done.as_ref().and_then(|done| done.result.as_ref().err());
    let done = done.as_ref().filter(|done| done.result.is_ok());
    html! {
        @if let (None, Some(error)) = (running, error) {
            (Problem::input(error.clone(), None).inline())
        }
        form.count method="post" action=(format!("{}/count", ask.base)) {
            @match (running, done) {
                (Some(running), _) => {
                    p { "Counting: " (many(running.rows, "row")) " so far." }
                },
                (None, Some(done)) => {
                    p { "Counted " (ago(done.ended.elapsed())) ". "
                        @if counts.unknown > 0 { "Rows that fit no keyspace: " (number(counts.unknown)) ". " }
                        button { "Count again" } }
                },
                (None, None) if is_exact => { p.note { "All rows are counted." } },
                (None, None) => {
                    p { "Numbers with ≥ are lower bounds from the first rows. " button { "Count all rows" } }
                },
            }
        }
    }
}

/// Returns a time that has passed in words.
pub(super) fn ago(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{} s ago", time.as_secs()),
        60..3600 => format!("{} min ago", time.as_secs() / 60),
        seconds => format!("{} h ago", seconds / 3600),
    }
}

/// Formats a number of rows, with `≥` for a lower bound.
fn rows(size: Size) -> Markup {
    match size.is_exact {
        true => html! { (number(size.rows)) },
        false => {
            html! { span title="A lower bound: not all rows are counted" { "≥ " (number(size.rows)) } }
        }
    }
}

fn store(ask: &Ask, counts: &Counts, facts: &StoreFacts) -> Markup {
    let layout = ask.layout();
    let row = |keyspace: &KeyspaceFacts| {
        let id = layout.find(&format!("{}/{}", facts.name, keyspace.name)).first().copied();
        let size = id.and_then(|id| counts.sizes.get(&id)).copied();
        let worst = claims::worst(&keyspace.claims);
        [
            html! {
                a.strong href=(link::named(&ask.base, &facts.name, &keyspace.name)) { (clean(&keyspace.name)) }
                " " span.kind { (keyspace.kind) }
            },
            html! { @if let Some(size) = size { (rows(size)) } },
            html! { @if let Some(found) = size { @if !found.is_exact { "≥ " } (self::size(found.bytes)) } },
            code(&keyspace.pattern),
            html! { @if !keyspace.brief.is_empty() { (code(&keyspace.brief)) } },
            claims::chip(worst),
            runs(&prose::first(&keyspace.doc)),
        ]
    };
    let heads = ["keyspace", "rows", "bytes", "key", "value", "claims", "purpose"];
    let target = |cell: &Cell| {
        let name = cell.keyspaces.first()?;
        Some(link::named(&ask.base, &facts.name, name))
    };
    html! {
        section.store {
            p.eyebrow { "Store" }
            h2 { (clean(&facts.name)) }
            (purpose(&facts.doc))
            (table("all live", heads, facts.keyspaces.iter().map(row)))
            div.maps { @for map in &facts.maps { (prefix_map::first_bytes(map, &target)) } }
        }
    }
}

/// Renders the keyspaces without verdicts, while the proof runs.
fn bare(ask: &Ask, counts: &Counts) -> Markup {
    let layout = ask.layout();
    let row = |id: KeyspaceId| {
        let keyspace = layout.keyspace(id);
        [
            html! { a href=(link::keyspace(&ask.base, layout, id)) { (clean(&keyspace.name)) } },
            html! { @if let Some(size) = counts.sizes.get(&id) { (rows(*size)) } },
        ]
    };
    table("all live", ["keyspace", "rows"], layout.keyspace_ids().map(row))
}

fn as_json(ask: &Ask, counts: &Counts, document: Option<&Document>, state: &State) -> Value {
    let layout = ask.layout();
    let sizes: Vec<Value> = counts
        .sizes
        .iter()
        .map(|(id, size)| {
            let keyspace = layout.keyspace(*id);
            json!({
                "store": layout.store(keyspace.store).name,
                "keyspace": keyspace.name,
                "rows": size.rows,
                "bytes": size.bytes,
                "exact": size.is_exact,
            })
        })
        .collect();
    json!({
        "stores": layout.stores.iter().map(|store| &store.name).collect::<Vec<_>>(),
        "other_stores": ask.shared.others,
        "claims": document.map(|document| document.tally),
        "holds": document.map(|document| document.holds),
        "indexes": state.indexes,
        "unbuilt_indexes": state.unbuilt,
        "migration": state.migration_json(),
        "keyspaces": sizes,
    })
}

/// The state of the indexes and of the migrations of a database.
struct State {
    /// The number of indexes.
    indexes: usize,
    /// The names of the indexes that are not built.
    unbuilt: Vec<String>,
    /// The command that continues the migration that has begun and not ended.
    running: Option<String>,
    /// The last migration that has ended. `Err` if its description cannot be read.
    last: Option<Result<Plan, ()>>,
}

impl State {
    fn read(base: &OpenDatabase<'_>) -> Result<Self, Problem> {
        let layout = base.layout;
        let is_index = |id: &_| layout.keyspace(*id).kind == KeyspaceKind::Index;
        let state = base.db.read()?;
        let last = SavedMigration::last(&state)?;
        Ok(Self {
            indexes: layout.keyspace_ids().filter(is_index).count(),
            unbuilt: base.unbuilt().iter().map(|index| index.name.to_string()).collect(),
            running: SavedMigration::read(&state)?.map(|saved| saved.command),
            last: last.map(|plan| Plan::decode(&plan).ok_or(())),
        })
    }

    fn render(&self) -> Markup {
        html! {
            @if let Some(command) = &self.running {
                p.warning {
                    b { "Migrating: " } "a migration has begun and not ended, so rows have the old or the new form. Continue with "
                    (code(command)) "."
                }
            }
            @if !self.unbuilt.is_empty() {
                p.warning {
                    b { "Not built: " } (words::counted(self.unbuilt.len(), "index")) ", which cannot be read: "
                    (names(&self.unbuilt)) ". Build with " (code("keyscape index build")) "."
                }
            }
            p.note {
                @match (self.indexes, self.unbuilt.len()) {
                    (0, _) => { "No indexes. " },
                    (all, 0) => { (words::counted(all, "index")) ", all built. " },
                    (all, unbuilt) => { (words::counted(all, "index")) ", " (all.saturating_sub(unbuilt)) " built. " },
                }
                @match &self.last {
                    None => { "No migration has run." },
                    Some(Err(())) => { "The description of the last migration cannot be read." },
                    Some(Ok(plan)) => {
                        "The last migration wrote " (many(plan.digest.rows(), "row"))
                        @if plan.inverse.is_some() { " and can be reversed" } "."
                    },
                }
            }
            @if let Some(Ok(plan)) = &self.last {
                details.more { summary { "The last migration" } pre.json { (plan.declaration) } }
            }
        }
    }

    fn migration_json(&self) -> Value {
        let last = self.last.as_ref().and_then(|last| last.as_ref().ok()).map(|plan| {
            json!({
                "declaration": plan.declaration,
                "rows": plan.digest.rows(),
                "reversible": plan.inverse.is_some(),
            })
        });
        json!({"continue_with": self.running, "last": last})
    }
}

#[cfg(test)]
mod tests {
    use super::show;
    use crate::{ask::Ask, reply::Reply, shared::Shared};
    use axum::http::{HeaderMap, Uri};
    use keyscape_diagnostics::file;
    use keyscape_store::{Db, Memory, Spaces};
    use std::{error::Error, path::Path, sync::Arc, time::Duration};

    #[test]
    fn the_page_shows_the_error_of_a_count() -> Result<(), Box<dyn Error>> {
        let text = "store s\nmap m = \"m\" {id: u8} -> empty\n";
        let layout = file::read_text(Path::new("."), Path::new("s.keys"), text)?;
        let shared = Shared::new(Db::new(Memory::new(Spaces::new(["s"])?)), layout)?;
        shared.counting.start(|_| panic!("a bug"));
        shared.counting.wait(Duration::from_secs(60)).ok_or("the run did not end")?;
        let ask =
            Ask::new(Arc::new(shared), String::new(), &Uri::from_static("/"), &HeaderMap::new());
        let Ok(Reply::Page { body, .. }) = show(&ask) else {
            return Err("there is no page".into());
        };
        let body = body.into_string();
        assert!(body.contains("the work failed, which is a bug in Keyscape: a bug"), "{body}");
        Ok(())
    }
}
