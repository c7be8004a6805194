//! The state that all requests share.

use crate::{count::Counts, job::Job};
use keyscape_automata::OverBudget;
use keyscape_diagnostics::file::LayoutError;
use keyscape_inspect::{
    audit::Report,
    database::{Automata, OpenDatabase, Reader, joined, space_name},
    document::Document,
};
use keyscape_layout::{Built, Layout, model::KeyspaceKind};
use keyscape_store::{Db, Spaces, StoreError, UnbuiltIndex, saved_texts};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// An error of opening the pages of a database.
#[derive(Debug, thiserror::Error)]
pub enum ExplorerError {
    /// The automata of the layout are too large to decode with.
    #[error("the layout is too large for decoding: {0}")]
    TooLarge(#[from] OverBudget),
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The layout that the database stores cannot be read.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The database stores no layout.
    #[error("the database does not store the text of its layout")]
    NoLayout,
}

/// Returns the layout that a database stores.
///
/// # Errors
/// [`ExplorerError::NoLayout`] if it stores none.
pub fn saved_layout(db: &Db) -> Result<Layout, ExplorerError> {
    let texts = saved_texts(&db.read()?)?;
    if texts.is_empty() {
        return Err(ExplorerError::NoLayout);
    }
    let bundle = joined(&texts);
    Ok(keyscape_diagnostics::file::read_bundle(&Built::default(), Path::new("database"), &bundle)?)
}

/// The state that all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) layout: Arc<Layout>,
    pub(crate) db: Db,
    automata: Arc<Automata>,
    /// Spaces of the database that the layout does not have.
    pub(crate) others: Vec<String>,
    unbuilt: Vec<UnbuiltIndex>,
    /// Whether the program may build indexes while the pages are served.
    may_build: bool,
    /// The document of the layout with its claims, which are proved in the background.
    pub(crate) proof: Arc<Job<Arc<Document>>>,
    pub(crate) audit: Arc<Job<Report>>,
    pub(crate) counting: Arc<Job<Counts>>,
}

impl Shared {
    pub(crate) fn new(db: Db, layout: Layout) -> Result<Self, ExplorerError> {
        let unbuilt = unbuilt(&db, &layout)?;
        let automata = Arc::clone(Reader::new(&layout)?.automata());
        Ok(Self { may_build: true, ..Self::with(db, layout, automata, unbuilt) })
    }

    pub(crate) fn with(
        db: Db,
        layout: Layout,
        automata: Arc<Automata>,
        unbuilt: Vec<UnbuiltIndex>,
    ) -> Self {
        let layout = Arc::new(layout);
        let known: Vec<String> = layout.keyspace_ids().map(|id| space_name(&layout, id)).collect();
        let spaces = db.spaces().iter().map(|(_, name)| name.to_owned());
        let others = spaces
            .filter(|name| !name.starts_with(Spaces::RESERVED) && !known.contains(name))
            .collect();
        let proof = Arc::<Job<Arc<Document>>>::default();
        // The proof of a large layout takes seconds. Rows can be read meanwhile.
        let for_proof = Arc::clone(&layout);
        proof.start_or_run(move |_| Ok(Arc::new(Document::new(&for_proof, Default::default()))));
        let (audit, counting) = Default::default();
        Self { layout, db, automata, others, unbuilt, may_build: false, proof, audit, counting }
    }

    /// Returns the database for one request.
    pub(crate) fn base(&self) -> OpenDatabase<'_> {
        let automata = Arc::clone(&self.automata);
        let mut unbuilt = self.unbuilt.clone();
        if self.may_build {
            unbuilt.retain(|index| !self.is_built(index));
        }
        let others = self.others.clone();
        OpenDatabase::join(&self.layout, self.db.clone(), automata, others, unbuilt)
    }

    fn is_built(&self, index: &UnbuiltIndex) -> bool {
        matches!(self.db.index_build(&index.space, &index.name), Ok(None))
    }

    /// Returns the document of the layout, if its proof ends before the deadline.
    pub(crate) fn document(&self, deadline: Instant) -> Option<Arc<Document>> {
        let left = deadline.saturating_duration_since(Instant::now()) / 2;
        let done = self.proof.wait(left.max(Duration::from_millis(1)))?;
        done.result.as_ref().ok().cloned()
    }

    /// Returns the title of the pages: the names of the stores.
    pub(crate) fn name(&self) -> String {
        let names: Vec<&str> = self.layout.stores.iter().map(|store| store.name.as_str()).collect();
        match names.as_slice() {
            [] => "no stores".to_owned(),
            [first, second, rest @ ..] if rest.len() > 1 => {
                format!("{first}, {second} and {} more", rest.len())
            }
            names => names.join(", "),
        }
    }
}

/// Lists the indexes whose build has begun and not ended.
fn unbuilt(db: &Db, layout: &Layout) -> Result<Vec<UnbuiltIndex>, StoreError> {
    let mut unbuilt = Vec::new();
    for id in layout.keyspace_ids() {
        let keyspace = layout.keyspace(id);
        let space = space_name(layout, id);
        if keyspace.kind == KeyspaceKind::Index && db.index_build(&space, &keyspace.name)?.is_some()
        {
            let (space, name) = (space.into(), keyspace.name.clone().into());
            unbuilt.push(UnbuiltIndex { space, name, rows: 0 });
        }
    }
    Ok(unbuilt)
}
