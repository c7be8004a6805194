//! Names of databases and spaces on a server.

use crate::Advice;
use keyscape_store::{Spaces, StoreError};

/// The maximum length of an identifier of PostgreSQL in bytes. PostgreSQL truncates longer
/// identifiers without an error. Other engines use the same limit.
const LONGEST_NAME: usize = 63;

/// Checks the name of a database. The error describes the name as `what`.
///
/// ```
/// assert!(keyscape_store_remote::check_name("tikv", "a name", "shop_1").is_ok());
/// assert!(keyscape_store_remote::check_name("tikv", "a name", "shop-1").is_err());
/// ```
///
/// # Errors
/// If the name is empty, is too long, or has characters other than letters, digits and underscores.
pub fn check_name(engine: &'static str, what: &str, name: &str) -> Result<(), StoreError> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
    if !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_plain) {
        return Ok(());
    }
    let problem = format!("`{name}` is not {what}");
    Err(Advice::new(engine, problem, "use 1 to 63 letters, digits and underscores").into())
}

/// Checks the lengths of the names of spaces.
///
/// # Errors
/// If a name is too long.
pub fn check_spaces(engine: &'static str, spaces: &Spaces) -> Result<(), StoreError> {
    let Some((_, long)) = spaces.iter().find(|(_, name)| name.len() > LONGEST_NAME) else {
        return Ok(());
    };
    let problem = format!("the name of store `{long}` has more than {LONGEST_NAME} bytes");
    Err(Advice::new(engine, problem, "choose a shorter name").into())
}
