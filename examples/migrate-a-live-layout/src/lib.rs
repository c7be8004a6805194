//! A program whose layout has changed: it migrates the files of its first version.

use keyscape::{
    migrate::{Migrate, TypedMigration},
    store::Db,
};
use keyscape_store_redb::Options;
use std::{error::Error, path::Path};

/// The first version of the program.
pub mod v1 {
    keyscape::layout!("v1.keys");

    use contacts::{CALLS, PEOPLE};
    use keyscape::{Error, store::Tx};

    /// Adds a person with one call.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn add(tx: &mut Tx<'_>, id: u32, name: &str, call: (u64, u16)) -> Result<(), Error> {
        PEOPLE.put(tx, id, name)?;
        CALLS.put(tx, (id, call.0), call.1)
    }
}

/// The second version of the program.
pub mod v2 {
    keyscape::layout!("v2.keys");

    use contacts::{BY_BORN, CALLS};
    use keyscape::{Error, store::Read};
    use serde::{Deserialize, Serialize};

    /// A person.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct Person {
        /// The full name.
        pub name: String,
        /// The year of birth.
        pub born: u16,
    }

    impl contacts::ByBornFields for Person {
        fn born(&self) -> keyscape::Extracted<u16> {
            Ok(self.born)
        }
    }

    /// Returns all people, the oldest first.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn people(state: &impl Read) -> Result<Vec<(u32, Person)>, Error> {
        let rows = BY_BORN.prefix_all().rows(state)?;
        rows.map(|row| row.map(|(key, person)| (key.id, person))).collect()
    }

    /// Returns the time and the length of the calls of a person.
    ///
    /// # Errors
    /// Errors of the database.
    pub fn calls(state: &impl Read, person: u32) -> Result<Vec<(u64, u32)>, Error> {
        let rows = CALLS.scan_person(state, person)?;
        rows.map(|row| row.map(|(key, seconds)| (key.at, seconds))).collect()
    }
}

/// Parses a person of version 1.
///
/// # Errors
/// If there is no comma, or no year after it.
pub fn parse_person(text: &str) -> Result<v2::Person, Box<dyn Error + Send + Sync>> {
    let (name, born) = text.rsplit_once(", ").ok_or("the year of birth is missing")?;
    Ok(v2::Person { name: name.to_owned(), born: born.parse()? })
}

/// Returns the migration of files of version 1.
#[must_use]
pub fn migration() -> TypedMigration<'static> {
    let (old, new) = (&v1::contacts::LAYOUT, &v2::contacts::LAYOUT);
    TypedMigration::new(include_str!("../v1-to-v2.migration"), old, new).rows(
        v1::contacts::PEOPLE,
        v2::contacts::PEOPLE,
        |key, text: String| Ok((key.id, parse_person(&text)?)),
    )
}

/// Opens a file of either version as version 2. Continues a migration that was interrupted.
///
/// # Errors
/// If a row cannot be migrated; then the file is unchanged. Errors of the database.
pub fn open(path: &Path) -> Result<Db, Box<dyn Error>> {
    let migration = migration();
    let db = Db::new(Options::new().open(path, migration.spaces()?)?);
    db.migrate(&migration)?;
    db.admit(&[migration.new_layout()])?;
    Ok(db)
}
