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
    match SEND_ENABLED.get(state, denom.by_ref())? {
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
        Some(enabled) => SEND_ENABLED.put(tx, denom.by_ref(), enabled)?,
        None => SEND_ENABLED.delete(tx, denom.by_ref())?,
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
    Ok(METADATA.get(state, denom.by_ref())?)
}

/// Sets the metadata of a denomination, which is their base.
///
/// # Errors
/// [`Metadata`](ErrorKind::Metadata) unless base and display are units, the base is the first one
/// with exponent 0, and exponents increase.
pub fn set_metadata(tx: &mut Tx<'_>, metadata: &Metadata) -> Result<(), Error> {
    let wrong = |what| ErrorKind::Metadata { denom: metadata.base.clone(), what };
    let base = Denom::new(&*metadata.base).map_err(keyscape::Error::from)?;
    let units = &metadata.denom_units;
    match units.first() {
        Some(unit) if unit.denom == metadata.base && unit.exponent == 0 => {}
        _ => return Err(wrong("the first unit is not the base with exponent 0").into()),
    }
    if units.windows(2).any(|pair| pair[0].exponent >= pair[1].exponent) {
        return Err(wrong("the exponents of the units do not grow").into());
    }
    if units.iter().any(|unit| Denom::new(&*unit.denom).is_err()) {
        return Err(wrong("a unit has no name that a denomination could have").into());
    }
    if !units.iter().any(|unit| unit.denom == metadata.display) {
        return Err(wrong("the unit to be shown is none of the units").into());
    }
    Ok(METADATA.put(tx, base.by_ref(), metadata)?)
}
