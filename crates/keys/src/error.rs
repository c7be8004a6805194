//! Errors of values.

use keyscape_codec::ValueError;

/// A value outside its domain, or parts of a key that contradict each other.
///
/// ```
/// use keyscape_keys::DomainError;
///
/// let error = DomainError::outside("Uptime", "a number from 0 to 5");
/// assert_eq!(error.what, "Uptime");
/// assert_eq!(error.given(7).to_string(), "Uptime: expected a number from 0 to 5, not `7`");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what}: {source}")]
pub struct DomainError {
    /// The type, or the field of a keyspace: `Denom`, `balances.denom`.
    pub what: &'static str,
    /// The reason.
    pub source: ValueError,
}

impl DomainError {
    /// Creates the error of a value outside its domain.
    #[must_use]
    pub fn outside(what: &'static str, allowed: &str) -> Self {
        Self { what, source: ValueError::Outside { allowed: allowed.to_owned() } }
    }

    /// Adds the value to the reason of [`DomainError::outside`].
    #[must_use]
    #[cold]
    pub fn given(mut self, value: impl std::fmt::Display) -> Self {
        if let ValueError::Outside { allowed } = &mut self.source {
            // Long values are truncated to keep the message readable.
            let value: String = value.to_string().chars().take(64).collect();
            *allowed = format!("{allowed}, not `{value}`");
        }
        self
    }

    /// Replaces the name of the type by that of the field.
    #[must_use]
    #[cold]
    pub fn at(self, what: &'static str) -> Self {
        Self { what, ..self }
    }

    /// Checks that an optional part has a value exactly if the guard expects it.
    ///
    /// # Errors
    /// [`DomainError`] unless `given` equals `expected`.
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

    /// Checks the number of elements of a list.
    ///
    /// # Errors
    /// [`DomainError`] unless the count is from `min` to `max`.
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
