//! Opens database files, verified unless the command line says otherwise.

use super::{
    DatabaseError, DynamicIndex, OpenDatabase, Reader, SavedLayout, Writer, engine, joined, sound,
};
use crate::{
    failure::Failure,
    input::{address::Address, layout},
    output::{progress::Progress, stderr},
    salvage,
};
use clap::Args;
use keyscape_layout::{Built, Bundle, Layout};
use keyscape_store::{Admission, Db, LayoutError, Spaces, StoreError, saved_stores, saved_texts};
use keyscape_store_redb::{Options, Repaired, StagedFile};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// A database, and the layout to use with it.
#[derive(Args, Clone, Debug)]
pub(crate) struct DatabaseArgument {
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    pub(crate) db: PathBuf,
    /// Use this layout instead of the one in the database: a `.keys` file, or `-` for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
    #[command(flatten)]
    verification: Verification,
}

impl DatabaseArgument {
    /// Loads the given layout, or the one that the database stores.
    pub(crate) fn load(&self) -> Result<Layout, Failure> {
        match &self.layout {
            Some(path) => layout::load(path),
            None => layout::load_saved(&Built::default(), &self.db),
        }
    }

    /// Opens the database for reading.
    pub(crate) fn open_read_only<'l>(
        &self,
        layout: &'l Layout,
    ) -> Result<OpenDatabase<'l>, DatabaseError> {
        Ok(self.named(open_read_only(layout, &self.db, self.verification)?))
    }

    /// Opens the database for writing.
    pub(crate) fn open<'l>(
        &self,
        layout: &'l Layout,
        additions: Additions,
    ) -> Result<OpenDatabase<'l>, DatabaseError> {
        self.open_with(layout, Admission::new().leave_indexes().add_stores(additions.add_store))
    }

    /// Opens the database for writing, and for building indexes.
    pub(crate) fn open_to_build<'l>(
        &self,
        layout: &'l Layout,
        additions: Additions,
    ) -> Result<OpenDatabase<'l>, DatabaseError> {
        self.open_with(layout, Admission::new().begin_indexes().add_stores(additions.add_store))
    }

    /// Proves the layout, verifies the file, and opens it for writing.
    fn open_with<'l>(
        &self,
        layout: &'l Layout,
        admission: Admission,
    ) -> Result<OpenDatabase<'l>, DatabaseError> {
        let path = &self.db;
        sound(layout)?;
        let mut saved = SavedLayout::of(layout);
        // redb would silently repair a file that was not closed cleanly.
        let existing = engine::open_all_spaces(path)?;
        if joined(&saved_texts(&existing.read()?)?).text() == saved.text() {
            saved.remove_text();
        }
        drop(existing);
        self.verification.run(path)?;
        let db = engine::open_spaces(path, engine::spaces(path, saved.spaces())?)?;
        Ok(self.named(admit(layout, path, &saved, db, admission, Vec::new())?))
    }

    /// Adds the name of the layout file to the messages about a database.
    fn named<'l>(&self, base: OpenDatabase<'l>) -> OpenDatabase<'l> {
        base.with_layout_file(self.layout.clone())
    }
}

/// Additions to the layout of a database that a command may make.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Additions {
    /// Add stores of the layout that the database does not have yet
    #[arg(long)]
    add_store: bool,
}

/// Opens a database for reading with all its spaces, including those outside the layout, and
/// verifies a file. The database may be that of another program, and the layout an older text.
///
/// # Errors
/// [`DatabaseError::TooLarge`] if the automata of the layout are too large, and
/// [`DatabaseError::Layout`] if the database does not fit the layout.
pub(crate) fn open_read_only<'l>(
    layout: &'l Layout,
    path: &Path,
    verification: Verification,
) -> Result<OpenDatabase<'l>, DatabaseError> {
    let saved = SavedLayout::of(layout);
    let existing = engine::open_all_spaces(path)?;
    let names = existing.spaces().iter().map(|(_, name)| name.to_owned());
    let (ours, others): (Vec<String>, Vec<String>) = names
        .filter(|name| !name.starts_with(Spaces::RESERVED))
        .partition(|name| saved.spaces().contains(name));
    let is_foreign = saved_stores(&existing.read()?)?.is_empty();
    drop(existing);
    if is_foreign && ours.is_empty() && !others.is_empty() {
        let stores = others.into_iter().map(Into::into).collect();
        return Err(engine::failed(path, LayoutError::NoCommonStore { stores }));
    }
    verification.run(path)?;
    let spaces = engine::spaces(path, saved.spaces().iter().chain(&others))?;
    let db = engine::open_spaces_read_only(path, spaces)?;
    let admission = Admission::new().leave_indexes().lenient();
    admit(layout, path, &saved, db, admission, others)
}

/// Compares a layout with the one that a database stores, and joins both. `others` are the spaces
/// outside the layout.
fn admit<'l>(
    layout: &'l Layout,
    path: &Path,
    saved: &SavedLayout,
    db: Db,
    admission: Admission,
    others: Vec<String>,
) -> Result<OpenDatabase<'l>, DatabaseError> {
    let reader = Reader::new(layout)?;
    let indexes = DynamicIndex::all(&reader);
    let infos: Vec<_> = indexes.iter().map(DynamicIndex::info).collect();
    let unbuilt = saved
        .lend(&infos, |saved| db.admit_with(&[saved], admission))
        .map_err(|error| engine::failed(path, error))?;
    let base = OpenDatabase::join(layout, db, Arc::clone(reader.automata()), others, unbuilt);
    Ok(base.with_path(engine::without_password(path)))
}

/// Creates a database, which must not exist. A file has a temporary name until [`publish`]. A
/// server cannot rename a database, so it is filled in place.
///
/// # Errors
/// [`DatabaseError::Unsound`] if the layout is not proved.
pub(crate) fn stage<'l>(
    layout: &'l Layout,
    path: &Path,
) -> Result<(OpenDatabase<'l>, Option<StagedFile>), DatabaseError> {
    sound(layout)?;
    let reader = Reader::new(layout)?;
    let (db, staged) = SavedLayout::of(layout).lend(&[], |saved| {
        if engine::server(path).is_some() {
            return Ok((engine::create(path, &[saved])?, None));
        }
        let options = Options { verify: false, ..Options::new() };
        let (db, staged) = keyscape_store_redb::stage(path, &[saved], &options)
            .map_err(|error| DatabaseError::making(path, error))?;
        Ok::<_, DatabaseError>((db, Some(staged)))
    })?;
    let automata = Arc::clone(reader.automata());
    let base = OpenDatabase::join(layout, db, automata, Vec::new(), Vec::new());
    Ok((base.with_path(engine::without_password(path)), staged))
}

/// Closes a new database, and gives a staged file its final name.
///
/// # Errors
/// If another file has got the name meanwhile.
pub(crate) fn publish(
    base: OpenDatabase<'_>,
    staged: Option<StagedFile>,
) -> Result<(), DatabaseError> {
    let path = base.path().to_owned();
    drop(base);
    let Some(staged) = staged else { return Ok(()) };
    staged.publish().map_err(|error| DatabaseError::making(&path, error.into()))
}

/// Returns all files of the layout that a database stores, as one text.
///
/// # Errors
/// [`DatabaseError::NoLayout`] if the database stores none.
pub(crate) fn saved_bundle(path: &Path) -> Result<Bundle, DatabaseError> {
    let opened = engine::open_all_spaces(path)?;
    let texts = opened.read().and_then(|state| saved_texts(&state));
    let texts = texts.map_err(|error| engine::failed(path, error.in_file(path)))?;
    if texts.is_empty() {
        return Err(DatabaseError::NoLayout { path: engine::without_password(path) });
    }
    Ok(joined(&texts))
}

/// Restores the last complete commit of a file.
pub(crate) fn repair(path: &Path) -> Result<Repaired, DatabaseError> {
    let failed = |error: StoreError| {
        let damaged = keyscape_store_redb::open_damaged(path).ok();
        let db = damaged.as_ref().map(|damaged| damaged.db());
        let texts = db.and_then(|db| saved_texts(&db.read().ok()?).ok());
        let has_layout = texts.is_some_and(|texts| !texts.is_empty());
        DatabaseError::repairing(&error, db.is_some_and(salvage::has_rows), has_layout)
    };
    keyscape_store_redb::repair(path).map_err(failed)
}

/// Warns about indexes that are not built.
pub(crate) fn warn_unbuilt(base: &OpenDatabase<'_>) {
    for index in base.unbuilt() {
        let title = format!("index `{}` is not built, and cannot be read", index.name);
        stderr::warn(title, Some(&base.build_help(&index.name)));
    }
}

/// Returns a writer of single rows, which writes their index entries as well.
pub(crate) fn writer<'a>(base: &'a OpenDatabase<'_>) -> Writer<'a> {
    Writer { reader: &base.reader, with_entries: false }
}

/// Rejects the address of a server, for commands that work on files.
pub(crate) fn only_file(path: &Path) -> Result<(), DatabaseError> {
    match engine::server(path) {
        Some(_) => Err(DatabaseError::new(
            format!(
                "`{}` is the address of a server, and the command works on files",
                engine::without_password(path).display()
            ),
            "use the tools of the server, such as `pg_dump` and `pg_amcheck`",
        )),
        None => Ok(()),
    }
}

/// Whether a file is verified before it is read or written.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Verification {
    /// Do not verify the checksums of the file first: faster on large files, but damaged rows are
    /// not noticed
    #[arg(long, display_order = 100)]
    no_verify: bool,
}

impl Verification {
    /// Verifies all checksums of a file, or warns that they are not verified. A server verifies its
    /// own.
    pub(crate) fn run(self, path: &Path) -> Result<(), DatabaseError> {
        if engine::server(path).is_some() {
            return Ok(());
        }
        if self.no_verify {
            let title = format!("`{}` is not verified: rows may be damaged", path.display());
            stderr::warn(title, None);
            return Ok(());
        }
        let _progress = Progress::without_rows("verifying");
        keyscape_store_redb::verify(path).map_err(|error| engine::failed(path, error))
    }
}
