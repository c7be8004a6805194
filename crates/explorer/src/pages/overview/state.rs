//! The state of indexes and migrations.

use crate::{
    part::text::{code, many, names},
    reply::Problem,
};
use keyscape_inspect::{database::OpenDatabase, document::words};
use keyscape_layout::model::KeyspaceKind;
use keyscape_migrate::Plan;
use keyscape_store::SavedMigration;
use maud::{Markup, html};
use serde_json::{Value, json};

/// The state of the indexes and of the migrations of a database.
pub(super) struct State {
    /// The number of indexes.
    pub(super) indexes: usize,
    /// The names of the indexes that are not built.
    pub(super) unbuilt: Vec<String>,
    /// The command that continues the migration that has begun and not ended.
    running: Option<String>,
    /// The last migration that has ended. `Err` if its description cannot be read.
    last: Option<Result<Plan, ()>>,
}

impl State {
    pub(super) fn read(base: &OpenDatabase<'_>) -> Result<Self, Problem> {
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

    pub(super) fn render(&self) -> Markup {
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

    pub(super) fn migration_json(&self) -> Value {
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
