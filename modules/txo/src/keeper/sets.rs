//! General sets of texts: `s:{name}`.

use crate::{
    error::Error,
    layout::txo::{SETS, SetName},
};
use keyscape::store::{Read, Tx};

/// Adds a text to a set. Returns whether it is new there.
///
/// ```
/// # use keyscape_txo::layout::txo;
/// use keyscape_txo::{keeper, layout::txo::SetName};
///
/// # let db = keyscape::memory(&txo::LAYOUT)?;
/// let watched = SetName::new("watched")?;
/// db.write(|tx| keeper::add_to_set(tx, &watched, "ann"))?;
/// assert!(keeper::is_in_set(&db.read()?, &watched, "ann")?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the text is empty or longer than 255 bytes, or the store fails.
pub fn add_to_set(tx: &mut Tx<'_>, set: &SetName<'_>, text: &str) -> Result<bool, Error> {
    Ok(SETS.add(tx, set, text)?)
}

/// Removes a text from a set. Returns whether it was there.
///
/// # Errors
/// As [`add_to_set`].
pub fn remove_from_set(tx: &mut Tx<'_>, set: &SetName<'_>, text: &str) -> Result<bool, Error> {
    Ok(SETS.remove(tx, set, text)?)
}

/// Whether a set contains a text.
///
/// # Errors
/// As [`add_to_set`].
pub fn is_in_set(read: &impl Read, set: &SetName<'_>, text: &str) -> Result<bool, Error> {
    Ok(SETS.contains(read, set, text)?)
}

/// Returns the texts of a set, in byte order.
///
/// # Errors
/// If the store fails.
pub fn set_members(read: &impl Read, set: &SetName<'_>) -> Result<Vec<String>, Error> {
    let members = SETS.members(set).to_vec(read)?;
    Ok(members.into_iter().map(|member| member.as_str().to_owned()).collect())
}

/// Returns the names of the sets.
///
/// # Errors
/// If the store fails.
pub fn sets(read: &impl Read) -> Result<Vec<SetName<'static>>, Error> {
    let keys = SETS.prefix_all().structures(read)?;
    keys.map(|key| Ok(key?.name)).collect()
}
