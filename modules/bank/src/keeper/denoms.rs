//! Metadata of denominations, and which of them may be sent.

use crate::{
    Denom, Error, ErrorKind, Metadata, Params,
    layout::bank::{METADATA, PARAMS, SEND_ENABLED},
};
use keyscape::store::{Read, Tx};

/// Returns the parameters. By default, every denomination may be sent.
///
/// # Errors
/// If the row is corrupt.
pub fn get_params(state: &(impl Read + ?Sized)) -> Result<Params, Error> {
    let default = || Params { default_send_enabled: true, ..Params::default() };
    Ok(PARAMS.get(state)?.unwrap_or_else(default))
}

/// Sets the parameters.
///
/// # Errors
/// Errors of the database.
pub fn set_params(tx: &mut Tx<'_>, params: &Params) -> Result<(), Error> {
    Ok(PARAMS.put(tx, params)?)
}

/// Whether messages may send a denomination, by its own row or else by the parameters.
///
/// # Errors
/// If a row is corrupt.
pub fn is_send_enabled(state: &(impl Read + ?Sized), denom: &Denom<'_>) -> Result<bool, Error> {
    match SEND_ENABLED.get(state, denom)? {
        Some(enabled) => Ok(enabled),
        None => Ok(get_params(state)?.default_send_enabled),
    }
}

/// Sets whether a denomination may be sent; `None` leaves it to the parameters.
///
/// # Errors
/// Errors of the database.
pub fn set_send_enabled(
    tx: &mut Tx<'_>,
    denom: &Denom<'_>,
    enabled: Option<bool>,
) -> Result<(), Error> {
    match enabled {
        Some(enabled) => SEND_ENABLED.put(tx, denom, enabled)?,
        None => SEND_ENABLED.delete(tx, denom)?,
    }
    Ok(())
}

/// Returns the metadata of a denomination.
///
/// # Errors
/// If the row is corrupt.
pub fn get_metadata(
    state: &(impl Read + ?Sized),
    denom: &Denom<'_>,
) -> Result<Option<Metadata>, Error> {
    Ok(METADATA.get(state, denom)?)
}

/// Sets the metadata of a denomination, which is their base.
///
/// # Errors
/// [`Metadata`](ErrorKind::Metadata) unless they are [valid](Metadata::validate).
pub fn set_metadata(tx: &mut Tx<'_>, metadata: &Metadata) -> Result<(), Error> {
    let wrong = |what| ErrorKind::Metadata { denom: metadata.base.clone(), what };
    let base = metadata.validate().map_err(wrong)?;
    Ok(METADATA.put(tx, &base, metadata)?)
}
