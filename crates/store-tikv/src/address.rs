//! Addresses of databases.

use crate::{ENGINE, error::advice};
use keyscape_store::StoreError;
use keyscape_store_remote::check_name;

const SCHEME: &str = "tikv://";
const DEFAULT_PORT: &str = "2379";
/// The name of a database if the address contains none.
const DEFAULT_NAME: &str = "keyscape";

/// The placement drivers of a cluster, and the name of a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) drivers: Vec<String>,
    pub(crate) name: String,
}

impl Address {
    pub(crate) fn parse(address: &str) -> Result<Address, StoreError> {
        let rest = address.strip_prefix(SCHEME).unwrap_or_default();
        let (hosts, name) = rest.split_once('/').unwrap_or((rest, ""));
        let is_host = |host: &str| {
            let is_part = |char: char| char.is_ascii_alphanumeric() || "-_.:[]".contains(char);
            !host.is_empty() && host.chars().all(is_part)
        };
        if rest.contains('@') || !hosts.split(',').all(is_host) {
            return Err(advice(
                format!("`{}` is not an address of a TiKV cluster", without_user(address)),
                "write it as tikv://HOST:PORT,HOST:PORT/NAME",
            )
            .into());
        }
        let name = if name.is_empty() { DEFAULT_NAME } else { name };
        check_name(ENGINE, "a name of a database", name)?;
        let drivers = hosts.split(',').map(with_port).collect();
        Ok(Address { drivers, name: name.to_owned() })
    }
}

/// Removes a user and a password, because no message may show them.
fn without_user(address: &str) -> String {
    match address.rsplit_once('@') {
        None => address.to_owned(),
        Some((_, rest)) => format!("{SCHEME}…@{rest}"),
    }
}

fn with_port(host: &str) -> String {
    // A colon inside brackets belongs to an IPv6 address.
    match host.rsplit(']').next().is_some_and(|end| end.contains(':')) {
        true => host.to_owned(),
        false => format!("{host}:{DEFAULT_PORT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(address: &str) -> (Vec<String>, String) {
        let Address { drivers, name } = Address::parse(address).unwrap();
        (drivers, name)
    }

    #[test]
    fn an_address_lists_placement_drivers_and_names_a_database() {
        let (drivers, name) = parsed("tikv://pd1,10.0.0.2:7,[::1],[::1]:5");
        assert_eq!(drivers, ["pd1:2379", "10.0.0.2:7", "[::1]:2379", "[::1]:5"]);
        assert_eq!(name, "keyscape");
        assert_eq!(parsed("tikv://pd/shop").1, "shop");
        assert_eq!(parsed("tikv://pd/").1, "keyscape");
    }

    #[test]
    fn wrong_addresses_are_errors_that_name_the_form() {
        let long = format!("tikv://pd/{}", "x".repeat(64));
        for wrong in ["", "tikv://", "pd1", "tikv://a,,b", "tikv://a b", "tikv://pd/a-b", &long] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
        for secret in ["tikv://user:secret@pd/shop", "tikv://user:sec/ret@pd/shop"] {
            let error = Address::parse(secret).unwrap_err();
            let reason = std::error::Error::source(&error).unwrap().to_string();
            assert!(reason.starts_with("`tikv://…@pd/shop` is not an address"), "{reason}");
        }
    }
}
