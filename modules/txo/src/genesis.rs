//! What a first state must satisfy.
use crate::{error::Error, invariants};
use keyscape::store::Read;
/// Whether a state can be the first one.
pub fn verify(read: &(impl Read + ?Sized)) -> Result<(), Error> {
    invariants::check(read).map(drop)
}
