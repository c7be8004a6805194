//! Address lists: stored lists, and lists that are described by their id.

use super::{address, next};
use crate::{
    Error, ErrorKind, Names,
    layout::badges::{ADDRESS_LISTS, Address, AddressListsList, NEXT_ADDRESS_LIST},
    names::MINT,
    values::AddressList,
};
use keyscape::{
    U256,
    store::{Read, Tx},
};

/// An address list to create.
#[derive(Clone, Debug, Default)]
pub struct NewList {
    /// The id: ASCII letters and digits.
    pub id: String,
    /// Addresses, or `Mint`.
    pub addresses: Vec<String>,
    /// Whether the list consists of its addresses, or of all others.
    pub whitelist: bool,
    /// A link to more about the list.
    pub uri: String,
    /// Free data.
    pub custom_data: String,
}

/// Creates an address list. It never changes afterwards.
///
/// ```
/// # mod setup { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/all/setup.rs")); }
/// # use setup::{address, badges};
/// use keyscape_badges::keeper::{self, NewList};
///
/// # let (db, ann, bob) = (badges(), address(1), address(2));
/// let friends = NewList {
///     id: "friends".into(),
///     addresses: vec![ann.to_string()],
///     whitelist: true,
///     ..NewList::default()
/// };
/// db.write(|tx| keeper::create_list(tx, &ann, &friends))?;
/// let state = db.read()?;
/// assert!(keeper::resolve(&state, "friends")?.contains(&ann.to_string()));
/// assert!(keeper::resolve(&state, "!friends")?.contains(&bob.to_string()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Name`](ErrorKind::Name), [`ListExists`](ErrorKind::ListExists),
/// [`Address`](ErrorKind::Address).
pub fn create_list(tx: &mut Tx<'_>, creator: &Address<'_>, list: &NewList) -> Result<(), Error> {
    let id = list_id(&list.id)?;
    if described(&list.id)?.is_some() || ADDRESS_LISTS.contains(tx, id.by_ref())? {
        return Err(ErrorKind::ListExists(list.id.clone()).into());
    }
    for name in list.addresses.iter().filter(|name| *name != MINT) {
        address(name)?;
    }
    let row = AddressList {
        list_id: list.id.clone(),
        addresses: list.addresses.clone(),
        whitelist: list.whitelist,
        uri: list.uri.clone(),
        custom_data: list.custom_data.clone(),
        created_by: creator.to_string(),
    };
    tx.attempt(|tx| {
        let _number: U256 = next!(NEXT_ADDRESS_LIST, tx);
        Ok(ADDRESS_LISTS.put(tx, id.by_ref(), &row)?)
    })
}

/// Returns a stored address list.
///
/// # Errors
/// Errors of the database.
pub fn get_list(state: &(impl Read + ?Sized), id: &str) -> Result<Option<AddressList>, Error> {
    match AddressListsList::new(id.to_owned()) {
        Ok(id) => Ok(ADDRESS_LISTS.get(state, id)?),
        Err(_) => Ok(None),
    }
}

/// Returns the names of a list id: a stored list, a reserved name, addresses joined by `:`, or the
/// inversion of one of these with `!`.
///
/// # Errors
/// [`NoList`](ErrorKind::NoList); [`Address`](ErrorKind::Address) for a malformed address after
/// `AllWithout`.
pub fn resolve(state: &(impl Read + ?Sized), id: &str) -> Result<Names, Error> {
    let (inner, inverted) = match id.strip_prefix('!') {
        None => (id, false),
        Some(rest) => match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            Some(rest) => (rest, true),
            None => (rest, true),
        },
    };
    let names = match described(inner)? {
        Some(names) => names,
        None => {
            let list = get_list(state, inner)?;
            let list = list.ok_or_else(|| Error::from(ErrorKind::NoList(id.to_owned())))?;
            let names = Names::only(list.addresses);
            if list.whitelist { names } else { names.inverted() }
        }
    };
    Ok(if inverted { names.inverted() } else { names })
}

/// Returns the names that an id describes by itself, or `None` for the id of a stored list.
fn described(id: &str) -> Result<Option<Names>, Error> {
    let joined = |names: &str| {
        let each = names.split(':').map(|name| {
            if name == MINT { Ok(name.to_owned()) } else { Ok(address(name)?.to_string()) }
        });
        each.collect::<Result<Vec<String>, Error>>().map(Names::only)
    };
    Ok(match id {
        "All" | "AllWithMint" => Some(Names::all()),
        "None" => Some(Names::all().inverted()),
        _ => match id.strip_prefix("AllWithout") {
            Some(names) => Some(joined(names)?.inverted()),
            None => joined(id).ok(),
        },
    })
}

fn list_id(text: &str) -> Result<AddressListsList<'static>, Error> {
    // `Manager` is reserved by the origin for the manager of a collection.
    if text == "Manager" {
        return Err(ErrorKind::ListExists(text.to_owned()).into());
    }
    AddressListsList::new(text.to_owned()).map_err(|source| {
        ErrorKind::Name { subject: "an address list", name: text.to_owned(), source }.into()
    })
}
