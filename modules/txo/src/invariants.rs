//! What always holds.
use crate::error::Error;
use keyscape::store::Read;

/// An invariant that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// A structure.
    #[error("a structure is not sound")]
    Structure,
}

/// Runs all invariants.
///
/// # Errors
/// If the store fails.
pub fn check(_read: &(impl Read + ?Sized)) -> Result<Vec<Broken>, Error> {
    Ok(Vec::new())
}
