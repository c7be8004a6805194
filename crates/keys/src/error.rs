//! What can be wrong with a value.

use keyscape_codec::ValueError;

/// A value is outside its domain, or parts of a key do not go together.
///
/// ```
/// use keyscape_keys::DomainError;
///
/// let error = DomainError::outside("Uptime", "a number from 0 to 5");
/// assert_eq!(error.what, "Uptime");
/// assert!(error.to_string().starts_with("Uptime: "));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: {source}")]
pub struct DomainError {
    /// The type, or the field of a keyspace: `Denom`, `balances.denom`.
    pub what: &'static str,
    /// What is wrong.
    pub source: ValueError,
}

impl DomainError {
    /// A value that is not what is allowed.
    #[must_use]
    pub fn outside(what: &'static str, allowed: &str) -> Self {
        Self { what, source: ValueError::Outside { allowed: allowed.to_owned() } }
    }

    /// An optional part is given where the rest of the key leaves it out, or the other way round;
    /// or only some of its fields are given.
    ///
    /// # Errors
    /// This, unless `given` is `expected`.
    #[inline]
    pub fn check_part(what: &'static str, given: bool, expected: bool) -> Result<(), Self> {
        match (given, expected) {
            (true, false) => {
                Err(Self::outside(what, "no value: this part of the key is absent here"))
            }
            (false, true) => {
                Err(Self::outside(what, "a value: this part of the key is present here"))
            }
            _ => Ok(()),
        }
    }

    /// A list has too few or too many elements.
    ///
    /// # Errors
    /// This, unless the count is from `min` to `max`.
    pub fn check_count(
        what: &'static str,
        count: usize,
        min: usize,
        max: usize,
    ) -> Result<(), Self> {
        if (min..=max).contains(&count) {
            return Ok(());
        }
        Err(Self::outside(what, &format!("{min} to {max} elements, not {count}")))
    }
}
