//! The prefix of addresses as text.

use crate::{Account, Address, Error, ErrorKind, keeper, layout::acc::ACCOUNT_NUMBERS};
use bech32::{Bech32, Hrp, primitives::decode::CheckedHrpstring};
use keyscape::store::Read;
use std::fmt;

/// The prefix of a chain's addresses in bech32, such as `cosmos` or `osmo`.
///
/// Keys contain the bytes of an address without the prefix. Accounts contain the address as text,
/// so the accounts of a state determine the prefix of its chain. The layout shows all addresses
/// with the prefix `cosmos`, and so do [`Address`] and error messages; [`Prefix::show`] returns the
/// text that users of the chain know.
///
/// ```
/// use keyscape_bank::{Address, Prefix};
///
/// let (osmo, address) = Prefix::read("osmo1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqzf5dfv")?;
/// assert_eq!(osmo, Prefix::new("osmo")?);
/// assert_eq!(address.to_string(), "cosmos1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq2j8al7");
/// assert_eq!(osmo.show(&address), "osmo1qyqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqzf5dfv");
/// # Ok::<(), keyscape_bank::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(Hrp);

impl Prefix {
    /// Creates a prefix.
    ///
    /// # Errors
    /// [`Prefix`](ErrorKind::Prefix).
    pub fn new(text: &str) -> Result<Prefix, Error> {
        let invalid = || ErrorKind::Prefix(text.to_owned());
        let prefix = Hrp::parse(text).map_err(|_| invalid())?;
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(invalid().into());
        }
        Ok(Prefix(prefix))
    }

    /// Parses an address with any prefix.
    ///
    /// # Errors
    /// [`AddressText`](ErrorKind::AddressText).
    pub fn read(text: &str) -> Result<(Prefix, Address<'static>), Error> {
        let invalid = || ErrorKind::AddressText(text.to_owned());
        let checked = CheckedHrpstring::new::<Bech32>(text).map_err(|_| invalid())?;
        let address: Vec<u8> = checked.byte_iter().collect();
        let prefix = Prefix::new(&checked.hrp().to_lowercase())?;
        Ok((prefix, Address::new(address).map_err(|_| invalid())?))
    }

    /// Returns the text of an address.
    #[must_use]
    pub fn show(&self, address: &Address<'_>) -> String {
        let text = bech32::encode::<Bech32>(self.0, address.as_bytes());
        // The longest address has 255 bytes, which bech32 can encode with any prefix.
        text.unwrap_or_else(|_| address.to_string())
    }

    /// Returns a text of the bank in which an address has this prefix.
    pub(crate) fn show_in(&self, text: &str, address: Option<&Address<'_>>) -> String {
        match address {
            Some(address) => text.replace(&address.to_string(), &self.show(address)),
            None => text.to_owned(),
        }
    }

    /// Returns the prefix of a chain: the prefix of its first account. `None` if no account has a
    /// prefix.
    ///
    /// # Errors
    /// If a row is corrupt.
    pub fn of(state: &(impl Read + ?Sized)) -> Result<Option<Prefix>, Error> {
        // Numbers begin with 0, which needs no scan. A genesis can begin with a higher one.
        let owner = match keeper::account_at(state, 0)? {
            Some(owner) => owner,
            None => match ACCOUNT_NUMBERS.prefix_all().first(state)? {
                Some((_, owner)) => Address::new(owner).map_err(keyscape::Error::from)?,
                None => return Ok(None),
            },
        };
        let first = keeper::get_account(state, &owner)?;
        Ok(first.as_ref().and_then(Prefix::of_account))
    }

    /// Returns the prefix of the address that an account contains.
    pub(crate) fn of_account(account: &Account) -> Option<Prefix> {
        Some(Prefix::read(&account.base_account()?.address).ok()?.0)
    }
}

/// The prefix `cosmos`, which the layout shows.
impl Default for Prefix {
    fn default() -> Prefix {
        Prefix(Hrp::parse_unchecked("cosmos"))
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
