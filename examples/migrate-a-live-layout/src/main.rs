//! Writes a file with version 1 of the program, and goes on with version 2.
#![expect(clippy::print_stdout, reason = "the example shows its result")]

use keyscape::migrate::Migrate;
use keyscape_example_migrate_a_live_layout::{open, v1, v2};
use std::{error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).unwrap_or_else(|| "contacts.redb".to_owned());
    let path = Path::new(&file);
    if !path.exists() {
        let db = keyscape_store_redb::create(path, &v1::contacts::LAYOUT)?;
        db.write(|tx| {
            v1::add(tx, 256, "Ada Lovelace, 1815", (10, 300))?;
            v1::add(tx, 1, "Alan Turing, 1912", (20, 45))
        })?;
        println!("version 1 wrote two people");
    }
    let db = open(path)?;
    println!("every row is what the migration makes: {}", db.verify_migration()?);
    let state = db.read()?;
    for (id, person) in v2::people(&state)? {
        let calls = v2::calls(&state, id)?;
        println!("{id}: {}, born {}; calls {calls:?}", person.name, person.born);
    }
    Ok(())
}
